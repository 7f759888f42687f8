//! A validated string, still escaped.

use std::borrow::Cow;

use super::escape::Piece;
use super::string::{Traits, is_high_surrogate, is_low_surrogate, scan_unquoted, unicode_escape};
use super::{Pieces, push_token};

/// The body of a validated JSON string: what stands between the quotes, still escaped.
#[derive(Clone, Copy, Debug)]
pub struct Tok<'a> {
    body: &'a str,
    traits: Traits,
}

impl<'a> Tok<'a> {
    /// The empty string.
    pub const EMPTY: Tok<'static> = Tok { body: "", traits: Traits::NONE };

    pub(super) const fn new(body: &'a str, traits: Traits) -> Self {
        Self { body, traits }
    }

    /// The token of a text that is its own JSON spelling; `None` if the text needs an escape.
    #[must_use]
    pub fn plain(text: &'a str) -> Option<Self> {
        Self::of_body(text).filter(|token| !token.has_escapes())
    }

    /// The token of an escaped body that was kept without its token; `None` if it is no valid body.
    #[must_use]
    pub fn from_raw(body: &'a [u8]) -> Option<Self> {
        Self::of_body(core::str::from_utf8(body).ok()?)
    }

    fn of_body(body: &'a str) -> Option<Self> {
        let (end, traits) = scan_unquoted(body.as_bytes(), 0).ok()?;
        (end == body.len()).then_some(Self { body, traits })
    }

    pub(super) const fn traits(self) -> Traits {
        self.traits
    }

    /// The escaped bytes.
    #[must_use]
    pub const fn raw(self) -> &'a [u8] {
        self.body.as_bytes()
    }

    /// The escaped text.
    #[must_use]
    pub const fn raw_str(self) -> &'a str {
        self.body
    }

    /// The decoded text's bytes, to be matched against known names.
    #[inline]
    pub(crate) fn plain_bytes(self) -> Cow<'a, [u8]> {
        if self.traits.has(Traits::ESCAPED) {
            return Cow::Owned(self.decode().into_owned().into_bytes());
        }
        Cow::Borrowed(self.body.as_bytes())
    }

    /// Offset of the opening quote in `text`, which the token must have been read from.
    pub(crate) fn quote_at(self, text: &str) -> usize {
        (self.body.as_ptr() as usize).saturating_sub(text.as_ptr() as usize + 1)
    }

    /// Whether the string is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.body.is_empty()
    }

    /// Whether at least one character is written as an escape.
    #[must_use]
    pub const fn has_escapes(self) -> bool {
        self.traits.has(Traits::ESCAPED)
    }

    /// Whether each character is spelt as short as it can be. A token with a `\u` escape is never said to be.
    #[must_use]
    pub const fn is_shortest(self) -> bool {
        !self.traits.has(Traits::RESPELT)
    }

    /// Whether the escaped bytes are all below 0x80.
    #[must_use]
    pub const fn is_ascii(self) -> bool {
        !self.traits.has(Traits::NON_ASCII)
    }

    /// Whether half a surrogate pair is written as an escape without its other half beside it.
    #[must_use]
    pub const fn has_lone_surrogate(self) -> bool {
        self.traits.has(Traits::LONE_SURROGATE)
    }

    /// The decoded text; a lone surrogate half becomes U+FFFD. Borrows if there is no escape.
    #[must_use]
    pub fn decode(self) -> Cow<'a, str> {
        if !self.traits.has(Traits::ESCAPED) {
            return Cow::Borrowed(self.body);
        }
        let mut text = String::with_capacity(self.body.len());
        for piece in self.pieces() {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Char(decoded) => text.push(decoded),
            }
        }
        Cow::Owned(text)
    }

    /// The decoded text stretch by stretch, without allocation.
    #[must_use]
    pub const fn pieces(self) -> Pieces<'a> {
        Pieces::of(self.body)
    }

    /// The decoded text character by character.
    pub fn chars(self) -> impl Iterator<Item = char> + 'a {
        self.pieces().flat_map(|piece| {
            let (plain, decoded) = match piece {
                Piece::Text(plain) => (plain, None),
                Piece::Char(decoded) => ("", Some(decoded)),
            };
            plain.chars().chain(decoded)
        })
    }

    /// Whether the decoded text equals `text`.
    #[inline]
    #[must_use]
    pub fn eq_str(self, text: &str) -> bool {
        if self.traits.has(Traits::ESCAPED) { self.eq_decoded(text) } else { self.body == text }
    }

    #[cold]
    fn eq_decoded(self, text: &str) -> bool {
        let mut rest = text;
        for piece in self.pieces() {
            let after = match piece {
                Piece::Text(plain) => rest.strip_prefix(plain),
                Piece::Char(decoded) => rest.strip_prefix(decoded),
            };
            match after {
                Some(after) => rest = after,
                None => return false,
            }
        }
        rest.is_empty()
    }

    /// Whether the string starts with the escaped low half of a surrogate pair, whose high half may
    /// stand at the end of the piece of text before.
    #[must_use]
    pub fn leading_low_surrogate(self) -> bool {
        self.traits.has(Traits::LONE_SURROGATE)
            && unicode_escape(self.raw(), 0).is_some_and(is_low_surrogate)
    }

    /// Whether the string ends with the escaped high half of a surrogate pair, whose low half may
    /// stand at the start of the piece of text that follows.
    #[must_use]
    pub fn trailing_high_surrogate(self) -> bool {
        if !self.traits.has(Traits::LONE_SURROGATE) {
            return false;
        }
        let Some(last) = self.body.len().checked_sub(6) else {
            return false;
        };
        if !unicode_escape(self.raw(), last).is_some_and(is_high_surrogate) {
            return false;
        }
        // After an odd number of backslashes the sixth last byte is itself escaped, and the rest is
        // text.
        let before = self.raw()[..last].iter().rev().take_while(|byte| **byte == b'\\').count();
        before % 2 == 0
    }

    /// Cuts a leading low half off: the rest, and the escape if there is one.
    #[must_use]
    pub fn split_leading_low_surrogate(self) -> (Option<&'a str>, Self) {
        if !self.leading_low_surrogate() {
            return (None, self);
        }
        let (half, rest) = self.body.split_at(6);
        (Some(half), Self::of_body(rest).unwrap_or(Tok::EMPTY))
    }

    /// Cuts a trailing high half off: what stands before it, and the escape if there is one.
    #[must_use]
    pub fn split_trailing_high_surrogate(self) -> (Self, Option<&'a str>) {
        if !self.trailing_high_surrogate() {
            return (self, None);
        }
        let (rest, half) = self.body.split_at(self.body.len() - 6);
        (Self::of_body(rest).unwrap_or(Tok::EMPTY), Some(half))
    }
}

