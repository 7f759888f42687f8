"""Vectors of text, refusals, reasoning, annotations, log probabilities, and of characters."""

from __future__ import annotations

from stream_cases.words import (
    CREATED,
    CUT,
    START,
    Case,
    Json,
    Out,
    added,
    argued,
    arguments,
    chunk,
    content,
    cut,
    done,
    ended,
    event,
    finish,
    function,
    message,
    opened,
    reasoning,
    refusal_part,
    summary,
    text,
    text_done,
    text_part,
    thought,
)

MESSAGE = added(0, message("msg_0"))
CITATION = {
    "type": "url_citation",
    "url": "https://a.example/x",
    "title": "A",
    "start_index": 0,
    "end_index": 2,
}
FILE = {"type": "file_citation", "file_id": "file_1", "filename": "a.txt", "index": 7}
PROBABILITIES = [{"token": "Hi", "logprob": -0.25, "bytes": [72, 105], "top_logprobs": []}]


FILLED_IN = {"start_index": 0, "title": ""}


def nested(citation: Json) -> Json:
    inner = {name: value for name, value in citation.items() if name != "type"}
    return {"type": "url_citation", "url_citation": inner}


NESTED = nested(CITATION)


def noted(annotation: object) -> bytes:
    place = {"item_id": "msg_0", "output_index": 0, "content_index": 0, "annotation_index": 0}
    return event("response.output_text.annotation.added", **place, annotation=annotation)


def thoughts(delta: str, field: str = "reasoning_content") -> Out:
    return chunk({field: delta})


def refused(delta: str) -> Out:
    return chunk({"refusal": delta})


def refusal(delta: str) -> bytes:
    return event("response.refusal.delta", item_id="msg_0", output_index=0, content_index=0, delta=delta)


