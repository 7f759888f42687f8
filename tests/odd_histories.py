"""Histories that are nearly right: rows, entries and messages whose members are odd in every way.

Text, not objects: repeated keys, escapes, white space and spellings are what implementations disagree about.
"""

from __future__ import annotations

import json
import random
from typing import Final

# fmt: off
STRINGS: Final = (
    '""', '"x"', '"a"', '"b"', '"\\u0061"', '"\\ud800"', '"\\ud83d\\ude00"', '"caf\\u00e9\\/"', '"é\u2028"',
    '"\\n\\u001F"', '"\\u001b\\"\\\\"',
    '"<tool_call>"', '"</TOOL_RESULT\\n"', '"{\\"q\\": 1}"', '" {\\"<\\":[]} "',
    '"{\\"a\\":\\"\\\\ud800\\"}"', '"{\\"n\\":1e999}"',
)
# fmt: on
OTHERS: Final = (
    "null",
    "true",
    "7",
    "-0",
    "1e400",
    "[]",
    "[ ]",
    "{}",
    "[1]",
    '{"b":1,"a":[{"b":1,"a":2,"a":1.50}]}',
)
DEEP: Final = tuple("[" * depth + "]" * depth for depth in (123, 124, 125))
ROLES: Final = (
    '"assistant"',
    '"tool"',
    '"\\u0061ssistant"',
    '"user"',
    '"system"',
    '"developer"',
    '"\\u0074ool"',
    '"other"',
)


