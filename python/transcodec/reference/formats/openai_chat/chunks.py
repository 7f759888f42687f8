"""Chat chunks as things to compare and put together: what is known in them, what they say, how they add."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonArray, JsonNumber, JsonObject, JsonString
from transcodec.reference.stream.clean.cover import is_empty
from transcodec.reference.stream.clean.levels import Level
from transcodec.reference.stream.clean.tree import members_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from transcodec.reference.stream.clean.tree import Members, Tree

__all__ = [
    "CHUNK",
    "NOISE",
    "SERVER",
    "WHOLE",
    "choices_of",
    "empty_of",
    "fold",
    "has_calls",
    "has_counts",
    "has_unknown",
    "has_unknown_beside",
    "kinds_of",
    "name_reasoning",
    "written_kind",
]

#: Names of the member with reasoning, in the order in which they are looked for.
_REASONING = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
#: Padding that hides the length of the text.
NOISE = "obfuscation"
#: Unknown members of a chunk that describe the server.
SERVER = frozenset({"system_fingerprint", "service_tier", "provider"})


def _by(key: str, default: str | None = None) -> Callable[[Members, JsonObject], bool]:
    """Whether two elements have the same value of a member."""

    def is_same(written: Members, source: JsonObject) -> bool:
        value, found = written.get(key, default), source.get(key)
        if isinstance(found, JsonString):
            return bool(found.value) and value == found.raw.decode()
        return value == (found.raw.decode() if isinstance(found, JsonNumber) else default)

    return is_same


def _pair_choices(written: Sequence[Members], source: Sequence[JsonObject]) -> list[JsonObject | None]:
    same = _by("index", "0")
    return [next((each for each in source if same(one, each)), None) for one in written]


def _pair_calls(written: Sequence[Members], source: Sequence[JsonObject]) -> list[JsonObject | None]:
    same_id, same_index = _by("id"), _by("index")
    pairs = []
    for one in written:
        found = next((each for each in source if "id" in one and same_id(one, each)), None)
        if found is None:
            found = next((each for each in source if same_index(one, each)), None)
        if found is None and len(written) == len(source) == 1:
            found = source[0]
        pairs.append(found)
    return pairs


def _pair_whole_calls(written: Sequence[Members], source: Sequence[JsonObject]) -> list[JsonObject | None]:
    same_id = _by("id")
    pairs = [next((each for each in source if "id" in one and same_id(one, each)), None) for one in written]
    return [source[0]] if pairs == [None] and len(source) == 1 else pairs


_BODY_MEMBERS = frozenset({"name", "arguments", "input"})
_BODY = Level(_BODY_MEMBERS, strict=_BODY_MEMBERS, in_pieces=True)
_CALL_MEMBERS = frozenset({"index", "id", "type", "function", "custom"})
_CALL = Level(
    _CALL_MEMBERS, objects={"function": _BODY, "custom": _BODY}, strict=_CALL_MEMBERS, in_pieces=True
)
_DELTA = Level(
    frozenset({"role", "content", "refusal", "tool_calls", "function_call", "annotations", *_REASONING}),
    lists={"tool_calls": (_CALL, _pair_calls)},
    strict=frozenset({"role", "tool_calls", "function_call"}),
    spellings=_REASONING,
    in_pieces=True,
)
_CHOICE = Level(
    frozenset({"index", "delta", "message", "finish_reason", "logprobs", "error"}),
    objects={"delta": _DELTA, "logprobs": Level(frozenset({"content", "refusal"}))},
    strict=frozenset({"message"}),
)
_USAGE = Level(
    frozenset(
        {
            "prompt_tokens",
            "completion_tokens",
            "total_tokens",
            "prompt_tokens_details",
            "completion_tokens_details",
        }
    ),
    objects={
        "prompt_tokens_details": Level(frozenset({"cached_tokens", "cache_write_tokens"})),
        "completion_tokens_details": Level(frozenset({"reasoning_tokens"})),
    },
    whole=True,
)
CHUNK = Level(
    frozenset({"id", "object", "created", "model", "choices", "usage", "error", "data", "message"}),
    objects={"usage": _USAGE, "error": Level(frozenset({"message", "type", "param", "code"}))},
    lists={"choices": (_CHOICE, _pair_choices)},
    strict=frozenset({"message"}),
)

#: Levels of whole bodies. Calls are the same by their ids: an index is nothing that they need.
_WHOLE_BODY = Level(_BODY_MEMBERS)
_WHOLE_CALL = Level(
    frozenset({"id", "type", "function", "custom"}), objects={"function": _WHOLE_BODY, "custom": _WHOLE_BODY}
)
_MESSAGE = Level(
    _DELTA.known, lists={"tool_calls": (_WHOLE_CALL, _pair_whole_calls)}, spellings=_REASONING, whole=True
)
_WHOLE_CHOICE = Level(
    frozenset({"index", "message", "finish_reason", "logprobs", "error"}),
    objects={"message": _MESSAGE, "logprobs": Level(frozenset({"content", "refusal"}), whole=True)},
    whole=True,
)
WHOLE = Level(
    frozenset({"id", "object", "created", "model", "choices", "usage", "error", "data"}),
    objects={
        "usage": Level(
            _USAGE.known,
            objects={
                name: Level(level.known, whole=True, counts=True) for name, level in _USAGE.objects.items()
            },
            whole=True,
            counts=True,
        ),
        "error": Level(CHUNK.objects["error"].known, whole=True),
    },
    lists={"choices": (_WHOLE_CHOICE, _pair_choices)},
    whole=True,
)


def choices_of(chunk: JsonObject) -> list[JsonObject]:
    """The choices of a chunk of the source."""
    choices = chunk.get("choices")
    return (
        [each for each in choices.items if isinstance(each, JsonObject)]
        if isinstance(choices, JsonArray)
        else []
    )


def empty_of(choice: JsonObject) -> str:
    """A choice that says nothing, with the index of one of the source's."""
    return f'{{"index":{_index_of(choice)},"delta":{{}},"finish_reason":null}}'


