//! Text on its way through: order of parts, halves of surrogate pairs (`DESIGN.md` 4.4).

use core::ptr;

use super::Referee;
use super::mirror::Side;
use crate::error::Code;
use crate::json::{Raw, Tok};
use crate::stream::delta::{Field, PartKey, WireKey};
use crate::stream::encode::{Encode, Layout, Original};
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;

impl<'t, E: Encode> Referee<'t, E> {
    /// More text of a part. `log_probs` is a JSON list that belongs to it.
    ///
    /// # Errors
    /// A limit, or a loss if the caller refuses it.
    #[inline]
    pub fn append(
        &mut self,
        key: WireKey<'_>,
        part: PartKey,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        place: &Place<'_>,
    ) -> Result<(), Stop> {
        if text.is_empty() && log_probs.is_none() {
            // It adds nothing, but its item counts as seen.
            let item = self.find_item(key, part.kind.class())?;
            self.note_first_sight(item.0, &self.place());
            return Ok(());
        }
        let part_at = self.find_part(key, part)?;
        if part.kind.field() == Field::Call {
            let event = self.place();
            return self.append_to_call(part_at, text, place, &event);
        }
        self.write(part_at, text, log_probs, place)
    }

    /// More text of a call, where the event shows the call at `item_place` and its text below that.
    ///
    /// # Errors
    /// As `append`.
    #[inline]
    pub fn append_arguments(
        &mut self,
        key: WireKey<'_>,
        part: PartKey,
        text: Tok<'_>,
        place: &Place<'_>,
        item_place: &Place<'_>,
    ) -> Result<(), Stop> {
        let part_at = self.find_part(key, part)?;
        self.append_to_call(part_at, text, place, item_place)
    }

    /// Sends text of a part that may be sent now.
    #[inline]
    pub(super) fn write(
        &mut self,
        part: u32,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        place: &Place<'_>,
    ) -> Result<(), Stop> {
        // An empty text, with log probabilities, leaves what waits as it is.
        let is_half = text.has_lone_surrogate()
            || (self.turn.parts[part as usize].lone_high.is_some() && !text.is_empty());
        if is_half {
            return self.write_mended(part, text, log_probs, place);
        }
        self.send(part, text, log_probs, place)
    }

    #[inline]
    fn send(
        &mut self,
        part: u32,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        place: &Place<'_>,
    ) -> Result<(), Stop> {
        let entry = &mut self.turn.parts[part as usize];
        entry.sent.add(text);
        let field = entry.key.kind.field();
        let item = entry.item;
        if E::TRAITS.keeps_text || self.turn.collects {
            let probability_bytes = log_probs.map_or(0, |list| list.bytes().len());
            self.count_answer(text.raw().len() + probability_bytes)?;
        }
        if field == Field::Call {
            return self.send_call_text(item, text);
        }
        let slot = self.turn.items[item as usize].slot;
        let choice = &self.turn.choices[slot as usize];
        let is_current = match E::TRAITS.layout {
            Layout::Fields => {
                choice.last_writers[field as usize] == Some(part)
                    && (field == Field::Reasoning || choice.calls_opened == 0)
            }
            Layout::Items => choice.open_part == Some(part),
            Layout::Mirrored => self.turn.parts[part as usize].side == Side::Open,
        };
        if !is_current {
            if !self.encoder.carries(field) {
                self.count_part(part)?;
                return self.tell_field_dropped(part, place);
            }
            self.change_part(part, field, place)?;
        }
        if log_probs.is_some_and(Raw::has_lone_surrogate) {
            self.tell_replaced(part, place.to_string())?;
        }
        let block = self.turn.block_of(part);
        self.ensure_choice(block.choice);
        if let Some(original) = self.original_of(text).filter(|_| log_probs.is_none())
            && self.encoder.copy_text(block, original, self.out)
        {
            self.original = None;
            return Ok(());
        }
        self.encoder.text(block, text, log_probs, self.out);
        Ok(())
    }

    /// The event that may be copied if this is all that is written for it.
    #[inline]
    fn original_of(&self, text: Tok<'_>) -> Option<&'t Original<'t>> {
        self.original.filter(|original| {
            ptr::eq(original.reading.text.raw(), text.raw()) && self.out.len() == original.written
        })
    }

    #[inline]
    fn send_call_text(&mut self, item: u32, text: Tok<'_>) -> Result<(), Stop> {
        if self.turn.items[item as usize].unwrapper.is_some() {
            return self.send_input(item, text);
        }
        let key = self.call_key(item);
        if let Some(original) = self.original_of(text)
            && self.encoder.copy_call_text(key, original, self.out)
        {
            self.original = None;
            return Ok(());
        }
        self.encoder.call_text(key, text, self.out);
        Ok(())
    }

    /// Counts bytes of an answer that is kept as a whole.
    fn count_answer(&mut self, text_bytes: usize) -> Result<(), Stop> {
        self.turn.answer_bytes += text_bytes;
        if self.turn.answer_bytes > self.turn.limits.max_answer_bytes {
            return Err(self.limit(Code::AnswerTooLarge));
        }
        Ok(())
    }

    /// Text goes to another part than before, or behind a call.
    #[cold]
    fn change_part(&mut self, part: u32, field: Field, place: &Place<'_>) -> Result<(), Stop> {
        self.count_part(part)?;
        match E::TRAITS.layout {
            Layout::Fields => self.change_field(part, field, place),
            Layout::Items => self.open_target_part(part),
            Layout::Mirrored => {
                self.count_opening(part)?;
                self.open_mirrored_part(part)
            }
        }
    }