class OddHistories:
    """A source of histories; the same seed gives the same ones."""

    def __init__(self, seed: int | str) -> None:
        self._dice = random.Random(seed)

    def history(self) -> str:
        """An array of elements, or a lone one."""
        if self._chance(0.08):
            return self._any() if self._chance(0.1) else self._element()
        elements = [self._element() for _ in range(self._dice.randint(0, 5))]
        if self._chance(0.05):
            elements.append(self._any())
        return self._array(elements)

    def value(self) -> str:
        """The value of an envelope."""
        members = [
            ("text", self._text()),
            ("tool_calls", self._calls()),
            ("reasoning_content", self._text()),
            ("tool_call_id", self._text()),
            ("content", self._text()),
        ]
        return self._object(members)

    def envelope(self) -> str:
        """What an envelope may look like."""
        if self._chance(0.5):
            members = [("tool_call_id", self._text()), ("content", self._text())]
        else:
            members = [("content", self._text()), ("tool_calls", self._calls())]
            if self._chance(0.3):
                members.append(("reasoning_content", self._text()))
        # Sorted and compact, as the encoder writes it, or not.
        return self._plain(members) if self._chance(0.5) else self._object(members)

    def _chance(self, share: float) -> bool:
        return self._dice.random() < share

    def _any(self) -> str:
        if self._chance(0.02):
            return self._dice.choice(DEEP)
        return self._dice.choice(OTHERS if self._chance(0.5) else STRINGS)

    def _text(self) -> str:
        if self._chance(0.06):
            return self._any()
        return self._dice.choice(STRINGS[:4] if self._chance(0.7) else STRINGS)

    def _id(self) -> str:
        return self._text() if self._chance(0.1) else self._dice.choice(('"a"', '"b"', '"\\u0061"'))

    def _space(self) -> str:
        return self._dice.choice((" ", "\n", "\t ")) if self._chance(0.05) else ""

    def _array(self, elements: list[str]) -> str:
        return "[" + ",".join(f"{self._space()}{element}{self._space()}" for element in elements) + "]"

    def _plain(self, members: list[tuple[str, str]]) -> str:
        return "{" + ",".join(f'"{name}":{value}' for name, value in members) + "}"

    def _object(self, members: list[tuple[str, str]]) -> str:
        """The members, shuffled, with some left out, repeated, unknown, or spelt oddly."""
        kept = [member for member in members if not self._chance(0.06)]
        if self._chance(0.1):
            kept.append((self._dice.choice(("z", "kind", "text", "results", "index", "v")), self._any()))
        if kept and self._chance(0.05):
            name, _ = self._dice.choice(kept)
            kept.append((name, self._any()))
        if self._chance(0.3):
            self._dice.shuffle(kept)
        written = []
        for name, value in kept:
            key = f"\\u{ord(name[0]):04x}{name[1:]}" if self._chance(0.02) else name
            written.append(f'{self._space()}"{key}"{self._space()}:{self._space()}{value}')
        return "{" + ",".join(written) + self._space() + "}"

    def _call(self) -> str:
        if self._chance(0.03):
            return self._any()
        members = [("id", self._id()), ("name", self._text()), ("arguments", self._text())]
        if self._chance(0.3):
            members.append(("extra_content", self._any()))
        return self._object(members)

    def _calls(self) -> str:
        if self._chance(0.06):
            return self._any()
        return self._array([self._call() for _ in range(self._dice.choice((0, 1, 1, 1, 2, 2, 3)))])

    def _wire_call(self) -> str:
        if self._chance(0.03):
            return self._any()
        arguments = self._any() if self._chance(0.3) else self._text()
        function = self._object([("name", self._text()), ("arguments", arguments)])
        kind = self._any() if self._chance(0.05) else '"function"'
        members = [
            ("id", self._id()),
            ("type", kind),
            ("function", function if self._chance(0.97) else "null"),
        ]
        if self._chance(0.2):
            members.append(("extra_content", self._any()))
        return self._object(members)

    def _result(self) -> str:
        if self._chance(0.03):
            return self._any()
        members = [("tool_call_id", self._id()), ("content", self._text())]
        if self._chance(0.3):
            members.append(("trusted_verbatim", self._dice.choice(("true", "false", "null", "1"))))
        if self._chance(0.3):
            members.append(("name", self._text()))
        return self._object(members)

    def _riders(self) -> list[tuple[str, str]]:
        names = ("extra_metadata", "tool_calls", "tool_call_id", "reasoning_content", "name")
        return [(name, self._any()) for name in names if self._chance(0.05)]

    def _row(self) -> str:
        content = (
            json.dumps(self.envelope(), ensure_ascii=self._chance(0.2)) if self._chance(0.4) else self._text()
        )
        role = self._dice.choice(ROLES[:2] if self._chance(0.7) else ROLES)
        if self._chance(0.02):
            role = self._any()
        members = [("role", role), ("content", content), *self._riders()]
        if self._chance(0.4):
            if role.endswith('ssistant"'):
                members.append(("tool_calls", self._calls()))
            else:
                members.append(("tool_call_id", self._id()))
        if self._chance(0.1):
            members.append(("reasoning_content", self._text()))
        return self._object(members)

    def _message(self) -> str:
        role = self._dice.choice(ROLES)
        members = [
            ("role", role),
            ("content", self._any() if self._chance(0.2) else self._text()),
            *self._riders(),
        ]
        if role.endswith('ssistant"') and self._chance(0.7):
            calls = [self._wire_call() for _ in range(self._dice.randint(0, 2))]
            members.append(("tool_calls", self._array(calls)))
        return self._object(members)

    def _entry(self) -> str:
        choice = self._dice.random()
        if choice < 0.4:
            members = [("kind", '"calls"'), ("text", self._text()), ("tool_calls", self._calls())]
            members += [(name, self._any()) for name in ("extra_metadata",) if self._chance(0.2)]
            members += [(name, self._text()) for name in ("reasoning_content",) if self._chance(0.2)]
        elif choice < 0.8:
            results = [self._result() for _ in range(self._dice.choice((0, 1, 1, 1, 2, 2)))]
            members = [("kind", '"results"'), ("results", self._array(results))]
        elif choice < 0.97:
            members = [("kind", '"chat"'), ("message", self._any() if self._chance(0.05) else self._row())]
        else:
            members = [("kind", self._any())]
        return self._object(members)

    def _element(self) -> str:
        choice = self._dice.random()
        if choice < 0.02:
            return self._any()
        if choice < 0.5:
            return self._row()
        return self._entry() if choice < 0.85 else self._message()
