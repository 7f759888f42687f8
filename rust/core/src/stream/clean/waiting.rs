//! Events of the source that say what was not written yet.

use std::collections::VecDeque;

use super::Known;
use super::known::Says;
use super::missing::Origin;
use crate::json::{Kind, Raw};
use crate::stream::commas::Commas;
use crate::stream::decode::members;

/// So many events wait for a call to open.
const MAX_HELD: usize = 4;

/// So many events wait for the end.
const MAX_LAST: usize = 16;

/// Larger events do not wait.
const MAX_EVENT_BYTES: usize = 64 << 10;

/// Payloads, each with a bound on number and size: of those beyond it only the meaning is kept.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Those that wait for what the next ones bring.
    held: Vec<Waited>,
    /// How much was written for them.
    pub(super) carried_bytes: usize,
    /// Those that wait for the end.
    last: VecDeque<Kept>,
}

/// An event that waits.
#[derive(Clone, Debug)]
pub(super) struct Waited {
    event: Vec<u8>,
    pub(super) origin: Origin,
}

impl Waited {
    pub(super) fn of(event: Raw<'_>, origin: Origin) -> Self {
        Self { event: event.bytes().to_vec(), origin }
    }

    pub(super) fn read(&self) -> Option<Raw<'_>> {
        Raw::parse(&self.event).ok()
    }
}

#[derive(Debug)]
struct Kept {
    waited: Waited,
    /// It says no more than its topmost level does.
    is_counts: bool,
}

impl Waiting {
    /// Whether an event is short enough to wait.
    pub(super) fn is_short(event: Raw<'_>) -> bool {
        event.bytes().len() <= MAX_EVENT_BYTES
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.held.len() == MAX_HELD
    }

    /// Lets an event wait.
    pub(super) fn hold(&mut self, event: Waited, carried_bytes: usize) {
        self.held.push(event);
        self.carried_bytes = carried_bytes;
    }

    pub(super) fn take_held(&mut self) -> Vec<Waited> {
        self.carried_bytes = 0;
        core::mem::take(&mut self.held)
    }

    pub(super) fn take_last(&mut self) -> Vec<Waited> {
        core::mem::take(&mut self.last).into_iter().map(|kept| kept.waited).collect()
    }

    /// Keeps an event for the end. Of those without a reason the last counts, as their counts do.
    pub(super) fn keep(&mut self, event: Raw<'_>, origin: Origin, known: &Known) -> Displaced {
        let waited = Waited::of(event, origin);
        if !Self::is_short(event) {
            return Displaced { superseded: None, no_room: Some(waited) };
        }
        let is_counts = is_counts(event, known);
        let of_counts = self.last.iter().position(|kept| is_counts && kept.is_counts);
        let superseded = of_counts.and_then(|at| self.last.remove(at));
        let no_room = if self.last.len() == MAX_LAST { self.last.pop_front() } else { None };
        self.last.push_back(Kept { waited, is_counts });
        let [superseded, no_room] = [superseded, no_room].map(|kept| Some(kept?.waited));
        Displaced { superseded, no_room }
    }
}

/// What is not kept any longer.
#[derive(Debug)]
pub(super) struct Displaced {
    /// Counts that were told again.
    pub(super) superseded: Option<Waited>,
    /// What there is no room for.
    pub(super) no_room: Option<Waited>,
}

/// An event with only its members of these names.
pub(super) fn only(event: Raw<'_>, names: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut list = Commas::begin(&mut out, b'{');
    for (key, value) in members(event).filter(|(key, _)| names.contains(&&*key.decode())) {
        let out = list.next();
        out.extend_from_slice(format!("\"{}\":", key.raw_str()).as_bytes());
        out.extend_from_slice(value.bytes());
    }
    list.end(b'}');
    out
}

/// What of an event that was written its topmost level says for the end.
pub(super) fn counts_of(event: Raw<'_>, known: &Known) -> Option<String> {
    let (key, value) = members(event).find(|(key, value)| {
        let is_counts = value.kind() == Kind::Object && !value.is_empty_container();
        is_counts && known.last.contains(&&*key.decode())
    })?;
    Some(format!("{{\"{}\":{}}}", key.raw_str(), value.as_str()))
}

/// Whether an event says for the end no more than its topmost level does.
pub(super) fn is_counts(event: Raw<'_>, known: &Known) -> bool {
    members(event).all(|(key, value)| {
        known.below(&key.decode()).is_none_or(|below| !Says::of(value, below).last)
    })
}
