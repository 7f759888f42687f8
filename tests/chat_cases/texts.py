"""Vectors of text, refusal and reasoning, and of what stands beside them."""

from __future__ import annotations

from chat_cases.words import (
    START,
    Case,
    bare,
    called,
    calls,
    chunk,
    content,
    cut_short,
    done,
    element,
    ended,
    finish,
    function,
    message,
    place,
    reasoned,
    refusal,
    refusal_closes,
    refusal_opens,
    refusal_part,
    said,
    sse,
    started,
    text,
    text_closes,
    text_opens,
    text_part,
    thought,
    usage,
    wrote,
)

_TOKEN = {"token": "x", "logprob": -1, "bytes": None, "top_logprobs": []}
_OTHER = {"token": "y", "logprob": -2, "bytes": None, "top_logprobs": []}
_NESTED = {
    "type": "url_citation",
    "url_citation": {"url": "u", "title": "t", "start_index": 0, "end_index": 1},
}
_FLAT = {"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 1}
_FILLED = {"type": "url_citation", "url": "v", "start_index": 0, "end_index": 0, "title": ""}
_X = [*START, *wrote(0, "x"), *ended(said(0, "x"))]


def dropped(*places: str) -> list[tuple[str, str, str]]:
    return [("delta.member_dropped", "metadata", f"/0/choices/0/{each}") for each in places]


CASES = [
    Case(
        "text",
        "the whole life of a text",
        chunk({"role": "assistant", "content": ""}) + content("Hel") + content("lo") + finish(),
        [*START, *wrote(0, "Hel", "lo"), *ended(said(0, "Hello"))],
    ),
    Case(
        "head_late",
        "empty metadata is absent: the first that says something counts",
        bare(id="", model="", created=None)
        + bare({"index": 0, "delta": {"role": "assistant"}}, id="c1", model="m", created=5.7)
        + bare({"delta": {"content": "x"}}, id="other", model="other", created=9)
        + finish(),
        _X,
    ),
    Case(
        "head_given",
        "the caller's head goes before the source's; a given id is used as it is",
        finish(),
        [*started(head=("mine", 9, "zz")), *ended(head=("mine", 9, "zz"))],
        options={"response_id": "mine", "model": "zz", "created": 9},
    ),
    Case(
        "head_absent",
        "ids are derived from the seed",
        bare({"delta": {}, "finish_reason": "stop"}),
        [
            *started(head=("resp_2cfad118d3ecc02c", 0, "unknown")),
            *ended(head=("resp_2cfad118d3ecc02c", 0, "unknown")),
        ],
        options={"id_seed": "seed"},
    ),
    Case(
        "role_on_every_chunk",
        "the role is noise, whatever it is",
        chunk({"role": "assistant", "content": "x"}) + chunk({"role": "", "content": None}) + finish(),
        _X,
    ),
    Case(
        "reasoning_then_text",
        "the reasoning item is done when the text begins",
        chunk({"reasoning_content": "r1"}) + chunk({"reasoning_content": "r2"}) + content("x") + finish(),
        [*START, *reasoned(0, "r1", "r2"), *wrote(1, "x"), *ended(thought(0, "r1r2"), said(1, "x"))],
    ),
    Case(
        "reasoning_and_text_in_turns",
        "each turn is an item; nothing is put between pieces of one text",
        chunk({"reasoning": "r1", "content": "x"}) + chunk({"reasoning": "r2"}) + content("y") + finish(),
        [
            *START,
            *reasoned(0, "r1"),
            *wrote(1, "x"),
            *reasoned(2, "r2"),
            *wrote(3, "y"),
            *ended(thought(0, "r1"), said(1, "x"), thought(2, "r2"), said(3, "y")),
        ],
    ),
    Case(
        "reasoning_under_two_names",
        "the first name that says something is read",
        chunk({"reasoning_content": "", "reasoning": "r", "thinking": "r"}) + finish(),
        [*START, *reasoned(0, "r"), *ended(thought(0, "r"))],
    ),
    Case(
        "reasoning_details",
        "details are read where there is no text; signatures and data are opaque",
        chunk({"reasoning_details": [{"text": "r1", "signature": "s"}, {"summary": "r2", "data": "d"}]})
        + chunk({"reasoning": "r3", "reasoning_details": [{"text": "r3", "signature": "t"}]})
        + finish(),
        [*START, *reasoned(0, "r1r2", "r3"), *ended(thought(0, "r1r2r3"))],
        losses=[("opaque_state.dropped", "state", "/0/choices/0/delta/reasoning_details/0/signature")],
    ),
    Case(
        "opaque_state",
        "each member that holds state is told once",
        chunk({"extra_content": {"google": {"thought_signature": "s"}}, "reasoning_opaque": "o"})
        + chunk({"reasoning_signature": "s", "reasoning_opaque": "o"})
        + finish(),
        [*START, *ended()],
        losses=[
            ("opaque_state.dropped", "state", "/0/choices/0/delta/extra_content/google/thought_signature"),
            ("opaque_state.dropped", "state", "/0/choices/0/delta/reasoning_opaque"),
            ("opaque_state.dropped", "state", "/1/choices/0/delta/reasoning_signature"),
        ],
    ),
    Case(
        "content_as_list",
        "parts in order: text, thinking, and what is neither",
        chunk(
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "r1"}, "r2"]},
                    {"type": "text", "text": "x"},
                    "y",
                    {"type": "image_url", "image_url": {"url": "data:"}},
                    {"type": "reference", "reference_ids": [1]},
                    {"type": "reference", "reference_ids": [2]},
                ]
            }
        )
        + finish(),
        [*START, *reasoned(0, "r1", "r2"), *wrote(1, "x", "y"), *ended(thought(0, "r1r2"), said(1, "xy"))],
        losses=[
            ("image.dropped", "content", "/0/choices/0/delta/content/3"),
            ("part.unknown", "content", "/0/choices/0/delta/content/4"),
        ],
    ),
    Case(
        "content_as_object",
        "an object is structured output: its JSON text",
        chunk({"content": {"a": 1}}) + finish(),
        [*START, *wrote(0, '{"a":1}'), *ended(said(0, '{"a":1}'))],
    ),
    Case(
        "images",
        "generated images have no place",
        chunk({"content": "x", "images": [{"type": "image_url", "image_url": {"url": "data:"}}]}) + finish(),
        _X,
        losses=[("image.dropped", "content", "/0/choices/0/delta/images/0")],
    ),
    Case(
        "refusal",
        "a refusal has its own part in the message",
        content("x") + chunk({"refusal": "no"}) + chunk({"refusal": "pe"}) + finish(),
        [
            *START,
            *text_opens(0),
            *text(0, "x"),
            *text_closes(0, "x"),
            *refusal_opens(0, 1),
            *refusal(0, "no", 1),
            *refusal(0, "pe", 1),
            *refusal_closes(0, "nope", 1),
            *done(0, message(0, text_part("x"), refusal_part("nope"))),
            *ended(message(0, text_part("x"), refusal_part("nope"))),
        ],
    ),
    Case(
        "logprobs",
        "each text has its own, the end has all of the part",
        chunk({"content": "x"}, logprobs={"content": [_TOKEN], "refusal": None})
        + chunk({"content": ""}, logprobs={"content": [_OTHER]})
        + chunk({"content": "z"}, logprobs={"content": []})
        + finish(),
        [
            *START,
            *text_opens(0),
            *text(0, "x", logprobs=[_TOKEN]),
            *text(0, "", logprobs=[_OTHER]),
            *text(0, "z"),
            *text_closes(0, "xz", logprobs=[_TOKEN, _OTHER]),
            *done(0, said(0, "xz")),
            *ended(said(0, "xz")),
        ],
    ),
    Case(
        "annotations",
        "a nested citation becomes flat, and has what its type needs",
        content("x")
        + chunk(
            {"annotations": [_NESTED, {"type": "url_citation", "url_citation": {"url": "v", "title": None}}]}
        )
        + finish(),
        [
            *START,
            *text_opens(0),
            *text(0, "x"),
            {
                "type": "response.output_text.annotation.added",
                **place("msg", 0, content_index=0),
                "annotation_index": 0,
                "annotation": _FLAT,
            },
            {
                "type": "response.output_text.annotation.added",
                **place("msg", 0, content_index=0),
                "annotation_index": 1,
                "annotation": _FILLED,
            },
            *text_closes(0, "x", _FLAT, _FILLED),
            *done(0, message(0, text_part("x", _FLAT, _FILLED))),
            *ended(message(0, text_part("x", _FLAT, _FILLED))),
        ],
    ),
    Case(
        "annotations_without_a_place",
        "no text is open; a kind without a form; no object",
        chunk({"annotations": [_NESTED]})
        + chunk({"content": "x", "annotations": [{"type": "odd"}, 3]})
        + finish(),
        _X,
        losses=[
            ("annotation.unplaced", "metadata", "/0/choices/0/delta/annotations/0"),
            ("annotation.unplaced", "metadata", "/1/choices/0/delta/annotations/0"),
            ("annotation.unknown", "metadata", "/1/choices/0/delta/annotations/1"),
        ],
    ),
    Case(
        "members_without_a_place",
        "of the delta and of the choice, once a name; what says nothing is noise",
        chunk(
            {"content": "x", "odd": 1, "empty": "", "none": None, "list": [], "audio": {"id": "a"}},
            extra={"a": 1},
        )
        + chunk({"odd": 2, "reasoning": {"a": 1}}, extra={"a": 1}, hollow={})
        + finish(),
        _X,
        losses=[
            *dropped("delta/odd", "delta/audio", "extra"),
            ("delta.member_dropped", "metadata", "/1/choices/0/delta/reasoning"),
        ],
    ),
    Case(
        "think_tags",
        "tags are cut anywhere; white space around them is dropped",
        content(" <thi")
        + content("nk>r1")
        + content("r2</th")
        + content("ink>\n\n")
        + content("\nx <think>")
        + finish(),
        [
            *START,
            *reasoned(0, "r1", "r2"),
            *wrote(1, "x <think>"),
            *ended(thought(0, "r1r2"), said(1, "x <think>")),
        ],
        options={"think_tags": True},
    ),
    Case(
        "think_tags_and_pairs",
        "halves of a pair find each other in reasoning and in text, also beside a tag",
        content("<think>\ud83d")
        + content("\ude00</think>\ud83d")
        + content("\ude00\ud83d")
        + content("\ude00")
        + finish(),
        [
            *START,
            *reasoned(0, "\U0001f600"),
            *wrote(1, "\U0001f600", "\U0001f600"),
            *ended(thought(0, "\U0001f600"), said(1, "\U0001f600\U0001f600")),
        ],
        options={"think_tags": True},
    ),
    Case(
        "think_tags_and_logprobs",
        "log probabilities go with text that came in their delta, also without any once text has begun",
        chunk({"content": "<think>r</th"}, logprobs={"content": [_TOKEN]})
        + chunk({"content": "ink>x"}, logprobs={"content": [_OTHER]})
        + chunk({"content": ""}, logprobs={"content": [_TOKEN]})
        + chunk({"content": "y"}, logprobs={"content": [_OTHER]})
        + finish(),
        [
            *START,
            *reasoned(0, "r"),
            *text_opens(1),
            *text(1, "x", logprobs=[_OTHER]),
            *text(1, "", logprobs=[_TOKEN]),
            *text(1, "y", logprobs=[_OTHER]),
            *text_closes(1, "xy", logprobs=[_OTHER, _TOKEN, _OTHER]),
            *done(1, said(1, "xy")),
            *ended(thought(0, "r"), said(1, "xy")),
        ],
        options={"think_tags": True},
    ),
    Case(
        "logprobs_of_a_list",
        "they go with the first text of it",
        chunk(
            {"content": [{"type": "thinking", "thinking": "r"}, {"type": "text", "text": "x"}, "y"]},
            logprobs={"content": [_TOKEN]},
        )
        + finish(),
        [
            *START,
            *reasoned(0, "r"),
            *text_opens(1),
            *text(1, "x", logprobs=[_TOKEN]),
            *text(1, "y"),
            *text_closes(1, "xy", logprobs=[_TOKEN]),
            *done(1, said(1, "xy")),
            *ended(thought(0, "r"), said(1, "xy")),
        ],
    ),
    Case(
        "chunk_with_members_nobody_knows",
        "told once a name, behind the choices; what describes the server says nothing",
        sse(
            {
                "id": "c1",
                "model": "m",
                "created": 5,
                "object": "chat.completion.chunk",
                "system_fingerprint": "fp",
                "service_tier": "default",
                "citations": ["u"],
                "empty": {},
                "choices": [{"delta": {"content": "x", "z": 1}}],
            }
        )
        + sse({"citations": ["u", "v"], "choices": []})
        + finish(),
        _X,
        losses=[
            ("delta.member_dropped", "metadata", "/0/choices/0/delta/z"),
            ("delta.member_dropped", "metadata", "/0/citations"),
        ],
    ),
    Case(
        "think_tags_before_a_call",
        "what could be a tag goes out before the call",
        content("<thi") + calls(element(0, "a", "f", "{}")) + finish(),
        [
            *START,
            *wrote(0, "<thi"),
            *called(1, "a", "f", "{}"),
            *ended(said(0, "<thi"), function(1, "a", "f", "{}")),
        ],
        options={"think_tags": True},
    ),
    Case(
        "think_tag_never_closed",
        "all of it is reasoning",
        content("<think>r</thi") + finish(),
        [*START, *reasoned(0, "r", "</thi"), *ended(thought(0, "r</thi"))],
        options={"think_tags": True},
    ),
    Case(
        "think_tags_left_alone",
        "without the option tags are text",
        content("<think>r</think>x") + finish(),
        [*START, *wrote(0, "<think>r</think>x"), *ended(said(0, "<think>r</think>x"))],
    ),
    Case(
        "surrogates",
        "a pair is joined over two deltas; a lone half becomes U+FFFD",
        content("\ud83d") + content("\ude00") + content("\ud83d") + finish(),
        [*START, *wrote(0, "\U0001f600", "\ufffd"), *ended(said(0, "\U0001f600\ufffd"))],
        losses=[("unicode.replaced", "content", "/2/choices/0/delta/content")],
    ),
    Case(
        "text_cut_by_a_filter",
        "a message that was open is incomplete",
        content("x") + finish("content_filter"),
        [
            *START,
            *wrote(0, "x", status="incomplete"),
            *cut_short("content_filter", said(0, "x", "incomplete")),
        ],
        outcome="incomplete",
    ),
    Case(
        "choices",
        "only choice 0 has a place",
        content("x")
        + chunk({"content": "y"}, index=1)
        + chunk({"content": "z", "odd": 1}, "eos", index=1)
        + finish(),
        _X,
        losses=[("choices.dropped", "content", "/1/choices/0")],
    ),
    Case(
        "choice_with_nothing_in_it",
        "seeing a choice is enough",
        content("x") + chunk({}, index=1) + finish(),
        _X,
        losses=[("choices.dropped", "content", "/1/choices/0")],
    ),
    Case(
        "usage_beside_choices",
        "in every chunk: the last one counts",
        bare({"delta": {"content": "x"}}, id="c1", model="m", created=5, usage={"prompt_tokens": 1})
        + bare(
            {"delta": {}, "finish_reason": "stop"},
            usage={
                "prompt_tokens": 3,
                "completion_tokens": 2,
                "total_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 2, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 1},
            },
        )
        + b"data: [DONE]\n\n",
        [
            *START,
            *wrote(0, "x"),
            *ended(said(0, "x"), usage=usage(3, 2, 5, cached=1, cache_write=2, reasoning=1)),
        ],
    ),
    Case(
        "usage_alone",
        "a chunk without choices, behind the reason",
        content("x") + chunk({}, "stop") + bare(usage={"prompt_tokens": 3}) + b"data: [DONE]\n\n",
        [*START, *wrote(0, "x"), *ended(said(0, "x"), usage=usage(3, 0, 3))],
    ),
    Case(
        "usage_odd",
        "counts that are none, and names without a place, are told once a name",
        bare(usage={"completion_tokens": 2.5, "cost": 3, "zero": 0, "prompt_tokens": 4})
        + bare(
            usage={
                "completion_tokens": 2.5,
                "cost": 3,
                "prompt_tokens_details": {"cost": 1},
                "prompt_tokens": 4,
            }
        )
        + bare(usage="odd")
        + content("x")
        + finish(),
        [*START, *wrote(0, "x"), *ended(said(0, "x"), usage=usage(4, 0, 4))],
        losses=[
            ("usage.invalid", "metadata", "/0/usage/completion_tokens"),
            ("usage.member_dropped", "metadata", "/0/usage/cost"),
            ("usage.member_dropped", "metadata", "/1/usage/prompt_tokens_details/cost"),
            ("usage.invalid", "metadata", "/2/usage"),
        ],
    ),
]
