//! Reading the escapes of a validated string body.

use memchr::memchr;

use super::string::{is_high_surrogate, low_surrogate_escape, unicode_escape};

/// A stretch of a string's decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text that stands in the body as it is; never empty.
    Text(&'a str),
    /// A character that the body writes as an escape; U+FFFD for half a surrogate pair.
    Char(char),
}

/// The decoded text of a string body, stretch by stretch, without allocation.
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    rest: &'a str,
}

impl<'a> Pieces<'a> {
    pub(super) const fn of(body: &'a str) -> Self {
        Self { rest: body }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let plain = memchr(b'\\', self.rest.as_bytes()).unwrap_or(self.rest.len());
        if plain > 0 {
            let (text, rest) = self.rest.split_at(plain);
            self.rest = rest;
            return Some(Piece::Text(text));
        }
        let (decoded, length) = read_escape(self.rest.as_bytes());
        self.rest = self.rest.get(length..).unwrap_or_default();
        Some(Piece::Char(decoded))
    }
}

/// The character of the escape at the start of `body`, and the escape's length in bytes.
pub(super) fn read_escape(body: &[u8]) -> (char, usize) {
    let decoded = match body.get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return read_unicode_escape(body),
        Some(&itself) => char::from(itself),
        None => char::REPLACEMENT_CHARACTER,
    };
    (decoded, 2)
}

fn read_unicode_escape(body: &[u8]) -> (char, usize) {
    let unit = unicode_escape(body, 0).unwrap_or(0xFFFD);
    if is_high_surrogate(unit)
        && let Some(low) = low_surrogate_escape(body, 6)
    {
        let pair = 0x1_0000 + (u32::from(unit & 0x3FF) << 10) + u32::from(low & 0x3FF);
        return (char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
    }
    // Half a pair is the only code unit that is no character.
    (char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}
