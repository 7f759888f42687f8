"""`transcodec inspect`: every oddity is found where it is, and a clean stream has none."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import make_demo_stream
import transcodec
from transcodec.cli import main
from transcodec.demo import SOURCE, TARGET, stream
from transcodec.inspection import UnknownFormat, inspect_stream
from transcodec.inspection.catalogue import ODDITIES, markdown_table
from transcodec.inspection.report import Oddity, Report

PAGE = (Path(__file__).parent.parent / "docs/inspect.md").read_text()
DONE = b"data: [DONE]\n\n"
Json = dict[str, Any]


def sse(*events: Json | bytes, named: bool = False) -> bytes:
    """Events as a stream; bytes stand for themselves."""
    lines = []
    for event in events:
        if isinstance(event, bytes):
            lines.append(event)
            continue
        name = f"event: {event['type']}\n" if named and "type" in event else ""
        lines.append(f"{name}data: {json.dumps(event)}\n\n".encode())
    return b"".join(lines)


def chunk(delta: Json | None, finish: str | None = None, /, **members: Any) -> Json:
    choice: Json = {"index": 0, "finish_reason": finish}
    if delta is not None:
        choice["delta"] = delta
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return head | {"choices": [choice]} | members


def call(function: Json | None = None, **members: Any) -> Json:
    """A delta with one element of `tool_calls`."""
    return {"tool_calls": [members | ({} if function is None else {"function": function})]}


ROLE = chunk({"role": "assistant", "content": ""})
TEXT = chunk({"content": "hi"})
STOP = chunk({}, "stop")
CALLS = chunk({}, "tool_calls")
OPEN = chunk(call({"name": "f", "arguments": ""}, index=0, id="a", type="function"))
ARGUMENTS = chunk(call({"arguments": "{}"}, index=0))


def chat(*events: Json | bytes) -> bytes:
    """A stream of chunks that begins and ends well."""
    return sse(ROLE, *events, STOP, DONE)


def chat_call(*events: Json | bytes) -> bytes:
    return sse(ROLE, *events, CALLS, DONE)


CREATED: Json = {"type": "response.created", "response": {"id": "r", "model": "m", "status": "in_progress"}}
ITEM: Json = {"type": "message", "id": "m1", "role": "assistant", "content": []}
ADDED: Json = {"type": "response.output_item.added", "output_index": 0, "item": ITEM}
PLACE: Json = {"output_index": 0, "item_id": "m1", "content_index": 0}
DELTA: Json = {"type": "response.output_text.delta", **PLACE, "delta": "hi"}
TEXT_DONE: Json = {"type": "response.output_text.done", **PLACE, "text": "hi"}
FULL: Json = ITEM | {"content": [{"type": "output_text", "text": "hi"}]}
ITEM_DONE: Json = {"type": "response.output_item.done", "output_index": 0, "item": FULL}
COMPLETED: Json = {
    "type": "response.completed",
    "response": {"id": "r", "model": "m", "status": "completed", "output": [FULL]},
}
CLEAN = (CREATED, ADDED, DELTA, TEXT_DONE, ITEM_DONE, COMPLETED)


def responses(*events: Json | bytes) -> bytes:
    """Events with their numbers and names."""
    numbered = [
        event if isinstance(event, bytes) else {"sequence_number": number} | event
        for number, event in enumerate(events)
    ]
    return sse(*numbered, named=True)


def without(event: Json, *names: str) -> Json:
    return {name: value for name, value in event.items() if name not in names}


def changed(position: int, event: Json | bytes) -> bytes:
    """The clean stream with another event in one place."""
    return responses(*CLEAN[:position], event, *CLEAN[position + 1 :])


CLEAN_CHAT = chat(TEXT)
CLEAN_CALL = chat_call(OPEN, ARGUMENTS)
CLEAN_RESPONSES = responses(*CLEAN)

#: Code: a stream that has this oddity, the ordinals of the events that have it, and no other oddity but those
#: that come with it.
CASES: dict[str, tuple[bytes, list[int], set[str]]] = {
    "stream.byte_order_mark": (b"\xef\xbb\xbf" + CLEAN_CHAT, [], set()),
    "stream.crlf": (CLEAN_CHAT.replace(b"\n", b"\r\n"), [], set()),
    "stream.cr": (CLEAN_CHAT.replace(b"\n", b"\r"), [], set()),
    "stream.fault": (b"<html>", [0], {"done.missing"}),
    "line.ignored": (chat(TEXT, b"nonsense\n\n"), [2], set()),
    "event.unterminated": (
        responses(*CLEAN[:-1]) + responses(COMPLETED | {"sequence_number": 5})[:-2],
        [5],
        set(),
    ),
    "event.cut": (sse(ROLE, STOP, DONE) + b'data: {"cho', [2], set()),
    "event.invalid": (chat(b"data: [1]\n\n"), [1], set()),
    "event.duplicate_member": (chat(b'data: {"x":1,"x":2,' + sse(TEXT)[7:]), [1], set()),
    "event.after_end": (chat(TEXT) + sse(TEXT), [3], set()),
    "chunk.id_missing": (chat(without(TEXT, "id")), [1], set()),
    "chunk.id_changed": (chat(TEXT | {"id": "c2"}), [1], set()),
    "chunk.model_changed": (chat(TEXT | {"model": "other"}), [1], set()),
    "chunk.object_unknown": (chat(TEXT | {"object": "thing"}), [1], set()),
    "choices.missing": (chat(without(TEXT, "choices")), [1], set()),
    "choices.empty": (chat(TEXT | {"choices": []}), [1], set()),
    "choice.delta_missing": (chat(chunk(None)), [1], set()),
    "choice.message": (
        chat(TEXT | {"choices": [{"index": 0, "delta": {}, "message": {"content": "hi"}}]}),
        [1],
        set(),
    ),
    "role.missing": (sse(TEXT, STOP, DONE), [], set()),
    "role.repeated": (chat(chunk({"role": "assistant", "content": "a"})), [1], set()),
    "content.list": (chat(chunk({"content": [{"type": "text", "text": "hi"}]})), [1], set()),
    "content.after_finish": (sse(ROLE, STOP, TEXT, DONE), [2], set()),
    "content.think_tag": (chat(chunk({"content": "<think>"})), [], set()),
    "function_call.legacy": (
        chat_call(chunk({"function_call": {"name": "f", "arguments": "{}"}})),
        [1],
        {"call.id_missing"},
    ),
    "finish.missing": (sse(ROLE, TEXT, DONE), [], set()),
    "finish.repeated": (chat(TEXT, STOP), [3], set()),
    "finish.unknown": (sse(ROLE, chunk({}, "eos"), DONE), [1], set()),
    "finish.denies_calls": (chat(OPEN, ARGUMENTS), [], set()),
    "usage.beside_choices": (chat(TEXT | {"usage": {"prompt_tokens": 1}}), [1], set()),
    "usage.repeated": (
        chat(*[TEXT | {"choices": [], "usage": {"prompt_tokens": 1}}] * 2),
        [2],
        set(),
    ),
    "done.missing": (sse(ROLE, STOP), [], set()),
    "done.unexpected": (CLEAN_RESPONSES + DONE, [], set()),
    "call.index_missing": (
        chat_call(chunk(call({"name": "f", "arguments": "{}"}, id="a", type="function"))),
        [1],
        set(),
    ),
    "call.index_shared": (
        chat_call(
            OPEN,
            ARGUMENTS,
            chunk(call({"name": "g", "arguments": "{}"}, index=0, id="b", type="function")),
        ),
        [3],
        set(),
    ),
    "call.id_missing": (
        chat_call(chunk(call({"name": "f", "arguments": "{}"}, index=0, type="function"))),
        [],
        set(),
    ),
    "call.id_empty": (chat_call(OPEN, chunk(call({"arguments": "{}"}, index=0, id=""))), [2], set()),
    "call.id_repeated": (chat_call(OPEN, chunk(call({"arguments": "{}"}, index=0, id="a"))), [2], set()),
    "call.id_changed": (chat_call(OPEN, chunk(call({"arguments": "{}"}, index=0, id="b"))), [2], set()),
    "call.id_shared": (
        chat_call(OPEN, ARGUMENTS, chunk(call({"name": "f", "arguments": "{}"}, index=1, id="a"))),
        [],
        set(),
    ),
    "call.type_null": (chat_call(OPEN, chunk(call({"arguments": "{}"}, index=0, type=None))), [2], set()),
    "call.type_repeated": (
        chat_call(OPEN, chunk(call({"arguments": "{}"}, index=0, type="function"))),
        [2],
        set(),
    ),
    "call.name_missing": (
        chat_call(chunk(call({"arguments": "{}"}, index=0, id="a", type="function"))),
        [],
        set(),
    ),
    "call.name_empty": (
        chat_call(OPEN, chunk(call({"name": "", "arguments": "{}"}, index=0))),
        [2],
        set(),
    ),
    "call.name_repeated": (
        chat_call(OPEN, chunk(call({"name": "f", "arguments": "{}"}, index=0))),
        [2],
        set(),
    ),
    "call.name_changed": (
        chat_call(OPEN, chunk(call({"name": "ind", "arguments": "{}"}, index=0))),
        [2],
        set(),
    ),
    "call.arguments_null": (
        chat_call(OPEN, chunk(call({"arguments": None}, index=0)), ARGUMENTS),
        [2],
        set(),
    ),
    "call.arguments_not_text": (chat_call(OPEN, chunk(call({"arguments": {"a": 1}}, index=0))), [2], set()),
    "call.arguments_empty": (chat_call(OPEN), [], set()),
    "call.arguments_invalid": (chat_call(OPEN, chunk(call({"arguments": "{a"}, index=0))), [], set()),
    "event.name_missing": (
        changed(2, sse({"sequence_number": 2} | DELTA)),
        [2],
        set(),
    ),
    "event.name_differs": (changed(2, b"event: other\n" + sse({"sequence_number": 2} | DELTA)), [2], set()),
    "event.type_missing": (
        changed(
            2, b"event: response.output_text.delta\n" + sse({"sequence_number": 2} | without(DELTA, "type"))
        ),
        [2],
        set(),
    ),
    "sequence.missing": (changed(5, b"event: response.completed\n" + sse(COMPLETED)), [5], set()),
    "sequence.gap": (changed(5, COMPLETED | {"sequence_number": 7}), [5], set()),
    "created.missing": (changed(0, CREATED | {"type": "response.in_progress"}), [], set()),
    "item.index_missing": (changed(2, without(DELTA, "output_index")), [2], set()),
    "item.not_added": (responses(CREATED, DELTA, TEXT_DONE, ITEM_DONE, COMPLETED), [1], set()),
    "item.added_twice": (
        responses(CREATED, ADDED, ADDED, DELTA, TEXT_DONE, ITEM_DONE, COMPLETED),
        [2],
        {"item.not_done"},
    ),
    "item.id_changed": (changed(3, TEXT_DONE | {"item_id": "m2"}), [3], set()),
    "item.not_done": (responses(CREATED, ADDED, DELTA, TEXT_DONE, COMPLETED), [], set()),
    "snapshot.mismatch": (changed(3, TEXT_DONE | {"text": "ho"}), [3], set()),
    "snapshot.without_deltas": (responses(CREATED, ADDED, TEXT_DONE, ITEM_DONE, COMPLETED), [2], set()),
    "terminal.missing": (responses(*CLEAN[:-1]), [], set()),
    "terminal.output_empty": (
        changed(5, COMPLETED | {"response": {"id": "r", "status": "completed", "output": []}}),
        [5],
        set(),
    ),
}


def found(report: Report) -> dict[str, Oddity]:
    return {oddity.code: oddity for oddity in report.oddities}


@pytest.mark.parametrize("data", [CLEAN_CHAT, CLEAN_CALL, CLEAN_RESPONSES, stream()])
def test_a_clean_stream_has_no_oddities(data: bytes) -> None:
    report = inspect_stream(data)
    assert found(report) == {}
    assert (report.outcome, report.fault, report.is_guessed) == ("completed", None, True)


def test_what_we_write_ourselves_has_no_oddities() -> None:
    chat_stream = transcodec.translate_stream(stream(), source=SOURCE, target=TARGET).output
    assert found(inspect_stream(chat_stream)) == {}
    back = transcodec.translate_stream(chat_stream, source=TARGET, target=SOURCE).output
    assert found(inspect_stream(back)) == {}


def test_every_oddity_has_its_case() -> None:
    assert CASES.keys() == ODDITIES.keys()


@pytest.mark.parametrize("code", CASES)
def test_an_oddity_is_found_where_it_is(code: str) -> None:
    data, events, company = CASES[code]
    guessable = code != "stream.fault"
    oddities = found(inspect_stream(data, format=None if guessable else TARGET))
    assert oddities.keys() == {code} | company
    assert oddities[code].events == events
    assert oddities[code].count == 1


def test_the_page_lists_the_oddities() -> None:
    assert markdown_table() in PAGE


def test_what_is_in_a_stream() -> None:
    shown = inspect_stream(stream()).to_dict()
    [answer] = shown["answers"]
    text = "".join(make_demo_stream.TEXT)
    assert answer["text"] == {"characters": len(text), "begins": text[:60]}
    assert [(each["name"], each["arguments"]["validity"]) for each in answer["calls"]] == [
        ("get_weather", "object"),
        ("find_table", "object"),
    ]
    assert answer["calls"][1]["arguments"]["characters"] == len("".join(make_demo_stream.TABLE))
    assert (shown["format"], shown["model"], shown["outcome"]) == (SOURCE, "gpt-demo-2026-01-01", "completed")
    assert shown["usage"]["output_tokens"] == 143


def test_repetitions_are_counted_and_the_first_events_named() -> None:
    oddity = found(inspect_stream(chat(*[chunk({"role": "assistant", "content": "a"})] * 9)))["role.repeated"]
    assert (oddity.count, oddity.events) == (9, [1, 2, 3, 4, 5])


def test_choices_are_shown_apart_and_their_losses_told() -> None:
    second = TEXT | {"choices": [{"index": 1, "delta": {"role": "assistant", "content": "ho"}}]}
    last = STOP | {"choices": [{"index": 1, "delta": {}, "finish_reason": "length"}]}
    report = inspect_stream(chat(TEXT, second, last))
    assert [(answer.text, answer.finish) for answer in report.answers] == [("hi", "stop"), ("ho", "length")]
    assert [loss.code for loss in report.losses] == ["choices.dropped"]


def test_faults_and_errors_are_told() -> None:
    broken = inspect_stream(chat(b"data: {]\n\n"))
    assert broken.fault is not None
    assert (broken.outcome, broken.fault.code, broken.fault.path) == ("failed", "invalid_json", "/1")
    cut = inspect_stream(sse(ROLE, TEXT))
    assert (cut.outcome, cut.fault and cut.fault.code) == ("truncated", "stream_truncated")
    failed = inspect_stream(sse(ROLE, {"error": {"message": "out of luck"}}))
    assert (failed.outcome, failed.provider_error) == ("failed", {"message": "out of luck"})
    assert found(failed) == {}


@pytest.mark.parametrize("format", [SOURCE, TARGET])
def test_a_body_is_read_like_a_stream(format: str) -> None:
    translator = transcodec.StreamTranslator(SOURCE, TARGET, collect=True)
    translator.feed(stream())
    translator.finish()
    body, streamed = inspect_stream(translator.response(format)), inspect_stream(stream())
    assert body.is_body
    assert (body.format, body.outcome, found(body)) == (format, "completed", {})
    assert [each.to_dict() for each in body.answers[0].calls] == [
        each.to_dict() for each in streamed.answers[0].calls
    ]
    assert body.answers[0].text == streamed.answers[0].text
    assert found(inspect_stream(translator.response(format)[:-9], format=format)).keys() >= {"event.cut"}


@pytest.mark.parametrize("data", [b"", b"<html>", b'data: {"type":"message_start"}\n\n', DONE])
def test_a_format_that_cannot_be_guessed(data: bytes) -> None:
    with pytest.raises(UnknownFormat):
        inspect_stream(data)


def test_hostile_values_neither_break_the_report_nor_reach_the_terminal(tmp_path: Path) -> None:
    odd = TEXT | {"id": "\x1b[2J\ud800", "model": 7, "usage": {"n": "@"}, "created": {"a": [None, True]}}
    data = chat(odd).replace(b'"@"', b"1" * 5000) + sse(
        TEXT | {"choices": [1, {"delta": {"tool_calls": [2]}}]}
    )
    path = tmp_path / "odd.sse"
    path.write_bytes(data)
    plain, as_json = run(str(path)), run("--json", str(path))
    assert "\x1b" not in plain.output
    assert json.loads(as_json.output, parse_constant=pytest.fail)["id"] == "c1"


# --- the command --------------------------------------------------------------------------------


def run(*arguments: str, data: bytes | None = None) -> Any:
    return CliRunner().invoke(main, ["inspect", *arguments], input=data)


def test_the_command_shows_a_report() -> None:
    result = run(data=chat(OPEN, ARGUMENTS, chunk({"role": "assistant"})))
    text = click.unstyle(result.stdout)
    assert result.exit_code == 0
    assert text.startswith("openai_chat stream (guessed): ")
    assert "call 0      f  id a" in text
    assert 'arguments: object, 2 characters "{}"' in text
    assert re.search(r"role\.repeated +a role on a further delta \[event 3\]", text)
    assert "nothing lost toward openai_responses" in text


def test_the_command_gives_json() -> None:
    result = run("--json", "--format", SOURCE, data=stream())
    shown = json.loads(result.stdout)
    assert (shown["format"], shown["guessed"], shown["oddities"]) == (SOURCE, False, [])


@pytest.mark.parametrize(
    ("arguments", "data", "code"),
    [
        ([], CLEAN_CHAT, 0),
        ([], sse(ROLE), 1),
        (["--format", TARGET], b"<html>", 1),
        ([], b"<html>", 2),
        (["--format", "carrier_pigeon"], CLEAN_CHAT, 2),
    ],
)
def test_exit_codes(arguments: list[str], data: bytes, code: int) -> None:
    result = run(*arguments, data=data)
    assert result.exit_code == code
    assert "Traceback" not in result.output
