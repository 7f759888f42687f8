//! The pull reader.

use core::str;

use super::error::first_bad_byte;
use super::number::scan_number;
use super::string::scan_body_once;
use super::value::{scan_document, scan_value, scan_word, skip_space};
use super::{JsonError, LongValues, MAX_DEPTH, Num, Raw, Tok};
use crate::error::Code;

/// The type of a JSON value, told by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
}

impl Kind {
    const fn of(first: u8) -> Option<Self> {
        match first {
            b'{' => Some(Self::Object),
            b'[' => Some(Self::Array),
            b'"' => Some(Self::String),
            b'-' | b'0'..=b'9' => Some(Self::Number),
            b't' => Some(Self::True),
            b'f' => Some(Self::False),
            b'n' => Some(Self::Null),
            _ => None,
        }
    }
}

/// A strict reader over one JSON text, driven by its caller value by value.
///
/// ```
/// use transcodec_core::json::Cursor;
///
/// let mut cursor = Cursor::new(br#"{"index": 3, "delta": "hi", "other": [1, {}]}"#)?;
/// let (mut index, mut delta) = (None, None);
/// cursor.object()?;
/// while let Some(key) = cursor.next_key()? {
///     if key.eq_str("index") {
///         index = cursor.number()?.as_u64();
///     } else if key.eq_str("delta") {
///         delta = Some(cursor.string()?);
///     } else {
///         cursor.skip_value()?;
///     }
/// }
/// cursor.end()?;
/// assert_eq!(index, Some(3));
/// assert_eq!(delta.map(|token| token.raw()), Some(&b"hi"[..]));
/// # Ok::<(), transcodec_core::json::JsonError>(())
/// ```
///
/// After an error the cursor's place is unspecified. All offsets count from the start of the text,
/// also for the cursor of a nested [`Raw`].
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// A bracket was opened and nothing of it read yet: the next member needs no comma.
    fresh: bool,
    /// What is known of this very text.
    long_values: Option<&'a LongValues>,
}

impl<'a> Cursor<'a> {
    /// A cursor before the value of `json`, whose UTF-8 is checked here, once.
    ///
    /// # Errors
    /// `InvalidUtf8`; or the syntax error that stands before the first bad byte.
    pub fn new(json: &'a [u8]) -> Result<Self, JsonError> {
        match str::from_utf8(json) {
            Ok(text) => Ok(Self::of_str(text)),
            Err(error) => {
                let at = first_bad_byte(json, error);
                match scan_document(json) {
                    Err(earlier) if earlier.at < at => Err(earlier),
                    _ => Err(JsonError { code: Code::InvalidUtf8, at }),
                }
            }
        }
    }

    /// As [`Cursor::new`]. Long strings are noted in `long_values`, which must be new, so that cursors of
    /// values inside the text pass over them.
    ///
    /// # Errors
    /// As [`Cursor::new`].
    pub(crate) fn noting(json: &'a [u8], long_values: &'a LongValues) -> Result<Self, JsonError> {
        Ok(Self { long_values: Some(long_values), ..Self::new(json)? })
    }

    /// A cursor before the value of a text that is known to be UTF-8.
    #[must_use]
    pub const fn of_str(json: &'a str) -> Self {
        Self::over(json, 0, None)
    }

    /// A cursor before the value of a text that will stand inside `depth` open brackets more.
    pub(crate) const fn nested(json: &'a str, depth: usize) -> Self {
        Self { text: json, at: 0, depth, fresh: false, long_values: None }
    }

    pub(super) const fn over(
        text: &'a str,
        at: usize,
        long_values: Option<&'a LongValues>,
    ) -> Self {
        Self { text, at, depth: 0, fresh: false, long_values }
    }

