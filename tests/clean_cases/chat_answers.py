"""Chat in, Chat out: what the whole answer says, and streams made of whole bodies."""

from __future__ import annotations

from typing import Any, Final

from clean_cases.chat import COUNTS, OBJECT, ROLE, TEXT, arguments, call, chunk, delta, finish, opening, usage
from clean_cases.words import DONE, Case, compact

Json = dict[str, Any]

USAGE: Final = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


def body(message: Json, reason: str = "stop", *, choice: Json | None = None, **members: Any) -> Json:
    """A whole answer with one choice."""
    full = {"role": "assistant", "content": None, "refusal": None, **message}
    only = {"index": 0, "message": full, "finish_reason": reason, **(choice or {})}
    return {"id": "c1", "object": "chat.completion", "created": 5, "model": "m", "choices": [only], **members}


def said(**members: Any) -> str:
    """A chunk with these members in its delta."""
    return delta(compact(members)[1:-1])


def text_of(text: str, index: int = 0) -> Json:
    return {"type": "reasoning.text", "text": text, "format": "f-v1", "index": index}


SEALED: Final = {"type": "reasoning.encrypted", "data": "D", "id": "rs_1", "format": "f-v1", "index": 0}
UNNUMBERED: Final = [{"type": "t", "v": number} for number in range(4)]

CASES: Final = [
    Case(
        "answer_of_pieces",
        "unknown members of deltas are pieces: texts are joined, words stay words, of all else the last "
        "counts; elements of one index, type and id are one",
        streamed := [
            ROLE,
            said(
                reasoning="a", reasoning_details=[text_of("a")], reasoning_opaque="o", channel="x", number=1
            ),
            said(reasoning="b", reasoning_details=[text_of("b"), SEALED], channel="x", number=2, flag=None),
            said(content="x", reasoning_opaque="p", channel="y", fields={"k": "u", "n": [1]}),
            said(content="y", reasoning_details=[], fields={"k": "v", "n": [2], "m": True}),
            finish(),
            DONE,
        ],
        streamed,
        response=body(
            {
                "content": "xy",
                "reasoning": "ab",
                "reasoning_details": [text_of("ab"), SEALED],
                "reasoning_opaque": "op",
                "channel": "y",
                "number": 2,
                "flag": None,
                "fields": {"k": "uv", "n": [1, 2], "m": True},
            }
        ),
    ),
    Case(
        "answer_of_last_words",
        "of unknown members of chunks, choices and counts the one shown last counts, a null only where "
        "nothing was shown",
        streamed := [
            chunk(
                '"delta":{"role":"assistant"},"finish_reason":null,"w":null', ',"citations":["a"],"tier":null'
            ),
            chunk(
                '"delta":{"content":"x"},"finish_reason":null,"w":1',
                ',"citations":["a","b"],"obfuscation":"z"',
            ),
            finish("stop", ',"w":null'),
            usage(f'{COUNTS},"cost":0.50,"prompt_tokens_details":{{"audio_tokens":0}}'),
            DONE,
        ],
        streamed,
        response=body(
            {"content": "x"},
            choice={"w": 1},
            usage={**USAGE, "cost": 0.5, "prompt_tokens_details": {"audio_tokens": 0}},
            citations=["a", "b"],
            tier=None,
        ),
    ),
    Case(
        "answer_with_calls",
        "what is unknown in a call and in its function stands in the call of the body",
        streamed := [
            ROLE,
            call(f'{opening(0, "a", "f")},"extra_content":{{"google":{{"thought_signature":"S"}}}}'),
            call(f'"index":0,"function":{{"arguments":"{OBJECT}","z":1}}'),
            call(f'{opening(1, "b", "g")},"y":2'),
            call(arguments(1, OBJECT)),
            finish("tool_calls"),
            DONE,
        ],
        streamed,
        response=body(
            {
                "tool_calls": [
                    {
                        "id": "a",
                        "type": "function",
                        "function": {"name": "f", "arguments": '{"n":1}', "z": 1},
                        "extra_content": {"google": {"thought_signature": "S"}},
                    },
                    {
                        "id": "b",
                        "type": "function",
                        "function": {"name": "g", "arguments": '{"n":1}'},
                        "y": 2,
                    },
                ]
            },
            "tool_calls",
        ),
    ),
    Case(
        "elements_are_numbered",
        "elements without an index get one from the second list on: the official client refuses them",
        [
            ROLE,
            said(z=UNNUMBERED[:2]),
            said(content="x", z=[*UNNUMBERED[2:], {"index": 7}, {}]),
            finish(),
            DONE,
        ],
        [
            ROLE,
            said(z=UNNUMBERED[:2]),
            said(
                content="x",
                z=[{**UNNUMBERED[2], "index": 2}, {**UNNUMBERED[3], "index": 3}, {"index": 7}, {"index": 8}],
            ),
            finish(),
            DONE,
        ],
        response=body(
            {
                "content": "x",
                "z": [
                    *UNNUMBERED[:2],
                    {**UNNUMBERED[2], "index": 2},
                    {**UNNUMBERED[3], "index": 3},
                    {"index": 7},
                    {"index": 8},
                ],
            }
        ),
    ),
    Case(
        "whole_body",
        "a whole body is written anew; what is unknown in it goes with the chunk that opens the choice",
        b'{"id":"c1","created":5,"model":"m","s":"t","choices":[{"message":{"content":"x","z":1},"y":2,'
        b'"finish_reason":"stop"}]}',
        [
            chunk('"delta":{"role":"assistant","z":1},"finish_reason":null,"y":2', ',"s":"t"'),
            TEXT,
            finish(),
            DONE,
        ],
        response=body({"content": "x", "z": 1}, choice={"y": 2}, s="t"),
    ),
    Case(
        "whole_body_with_calls",
        "what is unknown in calls and counts goes with the chunks that bring them; reasoning keeps its name",
        compact(
            whole := body(
                {
                    "reasoning": "r",
                    "reasoning_details": [SEALED],
                    "tool_calls": [
                        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}, "y": 2}
                    ],
                },
                "tool_calls",
                usage={**USAGE, "cost": 4},
            )
        ).encode(),
        [
            said(role="assistant", reasoning_details=[SEALED]),
            said(reasoning="r"),
            call(f'{opening(0, "a", "f")},"y":2'),
            call(arguments(0, "{}")),
            finish("tool_calls"),
            usage(f'{COUNTS},"cost":4'),
            DONE,
        ],
        response=whole,
    ),
    Case(
        "verbatim_answer",
        "the body of a stream that is passed on has what its chunks say, too",
        [ROLE, said(reasoning="a", reasoning_details=[SEALED]), said(content="x"), finish(), DONE],
        [],
        options={"same_format": "verbatim"},
        response=body({"content": "x", "reasoning": "a", "reasoning_details": [SEALED]}),
    ),
]
