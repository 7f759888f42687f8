"""The catalogue of losses, and the log that a stream keeps of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.losses import Loss
from transcodec.reference.json_writer import utf8_length, well_formed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transcodec.losses import Severity

__all__ = ["SEVERITIES", "LossLog", "LossRefused"]

#: Every loss code of a stream and how much it matters; the table of DESIGN.md says when each is told.
SEVERITIES: Mapping[str, Severity] = {
    "annotation.unknown": "metadata",
    "annotation.unplaced": "metadata",
    "arguments.cut": "content",
    "arguments.not_wrapped": "metadata",
    "block_order.lost": "metadata",
    "choices.dropped": "content",
    "client_tool.dropped": "content",
    "delta.after_close": "content",
    "delta.member_dropped": "metadata",
    "event.after_end": "metadata",
    "event.unknown": "metadata",
    "finish_reason.unknown": "metadata",
    "id.rewritten": "metadata",
    "image.dropped": "content",
    "item.member_dropped": "metadata",
    "item.unknown": "content",
    "line.ignored": "metadata",
    "opaque_state.dropped": "state",
    "part.unknown": "content",
    "reasoning.dropped": "metadata",
    "server_tool.dropped": "metadata",
    "snapshot.mismatch": "content",
    "text.interleaved": "content",
    "tool_call.nameless": "content",
    "unicode.replaced": "content",
    "usage.invalid": "metadata",
    "usage.member_dropped": "metadata",
}

_MAX_DETAIL = 64
#: Longest name of what is told once that is remembered.
_MAX_REMEMBERED_BYTES = 4096


def _is_long(name: object) -> bool:
    return isinstance(name, str) and utf8_length(name) > _MAX_REMEMBERED_BYTES


class LossRefused(Exception):  # noqa: N818 - turned into UnsupportedError by the translator
    """A content loss was told while `on_loss` is `error`."""

    def __init__(self, loss: Loss) -> None:
        super().__init__(loss.code)
        self.loss = loss


class LossLog:
    """Stores the first losses and counts them all.

    Args:
        max_losses: How many are stored.
        refuse_content: Raise `LossRefused` at the first loss of content.
        silent: Codes of what is no loss, because the target gets it all the same.
    """

    def __init__(self, max_losses: int, *, refuse_content: bool, silent: frozenset[str]) -> None:
        self.stored: list[Loss] = []
        self.count = 0
        self._max_losses = max_losses
        self._refuse_content = refuse_content
        self._silent = silent
        self._told: set[tuple[object, ...]] = set()
        self._told_codes: set[str] = set()

    def tell(
        self,
        code: str,
        path: str,
        detail: str = "",
        *,
        once: tuple[object, ...] | None = None,
        aloud: bool = False,
    ) -> None:
        """Log a loss; one with a `once` that was told before is not told again.

        A name from the wire in `once` could be another one each time, so these are remembered only as long as
        losses are stored; behind that every one is counted. `aloud`: also if the code is silent.

        Raises:
            LossRefused: after logging, if content losses are refused and this is one.
        """
        if (once is not None and once in self._told) or (code in self._silent and not aloud):
            return
        # Halves of surrogate pairs in a name would make these no text that can be written out.
        loss = Loss(code, SEVERITIES[code], well_formed(path), well_formed(detail[:_MAX_DETAIL]))
        self.count += 1
        if len(self.stored) < self._max_losses:
            self.stored.append(loss)
            if once is not None and not any(map(_is_long, once)):
                self._told.add(once)
        if self._refuse_content and loss.severity == "content":
            raise LossRefused(loss)

    def tell_once(self, code: str, path: str) -> None:
        """Log a loss of which a stream has only one."""
        if code not in self._told_codes:
            self._told_codes.add(code)
            self.tell(code, path)

    def mark(self) -> tuple[int, int]:
        """A point to come back to."""
        return len(self.stored), self.count

    def take_back(self, mark: tuple[int, int]) -> None:
        """Forget what was logged since the mark."""
        stored, self.count = mark
        del self.stored[stored:]
