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

/// What is written for the events of one shape, before the text. One of them was copied: it differed from what was
/// written in nothing that matters, and shared one text with it. So every other one is a copy of what is written
/// for it if that begins like this, with the same number, and has the same text.
#[derive(Debug)]
pub struct Around {
    opening: Box<[u8]>,
    between: Box<[u8]>,
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

    /// What stands between the counter and the text; without a counter all that stands before the text.
    #[must_use]
    pub const fn between(&self) -> &[u8] {
        &self.between
    }
}

/// Whether a payload of a known shape may be copied as it is: it is one line, but for separators in strings.
pub(crate) fn is_one_line(json: &[u8], reading: &Reading<'_>) -> bool {
    reading.is_ascii || !has_separator(json)
}