def _index_of(choice: JsonObject) -> str:
    index = choice.get("index")
    return index.raw.decode() if isinstance(index, JsonNumber) else "0"


def _delta_of(choice: JsonObject) -> JsonObject | None:
    delta = choice.get("delta")
    return delta if isinstance(delta, JsonObject) else None


def _calls_of(delta: JsonObject) -> list[JsonObject]:
    calls = delta.get("tool_calls")
    return (
        [each for each in calls.items if isinstance(each, JsonObject)] if isinstance(calls, JsonArray) else []
    )


def has_calls(chunk: JsonObject) -> bool:
    """Whether a chunk says something of calls."""
    deltas = [delta for delta in map(_delta_of, choices_of(chunk)) if delta is not None]
    return any(_calls_of(delta) or not is_empty(delta.get("function_call")) for delta in deltas)


def has_unknown(chunk: JsonObject, *, in_choice: bool) -> bool:
    """Whether a delta (or a choice) has a member of unknown name that says something."""
    for choice in choices_of(chunk):
        delta = _delta_of(choice)
        found = _tells(choice, _CHOICE) if in_choice else False
        if delta is not None:
            found |= _tells(delta, _DELTA)
        if found:
            return True
    return False


def _tells(holder: JsonObject, level: Level) -> bool:
    return any(
        each.key not in level.known and each.key != NOISE and not is_empty(each.value) for each in holder
    )


def has_unknown_beside(chunk: JsonObject) -> bool:
    """Whether the chunk itself has such a member that does not just describe the server."""
    return any(
        each.key not in CHUNK.known
        and each.key != NOISE
        and each.key not in SERVER
        and not is_empty(each.value)
        for each in chunk
    )


def has_counts(chunk: JsonObject) -> bool:
    """Whether a chunk has an object of counts."""
    counts = chunk.get("usage")
    return isinstance(counts, JsonObject) and bool(counts.members)


