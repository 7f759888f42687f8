//! Copying an event, and knowing the next one like it without reading it again.

use memchr::memchr2;

use super::Written;
use super::cover::Shared;
use crate::json::{Raw, Templates, push_raw_compact};

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

/// Shapes of events that were copied: they differed from what was written in nothing that matters, and shared
/// one text. An event of the same shape that shares its text with what was written is copied, too.
#[derive(Debug, Default)]
pub(super) struct Copies {
    shapes: Templates<Around>,
}

/// What stands around the text of a written event, its line included.
#[derive(Debug)]
struct Around {
    head: Box<[u8]>,
    tail: Box<[u8]>,
    /// How much of the head stands before the payload.
    opening_bytes: usize,
}

impl Copies {
    /// Whether this is an event that may be copied, known by its shape; then what of the written one stands
    /// before the payload.
    #[inline]
    pub(super) fn opening_of(&mut self, source: &[u8], written: &[u8]) -> Option<usize> {
        if written.is_empty() {
            return None;
        }
        let (around, text) = self.shapes.read(source)?;
        let inside = written.strip_prefix(&*around.head)?.strip_suffix(&*around.tail)?;
        let is_copy = inside == text.raw() && !has_separator(source);
        is_copy.then_some(around.opening_bytes)
    }

    pub(super) fn learn(
        &mut self,
        source: Raw<'_>,
        event: &Written<'_>,
        shared: Shared<'_, '_>,
        noise: &[&str],
    ) {
        let Ok(text) = shared.source.cursor().string() else { return };
        let text_at = event.opening.len() + shared.written.at() + 1;
        let text_end = text_at + text.raw().len();
        let (head, tail) = (&event.whole[..text_at], &event.whole[text_end..]);
        self.shapes.learn(source.bytes(), text, noise, || Around {
            head: head.into(),
            tail: tail.into(),
            opening_bytes: event.opening.len(),
        });
    }
}
