"""Chat in, Chat out: which chunks are copied, and which wait for the referee (DESIGN.md, section 8)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_chat.chunks import (
    CHUNK,
    choices_of,
    empty_of,
    fold,
    has_calls,
    has_unknown,
    kinds_of,
    name_reasoning,
    unknown_members,
    written_kind,
)
from transcodec.reference.formats.openai_chat.encode import DONE_MARK, ChatEncoder
from transcodec.reference.formats.openai_chat.numbering import Numbering
from transcodec.reference.formats.openai_chat.of_body import complete_events
from transcodec.reference.frame.sse import write_event, write_keep_alive
from transcodec.reference.json_reader import JsonObject
from transcodec.reference.members import below
from transcodec.reference.stream import ordered as o
from transcodec.reference.stream.clean.cover import covers, is_empty
from transcodec.reference.stream.clean.take_over import are_related, copied, take_over
from transcodec.reference.stream.clean.tree import read_tree, write_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from transcodec.reference.stream.clean.source import Source
    from transcodec.reference.stream.clean.tree import Members
    from transcodec.reference.stream.encoder import EncoderOptions
    from transcodec.reference.stream.losses import LossLog
    from transcodec.reference.stream.snapshot import Snapshot

__all__ = ["CleanChat"]

#: Chunks that wait for calls, and for the end; no longer ones than this wait.
_MOST_WAITING = 4
_MOST_KEPT = 16
_LONGEST_WAITING_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A chunk of the source; `text` is its payload, to be copied."""

    members: JsonObject
    text: str

    def covers(self, written: Members) -> bool:
        """Whether it can be copied instead of what would be written."""
        return covers(self.members, written, CHUNK)


