"""Responses in, Responses out: what a stream of the same format is cleaned of, one test a rule."""

from __future__ import annotations

import itertools
import json
import sys
from typing import Any

import pytest

from implementations import offering

#: The implementation that a test runs on.
transcodec: Any = None

FORMAT = "openai_responses"
Event = dict[str, Any]


@pytest.fixture(autouse=True, params=offering("translate_response"))
def _each_implementation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "transcodec", request.param)


HEAD: Event = {
    "id": "resp_1",
    "object": "response",
    "created_at": 7,
    "status": "in_progress",
    "error": None,
    "incomplete_details": None,
    "model": "m",
    "output": [],
    "usage": None,
    "tools": [{"type": "function", "name": "f"}],
    "tool_choice": "auto",
    "parallel_tool_calls": False,
}
USAGE: Event = {
    "input_tokens": 3,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0, "audio_tokens": 9},
    "output_tokens": 2,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 5,
    "cost": 0.5,
}
PLACE: Event = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
PART: Event = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
MESSAGE: Event = {
    "id": "msg_1",
    "type": "message",
    "status": "in_progress",
    "role": "assistant",
    "content": [],
    "phase": "final",
}


def event(kind: str, **members: Any) -> Event:
    return {"type": f"response.{kind}", **members}


def head(kind: str = "created", **members: Any) -> Event:
    return event(kind, response=HEAD | members)


def added(item: Event, index: int = 0) -> Event:
    return event("output_item.added", output_index=index, item=item)


def done(item: Event, index: int = 0) -> Event:
    return event("output_item.done", output_index=index, item=item)


def delta(text: str, **place: Any) -> Event:
    return event("output_text.delta", **PLACE | place, delta=text, logprobs=[])


def end(output: list[Event], kind: str = "completed", **members: Any) -> Event:
    return head(kind, status=kind, output=output, usage=USAGE, **members)


def message(text: str, **members: Any) -> Event:
    return MESSAGE | {"status": "completed", "content": [PART | {"text": text}]} | members


def numbered(events: list[Event]) -> list[Event]:
    return [{"type": each["type"], "sequence_number": at, **each} for at, each in enumerate(events)]


def framed(events: list[Event]) -> bytes:
    return "".join(f"data: {json.dumps(each)}\n\n" for each in events).encode()


def read(output: bytes) -> list[Event]:
    """The events of a clean stream: each named by its type, counted from 0."""
    events = []
    for block in output.decode().split("\n\n")[:-1]:
        line, _, data = block.partition("\ndata: ")
        payload: Event = json.loads(data)
        assert line == f"event: {payload['type']}"
        events.append(payload)
    assert [each.pop("sequence_number") for each in events] == list(range(len(events)))
    return events


class Cleaned:
    """What became of a stream; the same for every way to cut it in two."""

    def __init__(self, events: list[Event], **options: Any) -> None:
        wire = framed(events)
        seen = [self._run(wire[:at], wire[at:], options) for at in range(0, len(wire), 97)]
        assert all(one == other for one, other in itertools.pairwise(seen))
        output, self.losses, self.outcome = seen[0]
        self.events = read(output)
        self.kinds = [each["type"].removeprefix("response.") for each in self.events]

    @staticmethod
    def _run(first: bytes, second: bytes, options: dict[str, Any]) -> tuple[bytes, list[str], str | None]:
        translator = transcodec.StreamTranslator(FORMAT, FORMAT, **options)
        output = translator.feed(first) + translator.feed(second) + translator.finish()
        return output, [loss.code for loss in translator.losses], translator.outcome

    def of(self, kind: str) -> list[Event]:
        return [each for each in self.events if each["type"] == f"response.{kind}"]

    @property
    def output(self) -> list[Event]:
        items: list[Event] = self.events[-1]["response"]["output"]
        return items


WHOLE = [
    head(),
    head("in_progress"),
    added(MESSAGE),
    event("content_part.added", **PLACE, part=PART),
    delta("Hel"),
    delta("lo"),
    event("output_text.done", **PLACE, text="Hello", logprobs=[]),
    event("content_part.done", **PLACE, part=PART | {"text": "Hello"}),
    done(message("Hello")),
    end([message("Hello")]),
]


def test_a_clean_stream_stays_as_it_is() -> None:
    seen = Cleaned(numbered(WHOLE))
    assert seen.events == WHOLE
    assert (seen.losses, seen.outcome) == ([], "completed")


