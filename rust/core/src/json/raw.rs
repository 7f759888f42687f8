//! A validated value, kept as its bytes.

use core::str;

use super::value::skip_space;
use super::{Cursor, JsonError, Kind, LongValues};

/// A validated JSON value of any type, without white space around it.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a> {
    /// The text up to the value's end, so that offsets of nested cursors count from the text's
    /// start.
    text: &'a str,
    start: usize,
    long_values: Option<&'a LongValues>,
}

impl<'a> Raw<'a> {
    pub(super) const fn new(
        text: &'a str,
        start: usize,
        long_values: Option<&'a LongValues>,
    ) -> Self {
        Self { text, start, long_values }
    }

    /// The value from `start` to the end of `text`, which must have been read before.
    pub(crate) const fn read_before(text: &'a str, start: usize) -> Self {
        Self::new(text, start, None)
    }

    /// Checks that `json` is one whole JSON value, with white space around it at most.
    ///
    /// # Errors
    /// `InvalidJson`, `InvalidUtf8`, `NestingTooDeep`.
    pub fn parse(json: &'a [u8]) -> Result<Self, JsonError> {
        let mut cursor = Cursor::new(json)?;
        let value = cursor.skip_value()?;
        cursor.end()?;
        Ok(value)
    }

    /// The value of a text that was read as a whole before, by a cursor that noted `long_values`.
    pub(crate) fn read_noting(json: &'a [u8], long_values: &'a LongValues) -> Option<Self> {
        let text = str::from_utf8(json).ok()?.trim_end_matches([' ', '\t', '\n', '\r']);
        Some(Self::new(text, skip_space(text.as_bytes(), 0), Some(long_values)))
    }

    /// The value's exact bytes.
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        self.as_str().as_bytes()
    }

    /// The value's exact text.
    #[must_use]
    pub fn as_str(self) -> &'a str {
        &self.text[self.start..]
    }

    /// Offset of the value's first byte in the text it was read from.
    #[must_use]
    pub const fn at(self) -> usize {
        self.start
    }

    /// The value's type.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.text.as_bytes().get(self.start) {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't') => Kind::True,
            Some(b'f') => Kind::False,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// A cursor before this value; its offsets count from the start of the text the value was read
    /// from.
    #[must_use]
    pub const fn cursor(self) -> Cursor<'a> {
        Cursor::over(self.text, self.start, self.long_values)
    }

    /// Whether a string in the value has half of a surrogate pair without the other half.
    #[must_use]
    pub fn has_lone_surrogate(self) -> bool {
        // Backslashes stand in strings only, and the value was validated.
        let bytes = self.bytes();
        let unit = |at: usize| {
            let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
            u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
        };
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
            at += found;
            at += match (unit(at), unit(at + 6)) {
                (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
                (Some(0xD800..=0xDFFF), _) => return true,
                (Some(_), _) => 6,
                (None, _) => 2,
            };
        }
        false
    }

    /// Whether the value is an object or array without members.
    #[must_use]
    pub fn is_empty_container(self) -> bool {
        let bytes = self.bytes();
        matches!(bytes.first(), Some(b'{' | b'[')) && skip_space(bytes, 1) + 1 == bytes.len()
    }
}
