"""What can be odd about a stream: code and sentence. `docs/inspect.md` shows the same list."""

from __future__ import annotations

from typing import Final

__all__ = ["ODDITIES", "markdown_table"]

#: Code: what it means. Codes are a stable interface; new ones may come.
ODDITIES: Final[dict[str, str]] = {
    # the bytes
    "stream.byte_order_mark": "the stream begins with a byte order mark",
    "stream.crlf": "lines end with CR LF",
    "stream.cr": "lines end with a lone CR",
    "stream.fault": "the bytes are no event stream from here on",
    "line.ignored": "a line that is no event-stream field",
    "event.unterminated": "the last event is whole but has no blank line behind it",
    "event.cut": "the input ends inside an event",
    "event.invalid": "the payload is no JSON object",
    "event.duplicate_member": "a member stands twice in one object",
    "event.after_end": "an event behind the end of the answer",
    # Chat chunks
    "chunk.id_missing": "a chunk without an id",
    "chunk.id_changed": "another id than the chunk before",
    "chunk.model_changed": "another model than the chunk before",
    "chunk.object_unknown": "`object` is not `chat.completion.chunk`",
    "choices.missing": "a chunk without `choices`",
    "choices.empty": "`choices` is empty and there is no usage",
    "choice.delta_missing": "a choice without `delta`",
    "choice.message": "a choice with a whole `message`, as bodies have it",
    "role.missing": "no delta of the choice has a role",
    "role.repeated": "a role on a further delta",
    "content.list": "`content` is a list, not a string",
    "content.after_finish": "content behind the finish reason",
    "content.think_tag": "the text begins with `<think>`",
    "function_call.legacy": "`function_call`, which `tool_calls` replaced",
    "finish.missing": "the choice never got a finish reason",
    "finish.repeated": "a further finish reason",
    "finish.unknown": "a finish reason that the format does not have",
    "finish.denies_calls": "finish reason `stop` although there are calls",
    "usage.beside_choices": "usage in a chunk that has choices",
    "usage.repeated": "usage in a further chunk",
    "done.missing": "no `[DONE]` at the end",
    "done.unexpected": "`[DONE]`, which this format does not have",
    # calls
    "call.index_missing": "a call without `index`",
    "call.index_shared": "a new call on an index that is in use",
    "call.id_missing": "the call never got an id",
    "call.id_empty": "an id that is an empty string",
    "call.id_repeated": "the id once more",
    "call.id_changed": "another id for the same call",
    "call.id_shared": "two calls have the same id",
    "call.type_null": "`type` is null",
    "call.type_repeated": "the type once more",
    "call.name_missing": "the call never got a name",
    "call.name_empty": "a name that is an empty string",
    "call.name_repeated": "the name once more",
    "call.name_changed": "another name for the same call, or a further piece of it",
    "call.arguments_null": "arguments are null",
    "call.arguments_not_text": "arguments are an object or another value, not a string",
    "call.arguments_empty": "the call ended without argument text",
    "call.arguments_invalid": "the argument text is no JSON",
    # Responses events
    "event.name_missing": "no `event:` line",
    "event.name_differs": "the `event:` line says another type than the payload",
    "event.type_missing": "the payload has no `type`",
    "sequence.missing": "no `sequence_number`",
    "sequence.gap": "`sequence_number` is not one more than before",
    "created.missing": "no `response.created`",
    "item.index_missing": "an event of an item without `output_index`",
    "item.not_added": "an event of an item that was not added",
    "item.added_twice": "an item on an index whose item is not done",
    "item.id_changed": "another id for the same item",
    "item.not_done": "the item was never done",
    "snapshot.mismatch": "the text of a `done` event is not what the deltas add up to",
    "snapshot.without_deltas": "the text of a `done` event had no delta before it",
    "terminal.missing": "no terminal event",
    "terminal.output_empty": "the terminal object has no output although items were streamed",
}


def markdown_table() -> str:
    """The table of `docs/inspect.md`."""
    rows = [f"| `{code}` | {sentence} |" for code, sentence in ODDITIES.items()]
    return "\n".join(["| code | what |", "|---|---|", *rows]) + "\n"