def test_what_is_right_is_copied_byte_for_byte() -> None:
    events = numbered([each | {"obfuscation": "x\u20ac", "z": {"n": 1.50}} for each in WHOLE])
    wire = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events).encode()
    assert transcodec.translate_stream(wire, source=FORMAT, target=FORMAT).output == wire


def test_an_event_written_anew_keeps_what_nobody_knows() -> None:
    further = {"obfuscation": "x", "z": {"n": 1}}
    seen = Cleaned([each | further for each in WHOLE])
    assert seen.events == [each | further for each in WHOLE]


def test_members_of_an_event_that_needs_others_before_it_stay_with_it() -> None:
    seen = Cleaned([head(), delta("a") | {"z": 1}, end([]) | {"z": 2}])
    assert [(each["type"], each["z"]) for each in seen.events if "z" in each] == [
        ("response.output_text.delta", 1),
        ("response.completed", 2),
    ]


@pytest.mark.parametrize("number", [None, 5, "1"])
def test_sequence_numbers_count_from_0(number: Any) -> None:
    wrong = [each if number is None else {**each, "sequence_number": number} for each in WHOLE]
    assert Cleaned(wrong).events == WHOLE


def test_missing_events_are_made() -> None:
    seen = Cleaned([delta("Hel"), end([message("Hello")])])
    assert seen.kinds == [
        "created",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert [each["delta"] for each in seen.of("output_text.delta")] == ["Hel", "lo"]
    assert seen.output == [message("Hello")]


def test_an_answer_without_response_objects_has_a_usual_one() -> None:
    response = Cleaned([delta("a"), event("completed")]).events[-1]["response"]
    assert {"instructions", "metadata", "tools", "tool_choice", "parallel_tool_calls"} <= response.keys()
    assert response["model"] == "unknown"


def test_required_members_that_were_never_shown_are_made() -> None:
    bare = {"id": "resp_1", "model": "m", "created_at": 7}
    response = Cleaned([event("created", response=bare), event("completed", response=bare)]).events[0][
        "response"
    ]
    assert (response["tools"], response["tool_choice"], response["parallel_tool_calls"]) == ([], "auto", True)
    assert "instructions" not in response


def test_members_of_the_response_ride_along_to_a_made_end() -> None:
    [failed] = Cleaned([head()]).of("failed")
    assert failed["response"]["tools"] == HEAD["tools"]


def test_a_queued_answer_stays_queued() -> None:
    seen = Cleaned([head(status="queued"), head("queued", status="queued"), head("in_progress"), *WHOLE[2:]])
    assert [each["response"]["status"] for each in seen.events[:3]] == ["queued", "queued", "in_progress"]


def test_what_comes_twice_is_written_once() -> None:
    doubled = [each for each in WHOLE if "delta" not in each["type"] for _ in range(2)]
    deltas = [delta("Hel"), delta("lo")]
    events = [*doubled[:8], *deltas, *doubled[8:]]
    seen = Cleaned(events)
    kinds = [each["type"] for each in seen.events if each["type"] != "response.in_progress"]
    assert kinds == [each["type"] for each in WHOLE if each["type"] != "response.in_progress"]
    assert seen.losses == ["event.after_end"]


def test_output_indexes_are_dense_and_in_order_of_opening() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "[]", "id": "fc_1"}
    seen = Cleaned([head(), added(MESSAGE, 4), delta("a", output_index=4), added(call, 2), end([])])
    assert [each["output_index"] for each in seen.of("output_item.added")] == [0, 1]
    assert [item["type"] for item in seen.output] == ["message", "function_call"]


def test_an_item_keeps_its_first_id() -> None:
    seen = Cleaned([head(), added(MESSAGE), delta("a", item_id="x"), done(message("a", id="y")), end([])])
    ids = {each.get("item_id", each.get("item", {}).get("id")) for each in seen.events[1:-1]}
    assert ids == {"msg_1"}
    assert seen.output[0]["id"] == "msg_1"


def test_an_id_that_another_item_has_is_replaced() -> None:
    seen = Cleaned(
        [head(), added(MESSAGE), done(message("a")), added(MESSAGE, 1), done(message("b"), 1), end([])]
    )
    first, second = (item["id"] for item in seen.output)
    assert first == "msg_1"
    assert second.startswith("msg_")
    assert second != first


