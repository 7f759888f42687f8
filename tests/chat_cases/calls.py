"""Vectors of tool calls: which call is meant, metadata once, arguments."""

from __future__ import annotations

from chat_cases.words import (
    START,
    Case,
    argued,
    called,
    called_freely,
    calls,
    chunk,
    closes,
    content,
    custom,
    cut_short,
    element,
    ended,
    finish,
    function,
    opens,
    said,
    wrote,
)

_F = function(0, "a", "f", '{"x":1}')
_G = function(1, "b", "g", '{"y":2}')
_PATH = "/0/choices/0/delta/tool_calls/0"
_DECLARES_SHELL = {"model": "m", "input": [], "tools": [{"type": "custom", "name": "shell"}]}
_BOTH = [
    *opens(0, "a", "f"),
    *argued(0, '{"x":1}'),
    *opens(1, "b", "g"),
    *argued(1, '{"y":2}'),
    *closes(0, "a", "f", '{"x":1}'),
    *closes(1, "b", "g", '{"y":2}'),
]


def wrapped(*pieces: str) -> bytes:
    """A call of a tool that the client declared as custom."""
    begun = calls(element(0, "a", "shell", ""))
    return begun + b"".join(calls(element(0, None, None, piece)) for piece in pieces) + finish("tool_calls")


