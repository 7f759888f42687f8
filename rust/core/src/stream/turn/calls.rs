//! Tool calls: when they open, what is held back, how they close (`DESIGN.md` 4.2).

use super::Referee;
use super::unwrap::Unwrapper;
use crate::json::{Tok, push_escaped_once};
use crate::stream::delta::{Class, ItemHead, ItemRef, PartKey, PartKind, WireKey};
use crate::stream::digest::fnv1a_64;
use crate::stream::encode::{CallKey, CallOpening, CallShape, Encode, Layout};
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPhase {
    /// Its name or its id is unknown.
    Waiting,
    /// It is opened on the target's side and no text was sent.
    Open,
    /// Text was sent.
    Streaming,
    /// It is over.
    Closed,
}

/// What can happen to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEvent {
    /// Its name and its id are known.
    Named,
    /// Text for it arrived.
    Text,
    /// Its item, or the answer, is over.
    Close,
}

/// What is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallAction {
    /// Nothing.
    Ignore,
    /// Keep the text for later.
    Hold,
    /// Open the call, then treat the held text as if it had just arrived.
    Announce,
    /// Make up what is missing, or drop the call if that is its name; then close it.
    AnnounceAndClose,
    /// Hold the text as long as it may be a placeholder, else send it.
    SendUnlessPlaceholder,
    /// Send the text.
    Send,
    /// Send the held text, or `{}` if there was no text at all; then close.
    FlushAndClose,
    /// Close.
    Close,
    /// Drop the text and report it.
    Report,
}

impl CallPhase {
    /// All phases, for tests and docs.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Open, Self::Streaming, Self::Closed];

    /// The transition table: what is done, and the phase after it. (`SendUnlessPlaceholder` leaves the call
    /// open as long as it holds the text.)
    #[must_use]
    pub const fn on(self, event: CallEvent) -> (CallAction, Self) {
        use CallAction as Do;
        match (self, event) {
            (Self::Waiting, CallEvent::Named) => (Do::Announce, Self::Open),
            (Self::Waiting, CallEvent::Text) => (Do::Hold, Self::Waiting),
            (Self::Waiting, CallEvent::Close) => (Do::AnnounceAndClose, Self::Closed),
            (Self::Open, CallEvent::Named) => (Do::Ignore, Self::Open),
            (Self::Open, CallEvent::Text) => (Do::SendUnlessPlaceholder, Self::Streaming),
            (Self::Open, CallEvent::Close) => (Do::FlushAndClose, Self::Closed),
            (Self::Streaming, CallEvent::Named) => (Do::Ignore, Self::Streaming),
            (Self::Streaming, CallEvent::Text) => (Do::Send, Self::Streaming),
            (Self::Streaming, CallEvent::Close) => (Do::Close, Self::Closed),
            (Self::Closed, CallEvent::Text) => (Do::Report, Self::Closed),
            (Self::Closed, CallEvent::Named | CallEvent::Close) => (Do::Ignore, Self::Closed),
        }
    }
}

impl CallEvent {
    /// All events, for tests and docs.
    pub const ALL: [Self; 3] = [Self::Named, Self::Text, Self::Close];
}

/// The character at a place of a string body, and its raw length; `None` at the end. Only ASCII is told apart.
fn char_at(body: &[u8], at: usize) -> Option<(u8, usize)> {
    let byte = *body.get(at)?;
    if byte != b'\\' {
        return Some((byte, 1));
    }
    match body.get(at + 1)? {
        b't' => Some((b'\t', 2)),
        b'n' => Some((b'\n', 2)),
        b'r' => Some((b'\r', 2)),
        b'u' => {
            let digits = core::str::from_utf8(body.get(at + 2..at + 6)?).ok()?;
            let code = u32::from_str_radix(digits, 16).ok()?;
            Some((u8::try_from(code).unwrap_or(u8::MAX), 6))
        }
        _ => Some((u8::MAX, 2)),
    }
}

const fn is_white_space(decoded: u8) -> bool {
    matches!(decoded, b' ' | b'\t' | b'\n' | b'\r')
}

