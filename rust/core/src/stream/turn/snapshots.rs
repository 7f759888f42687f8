//! Snapshots: what a `done` event or the terminal object says a part has become (`DESIGN.md` 4.3).

use super::calls::without_placeholder;
use super::{CallPhase, Referee};
use crate::json::{Raw, Tok};
use crate::stream::delta::{Class, Field, ItemRef, PartKey, WireKey};
use crate::stream::encode::Encode;
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;

/// A part as a snapshot gives it.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// The whole text so far.
    pub text: Option<Tok<'a>>,
    /// Log probabilities of the text, a JSON list.
    pub log_probs: Option<Raw<'a>>,
    /// Where it stands.
    pub place: Place<'a>,
}

impl<E: Encode> Referee<'_, E> {
    /// Reconciles a part with a snapshot of it.
    ///
    /// # Errors
    /// A limit, or a loss if the caller refuses it.
    pub fn snapshot(
        &mut self,
        key: WireKey<'_>,
        part: PartKey,
        snapshot: &Snapshot<'_>,
    ) -> Result<(), Stop> {
        let item = self.find_item(key, part.kind.class())?;
        self.snapshot_of(item, part, snapshot)
    }

    /// The same for an item that is known already.
    ///
    /// # Errors
    /// As [`Referee::snapshot`].
    pub fn snapshot_of(
        &mut self,
        item: ItemRef,
        part: PartKey,
        snapshot: &Snapshot<'_>,
    ) -> Result<(), Stop> {
        let Some(text) = snapshot.text.filter(|text| !text.is_empty()) else { return Ok(()) };
        let part = self.part_of(item, part);
        self.reconcile(part, text, snapshot)
    }

    /// Annotations of a part's snapshot: those beyond the ones sent.
    ///
    /// # Errors
    /// A limit, or a loss if the caller refuses it.
    pub fn annotations_of(
        &mut self,
        item: ItemRef,
        part: PartKey,
        notes: &[Raw<'_>],
        place: &Place<'_>,
    ) -> Result<(), Stop> {
        if notes.is_empty() {
            return Ok(());
        }
        let part = self.part_of(item, part);
        let sent = self.turn.parts[part as usize].annotations_sent as usize;
        for (at, note) in notes.iter().enumerate().skip(sent) {
            self.annotate(part, *note, &place.element("annotations", at as u32))?;
        }
        Ok(())
    }

    /// Reports a part of a type without a neutral form, once.
    ///
    /// # Errors
    /// The loss if the caller refuses it.
    pub fn part_lost(
        &mut self,
        item: ItemRef,
        key: PartKey,
        detail: &str,
        place: &Place<'_>,
    ) -> Result<(), Stop> {
        let part = self.part_of(item, key);
        if core::mem::replace(&mut self.turn.parts[part as usize].told_unknown, true) {
            return Ok(());
        }
        self.count_part(part)?;
        self.losses.report(LossCode::PartUnknown, place, detail)
    }

    fn reconcile(&mut self, part: u32, text: Tok<'_>, snapshot: &Snapshot<'_>) -> Result<(), Stop> {
        let entry = &self.turn.parts[part as usize];
        let kind = entry.key.kind;
        let is_call = kind.field() == Field::Call;
        let item = &self.turn.items[entry.item as usize];
        let phase = item.call;
        let text = if item.class == Class::Function { without_placeholder(text) } else { text };
        if is_call && matches!(phase, CallPhase::Waiting | CallPhase::Open) {
            // Nothing was sent yet, so what is held may still be replaced.
            let is_over = item.closed;
            self.take_held(part);
            if is_over {
                // It waits for its turn and takes no more text, but what it holds may be put right.
                return self.hold(part, text);
            }
            return self.append_to_call(part, text, &snapshot.place, &snapshot.place);
        }
        if !self.encoder.carries(kind.field()) {
            // Nothing of it is shown, so nothing can contradict it.
            self.count_part(part)?;
            return self.tell_field_dropped(part, &snapshot.place);
        }
        let nothing_sent = entry.sent.is_empty();
        match entry.sent.rest_of(text) {
            Some(rest) if rest.is_empty() => Ok(()),
            Some(rest) if !(is_call && phase == CallPhase::Closed) => {
                if self.turn.parts[part as usize].lone_high.take().is_some() {
                    self.turn.lone_highs -= 1;
                }
                let log_probs = snapshot.log_probs.filter(|_| nothing_sent);
                self.write(part, rest, log_probs, &snapshot.place)
            }
            _ if core::mem::replace(&mut self.turn.parts[part as usize].told_mismatch, true) => {
                Ok(())
            }
            _ => self.losses.report(LossCode::SnapshotMismatch, &snapshot.place, ""),
        }
    }
}
