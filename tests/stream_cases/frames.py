"""Vectors of framing: line ends, fields, the last event, whole bodies."""

from __future__ import annotations

from stream_cases.words import (
    CREATED,
    CUT,
    KEPT_ALIVE,
    START,
    Case,
    Error,
    argued,
    broken,
    chunk,
    compact,
    content,
    cut,
    ended,
    failure,
    finish,
    function,
    message,
    opened,
    response,
    text,
    text_part,
)

HI = CREATED + text(0, "Hi")
WIRE = HI + ended()
GOOD = [START, content("Hi"), *finish("stop")]
LAST = ended().removesuffix(b"\n\n")
SPLIT_DATA = (
    b'data: {"type":\ndata:"response.output_text.delta",\ndata: \ndata:   "output_index":0,"delta"\n'
    b'id: 5\ndata: :"Hi"}  \nretry: 10\n\n'
)
BODY = compact(
    response(
        "completed",
        [message("msg_0", text_part("Hi")), function("fc_1", "call_1", "open", "{}", namespace="n")],
    )
).encode()
BODY_WRONG = b' {"object":"response","status":"completed","output":[{"type":"message","content":[5]}]}'
DATA_LESS = CREATED + b"event: x\n\nid: 1\n\ndata\n\ndata:\n\ndata:  \t\n\n" + text(0, "Hi") + b"data: "


def not_a_stream(name: str, pins: str, wire: bytes, offset: int) -> Case:
    return Case(
        name,
        pins,
        wire,
        [broken("not_a_stream", offset)],
        outcome="failed",
        error=Error("DecodeError", "not_a_stream", offset, ""),
    )


