"""A whole Chat answer, written from a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_chat.members import (
    FIELDS,
    ReasoningJoiner,
    head_members,
    takes_annotation,
    write_annotation,
    write_usage,
)
from transcodec.reference.json_writer import compact_well_formed, escape_text, keep_on_one_line, quote
from transcodec.reference.stream.delta import PartKind
from transcodec.reference.stream.error_object import write_error

if TYPE_CHECKING:
    from transcodec.reference.stream.delta import Fault
    from transcodec.reference.stream.encoder import EncoderOptions
    from transcodec.reference.stream.snapshot import AnswerCall, AnswerChoice, Snapshot

__all__ = ["write_body", "write_error_body"]


def write_body(snapshot: Snapshot, options: EncoderOptions) -> str:
    """The body. Usage is in it whenever counts are known: only streams can leave it out."""
    choices = ",".join(
        _choice(number, choice, options) for number, choice in sorted(snapshot.choices.items())
    )
    head = head_members(snapshot.head, options.id_seed, "chat.completion")
    usage = "" if snapshot.usage is None else f',"usage":{write_usage(snapshot.usage)}'
    return keep_on_one_line(f'{{{head},"choices":[{choices}]{usage}}}')


def write_error_body(fault: Fault) -> str:
    """What stands in the place of a body, and in a stream."""
    return keep_on_one_line(write_error(fault, "upstream_error"))


def _choice(number: int, choice: AnswerChoice, options: EncoderOptions) -> str:
    members = ['"role":"assistant"']
    members += [
        f"{quote(FIELDS[kind])}:{quote(_joined(choice, kind))}" for kind in (PartKind.TEXT, PartKind.REFUSAL)
    ]
    reasoning = _reasoning(choice)
    if reasoning and options.reasoning_field is not None:
        members.append(f"{quote(options.reasoning_field)}:{quote(reasoning)}")
    if choice.calls:
        members.append(f'"tool_calls":[{",".join(_call(call, options) for call in choice.calls)}]')
    if options.same_format:
        annotations = [*map(compact_well_formed, choice.annotations)]
    else:
        annotations = [write_annotation(each) for each in choice.annotations if takes_annotation(each)]
    if annotations:
        members.append(f'"annotations":[{",".join(annotations)}]')
    return (
        f'{{"index":{number},"message":{{{",".join(members)}}}{_logprobs(choice)},'
        f'"finish_reason":{quote(choice.reason)}}}'
    )


def _joined(choice: AnswerChoice, kind: PartKind) -> str | None:
    return "".join(part.text for part in choice.parts() if part.kind is kind) or None


def _reasoning(choice: AnswerChoice) -> str:
    joiner = ReasoningJoiner()
    parts = (part for part in choice.parts() if part.kind not in FIELDS)
    return "".join(joiner.feed(part.text, begins_part=part.first) for part in parts)


def _logprobs(choice: AnswerChoice) -> str:
    content, refusal = (
        [each for part in choice.parts() if part.kind is kind for each in part.logprobs]
        for kind in (PartKind.TEXT, PartKind.REFUSAL)
    )
    if not content and not refusal:
        return ""
    return f',"logprobs":{{"content":{_array_or_null(content)},"refusal":{_array_or_null(refusal)}}}'


def _array_or_null(elements: list[str]) -> str:
    return f"[{','.join(elements)}]" if elements else "null"


def _call(call: AnswerCall, options: EncoderOptions) -> str:
    name = quote(call.name)
    if call.custom and (options.same_format or options.tools.get(call.name) == "custom"):
        kind, body = "custom", f'"name":{name},"input":{quote(call.text)}'
    else:
        text = f'{{"input":"{escape_text(call.text)}"}}' if call.custom else call.text
        kind, body = "function", f'"name":{name},"arguments":{quote(text)}'
    return f'{{"id":{quote(call.call_id)},"type":"{kind}","{kind}":{{{body}}}}}'
