//! The referee: the only place with rules about order and identity (`DESIGN.md` section 4).
//!
//! [`Turn`] is the state of one answer. [`Referee`] lends it, together with the encoder and the output, for
//! the time of one event; decoders call its methods.

mod calls;
mod identity;
mod settle;
mod snapshots;
mod text;

use std::collections::BTreeMap;

use super::delta::{Class, Counts, FaultInfo, ItemRef, PartKey, PartKind, Reason, WireKey};
use super::digest::SentText;
use super::encode::{Encode, Head};
use super::loss::{LossCode, LossLog};
use super::options::Limits;
use super::place::Place;
use super::stop::Stop;
use crate::error::Code;
use crate::json::{Raw, Tok};

pub use calls::{CallAction, CallEvent, CallPhase};
pub use settle::Settling;
pub use snapshots::Snapshot;

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// In full.
    Completed,
    /// Cut off by a limit or a filter.
    Incomplete,
    /// By an error.
    Failed,
    /// The source ended before its own end.
    Truncated,
}

impl Outcome {
    /// The public spelling.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Incomplete => "incomplete",
            Self::Failed => "failed",
            Self::Truncated => "truncated",
        }
    }
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing is written.
    Idle,
    /// The start is written, the head fixed.
    Started,
    /// The reason is known; counts may still come.
    Finishing(Reason),
    /// Nothing may be written any more.
    Ended(Outcome),
}

/// One output item of the source.
#[derive(Debug)]
struct Item {
    class: Class,
    id: Option<Box<str>>,
    call_id: Option<Box<str>>,
    name: Option<Box<str>>,
    closed: bool,
    call: CallPhase,
    ordinal: u32,
    parts: BTreeMap<(PartKind, u64), u32>,
    /// Members whose loss was told.
    told_members: Vec<Box<str>>,
    /// Whether the loss of the item itself was told.
    told: bool,
}

/// One part of an item.
#[derive(Debug)]
struct Part {
    item: u32,
    key: PartKey,
    /// What was sent of it.
    sent: SentText,
    /// A string body that waits for its turn: text of a call that is not open, or a placeholder.
    held: Vec<u8>,
    /// The high half of a surrogate pair at the end of what came, and the path of the text it ended.
    lone_high: Option<Box<(Box<str>, String)>>,
    annotations_sent: u32,
    told_mismatch: bool,
    told_interleaved: bool,
    told_dropped: bool,
    told_unknown: bool,
}

/// The part that got text last: consecutive deltas mostly go to the same one.
#[derive(Clone, Copy, Debug)]
struct Hot {
    choice: u32,
    index: Option<u64>,
    key: PartKey,
    item: u32,
    part: u32,
}

/// The state of one answer.
#[derive(Debug)]
pub struct Turn {
    phase: Phase,
    head: Head,
    id_seed: Option<String>,
    limits: Limits,
    items: Vec<Item>,
    parts: Vec<Part>,
    by_index: BTreeMap<(u32, u64), u32>,
    by_id: BTreeMap<(Class, Box<str>), u32>,
    last_of_class: BTreeMap<Class, u32>,
    hot: Option<Hot>,
    /// The part that wrote last to content, refusal and reasoning.
    last_writers: [Option<u32>; 3],
    calls_opened: u32,
    /// Ids of opened calls, with the number of the last suffix tried.
    call_ids: BTreeMap<Box<str>, u32>,
    open_calls: usize,
    held_bytes: usize,
    lone_highs: usize,
    told_block_order: bool,
    counts: Counts,
}

impl Turn {
    /// The state before anything came. `id_seed` is what call ids are derived from if the source has no
    /// response id.
    #[must_use]
    pub fn new(limits: Limits, id_seed: Option<String>) -> Self {
        Self {
            phase: Phase::Idle,
            head: Head::default(),
            id_seed,
            limits,
            items: Vec::new(),
            parts: Vec::new(),
            by_index: BTreeMap::new(),
            by_id: BTreeMap::new(),
            last_of_class: BTreeMap::new(),
            hot: None,
            last_writers: [None; 3],
            calls_opened: 0,
            call_ids: BTreeMap::new(),
            open_calls: 0,
            held_bytes: 0,
            lone_highs: 0,
            told_block_order: false,
            counts: Counts::default(),
        }
    }

