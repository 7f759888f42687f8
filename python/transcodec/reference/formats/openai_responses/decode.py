"""Responses events to deltas: the tables of docs/formats/openai_responses.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_responses.items import Item, part_deltas
from transcodec.reference.json_reader import InvalidJson, JsonNumber, JsonObject, JsonString, read_json
from transcodec.reference.members import Members, as_object, below
from transcodec.reference.stream import delta as d
from transcodec.reference.stream.delta import PartKind, Sight
from transcodec.reference.stream.error_object import fault_of, fault_word
from transcodec.reference.stream.token_counts import CountNames, usage_deltas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transcodec.reference.json_reader import JsonNode

__all__ = ["ResponsesDecoder"]

_STARTS = {"response.created", "response.in_progress", "response.queued"}
_ALIVE = {"keepalive", "ping"}
_TERMINAL = {
    "response.completed": "completed",
    "response.done": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}
#: Event type: kind of the text, member with its number.
_APPENDS: dict[str, tuple[PartKind, str | None]] = {
    "response.output_text.delta": (PartKind.TEXT, "content_index"),
    "response.refusal.delta": (PartKind.REFUSAL, "content_index"),
    "response.reasoning_summary_text.delta": (PartKind.SUMMARY, "summary_index"),
    "response.reasoning_text.delta": (PartKind.REASONING, "content_index"),
    "response.function_call_arguments.delta": (PartKind.ARGUMENTS, None),
    "response.custom_tool_call_input.delta": (PartKind.INPUT, None),
}
#: Event type: kind of the text, member with its number, member with the text.
_SNAPSHOTS: dict[str, tuple[PartKind, str | None, str]] = {
    "response.output_text.done": (PartKind.TEXT, "content_index", "text"),
    "response.refusal.done": (PartKind.REFUSAL, "content_index", "refusal"),
    "response.reasoning_summary_text.done": (PartKind.SUMMARY, "summary_index", "text"),
    "response.reasoning_text.done": (PartKind.REASONING, "content_index", "text"),
    "response.function_call_arguments.done": (PartKind.ARGUMENTS, None, "arguments"),
    "response.custom_tool_call_input.done": (PartKind.INPUT, None, "input"),
}
#: Event type: where the part stands in its item, member with its number.
_PARTS = {
    "response.content_part.added": ("content", "content_index"),
    "response.content_part.done": ("content", "content_index"),
    "response.reasoning_part.added": ("reasoning_content", "content_index"),
    "response.reasoning_part.done": ("reasoning_content", "content_index"),
    "response.reasoning_summary_part.added": ("summary", "summary_index"),
    "response.reasoning_summary_part.done": ("summary", "summary_index"),
}
_HOSTED_STEMS = {
    "apply_patch_call_operation_diff",
    "code_interpreter_call",
    "code_interpreter_call_code",
    "computer_call",
    "file_search_call",
    "image_generation_call",
    "local_shell_call",
    "mcp_call",
    "mcp_call_arguments",
    "mcp_list_tools",
    "shell_call_command",
    "shell_call_output_content",
    "tool_search_call",
    "web_search_call",
    "x_search_call",
}
_COUNTS = CountNames(
    {"input_tokens": "input_tokens", "output_tokens": "output_tokens", "total_tokens": "total_tokens"},
    {
        "input_tokens_details": {
            "cached_tokens": "cached_tokens",
            "cache_write_tokens": "cache_write_tokens",
        },
        "output_tokens_details": {"reasoning_tokens": "reasoning_tokens"},
    },
)


class ResponsesDecoder:
    """Reads events one at a time and remembers nothing. Only a terminal event ends a stream.

    Args:
        mirrored: Say also what only a target of the same format has to know.
    """

    growing_names = False

    def __init__(self, *, mirrored: bool) -> None:
        self._mirrored = mirrored
        #: An `error` event ended the answer: servers let the response object that says it follow.
        self._ended_by_error = False

    def event(self, root: JsonNode, name: str | None, path: str) -> list[d.Delta]:
        """The deltas of one event; `name` is that of its `event:` line."""
        event = as_object(root, path)
        kind = event.word("type") or name
        deltas = list(_event_deltas(event, kind, mirrored=self._mirrored))
        self._ended_by_error = any(isinstance(each, d.Fault) and not each.in_response for each in deltas)
        return deltas

    def body(self, root: JsonNode) -> list[d.Delta]:
        """The deltas of an input that is one JSON object."""
        body = as_object(root, "")
        kind = body.get("object")
        if isinstance(kind, JsonString) and kind.value == "response":
            return list(_terminal(body, "completed", mirrored=self._mirrored))
        if isinstance(body.get("error"), JsonObject):
            return [_fault_of_event(body)]
        return list(_event_deltas(body, body.word("type"), mirrored=self._mirrored))

    def done_mark(self) -> list[d.Delta]:
        """Nothing."""
        return []

    def completes_end(self, event: bytes, name: str | None) -> bool:
        """Whether it is the failed response behind an error."""
        follows_error, self._ended_by_error = self._ended_by_error, False
        if not follows_error:
            return False
        try:
            root = read_json(event)
        except InvalidJson:
            return False
        kind = root.get("type") if isinstance(root, JsonObject) else None
        return ((kind.value if isinstance(kind, JsonString) else "") or name) == "response.failed"

    def end_of_input(self) -> list[d.Delta]:
        """Nothing."""
        return []


def _event_deltas(event: Members, kind: str | None, *, mirrored: bool) -> Iterator[d.Delta]:
    if kind in _STARTS:
        response = event.object("response")
        if response is not None:
            yield _start(response)
            if mirrored:
                yield d.ResponseShown(response.node, (kind or "").removeprefix("response."))
    elif kind in _APPENDS:
        yield from _append(event, *_APPENDS[kind])
    elif kind in _SNAPSHOTS:
        for said in _snapshot(event, *_SNAPSHOTS[kind]):
            yield said
            if mirrored and isinstance(said, d.Whole):
                yield d.TextDone(said.key, said.kind, said.number, said.logprobs)
    elif kind in _PARTS:
        place, number_member = _PARTS[kind]
        key, number = _key(event), event.unsigned(number_member) or 0
        part = event.object("part")
        if part is not None:
            done = (kind or "").endswith(".done")
            yield from part_deltas(key, part, place, number, mirrored=mirrored, done=done)
    elif kind == "response.output_text.annotation.added":
        key, number = _key(event), event.unsigned("content_index") or 0
        annotation = event.get("annotation")
        if annotation is not None:
            yield d.Note(key, number, annotation, event.at("annotation"))
    elif kind in ("response.output_item.added", "response.output_item.done"):
        index, item_id = event.unsigned("output_index"), event.word("item_id")
        members = event.object("item")
        if members is not None:
            done = kind == "response.output_item.done"
            sight = Sight.DONE if done else Sight.ANNOUNCED
            yield from Item(members, index, item_id, sight, mirrored).deltas()
    elif kind in _TERMINAL:
        yield from _terminal(event.object("response"), _TERMINAL[kind], event.path, mirrored=mirrored)
    elif kind == "error" or (kind is None and isinstance(event.get("error"), JsonObject)):
        yield _fault_of_event(event)
    elif kind in _ALIVE:
        yield d.Alive()
    elif mirrored:
        yield d.Passing(_loose_key(event), kind or "", event.node)
    elif not _is_hosted(kind or ""):
        yield d.Lost("event.unknown", event.path, kind or "", once=f"type {kind}")


def _is_hosted(kind: str) -> bool:
    """Whether this is the progress of a hosted tool: `response.<stem>.<anything>`."""
    steps = kind.split(".")
    return len(steps) > 2 and steps[0] == "response" and steps[1] in _HOSTED_STEMS


def _loose_key(event: Members) -> d.Key:
    """The key of an event whose members nobody has to understand."""
    index, item_id = event.node.get("output_index"), event.node.get("item_id")
    return d.Key(
        index.unsigned() if isinstance(index, JsonNumber) else None,
        (item_id.value or None) if isinstance(item_id, JsonString) else None,
        event.path,
    )


def _key(event: Members) -> d.Key:
    return d.Key(event.unsigned("output_index"), event.word("item_id"), event.path)


def _start(response: Members) -> d.Start:
    return d.Start(
        response.word("id"), response.word("model"), response.integer_part("created_at"), response.path
    )


def _append(event: Members, kind: PartKind, number_member: str | None) -> Iterator[d.Delta]:
    key = _key(event)
    number = (event.unsigned(number_member) or 0) if number_member else 0
    logprobs = _logprobs(event) if kind is PartKind.TEXT else None
    yield d.Append(key, kind, number, event.string("delta") or "", event.at("delta"), logprobs)


def _snapshot(event: Members, kind: PartKind, number_member: str | None, member: str) -> Iterator[d.Delta]:
    key = _key(event)
    number = (event.unsigned(number_member) or 0) if number_member else 0
    logprobs = _logprobs(event) if kind is PartKind.TEXT else None
    name = event.word("name") if kind is PartKind.ARGUMENTS else None
    text = event.string(member) or ""
    yield d.Whole(key, kind, number, text, event.at(member), logprobs, name=name)


def _logprobs(holder: Members) -> JsonNode | None:
    return holder.get("logprobs") if holder.array("logprobs") else None


def _terminal(response: Members | None, word: str, path: str = "", *, mirrored: bool) -> Iterator[d.Delta]:
    """The object that ends the answer; `word` is what the event's type says about how."""
    if response is None:
        status = word
    else:
        yield _start(response)
        if mirrored:
            yield d.ResponseShown(response.node, "")
        said = response.string("status") or ""
        status = said if said in _TERMINAL.values() else word
        if status in ("completed", "incomplete"):
            for item, item_path in response.array("output"):
                yield from Item(as_object(item, item_path), None, None, Sight.TERMINAL, mirrored).deltas()
        usage = response.object("usage")
        if usage is not None:
            yield from usage_deltas(usage, _COUNTS)
    if status == "failed":
        yield _fault_of_response(response, path)
        return
    if status == "cancelled":
        is_told = response is not None
        yield d.Fault("the response was cancelled", code="cancelled", path=path, in_response=is_told)
        return
    yield d.Finish(_incomplete_reason(response) if status == "incomplete" else "stop")
    yield d.End()


def _incomplete_reason(response: Members | None) -> d.FinishReason:
    details = None if response is None else response.object("incomplete_details")
    reason = None if details is None else details.string("reason")
    return "content_filter" if reason == "content_filter" else "length"


def _fault_of_response(response: Members | None, path: str) -> d.Fault:
    error = None if response is None else response.get("error")
    if not isinstance(error, JsonObject) or response is None:
        return d.Fault("the response failed", path=path, in_response=response is not None)
    members = Members(error, response.at("error"))
    message = fault_word(members, "message") or "the response failed"
    return d.Fault(message, code=fault_word(members, "code"), path=members.path, in_response=True)


def _fault_of_event(event: Members) -> d.Fault:
    error = event.get("error")
    if isinstance(error, JsonObject):
        return fault_of(Members(error, below(event.path, "error")))
    return fault_of(event, has_type=False)