    fn change_field(&mut self, part: u32, field: Field, place: &Place<'_>) -> Result<(), Stop> {
        let slot = self.turn.items[self.turn.parts[part as usize].item as usize].slot as usize;
        let entry = &mut self.turn.parts[part as usize];
        let choice = &mut self.turn.choices[slot];
        // Parts come in the order of their text.
        if entry.place == 0 {
            choice.places[field as usize] += 1;
            entry.place = choice.places[field as usize];
            choice.last_writers[field as usize] = Some(part);
        } else if entry.place < choice.places[field as usize]
            && !core::mem::replace(&mut entry.told_interleaved, true)
        {
            self.losses.report(LossCode::TextInterleaved, place, "")?;
        }
        let choice = &mut self.turn.choices[slot];
        let is_behind_call = field != Field::Reasoning && choice.calls_opened > 0;
        if is_behind_call && !core::mem::replace(&mut choice.told_block_order, true) {
            self.losses.report(LossCode::BlockOrderLost, place, "")?;
        }
        Ok(())
    }

    /// Counts a part that opens anew: it is another one on the target's side.
    fn count_opening(&mut self, part: u32) -> Result<(), Stop> {
        if self.turn.parts[part as usize].side == Side::Unopened {
            Ok(())
        } else {
            self.count_block()
        }
    }

    fn open_target_part(&mut self, part: u32) -> Result<(), Stop> {
        self.count_opening(part)?;
        self.turn.parts[part as usize].side = Side::Open;
        let item = self.turn.parts[part as usize].item;
        let slot = self.turn.items[item as usize].slot;
        let block = self.turn.block_of(part);
        self.ensure_choice(block.choice);
        match self.turn.choices[slot as usize].open_part {
            Some(open) if self.turn.parts[open as usize].item != item => {
                self.close_open_part(slot, true);
            }
            Some(open) => {
                let open = self.turn.block_of(open);
                self.encoder.close_part(open, self.out);
            }
            None => {}
        }
        self.turn.choices[slot as usize].open_part = Some(part);
        self.encoder.open_part(block, self.out);
        Ok(())
    }

    /// Closes the part that is open on the target's side, and its item.
    pub(super) fn close_open_part(&mut self, slot: u32, is_whole: bool) {
        if let Some(open) = self.turn.choices[slot as usize].open_part.take() {
            let block = self.turn.block_of(open);
            self.encoder.close_part(block, self.out);
            self.encoder.close_item(block.item, is_whole, self.out);
        }
    }

    /// The source closed a message or reasoning item.
    pub(super) fn close_target_item(&mut self, slot: u32, item: u32) {
        let open = self.turn.choices[slot as usize].open_part;
        if open.is_some_and(|open| self.turn.parts[open as usize].item == item) {
            self.close_open_part(slot, true);
        }
    }

    #[cold]
    pub(super) fn tell_field_dropped(&mut self, part: u32, place: &Place<'_>) -> Result<(), Stop> {
        if core::mem::replace(&mut self.turn.parts[part as usize].told_dropped, true) {
            return Ok(());
        }
        self.losses.report(LossCode::ReasoningDropped, place, "")
    }

    /// Joins the halves of a surrogate pair that two pieces of text share; halves that stay alone become
    /// U+FFFD.
    #[cold]
    fn write_mended(
        &mut self,
        part: u32,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        place: &Place<'_>,
    ) -> Result<(), Stop> {
        self.count_part(part)?;
        let (joinable, after_low) = text.split_leading_low_surrogate();
        let mut joined = String::new();
        let mut rest = text;
        if let Some(high) = self.turn.parts[part as usize].lone_high.take() {
            self.turn.lone_highs -= 1;
            joined.push_str(&high.0);
            if joinable.is_some() {
                rest = after_low;
            } else {
                self.tell_replaced(part, high.1)?;
            }
        }
        let (settled, trailing) = rest.split_trailing_high_surrogate();
        if settled.has_lone_surrogate() {
            self.tell_replaced(part, place.to_string())?;
        }
        joined.push_str(text.raw_str());
        if let Some(high) = trailing {
            joined.truncate(joined.len() - high.len());
            self.turn.lone_highs += 1;
            self.turn.parts[part as usize].lone_high =
                Some(Box::new((high.into(), place.to_string())));
        }
        match Tok::from_raw(joined.as_bytes()) {
            Some(mended) if !mended.is_empty() || log_probs.is_some() => {
                self.send(part, mended, log_probs, place)
            }
            _ => Ok(()),
        }
    }

    /// A lone half became U+FFFD; that is told once a part.
    pub(super) fn tell_replaced(&mut self, part: u32, path: String) -> Result<(), Stop> {
        if core::mem::replace(&mut self.turn.parts[part as usize].told_replaced, true) {
            return Ok(());
        }
        self.losses.report_at(LossCode::UnicodeReplaced, path, "")
    }

    /// A high half that no low half can follow any more.
    pub(super) fn flush_lone_high(&mut self, part: u32) -> Result<(), Stop> {
        let Some(high) = self.turn.parts[part as usize].lone_high.take() else { return Ok(()) };
        self.turn.lone_highs -= 1;
        let place = self.place();
        self.tell_replaced(part, high.1)?;
        match Tok::from_raw(high.0.as_bytes()) {
            Some(half) => self.send(part, half, None, &place),
            None => Ok(()),
        }
    }

    pub(super) fn flush_lone_highs(&mut self) -> Result<(), Stop> {
        if self.turn.lone_highs == 0 {
            return Ok(());
        }
        for part in 0..self.turn.parts.len() {
            self.flush_lone_high(part as u32)?;
        }
        Ok(())
    }
}
