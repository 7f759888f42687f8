//! Copying an event, and knowing the next one like it without reading what was written for it.

use memchr::memchr2;

use super::Written;
use super::cover::Shared;
use crate::json::{Raw, Reading, Tok, push_raw_compact};

/// Appends a value's bytes on one line; whether they are all as they were.
pub(super) fn push_copied(out: &mut Vec<u8>, source: Raw<'_>) -> bool {
    let bytes = source.bytes();
    let verbatim = memchr2(b'\n', b'\r', bytes).is_none() && !has_separator(bytes);
    if verbatim {
        out.extend_from_slice(bytes);
    } else {
        push_raw_compact(out, source);
    }
    verbatim
}

/// Whether a line separator of Unicode is among them.
fn has_separator(bytes: &[u8]) -> bool {
    let mut from = 0;
    while let Some(found) = memchr2(0xC2, 0xE2, &bytes[from..]) {
        let at = from + found;
        match bytes[at..] {
            [0xC2, 0x85, ..] | [0xE2, 0x80, 0xA8 | 0xA9, ..] => return true,
            _ => from = at + 1,
        }
    }
    false
}

/// What is written for the events of one shape, around the counter and the text: an event of the source that
/// differed from what was written in nothing that matters, and shared one text with it, was copied, and so is
/// every other one of the shape that shares counter and text with what is written.
#[derive(Debug)]
pub(crate) struct Around {
    /// What stands before the counter; nothing without one.
    before: Box<[u8]>,
    /// What stands between the counter and the text.
    between: Box<[u8]>,
    tail: Box<[u8]>,
    /// How much of it stands before the payload.
    opening_bytes: usize,
    /// Where the text stood in the source that was copied.
    text_at: usize,
}

impl Around {
    pub(super) fn of(
        event: &Written<'_>,
        shared: Shared<'_, '_>,
        counter: Option<Raw<'_>>,
    ) -> Self {
        let text_at = event.opening.len() + shared.written.at() + 1;
        let text_end = text_at + shared.written.bytes().len() - 2;
        let counter = counter.map_or(0..0, |counter| {
            let at = event.opening.len() + counter.at();
            at..at + counter.bytes().len()
        });
        let parts = [0..counter.start, counter.end..text_at, text_end..event.whole.len()];
        let [before, between, tail] = parts.map(|part| event.whole[part].into());
        Self {
            before,
            between,
            tail,
            opening_bytes: event.opening.len(),
            text_at: shared.source.at() + 1,
        }
    }

    /// Whether it was learned of this text of `source`.
    pub(crate) fn surrounds(&self, text: Tok<'_>, source: &[u8]) -> bool {
        (text.raw().as_ptr() as usize).checked_sub(source.as_ptr() as usize) == Some(self.text_at)
    }

    /// If the source's event may be copied instead of what was written for it: what of that stands before the
    /// payload.
    #[inline]
    pub(super) fn opening_of(
        &self,
        source: &[u8],
        reading: &Reading<'_>,
        written: &[u8],
    ) -> Option<usize> {
        let behind = written.strip_prefix(&*self.before)?.strip_prefix(reading.counter)?;
        let behind = behind.strip_prefix(&*self.between)?.strip_prefix(reading.text.raw())?;
        let is_copy = behind == &*self.tail && (reading.is_ascii || !has_separator(source));
        is_copy.then_some(self.opening_bytes)
    }
}
