//! Source and target are one format with a life cycle: items and parts open and close on the target's side as
//! in the source, and what has no neutral form is passed on (`DESIGN.md` 8). For other targets nothing here
//! does anything.

use super::{CallPhase, Referee};
use crate::error::Code;
use crate::json::Raw;
use crate::stream::delta::{Class, Field, ItemRef, PartKey, PartKind, WireKey};
use crate::stream::encode::{CallKey, Encode, Layout};
use crate::stream::mirror::ItemOpening;
use crate::stream::stop::Stop;

/// How far the target has come with an item or a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Side {
    /// It was never opened.
    #[default]
    Unopened,
    /// It is open.
    Open,
    /// It was closed.
    Over,
}

/// What became of a part without a neutral form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedPart {
    /// The target cannot take it.
    Nowhere,
    /// It is one of its own.
    Apart,
    /// A text had its place, and shows what it brought.
    AlongWithText,
}

/// The kinds of parts that share their numbers.
const fn kinds_of(is_summary: bool) -> &'static [PartKind] {
    if is_summary {
        &[PartKind::Summary, PartKind::ForeignSummary]
    } else {
        &[PartKind::Text, PartKind::Refusal, PartKind::ReasoningText, PartKind::Foreign]
    }
}

impl<E: Encode> Referee<'_, E> {
    /// Whether the target takes over what has no neutral form.
    pub(crate) const MIRRORS: bool = matches!(E::TRAITS.layout, Layout::Mirrored);

    /// The source shows the response object.
    ///
    /// # Errors
    /// A limit.
    pub fn show_answer(&mut self, response: Raw<'_>) -> Result<(), Stop> {
        if !Self::MIRRORS {
            return Ok(());
        }
        self.encoder.show_answer(response);
        self.limit_shown()
    }

    /// The response object shown last tells that the answer failed.
    pub fn show_failure(&mut self) {
        self.encoder.show_failure();
    }

    /// The source told the head of its answer in an event of this type, not for the first time.
    pub fn repeat_head(&mut self, kind: &str) {
        if Self::MIRRORS {
            self.encoder.repeat_head(kind, self.out);
        }
    }

    /// The source shows an item; all but calls open at once.
    ///
    /// # Errors
    /// A limit.
    pub fn show_item(&mut self, item: ItemRef, shown: Raw<'_>) -> Result<(), Stop> {
        if !Self::MIRRORS {
            return Ok(());
        }
        let entry = &self.turn.items[item.0 as usize];
        self.encoder.show_item(item.0, entry.class, shown);
        if !entry.class.is_call() && entry.side == Side::Unopened {
            self.open_mirrored_item(item.0);
        }
        self.limit_shown()
    }

    /// The source shows a part: it opens at once, unless its item is over.
    ///
    /// # Errors
    /// A limit.
    pub fn show_part(&mut self, item: ItemRef, key: PartKey, shown: Raw<'_>) -> Result<(), Stop> {
        if !Self::MIRRORS {
            return Ok(());
        }
        let part = self.part_of(item, key);
        self.show_part_at(part, shown)
    }

    /// The source shows a part without a neutral form. Where a text has its place it rides along in that.
    ///
    /// # Errors
    /// A limit.
    pub fn pass_part(
        &mut self,
        item: ItemRef,
        key: PartKey,
        shown: Raw<'_>,
    ) -> Result<PassedPart, Stop> {
        if !Self::MIRRORS {
            return Ok(PassedPart::Nowhere);
        }
        let parts = &self.turn.items[item.0 as usize].parts;
        let mut texts = kinds_of(key.kind.is_summary()).iter().filter(|kind| !kind.is_foreign());
        let taken = texts.find_map(|kind| parts.get(&(*kind, key.number))).copied();
        if let Some(part) = taken {
            self.count_part(part)?;
            self.show_unopened_part(part);
            let block = self.turn.block_of(part);
            self.encoder.show_part(block, shown);
            self.limit_shown()?;
            return Ok(PassedPart::AlongWithText);
        }
        let part = self.part_of(item, key);
        self.show_part_at(part, shown)?;
        Ok(PassedPart::Apart)
    }

    fn show_part_at(&mut self, part: u32, shown: Raw<'_>) -> Result<(), Stop> {
        self.count_part(part)?;
        let block = self.turn.block_of(part);
        if self.may_open(part) {
            self.open_mirrored_item(block.item);
            self.turn.parts[part as usize].side = Side::Open;
            self.encoder.open_shown_part(block, shown, self.out);
        } else {
            self.encoder.show_part(block, shown);
        }
        self.limit_shown()
    }

    /// The source closes the part of that number.
    ///
    /// # Errors
    /// A loss if the caller refuses it.
    pub fn close_part(&mut self, item: ItemRef, number: u64, is_summary: bool) -> Result<(), Stop> {
        if !Self::MIRRORS {
            return Ok(());
        }
        for kind in kinds_of(is_summary) {
            let entry = &self.turn.items[item.0 as usize];
            if let Some(part) = entry.parts.get(&(*kind, number)).copied() {
                self.flush_lone_high(part)?;
                self.close_mirrored_part(part);
            }
        }
        Ok(())
    }

    /// The source says that the text of a part is complete; `log_probs` belongs to all of it.
    ///
    /// # Errors
    /// A limit, or a loss if the caller refuses it.
    pub fn close_text(
        &mut self,
        key: WireKey<'_>,
        part: PartKey,
        log_probs: Option<Raw<'_>>,
    ) -> Result<(), Stop> {
        if !Self::MIRRORS {
            return Ok(());
        }
        let part_at = self.find_part(key, part)?;
        if part.kind.field() == Field::Call {
            return self.close_call_text(part_at);
        }
        self.flush_lone_high(part_at)?;
        self.count_part(part_at)?;
        self.show_unopened_part(part_at);
        if self.turn.parts[part_at as usize].side == Side::Open {
            let block = self.turn.block_of(part_at);
            self.encoder.close_text(block, log_probs, self.out);
        }
        Ok(())
    }

    /// A call without any text is not complete: its item may still bring it.
    fn close_call_text(&mut self, part: u32) -> Result<(), Stop> {
        let item = self.turn.parts[part as usize].item;
        let entry = &self.turn.items[item as usize];
        let holds_text = !self.turn.parts[part as usize].held.is_empty();
        match entry.call {
            CallPhase::Open if holds_text => {
                let place = self.place();
                self.send_held_arguments(item, &place)?;
            }
            CallPhase::Streaming => {}
            CallPhase::Waiting | CallPhase::Open | CallPhase::Closed => return Ok(()),
        }
        self.flush_lone_high(part)?;
        let entry = &self.turn.items[item as usize];
        // What an unwrapper keeps back is known at the end.
        if entry.unwrapper.is_none() {
            let choice = self.turn.choices[entry.slot as usize].index;
            let key = CallKey { choice, ordinal: entry.ordinal };
            self.encoder.close_call_text(key, self.out);
        }
        Ok(())
    }

    /// Passes an event on that has no neutral form; false if the target cannot take it.
    ///
    /// # Errors
    /// A limit.
    pub fn pass_event(
        &mut self,
        key: WireKey<'_>,
        kind: &str,
        event: Raw<'_>,
    ) -> Result<bool, Stop> {
        if !Self::MIRRORS {
            return Ok(false);
        }
        let item = self.item_of_any_class(key);
        self.encoder.pass_event(item, kind, event, self.out);
        self.limit_shown()?;
        Ok(true)
    }

    fn item_of_any_class(&self, key: WireKey<'_>) -> Option<u32> {
        let by_index =
            key.index.and_then(|index| self.turn.by_index.get(&(key.choice, index)).copied());
        if by_index.is_some() {
            return by_index;
        }
        let id: Box<str> = key.id.filter(|id| !id.is_empty())?.decode().into();
        let of_class = |class| self.turn.by_id.get(&(key.choice, class, id.clone())).copied();
        self.turn
            .foreign_by_id
            .get(&id)
            .copied()
            .or_else(|| of_class(Class::Message))
            .or_else(|| of_class(Class::Reasoning))
            .or_else(|| of_class(Class::Function))
    }

    fn limit_shown(&self) -> Result<(), Stop> {
        let bytes = self.turn.answer_bytes + self.encoder.shown_bytes();
        if bytes > self.turn.limits.max_answer_bytes {
            return Err(self.limit(Code::AnswerTooLarge));
        }
        Ok(())
    }

    fn open_mirrored_item(&mut self, item: u32) {
        let slot = self.turn.items[item as usize].slot;
        self.ensure_choice(self.turn.choices[slot as usize].index);
        let entry = &mut self.turn.items[item as usize];
        if entry.side == Side::Open {
            return;
        }
        entry.side = Side::Open;
        let opening = ItemOpening { item, class: entry.class, id: entry.id.as_deref() };
        self.encoder.open_item(opening, self.out);
    }

    /// Whether a part was never opened, and its item is not over.
    fn may_open(&self, part: u32) -> bool {
        let entry = &self.turn.parts[part as usize];
        entry.side == Side::Unopened && self.turn.items[entry.item as usize].side != Side::Over
    }

    /// Opens a part that was never opened, unless its item is over.
    pub(super) fn show_unopened_part(&mut self, part: u32) {
        if Self::MIRRORS && self.may_open(part) {
            self.open_mirrored_part(part);
        }
    }

    /// Opens a part for text; if it was closed before, this is another part, and so with its item.
    pub(super) fn open_mirrored_part(&mut self, part: u32) {
        self.open_mirrored_item(self.turn.parts[part as usize].item);
        self.turn.parts[part as usize].side = Side::Open;
        let block = self.turn.block_of(part);
        self.encoder.open_part(block, self.out);
    }

    fn close_mirrored_part(&mut self, part: u32) {
        if self.turn.parts[part as usize].side == Side::Open {
            self.turn.parts[part as usize].side = Side::Over;
            let block = self.turn.block_of(part);
            self.encoder.close_part(block, self.out);
        }
    }

    pub(super) fn close_mirrored_item(&mut self, item: u32, is_whole: bool) {
        let entry = &mut self.turn.items[item as usize];
        if entry.side != Side::Open {
            return;
        }
        entry.side = Side::Over;
        let mut parts: Vec<u32> = entry.parts.values().copied().collect();
        parts.sort_unstable();
        for part in parts {
            self.close_mirrored_part(part);
        }
        self.encoder.close_item(item, is_whole, self.out);
    }

    /// Closes what the source left open, at the end.
    pub(super) fn close_mirrored_items(&mut self) {
        if !Self::MIRRORS {
            return;
        }
        for item in 0..self.turn.items.len() {
            let is_whole = self.is_whole(self.turn.items[item].slot);
            self.close_mirrored_item(item as u32, is_whole);
        }
    }
}
