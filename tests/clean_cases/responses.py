"""Responses in, Responses out."""

from __future__ import annotations

from typing import Any, Final

from clean_cases.words import TRUNCATED, Case, Fault, compact

RESPONSE: Final = {
    "id": "resp_1",
    "object": "response",
    "created_at": 5,
    "status": "in_progress",
    "error": None,
    "incomplete_details": None,
    "model": "m",
    "output": [],
    "usage": None,
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}
#: The response object of a source that never shows one.
UNKNOWN: Final = RESPONSE | {
    "id": "resp_cbf29ce484222325",
    "created_at": 0,
    "model": "unknown",
    "instructions": None,
    "metadata": {},
    "temperature": None,
    "top_p": None,
}
USAGE: Final = {
    "input_tokens": 1,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "output_tokens": 2,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 3,
}
PART: Final = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
BARE: Final = {"type": "output_text", "text": "x", "annotations": []}
MESSAGE: Final = {
    "id": "msg_1",
    "type": "message",
    "status": "in_progress",
    "role": "assistant",
    "content": [],
}
CALL: Final = {
    "id": "fc_1",
    "type": "function_call",
    "status": "in_progress",
    "call_id": "c",
    "name": "f",
    "arguments": "",
}
SEARCH: Final = {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"q": [1, None]}}
AT: Final = {"item_id": "msg_1", "output_index": 0, "content_index": 0}


def event(kind: str, number: int | None, **members: Any) -> str:
    """An event; `number` is its place, None leaves it out."""
    count = {} if number is None else {"sequence_number": number}
    name = kind if kind in ("error", "vendor.limits") else f"response.{kind}"
    return compact({"type": name, **count, **members})


def created(number: int | None = 0, **members: Any) -> str:
    return event("created", number, response=RESPONSE | members)


def ended(number: int | None, output: list[Any], kind: str = "completed", **members: Any) -> str:
    response = RESPONSE | {"status": kind, "output": output, **members}
    return event(kind, number, response=response)


def message(text: str, **members: Any) -> dict[str, Any]:
    return MESSAGE | {"status": "completed", "content": [PART | {"text": text}]} | members


def bare_message(text: str, **members: Any) -> dict[str, Any]:
    """One whose part the source never showed: it has no log probabilities."""
    return message(text, content=[BARE | {"text": text}], **members)


def text_events(
    first: int, text: str, *, at: dict[str, Any], item: dict[str, Any], part: dict[str, Any]
) -> list[str]:
    """All events of an item that is a message with one text, sent in one delta."""
    opened = {**item, "status": "in_progress", "content": []}
    return [
        event("output_item.added", first, output_index=at["output_index"], item=opened),
        event("content_part.added", first + 1, **at, part=part | {"text": ""}),
        event("output_text.delta", first + 2, **at, delta=text, logprobs=[]),
        *closing(first + 3, text, at=at, item=item, part=part),
    ]


def closing(
    first: int, text: str, *, at: dict[str, Any], item: dict[str, Any], part: dict[str, Any]
) -> list[str]:
    return [
        event("output_text.done", first, **at, text=text, logprobs=[]),
        event("content_part.done", first + 1, **at, part=part | {"text": text}),
        event("output_item.done", first + 2, output_index=at["output_index"], item=item),
    ]


WHOLE: Final = [
    created(),
    event("in_progress", 1, response=RESPONSE),
    *text_events(2, "x", at=AT, item=message("x"), part=PART),
    ended(8, [message("x")], usage=USAGE),
]
MADE: Final = text_events(1, "x", at=AT, item=bare_message("x"), part=BARE)
DELTA: Final = event("output_text.delta", None, **AT, delta="x")
ERROR: Final = {"code": "stream_truncated", "message": TRUNCATED}
AUDIO: Final = {"type": "output_audio", "data": "AA=="}
CALLED: Final = CALL | {"status": "completed", "arguments": "[1]"}
CALL_AT: Final = {"item_id": "fc_1", "output_index": 0}
CALLING: Final = [
    created(),
    event("output_item.added", 1, output_index=0, item=CALL),
    event("function_call_arguments.delta", 2, **CALL_AT, delta="[1]"),
    event("function_call_arguments.done", 3, **CALL_AT, arguments="[1]"),
    event("output_item.done", 4, output_index=0, item=CALLED),
    ended(5, [CALLED]),
]
UNNUMBERED: Final = [line.replace(f'"sequence_number":{at},', "") for at, line in enumerate(WHOLE)]