    pub(super) const fn long_values(&self) -> Option<&'a LongValues> {
        self.long_values
    }

    /// Goes on after a string that the caller has read and checked, up to `end`.
    pub(crate) const fn pass_string(&mut self, end: usize) {
        self.at = end;
    }

    /// The whole text.
    pub(crate) const fn text(&self) -> &'a str {
        self.text
    }

    /// Offset in bytes of the next byte to be read.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The type of the next value, told by its first byte alone; skips white space before it.
    ///
    /// # Errors
    /// `InvalidJson` if no value can start there.
    #[inline]
    pub fn peek_kind(&mut self) -> Result<Kind, JsonError> {
        self.skip_space();
        self.peek().and_then(Kind::of).ok_or(JsonError::invalid(self.at))
    }

    /// Enters an object.
    ///
    /// # Errors
    /// `InvalidType` if another value stands there, `NestingTooDeep`, `InvalidJson`.
    #[inline]
    pub fn object(&mut self) -> Result<(), JsonError> {
        self.enter(b'{')
    }

    /// Enters an array.
    ///
    /// # Errors
    /// As [`Cursor::object`].
    #[inline]
    pub fn array(&mut self) -> Result<(), JsonError> {
        self.enter(b'[')
    }

    /// Reads the next key of the object entered last, with comma and colon; its value must be read
    /// next. `None` at the closing brace, which is read, too.
    ///
    /// # Errors
    /// `InvalidJson`.
    #[inline]
    pub fn next_key(&mut self) -> Result<Option<Tok<'a>>, JsonError> {
        self.skip_space();
        let fresh = core::mem::take(&mut self.fresh);
        match self.peek() {
            Some(b'}') => {
                self.leave();
                return Ok(None);
            }
            Some(b',') if !fresh => {
                self.at += 1;
                self.skip_space();
            }
            Some(b'"') if fresh => {}
            _ => return Err(JsonError::invalid(self.at)),
        }
        if self.peek() != Some(b'"') {
            return Err(JsonError::invalid(self.at));
        }
        let key = self.read_token()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(JsonError::invalid(self.at));
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// Moves to the next element of the array entered last; `false` at the closing bracket, which
    /// is read, too. On `true` an element must be read next.
    ///
    /// # Errors
    /// `InvalidJson`.
    #[inline]
    pub fn next_element(&mut self) -> Result<bool, JsonError> {
        self.skip_space();
        let fresh = core::mem::take(&mut self.fresh);
        match self.peek() {
            Some(b']') => {
                self.leave();
                Ok(false)
            }
            Some(b',') if !fresh => {
                self.at += 1;
                Ok(true)
            }
            Some(_) if fresh => Ok(true),
            _ => Err(JsonError::invalid(self.at)),
        }
    }

    /// Reads a string.
    ///
    /// # Errors
    /// `InvalidType` if another value stands there, `InvalidJson`.
    #[inline]
    pub fn string(&mut self) -> Result<Tok<'a>, JsonError> {
        self.expect(Kind::String)?;
        self.read_token()
    }

    /// Reads a number.
    ///
    /// # Errors
    /// `InvalidType` if another value stands there, `InvalidJson`.
    #[inline]
    pub fn number(&mut self) -> Result<Num<'a>, JsonError> {
        self.expect(Kind::Number)?;
        let start = self.at;
        self.at = scan_number(self.text.as_bytes(), start)?;
        Ok(Num(&self.text[start..self.at]))
    }

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// `InvalidType` if another value stands there, `InvalidJson`.
    pub fn boolean(&mut self) -> Result<bool, JsonError> {
        let (word, value): (&[u8], _) = match self.peek_kind()? {
            Kind::True => (b"true", true),
            Kind::False => (b"false", false),
            _ => return Err(JsonError::invalid_type(self.at)),
        };
        self.at = scan_word(self.text.as_bytes(), self.at, word)?;
        Ok(value)
    }

    /// Reads a value of any type and checks every byte of it.
    ///
    /// # Errors
    /// `InvalidJson`, `NestingTooDeep`.
    #[inline]
    pub fn skip_value(&mut self) -> Result<Raw<'a>, JsonError> {
        self.skip_space();
        let start = self.at;
        self.at = scan_value(self.text.as_bytes(), start, self.depth, self.long_values)?;
        self.fresh = false;
        Ok(Raw::new(&self.text[..self.at], start, self.long_values))
    }

    /// Checks that nothing but white space follows.
    ///
    /// # Errors
    /// `InvalidJson` at the first byte that is there.
    #[inline]
    pub fn end(&mut self) -> Result<(), JsonError> {
        self.skip_space();
        if self.at == self.text.len() { Ok(()) } else { Err(JsonError::invalid(self.at)) }
    }

    /// The value from here to `end`, which the caller has read.
    pub(crate) fn value_until(&self, end: usize) -> Raw<'a> {
        Raw::new(&self.text[..end], skip_space(self.text.as_bytes(), self.at), self.long_values)
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        self.at = skip_space(self.text.as_bytes(), self.at);
    }

    /// Fails unless a value of this kind starts here.
    #[inline]
    fn expect(&mut self, kind: Kind) -> Result<(), JsonError> {
        if self.peek_kind()? == kind { Ok(()) } else { Err(JsonError::invalid_type(self.at)) }
    }

    #[inline]
    fn enter(&mut self, bracket: u8) -> Result<(), JsonError> {
        self.skip_space();
        if self.peek() != Some(bracket) {
            self.peek_kind()?;
            return Err(JsonError::invalid_type(self.at));
        }
        if self.depth == MAX_DEPTH {
            return Err(JsonError::too_deep(self.at));
        }
        self.at += 1;
        self.depth += 1;
        self.fresh = true;
        Ok(())
    }

    #[inline]
    const fn leave(&mut self) {
        self.at += 1;
        self.depth = self.depth.saturating_sub(1);
    }

    /// Reads the string whose opening quote is the next byte.
    #[inline]
    fn read_token(&mut self) -> Result<Tok<'a>, JsonError> {
        let start = self.at + 1;
        let (end, traits) = scan_body_once(self.text.as_bytes(), start, self.long_values)?;
        self.at = end + 1;
        Ok(Tok::new(&self.text[start..end], traits))
    }
}