    /// How the answer ended; `None` while it is open.
    #[must_use]
    pub const fn outcome(&self) -> Option<Outcome> {
        match self.phase {
            Phase::Ended(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Whether the reason of the end is known.
    #[must_use]
    pub const fn is_finishing(&self) -> bool {
        matches!(self.phase, Phase::Finishing(_))
    }

    /// The counts so far.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Ends the answer without writing anything.
    pub const fn abandon(&mut self, outcome: Outcome) {
        self.phase = Phase::Ended(outcome);
    }
}

/// The turn, the encoder and the output, lent for the time of one event.
#[derive(Debug)]
pub struct Referee<'t, E> {
    /// The state of the answer.
    pub turn: &'t mut Turn,
    /// The target's writer.
    pub encoder: &'t mut E,
    /// Where events go.
    pub out: &'t mut Vec<u8>,
    /// Where losses go.
    pub losses: &'t mut LossLog,
    /// The event's ordinal; none for a body that is one JSON text.
    pub event: Option<u64>,
}

impl<E: Encode> Referee<'_, E> {
    /// The current event as a place.
    #[must_use]
    pub fn place(&self) -> Place<'static> {
        Place::event(self.event)
    }

    /// Tells what the answer is called. The first word on each counts; after the start none does.
    pub fn start(&mut self, id: Option<Tok<'_>>, model: Option<Tok<'_>>, created: Option<u64>) {
        if self.turn.phase != Phase::Idle {
            return;
        }
        let text = |token: Option<Tok<'_>>| {
            token.filter(|t| !t.is_empty()).map(|t| t.decode().into_owned())
        };
        self.turn.head = Head { id: text(id), model: text(model), created };
        self.ensure_started();
    }

    fn ensure_started(&mut self) {
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

    fn annotate(&mut self, part: u32, note: Raw<'_>, place: &Place<'_>) -> Result<(), Stop> {
        self.turn.parts[part as usize].annotations_sent += 1;
        if note.kind() != crate::json::Kind::Object {
            return self.losses.report(LossCode::AnnotationUnknown, place, "");
        }
        // An encoder may have to keep it until the end.
        self.count_kept(note.bytes().len())?;
        self.ensure_started();
        self.encoder.annotation(note, self.out);
        Ok(())
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
        let told = &mut self.turn.items[item.0 as usize].told_members;
        if told.iter().any(|known| **known == *name) {
            return Ok(());
        }
        told.push(name.into());
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
        if core::mem::replace(&mut self.turn.items[item.0 as usize].told, true) {
            return Ok(());
        }
        self.losses.report(code, place, detail)
    }

    /// Takes counts; later ones replace earlier ones.
    pub fn usage(&mut self, counts: &Counts) {
        self.turn.counts.fold(counts);
    }

    /// Closes everything and notes why the answer ended; `end` writes it.
    ///
    /// # Errors
    /// A loss if the caller refuses it.
    pub fn finish(&mut self, reason: Reason) -> Result<(), Stop> {
        if matches!(self.turn.phase, Phase::Finishing(_) | Phase::Ended(_)) {
            return Ok(());
        }
        self.ensure_started();
        let place = self.place();
        self.flush_lone_highs()?;
        for item in 0..self.turn.items.len() {
            self.close_item(item as u32, &place)?;
        }
        let reason = match reason {
            Reason::Stop if self.turn.calls_opened > 0 => Reason::ToolCalls,
            other => other,
        };
        self.turn.phase = Phase::Finishing(reason);
        Ok(())
    }

    /// Writes the end of an answer whose reason is known.
    pub fn end(&mut self) {
        if let Phase::Finishing(reason) = self.turn.phase {
            self.encoder.end(reason, &self.turn.counts, self.out);
            self.turn.phase = Phase::Ended(match reason {
                Reason::Stop | Reason::ToolCalls => Outcome::Completed,
                Reason::Length | Reason::ContentFilter => Outcome::Incomplete,
            });
        }
    }

    /// Ends the answer with an error.
    pub fn fault(&mut self, fault: &FaultInfo<'_>, outcome: Outcome) {
        if self.turn.outcome().is_none() {
            self.encoder.fault(fault, self.out);
            self.turn.phase = Phase::Ended(outcome);
        }
    }

    /// Passes a sign of life on.
    pub fn alive(&mut self) {
        if self.turn.outcome().is_none() {
            self.encoder.alive(self.out);
        }
    }

    /// An error at the start of the current event.
    fn limit(&self, code: Code) -> Stop {
        Stop::Wire { code, at: 0, path: self.place().to_string() }
    }
}