CASES = [
    Case("crlf", "lines that end with CR LF", WIRE.replace(b"\n", b"\r\n"), GOOD),
    Case("cr", "lines that end with CR", WIRE.replace(b"\n", b"\r"), GOOD),
    Case("byte_order_mark", "a mark at the start is dropped", b"\xef\xbb\xbf" + WIRE, GOOD),
    Case("no_space_behind_colon", "the space is optional", WIRE.replace(b": {", b":{"), GOOD),
    Case(
        "blank_lines_first", "blank lines say nothing", b"\n\r\n\r" + WIRE.replace(b"\n\n", b"\n\n\n\n"), GOOD
    ),
    Case("data_in_several_lines", "joined by LF, around other fields", CREATED + SPLIT_DATA + ended(), GOOD),
    Case(
        "type_of_the_event_line",
        "an event without type is named by its event line",
        CREATED
        + b'event: response.output_text.delta\ndata: {"delta":"Hi"}\n\n'
        + b'data: {"response":{"status":"completed"}}\nevent:response.completed\n\n',
        GOOD,
    ),
    Case(
        "data_less_blocks",
        "blocks without data and with an empty payload are dropped and not counted",
        DATA_LESS + b"5\n\n",
        [START, content("Hi"), broken("invalid_type", len(DATA_LESS))],
        outcome="failed",
        error=Error("DecodeError", "invalid_type", len(DATA_LESS), "/2"),
    ),
    Case(
        "lines_ignored",
        "a line that is no field is told once a stream",
        CREATED + b"hello\nworld: 1\n\n" + text(0, "Hi") + b"data : x\n\n" + ended(),
        GOOD,
        [("line.ignored", "metadata", "")],
    ),
    Case("last_event_without_blank_line", "it counts if it is whole JSON", HI + LAST, GOOD),
    Case("last_event_with_line_end", "likewise", HI + LAST + b"\n", GOOD),
    Case(
        "last_event_cut",
        "if it is not whole, the stream is cut",
        HI + LAST[:-1],
        [START, content("Hi"), CUT],
        outcome="truncated",
        error=cut(HI + LAST[:-1]),
    ),
    Case(
        "last_event_wrong",
        "a whole last event may be wrong, too",
        HI + b'data: {"type":5}',
        [START, content("Hi"), broken("invalid_type", len(HI) + 14)],
        outcome="failed",
        error=Error("DecodeError", "invalid_type", len(HI) + 14, "/2/type"),
    ),
    Case(
        "last_comment_cut",
        "a comment counts when its line is complete",
        HI + b": one\n: two",
        [START, content("Hi"), KEPT_ALIVE, CUT],
        outcome="truncated",
        error=cut(HI + b": one\n: two"),
    ),
    Case(
        "body",
        "one JSON response is the whole answer; paths have no ordinal",
        b" \n" + BODY + b"\n \n",
        [START, content("Hi"), opened(0, "call_1", "open"), argued(0, "{}"), *finish("tool_calls")],
        [("item.member_dropped", "metadata", "/output/1/namespace")],
        is_body=True,
    ),
    Case(
        "body_incomplete",
        "the word of a body is its status",
        compact(response("incomplete", [message("msg_0", text_part("Hi"))])).encode(),
        [START, content("Hi"), *finish("length")],
        outcome="incomplete",
        is_body=True,
    ),
    Case(
        "body_error",
        "an error body becomes the error event",
        b'\xef\xbb\xbf{\n  "error": {\n    "message": "m", "type": "t", "code": null, "param": "p"\n  }\n}\n',
        [failure("m", "t", None, "p")],
        outcome="failed",
        is_body=True,
    ),
    Case(
        "body_is_one_event",
        "any other body is taken as one event",
        compact({"type": "response.completed", "response": response("completed")}).encode(),
        [START, *finish("stop")],
        is_body=True,
    ),
    Case(
        "body_is_something_else",
        "and if that ends nothing, the stream is cut",
        b'{"hello":"world"}',
        [CUT],
        [("event.unknown", "metadata", "")],
        outcome="truncated",
        error=cut(b'{"hello":"world"}'),
        is_body=True,
    ),
    Case(
        "body_cut",
        "a body without its closing brace",
        BODY[:-1],
        [CUT],
        outcome="truncated",
        error=cut(BODY[:-1]),
        is_body=True,
    ),
    Case(
        "body_with_something_behind",
        "the answer has ended, so what follows is nobody's concern",
        BODY + b"\n{}",
        [START, content("Hi"), opened(0, "call_1", "open"), argued(0, "{}"), *finish("tool_calls")],
        [("item.member_dropped", "metadata", "/output/1/namespace")],
        is_body=True,
    ),
    Case(
        "body_without_end_and_something_behind",
        "a body that ends nothing, then a second one",
        b'{"hello":"world"}\n{}',
        [broken("invalid_json", 18)],
        [("event.unknown", "metadata", "")],
        outcome="failed",
        error=Error("DecodeError", "invalid_json", 18, ""),
        is_body=True,
    ),
    Case(
        "something_behind_the_end",
        "what is wrong with the bytes there is nobody's concern, nor is what follows them",
        HI + ended() + b"junk\n\n" + b"data: " + b"x" * 1000 + b"\n\n" + text(0, "more"),
        GOOD,
        options={"max_event_bytes": 500},
    ),
    Case(
        "body_wrong",
        "offset and path of a fault in a body",
        BODY_WRONG,
        [broken("invalid_type", BODY_WRONG.index(b"5"))],
        outcome="failed",
        error=Error("DecodeError", "invalid_type", BODY_WRONG.index(b"5"), "/output/0/content/0"),
        is_body=True,
    ),
    Case(
        "body_syntax",
        "likewise of one that is no JSON",
        b'{"object":"response",}',
        [broken("invalid_json", 21)],
        outcome="failed",
        error=Error("DecodeError", "invalid_json", 21, ""),
        is_body=True,
    ),
    not_a_stream("html", "a page is no stream", b"<html><body>502 Bad Gateway</body></html>", 0),
    not_a_stream("plain_text", "the first byte that fits no field", b"data is late", 4),
    not_a_stream("field_cut_by_line_end", "half a field name", b"\n\nretr\n\ndata: {}\n\n", 6),
    not_a_stream("white_space_first", "white space may stand before a body only", b"\n  \n<html>", 4),
    not_a_stream("indented_field", "likewise", b"  data: {}\n\n", 2),
    not_a_stream("json_array", "an array is no answer", b"[{}]", 0),
    Case(
        "chunk_head_once",
        "id, model and time come from the first event that has them",
        CREATED + ended(model="other", id="resp_2", created_at=1),
        [START, *finish("stop")],
    ),
    Case(
        "seeded_id",
        "without an id of the source, the seed is hashed",
        ended(id=None, model=None, created_at=None),
        [
            chunk({"role": "assistant", "content": ""}, head=("chatcmpl-af63dc4c8601ec8c", 0, "unknown")),
            chunk({}, "stop", head=("chatcmpl-af63dc4c8601ec8c", 0, "unknown")),
            "[DONE]",
        ],
        options={"id_seed": "a"},
    ),
]