def test_items_may_overlap_as_in_the_source() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "", "id": "fc_1"}
    arguments = {"item_id": "fc_1", "output_index": 1}
    events = [
        head(),
        added(MESSAGE),
        event("content_part.added", **PLACE, part=PART),
        delta("a"),
        added({**call, "status": "in_progress"}, 1),
        event("function_call_arguments.delta", **arguments, delta="[1"),
        delta("b"),
        event("function_call_arguments.delta", **arguments, delta="]"),
        event("function_call_arguments.done", **arguments, name="f", arguments="[1]"),
        event("output_text.done", **PLACE, text="ab", logprobs=[]),
        event("content_part.done", **PLACE, part=PART | {"text": "ab"}),
        done({**call, "status": "completed", "arguments": "[1]"}, 1),
        done(message("ab")),
        end([message("ab"), {**call, "status": "completed", "arguments": "[1]"}]),
    ]
    assert Cleaned(events).events == events


def test_done_events_say_what_was_streamed() -> None:
    events = [*WHOLE[:6], event("output_text.done", **PLACE, text="Bye", logprobs=[]), end([message("Bye")])]
    seen = Cleaned(events)
    assert [each["text"] for each in seen.of("output_text.done")] == ["Hello"]
    assert seen.output == [message("Hello")]
    assert seen.losses == ["snapshot.mismatch"]


def test_text_behind_its_done_event_is_sent_and_told_again() -> None:
    events = [*WHOLE[:7], event("content_part.done", **PLACE, part=PART | {"text": "Hello!"}), end([])]
    seen = Cleaned(events)
    assert [each["text"] for each in seen.of("output_text.done")] == ["Hello", "Hello!"]
    assert seen.output == [message("Hello!")]


def test_text_behind_its_part_is_a_part_of_its_own() -> None:
    seen = Cleaned([*WHOLE[:8], delta("!"), end([])])
    assert [part["text"] for part in seen.output[0]["content"]] == ["Hello", "!"]


def test_text_behind_its_item_is_an_item_of_its_own() -> None:
    seen = Cleaned([*WHOLE[:9], delta("!"), end([])])
    assert [item["content"][0]["text"] for item in seen.output] == ["Hello", "!"]


def test_an_empty_part_is_kept() -> None:
    events = [
        *WHOLE[:4],
        event("content_part.done", **PLACE, part=PART),
        done(message("")),
        end([message("")]),
    ]
    assert Cleaned(events).output == [message("")]


def test_log_probabilities_are_in_the_done_event() -> None:
    one, two = ({"token": token, "logprob": -0.5} for token in "ab")
    deltas = [{**delta("a"), "logprobs": [one]}, {**delta("b"), "logprobs": [two]}]
    seen = Cleaned([*WHOLE[:4], *deltas, end([])])
    assert [each["logprobs"] for each in seen.of("output_text.done")] == [[one, two]]


def test_log_probabilities_told_only_at_the_end_stay() -> None:
    probabilities = [{"token": "Hello", "logprob": -0.5}]
    events = [*WHOLE[:6], event("output_text.done", **PLACE, text="Hello", logprobs=probabilities), end([])]
    assert Cleaned(events).of("output_text.done")[0]["logprobs"] == probabilities


def test_annotations_of_any_kind_pass_and_are_counted() -> None:
    notes = [{"type": "url_citation", "url": "u"}, {"type": "new_kind", "x": {"y": 1}}]
    told = [
        event("output_text.annotation.added", **PLACE, annotation_index=5, annotation=note) for note in notes
    ]
    seen = Cleaned([*WHOLE[:6], *told, end([])])
    assert [each["annotation_index"] for each in seen.of("output_text.annotation.added")] == [0, 1]
    assert seen.output[0]["content"][0]["annotations"] == notes
    assert seen.losses == []


def test_an_annotation_shown_when_its_part_is_over_stands_in_the_item() -> None:
    late = message("Hello")
    late["content"] = [PART | {"text": "Hello", "annotations": [{"type": "new_kind"}]}]
    seen = Cleaned([*WHOLE[:8], done(late), end([late])])
    assert seen.of("output_text.annotation.added") == []
    assert seen.output == [late]


