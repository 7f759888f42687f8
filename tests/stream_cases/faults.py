"""Vectors of broken input: every error code, its offset and path."""

from __future__ import annotations

from stream_cases.words import (
    CREATED,
    START,
    Case,
    Error,
    Json,
    Out,
    added,
    argued,
    arguments,
    broken,
    content,
    custom,
    done,
    ended,
    finish,
    function,
    message,
    opened,
    text,
    text_part,
)

HI = CREATED + text(0, "Hi")
EIGHT = b"".join(text(0, str(number)) for number in range(8))


def fault(  # noqa: PLR0917 - one row of a table
    name: str, pins: str, event_text: bytes, code: str, at: int, path: str = "/2"
) -> Case:
    """A fault in an event behind two good ones; `at` is counted from its `data: `."""
    offset = len(HI) + at
    return Case(
        name,
        pins,
        HI + event_text,
        [START, content("Hi"), broken(code, offset)],
        outcome="failed",
        error=Error("DecodeError", code, offset, path),
    )


def json_fault(  # noqa: PLR0917 - likewise
    name: str, pins: str, json_text: bytes, code: str, at: int, path: str = "/2"
) -> Case:
    """A fault in the JSON of an event; `at` is counted in the JSON."""
    return fault(name, pins, b"data: " + json_text + b"\n\n", code, at + len("data: "), path)


def limit(  # noqa: PLR0917 - likewise
    name: str, pins: str, good: bytes, out: list[Out], bad: bytes, number: int, code: str, options: Json
) -> Case:
    """A limit that the event `bad`, the one with this number, passes."""
    offset = len(good) + bad.index(b"{")
    return Case(
        name,
        pins,
        good + bad + ended(),
        [*out, broken(code, offset)],
        outcome="failed",
        options=options,
        error=Error("DecodeError", code, offset, f"/{number}"),
    )


def delta(members: str) -> bytes:
    return f'{{"type":"response.output_text.delta",{members}}}'.encode()


_FRAMED = b"event: x\ndata: " + b"x" * 300