def kinds_of(chunk: JsonObject) -> set[tuple[str, str]]:
    """Which of the things that are written at the end a chunk of the source says, and of which choice."""
    kinds = set()
    for choice in choices_of(chunk):
        number, delta, reason = _index_of(choice), _delta_of(choice), choice.get("finish_reason")
        if not is_empty(reason):
            kinds.add(("finish_reason", number))
        annotations = None if delta is None else delta.get("annotations")
        if not is_empty(annotations):
            kinds.add(("annotations", number))
    if not is_empty(chunk.get("usage")):
        kinds.add(("usage", ""))
    return kinds


def written_kind(chunk: Members) -> tuple[str, str] | None:
    """Which of these a written chunk says; None if it is another."""
    if "usage" in chunk:
        return "usage", ""
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict):
            number, delta = str(choice["index"]), choice["delta"]
            if choice["finish_reason"] != "null":
                return "finish_reason", number
            if "annotations" in delta:
                return "annotations", number
    return None


def name_reasoning(written: Members, source: JsonObject) -> None:
    """Let the reasoning go by the first of its names under which the source has a text."""
    choices = written.get("choices")
    objects = [each for each in choices if isinstance(each, dict)] if isinstance(choices, list) else []
    for choice, other in zip(objects, _pair_choices(objects, choices_of(source)), strict=True):
        of_source = None if other is None else _delta_of(other)
        delta = choice.get("delta")
        if of_source is None or not isinstance(delta, dict):
            continue
        for name in _REASONING:
            found = of_source.get(name)
            if isinstance(found, JsonString) and found.value:
                choice["delta"] = {name if key in _REASONING else key: value for key, value in delta.items()}
                break


def fold(chunks: Sequence[Members]) -> Members:
    """Several chunks as one, put together as a client does."""
    first, *others = chunks
    whole = dict(first)
    for chunk in others:
        whole["choices"] = _fold_elements(whole["choices"], chunk["choices"], _fold_choice)
    return whole


def _fold_elements(these: Tree, those: Tree, fold_pair: Callable[[Members, Members], Members]) -> list[Tree]:
    """Elements of the same index become one; others follow."""
    folded = [each for each in these if isinstance(each, dict)]
    for other in those:
        if not isinstance(other, dict):
            continue
        at = next((at for at, each in enumerate(folded) if each["index"] == other["index"]), None)
        if at is None:
            folded.append(other)
        else:
            folded[at] = fold_pair(folded[at], other)
    return list(folded)


def _fold_choice(this: Members, that: Members) -> Members:
    folded = {"index": this["index"], "delta": _fold_delta(this["delta"], that["delta"])}
    logprobs = [each["logprobs"] for each in (this, that) if "logprobs" in each]
    if len(logprobs) > 1:
        folded["logprobs"] = {
            key: _fold_arrays([members_of(each)[key] for each in logprobs]) for key in ("content", "refusal")
        }
    elif logprobs:
        folded["logprobs"] = logprobs[0]
    folded["finish_reason"] = that["finish_reason"]
    return folded


def _fold_arrays(arrays: Sequence[Tree]) -> Tree:
    lists = [each for each in arrays if isinstance(each, list)]
    return [item for each in lists for item in each] if lists else "null"


def _fold_delta(this: Tree, that: Tree) -> Members:
    folded = dict(members_of(this))
    for key, value in members_of(that).items():
        before = folded.get(key)
        if before is None:
            folded[key] = value
        elif key == "tool_calls":
            folded[key] = _fold_elements(before, value, _fold_call)
        elif key != "role":
            folded[key] = _joined(before, value)
    return folded


def _fold_call(this: Members, that: Members) -> Members:
    folded = dict(this)
    for kind in ("function", "custom"):
        if kind in that:
            body = dict(members_of(folded.get(kind, {})))
            for key, value in members_of(that[kind]).items():
                body[key] = _joined(body[key], value) if key in body else value
            folded[kind] = body
    return folded


def _joined(this: Tree, that: Tree) -> str:
    """Two strings as one."""
    return f"{str(this)[:-1]}{str(that)[1:]}"
