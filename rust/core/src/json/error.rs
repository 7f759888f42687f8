//! What is wrong with a JSON text, and where.

use core::str::Utf8Error;

use crate::error::Code;

/// A fault of a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// `InvalidJson`, `InvalidUtf8`, `NestingTooDeep` or, from typed accessors, `InvalidType`.
    pub code: Code,
    /// Offset in bytes of the first byte that no valid text could have at that place; the text's
    /// length if the text is cut off. For `InvalidType` the offset of the value's first byte.
    pub at: usize,
}

impl JsonError {
    #[cold]
    pub(super) const fn invalid(at: usize) -> Self {
        Self { code: Code::InvalidJson, at }
    }

    #[cold]
    pub(super) const fn too_deep(at: usize) -> Self {
        Self { code: Code::NestingTooDeep, at }
    }

    #[cold]
    pub(super) const fn invalid_type(at: usize) -> Self {
        Self { code: Code::InvalidType, at }
    }
}

/// Offset of the first byte after which `text` can no longer be completed to valid UTF-8; the
/// length of `text` if it stops inside a character.
pub(super) fn first_bad_byte(text: &[u8], error: Utf8Error) -> usize {
    let start = error.valid_up_to();
    match error.error_len() {
        None => text.len(),
        // A single bad byte is either no lead byte at all, or a good lead byte with a bad second
        // one.
        Some(1) if !matches!(text.get(start), Some(0xC2..=0xF4)) => start,
        Some(length) => start + length,
    }
}