CASES = [
    Case(
        "tenth_event_broken",
        "the nine events before it are handed over",
        CREATED + EIGHT + b'data: {"type":"response.output_text.delta","delta":"8"\n\n' + text(0, "9"),
        [
            START,
            *(content(str(number)) for number in range(8)),
            broken("invalid_json", len(CREATED + EIGHT) + 54),
        ],
        outcome="failed",
        error=Error("DecodeError", "invalid_json", len(CREATED + EIGHT) + 54, "/9"),
    ),
    json_fault("json_literal", "a letter that no literal has there", b'{"a":tru}', "invalid_json", 8),
    json_fault("json_number", "a digit behind a leading zero", b'{"a":01}', "invalid_json", 6),
    json_fault("json_number_cut", "a number without its fraction", b'{"a":1.}', "invalid_json", 7),
    json_fault("json_escape", "an escape that JSON does not have", b'{"a":"\\x"}', "invalid_json", 7),
    json_fault("json_control", "a raw control character", b'{"a":"b\tc"}', "invalid_json", 7),
    json_fault("json_comma", "a comma before the brace", b'{"a":1,}', "invalid_json", 7),
    json_fault("json_cut_in_string", "the line end that ended the payload", b'{"a":"b', "invalid_json", 7),
    json_fault(
        "json_cut_behind_value", "likewise, without the white space behind it", b'{"a":1', "invalid_json", 6
    ),
    json_fault("json_trailing", "a second value", b'{"a":1} {}', "invalid_json", 8),
    json_fault("json_outside_ascii", "no white space but U+00A0", b'{"a":\xc2\xa01}', "invalid_json", 5),
    fault(
        "json_in_second_line",
        "offsets in data of several lines",
        b'data: {"a":1,\r\ndata:"b" 2}\r\n\r\n',
        "invalid_json",
        24,
    ),
    fault(
        "json_line_end_in_string",
        "the joining LF stands at the line end",
        b'data: {"a":"b\r\ndata: c"}\r\n\r\n',
        "invalid_json",
        13,
    ),
    json_fault("utf8_sequence", "E2 28: the byte that cannot follow", b'{"a":"\xe2\x28"}', "invalid_utf8", 7),
    json_fault("utf8_start", "a byte that begins nothing", b'{"a":"\xff"}', "invalid_utf8", 6),
    json_fault("utf8_surrogate", "an encoded surrogate", b'{"a":"\xed\xa0\x80"}', "invalid_utf8", 7),
    json_fault("utf8_overlong", "an overlong sequence", b'{"a":"\xe0\x80\x80"}', "invalid_utf8", 7),
    json_fault("utf8_cut", "a sequence that the line end cuts", b'{"a":"\xe2\x82', "invalid_utf8", 8),
    json_fault(
        "smaller_offset_first", "of two faults the first counts", b'{"a":"\x01\xff"}', "invalid_json", 6
    ),
    json_fault(
        "syntax_before_members",
        "the whole event is validated before any member is judged",
        b'{"type":5,"a":}',
        "invalid_json",
        14,
    ),
    json_fault(
        "nesting",
        "the 129th open bracket",
        b'{"a":' + b"[" * 128 + b"]" * 128 + b"}",
        "nesting_too_deep",
        132,
    ),
    json_fault(
        "duplicate_type",
        "a needed member twice",
        b'{"type":"ping","type":"ping"}',
        "duplicate_key",
        15,
        "/2/type",
    ),
    json_fault(
        "duplicate_delta",
        "whatever the values are",
        delta('"delta":"a","delta":null'),
        "duplicate_key",
        len(delta('"delta":"a",')) - 1,
        "/2/delta",
    ),
    json_fault(
        "type_is_number", "a needed member of another type", b'{"type":5}', "invalid_type", 8, "/2/type"
    ),
    json_fault(
        "delta_is_number",
        "likewise",
        delta('"delta":5'),
        "invalid_type",
        len(delta('"delta":')) - 1,
        "/2/delta",
    ),
    json_fault(
        "index_is_string",
        "an index is a number",
        delta('"output_index":"0","delta":"a"'),
        "invalid_type",
        len(delta('"output_index":')) - 1,
        "/2/output_index",
    ),
    json_fault(
        "index_is_fraction",
        "spelt with digits only",
        delta('"content_index":1.0,"delta":"a"'),
        "invalid_type",
        len(delta('"content_index":')) - 1,
        "/2/content_index",
    ),
    json_fault(
        "index_too_large",
        "of 64 bits",
        delta('"output_index":18446744073709551616,"delta":"a"'),
        "invalid_type",
        len(delta('"output_index":')) - 1,
        "/2/output_index",
    ),
    json_fault("event_is_array", "an event that is no object", b" [1]", "invalid_type", 1),
    json_fault(
        "item_without_type",
        "an item's type is needed",
        b'{"type":"response.output_item.added","item":{"id":"x"}}',
        "invalid_type",
        44,
        "/2/item/type",
    ),
    json_fault(
        "arguments_are_object",
        "arguments are text, path to the member",
        b'{"type":"response.completed","response":{"output":[{"type":"function_call","arguments":{}}]}}',
        "invalid_type",
        87,
        "/2/response/output/0/arguments",
    ),
    Case(
        "unneeded_members_are_not_judged",
        "types and duplicates of members that nobody reads",
        CREATED
        + b'data: {"type":"response.output_text.delta","delta":"Hi","sequence_number":"x","summary_index":[],'
        + b'"x":1,"x":2,"content_index":null}\n\n'
        + ended(),
        [START, content("Hi"), *finish("stop")],
    ),
    Case(
        "null_is_absent",
        "null members say nothing",
        CREATED
        + b'data: {"type":"response.output_item.added","output_index":null,"item":null}\n\n'
        + b'data: {"type":"response.output_text.delta","delta":null,"logprobs":null}\n\n'
        + b'data: {"type":"response.completed","response":{"output":null,'
        + b'"usage":null,"status":null,"error":null}}\n\n',
        [START, *finish("stop")],
    ),
    Case(
        "huge_index",
        "an index is a name, not a size",
        CREATED
        + b'data: {"type":"response.output_text.delta","output_index":18446744073709551615,'
        + b'"content_index":18446744073709551615,"delta":"Hi"}\n\n'
        + ended(),
        [START, content("Hi"), *finish("stop")],
    ),
    Case(
        "event_at_the_limit",
        "an event of exactly max_event_bytes",
        HI + ended(),
        [START, content("Hi"), *finish("stop")],
        options={"max_event_bytes": max(map(len, (CREATED, text(0, "Hi"), ended()))) - 1},
    ),
    Case(
        "event_too_large",
        "all lines of the block count",
        HI + _FRAMED,
        [START, content("Hi"), broken("event_too_large", len(HI) + 250)],
        outcome="failed",
        options={"max_event_bytes": 250},
        error=Error("DecodeError", "event_too_large", len(HI) + 250, ""),
    ),
    Case(
        "body_too_large",
        "a body likewise",
        b" " + b'{"a":"' + b"x" * 100,
        [broken("event_too_large", 51)],
        outcome="failed",
        options={"max_event_bytes": 50},
        error=Error("DecodeError", "event_too_large", 51, ""),
        is_body=True,
    ),
    limit(
        "too_many_open_calls",
        "two calls may be open; a closed one does not count",
        CREATED
        + done(0, function("fc_0", "call_0", "find", "{}"))
        + added(1, function("fc_1", "call_1", "open"))
        + added(2, function("fc_2", "call_2", "open")),
        [
            START,
            opened(0, "call_0", "find"),
            argued(0, "{}"),
            opened(1, "call_1", "open"),
            opened(2, "call_2", "open"),
        ],
        added(3, custom("ct_3", "call_3", "shell")),
        4,
        "too_many_open_calls",
        {"max_open_calls": 2},
    ),
    limit(
        "too_many_blocks",
        "two messages with a part each; what the event wrote is taken back",
        CREATED + done(0, message("msg_0", text_part("a"))) + done(1, message("msg_1", text_part("b"))),
        [START, content("a"), content("b")],
        done(1, message("msg_1", text_part("b more"), text_part("c"))),
        3,
        "too_many_blocks",
        {"max_blocks": 4},
    ),
    limit(
        "too_many_halves",
        "a part that has no more than half a surrogate pair counts",
        CREATED + text(0, "a"),
        [START, content("a")],
        text(0, "HIGH", part=1).replace(b"HIGH", b"\\ud83d"),
        2,
        "too_many_blocks",
        {"max_blocks": 2},
    ),
    limit(
        "item_id_too_long",
        "an id has 4 KiB at most",
        CREATED,
        [START],
        done(0, message("m" * 4097)),
        1,
        "held_too_large",
        {},
    ),
    limit(
        "held_too_large",
        "text that waits for a name, over all calls",
        CREATED + arguments(0, "x" * 40) + arguments(1, "y" * 40),
        [START],
        arguments(0, "z" * 30),
        3,
        "held_too_large",
        {"max_held_bytes": 100},
    ),
]