def test_an_unknown_part_passes() -> None:
    audio = {"type": "output_audio", "data": "AAAA", "transcript": "hi"}
    place = PLACE | {"content_index": 1}
    whole = message("Hello", content=[PART | {"text": "Hello"}, audio])
    events = [
        *WHOLE[:8],
        event("content_part.added", **place, part=audio | {"data": ""}),
        event("content_part.done", **place, part=audio),
        done(whole),
        end([whole]),
    ]
    seen = Cleaned(events)
    assert seen.events == events
    assert seen.losses == []


def test_arguments_only_in_the_item_are_streamed() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "", "id": "fc_1"}
    seen = Cleaned([head(), added(call), done({**call, "arguments": '{"a":1}'}), end([])])
    assert [each["delta"] for each in seen.of("function_call_arguments.delta")] == ['{"a":1}']
    assert [each["arguments"] for each in seen.of("function_call_arguments.done")] == ['{"a":1}']


def test_empty_arguments_told_as_done_wait_for_the_item() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "", "id": "fc_1"}
    told = event("function_call_arguments.done", item_id="fc_1", output_index=0, name="f", arguments="")
    seen = Cleaned([head(), added(call), told, done({**call, "arguments": '{"a":1}'}), end([])])
    assert [each["arguments"] for each in seen.of("function_call_arguments.done")] == ['{"a":1}']


def test_a_declared_custom_tool_becomes_a_custom_call() -> None:
    tools = {"tools": [{"type": "custom", "name": "f"}]}
    context = transcodec.Context.from_request(json.dumps(tools).encode(), format=FORMAT)
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"input":"x"}', "id": "fc_1"}
    [item] = Cleaned([head(), done(call), end([call])], context=context).output
    assert item == {
        "id": "fc_1",
        "type": "custom_tool_call",
        "status": "completed",
        "call_id": "c",
        "name": "f",
        "input": "x",
    }


def test_opaque_state_and_unknown_members_ride_along_as_seen_last() -> None:
    reasoning = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "A", "x": 1}
    last = {**reasoning, "encrypted_content": "B", "x": None}
    seen = Cleaned([head(), added({**reasoning, "encrypted_content": None}), done(reasoning), end([last])])
    assert [each["item"]["encrypted_content"] for each in seen.of("output_item.done")] == ["A"]
    assert seen.output == [{**reasoning, "encrypted_content": "B"}]
    assert seen.losses == []


def test_an_empty_content_of_reasoning_stays_everywhere() -> None:
    reasoning = {"id": "rs_1", "type": "reasoning", "summary": []}
    seen = Cleaned([head(), added(reasoning), done(reasoning | {"content": []}), end([reasoning])])
    assert seen.of("output_item.done")[0]["item"] == reasoning | {"content": []}
    assert seen.output == [reasoning | {"content": []}]


def test_members_of_counts_ride_along() -> None:
    assert Cleaned(WHOLE).events[-1]["response"]["usage"] == USAGE


def test_missing_counts_are_made() -> None:
    bare = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    usage = Cleaned([head(), head("completed", status="completed", usage=bare)]).events[-1]["response"][
        "usage"
    ]
    assert usage == {
        **bare,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }


SEARCH: Event = {"id": "mcp_a", "type": "mcp_call", "server_label": "s", "name": "find", "arguments": ""}


def test_foreign_items_pass_under_one_id() -> None:
    last = {**SEARCH, "id": "mcp_c", "output": "res"}
    progress = event("mcp_call.completed", item_id="mcp_b", output_index=3, further=1)
    seen = Cleaned([head(), added(SEARCH, 3), progress, done(last, 3), end([last])])
    right = {**last, "id": "mcp_a"}
    assert seen.events[1:-1] == [
        added(SEARCH),
        event("mcp_call.completed", item_id="mcp_a", output_index=0, further=1),
        done(right),
    ]
    assert seen.output == [right]
    assert seen.losses == []


def test_a_foreign_item_in_the_last_word_alone_is_announced() -> None:
    seen = Cleaned([head(), end([SEARCH])])
    assert seen.events[1:-1] == [added(SEARCH), done(SEARCH)]
    assert seen.output == [SEARCH]


def test_a_foreign_item_that_nobody_closes_is_closed() -> None:
    seen = Cleaned([head(), added(SEARCH), end([])])
    assert seen.kinds == ["created", "output_item.added", "output_item.done", "completed"]
    assert seen.output == [SEARCH]


