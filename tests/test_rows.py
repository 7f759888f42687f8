"""Rows and entries as objects: which members are written, what is refused."""

from __future__ import annotations

import dataclasses
import inspect
import json
from itertools import combinations, product
from typing import Any, get_args

import pytest

from transcodec.errors import DecodeError
from transcodec.rows import (
    CallsEntry,
    ChatEntry,
    Entry,
    Message,
    ResultsEntry,
    Role,
    ToolCall,
    ToolResult,
    entry_from_dict,
)

CALL = ToolCall(id="k1", name="find", arguments='{"q": 1}')
CALL_JSON = '{"id":"k1","name":"find","arguments":"{\\"q\\": 1}"}'

WRITTEN = [
    (Message.system("s"), '{"role":"system","content":"s"}'),
    (Message.user("é"), '{"role":"user","content":"é"}'),
    (Message.assistant(""), '{"role":"assistant","content":""}'),
    (Message.tool("t"), '{"role":"tool","content":"t"}'),
    (Message.user("x").with_metadata({"m": 1}), '{"role":"user","content":"x","extra_metadata":{"m":1}}'),
    (
        Message.assistant_with_calls(text=None, tool_calls=[CALL]),
        f'{{"role":"assistant","content":null,"tool_calls":[{CALL_JSON}]}}',
    ),
    (
        Message.assistant_with_calls(text="", tool_calls=[CALL], reasoning_content=""),
        f'{{"role":"assistant","content":"","tool_calls":[{CALL_JSON}],"reasoning_content":""}}',
    ),
    (
        Message.tool_result(tool_call_id="k1", content="[]"),
        '{"role":"tool","content":"[]","tool_call_id":"k1"}',
    ),
    (
        Message(
            role="tool",
            content="[]",
            extra_metadata=0,
            tool_calls=(CALL,),
            tool_call_id="",
            reasoning_content="r",
            name="find",
        ),
        (
            f'{{"role":"tool","content":"[]","extra_metadata":0,"tool_calls":[{CALL_JSON}],"tool_call_id":"",'
            '"reasoning_content":"r","name":"find"}'
        ),
    ),
    (CALL, CALL_JSON),
    (dataclasses.replace(CALL, extra_content={}), CALL_JSON[:-1] + ',"extra_content":{}}'),
    (
        ToolResult(tool_call_id="k1", content="out"),
        '{"tool_call_id":"k1","content":"out","trusted_verbatim":false}',
    ),
    (
        ToolResult(tool_call_id="k1", content="out", trusted_verbatim=True, name="f"),
        '{"tool_call_id":"k1","content":"out","trusted_verbatim":true,"name":"f"}',
    ),
]


@pytest.mark.parametrize(("value", "text"), WRITTEN)
def test_members_and_their_order(value: Any, text: str) -> None:
    assert value.to_json() == text
    assert type(value).from_json(text) == value
    assert type(value).from_dict(json.loads(text)) == value


#: The optional members of a row in the order in which they are written, each with values that are present,
#: empty ones among them: only None (and no calls) is absent.
OPTIONAL: dict[str, list[Any]] = {
    "extra_metadata": [{"m": 1}, {}, 0, False, "", []],
    "tool_calls": [(CALL,), (CALL, dataclasses.replace(CALL, id="", extra_content=[]))],
    "tool_call_id": ["k1", ""],
    "reasoning_content": ["r", ""],
    "name": ["find", ""],
}


@pytest.mark.parametrize("role", get_args(Role))
@pytest.mark.parametrize(
    "present", [subset for size in range(6) for subset in combinations(OPTIONAL, size)], ids="+".join
)
def test_members_that_are_present_are_written_in_order(role: Role, present: tuple[str, ...]) -> None:
    contents = ["", "é"]
    if role == "assistant" and "tool_calls" in present:
        contents.append(None)  # type: ignore[arg-type]  # only such a row has no text
    values = [dict(zip(present, chosen, strict=True)) for chosen in product(*map(OPTIONAL.get, present))]  # type: ignore[arg-type]  # none is missing
    for content, members in product(contents, values):
        message = Message(role=role, content=content, **members)
        written = json.loads(message.to_json())
        assert list(written) == ["role", "content", *present]
        calls = [call.to_dict() for call in members.get("tool_calls", ())]
        assert written == {"role": role, "content": content, **members} | (
            {"tool_calls": calls} if calls else {}
        )
        assert message.to_dict() == written
        assert Message.from_dict(written) == Message.from_json(message.to_json()) == message


@pytest.mark.parametrize("name", [None, "", "find"])
@pytest.mark.parametrize("trusted", [False, True])
def test_members_of_results(name: str | None, trusted: bool) -> None:  # noqa: FBT001 - it is the member
    result = ToolResult(tool_call_id="k1", content="", trusted_verbatim=trusted, name=name)
    written = json.loads(result.to_json())
    expected = {"tool_call_id": "k1", "content": "", "trusted_verbatim": trusted}
    assert written == result.to_dict() == expected | ({} if name is None else {"name": name})
    assert ToolResult.from_dict(written) == result


