//! The pull reader.

use core::str;

use super::error::first_bad_byte;
use super::number::scan_number;
use super::string::scan_body;
use super::value::{scan_document, scan_value, scan_word, skip_space};
use super::{JsonError, MAX_DEPTH, Num, Raw, Tok};
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
/// After an error the cursor's place is unspecified. All offsets count from the start of the text, also for
/// the cursor of a nested [`Raw`].
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// A bracket was opened and nothing of it read yet: the next member needs no comma.
    fresh: bool,
}

impl<'a> Cursor<'a> {
    /// A cursor before the value of `json`, whose UTF-8 is checked here, once.
    ///
    /// # Errors
    /// `InvalidUtf8`; or the syntax error that stands before the first bad byte.
    pub fn new(json: &'a [u8]) -> Result<Self, JsonError> {
        match str::from_utf8(json) {
            Ok(text) => Ok(Self::over(text, 0)),
            Err(error) => {
                let at = first_bad_byte(json, error);
                match scan_document(json) {
                    Err(earlier) if earlier.at < at => Err(earlier),
                    _ => Err(JsonError { code: Code::InvalidUtf8, at }),
                }
            }
        }
    }

    /// A cursor before the value of a text that is known to be UTF-8.
    #[must_use]
    pub const fn of_str(json: &'a str) -> Self {
        Self::over(json, 0)
    }