/// A token that outlives the text it was read from.
#[derive(Clone, Debug)]
pub struct TokBuf {
    body: Box<str>,
    traits: Traits,
}

impl TokBuf {
    /// Keeps a token.
    #[must_use]
    pub fn of(token: Tok<'_>) -> Self {
        Self { body: token.body.into(), traits: token.traits }
    }

    /// The token.
    #[must_use]
    pub const fn token(&self) -> Tok<'_> {
        Tok { body: &self.body, traits: self.traits }
    }
}

/// Tokens put together, as [`push_token`] writes them.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextBuf {
    body: String,
    traits: Traits,
    /// A token was written in another spelling.
    is_respelt: bool,
}

impl TextBuf {
    /// Appends a token.
    #[inline]
    pub(crate) fn push(&mut self, token: Tok<'_>) {
        if token.is_ascii() && !token.has_lone_surrogate() {
            self.body.push_str(token.body);
            self.traits.add(token.traits);
        } else {
            self.push_rare(token);
        }
    }

    #[cold]
    fn push_rare(&mut self, token: Tok<'_>) {
        let mut written = Vec::new();
        push_token(&mut written, token);
        self.is_respelt |= written != token.raw();
        self.traits.add(token.traits);
        self.body.push_str(core::str::from_utf8(&written).unwrap_or_default());
    }

    /// The escaped bytes.
    pub(crate) const fn raw(&self) -> &[u8] {
        self.body.as_bytes()
    }

