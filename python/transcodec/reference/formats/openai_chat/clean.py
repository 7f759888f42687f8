"""Chat in, Chat out: which chunks are copied, and which wait for the referee (DESIGN.md, section 8)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_chat.chunks import (
    CHUNK,
    NOISE,
    SERVER,
    choices_of,
    empty_of,
    fold,
    has_calls,
    has_counts,
    has_unknown,
    has_unknown_beside,
    kinds_of,
    name_reasoning,
    written_kind,
)
from transcodec.reference.formats.openai_chat.encode import DONE_MARK, ChatEncoder
from transcodec.reference.formats.openai_chat.numbering import Numbering
from transcodec.reference.formats.openai_chat.of_body import complete_events
from transcodec.reference.frame.sse import write_event, write_keep_alive
from transcodec.reference.json_reader import JsonObject, read_json
from transcodec.reference.json_writer import well_formed
from transcodec.reference.members import below
from transcodec.reference.stream import ordered as o
from transcodec.reference.stream.clean.cover import covers, is_null
from transcodec.reference.stream.clean.missing import missing
from transcodec.reference.stream.clean.source import Source
from transcodec.reference.stream.clean.take_over import are_related, copied, take_over
from transcodec.reference.stream.clean.tree import grown, members_of, read_tree, write_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    """A chunk of the source; `text` is its payload, to be copied; `path` is where it stood."""

    members: JsonObject
    text: str
    path: str

    def covers(self, written: Members) -> bool:
        """Whether it can be copied instead of what would be written."""
        return covers(self.members, written, CHUNK)

    def is_counts(self) -> bool:
        """Whether it says no more for the end than counts."""
        return kinds_of(self.members) == {("usage", "")}

    def tree(self) -> Members:
        """The chunk as something that was written."""
        return members_of(grown(self.members))


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
            is_over = DONE_MARK in payloads or any("error" in each for each in written)
            texts = [*self._ended(written, is_over=is_over)] if payloads else []
        else:
            texts = [*self._came_of(source, written, holds=holds)]
        if DONE_MARK in payloads:
            texts.append(DONE_MARK)
        return b"".join(map(write_event, texts))

    def body(self) -> None:
        """The format's streams do not end with it."""

    def _came_of(self, source: Source, written: list[Members], *, holds: Callable[[], bool]) -> Iterator[str]:
        """Settle one chunk of the source."""
        source = self._unwrapped(source)
        members = self._numbering.complete(source.root) or source.root
        is_as_it_came = members is source.root
        chunk = _Chunk(members, copied(source.text if is_as_it_came else members.raw, members), source.path)
        for each in written:
            name_reasoning(each, members)
        if written and "error" in written[-1]:
            *before, error = written
            yield from self._fail(chunk, before, error)
            return
        waits = has_calls(members) and _is_short(chunk) and holds()
        if not written and not waits:
            written = self._unsaid(chunk)
            if not written:
                return
        if written and not self._undecided and chunk.covers(fold(written)):
            # It says so itself, whatever waits beside it.
            yield chunk.text
            return
        if has_counts(members):
            self._keep(_only_counts(chunk))
        begins_to_wait = waits and not self._waiting
        self._waiting.append(chunk)
        self._undecided += written
        if (written and not begins_to_wait) or len(self._waiting) > _MOST_WAITING:
            yield from self._resolve(last_may_wait=waits)

    def _unwrapped(self, source: Source) -> Source:
        """The chunk in an envelope; of the envelope itself nothing is written."""
        inner = source.root.get("data")
        is_bare = all(is_null(source.root.get(name)) for name in ("choices", "error"))
        if not is_bare or not isinstance(inner, JsonObject):
            return source
        outer = tuple(each for each in source.root if each.key not in CHUNK.known)
        envelope = JsonObject(source.root.document, source.root.start, source.root.end, outer)
        self._tell_missing(_Chunk(envelope, "", source.path), [])
        return Source(inner.raw, inner, source.name, below(source.path, "data"))

    def _unsaid(self, chunk: _Chunk) -> list[Members]:
        """Nothing came of a chunk: keep it for the end, or write what nobody knows."""
        choices = choices_of(chunk.members)
        if not has_unknown(chunk.members, in_choice=False) and kinds_of(chunk.members):
            self._keep(chunk)
            return []
        if has_unknown(chunk.members, in_choice=True) or (choices and has_unknown_beside(chunk.members)):
            return [read_tree(self.chunk(",".join(dict.fromkeys(map(empty_of, choices)))))]
        self._tell_missing(chunk, [])
        return []

    def _keep(self, chunk: _Chunk) -> None:
        if not _is_short(chunk):
            self._tell_missing(chunk, [])
            return
        if chunk.is_counts():
            for each in [each for each in self._kept if each.is_counts()]:
                self._kept.remove(each)
                self._tell_missing(each, [chunk.tree()])
        if len(self._kept) == _MOST_KEPT:
            self._tell_missing(self._kept.popleft(), [])
        self._kept.append(chunk)

    def _resolve(self, *, last_may_wait: bool = False, ends: bool = False) -> Iterator[str]:
        """Copy the chunks that cover what is next; write the rest as one chunk."""
        waiting, undecided = self._waiting, self._undecided
        self._waiting, self._undecided = [], []
        not_copied, written = [], []
        for chunk in waiting:
            for count in range(1, len(undecided) + 1):
                if chunk.covers(fold(undecided[:count])):
                    yield chunk.text
                    written.append(chunk.tree())
                    del undecided[:count]
                    break
            else:
                not_copied.append(chunk)
        lost = not_copied
        if undecided:
            rest = fold(undecided)
            last = waiting[-1:] if not ends and waiting[-1] not in not_copied else []
            for chunk in [*not_copied, *last]:
                take_over(rest, chunk.members, CHUNK)
            written.append(rest)
            yield write_tree(rest)
        elif last_may_wait and waiting[-1] in not_copied:
            self._waiting = [waiting[-1]]
            lost = not_copied[:-1]
        for chunk in lost:
            # Counts and errors are written apart.
            self._tell_missing(chunk, written, but=("usage", "error"))

    def _ended(self, written: list[Members], *, is_over: bool) -> Iterator[str]:
        """No chunk of the source says what is written now; those that waited and were kept may."""
        closing = []
        for each in written:
            if written_kind(each) is None and "error" not in each:
                self._undecided.append(each)
                continue
            yield from self._resolve(ends=True)
            closing.append(each)
            yield write_tree(each) if "error" in each else self._from_kept(closing)
        yield from self._resolve(ends=True)
        if is_over:
            self._tell_kept(closing)

    def _fail(self, chunk: _Chunk, before: list[Members], error: Members) -> Iterator[str]:
        said = [each for each in before if written_kind(each) is None]
        if said:
            self._undecided += said
            self._waiting.append(chunk)
        yield from self._resolve(ends=not said)
        closing = []
        for each in before:
            if written_kind(each) is not None:
                closing.append(each)
                yield self._from_kept(closing)
        if not said and chunk.covers(error):
            yield chunk.text
        else:
            own = _only(chunk, "error") if said else chunk
            if are_related(error, own.members, CHUNK):
                take_over(error, own.members, CHUNK)
            yield write_tree(error)
            self._tell_missing(_only(chunk, "usage", "error") if said else chunk, [error])
        self._tell_kept(closing)

    def _from_kept(self, closing: list[Members]) -> str:
        """The last of what is closing: a chunk that was kept says it, or gives what is unknown in it."""
        written = closing[-1]
        for chunk in self._kept:
            if chunk.covers(written):
                self._kept.remove(chunk)
                closing[-1] = chunk.tree()
                return chunk.text
        kind = written_kind(written)
        # Of counts that are told several times the last ones are told.
        kept = reversed(self._kept) if kind == ("usage", "") else self._kept
        for chunk in kept:
            if kind in kinds_of(chunk.members):
                take_over(written, chunk.members, CHUNK)
                break
        return write_tree(written)

    def _tell_kept(self, closing: list[Members]) -> None:
        """The answer is over: what is unknown in the chunks that were kept, and was not written, is lost."""
        while self._kept:
            self._tell_missing(self._kept.popleft(), closing)

    def _tell_missing(self, chunk: _Chunk, written: list[Members], *, but: tuple[str, ...] = ()) -> None:
        left = _only(chunk, *(each.key for each in chunk.members if each.key not in but))
        of_server = SERVER if choices_of(chunk.members) else ()
        for path, name in missing(left.members, written, CHUNK, chunk.path):
            if name == NOISE or (name in of_server and path == below(chunk.path, name)):
                continue
            is_count = path.startswith(f"{chunk.path}/usage/")
            code = "usage.member_dropped" if is_count else "delta.member_dropped"
            self._losses.tell(code, path, name, once=(code, well_formed(name)), aloud=True)


def _is_short(chunk: _Chunk) -> bool:
    return len(chunk.members.raw) <= _LONGEST_WAITING_BYTES


def _only_counts(chunk: _Chunk) -> _Chunk:
    """A chunk of which all but the counts is said already."""
    counts = chunk.members.get("usage")
    spelt = b"{}" if counts is None else b'{"usage":%b}' % counts.raw
    members = read_json(spelt)
    return _Chunk(members, "", chunk.path) if isinstance(members, JsonObject) else chunk


def _only(chunk: _Chunk, *names: str) -> _Chunk:
    """A chunk with only its members of these names."""
    whole = chunk.members
    members = tuple(each for each in whole if each.key in names)
    return _Chunk(JsonObject(whole.document, whole.start, whole.end, members), "", chunk.path)
