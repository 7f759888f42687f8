"""What chunks and whole bodies have in common: heads, annotations, usage, joined reasoning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonLiteral, JsonObject, JsonString
from transcodec.reference.json_writer import compact_well_formed, quote
from transcodec.reference.stream.delta import PartKind
from transcodec.reference.stream.hashing import fnv1a_64_hex

if TYPE_CHECKING:
    from transcodec.reference.stream.ordered import Head
    from transcodec.usage import Usage

__all__ = [
    "FIELDS",
    "ReasoningJoiner",
    "head_members",
    "takes_annotation",
    "write_annotation",
    "write_usage",
]

#: The members of a message or delta that take the kinds of text; reasoning goes to the one the caller names.
FIELDS = {PartKind.TEXT: "content", PartKind.REFUSAL: "refusal"}

_MAX_COUNT = 2**64 - 1
#: What the type of a URL citation needs, and what stands for what is missing.
_CITATION = {"end_index": "0", "start_index": "0", "title": '""', "url": '""'}


class ReasoningJoiner:
    """Puts a blank line between two parts of reasoning, of which they may bring line feeds themselves."""

    def __init__(self) -> None:
        self._line_feeds = 0
        self._has_text = False

    def feed(self, text: str, *, begins_part: bool) -> str:
        """The text, with what has to stand before it."""
        if begins_part and self._has_text:
            leading = len(text) - len(text.lstrip("\n"))
            text = "\n" * (2 - min(2, self._line_feeds + leading)) + text
        self._has_text = True
        trailing = len(text) - len(text.rstrip("\n"))
        before = self._line_feeds if trailing == len(text) else 0
        self._line_feeds = min(2, before + trailing)
        return text


def head_members(head: Head, id_seed: str, object_type: str) -> str:
    """The members that begin every chunk and body."""
    response_id = head.response_id
    if response_id is None:
        response_id = f"chatcmpl-{fnv1a_64_hex(id_seed)}"
    model = "unknown" if head.model is None else head.model
    return (
        f'"id":{quote(response_id)},"object":"{object_type}","created":{head.created or 0},'
        f'"model":{quote(model)}'
    )


def takes_annotation(annotation: JsonObject) -> bool:
    """Whether the format has a form for it."""
    kind = annotation.get("type")
    return isinstance(kind, JsonString) and kind.value == "url_citation"


def write_annotation(annotation: JsonObject) -> str:
    """A flat URL citation becomes a nested one, which has all members that its type needs; others stay."""
    if not takes_annotation(annotation):
        return compact_well_formed(annotation)
    nested = annotation.get("url_citation")
    holder = nested if isinstance(nested, JsonObject) else annotation
    members = [
        each
        for each in holder
        if each.key != "type" and not (isinstance(each.value, JsonLiteral) and each.value.value is None)
    ]
    known = {each.key for each in members}
    written = [f"{quote(each.key)}:{compact_well_formed(each.value)}" for each in members]
    written += [f'"{key}":{value}' for key, value in _CITATION.items() if key not in known]
    return f'{{"type":"url_citation","url_citation":{{{",".join(written)}}}}}'


def write_usage(usage: Usage) -> str:
    """The usage object."""
    prompt, completion = usage.input_tokens or 0, usage.output_tokens or 0
    total = min(max(usage.total_tokens or 0, prompt + completion), _MAX_COUNT)
    members = [f'"prompt_tokens":{prompt}', f'"completion_tokens":{completion}', f'"total_tokens":{total}']
    prompt_details = {
        "cached_tokens": usage.cached_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
    }
    members += _details("prompt_tokens_details", prompt_details)
    members += _details("completion_tokens_details", {"reasoning_tokens": usage.reasoning_tokens})
    return f"{{{','.join(members)}}}"


def _details(name: str, counts: dict[str, int | None]) -> list[str]:
    known = [f'"{key}":{count}' for key, count in counts.items() if count is not None]
    return [f'"{name}":{{{",".join(known)}}}'] if known else []
