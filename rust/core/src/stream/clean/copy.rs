//! Copying an event, and knowing the next one like it without reading what was written for it.

use core::cell::Cell;

use memchr::memchr2;

use super::Written;
use super::cover::Shared;
use crate::json::{Raw, Reading, Tok, push_raw_passed};

/// Appends a value's bytes on one line; whether they are all as they were.
pub(super) fn push_copied(out: &mut Vec<u8>, source: Raw<'_>) -> bool {
    let bytes = source.bytes();
    let verbatim = memchr2(b'\n', b'\r', bytes).is_none() && !has_separator(bytes);
    if verbatim {
        out.extend_from_slice(bytes);
    } else {
        push_raw_passed(out, source);
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

/// What is written for the events of one shape, before the text. One of them was copied: it differed from what was
/// written in nothing that matters, and shared one text with it. So every other one is a copy of what is written
/// for it if that begins like this, with the same number, and has the same text.
#[derive(Debug)]
pub struct Around {
    opening: Box<[u8]>,
    /// What stands between the counter and the text; without a counter all that stands before the text.
    between: Box<[u8]>,
    /// The encoder's place that has this beginning, once that is known.
    place: Cell<Option<(u32, u32)>>,
    /// Where the text stood in the source that was copied.
    text_at: usize,
}

impl Around {
    pub(super) fn of(
        event: &Written<'_>,
        shared: Shared<'_, '_>,
        counter: Option<Raw<'_>>,
    ) -> Self {
        let opening_bytes = event.opening.len();
        let text_at = opening_bytes + shared.written.at() + 1;
        let counter_end =
            counter.map_or(0, |counter| opening_bytes + counter.at() + counter.bytes().len());
        Self {
            opening: event.opening.into(),
            between: event.whole[counter_end..text_at].into(),
            place: Cell::new(None),
            text_at: shared.source.at() + 1,
        }
    }

    /// Whether it was learned of this text of `source`.
    pub(crate) fn surrounds(&self, text: Tok<'_>, source: &[u8]) -> bool {
        (text.raw().as_ptr() as usize).checked_sub(source.as_ptr() as usize) == Some(self.text_at)
    }

    /// What stands before the payload.
    #[must_use]
    pub const fn opening(&self) -> &[u8] {
        &self.opening
    }

    /// Whether the text has this beginning, in two pieces; a `place` that had it has it for good.
    #[inline]
    pub(crate) fn is_begun_by(&self, place: (u32, u32), [start, end]: [&[u8]; 2]) -> bool {
        if self.place.get() == Some(place) {
            return true;
        }
        let is_begun = self.between.strip_suffix(end) == Some(start);
        if is_begun {
            self.place.set(Some(place));
        }
        is_begun
    }
}

/// Whether a payload of a known shape may be copied as it is: it is one line, but for separators in strings.
pub(crate) fn is_one_line(json: &[u8], reading: &Reading<'_>) -> bool {
    reading.is_ascii || !has_separator(json)
}
