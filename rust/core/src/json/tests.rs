//! The rules of reading, each by example.

use super::{Cursor, JsonError, Kind, Raw};
use crate::error::Code;

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
