"""The calls of one choice. `CALL_TRANSITIONS` decides, the methods here carry out (rules 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_writer import utf8_length, well_formed
from transcodec.reference.stream import ordered as o
from transcodec.reference.stream.call import (
    CALL_TRANSITIONS,
    Action,
    Call,
    Phase,
    Signal,
    is_white_space,
    may_be_placeholder,
    without_placeholder,
)
from transcodec.reference.stream.hashing import fnv1a_64_hex
from transcodec.reference.stream.limits import LimitReached, check_name
from transcodec.reference.stream.unwrap import Unwrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from transcodec.reference.stream import delta as d
    from transcodec.reference.stream.identity import Item, Items
    from transcodec.reference.stream.outlet import Outlet

__all__ = ["Calls"]


class Calls:
    """Opens calls in order of first sight, sends their metadata once, and holds what cannot be sent yet.

    Args:
        growing_names: The source may send a name in pieces.
        tools: Kinds of the tools that the client declared.
        before_opening: Is called before a call opens.
    """

    def __init__(
        self,
        choice: int,
        outlet: Outlet,
        items: Items,
        *,
        growing_names: bool,
        tools: Mapping[str, str],
        id_seed: str,
        before_opening: Callable[[], None],
    ) -> None:
        self.opened = 0
        #: Items of the calls that were opened.
        self.in_order_of_opening: list[Item] = []
        self._choice = choice
        self._outlet = outlet
        self._items = items
        self._growing_names = growing_names
        self._tools = tools
        self._id_seed = id_seed
        self._before_opening = before_opening
        self._in_order: list[tuple[Item, Call]] = []
        #: How many of them, from the first one on, are open or closed.
        self._passed = 0

    @property
    def hold(self) -> bool:
        """Whether a call of which something is known waits to be opened, or text of an open one is held."""
        return any(
            call.held or (not call.is_passed and (call.has_text or call.name is not None or call.call_id))
            for _, call in self._in_order
        )

    def of(self, item: Item, *, custom: bool) -> Call:
        """The call of an item, new or known."""
        if item.call is None:
            self._outlet.open_calls += 1
            if self._outlet.open_calls > self._outlet.max_open_calls:
                raise LimitReached("too_many_open_calls")
            item.call = Call(custom, item.path)
            self._in_order.append((item, item.call))
        return item.call

    def identify(self, item: Item, call: Call, call_id: str | None, name: str | None) -> None:
        """Take metadata that is new, while it can still be sent."""
        if call.phase is not Phase.WAITING:
            return
        if call.call_id is None and call_id is not None:
            call.call_id = call_id
            self._items.name_call(item, call_id)
            check_name(call_id)
            self._outlet.kept.take(utf8_length(call_id))
        if name is not None and name != call.name:
            grows = self._growing_names and not call.has_text
            if call.name is None or grows:
                call.name = (call.name or "") + name
                check_name(call.name)
                self._outlet.kept.take(utf8_length(name))
        self._open_those_ready(call)

    def append(self, item: Item, delta: d.Append, *, custom: bool) -> None:
        """More text of a call."""
        call = self.of(item, custom=custom)
        call.has_text |= bool(delta.text)
        self._open_those_ready(call)
        self._text(item, call, delta.text, delta.path)

    def whole(self, item: Item, delta: d.Whole, *, custom: bool) -> None:
        """A snapshot of a call: what was sent stays, what is missing is sent."""
        call = self.of(item, custom=custom)
        self.identify(item, call, None, delta.name)
        text = well_formed(delta.text)
        rest = call.sent.rest_of(text if call.custom else without_placeholder(text)) if text else ""
        if rest is None or (rest and call.phase is Phase.CLOSED):
            self._outlet.tell_once(call.told, "snapshot.mismatch", delta.path)
        elif rest:
            call.has_text = True
            call.joiner.drop()
            self._take_held(call)
            rest = delta.text[len(delta.text) - len(rest) :]
            if call.phase is Phase.CLOSING:
                # It takes no more text, but what it holds may still be put right.
                self._hold(call, rest)
                return
            self._open_those_ready(call)
            self._text(item, call, rest, delta.path)

    def release(self, item: Item, call: Call, path: str) -> None:
        """The source says that the text is complete: what is held of an open call is no placeholder."""
        if call.phase is Phase.OPEN and call.held:
            self._signal(item, call, Signal.TEXT, self._take_held(call), path)

    def close(self, item: Item, call: Call, *, complete: bool) -> None:
        """The call is complete; if its turn to open has not come, it waits for that."""
        if call.phase in (Phase.CLOSING, Phase.CLOSED):
            return
        call.complete = complete
        waits = call.phase is Phase.WAITING
        if waits and call.name is None:
            self._signal(item, call, Signal.CLOSE_NAMELESS)
        elif waits and self._in_order[self._passed][1] is not call:
            self._signal(item, call, Signal.CLOSE_EARLY)
        else:
            self._signal(item, call, Signal.CLOSE, path=self._outlet.place)
        self._open_those_ready()

    def _open_those_ready(self, call: Call | None = None) -> None:
        """Open all whose turn has come. `call` may have become ready."""
        if call is not None:
            call.can_open = call.can_open or self._can_open(call)
        while self._passed < len(self._in_order):
            item, first = self._in_order[self._passed]
            first.can_open = first.can_open or self._can_open(first)
            if first.phase is Phase.CLOSING or (first.phase is Phase.WAITING and first.can_open):
                self._signal(item, first, Signal.READY, path=self._outlet.place)
            if not first.is_passed:
                break
            self._passed += 1

    def _can_open(self, call: Call) -> bool:
        if call.phase is not Phase.WAITING or call.name is None or call.call_id is None:
            return False
        name_is_whole = call.has_text or self._in_order[-1][1] is not call
        return name_is_whole or not self._growing_names

    def _text(self, item: Item, call: Call, text: str, path: str) -> None:
        if not text:
            return
        signal = Signal.TEXT
        if call.phase is Phase.OPEN and not call.custom:
            if call.held_bytes >= len("{}") and is_white_space(text):
                # Not joined with what is held: there may be a million of these.
                signal = Signal.PLACEHOLDER
            else:
                whole = without_placeholder(self._take_held(call) + text)
                signal = Signal.PLACEHOLDER if may_be_placeholder(whole) else Signal.TEXT
                rest = len(whole) - len(text)
                if signal is Signal.TEXT and rest > 0 and self._outlet.traits.held_apart:
                    self._signal(item, call, signal, whole[:rest], path)
                    whole = text
                text = whole
        self._signal(item, call, signal, text, path)

    def _signal(self, item: Item, call: Call, signal: Signal, text: str = "", path: str = "") -> None:
        transition = CALL_TRANSITIONS[call.phase, signal]
        call.phase = transition.phase
        for action in transition.actions:
            match action:
                case Action.DERIVE_ID:
                    call.call_id = call.call_id or item.item_id or self._derived_id()
                case Action.SEND_OPENING:
                    self.in_order_of_opening.append(item)
                    self._send_opening(call, path)
                case Action.RELEASE:
                    self._text(item, call, self._take_held(call), path)
                case Action.HOLD:
                    self._hold(call, text)
                case Action.SEND:
                    self._send_text(call, text, path)
                case Action.SEND_LAST:
                    self._send_last(call, path)
                case Action.SEND_CLOSING:
                    self._send_closing(call)
                case Action.REPORT_LATE:
                    self._outlet.tell_once(call.told, "delta.after_close", path)
                case Action.DROP_NAMELESS:
                    self._take_held(call)
                    self._outlet.open_calls -= 1
                    if call.has_text:
                        # One loss tells it all.
                        call.told |= {"delta.after_close", "snapshot.mismatch"}
                        self._outlet.losses.tell("tool_call.nameless", item.path)

    def _send_opening(self, call: Call, path: str) -> None:
        call_id, name = call.call_id or "", call.name or ""
        self._before_opening()
        self._outlet.ensure_started(self._choice)
        call.ordinal = self.opened
        self.opened += 1
        self._outlet.tell_lone_surrogates(path, call_id, name)
        unique_id = self._unique(well_formed(call_id), path)
        is_wrapped = not call.custom and self._tools.get(name) == "custom"
        if is_wrapped:
            call.unwrapper = Unwrapper()
        self._outlet.said.append(
            o.CallOpened(self._choice, call.ordinal, unique_id, well_formed(name), call.custom or is_wrapped)
        )

    def _send_text(self, call: Call, text: str, path: str) -> None:
        self._send_joined(call, *call.joiner.feed(text, path))

    def _send_joined(self, call: Call, text: str, replaced_at: str | None) -> None:
        if replaced_at is not None:
            self._outlet.tell_once(call.told, "unicode.replaced", replaced_at)
        call.sent.extend(text)
        if call.unwrapper is not None:
            before = call.unwrapper.held_bytes
            text = call.unwrapper.feed(text)
            self._outlet.kept.take(call.unwrapper.held_bytes - before)
        self._say(call, text)

    def _say(self, call: Call, text: str) -> None:
        if text and call.ordinal is not None:
            self._outlet.answer.take(text)
            self._outlet.said.append(o.CallText(self._choice, call.ordinal, text))

    def _send_last(self, call: Call, path: str) -> None:
        last = self._take_held(call)
        if not call.custom:
            empty = "" if call.unwrapper is not None else "{}"
            last = without_placeholder(last) or empty
        if last:
            self._send_text(call, last, path)

    def _send_closing(self, call: Call) -> None:
        self._send_joined(call, *call.joiner.flush())
        if call.unwrapper is not None:
            self._outlet.kept.give_back(call.unwrapper.held_bytes)
            rest, is_wrapper = call.unwrapper.close()
            self._say(call, rest)
            if call.unwrapper.replaced:
                self._outlet.tell_once(call.told, "unicode.replaced", call.path)
            if not is_wrapper:
                code = "arguments.cut" if call.unwrapper.is_cut else "arguments.not_wrapped"
                self._outlet.losses.tell(code, call.path)
        self._outlet.open_calls -= 1
        if call.ordinal is not None:
            self._outlet.said.append(o.CallClosed(self._choice, call.ordinal, call.complete))

    def _hold(self, call: Call, text: str) -> None:
        size = utf8_length(text)
        call.held.append(text)
        call.held_bytes += size
        self._outlet.kept.take(size)

    def _take_held(self, call: Call) -> str:
        text = "".join(call.held)
        call.held.clear()
        self._outlet.kept.give_back(call.held_bytes)
        call.held_bytes = 0
        return text

    def _derived_id(self) -> str:
        head_id = self._outlet.head.response_id
        seed = self._id_seed if head_id is None else head_id
        return f"call_{fnv1a_64_hex(f'{seed}/{self.opened}')}"

    def _unique(self, call_id: str, path: str) -> str:
        unique = call_id
        suffix = self._outlet.next_suffix.get(call_id, 2)
        while unique in self._outlet.call_ids:
            unique = f"{call_id}_{suffix}"
            suffix += 1
        if unique != call_id:
            self._outlet.next_suffix[call_id] = suffix
            self._outlet.losses.tell("id.rewritten", path)
        self._outlet.call_ids.add(unique)
        return unique