CASES: Final = [
    Case("unchanged", "a stream of the format's own form comes out byte for byte", WHOLE, WHOLE),
    Case(
        "unchanged_with_unknown_members",
        "unknown members at every level do not make an event another one",
        [line[:-1] + ',"z":{"y": [1.50]}}' for line in WHOLE],
        [line[:-1] + ',"z":{"y": [1.50]}}' for line in WHOLE],
    ),
    Case(
        "unchanged_call",
        "the done event of a call's arguments need not name the tool: servers leave that out",
        CALLING,
        CALLING,
    ),
    Case("numbered", "sequence numbers count from 0 without gaps", UNNUMBERED, WHOLE),
    Case(
        "numbered_with_unknown_members",
        "an event that is written anew keeps the members nobody knows",
        [line[:-1] + ',"z":1}' for line in UNNUMBERED],
        [line[:-1] + ',"z":1}' for line in WHOLE],
    ),
    Case(
        "missing_events",
        "created, added, part and done events that are missing are made",
        [DELTA, event("completed", None)],
        [
            event("created", 0, response=UNKNOWN),
            *MADE,
            event("completed", 7, response=UNKNOWN | {"status": "completed", "output": [bare_message("x")]}),
        ],
    ),
    Case(
        "one_id_an_item",
        "an item keeps its first id, and has a dense index",
        [
            created(),
            event("output_item.added", 1, output_index=3, item=MESSAGE),
            event("output_text.delta", 2, item_id="other", output_index=3, content_index=0, delta="x"),
            event("output_item.done", 3, output_index=3, item=bare_message("x", id="third")),
            ended(4, []),
        ],
        [created(), *MADE, ended(7, [bare_message("x")])],
    ),
    Case(
        "snapshot_contradicts",
        "done events and the terminal output say what was streamed",
        [created(), DELTA, event("output_text.done", None, **AT, text="y"), ended(None, [bare_message("z")])],
        [created(), *MADE, ended(7, [bare_message("x")])],
        losses=[["snapshot.mismatch", "content", "/2/text"]],
    ),
    Case(
        "text_behind_its_item",
        "text behind its item is an item of its own",
        [*WHOLE[:8], DELTA, ended(None, [])],
        [
            *WHOLE[:8],
            *text_events(
                8,
                "x",
                at=AT | {"item_id": "msg_81d3177cc91a4c97_1", "output_index": 1},
                item=bare_message("x", id="msg_81d3177cc91a4c97_1"),
                part=BARE,
            ),
            ended(14, [message("x"), bare_message("x", id="msg_81d3177cc91a4c97_1")]),
        ],
    ),
    Case(
        "call_in_its_item_alone",
        "arguments that only the item shows are streamed",
        [
            created(),
            event(
                "output_item.done", 1, output_index=0, item=CALL | {"status": "completed", "arguments": "[1]"}
            ),
            ended(2, []),
        ],
        [
            created(),
            event("output_item.added", 1, output_index=0, item=CALL),
            event("function_call_arguments.delta", 2, item_id="fc_1", output_index=0, delta="[1]"),
            event(
                "function_call_arguments.done", 3, item_id="fc_1", output_index=0, name="f", arguments="[1]"
            ),
            event(
                "output_item.done", 4, output_index=0, item=CALL | {"status": "completed", "arguments": "[1]"}
            ),
            ended(5, [CALL | {"status": "completed", "arguments": "[1]"}]),
        ],
    ),
    Case(
        "foreign_item",
        "foreign items pass, at a dense index, under their first id, and stand in the output as shown last",
        [
            created(),
            event("output_item.added", 1, output_index=4, item=SEARCH | {"status": "in_progress"}),
            event("web_search_call.searching", 2, output_index=4, item_id="other", z=1),
            event("output_item.done", 3, output_index=4, item=SEARCH | {"id": "third"}),
            ended(4, []),
        ],
        [
            created(),
            event("output_item.added", 1, output_index=0, item=SEARCH | {"status": "in_progress"}),
            event("web_search_call.searching", 2, output_index=0, item_id="ws_1", z=1),
            event("output_item.done", 3, output_index=0, item=SEARCH),
            ended(4, [SEARCH]),
        ],
    ),
    Case(
        "foreign_item_left_open",
        "what the source leaves open is closed by the end",
        [created(), event("output_item.added", 1, output_index=0, item=SEARCH), ended(2, [])],
        [
            created(),
            event("output_item.added", 1, output_index=0, item=SEARCH),
            event("output_item.done", 2, output_index=0, item=SEARCH),
            ended(3, [SEARCH]),
        ],
    ),
    Case(
        "unknown_part",
        "parts of unknown type pass in their item",
        [
            created(),
            event("output_item.done", 1, output_index=0, item=message("", content=[AUDIO])),
            ended(2, []),
        ],
        [
            created(),
            event("output_item.added", 1, output_index=0, item=MESSAGE),
            event("content_part.added", 2, **AT, part=AUDIO),
            event("content_part.done", 3, **AT, part=AUDIO),
            event("output_item.done", 4, output_index=0, item=message("", content=[AUDIO])),
            ended(5, [message("", content=[AUDIO])]),
        ],
    ),
    Case(
        "unknown_events",
        "unknown events pass with their number put right; those before the answer follow its start",
        [
            event("vendor.limits", 9, rest=[1, None]),
            created(1),
            event("vendor.limits", 2, rest=2),
            ended(3, []),
        ],
        [
            created(),
            event("vendor.limits", 1, rest=[1, None]),
            event("vendor.limits", 2, rest=2),
            ended(3, []),
        ],
    ),
    Case(
        "opaque_state",
        "opaque state and unknown members ride along as shown last, also where the source forgets them",
        [
            created(),
            event(
                "output_item.done",
                1,
                output_index=0,
                item={"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "AA=="},
            ),
            ended(2, [{"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": None}]),
        ],
        [
            created(),
            event(
                "output_item.added",
                1,
                output_index=0,
                item={"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "AA=="},
            ),
            event(
                "output_item.done",
                2,
                output_index=0,
                item={"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "AA=="},
            ),
            ended(3, [{"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "AA=="}]),
        ],
    ),
    Case(
        "counts",
        "missing counts are made, those nobody knows stay",
        [
            created(),
            ended(1, [], usage={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3, "cost": 0.5}),
        ],
        [created(), ended(1, [], usage=USAGE | {"cost": 0.5})],
    ),
    Case(
        "nothing_after_the_end",
        "nothing is written after the end, and no done mark",
        [created(), ended(1, []), DELTA, "[DONE]"],
        [created(), ended(1, [])],
        losses=[["event.after_end", "metadata", "/2"]],
    ),
    Case(
        "incomplete",
        "what a cut answer leaves open is incomplete",
        [created(), DELTA, ended(None, [], "incomplete", incomplete_details={"reason": "max_output_tokens"})],
        [
            created(),
            *MADE[:-1],
            event("output_item.done", 6, output_index=0, item=bare_message("x", status="incomplete")),
            ended(
                7,
                [bare_message("x", status="incomplete")],
                "incomplete",
                incomplete_details={"reason": "max_output_tokens"},
            ),
        ],
        outcome="incomplete",
    ),
    Case(
        "failed",
        "an answer that fails in the response object ends with that alone",
        [created(), ended(1, [], "failed", error={"code": "c", "message": "no"})],
        [created(), ended(1, [], "failed", error={"code": "c", "message": "no"})],
        outcome="failed",
    ),
    Case(
        "error_event",
        "an error event is followed by the failed response",
        [created(), event("error", 1, code="c", message="no", param=None, z=1)],
        [
            created(),
            event("error", 1, code="c", message="no", param=None, z=1),
            ended(2, [], "failed", error={"code": "c", "message": "no"}),
        ],
        outcome="failed",
    ),
    Case(
        "cut",
        "a cut stream ends with an error event and the failed response",
        [created(), DELTA],
        [
            created(),
            *MADE[:3],
            event("error", 4, **ERROR, param=None),
            ended(5, [bare_message("x", status="incomplete")], "failed", error=ERROR),
        ],
        outcome="truncated",
        error=Fault("TruncatedError", "stream_truncated", None, ""),
    ),
    Case(
        "verbatim",
        "every byte is passed on, nothing is added",
        [*UNNUMBERED, "[DONE]"],
        [],
        options={"same_format": "verbatim"},
    ),
    Case(
        "verbatim_cut",
        "the error event of a cut is all that is added; it counts on where a clean stream would be",
        [created()],
        [event("error", 1, **ERROR, param=None), ended(2, [], "failed", error=ERROR)],
        outcome="truncated",
        options={"same_format": "verbatim"},
        error=Fault("TruncatedError", "stream_truncated", None, ""),
    ),
]