class CleanChat(ChatEncoder):
    """Holds what is written against what came."""

    def __init__(self, options: EncoderOptions, snapshot: Snapshot, losses: LossLog) -> None:
        super().__init__(options, snapshot)
        self._losses = losses
        self._numbering = Numbering()
        self._written: list[str] = []
        #: Chunks with calls that could not be written as they came, and what was written since.
        self._waiting: list[_Chunk] = []
        self._undecided: list[Members] = []
        #: Chunks with what is only written at the end.
        self._kept: deque[_Chunk] = deque(maxlen=_MOST_KEPT)

    def encode(self, ordered: o.Ordered) -> bytes:
        """Nothing but signs of life: all else is decided when all that came of an event is known."""
        if isinstance(ordered, o.KeptAlive):
            return write_keep_alive()
        self._written += self.payloads(ordered)
        return b""

    def settle(self, source: Source | None, *, holds: Callable[[], bool], is_body: bool) -> bytes:
        """The chunks for the client."""
        payloads, self._written = self._written, []
        written = [read_tree(each) for each in payloads if each != DONE_MARK]
        if is_body:
            if source is not None:
                complete_events(written, source.root)
            texts = [*map(write_tree, written)]
        elif source is None:
            texts = [*self._ended(written)] if payloads else []
        else:
            texts = [*self._came_of(source, written, holds=holds)]
        if DONE_MARK in payloads:
            texts.append(DONE_MARK)
        return b"".join(map(write_event, texts))

    def body(self) -> None:
        """The format's streams do not end with it."""

    def _came_of(self, source: Source, written: list[Members], *, holds: Callable[[], bool]) -> Iterator[str]:
        """Settle one chunk of the source."""
        members = self._numbering.complete(source.root) or source.root
        is_as_it_came = members is source.root
        chunk = _Chunk(members, copied(source.text if is_as_it_came else members.raw, members))
        failed = bool(written) and "error" in written[-1]
        if failed:
            *before, error = written
            yield from self._fail(chunk, before, error)
            return
        for each in written:
            name_reasoning(each, members)
        if written and not self._undecided and chunk.covers(fold(written)):
            # It says so itself, whatever waits beside it.
            yield chunk.text
            return
        came_otherwise = has_calls(members)
        waits = came_otherwise and _is_short(chunk) and holds()
        if (written or waits) and isinstance(members.get("usage"), JsonObject):
            self._keep(_only_counts(chunk))
        if not written and not waits:
            written = self._unsaid(chunk, source.path)
            if not written:
                return
        begins_to_wait = waits and not self._waiting
        self._waiting.append(chunk)
        self._undecided += written
        if (written and not begins_to_wait) or len(self._waiting) > _MOST_WAITING:
            yield from self._resolve(last_may_wait=waits)

    def _unsaid(self, chunk: _Chunk, path: str) -> list[Members]:
        """Nothing came of a chunk: keep it for the end, or write what nobody knows."""
        choices = choices_of(chunk.members)
        has_counts = isinstance(chunk.members.get("usage"), JsonObject)
        if not has_unknown(chunk.members, in_choice=False) and kinds_of(chunk.members):
            self._keep(chunk)
            return []
        if has_unknown(chunk.members, in_choice=True):
            if has_counts:
                self._keep(_only_counts(chunk))
            return [read_tree(self.chunk(",".join(empty_of(choice) for choice in choices)))]
        if not choices and is_empty(chunk.members.get("usage")) and chunk.members.get("error") is None:
            for name in unknown_members(chunk.members):
                code, at = "delta.member_dropped", below(path, name)
                self._losses.tell(code, at, name, once=(code, name), aloud=True)
        return []

    def _keep(self, chunk: _Chunk) -> None:
        if not _is_short(chunk):
            return
        if not choices_of(chunk.members):
            others = [each for each in self._kept if choices_of(each.members)]
            self._kept = deque(others, maxlen=_MOST_KEPT)
        self._kept.append(chunk)

    def _resolve(self, *, last_may_wait: bool = False, ends: bool = False) -> Iterator[str]:
        """Copy the chunks that cover what is next; write the rest as one chunk."""
        waiting, undecided = self._waiting, self._undecided
        self._waiting, self._undecided = [], []
        not_copied = []
        for chunk in waiting:
            for count in range(1, len(undecided) + 1):
                if chunk.covers(fold(undecided[:count])):
                    yield chunk.text
                    del undecided[:count]
                    break
            else:
                not_copied.append(chunk)
        if undecided:
            rest = fold(undecided)
            if not ends and waiting[-1] not in not_copied:
                not_copied.append(waiting[-1])
            for chunk in not_copied:
                take_over(rest, chunk.members, CHUNK)
            yield write_tree(rest)
        elif last_may_wait:
            self._waiting = [chunk for chunk in not_copied if chunk is waiting[-1]]

    def _ended(self, written: list[Members]) -> Iterator[str]:
        """No chunk of the source says what is written now; those that waited and were kept may."""
        for each in written:
            if written_kind(each) is None and "error" not in each:
                self._undecided.append(each)
                continue
            yield from self._resolve(ends=True)
            yield write_tree(each) if "error" in each else self._from_kept(each)
        yield from self._resolve(ends=True)

    def _fail(self, chunk: _Chunk, before: list[Members], error: Members) -> Iterator[str]:
        said = [each for each in before if written_kind(each) is None]
        if said:
            self._undecided += said
            self._waiting.append(chunk)
        yield from self._resolve(ends=not said)
        for each in before:
            if written_kind(each) is not None:
                yield self._from_kept(each)
        if not said and chunk.covers(error):
            yield chunk.text
            return
        if not said and are_related(error, chunk.members, CHUNK):
            take_over(error, chunk.members, CHUNK)
        yield write_tree(error)

    def _from_kept(self, written: Members) -> str:
        for chunk in self._kept:
            if chunk.covers(written):
                return chunk.text
        kind = written_kind(written)
        # Of counts that are told several times the last ones are told.
        kept = reversed(self._kept) if kind == ("usage", "") else self._kept
        for chunk in kept:
            if kind in kinds_of(chunk.members):
                take_over(written, chunk.members, CHUNK)
                break
        return write_tree(written)


def _is_short(chunk: _Chunk) -> bool:
    return len(chunk.members.raw) <= _LONGEST_WAITING_BYTES


def _only_counts(chunk: _Chunk) -> _Chunk:
    """A chunk of which all but the counts is said already."""
    members = tuple(each for each in chunk.members if each.key == "usage")
    whole = chunk.members
    return _Chunk(JsonObject(whole.document, whole.start, whole.end, members), "")
