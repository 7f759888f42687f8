//! The referee: the only place with rules about order and identity (`DESIGN.md` section 4).
//!
//! [`Turn`] is the state of one answer. [`Referee`] lends it, together with the encoder and the output, for
//! the time of one event; decoders call its methods.

mod answer;
mod calls;
mod choices;
mod identity;
mod mirror;
mod settle;
mod snapshots;
mod text;
mod unwrap;

use std::collections::BTreeMap;

use self::choices::Choice;
use self::mirror::Side;
use self::unwrap::Unwrapper;
use super::delta::{Class, Counts, OwnedFault, PartKey, PartKind};
use super::digest::SentText;
use super::encode::{CallShape, Encode, Head, Original, TextBlock};
use super::loss::LossLog;
use super::options::{Limits, Options};
use super::place::Place;
use super::stop::Stop;
use crate::error::Code;

pub use calls::{CallAction, CallEvent, CallPhase};
pub use mirror::PassedPart;
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
    /// Nothing may be written any more.
    Ended(Outcome),
}

/// One output item of the source.
#[derive(Debug)]
struct Item {
    class: Class,
    /// Its choice's place in `Turn::choices`.
    slot: u32,
    /// The last index that was bound to it.
    index: Option<u64>,
    id: Option<Box<str>>,
    call_id: Option<Box<str>>,
    name: Option<Box<str>>,
    /// The name may be one piece of several.
    name_grows: bool,
    /// An announcement has told which kind of call it is.
    is_announced: bool,
    closed: bool,
    /// It was closed before a limit cut the answer.
    is_whole: bool,
    /// How far a target with `Layout::Mirrored` has come with it; calls have their phase instead.
    side: Side,
    call: CallPhase,
    ordinal: u32,
    shape: CallShape,
    unwrapper: Option<Box<Unwrapper>>,
    /// Half a surrogate pair in its id or name became U+FFFD.
    has_replaced: bool,
    /// Where a call was first seen.
    seen_at: Box<str>,
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
    /// Its place among the parts that wrote to its field, counted from 1; 0 before its first text.
    place: u32,
    told_mismatch: bool,
    told_interleaved: bool,
    told_replaced: bool,
    told_dropped: bool,
    told_unknown: bool,
    is_counted: bool,
    /// How far a target with `Layout::Mirrored` has come with it.
    side: Side,
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
    custom_tools: Vec<String>,
    collects: bool,
    limits: Limits,
    choices: Vec<Choice>,
    slots: BTreeMap<u32, u32>,
    items: Vec<Item>,
    parts: Vec<Part>,
    by_index: BTreeMap<(u32, u64), u32>,
    by_id: BTreeMap<(u32, Class, Box<str>), u32>,
    by_call_id: BTreeMap<(u32, Box<str>), u32>,
    foreign_by_id: BTreeMap<Box<str>, u32>,
    last_of_class: BTreeMap<(u32, Class), u32>,
    hot: Option<Hot>,
    /// Ids of opened calls, with the number of the last suffix tried.
    call_ids: BTreeMap<Box<str>, u32>,
    open_calls: usize,
    blocks: usize,
    held_bytes: usize,
    /// Parts with text that waits.
    held_texts: usize,
    answer_bytes: usize,
    /// Choices of the annotations that the encoder holds of the current event.
    noted: Vec<u32>,
    lone_highs: usize,
    counts: Counts,
    fault: Option<OwnedFault>,
}

impl Turn {
    /// The state before anything came.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self {
            phase: Phase::Idle,
            head: Head::default(),
            id_seed: options.id_seed.clone(),
            custom_tools: options.custom_tools.clone(),
            collects: options.collect,
            limits: options.limits,
            choices: Vec::new(),
            slots: BTreeMap::new(),
            items: Vec::new(),
            parts: Vec::new(),
            by_index: BTreeMap::new(),
            by_id: BTreeMap::new(),
            by_call_id: BTreeMap::new(),
            foreign_by_id: BTreeMap::new(),
            last_of_class: BTreeMap::new(),
            hot: None,
            call_ids: BTreeMap::new(),
            open_calls: 0,
            blocks: 0,
            held_bytes: 0,
            held_texts: 0,
            answer_bytes: 0,
            noted: Vec::new(),
            lone_highs: 0,
            counts: Counts::default(),
            fault: None,
        }
    }

    /// What follows comes of a new event.
    #[inline]
    pub fn begin_event(&mut self) {
        self.noted.clear();
    }

    /// The choices of the annotations that an encoder holds since then.
    pub fn take_noted(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.noted)
    }

    /// How the answer ended; `None` while it is open.
    #[must_use]
    pub const fn outcome(&self) -> Option<Outcome> {
        match self.phase {
            Phase::Ended(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Whether a call waits to be opened, or text of an open one is held.
    #[must_use]
    pub fn holds_back(&self) -> bool {
        self.held_texts > 0
            || self.choices.iter().any(|choice| choice.next_call < choice.calls.len())
    }

    /// Whether so many bytes can be kept beside the texts of an answer that is kept as a whole.
    pub(crate) const fn has_room_for_kept(&self, bytes: usize) -> bool {
        self.answer_bytes.saturating_add(bytes) <= self.limits.max_answer_bytes
    }

    /// The error that ended the answer.
    #[must_use]
    pub const fn fault(&self) -> Option<&OwnedFault> {
        self.fault.as_ref()
    }

    /// The counts so far.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    fn block_of(&self, part: u32) -> TextBlock {
        let entry = &self.parts[part as usize];
        let slot = self.items[entry.item as usize].slot;
        let choice = self.choices[slot as usize].index;
        TextBlock { choice, item: entry.item, part, kind: entry.key.kind }
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
    /// The event itself, if it may be copied; taken by its copy.
    pub original: Option<&'t Original<'t>>,
}

impl<E: Encode> Referee<'_, E> {
    /// The current event as a place.
    #[must_use]
    pub fn place(&self) -> Place<'static> {
        Place::event(self.event)
    }

    /// Whether members that the format does not know are passed on, so that they are no loss.
    #[must_use]
    pub fn passes_unknown(&self) -> bool {
        Self::MIRRORS || self.encoder.passes_unknown()
    }

    /// An error at the start of the current event.
    fn limit(&self, code: Code) -> Stop {
        Stop::Wire { code, at: 0, path: self.place().to_string() }
    }
}