CASES = [
    Case(
        "text",
        "the usual order of events; snapshots that repeat it say nothing new",
        CREATED
        + event("response.in_progress", response={"id": "resp_1", "model": "other", "created_at": 1})
        + MESSAGE
        + event("response.content_part.added", item_id="msg_0", output_index=0, part=text_part(""))
        + text(0, "Hel", obfuscation="x", logprobs=[])
        + text(0, "lo", sequence_number=5)
        + text_done(0, "Hello")
        + event("response.content_part.done", item_id="msg_0", output_index=0, part=text_part("Hello"))
        + done(0, message("msg_0", text_part("Hello"), status="completed"))
        + ended([message("msg_0", text_part("Hello"))]),
        [START, content("Hel"), content("lo"), *finish("stop")],
    ),
    Case(
        "text_only_in_text_done",
        "a snapshot of a part of which nothing was sent",
        CREATED + MESSAGE + text_done(0, "Hello") + ended(),
        [START, content("Hello"), *finish("stop")],
    ),
    Case(
        "text_only_in_part_done",
        "likewise",
        CREATED
        + event("response.content_part.done", item_id="msg_0", output_index=0, part=text_part("Hello"))
        + ended(),
        [START, content("Hello"), *finish("stop")],
    ),
    Case(
        "text_only_in_terminal",
        "likewise, in the order of the parts",
        CREATED + ended([message("msg_0", text_part("a"), refusal_part("b"), text_part("c"))]),
        [START, content("a"), refused("b"), content("c"), *finish("stop")],
    ),
    Case(
        "text_completed_by_snapshots",
        "each snapshot adds what was missing",
        CREATED
        + text(0, "a")
        + text_done(0, "ab")
        + done(0, message("msg_0", text_part("abc")))
        + ended([message("msg_0", text_part("abcd"))]),
        [START, content("a"), content("b"), content("c"), content("d"), *finish("stop")],
    ),
    Case(
        "text_contradicted",
        "what was sent stays; told once for each part",
        CREATED
        + text(0, "abc")
        + text(0, "x", part=1)
        + text_done(0, "ab")
        + done(0, message("msg_0", text_part("abd"), text_part("y")))
        + ended([message("msg_0", text_part("zzz"), text_part("y"))]),
        [START, content("abc"), content("x"), *finish("stop")],
        [
            ("snapshot.mismatch", "content", "/3/text"),
            ("snapshot.mismatch", "content", "/4/item/content/1/text"),
        ],
    ),
    Case(
        "repeated_text",
        "nothing is removed because it equals something else",
        CREATED + text(0, "ha") + text(0, "ha") + text_done(0, "haha") + ended(),
        [START, content("ha"), content("ha"), *finish("stop")],
    ),
    Case(
        "text_parts_are_joined_by_nothing",
        "no separator is invented between text parts and messages",
        CREATED
        + text(0, "a")
        + text(0, "b", part=1)
        + text(1, "c")
        + ended([message("msg_0", text_part("a"), text_part("b")), message("msg_1", text_part("c"))]),
        [START, content("a"), content("b"), content("c"), *finish("stop")],
    ),
    Case(
        "text_interleaved",
        "text of an earlier part behind a later one: sent, told once for the part",
        CREATED + text(0, "a") + text(0, "b", part=1) + text(0, "c") + text(0, "d") + ended(),
        [START, content("a"), content("b"), content("c"), content("d"), *finish("stop")],
        [("text.interleaved", "content", "/3/delta")],
    ),
    Case(
        "text_parts_out_of_order",
        "parts go out in the order of their text, whatever their numbers",
        CREATED + text(1, "b") + text(0, "a") + text(2, "d", part=1) + text(2, "c") + ended(),
        [START, content("b"), content("a"), content("d"), content("c"), *finish("stop")],
    ),
    Case(
        "text_of_a_part_that_was_annotated_first",
        "the order of the parts is that of their text",
        CREATED + noted(CITATION) + text(0, "b", part=1) + text(0, "a") + text(0, "b", part=1) + ended(),
        [START, content("b"), content("a"), content("b"), chunk({"annotations": [NESTED]}), *finish("stop")],
        [("text.interleaved", "content", "/4/delta")],
    ),
    Case(
        "content_before_start",
        "the start is written with what is known, and the head stays",
        text(0, "a") + CREATED + text(0, "b") + ended(),
        [
            chunk({"role": "assistant", "content": ""}, head=("chatcmpl-cbf29ce484222325", 0, "unknown")),
            chunk({"content": "a"}, head=("chatcmpl-cbf29ce484222325", 0, "unknown")),
            chunk({"content": "b"}, head=("chatcmpl-cbf29ce484222325", 0, "unknown")),
            chunk({}, "stop", head=("chatcmpl-cbf29ce484222325", 0, "unknown")),
            "[DONE]",
        ],
    ),
    Case(
        "head_overridden",
        "model, id and time of the caller go before the source's",
        CREATED + text(0, "a") + ended(),
        [
            chunk({"role": "assistant", "content": ""}, head=("id", 5, "m")),
            chunk({"content": "a"}, head=("id", 5, "m")),
            chunk({}, "stop", head=("id", 5, "m")),
            "[DONE]",
        ],
        options={"model": "m", "response_id": "id", "created": 5},
    ),
    Case(
        "created_at_with_fraction",
        "only the integer part counts",
        event("response.created", response={"id": "resp_1", "model": "gpt-t", "created_at": 1700000000.75})
        + ended(),
        [START, *finish("stop")],
    ),
    Case(
        "refusal",
        "its own field; the finish does not change",
        CREATED
        + MESSAGE
        + refusal("I ca")
        + refusal("n't")
        + event("response.refusal.done", item_id="msg_0", output_index=0, content_index=0, refusal="I can't.")
        + ended([message("msg_0", refusal_part("I can't."))]),
        [START, refused("I ca"), refused("n't"), refused("."), *finish("stop")],
    ),
    Case(
        "reasoning_summaries",
        "two parts are joined by a blank line",
        CREATED
        + added(0, reasoning("rs_0"))
        + event(
            "response.reasoning_summary_part.added",
            item_id="rs_0",
            output_index=0,
            summary_index=0,
            part={"type": "summary_text", "text": ""},
        )
        + summary(0, "a")
        + summary(0, "b")
        + summary(0, "c", part=1)
        + event(
            "response.reasoning_summary_text.done",
            item_id="rs_0",
            output_index=0,
            summary_index=1,
            text="cd",
        )
        + done(0, reasoning("rs_0", "ab", "cd", "e"))
        + text(1, "Hi")
        + ended([reasoning("rs_0", "ab", "cd", "e"), message("msg_1", text_part("Hi"))]),
        [
            START,
            thoughts("a"),
            thoughts("b"),
            thoughts("\n\nc"),
            thoughts("d"),
            thoughts("\n\ne"),
            content("Hi"),
            *finish("stop"),
        ],
    ),
    Case(
        "reasoning_line_feeds_are_not_doubled",
        "what the texts end and begin with counts",
        CREATED
        + summary(0, "a\n")
        + summary(0, "b\n\n", part=1)
        + summary(0, "c", part=2)
        + summary(0, "\n\nd", part=3)
        + summary(0, "\ne\n", part=4)
        + summary(0, "\nf", part=5)
        + summary(0, "\n", part=6)
        + summary(0, "g", part=7)
        + ended(),
        [
            START,
            thoughts("a\n"),
            thoughts("\nb\n\n"),
            thoughts("c"),
            thoughts("\n\nd"),
            thoughts("\n\ne\n"),
            thoughts("\nf"),
            thoughts("\n\n"),
            thoughts("g"),
            *finish("stop"),
        ],
    ),
    Case(
        "reasoning_text",
        "raw reasoning and its summary share the field, in the order of their text",
        CREATED
        + thought(0, "a")
        + event("response.reasoning_text.done", item_id="rs_0", output_index=0, content_index=0, text="a")
        + event(
            "response.reasoning_part.done",
            item_id="rs_0",
            output_index=0,
            content_index=1,
            part={"type": "reasoning_text", "text": "b"},
        )
        + done(
            0,
            reasoning(
                "rs_0",
                "s",
                content=[
                    {"type": "reasoning_text", "text": "a"},
                    {"type": "text", "text": "b"},
                    {"type": "text", "text": "c"},
                ],
            ),
        )
        + ended(),
        [
            START,
            thoughts("a"),
            thoughts("\n\nb"),
            thoughts("\n\ns"),
            thoughts("\n\nc"),
            *finish("stop"),
        ],
    ),
    Case(
        "reasoning_field",
        "the caller names the field",
        CREATED + summary(0, "a") + ended(),
        [START, thoughts("a", "reasoning"), *finish("stop")],
        options={"reasoning_field": "reasoning"},
    ),
    Case(
        "reasoning_dropped",
        "without a field each part is told once",
        CREATED
        + summary(0, "a")
        + summary(0, "b")
        + summary(0, "c", part=1)
        + text(1, "Hi")
        + ended([reasoning("rs_0", "ab", "c"), message("msg_1", text_part("Hi"))]),
        [START, content("Hi"), *finish("stop")],
        [("reasoning.dropped", "metadata", "/1/delta"), ("reasoning.dropped", "metadata", "/3/delta")],
        options={"reasoning_field": None},
    ),
    Case(
        "encrypted_reasoning",
        "opaque state is told once for the item, and no reasoning is shown",
        CREATED
        + added(0, reasoning("rs_0", encrypted_content=""))
        + done(0, reasoning("rs_0", encrypted_content="gAAA"))
        + text(1, "Hi")
        + ended([reasoning("rs_0", encrypted_content="gAAA"), message("msg_1", text_part("Hi"))]),
        [START, content("Hi"), *finish("stop")],
        [("opaque_state.dropped", "state", "/2/item/encrypted_content")],
    ),
    Case(
        "annotations",
        "citations in one chunk before the finish, nested; snapshots add only new ones; other kinds are told",
        CREATED
        + text(0, "Hi")
        + noted(CITATION)
        + event("response.content_part.done", item_id="msg_0", output_index=0, part=text_part("Hi", CITATION))
        + done(0, message("msg_0", text_part("Hi", CITATION, FILE)))
        + ended([message("msg_0", text_part("Hi", CITATION, FILE))]),
        [START, content("Hi"), chunk({"annotations": [NESTED]}), *finish("stop")],
        [("annotation.unplaced", "metadata", "/4/item/content/0/annotations/1")],
    ),
    Case(
        "annotation_with_gaps",
        "members that the type needs are filled in, others stay in their order; a nested one stays nested",
        CREATED
        + text(0, "Hi")
        + noted(NESTED)
        + noted({"type": "url_citation", "n": 1.50, "title": None, "url": "u", "end_index": 1, "x": None})
        + ended(),
        [
            START,
            content("Hi"),
            chunk(
                {
                    "annotations": [
                        NESTED,
                        {
                            "type": "url_citation",
                            "url_citation": {
                                "n": 1.50,
                                "url": "u",
                                "end_index": 1,
                                "start_index": 0,
                                "title": "",
                            },
                        },
                    ]
                }
            ),
            *finish("stop"),
        ],
    ),
    Case(
        "annotations_before_a_failure",
        "what was held for the end goes out before the error",
        CREATED + text(0, "Hi") + noted(CITATION),
        [START, content("Hi"), chunk({"annotations": [NESTED]}), CUT],
        outcome="truncated",
        error=cut(CREATED + text(0, "Hi") + noted(CITATION)),
    ),
    Case(
        "annotation_unknown",
        "what is no object is told, and counted: the snapshot does not bring it again",
        CREATED + text(0, "Hi") + noted("x") + ended([message("msg_0", text_part("Hi", "x", CITATION, 5))]),
        [START, content("Hi"), chunk({"annotations": [NESTED]}), *finish("stop")],
        [
            ("annotation.unknown", "metadata", "/2/annotation"),
            ("annotation.unknown", "metadata", "/3/response/output/0/content/0/annotations/2"),
        ],
    ),
    Case(
        "logprobs",
        "log probabilities stand beside the delta they came with",
        CREATED
        + text(0, "Hi", logprobs=PROBABILITIES)
        + text(0, "!", logprobs=[])
        + text_done(0, "Hi!", logprobs=PROBABILITIES)
        + ended(),
        [
            START,
            chunk({"content": "Hi"}, logprobs={"content": PROBABILITIES, "refusal": None}),
            content("!"),
            *finish("stop"),
        ],
    ),
    Case(
        "logprobs_of_a_snapshot",
        "they are sent with it if nothing of the part was sent before",
        CREATED + ended([message("msg_0", text_part("Hi", logprobs=PROBABILITIES))]),
        [
            START,
            chunk({"content": "Hi"}, logprobs={"content": PROBABILITIES, "refusal": None}),
            *finish("stop"),
        ],
    ),
    Case(
        "part_unknown",
        "a part of unknown type is told once, whatever shows it again",
        CREATED
        + event("response.content_part.added", item_id="msg_0", output_index=0, part={"type": "output_audio"})
        + done(0, message("msg_0", {"type": "output_audio"}, text_part("Hi")))
        + ended(),
        [START, content("Hi"), *finish("stop")],
        [("part.unknown", "content", "/1/part")],
    ),
    Case(
        "logprobs_without_text",
        "log probabilities of an empty delta are not lost",
        CREATED + text(0, "", logprobs=PROBABILITIES) + ended(),
        [
            START,
            chunk({"content": ""}, logprobs={"content": PROBABILITIES, "refusal": None}),
            *finish("stop"),
        ],
    ),
    Case(
        "arguments_and_text_keep_their_places",
        "an argument delta on a message's index opens a call of its own",
        CREATED
        + MESSAGE
        + text(0, "a")
        + arguments(0, "{")
        + done(0, function("fc_0", "call_0", "find", "{}"))
        + ended(),
        [START, content("a"), opened(0, "call_0", "find"), argued(0, "{}"), *finish("tool_calls")],
    ),
]