/// Raw length of the placeholders in front of arguments, and whether what is left may still be one.
fn beginning_of(body: &[u8]) -> (usize, bool) {
    let mut from = 0;
    loop {
        let Some((b'{', opening)) = char_at(body, from) else { return (from, false) };
        let behind = match char_at(body, from + opening) {
            None => return (from, true),
            Some((b'}', closing)) => from + opening + closing,
            Some(_) => return (from, false),
        };
        let mut at = behind;
        while let Some((decoded, length)) = char_at(body, at)
            && is_white_space(decoded)
        {
            at += length;
        }
        match char_at(body, at) {
            None => return (from, true),
            Some((b'{', _)) => from = behind,
            Some(_) => return (from, false),
        }
    }
}

/// A snapshot of arguments without the placeholders some servers leave in front of them.
pub(super) fn without_placeholder(text: Tok<'_>) -> Tok<'_> {
    match beginning_of(text.raw()) {
        (0, _) => text,
        (length, _) => Tok::from_raw(&text.raw()[length..]).unwrap_or(text),
    }
}

/// The one part of a call.
const CALL_TEXT: PartKey = PartKey { kind: PartKind::Arguments, number: 0 };

impl<E: Encode> Referee<'_, E> {
    /// Takes what an event says about an item it is about, and opens calls once that is possible.
    ///
    /// # Errors
    /// A limit, or a loss if the caller refuses it.
    pub fn describe(
        &mut self,
        item: ItemRef,
        id: Option<Tok<'_>>,
        head: &ItemHead<'_>,
        place: &Place<'_>,
    ) -> Result<(), Stop> {
        self.learn(item, id, head)?;
        self.note_first_sight(item.0, place);
        let entry = &self.turn.items[item.0 as usize];
        if entry.class.is_call() && entry.call == CallPhase::Waiting {
            return self.open_ready_calls(entry.slot, place);
        }
        Ok(())
    }

    /// As `find_item` and `describe` in one, for events inside an item that name its tool.
    ///
    /// # Errors
    /// As both.
    pub fn name_call(
        &mut self,
        key: WireKey<'_>,
        head: &ItemHead<'_>,
        place: &Place<'_>,
    ) -> Result<ItemRef, Stop> {
        let item = self.find_item(key, head.class)?;
        self.describe(item, key.id, head, place)?;
        Ok(item)
    }

    pub(super) fn note_first_sight(&mut self, item: u32, place: &Place<'_>) {
        let entry = &mut self.turn.items[item as usize];
        // Told of calls without a name, and of those whose arguments may not be wrapped.
        let matters = entry.name.is_none() || !self.turn.custom_tools.is_empty();
        if entry.class.is_call() && matters && entry.seen_at.is_empty() {
            entry.seen_at = place.to_string().into();
        }
    }

    /// Opens the calls of a choice that can be opened, in order of first sight.
    fn open_ready_calls(&mut self, slot: u32, place: &Place<'_>) -> Result<(), Stop> {
        loop {
            let choice = &self.turn.choices[slot as usize];
            let Some(&item) = choice.calls.get(choice.next_call) else { return Ok(()) };
            if self.turn.items[item as usize].call == CallPhase::Waiting {
                if !self.is_ready(item) {
                    return Ok(());
                }
                self.open_call(item, place)?;
            }
            self.turn.choices[slot as usize].next_call += 1;
        }
    }

    fn is_ready(&self, item: u32) -> bool {
        let entry = &self.turn.items[item as usize];
        if entry.name.is_none() {
            return false;
        }
        let choice = &self.turn.choices[entry.slot as usize];
        let is_last = choice.calls.last() == Some(&item);
        let name_is_whole = !entry.name_grows || !is_last || self.call_has_text(item);
        entry.closed || (entry.call_id.is_some() && name_is_whole)
    }

    pub(super) fn call_has_text(&self, item: u32) -> bool {
        self.text_part(item).is_some_and(|part| !self.turn.parts[part as usize].held.is_empty())
    }

    fn open_call(&mut self, item: u32, place: &Place<'_>) -> Result<(), Stop> {
        let entry = &mut self.turn.items[item as usize];
        let slot = entry.slot;
        if entry.call_id.is_none() {
            entry.call_id = entry.id.clone();
        }
        let key = CallKey {
            choice: self.turn.choices[slot as usize].index,
            ordinal: self.turn.choices[slot as usize].calls_opened,
        };
        self.ensure_choice(key.choice);
        if E::TRAITS.layout == Layout::Items {
            self.close_open_part(slot, true);
        }
        if self.turn.items[item as usize].call_id.is_none() {
            let derived = self.derived_call_id(key.ordinal);
            self.turn.items[item as usize].call_id = Some(derived);
        }
        if self.turn.items[item as usize].has_replaced {
            self.losses.report(LossCode::UnicodeReplaced, place, "")?;
        }
        let id = self.unused_call_id(item, place)?;
        self.turn.choices[slot as usize].calls_opened += 1;
        let entry = &mut self.turn.items[item as usize];
        entry.call = CallPhase::Open;
        entry.ordinal = key.ordinal;
        let name = entry.name.as_deref().unwrap_or_default();
        let is_declared = self.turn.custom_tools.iter().any(|declared| declared == name);
        entry.shape = match entry.class {
            Class::Custom if is_declared || E::TRAITS.custom_calls_native => CallShape::FreeForm,
            Class::Custom => CallShape::Wrapped,
            _ if is_declared => CallShape::FreeForm,
            _ => CallShape::Arguments,
        };
        if entry.class != Class::Custom && is_declared {
            entry.unwrapper = Some(Box::new(Unwrapper::new()));
        }
        let source = Some((item, entry.id.as_deref()));
        let opening = CallOpening { key, id: &id, name, shape: entry.shape, item: source };
        self.encoder.open_call(opening, self.out);
        let is_over = entry.closed;
        if let Some(part) = self.text_part(item) {
            let held = self.take_held(part);
            if let Some(text) = Tok::from_raw(&held).filter(|text| !text.is_empty()) {
                self.call_text_came(part, text, place, place)?;
            }
        }
        if is_over { self.finish_call(item, place) } else { Ok(()) }
    }

    /// The call's id, made unique in the answer.
    fn unused_call_id(&mut self, item: u32, place: &Place<'_>) -> Result<Box<str>, Stop> {
        let wanted = self.turn.items[item as usize].call_id.clone().unwrap_or_default();
        let Some(mut suffix) = self.turn.call_ids.get(&wanted).copied() else {
            self.turn.call_ids.insert(wanted.clone(), 1);
            return Ok(wanted);
        };
        self.losses.report(LossCode::IdRewritten, place, "")?;
        let unused = loop {
            suffix += 1;
            let candidate: Box<str> = format!("{wanted}_{suffix}").into();
            if !self.turn.call_ids.contains_key(&candidate) {
                break candidate;
            }
        };
        self.turn.call_ids.insert(wanted, suffix);
        self.turn.call_ids.insert(unused.clone(), 1);
        Ok(unused)
    }

    fn text_part(&self, item: u32) -> Option<u32> {
        let key = (CALL_TEXT.kind, CALL_TEXT.number);
        self.turn.items[item as usize].parts.get(&key).copied()
    }

    /// Text of a call has arrived; `text` is not empty. Calls that it opens are opened at `item_place`.
    pub(super) fn append_to_call(
        &mut self,
        part: u32,
        text: Tok<'_>,
        place: &Place<'_>,
        item_place: &Place<'_>,
    ) -> Result<(), Stop> {
        let item = self.turn.parts[part as usize].item as usize;
        if self.turn.items[item].call == CallPhase::Streaming {
            return self.write(part, text, None, place);
        }
        self.call_text_came(part, text, place, item_place)
    }

    #[cold]
    fn call_text_came(
        &mut self,
        part: u32,
        text: Tok<'_>,
        place: &Place<'_>,
        item_place: &Place<'_>,
    ) -> Result<(), Stop> {
        let item = self.turn.parts[part as usize].item as usize;
        let entry = &mut self.turn.items[item];
        match entry.call.on(CallEvent::Text).0 {
            CallAction::Send => self.write(part, text, None, place),
            CallAction::Hold if entry.closed => self.tell_after_close(part, place),
            CallAction::Hold => {
                let slot = entry.slot;
                self.note_first_sight(item as u32, item_place);
                self.hold(part, text)?;
                self.open_ready_calls(slot, item_place)
            }
            CallAction::SendUnlessPlaceholder if entry.class == Class::Custom => {
                entry.call = CallPhase::Streaming;
                self.write(part, text, None, place)
            }
            CallAction::SendUnlessPlaceholder => self.begin_arguments(part, text, place),
            CallAction::Report => self.tell_after_close(part, place),
            _ => Ok(()),
        }
    }

    fn tell_after_close(&mut self, part: u32, place: &Place<'_>) -> Result<(), Stop> {
        if core::mem::replace(&mut self.turn.parts[part as usize].told_dropped, true) {
            return Ok(());
        }
        self.losses.report(LossCode::DeltaAfterClose, place, "")
    }

    /// Argument text of an open call of which nothing was sent.
    fn begin_arguments(&mut self, part: u32, text: Tok<'_>, place: &Place<'_>) -> Result<(), Stop> {
        let held = &self.turn.parts[part as usize].held;
        let holds_pair = char_at(held, 0).is_some_and(|(_, length)| held.len() > length);
        if holds_pair && text.chars().all(|decoded| matches!(decoded, ' ' | '\t' | '\n' | '\r')) {
            // Not joined and read again: there may be a million of these.
            return self.hold(part, text);
        }
        let mut joined = self.take_held(part);
        let held_bytes = joined.len();
        joined.extend_from_slice(text.raw());
        let (from, is_undecided) = beginning_of(&joined);
        let Some(begun) = Tok::from_raw(&joined[from..]) else { return Ok(()) };
        if is_undecided {
            return self.hold(part, begun);
        }
        let item = self.turn.parts[part as usize].item as usize;
        self.turn.items[item].call = CallPhase::Streaming;
        let held = Tok::from_raw(&joined[..held_bytes]).filter(|held| !held.is_empty());
        if let Some(held) = held.filter(|_| E::TRAITS.keeps_pieces && from == 0) {
            self.write(part, held, None, place)?;
            return self.write(part, text, None, place);
        }
        self.write(part, begun, None, place)
    }

    /// Closes an item that is over; a call gets what is missing.
    ///
    /// # Errors
    /// A loss if the caller refuses it.
    pub fn close(&mut self, item: ItemRef, place: &Place<'_>) -> Result<(), Stop> {
        let entry = &mut self.turn.items[item.0 as usize];
        if entry.class.is_call() {
            return self.close_call_of(item.0, place);
        }
        if core::mem::replace(&mut entry.closed, true) {
            return Ok(());
        }
        let slot = entry.slot;
        let parts: Vec<u32> = entry.parts.values().copied().collect();
        for part in parts {
            self.flush_lone_high(part)?;
        }
        match E::TRAITS.layout {
            Layout::Fields => {}
            Layout::Items => self.close_target_item(slot, item.0),
            Layout::Mirrored => self.close_mirrored_item(item.0, true),
        }
        Ok(())
    }

    pub(super) fn close_call_of(&mut self, item: u32, place: &Place<'_>) -> Result<(), Stop> {
        let entry = &mut self.turn.items[item as usize];
        if !entry.class.is_call() || core::mem::replace(&mut entry.closed, true) {
            return Ok(());
        }
        let slot = entry.slot;
        let is_whole = self.is_whole(slot);
        let entry = &mut self.turn.items[item as usize];
        entry.is_whole = is_whole;
        match entry.call.on(CallEvent::Close).0 {
            CallAction::AnnounceAndClose if entry.name.is_none() => {
                self.drop_nameless(item)?;
                self.open_ready_calls(slot, place)
            }
            CallAction::AnnounceAndClose => self.open_ready_calls(slot, place),
            _ => self.finish_call(item, place),
        }
    }

    fn finish_call(&mut self, item: u32, place: &Place<'_>) -> Result<(), Stop> {
        let part = self.text_part(item);
        if let Some(part) = part {
            self.flush_lone_high(part)?;
        }
        let entry = &self.turn.items[item as usize];
        let flushes = entry.call.on(CallEvent::Close).0 == CallAction::FlushAndClose;
        if flushes && entry.class != Class::Custom {
            self.send_held_arguments(item, place)?;
        }
        self.flush_unwrapper(item)?;
        let entry = &mut self.turn.items[item as usize];
        entry.call = CallPhase::Closed;
        let (slot, ordinal, is_whole) = (entry.slot, entry.ordinal, entry.is_whole);
        self.turn.open_calls -= 1;
        let key = CallKey { choice: self.turn.choices[slot as usize].index, ordinal };
        self.encoder.close_call(key, is_whole, self.out);
        Ok(())
    }

    /// Sends the arguments held of an open call, or those of a call without any.
    pub(super) fn send_held_arguments(&mut self, item: u32, place: &Place<'_>) -> Result<(), Stop> {
        let part = self.part_of(ItemRef(item), CALL_TEXT);
        let held = self.take_held(part);
        let held = Tok::from_raw(&held).filter(|held| !held.is_empty());
        let entry = &mut self.turn.items[item as usize];
        entry.call = CallPhase::Streaming;
        // No arguments are an empty object; of a tool with free-form input they are no input.
        let nothing = if entry.unwrapper.is_some() { None } else { Tok::plain("{}") };
        match held.or(nothing) {
            Some(text) => self.write(part, text, None, place),
            None => Ok(()),
        }
    }

    /// Takes the input out of wrapped arguments.
    #[cold]
    pub(super) fn send_input(&mut self, item: u32, arguments: Tok<'_>) -> Result<(), Stop> {
        let key = self.call_key(item);
        let Some(unwrapper) = &mut self.turn.items[item as usize].unwrapper else { return Ok(()) };
        let held_before = unwrapper.held_bytes();
        let input = unwrapper.take(arguments);
        let held = unwrapper.held_bytes();
        self.turn.held_bytes -= held_before;
        self.count_kept(held)?;
        self.send_string_body(key, input.as_bytes());
        Ok(())
    }

    /// What an unwrapper kept back of arguments that did not have the wrapper's shape.
    fn flush_unwrapper(&mut self, item: u32) -> Result<(), Stop> {
        let key = self.call_key(item);
        let entry = &mut self.turn.items[item as usize];
        let Some(unwrapper) = entry.unwrapper.take() else { return Ok(()) };
        let seen_at = entry.seen_at.to_string();
        self.turn.held_bytes -= unwrapper.held_bytes();
        let last = unwrapper.finish();
        self.send_string_body(key, last.lone_high.as_bytes());
        if last.has_lone_surrogate {
            let part = self.part_of(ItemRef(item), CALL_TEXT);
            self.tell_replaced(part, seen_at.clone())?;
        }
        let Some(rest) = last.unwrapped else { return Ok(()) };
        let code = if last.is_cut { LossCode::ArgumentsCut } else { LossCode::ArgumentsNotWrapped };
        self.losses.report_at(code, seen_at, "")?;
        let mut body = Vec::new();
        push_escaped_once(&mut body, rest.as_bytes());
        self.send_string_body(key, &body);
        Ok(())
    }

    fn send_string_body(&mut self, key: CallKey, body: &[u8]) {
        if let Some(text) = Tok::from_raw(body).filter(|text| !text.is_empty()) {
            self.encoder.call_text(key, text, self.out);
        }
    }

    pub(super) fn call_key(&self, item: u32) -> CallKey {
        let entry = &self.turn.items[item as usize];
        let choice = self.turn.choices[entry.slot as usize].index;
        CallKey { choice, ordinal: entry.ordinal }
    }

    fn drop_nameless(&mut self, item: u32) -> Result<(), Stop> {
        let mut had_text = false;
        if let Some(part) = self.text_part(item) {
            had_text = !self.take_held(part).is_empty();
            // One loss tells it all.
            self.turn.parts[part as usize].told_dropped = had_text;
            self.turn.parts[part as usize].told_mismatch = had_text;
        }
        let entry = &mut self.turn.items[item as usize];
        entry.call = CallPhase::Closed;
        self.turn.open_calls -= 1;
        let seen_at = entry.seen_at.to_string();
        if had_text {
            self.losses.report_at(LossCode::ToolCallNameless, seen_at, "")
        } else {
            Ok(())
        }
    }

    fn derived_call_id(&self, ordinal: u32) -> Box<str> {
        let seed =
            self.turn.head.id.as_deref().or(self.turn.id_seed.as_deref()).unwrap_or_default();
        let ordinal = ordinal.to_string();
        format!("call_{:016x}", fnv1a_64(&[seed.as_bytes(), b"/", ordinal.as_bytes()])).into()
    }

    pub(super) fn hold(&mut self, part: u32, text: Tok<'_>) -> Result<(), Stop> {
        self.count_kept(text.raw().len())?;
        let held = &mut self.turn.parts[part as usize].held;
        self.turn.held_texts += usize::from(held.is_empty() && !text.is_empty());
        held.extend_from_slice(text.raw());
        Ok(())
    }

    pub(super) fn take_held(&mut self, part: u32) -> Vec<u8> {
        let held = core::mem::take(&mut self.turn.parts[part as usize].held);
        self.turn.held_bytes -= held.len();
        self.turn.held_texts -= usize::from(!held.is_empty());
        held
    }
}