    pub(super) const fn over(text: &'a str, at: usize) -> Self {
        Self { text, at, depth: 0, fresh: false }
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

    /// Reads the next key of the object entered last, with comma and colon; its value must be read next.
    /// `None` at the closing brace, which is read, too.
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

    /// Moves to the next element of the array entered last; `false` at the closing bracket, which is read,
    /// too. On `true` an element must be read next.
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
        self.at = scan_value(self.text.as_bytes(), start, self.depth)?;
        self.fresh = false;
        Ok(Raw::new(&self.text[..self.at], start))
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
        let (end, traits) = scan_body(self.text.as_bytes(), start)?;
        self.at = end + 1;
        Ok(Tok::new(&self.text[start..end], traits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(json: &[u8]) -> Option<(Code, usize)> {
        Raw::parse(json).err().map(|error| (error.code, error.at))
    }

    /// The same verdict from the pull methods as from the skipping scan.
    fn walk(cursor: &mut Cursor<'_>) -> Result<(), JsonError> {
        match cursor.peek_kind()? {
            Kind::Object => {
                cursor.object()?;
                while cursor.next_key()?.is_some() {
                    walk(cursor)?;
                }
            }
            Kind::Array => {
                cursor.array()?;
                while cursor.next_element()? {
                    walk(cursor)?;
                }
            }
            Kind::String => drop(cursor.string()?),
            Kind::Number => drop(cursor.number()?),
            Kind::True | Kind::False => drop(cursor.boolean()?),
            Kind::Null => drop(cursor.skip_value()?),
        }
        Ok(())
    }

    fn walk_fault(json: &[u8]) -> Option<(Code, usize)> {
        let walked = Cursor::new(json).and_then(|mut cursor| {
            walk(&mut cursor)?;
            cursor.end()
        });
        walked.err().map(|error| (error.code, error.at))
    }

    #[test]
    fn offset_is_the_first_byte_that_cannot_be_there() {
        let cases: &[(&[u8], usize)] = &[
            (b"", 0),
            (b"  ", 2),
            (b"tru}", 3),
            (b"tru", 3),
            (b"truex", 4),
            (b"nul1", 3),
            (b"01", 1),
            (b"-", 1),
            (b"[-}", 2),
            (b"[1.}", 3),
            (b"[1.5.2]", 4),
            (b"[1e]", 3),
            (b"[1e+]", 4),
            (b"[+1]", 1),
            (b"[.5]", 1),
            (b"[NaN]", 1),
            (br#""\x""#, 2),
            (br#""\u12g4""#, 5),
            (br#""\u12"#, 5),
            (br#""\"#, 2),
            (br#""abc"#, 4),
            (b"\"a\nb\"", 2),
            (b"\"abcdefghij\x1fk\"", 11),
            (br#"{"a":1,}"#, 7),
            (br#"{"a":1"#, 6),
            (br#"{"a" 1}"#, 5),
            (br"{,}", 1),
            (br"{1:2}", 1),
            (br#"{"a":}"#, 5),
            (br#"{"a":1]"#, 6),
            (br"[1,]", 3),
            (br"[,1]", 1),
            (br"[1 2]", 3),
            (br"[1}", 2),
            (br"[", 1),
            (br"{}{", 2),
            (b"1 \n2", 3),
            (b"\xEF\xBB\xBF1", 0),
            (b"'a'", 0),
            (br#"{"a":1,,"b":2}"#, 7),
        ];
        for (json, at) in cases {
            let want = Some((Code::InvalidJson, *at));
            assert_eq!(fault(json), want, "{}", String::from_utf8_lossy(json));
            assert_eq!(walk_fault(json), want, "walk {}", String::from_utf8_lossy(json));
        }
    }

    #[test]
    fn odd_but_valid_texts_pass() {
        let cases: &[&[u8]] = &[
            b"0",
            b"-0",
            b" [ ] ",
            b"\t{\n}\r",
            b"1.5e-10",
            b"0E+1",
            b"\"\x7f\"",
            b"\"\xE2\x80\xA8\"",
            br#""\ud800""#,
            br#""\udc00\ud800\u0000\/""#,
            br#"{"a":[{"b":[]},{}],"a":null}"#,
        ];
        for json in cases {
            assert_eq!(fault(json), None, "{}", String::from_utf8_lossy(json));
            assert_eq!(walk_fault(json), None, "walk {}", String::from_utf8_lossy(json));
        }
    }

    #[test]
    fn utf8_faults_have_exact_offsets() {
        let cases: &[(&[u8], usize)] = &[
            (b"\"\xE2\x28\xA1\"", 2),
            (b"\"\xE2\x82\x28\"", 3),
            (b"\"\xE2\x82", 3),
            (b"\"\xE2", 2),
            (b"\"\xFF\"", 1),
            (b"\"\xC0\xAF\"", 1),
            (b"\"\x80\"", 1),
            (b"\"\xE0\x80\x80\"", 2),
            (b"\"\xED\xA0\x80\"", 2),
            (b"\"\xF4\x90\x80\x80\"", 2),
            (b"\"\xF0\x9F\x98\"", 4),
            (b"\"\xF5\"", 1),
        ];
        for (json, at) in cases {
            assert_eq!(fault(json), Some((Code::InvalidUtf8, *at)), "{json:x?}");
        }
    }

    #[test]
    fn the_earlier_of_a_syntax_and_a_utf8_fault_is_reported() {
        assert_eq!(fault(b"[1,]\xFF"), Some((Code::InvalidJson, 3)));
        assert_eq!(fault(b"[\"\xFF\",]"), Some((Code::InvalidUtf8, 2)));
        // Outside strings the lead byte is already wrong.
        assert_eq!(fault(b"[\xE2\x28"), Some((Code::InvalidJson, 1)));
        // At one byte both: UTF-8 comes first.
        assert_eq!(fault(b"[\xFF"), Some((Code::InvalidUtf8, 1)));
        assert_eq!(fault(b"\"abc\xE2\x80"), Some((Code::InvalidUtf8, 6)));
    }

    #[test]
    fn the_129th_open_bracket_is_too_deep() {
        let nest = |depth: usize| [vec![b'['; depth], vec![b']'; depth]].concat();
        assert_eq!(fault(&nest(128)), None);
        assert_eq!(walk_fault(&nest(128)), None);
        assert_eq!(fault(&nest(129)), Some((Code::NestingTooDeep, 128)));
        assert_eq!(walk_fault(&nest(129)), Some((Code::NestingTooDeep, 128)));
        assert_eq!(fault(&vec![b'['; 1_000_000]), Some((Code::NestingTooDeep, 128)));
        let objects = br#"{"a":"#.repeat(129);
        assert_eq!(fault(&objects), Some((Code::NestingTooDeep, 128 * 5)));
        // Closed brackets do not count, those that the caller entered do.
        let wide = [b"[", &b"[],".repeat(500)[..], b"[]]"].concat();
        assert_eq!(fault(&wide), None);
        let deep = nest(129);
        let mut cursor = Cursor::new(&deep).unwrap();
        cursor.array().unwrap();
        cursor.next_element().unwrap();
        assert_eq!(cursor.skip_value().unwrap_err(), JsonError::too_deep(128));
    }

    #[test]
    fn members_are_read_in_turn_and_siblings_follow_nested_ones() {
        let mut cursor = Cursor::new(br#" { "a" : [ 1 , [ ] , { } ] , "b" : "x" } "#).unwrap();
        cursor.object().unwrap();
        assert!(cursor.next_key().unwrap().unwrap().eq_str("a"));
        cursor.array().unwrap();
        assert!(cursor.next_element().unwrap());
        assert_eq!(cursor.number().unwrap().as_u64(), Some(1));
        assert!(cursor.next_element().unwrap());
        cursor.array().unwrap();
        assert!(!cursor.next_element().unwrap());
        assert!(cursor.next_element().unwrap());
        cursor.object().unwrap();
        assert!(cursor.next_key().unwrap().is_none());
        assert!(!cursor.next_element().unwrap());
        assert!(cursor.next_key().unwrap().unwrap().eq_str("b"));
        assert_eq!(cursor.string().unwrap().raw(), b"x");
        assert!(cursor.next_key().unwrap().is_none());
        cursor.end().unwrap();
    }

    #[test]
    fn typed_accessors_name_the_place_of_the_wrong_value() {
        let wrong = Err(JsonError::invalid_type(1));
        assert_eq!(Cursor::of_str(" 1").string().map(|_| ()), wrong);
        assert_eq!(Cursor::of_str(" null").number().map(|_| ()), wrong);
        assert_eq!(Cursor::of_str(" []").object(), wrong);
        assert_eq!(Cursor::of_str(" {}").array(), wrong);
        assert_eq!(Cursor::of_str(" \"\"").boolean().map(|_| ()), wrong);
        assert_eq!(Cursor::of_str(" x").string().map(|_| ()), Err(JsonError::invalid(1)));
        assert_eq!(Cursor::of_str(" x").object(), Err(JsonError::invalid(1)));
        assert_eq!(Cursor::of_str(" falsy").boolean(), Err(JsonError::invalid(5)));
    }

    #[test]
    fn offsets_of_a_nested_cursor_count_from_the_text_start() {
        let mut cursor = Cursor::new(br#"{"a": {"b": 1} }"#).unwrap();
        cursor.object().unwrap();
        cursor.next_key().unwrap();
        let raw = cursor.skip_value().unwrap();
        assert_eq!((raw.bytes(), raw.at(), raw.kind()), (&br#"{"b": 1}"#[..], 6, Kind::Object));
        let mut nested = raw.cursor();
        nested.object().unwrap();
        nested.next_key().unwrap();
        assert_eq!(nested.string().map(|_| ()), Err(JsonError::invalid_type(12)));
    }

    #[test]
    fn only_plain_integers_count_as_u64() {
        let value = |json| Cursor::of_str(json).number().unwrap().as_u64();
        assert_eq!(value("0"), Some(0));
        assert_eq!(value("18446744073709551615"), Some(u64::MAX));
        assert_eq!(value("18446744073709551616"), None);
        assert_eq!(value("99999999999999999999999"), None);
        for json in ["-0", "-1", "1.0", "1e0", "0.0", "1E2"] {
            assert_eq!(value(json), None, "{json}");
        }
    }
}