CASES = [
    Case(
        "calls_in_parallel",
        "both calls stay open and close in order at the end; a stop becomes nothing worse",
        calls(element(0, "a", "f", '{"x":1}'))
        + calls(element(1, "b", "g", '{"y":2}'))
        + finish("tool_calls"),
        [*START, *_BOTH, *ended(_F, _G)],
    ),
    Case(
        "calls_interleaved",
        "each delta has the item and the output index of its call",
        calls(element(0, "a", "f", '{"x"'))
        + calls(element(1, "b", "g", '{"y"'))
        + calls(element(0, None, None, ":1}"))
        + calls(element(1, None, None, ":2}"))
        + finish("tool_calls"),
        [
            *START,
            *opens(0, "a", "f"),
            *argued(0, '{"x"'),
            *opens(1, "b", "g"),
            *argued(1, '{"y"'),
            *argued(0, ":1}"),
            *argued(1, ":2}"),
            *closes(0, "a", "f", '{"x":1}'),
            *closes(1, "b", "g", '{"y":2}'),
            *ended(_F, _G),
        ],
    ),
    Case(
        "calls_in_one_chunk",
        "every element is read, not only the first",
        calls(element(0, "a", "f", '{"x":1}'), element(1, "b", "g", '{"y":2}')) + finish("tool_calls"),
        [*START, *_BOTH, *ended(_F, _G)],
    ),
    Case(
        "second_call_waits_for_the_first",
        "calls open in order of first sight",
        calls(element(0, "a", "f", ""))
        + calls(element(1, "b", "g", '{"y":2}'))
        + calls(element(0, None, None, '{"x":1}'))
        + finish("tool_calls"),
        [
            *START,
            *opens(0, "a", "f"),
            *opens(1, "b", "g"),
            *argued(1, '{"y":2}'),
            *argued(0, '{"x":1}'),
            *closes(0, "a", "f", '{"x":1}'),
            *closes(1, "b", "g", '{"y":2}'),
            *ended(_F, _G),
        ],
    ),
    Case(
        "index_glued",
        "a name and another id on an index in use are another call",
        calls(element(0, "a", "f", '{"x":1}'))
        + calls(element(0, "b", "g", '{"y":2}'))
        + finish("tool_calls"),
        [*START, *_BOTH, *ended(_F, _G)],
    ),
    Case(
        "index_shared_and_ids_repeated",
        "where calls share an index, a known id says which is meant",
        calls(element(0, "a", "f", '{"x"'))
        + calls(element(0, "b", "g", '{"y"'))
        + calls(element(0, "a", None, ":1}"))
        + calls(element(0, "b", None, ":2}"))
        + finish("tool_calls"),
        [
            *START,
            *opens(0, "a", "f"),
            *argued(0, '{"x"'),
            *opens(1, "b", "g"),
            *argued(1, '{"y"'),
            *argued(0, ":1}"),
            *argued(1, ":2}"),
            *closes(0, "a", "f", '{"x":1}'),
            *closes(1, "b", "g", '{"y":2}'),
            *ended(_F, _G),
        ],
    ),
    Case(
        "id_unstable",
        "another id without a name is the same call; the first id stays",
        calls(element(0, "a", "f", '{"x"')) + calls(element(0, "zz", None, ":1}")) + finish("tool_calls"),
        [*START, *called(0, "a", "f", '{"x"', ":1}"), *ended(_F)],
    ),
    Case(
        "id_shared_by_two_indexes",
        "a name on a new index is another call, whatever its id; ids stay unique",
        calls(element(0, "a", "f", '{"x":1}'))
        + calls(element(1, "a", "g", '{"y":2}'))
        + finish("tool_calls"),
        [
            *START,
            *opens(0, "a", "f"),
            *argued(0, '{"x":1}'),
            *opens(1, "a_2", "g"),
            *argued(1, '{"y":2}'),
            *closes(0, "a", "f", '{"x":1}'),
            *closes(1, "a_2", "g", '{"y":2}'),
            *ended(_F, function(1, "a_2", "g", '{"y":2}')),
        ],
        losses=[("id.rewritten", "metadata", "/1/choices/0/delta/tool_calls/0")],
    ),
    Case(
        "index_absent",
        "without an index the id decides, without both the last call goes on",
        calls(element(None, "a", "f", '{"x"'))
        + calls(element(None, None, None, ":1}"))
        + calls(element(None, "b", "g", '{"y":2}'))
        + finish("tool_calls"),
        [
            *START,
            *opens(0, "a", "f"),
            *argued(0, '{"x"'),
            *argued(0, ":1}"),
            *opens(1, "b", "g"),
            *argued(1, '{"y":2}'),
            *closes(0, "a", "f", '{"x":1}'),
            *closes(1, "b", "g", '{"y":2}'),
            *ended(_F, _G),
        ],
    ),
    Case(
        "index_and_id_absent",
        "each name is a call of its own; ids are derived; equal calls stay two",
        calls(
            {"function": {"name": "f", "arguments": '{"x":1}'}},
            {"function": {"name": "f", "arguments": {"x": 1}}},
        )
        + finish("stop"),
        [
            *START,
            *called(0, "call_55bacc91d477ae76", "f", '{"x":1}'),
            *called(1, "call_55bacd91d477b029", "f", '{"x":1}'),
            *ended(
                function(0, "call_55bacc91d477ae76", "f", '{"x":1}'),
                function(1, "call_55bacd91d477b029", "f", '{"x":1}'),
            ),
        ],
    ),
    Case(
        "metadata_repeated",
        "id and name on every chunk are sent once",
        calls(element(0, "a", "f", ""))
        + calls(element(0, "a", "f", '{"x"'))
        + calls(element(0, "a", "f", ":1}"))
        + finish("tool_calls"),
        [*START, *called(0, "a", "f", '{"x"', ":1}"), *ended(_F)],
    ),
    Case(
        "metadata_null_or_empty",
        "null and empty strings are absent",
        calls({"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": None}})
        + calls({"index": 0, "id": "", "type": None, "function": {"name": "", "arguments": '{"x":1}'}})
        + finish("tool_calls"),
        [*START, *called(0, "a", "f", '{"x":1}'), *ended(_F)],
    ),
    Case(
        "name_in_pieces",
        "pieces are joined until text comes",
        calls(element(0, "a", "get_", ""))
        + calls(element(0, None, "weather"))
        + calls(element(0, None, None, '{"x":1}'))
        + finish("tool_calls"),
        [
            *START,
            *called(0, "a", "get_weather", '{"x":1}'),
            *ended(function(0, "a", "get_weather", '{"x":1}')),
        ],
    ),
    Case(
        "name_late",
        "text waits for the name and goes out as one piece",
        calls(element(0, "a", None, '{"x"'))
        + calls(element(0, None, None, ":"))
        + calls(element(0, None, "f", "1}"))
        + finish("tool_calls"),
        [*START, *called(0, "a", "f", '{"x":', "1}"), *ended(_F)],
    ),
    Case(
        "id_late",
        "text waits for the id",
        calls(element(0, None, "f", '{"x"')) + calls(element(0, "a", None, ":1}")) + finish("tool_calls"),
        [*START, *called(0, "a", "f", '{"x"', ":1}"), *ended(_F)],
    ),
    Case(
        "name_never_comes",
        "a call without a name is dropped, later ones move up",
        calls(element(0, "a", None, '{"x":1}'))
        + calls(element(1, "b", "g", '{"y":2}'))
        + finish("tool_calls"),
        [*START, *called(0, "b", "g", '{"y":2}'), *ended(function(0, "b", "g", '{"y":2}'))],
        losses=[("tool_call.nameless", "content", _PATH)],
    ),
    Case(
        "stub_without_name_and_text",
        "a blank element is noise",
        calls(element(0, "a", None, "")) + content("x") + finish(),
        [*START, *wrote(0, "x"), *ended(said(0, "x"))],
    ),
    Case(
        "no_arguments",
        "a call without arguments gets an empty object",
        calls(element(0, "a", "f")) + finish("tool_calls"),
        [*START, *called(0, "a", "f", "{}"), *ended(function(0, "a", "f", "{}"))],
    ),
    Case(
        "placeholder_before_arguments",
        "a leading {} gives way",
        calls(element(0, "a", "f", "{}")) + calls(element(0, None, None, '{"x":1}')) + finish("tool_calls"),
        [*START, *called(0, "a", "f", '{"x":1}'), *ended(_F)],
    ),
    Case(
        "calls_null_and_empty",
        "null and an empty list are nothing",
        chunk({"content": "x", "tool_calls": None})
        + chunk({"content": "y", "tool_calls": [], "function_call": None})
        + finish(),
        [*START, *wrote(0, "x", "y"), *ended(said(0, "xy"))],
    ),
    Case(
        "legacy_function_call",
        "one call without an id, which is derived",
        chunk({"function_call": {"name": "f", "arguments": ""}})
        + chunk({"function_call": {"arguments": '{"x":1}'}})
        + finish("function_call"),
        [
            *START,
            *called(0, "call_55bacc91d477ae76", "f", '{"x":1}'),
            *ended(function(0, "call_55bacc91d477ae76", "f", '{"x":1}')),
        ],
    ),
    Case(
        "legacy_stub",
        "a blank function_call is noise",
        chunk({"content": "x", "function_call": {"name": "", "arguments": ""}}) + finish(),
        [*START, *wrote(0, "x"), *ended(said(0, "x"))],
    ),
    Case(
        "text_then_call",
        "the message is done before the call opens; each has its own output index",
        chunk({"content": "x", "tool_calls": [element(0, "a", "f", '{"x":1}')]}) + finish("stop"),
        [
            *START,
            *wrote(0, "x"),
            *called(1, "a", "f", '{"x":1}'),
            *ended(said(0, "x"), function(1, "a", "f", '{"x":1}')),
        ],
    ),
    Case(
        "text_after_a_call",
        "text behind a call is a message of its own",
        calls(element(0, "a", "f", '{"x":1}')) + content("x") + finish("tool_calls"),
        [
            *START,
            *opens(0, "a", "f"),
            *argued(0, '{"x":1}'),
            *wrote(1, "x")[:-3],
            *closes(0, "a", "f", '{"x":1}'),
            *wrote(1, "x")[-3:],
            *ended(_F, said(1, "x")),
        ],
    ),
    Case(
        "call_cut_by_length",
        "cut arguments stay as they are; the item is incomplete",
        calls(element(0, "a", "f", '{"x"')) + finish("length"),
        [
            *START,
            *opens(0, "a", "f"),
            *argued(0, '{"x"'),
            *closes(0, "a", "f", '{"x"', status="incomplete"),
            *cut_short("max_output_tokens", function(0, "a", "f", '{"x"', "incomplete")),
        ],
        outcome="incomplete",
    ),
    Case(
        "call_signature",
        "opaque state of a call is told once",
        calls({**element(0, "a", "f", '{"x"'), "extra_content": {"google": {"thought_signature": "s"}}})
        + calls({**element(0, None, None, ":1}"), "extra_content": {"google": {"thought_signature": "s"}}})
        + finish("tool_calls"),
        [*START, *called(0, "a", "f", '{"x"', ":1}"), *ended(_F)],
        losses=[("opaque_state.dropped", "state", f"{_PATH}/extra_content/google/thought_signature")],
    ),
    Case(
        "custom_call",
        "free-form input stays free",
        calls({"index": 0, "id": "a", "type": "custom", "custom": {"name": "shell", "input": "ls"}})
        + calls({"index": 0, "custom": {"input": " -l"}})
        + finish("tool_calls"),
        [*START, *called_freely(0, "a", "shell", "ls", " -l"), *ended(custom(0, "a", "shell", "ls -l"))],
    ),
    Case(
        "custom_call_in_a_function",
        "the body is the object that is there, the text the member that is there",
        calls({"index": 0, "id": "a", "type": "custom", "function": {"name": "shell", "input": "ls"}})
        + calls({"index": 0, "type": "custom", "function": {"arguments": " -l"}})
        + finish("tool_calls"),
        [*START, *called_freely(0, "a", "shell", "ls", " -l"), *ended(custom(0, "a", "shell", "ls -l"))],
    ),
    Case(
        "custom_body_of_a_function",
        "a custom object makes a custom call, whatever the type and the member with the text",
        calls({"index": 0, "id": "a", "type": "function", "custom": {"name": "shell", "arguments": "ls"}})
        + finish("tool_calls"),
        [*START, *called_freely(0, "a", "shell", "ls"), *ended(custom(0, "a", "shell", "ls"))],
    ),
    Case(
        "function_with_input",
        "arguments under the other name; an empty one beside them says nothing",
        calls({"index": 0, "id": "a", "function": {"name": "f", "arguments": "", "input": '{"x":1}'}})
        + finish("tool_calls"),
        [*START, *called(0, "a", "f", '{"x":1}'), *ended(_F)],
    ),
    Case(
        "call_of_two_bodies",
        "the first that says something counts; a second text is told",
        calls(
            {
                "index": 0,
                "id": "a",
                "custom": {"input": "", "arguments": "ls"},
                "function": {"name": "shell", "arguments": "more"},
            }
        )
        + finish("tool_calls"),
        [*START, *called_freely(0, "a", "shell", "ls"), *ended(custom(0, "a", "shell", "ls"))],
        losses=[("delta.member_dropped", "metadata", f"{_PATH}/function/arguments")],
    ),
    Case(
        "call_of_an_unknown_type",
        "told as a call of the client's that is lost, once a type; nothing waits for it",
        calls({"index": 0, "id": "z", "type": "mcp", "mcp": {"name": "f", "arguments": "{}"}})
        + calls({"index": 0, "type": "mcp", "mcp": {"arguments": "{}"}})
        + calls(element(1, "a", "f", '{"x":1}'))
        + finish("tool_calls"),
        [*START, *called(0, "a", "f", '{"x":1}'), *ended(_F)],
        losses=[("client_tool.dropped", "content", _PATH)],
    ),
    Case(
        "call_with_members_nobody_knows",
        "each is told once a name, behind what the call says",
        calls(
            {
                **element(0, "a", "f", '{"x"'),
                "extra_content": {"y": 1},
                "z": 1,
                "empty": [],
                "function": {"name": "f", "arguments": '{"x"', "strict": True},
            }
        )
        + calls({**element(0, None, None, ":1}"), "z": 2})
        + chunk({"function_call": {"arguments": "", "more": 1}})
        + finish("tool_calls"),
        [*START, *called(0, "a", "f", '{"x"', ":1}"), *ended(_F)],
        losses=[
            ("delta.member_dropped", "metadata", f"{_PATH}/extra_content"),
            ("delta.member_dropped", "metadata", f"{_PATH}/z"),
            ("delta.member_dropped", "metadata", f"{_PATH}/function/strict"),
            ("delta.member_dropped", "metadata", "/2/choices/0/delta/function_call/more"),
        ],
    ),
    Case(
        "wrapped_input",
        "the wrapper of a declared custom tool is undone while it streams, escapes cut anywhere",
        wrapped('{"inp', 'ut": "a', "b\\", "n\\u00", 'e9"}'),
        [
            *START,
            *called_freely(0, "a", "shell", "a", "b", "\n", "é"),
            *ended(custom(0, "a", "shell", "ab\né")),
        ],
        request=_DECLARES_SHELL,
    ),
    Case(
        "wrapped_surrogates",
        "a pair is two escapes",
        wrapped('{"input":"\\ud83d\\ude00"}'),
        [
            *START,
            *called_freely(0, "a", "shell", "\U0001f600"),
            *ended(custom(0, "a", "shell", "\U0001f600")),
        ],
        request=_DECLARES_SHELL,
    ),
    Case(
        "wrapped_without_escapes",
        "a line feed as it is, which is no JSON, stands for itself",
        wrapped('{"input":"a\nb"}'),
        [*START, *called_freely(0, "a", "shell", "a\nb"), *ended(custom(0, "a", "shell", "a\nb"))],
        losses=[("arguments.not_wrapped", "metadata", _PATH)],
        request=_DECLARES_SHELL,
    ),
    Case(
        "wrapped_with_something_behind",
        "what stands behind the string is lost, and that is content",
        wrapped('{"input":"a"', ',"more":"b"}'),
        [*START, *called_freely(0, "a", "shell", "a"), *ended(custom(0, "a", "shell", "a"))],
        losses=[("arguments.cut", "content", _PATH)],
        request=_DECLARES_SHELL,
    ),
    Case(
        "wrapped_and_cut_in_an_escape",
        "likewise; a string that only does not end is no loss of content",
        wrapped('{"input":"a\\u00'),
        [*START, *called_freely(0, "a", "shell", "a"), *ended(custom(0, "a", "shell", "a"))],
        losses=[("arguments.cut", "content", _PATH)],
        request=_DECLARES_SHELL,
    ),
    Case(
        "wrapped_otherwise",
        "arguments of another shape go out as they are",
        wrapped('{"cmd"', ":1}"),
        [*START, *called_freely(0, "a", "shell", '{"cmd":1}'), *ended(custom(0, "a", "shell", '{"cmd":1}'))],
        losses=[("arguments.not_wrapped", "metadata", _PATH)],
        request=_DECLARES_SHELL,
    ),
    Case(
        "wrapped_nothing",
        "no arguments are an empty input",
        wrapped(),
        [*START, *called_freely(0, "a", "shell"), *ended(custom(0, "a", "shell", ""))],
        request=_DECLARES_SHELL,
    ),
]
