//! The choices of an answer (`DESIGN.md` 4.5).

use super::Referee;
use crate::stream::delta::Reason;
use crate::stream::encode::Encode;
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;

/// One of the answers that a request may ask for.
#[derive(Debug)]
pub(super) struct Choice {
    /// Its index on the wire.
    pub(super) index: u32,
    pub(super) is_started: bool,
    pub(super) reason: Option<Reason>,
    /// Its calls in order of first sight; those before `next_call` are open or closed.
    pub(super) calls: Vec<u32>,
    pub(super) next_call: usize,
    pub(super) calls_opened: u32,
    /// The part that wrote last to content, refusal and reasoning.
    pub(super) last_writers: [Option<u32>; 3],
    /// How many parts wrote to each field.
    pub(super) places: [u32; 3],
    /// The part that is open on the target's side.
    pub(super) open_part: Option<u32>,
    pub(super) told_block_order: bool,
}

impl<E: Encode> Referee<'_, E> {
    /// Hears of a choice: it is started. False if the target has no place for it; that is told once.
    ///
    /// # Errors
    /// A limit, or the loss if the caller refuses it.
    #[inline]
    pub fn hear_choice(&mut self, index: u32, place: &Place<'_>) -> Result<bool, Stop> {
        if self.turn.choices.first().is_some_and(|first| first.index == index && first.is_started) {
            return Ok(true);
        }
        self.hear_new_choice(index, place)
    }

    #[cold]
    fn hear_new_choice(&mut self, index: u32, place: &Place<'_>) -> Result<bool, Stop> {
        if index > 0 && !E::TRAITS.has_choices {
            self.ensure_started();
            if !self.turn.slots.contains_key(&index) {
                self.count_block()?;
                self.turn.slots.insert(index, u32::MAX);
                self.losses.report(LossCode::ChoicesDropped, place, "")?;
            }
            return Ok(false);
        }
        self.slot_of(index)?;
        self.ensure_choice(index);
        Ok(true)
    }

    /// A choice's place in the list of choices; it is made if it is new.
    pub(super) fn slot_of(&mut self, index: u32) -> Result<u32, Stop> {
        if let Some(slot) = self.turn.slots.get(&index) {
            return Ok(*slot);
        }
        if index > 0 {
            self.count_block()?;
        }
        let slot = self.turn.choices.len() as u32;
        self.turn.slots.insert(index, slot);
        self.turn.choices.push(Choice {
            index,
            is_started: false,
            reason: None,
            calls: Vec::new(),
            next_call: 0,
            calls_opened: 0,
            last_writers: [None; 3],
            places: [0; 3],
            open_part: None,
            told_block_order: false,
        });
        Ok(slot)
    }

    /// Writes the start of the answer and of a choice if they are missing.
    #[inline]
    pub(super) fn ensure_choice(&mut self, index: u32) {
        let is_started = match self.turn.choices.first() {
            Some(first) if first.index == index => first.is_started,
            _ => false,
        };
        if !is_started {
            self.start_choice(index);
        }
    }

    #[cold]
    fn start_choice(&mut self, index: u32) {
        self.ensure_started();
        let slot = self.turn.slots.get(&index).copied();
        let Some(choice) = slot.and_then(|slot| self.turn.choices.get_mut(slot as usize)) else {
            return;
        };
        if !core::mem::replace(&mut choice.is_started, true) {
            self.encoder.start_choice(index, self.out);
        }
    }

    /// Notes why a choice ended; the last word counts. `end` writes it.
    ///
    /// # Errors
    /// A limit.
    pub fn finish(&mut self, choice: u32, reason: Reason) -> Result<(), Stop> {
        let slot = self.slot_of(choice)?;
        self.turn.choices[slot as usize].reason = Some(reason);
        Ok(())
    }

    /// Whether a choice was not cut by a limit or a filter.
    pub(super) fn is_whole(&self, slot: u32) -> bool {
        let reason = self.turn.choices[slot as usize].reason;
        !matches!(reason, Some(Reason::Length | Reason::ContentFilter))
    }
}
