"""Text that loads a codec as real text does, made up from a seed: source code, prose, opaque state, ids.

What counts is the mix of lengths, escapes and non-ASCII characters, which the workloads' tests pin.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
from collections.abc import Iterator
from typing import Any, Final

Json = dict[str, Any]

NOUNS: Final = [
    *("buffer", "cursor", "event", "index", "reader", "record", "segment", "signal", "state", "window"),
    *("gateway", "history", "message", "pairing", "referee", "snapshot", "surrogate", "transcript"),
]
VERBS: Final = ["append", "carry", "close", "copy", "drop", "fold", "hold", "match", "open", "split", "take"]
SMALL: Final = ["a", "an", "and", "as", "at", "by", "for", "if", "in", "is", "it", "of", "on", "the", "to"]
RARE: Final = ["naïve", "café", "the model’s", "“quoted”", "—", "🚀", "größer", "données"]


def identifier(prefix: str, seed: str, characters: int = 50) -> str:
    """An id as long as those of the live API, the same on every run."""
    return f"{prefix}_{hashlib.sha256(f'{prefix} {seed}'.encode()).hexdigest()[:characters]}"


def opaque_state(seed: str, characters: int) -> str:
    """Base64 text such as encrypted reasoning."""
    return base64.b64encode(hashlib.shake_256(seed.encode()).digest(characters)).decode()[:characters]


def prose(seed: str, characters: int) -> str:
    """Paragraphs with quotes, code spans and now and then a character beyond ASCII."""
    dice = random.Random(seed)  # noqa: S311 -- no secret, the same on every run
    words: list[str] = []
    length = 0
    while length < characters:
        word = dice.choice(SMALL if dice.random() < 0.45 else NOUNS + VERBS)
        if dice.random() < 0.03:
            word = dice.choice(RARE)
        if dice.random() < 0.08:
            word = f'"{word}"' if dice.random() < 0.6 else f"`{word}()`"
        if dice.random() < 0.12:
            word += dice.choice([",", ".", ";", ":"])
        words.append(word + dice.choice([" "] * 9 + ["\n", "\n\n"]))
        length += len(words[-1])
    return "".join(words)[:characters]


def source_code(seed: str, characters: int) -> str:
    """Python with indentation, docstrings and string literals."""
    dice = random.Random(seed)  # noqa: S311 -- no secret, the same on every run
    lines: list[str] = []
    length = 0
    while length < characters:
        verb, noun, other = dice.choice(VERBS), dice.choice(NOUNS), dice.choice(NOUNS)
        lines += [
            f"def {verb}_{noun}({noun}, /, *, {other}=None):\n",
            f'    """{verb.title()} the {noun} unless its {other} is closed.\n\n',
            f"    >>> {verb}_{noun}([1, 2], {other}='x')\n",
            '    """\n',
            f"    if {noun} is None:\n",
            f'        raise ValueError(f"no {noun} to {verb}: {{{other}!r}}")\n',
            f"    return [{verb}(each) for each in {noun} if each != {dice.randrange(1000)}]\n\n\n",
        ]
        length = sum(map(len, lines))
    return "".join(lines)[:characters]


def cut(text: str, seed: str, shortest: int, longest: int) -> Iterator[str]:
    """Pieces of random length, as arguments arrive."""
    dice = random.Random(seed)  # noqa: S311 -- no secret, the same on every run
    at = 0
    while at < len(text):
        end = at + dice.randint(shortest, longest)
        yield text[at:end]
        at = end


def tokens(text: str, seed: str) -> Iterator[str]:
    """Pieces of the size of a model's tokens: a word with its space, a part of a word, or punctuation."""
    return cut(text, seed, 1, 7)


def padding(number: int) -> str:
    """What `obfuscation` holds: random length, to hide that of the token."""
    return opaque_state(str(number), 4 + number * 7 % 12).replace("+", "x").replace("/", "y")


def tools(count: int) -> list[Json]:
    """Function declarations as a coding agent sends them; servers repeat them in the response object."""
    declared = []
    for number in range(count):
        members = {noun: {"type": "string", "description": f"The {noun}"} for noun in NOUNS[:3]}
        schema = {"type": "object", "properties": members, "required": list(members)}
        described = prose(f"tool {number}", 240)
        parameters = schema | {"additionalProperties": False}
        name = f"{VERBS[number]}_{NOUNS[number]}"
        declared.append(
            {"type": "function", "name": name, "description": described, "parameters": parameters}
            | {"strict": True}
        )
    return declared


def compact(value: Any) -> str:
    """JSON as servers write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
