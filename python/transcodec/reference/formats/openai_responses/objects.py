"""The objects of a response: itself, its items, its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonLiteral, JsonObject, JsonString
from transcodec.reference.json_writer import compact_well_formed, quote
from transcodec.reference.stream.delta import PartKind
from transcodec.reference.stream.hashing import fnv1a_64_hex
from transcodec.reference.stream.snapshot import AnswerCall

if TYPE_CHECKING:
    from transcodec.reference.stream.delta import Fault
    from transcodec.reference.stream.ordered import Head
    from transcodec.reference.stream.snapshot import AnswerItem, AnswerPart, Snapshot
    from transcodec.usage import Usage

__all__ = [
    "fault_code",
    "final_status",
    "is_reasoning",
    "item_id",
    "response_id",
    "response_object",
    "takes_annotation",
    "write_annotation",
    "write_item",
    "write_output",
    "write_part",
]

_ANNOTATIONS = {"url_citation", "file_citation", "container_file_citation", "file_path"}
#: What the type of a URL citation needs, and what stands for what is missing.
_CITATION = {"start_index": "0", "end_index": "0", "title": '""', "url": '""'}
_REASONING_KINDS = (PartKind.SUMMARY, PartKind.REASONING)


def response_id(head: Head, id_seed: str) -> str:
    """The caller's id; the source's, with the prefix that clients look for; or one derived from the seed."""
    if head.response_id is None:
        return f"resp_{fnv1a_64_hex(id_seed)}"
    is_fitting = head.id_is_given or head.response_id.startswith("resp_")
    return head.response_id if is_fitting else f"resp_{head.response_id}"


def item_id(item: AnswerItem | AnswerCall, of_response: str, output_index: int) -> str:
    """An id that is the same in every event about the item."""
    if isinstance(item, AnswerCall):
        prefix = "ctc" if item.custom else "fc"
    else:
        prefix = "rs" if is_reasoning(item) else "msg"
    return f"{prefix}_{fnv1a_64_hex(of_response)}_{output_index}"


def is_reasoning(item: AnswerItem) -> bool:
    """Whether its parts are reasoning."""
    return item.parts[0].kind in _REASONING_KINDS


def response_object(
    snapshot: Snapshot,
    id_seed: str,
    status: str,
    output: str,
    *,
    usage: Usage | None = None,
    error: Fault | None = None,
) -> str:
    """The response with all members that its type needs."""
    head = snapshot.head
    model = "unknown" if head.model is None else head.model
    code = "" if error is None else f'{{"code":{quote(fault_code(error))},"message":{quote(error.message)}}}'
    reason = "max_output_tokens" if _reason_of(snapshot) == "length" else "content_filter"
    details = f'{{"reason":"{reason}"}}' if status == "incomplete" else "null"
    return (
        f'{{"id":{quote(response_id(head, id_seed))},"object":"response","created_at":{head.created or 0},'
        f'"status":"{status}","error":{code or "null"},"incomplete_details":{details},"instructions":null,'
        f'"metadata":{{}},"model":{quote(model)},"output":[{output}],"parallel_tool_calls":true,'
        f'"temperature":null,"tool_choice":"auto","tools":[],"top_p":null,"usage":{_usage(usage)}}}'
    )


def final_status(snapshot: Snapshot) -> str:
    """How an answer that ended well ended."""
    return "incomplete" if _reason_of(snapshot) in ("length", "content_filter") else "completed"


def fault_code(fault: Fault) -> str:
    """A code there must be."""
    return fault.code or fault.type or "server_error"


def write_output(snapshot: Snapshot, id_seed: str) -> str:
    """All items as they are; those that are open are incomplete."""
    of_response = response_id(snapshot.head, id_seed)
    items = snapshot.choices[0].items if 0 in snapshot.choices else []
    return ",".join(
        write_item(item, item_id(item, of_response, index), _status(item)) for index, item in enumerate(items)
    )


def write_item(item: AnswerItem | AnswerCall, its_id: str, status: str, *, empty: bool = False) -> str:
    """An item; `empty` leaves its parts and its text out, as when it is announced."""
    if isinstance(item, AnswerCall):
        kind, member = ("custom_tool_call", "input") if item.custom else ("function_call", "arguments")
        return (
            f'{{"id":{quote(its_id)},"type":"{kind}","status":"{status}","call_id":{quote(item.call_id)},'
            f'"name":{quote(item.name)},"{member}":{quote("" if empty else item.text)}}}'
        )
    parts = [] if empty else item.parts
    if not is_reasoning(item):
        content = ",".join(map(write_part, parts))
        return (
            f'{{"id":{quote(its_id)},"type":"message","status":"{status}","role":"assistant",'
            f'"content":[{content}]}}'
        )
    summary, content = (
        ",".join(write_part(part) for part in parts if part.kind is kind) for kind in _REASONING_KINDS
    )
    behind = f',"content":[{content}]' if content else ""
    return f'{{"id":{quote(its_id)},"type":"reasoning","summary":[{summary}]{behind}}}'


def write_part(part: AnswerPart, *, empty: bool = False) -> str:
    """A part; `empty` leaves its text out, as when it is announced."""
    text = quote("" if empty else part.text)
    if part.kind is PartKind.REFUSAL:
        return f'{{"type":"refusal","refusal":{text}}}'
    if part.kind is PartKind.TEXT:
        annotations = "" if empty else ",".join(map(write_annotation, part.annotations))
        return f'{{"type":"output_text","text":{text},"annotations":[{annotations}],"logprobs":[]}}'
    kind = "summary_text" if part.kind is PartKind.SUMMARY else "reasoning_text"
    return f'{{"type":"{kind}","text":{text}}}'


def takes_annotation(annotation: JsonObject) -> bool:
    """Whether the format has a form for it."""
    kind = annotation.get("type")
    return isinstance(kind, JsonString) and kind.value in _ANNOTATIONS


def write_annotation(annotation: JsonObject) -> str:
    """A nested URL citation becomes a flat one, which has all members that its type needs."""
    kind = annotation.get("type")
    if not isinstance(kind, JsonString) or kind.value != "url_citation":
        return compact_well_formed(annotation)
    nested = annotation.get("url_citation")
    holder = nested if isinstance(nested, JsonObject) else annotation
    members = [
        each
        for each in holder
        if each.key != "type"
        and not (each.key in _CITATION and isinstance(each.value, JsonLiteral) and each.value.value is None)
    ]
    written = ['"type":"url_citation"']
    written += [f"{quote(each.key)}:{compact_well_formed(each.value)}" for each in members]
    known = {each.key for each in members}
    written += [f'"{key}":{value}' for key, value in _CITATION.items() if key not in known]
    return f"{{{','.join(written)}}}"


def _status(item: AnswerItem | AnswerCall) -> str:
    return "completed" if item.complete else "incomplete"


def _reason_of(snapshot: Snapshot) -> str | None:
    return snapshot.choices[0].reason if 0 in snapshot.choices else None


def _usage(usage: Usage | None) -> str:
    if usage is None:
        return "null"
    read, written = usage.input_tokens or 0, usage.output_tokens or 0
    total = min(max(usage.total_tokens or 0, read + written), 2**64 - 1)
    reasoning = usage.reasoning_tokens or 0
    return (
        f'{{"input_tokens":{read},"input_tokens_details":{{"cached_tokens":{usage.cached_tokens or 0},'
        f'"cache_write_tokens":{usage.cache_write_tokens or 0}}},"output_tokens":{written},'
        f'"output_tokens_details":{{"reasoning_tokens":{reasoning}}},"total_tokens":{total}}}'
    )