@pytest.mark.parametrize("role", get_args(Role))
@pytest.mark.parametrize("calls", [(), (CALL,)])
def test_rows_without_text_are_assistants_with_calls(role: Role, calls: tuple[ToolCall, ...]) -> None:
    if role == "assistant" and calls:
        assert Message(role=role, content=None, tool_calls=calls).content is None
        return
    with pytest.raises(ValueError, match="content"):
        Message(role=role, content=None, tool_calls=calls)


def test_rows_of_old_stores_have_defaults() -> None:
    read = Message.from_json('{"role":"user","content":"old","tool_calls":null,"tool_call_id":null,"new":1}')
    assert read == Message.user("old")


@pytest.mark.parametrize(
    ("kind", "text", "code", "path"),
    [
        (Message, '{"role":"assistant","content":null}', "missing_member", "/content"),
        (Message, '{"role":"assistant","content":null,"tool_calls":[]}', "missing_member", "/content"),
        (Message, '{"content":"x"}', "missing_member", "/role"),
        (Message, '{"role":"developer","content":"x"}', "unknown_role", "/role"),
        (Message, '{"role":"user","content":[]}', "invalid_type", "/content"),
        (Message, '{"role":"user","content":"a","content":"b"}', "duplicate_key", "/content"),
        (Message, '{"role":"user","content":"a","tool_calls":{}}', "invalid_type", "/tool_calls"),
        (Message, '{"role":"user","content":"a","name":1}', "invalid_type", "/name"),
        (Message, '{"role":"user"', "invalid_json", None),
        (Message, '{"role":"user","content":"a","extra_metadata":NaN}', "invalid_json", None),
        (Message, b'"\xff"', "invalid_utf8", None),
        (Message, "[" * 100_000, "nesting_too_deep", None),
        (Message, "[]", "invalid_type", ""),
        (
            Message,
            '{"role":"assistant","content":"","tool_calls":[{"id":"a","name":"f"}]}',
            "missing_member",
            "/tool_calls/0/arguments",
        ),
        (ToolCall, '{"id":"a","name":"f","arguments":{}}', "invalid_type", "/arguments"),
        (ToolResult, '{"tool_call_id":"a"}', "missing_member", "/content"),
        (
            ToolResult,
            '{"tool_call_id":"a","content":"","trusted_verbatim":1}',
            "invalid_type",
            "/trusted_verbatim",
        ),
    ],
)
def test_what_is_refused(kind: Any, text: str | bytes, code: str, path: str | None) -> None:
    with pytest.raises(DecodeError) as caught:
        kind.from_json(text)
    assert (caught.value.code, caught.value.path) == (code, path)


def test_repeated_keys_of_the_host_are_its_own_matter() -> None:
    read = Message.from_json('{"role":"user","content":"x","extra_metadata":{"a":1,"a":2},"z":1,"z":2}')
    assert read.extra_metadata == {"a": 2}
    assert type(read.extra_metadata) is dict


def test_entries_there_and_back() -> None:
    entries: list[Entry] = [
        ChatEntry(message=Message.user("q")),
        CallsEntry(tool_calls=(CALL,)),
        CallsEntry(text="", tool_calls=(), reasoning_content="r", extra_metadata={"m": 1}),
        ResultsEntry(results=(ToolResult(tool_call_id="k1", content="[]"),)),
    ]
    written = [entry.to_dict() for entry in entries]
    assert written[1] == {"kind": "calls", "text": None, "tool_calls": [CALL.to_dict()]}
    assert [entry_from_dict(value) for value in written] == entries
    assert entry_from_dict({"role": "user", "content": "q"}) == entries[0]


@pytest.mark.parametrize(
    ("value", "code", "path"),
    [
        ({}, "unknown_entry", "/4"),
        ({"kind": "other"}, "unknown_entry", "/4/kind"),
        ({"kind": "chat"}, "missing_member", "/4/message"),
        ({"kind": "chat", "message": {"role": "user"}}, "missing_member", "/4/message/content"),
        ({"kind": "calls"}, "missing_member", "/4/tool_calls"),
        ({"kind": "results", "results": {}}, "invalid_type", "/4/results"),
        ({"kind": "results", "results": [1]}, "invalid_type", "/4/results/0"),
    ],
)
def test_entries_that_are_refused(value: Any, code: str, path: str) -> None:
    with pytest.raises(DecodeError) as caught:
        entry_from_dict(value, path="/4")
    assert (caught.value.code, caught.value.path) == (code, path)


@pytest.mark.parametrize("kind", [Message, ToolCall, ToolResult, ChatEntry, CallsEntry, ResultsEntry])
def test_constructors_take_keywords_only(kind: Any) -> None:
    parameters = inspect.signature(kind).parameters.values()
    assert {parameter.kind for parameter in parameters} == {inspect.Parameter.KEYWORD_ONLY}
    needed = {each.name: "x" for each in parameters if each.default is inspect.Parameter.empty}
    assert needed
    with pytest.raises(TypeError):
        kind(*needed.values())
    for name in needed:
        with pytest.raises(TypeError, match=name):
            kind(**{other: value for other, value in needed.items() if other != name})


def test_constructors_check_what_types_cannot() -> None:
    with pytest.raises(ValueError, match="role"):
        Message(role="developer", content="x")  # type: ignore[arg-type]  # likewise
    with pytest.raises(ValueError, match="content"):
        Message(role="user", content=None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Message.user("x").content = "y"  # type: ignore[misc]  # likewise
