"""Vectors of characters: halves of surrogate pairs, line ends of Unicode, escapes."""

from __future__ import annotations

from stream_cases.texts import CITATION, nested, noted
from stream_cases.words import (
    CREATED,
    START,
    Case,
    added,
    argued,
    arguments,
    chunk,
    content,
    done,
    ended,
    finish,
    function,
    message,
    opened,
    sse,
    text,
    text_done,
    text_part,
)

ODD_HEAD = ("resp_1", 1700000000, "m\ufffd")


def delta_event(token: str) -> bytes:
    """A text delta whose JSON string token is given as it is spelt."""
    kind = "response.output_text.delta"
    return sse(
        kind, f'{{"type":"{kind}","item_id":"msg_0","output_index":0,"content_index":0,"delta":{token}}}'
    )


CASES = [
    Case(
        "surrogate_pair_split",
        "a pair split over two deltas of one part is one character, of text and of arguments",
        CREATED
        + delta_event('"a\\ud83d"')
        + added(1, function("fc_1", "call_1", "open"))
        + sse(
            "response.function_call_arguments.delta",
            '{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\\"p\\":\\"\\uD83D"}',
        )
        + sse(
            "response.function_call_arguments.delta",
            '{"type":"response.function_call_arguments.delta","output_index":1,"delta":"\\uDE00\\"}"}',
        )
        + delta_event('"\\ude00b"')
        + ended(),
        [
            START,
            content("a"),
            opened(0, "call_1", "open"),
            argued(0, '{"p":"'),
            argued(0, '\U0001f600"}'),
            content("\U0001f600b"),
            *finish("tool_calls"),
        ],
        [("block_order.lost", "metadata", "/5/delta")],
    ),
    Case(
        "surrogate_alone",
        "a half without its partner becomes U+FFFD, told once for the part",
        CREATED + delta_event('"a\\ud83d"') + delta_event('"b\\ude00c"') + ended(),
        [START, content("a"), content("\ufffdb\ufffdc"), *finish("stop")],
        [("unicode.replaced", "content", "/1/delta")],
    ),
    Case(
        "surrogate_at_the_end",
        "a half that waits is replaced when its item closes",
        CREATED + delta_event('"a\\ud83d"') + ended(),
        [START, content("a"), content("\ufffd"), *finish("stop")],
        [("unicode.replaced", "content", "/1/delta")],
    ),
    Case(
        "surrogate_beside_the_text",
        "halves in an annotation and in log probabilities are replaced and told, once for the part",
        CREATED
        + sse(
            "response.output_text.delta",
            '{"type":"response.output_text.delta","item_id":"msg_0","output_index":0,"delta":"a",'
            '"logprobs":[{"token":"\\ud83d","logprob":0}]}',
        )
        + sse(
            "response.output_text.annotation.added",
            '{"type":"response.output_text.annotation.added","item_id":"msg_0","output_index":0,"annotation":'
            '{"type":"url_citation","url":"\\ude00","title":"\\ud83d\\ude00","start_index":0,"end_index":1}}',
        )
        + ended(),
        [
            START,
            chunk(
                {"content": "a"}, logprobs={"content": [{"token": "\ufffd", "logprob": 0}], "refusal": None}
            ),
            chunk(
                {
                    "annotations": [
                        nested(
                            {"url": "\ufffd", "title": "\U0001f600", "start_index": 0, "end_index": 1},
                        )
                    ]
                }
            ),
            *finish("stop"),
        ],
        [("unicode.replaced", "content", "/1/delta")],
    ),
    Case(
        "surrogate_in_an_annotation",
        "likewise where only the annotation has one",
        CREATED
        + text(0, "a")
        + sse(
            "response.output_text.annotation.added",
            '{"type":"response.output_text.annotation.added","item_id":"msg_0","output_index":0,"annotation":'
            '{"type":"url_citation","url":"\\\\ud83d","title":"\\ud83d","start_index":0,"end_index":1}}',
        )
        + ended(),
        [
            START,
            content("a"),
            chunk(
                {
                    "annotations": [
                        nested({"url": "\\ud83d", "title": "\ufffd", "start_index": 0, "end_index": 1})
                    ]
                }
            ),
            *finish("stop"),
        ],
        [("unicode.replaced", "content", "/2/annotation")],
    ),
    Case(
        "surrogate_in_metadata",
        "halves in the head and in a call's name",
        sse(
            "response.created",
            '{"type":"response.created","response":{"id":"resp_1","model":"m\\ud83d","created_at":1700000000}}',
        )
        + sse(
            "response.output_item.added",
            '{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call",'
            '"call_id":"call_0","name":"\\ude00f","arguments":""}}',
        )
        + ended(),
        [
            chunk({"role": "assistant", "content": ""}, head=ODD_HEAD),
            chunk(
                {
                    "tool_calls": [
                        {
                            "index": 0,
                            "id": "call_0",
                            "type": "function",
                            "function": {"name": "\ufffdf", "arguments": ""},
                        }
                    ]
                },
                head=ODD_HEAD,
            ),
            chunk({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}, head=ODD_HEAD),
            chunk({}, "tool_calls", head=ODD_HEAD),
            "[DONE]",
        ],
        [
            ("unicode.replaced", "content", "/0/response"),
            ("unicode.replaced", "content", "/1/item"),
        ],
    ),
    Case(
        "surrogate_behind_a_closed_item",
        "text of a message that was closed is sent all the same, and so is its last half",
        CREATED + done(0, message("msg_0", text_part("a"))) + delta_event('"b\\ud83d"') + ended(),
        [START, content("a"), content("b"), content("\ufffd"), *finish("stop")],
        [("unicode.replaced", "content", "/2/delta")],
    ),
    Case(
        "surrogate_at_the_end_of_a_call",
        "likewise of a call, streamed and shown whole",
        CREATED
        + added(0, function("fc_0", "call_0", "find"))
        + sse(
            "response.function_call_arguments.delta",
            '{"type":"response.function_call_arguments.delta","output_index":0,"delta":"a\\ud83d"}',
        )
        + done(0, function("fc_0", "call_0", "find"))
        + sse(
            "response.output_item.done",
            '{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call",'
            '"call_id":"call_1","name":"open","arguments":"b\\ud83d"}}',
        )
        + ended(),
        [
            START,
            opened(0, "call_0", "find"),
            argued(0, "a"),
            argued(0, "\ufffd"),
            opened(1, "call_1", "open"),
            argued(1, "b"),
            argued(1, "\ufffd"),
            *finish("tool_calls"),
        ],
        [
            ("unicode.replaced", "content", "/2/delta"),
            ("unicode.replaced", "content", "/4/item/arguments"),
        ],
    ),
    Case(
        "surrogate_in_held_text",
        "halves that meet while they wait, and one that stays alone until its call closes",
        CREATED
        + arguments(0, "{")
        + sse(
            "response.function_call_arguments.delta",
            '{"type":"response.function_call_arguments.delta","output_index":0,"delta":"\\ud83d"}',
        )
        + sse(
            "response.function_call_arguments.delta",
            '{"type":"response.function_call_arguments.delta","output_index":0,"delta":"\\ude00x\\ud83d"}',
        )
        + done(0, {"type": "function_call", "name": "find"})
        + ended(),
        [
            START,
            opened(0, "fc_0", "find"),
            argued(0, "{\U0001f600x"),
            argued(0, "\ufffd"),
            *finish("tool_calls"),
        ],
        [("unicode.replaced", "content", "/4/item")],
    ),
    Case(
        "surrogate_pair_completed_by_snapshot",
        "the half was not sent, so the snapshot sends the whole character",
        CREATED + delta_event('"a\\ud83d"') + text_done(0, "a\U0001f600") + ended(),
        [START, content("a"), content("\U0001f600"), *finish("stop")],
    ),
    Case(
        "unicode_line_ends",
        "U+2028, U+2029 and U+0085 are no line ends on input and escapes on output",
        CREATED
        + delta_event('"a\u2028b\u2029c\u0085d\\u2028"')
        + noted({**CITATION, "title": "\u2028"})
        + ended(),
        [
            START,
            content("a\u2028b\u2029c\u0085d\u2028"),
            chunk({"annotations": [nested({**CITATION, "title": "\u2028"})]}),
            *finish("stop"),
        ],
    ),
    Case(
        "escapes_of_text",
        "every escape, and a character of each length",
        CREATED
        + delta_event('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u00e9é€\U0001f600\\ud83d\\ude00"')
        + ended(),
        [START, content('"\\/\b\f\n\r\t\x00éé€\U0001f600\U0001f600'), *finish("stop")],
    ),
]
