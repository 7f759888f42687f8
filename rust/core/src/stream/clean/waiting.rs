//! Events of the source that say what was not written yet.

use super::Known;
use super::known::{Says, is_hollow};
use crate::json::Raw;
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
    pub(super) held: Vec<Vec<u8>>,
    /// How much was written for them.
    pub(super) carried_bytes: usize,
    /// Those that wait for the end.
    last: Vec<Kept>,
}

#[derive(Debug)]
struct Kept {
    event: Vec<u8>,
    /// It says no more than its topmost level does.
    is_counts: bool,
}

impl Waiting {
    /// Lets an event wait; false if there is no room.
    pub(super) fn hold(&mut self, event: Raw<'_>, carried_bytes: usize) -> bool {
        if self.held.len() == MAX_HELD || event.bytes().len() > MAX_EVENT_BYTES {
            return false;
        }
        self.held.push(event.bytes().to_vec());
        self.carried_bytes = carried_bytes;
        true
    }

    pub(super) fn take_held(&mut self) -> Vec<Vec<u8>> {
        self.carried_bytes = 0;
        core::mem::take(&mut self.held)
    }

    pub(super) fn take_last(&mut self) -> Vec<Vec<u8>> {
        core::mem::take(&mut self.last).into_iter().map(|kept| kept.event).collect()
    }

    /// Keeps an event for the end. Of those without a reason the last counts, as their counts do.
    pub(super) fn keep(&mut self, event: Raw<'_>, known: &Known) {
        if event.bytes().len() > MAX_EVENT_BYTES {
            return;
        }
        let is_counts = is_counts(event, known);
        if is_counts {
            self.last.retain(|kept| !kept.is_counts);
        }
        if self.last.len() == MAX_LAST {
            self.last.remove(0);
        }
        self.last.push(Kept { event: event.bytes().to_vec(), is_counts });
    }

    /// Keeps of an event that was written only what its topmost level says for the end.
    pub(super) fn keep_counts(&mut self, event: Raw<'_>, known: &Known) {
        let said = members(event).find(|(key, value)| {
            let name = key.decode();
            known.last.contains(&&*name) && !is_hollow(*value, known.below(&name))
        });
        if let Some((key, value)) = said {
            let text = format!("{{\"{}\":{}}}", key.raw_str(), value.as_str());
            if let Ok(counts) = Raw::parse(text.as_bytes()) {
                self.keep(counts, known);
            }
        }
    }
}

/// Whether an event says for the end no more than its topmost level does.
pub(super) fn is_counts(event: Raw<'_>, known: &Known) -> bool {
    members(event).all(|(key, value)| {
        known.below(&key.decode()).is_none_or(|below| !Says::of(value, below).last)
    })
}
