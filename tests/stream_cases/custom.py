"""Vectors of custom calls: free text, wrapped for clients that do not know it."""

from __future__ import annotations

from stream_cases.words import (
    CREATED,
    CUT,
    START,
    Case,
    Out,
    added,
    argued,
    chunk,
    custom,
    custom_input,
    cut,
    done,
    ended,
    event,
    finish,
    function,
    opened,
)

FIND = function("fc_0", "call_0", "find")
OPEN = function("fc_1", "call_1", "open")
FREE = custom("ct_0", "call_0", "shell")
DECLARES_SHELL = {
    "model": "m",
    "messages": [],
    "tools": [
        {"type": "custom", "custom": {"name": "shell"}},
        {"type": "function", "function": {"name": "find", "parameters": {}}},
    ],
}


def native_input(delta: str) -> Out:
    return chunk({"tool_calls": [{"index": 0, "custom": {"input": delta}}]})


NATIVE_OPENING = chunk(
    {"tool_calls": [{"index": 0, "id": "call_0", "type": "custom", "custom": {"name": "shell", "input": ""}}]}
)


CASES = [
    Case(
        "custom_call_wrapped",
        "free text streams as the JSON string of one member",
        CREATED
        + added(0, FREE)
        + custom_input(0, 'echo "')
        + custom_input(0, "a\n\\")
        + event("response.custom_tool_call_input.done", item_id="ct_0", output_index=0, input='echo "a\n\\')
        + done(0, custom("ct_0", "call_0", "shell", 'echo "a\n\\'))
        + ended([custom("ct_0", "call_0", "shell", 'echo "a\n\\')]),
        [
            START,
            opened(0, "call_0", "shell"),
            argued(0, '{"input":"echo \\"'),
            argued(0, "a\\n\\\\"),
            argued(0, '"}'),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "custom_call_without_text",
        "the wrapper goes out whole when the call closes",
        CREATED + added(0, FREE) + done(0, FREE) + ended([FREE]),
        [START, opened(0, "call_0", "shell"), argued(0, '{"input":""}'), *finish("tool_calls")],
    ),
    Case(
        "custom_text_has_no_placeholder",
        "{} is text like any other",
        CREATED + added(0, FREE) + custom_input(0, "{}") + custom_input(0, "{") + ended(),
        [
            START,
            opened(0, "call_0", "shell"),
            argued(0, '{"input":"{}'),
            argued(0, "{"),
            argued(0, '"}'),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "custom_call_native",
        "a client that declares the custom tool gets the custom form",
        CREATED
        + added(0, FREE)
        + custom_input(0, "ls ")
        + custom_input(0, '"a"')
        + ended([custom("ct_0", "call_0", "shell", 'ls "a"')]),
        [START, NATIVE_OPENING, native_input("ls "), native_input('"a"'), *finish("tool_calls")],
        request={**DECLARES_SHELL, "stream_options": {"include_usage": True}},
    ),
    Case(
        "custom_call_undeclared",
        "a client that declares other tools gets the wrapped form",
        CREATED + added(0, custom("ct_0", "call_0", "find")) + custom_input(0, "x") + ended(),
        [
            START,
            opened(0, "call_0", "find"),
            argued(0, '{"input":"x'),
            argued(0, '"}'),
            *finish("tool_calls"),
        ],
        request=DECLARES_SHELL,
    ),
    Case(
        "calls_close_in_order_of_first_sight",
        "calls open in that order, too: one that could open waits for those seen before it",
        CREATED
        + event("response.custom_tool_call_input.delta", item_id="ct_0", output_index=0, delta="a")
        + added(1, OPEN)
        + added(2, {"id": "fc_2", "type": "function_call", "name": "find", "arguments": ""})
        + added(0, FREE)
        + ended(),
        [
            START,
            opened(0, "call_0", "shell"),
            argued(0, '{"input":"a'),
            opened(1, "call_1", "open"),
            argued(0, '"}'),
            argued(1, "{}"),
            opened(2, "fc_2", "find"),
            argued(2, "{}"),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "cut_in_a_call",
        "nothing is closed or completed when the stream is cut",
        CREATED + added(0, FIND) + added(1, FREE) + custom_input(1, "a"),
        [START, opened(0, "call_0", "find"), opened(1, "call_0_2", "shell"), argued(1, '{"input":"a'), CUT],
        [("id.rewritten", "metadata", "/2/item")],
        outcome="truncated",
        error=cut(CREATED + added(0, FIND) + added(1, FREE) + custom_input(1, "a")),
    ),
]
