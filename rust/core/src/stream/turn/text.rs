//! Text on its way through: order of parts, halves of surrogate pairs (`DESIGN.md` 4.4).

use super::Referee;
use crate::json::{Raw, Tok};
use crate::stream::delta::{Field, PartKey, WireKey};
use crate::stream::encode::{Encode, TextBlock};
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;

impl<E: Encode> Referee<'_, E> {
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
        let part_at = self.find_part(key, part)?;
        if text.is_empty() && log_probs.is_none() {
            return Ok(());
        }
        if part.kind.field() == Field::Call {
            return self.append_to_call(part_at, text, place);
        }
        self.write(part_at, text, log_probs, place)
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
        if text.has_lone_surrogate() || self.turn.parts[part as usize].lone_high.is_some() {
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
        let kind = entry.key.kind;
        let field = match kind.field() {
            Field::Call => {
                let ordinal = self.turn.items[entry.item as usize].ordinal;
                self.encoder.call_text(ordinal, text, self.out);
                return Ok(());
            }
            field => field,
        };
        if self.turn.last_writers[field as usize] != Some(part) {
            self.change_part(part, field, place)?;
        }
        if field != Field::Reasoning && self.turn.calls_opened > 0 && !self.turn.told_block_order {
            self.tell_block_order(place)?;
        }
        if !self.encoder.carries(field) {
            return self.tell_field_dropped(part, place);
        }
        self.ensure_started();
        self.encoder.text(TextBlock { kind, part }, text, log_probs, self.out);
        Ok(())
    }

    #[cold]
    fn change_part(&mut self, part: u32, field: Field, place: &Place<'_>) -> Result<(), Stop> {
        let rank = |part: u32| {
            let entry = &self.turn.parts[part as usize];
            (entry.item, entry.key.kind, entry.key.number)
        };
        let last = self.turn.last_writers[field as usize];
        if last.is_some_and(|last| rank(part) < rank(last)) {
            let told =
                core::mem::replace(&mut self.turn.parts[part as usize].told_interleaved, true);
            if E::TRAITS.one_field_per_kind && !told {
                self.losses.report(LossCode::TextInterleaved, place, "")?;
            }
            return Ok(());
        }
        self.turn.last_writers[field as usize] = Some(part);
        Ok(())
    }

    #[cold]
    fn tell_block_order(&mut self, place: &Place<'_>) -> Result<(), Stop> {
        self.turn.told_block_order = true;
        if E::TRAITS.text_apart_from_calls {
            self.losses.report(LossCode::BlockOrderLost, place, "")?;
        }
        Ok(())
    }

    #[cold]
    fn tell_field_dropped(&mut self, part: u32, place: &Place<'_>) -> Result<(), Stop> {
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
        let (joinable, after_low) = text.split_leading_low_surrogate();
        let mut joined = String::new();
        let mut rest = text;
        if let Some(high) = self.turn.parts[part as usize].lone_high.take() {
            self.turn.lone_highs -= 1;
            joined.push_str(&high.0);
            if joinable.is_some() {
                rest = after_low;
            } else {
                self.losses.report_at(LossCode::UnicodeReplaced, high.1, "")?;
            }
        }
        let (settled, trailing) = rest.split_trailing_high_surrogate();
        if settled.has_lone_surrogate() {
            self.losses.report(LossCode::UnicodeReplaced, place, "")?;
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

    /// A high half that no low half can follow any more.
    pub(super) fn flush_lone_high(&mut self, part: u32) -> Result<(), Stop> {
        let Some(high) = self.turn.parts[part as usize].lone_high.take() else { return Ok(()) };
        self.turn.lone_highs -= 1;
        let place = self.place();
        self.losses.report_at(LossCode::UnicodeReplaced, high.1, "")?;
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
