"""A report for a person."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from transcodec.inspection.catalogue import ODDITIES
from transcodec.inspection.report import SHOWN_CHARACTERS, Answer, Oddity, Report

__all__ = ["render"]

LABEL_WIDTH = 12
CODE_WIDTH = 26


def render(report: Report) -> Iterator[str]:
    """The lines of a report. Nothing of the stream reaches the terminal but what can be printed."""
    for line in _lines(report):
        yield "".join(mark if mark.isprintable() else ascii(mark)[1:-1] for mark in line)


def _lines(report: Report) -> Iterator[str]:
    kind = "body" if report.is_body else "stream"
    guessed = " (guessed)" if report.is_guessed else ""
    sizes = [_count(report.byte_count, "byte"), _count(report.event_count, "event")]
    if report.keep_alive_count:
        sizes.append(_count(report.keep_alive_count, "keep-alive"))
    yield f"{report.format} {kind}{guessed}: {', '.join(sizes)}"
    yield _row("id", report.id or "-")
    yield _row("model", report.model or "-")
    yield _row("outcome", report.outcome)
    if report.fault is not None:
        place = f"byte {report.fault.offset}, path {report.fault.path or '-'}"
        yield _row("fault", f"{report.fault.code} at {place}")
    if report.provider_error is not None:
        yield _row("error", _quoted(report.provider_error))
    for answer in report.answers:
        yield from _answer(answer, is_only=len(report.answers) == 1)
    yield _row("usage", "-" if report.usage is None else json.dumps(report.usage))
    yield ""
    yield "odd about it:" if report.oddities else "nothing odd about it"
    for oddity in report.oddities:
        yield _oddity(oddity)
    yield ""
    losses = _count(report.loss_count, "loss", "losses") if report.losses else "nothing lost"
    yield f"{losses} toward {report.target}{':' if report.losses else ''}"
    for loss in report.losses:
        place = f"{loss.path or '-'} {loss.detail}".rstrip()
        yield f"  {loss.code:{CODE_WIDTH}} {loss.severity:10} {place}"


def _answer(answer: Answer, *, is_only: bool) -> Iterator[str]:
    if not is_only:
        yield f"choice {answer.index}"
    for label, pieces in (
        ("reasoning", answer.reasonings),
        ("text", answer.texts),
        ("refusal", answer.refusals),
    ):
        text = "".join(pieces)
        if text:
            yield _row(label, _text(text))
    for number, call in enumerate(answer.calls):
        yield _row(f"call {number}", f"{call.name or '(no name)'}  id {call.id or '-'}")
        yield _row("", f"arguments: {call.validity}, {_text(call.text)}")
    yield _row("finish", answer.finish or "-")


def _oddity(oddity: Oddity) -> str:
    detail = f" ({oddity.detail})" if oddity.detail else ""
    where = ", ".join(map(str, oddity.events))
    more = oddity.count - len(oddity.events)
    if where:
        where = f" [event {where}{f' and {more} more' if more else ''}]"
    elif oddity.count > 1:
        where = f" [{oddity.count} times]"
    return f"  {oddity.code:{CODE_WIDTH}} {ODDITIES[oddity.code]}{detail}{where}"


def _row(label: str, value: str) -> str:
    return f"  {label:{LABEL_WIDTH}}{value}"


def _text(text: str) -> str:
    more = "…" if len(text) > SHOWN_CHARACTERS else ""
    return f"{_count(len(text), 'character')} {_quoted(text[:SHOWN_CHARACTERS])}{more}"


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