    /// All of it as one token, if the tokens were written as they were.
    pub(crate) fn token(&self) -> Option<Tok<'_>> {
        (!self.is_respelt).then_some(Tok { body: &self.body, traits: self.traits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Cursor;

    fn token(json: &str) -> Tok<'_> {
        Cursor::of_str(json).string().unwrap()
    }

    #[test]
    fn traits_are_exact_wherever_the_byte_stands() {
        for pad in 0..20 {
            for after in 0..20 {
                let of =
                    |middle: &str| format!("\"{}{middle}{}\"", "a".repeat(pad), "b".repeat(after));
                let flags = |json: &str| {
                    let token = token(json);
                    (token.has_escapes(), token.is_ascii(), token.has_lone_surrogate())
                };
                assert_eq!(flags(&of("")), (false, true, false));
                assert_eq!(flags(&of("é")), (false, false, false));
                assert_eq!(flags(&of("\\n")), (true, true, false));
                assert_eq!(flags(&of("\\ud83d\\ude00")), (true, true, false));
                assert_eq!(flags(&of("\\ud83dx\\ude00")), (true, true, true));
                // What follows the closing quote is not the token's.
                assert_eq!(flags(&(of("") + "éé\\")), (false, true, false));
            }
        }
    }

    #[test]
    fn decode_reads_every_escape() {
        let decoded = token(r#""\"\\\/\b\f\n\r\t\u0041\u00e9\uD83D\uDE00x""#).decode();
        assert_eq!(decoded, "\"\\/\u{8}\u{c}\n\r\tAé😀x");
        let mixed = token(r#""é\u00e9\n\ud83d\ude00x\ud83d""#);
        assert_eq!(mixed.chars().collect::<String>(), mixed.decode());
        assert!(matches!(token("\"é😀\"").decode(), Cow::Borrowed("é😀")));
    }

    #[test]
    fn lone_halves_decode_to_replacement_characters() {
        let of = |json| token(json).decode().into_owned();
        assert_eq!(of(r#""\ud83d""#), "\u{fffd}");
        assert_eq!(of(r#""\ude00\ud83d""#), "\u{fffd}\u{fffd}");
        assert_eq!(of(r#""\ud83d\ud83d\ude00""#), "\u{fffd}😀");
        assert_eq!(of(r#""\ud83d\u0041""#), "\u{fffd}A");
        assert_eq!(of(r#""\ud83d\\ude00""#), "\u{fffd}\\ude00");
    }

    #[test]
    fn eq_str_compares_decoded_text() {
        assert!(token(r#""\u0064elta""#).eq_str("delta"));
        assert!(token(r#""delt\u0061""#).eq_str("delta"));
        assert!(!token(r#""\u0064elta""#).eq_str("delt"));
        assert!(!token(r#""\u0064elt""#).eq_str("delta"));
        assert!(token(r#""a""#).eq_str("a"));
        assert!(!token(r#""\\n""#).eq_str("\n"));
    }

    #[test]
    fn plain_takes_only_text_that_needs_no_escape() {
        assert_eq!(Tok::plain("aé\u{7f}").map(Tok::is_ascii), Some(false));
        assert_eq!(Tok::plain("").map(Tok::is_empty), Some(true));
        for text in ["\"", "\\", "a\nb", "\u{0}", "\\n", "\\u0041"] {
            assert!(Tok::plain(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn from_raw_checks_the_body() {
        assert!(Tok::from_raw(br"a\n\ud800").is_some_and(Tok::has_lone_surrogate));
        for body in [&b"\""[..], b"\\", b"\\u12", b"\x01", b"\xff", b"a\\q"] {
            assert!(Tok::from_raw(body).is_none(), "{body:x?}");
        }
    }

    #[test]
    fn halves_at_the_ends_are_seen_and_cut_off() {
        let ends =
            |json| (token(json).leading_low_surrogate(), token(json).trailing_high_surrogate());
        assert_eq!(ends(r#""\ude00a\ud83d""#), (true, true));
        assert_eq!(ends(r#""\ud83d\ude00""#), (false, false));
        assert_eq!(ends(r#""\ud83d""#), (false, true));
        assert_eq!(ends(r#""\ude00""#), (true, false));
        assert_eq!(ends(r#""\\ud83d""#), (false, false));
        assert_eq!(ends(r#""\ude00\\ud83d""#), (true, false));
        assert_eq!(ends(r#""\ude00\\\ud83d""#), (true, true));
        assert_eq!(ends(r#""\ud83da""#), (false, false));

        let (half, rest) = token(r#""\ude00a\ud83d""#).split_leading_low_surrogate();
        assert_eq!((half, rest.raw_str()), (Some("\\ude00"), "a\\ud83d"));
        let (rest, half) = rest.split_trailing_high_surrogate();
        assert_eq!((rest.raw_str(), half), ("a", Some("\\ud83d")));
        assert!(!rest.has_escapes() && !rest.has_lone_surrogate());
        assert_eq!(token(r#""x""#).split_trailing_high_surrogate().1, None);
    }
}
