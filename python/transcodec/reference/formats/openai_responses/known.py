"""Which members of Responses events are known, object by object (DESIGN.md, section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.stream.clean.levels import Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transcodec.reference.json_reader import JsonObject
    from transcodec.reference.stream.clean.tree import Members

__all__ = ["EVENT", "ITEM", "PART", "RESPONSE", "USAGE", "WHOLE"]


def _unpaired(written: Sequence[Members], _source: Sequence[JsonObject]) -> list[JsonObject | None]:
    """What is unknown in elements rides along as shown last: nothing is left to be taken over."""
    return [None for _ in written]


PART = Level(frozenset({"type", "text", "refusal", "annotations"}))
ITEM = Level(
    frozenset(
        {"id", "type", "status", "role", "content", "summary", "call_id", "name", "arguments", "input"}
    ),
    lists={"content": (PART, _unpaired), "summary": (PART, _unpaired)},
)
USAGE = Level(
    frozenset(
        {
            "input_tokens",
            "output_tokens",
            "total_tokens",
            "input_tokens_details",
            "output_tokens_details",
        }
    ),
    objects={
        "input_tokens_details": Level(frozenset({"cached_tokens", "cache_write_tokens"})),
        "output_tokens_details": Level(frozenset({"reasoning_tokens"})),
    },
)
RESPONSE = Level(
    frozenset(
        {
            "id",
            "object",
            "created_at",
            "status",
            "output",
            "usage",
            "error",
            "incomplete_details",
            "model",
        }
    ),
    objects={
        "usage": USAGE,
        "error": Level(frozenset({"code", "message"})),
        "incomplete_details": Level(frozenset({"reason"})),
    },
    lists={"output": (ITEM, _unpaired)},
)
EVENT = Level(
    frozenset(
        {
            "type",
            "sequence_number",
            "item_id",
            "output_index",
            "content_index",
            "summary_index",
            "annotation_index",
            "delta",
            "text",
            "refusal",
            "arguments",
            "input",
            "name",
            "item",
            "part",
            "annotation",
            "response",
            "logprobs",
            "code",
            "message",
            "param",
        }
    ),
    objects={"item": ITEM, "part": PART, "response": RESPONSE},
    # In the event that ends a call's arguments; most servers leave it out.
    optional=frozenset({"name"}),
)
#: The response object as a whole body, or an error in its place.
WHOLE = Level(
    RESPONSE.known,
    objects={
        "usage": Level(
            USAGE.known,
            objects={
                name: Level(level.known, whole=True, counts=True) for name, level in USAGE.objects.items()
            },
            whole=True,
            counts=True,
        ),
        "error": Level(frozenset({"message", "type", "param", "code"}), whole=True),
        "incomplete_details": RESPONSE.objects["incomplete_details"],
    },
    lists=RESPONSE.lists,
    whole=True,
)