def test_progress_without_index_finds_its_item_by_id() -> None:
    progress = event("mcp_call.in_progress", item_id="mcp_a")
    seen = Cleaned([head(), added(MESSAGE), added(SEARCH, 1), progress, end([])])
    assert seen.of("mcp_call.in_progress") == [progress]


def test_unknown_events_pass() -> None:
    strange = {"type": "vendor.limits", "rest": [1, {"a": None}]}
    seen = Cleaned([head(), strange, end([])])
    assert seen.events[1] == strange
    assert seen.losses == []


def test_what_comes_before_the_answer_follows_its_start() -> None:
    strange = {"type": "vendor.limits", "rest": 1}
    seen = Cleaned([strange, *WHOLE])
    assert seen.events == [WHOLE[0], strange, *WHOLE[1:]]


def test_a_type_that_would_break_the_line_names_no_event() -> None:
    wire = framed([head(), {"type": "a\nb"}])
    output = transcodec.StreamTranslator(FORMAT, FORMAT).feed(wire)
    assert output.endswith(b'\n\ndata: {"type":"a\\nb","sequence_number":1}\n\n')


def test_the_event_line_stands_in_for_a_missing_type() -> None:
    payload = json.dumps({key: value for key, value in delta("a").items() if key != "type"})
    wire = framed([head()]) + f"event: response.output_text.delta\ndata: {payload}\n\n".encode()
    output = transcodec.StreamTranslator(FORMAT, FORMAT).feed(wire)
    assert read(output)[-1] == delta("a")


@pytest.mark.parametrize(("word", "kind"), [("done", "completed"), ("completed", "completed")])
def test_the_last_event_has_the_word_of_the_format(word: str, kind: str) -> None:
    assert Cleaned([head(), head(word, status="completed")]).kinds[-1] == kind


@pytest.mark.parametrize(
    ("reason", "told"), [("max_tokens", "max_output_tokens"), ("content_filter", "content_filter")]
)
def test_a_cut_answer_is_incomplete(reason: str, told: str) -> None:
    cut = message("Hello", status="incomplete")
    events = [*WHOLE[:6], end([cut], "incomplete", incomplete_details={"reason": reason})]
    seen = Cleaned(events)
    assert seen.outcome == "incomplete"
    assert seen.events[-1]["response"]["incomplete_details"] == {"reason": told}
    assert seen.output == [cut]


def test_items_that_a_cut_answer_leaves_open_are_incomplete() -> None:
    seen = Cleaned([*WHOLE[:6], end([], "incomplete", incomplete_details={"reason": "max_output_tokens"})])
    assert seen.output == [message("Hello", status="incomplete")]


def test_a_failed_answer_fails_in_its_own_word() -> None:
    error = {"code": "server_error", "message": "no"}
    seen = Cleaned([*WHOLE[:6], head("failed", status="failed", error=error)])
    assert "error" not in seen.kinds
    failed = seen.events[-1]["response"]
    assert (failed["error"], failed["tools"]) == (error, HEAD["tools"])
    assert failed["output"] == [message("Hello", status="incomplete")]
    assert seen.outcome == "failed"


def test_an_error_event_is_followed_by_the_end() -> None:
    seen = Cleaned([head(), {"type": "error", "code": "c", "message": "no", "param": None}])
    assert seen.kinds == ["created", "error", "failed"]


def test_a_sign_of_life_is_no_event() -> None:
    output = transcodec.StreamTranslator(FORMAT, FORMAT).feed(framed([head(), {"type": "keepalive"}]))
    assert output.endswith(b"\n\n: keep-alive\n\n")


def test_one_whole_answer_becomes_a_stream() -> None:
    body = HEAD | {"status": "completed", "output": [message("Hello")], "usage": USAGE}
    output = transcodec.StreamTranslator(FORMAT, FORMAT).feed(json.dumps(body).encode())
    assert read(output)[-1]["response"] == body


def test_the_answer_is_the_last_response_object() -> None:
    translator = transcodec.StreamTranslator(FORMAT, FORMAT, collect=True)
    output = translator.feed(framed([head(), added(SEARCH), *WHOLE[2:]])) + translator.finish()
    assert json.loads(translator.response()) == read(output)[-1]["response"]
    chat = json.loads(translator.response("openai_chat"))
    assert chat["choices"][0]["message"]["content"] == "Hello"
