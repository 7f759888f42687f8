//! The answer as a whole: head, counts, losses of items and members, end (`DESIGN.md` 4.4).

use super::{Outcome, Phase, Referee};
use crate::json::{Kind, Raw, Tok};
use crate::stream::delta::{Counts, FaultInfo, ItemRef, PartKey, Reason, WireKey};
use crate::stream::encode::{Encode, Ending, Layout};
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;

impl<E: Encode> Referee<'_, E> {
    /// Tells what the answer is called. The first word on each counts; after the start none does.
    ///
    /// # Errors
    /// A loss if the caller refuses it.
    pub fn start(
        &mut self,
        id: Option<Tok<'_>>,
        model: Option<Tok<'_>>,
        created: Option<u64>,
        place: &Place<'_>,
    ) -> Result<(), Stop> {
        if self.turn.phase != Phase::Idle {
            return Ok(());
        }
        let is_news = |known: &Option<String>, given: Option<Tok<'_>>| {
            known.is_none() && given.is_some_and(Tok::has_lone_surrogate)
        };
        let head = &self.turn.head;
        if is_news(&head.id, id) || is_news(&head.model, model) {
            self.losses.report(LossCode::UnicodeReplaced, place, "")?;
        }
        let text = |token: Option<Tok<'_>>| {
            token.filter(|token| !token.is_empty()).map(|token| token.decode().into_owned())
        };
        let head = &mut self.turn.head;
        head.id = head.id.take().or_else(|| text(id));
        head.model = head.model.take().or_else(|| text(model));
        head.created = head.created.or(created);
        let head = &self.turn.head;
        [&head.id, &head.model].into_iter().flatten().try_for_each(|text| self.limit_name(text))
    }

    pub(super) fn ensure_started(&mut self) {
        if self.turn.phase == Phase::Idle {
            self.turn.phase = Phase::Started;
            self.encoder.start(&self.turn.head, self.out);
        }
    }

    /// Adds an annotation to a part's text.
    ///
    /// # Errors
    /// A limit, or the loss if the caller refuses it.
    pub fn annotation(
        &mut self,
        key: WireKey<'_>,
        part: PartKey,
        note: Raw<'_>,
        place: &Place<'_>,
    ) -> Result<(), Stop> {
        let part = self.find_part(key, part)?;
        self.annotate(part, note, place)
    }

    pub(super) fn annotate(
        &mut self,
        part: u32,
        note: Raw<'_>,
        place: &Place<'_>,
    ) -> Result<(), Stop> {
        self.count_part(part)?;
        self.turn.parts[part as usize].annotations_sent += 1;
        if note.kind() != Kind::Object {
            return self.losses.report(LossCode::AnnotationUnknown, place, "");
        }
        // An encoder may have to keep it until the end.
        self.count_kept(note.bytes().len())?;
        let block = self.turn.block_of(part);
        self.ensure_choice(block.choice);
        self.show_unopened_part(part)?;
        if !self.encoder.annotation(block, note, self.out) {
            return self.losses.report(LossCode::AnnotationUnplaced, place, "");
        }
        if E::TRAITS.layout == Layout::Fields {
            self.turn.noted.push(block.choice);
        }
        if note.has_lone_surrogate() { self.tell_replaced(part, place.to_string()) } else { Ok(()) }
    }

    /// Reports a member of an item that the target has no place for, once.
    ///
    /// # Errors
    /// The loss if the caller refuses it.
    pub fn member_lost(
        &mut self,
        item: ItemRef,
        code: LossCode,
        name: &str,
        place: &Place<'_>,
    ) -> Result<(), Stop> {
        if self.passes_unknown() {
            return Ok(());
        }
        let told = &mut self.turn.items[item.0 as usize].told_members;
        if told.iter().any(|known| **known == *name) {
            return Ok(());
        }
        if self.losses.remembers(name) {
            told.push(name.into());
        }
        self.losses.report(code, place, name)
    }

    /// Reports an item that the target has no place for, once.
    ///
    /// # Errors
    /// The loss if the caller refuses it.
    pub fn item_lost(
        &mut self,
        item: ItemRef,
        code: LossCode,
        detail: &str,
        place: &Place<'_>,
    ) -> Result<(), Stop> {
        if Self::MIRRORS || core::mem::replace(&mut self.turn.items[item.0 as usize].told, true) {
            return Ok(());
        }
        self.losses.report(code, place, detail)
    }

    /// Takes counts; later ones replace earlier ones.
    pub fn usage(&mut self, counts: &Counts) {
        self.turn.counts.fold(counts);
    }

    /// Whether anything has told how the answer ends.
    #[must_use]
    pub fn has_reason(&self) -> bool {
        self.turn.choices.iter().any(|choice| choice.reason.is_some())
    }

    /// The source's own mark of the end: an answer without a reason ends as if the model was done.
    ///
    /// # Errors
    /// A loss if the caller refuses it.
    pub fn done_mark(&mut self) -> Result<(), Stop> {
        if !self.has_reason()
            && let Some(choice) = self.turn.choices.first_mut()
        {
            choice.reason = Some(Reason::Stop);
        }
        self.end()
    }

    /// Closes everything and writes the end of an answer, if a reason is known.
    ///
    /// # Errors
    /// A loss if the caller refuses it.
    pub fn end(&mut self) -> Result<(), Stop> {
        if self.turn.outcome().is_some() || !self.has_reason() {
            return Ok(());
        }
        self.ensure_started();
        for choice in &mut self.turn.choices {
            choice.reason = choice.reason.or(Some(Reason::Stop));
        }
        let place = self.place();
        self.flush_lone_highs()?;
        for item in 0..self.turn.items.len() {
            self.close_call_of(item as u32, &place)?;
        }
        if E::TRAITS.layout == Layout::Items {
            for slot in 0..self.turn.choices.len() {
                let is_whole = self.is_whole(slot as u32);
                self.close_open_part(slot as u32, is_whole);
            }
        }
        self.close_mirrored_items();
        let mut reasons = Vec::with_capacity(self.turn.choices.len());
        for choice in &self.turn.choices {
            let reason = match choice.reason {
                Some(Reason::Stop) | None if choice.calls_opened > 0 => Reason::ToolCalls,
                Some(reason) => reason,
                None => Reason::Stop,
            };
            reasons.push((choice.index, reason));
        }
        for (choice, _) in &reasons {
            self.ensure_choice(*choice);
        }
        self.encoder.end(Ending { reasons: &reasons, counts: &self.turn.counts }, self.out);
        let first = reasons.first().map(|(_, reason)| *reason);
        self.turn.phase = Phase::Ended(match first {
            Some(Reason::Length | Reason::ContentFilter) => Outcome::Incomplete,
            _ => Outcome::Completed,
        });
        Ok(())
    }

    /// Ends the answer with an error.
    pub fn fault(&mut self, fault: &FaultInfo<'_>, outcome: Outcome) {
        if self.turn.outcome().is_none() {
            self.encoder.fault(fault, &self.turn.counts, self.out);
            self.turn.fault = Some(fault.into());
            self.turn.phase = Phase::Ended(outcome);
        }
    }

    /// Passes a sign of life on.
    pub fn alive(&mut self) {
        if self.turn.outcome().is_none() {
            self.encoder.alive(self.out);
        }
    }
}
