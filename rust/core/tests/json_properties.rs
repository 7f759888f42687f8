//! Any JSON value, in any spelling, is read as what it is and written back as valid JSON.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Map, Value};
use transcodec_core::json::{
    Cursor, JsonError, Kind, Piece, Raw, Tok, push_escaped_once, push_raw_compact, push_string,
    push_string_raw_separators, push_u64,
};

/// A value together with one of its spellings.
#[derive(Clone, Debug)]
struct Spelt {
    value: Value,
    text: String,
}

fn space() -> impl Strategy<Value = String> {
    "[ \t\r\n]{0,2}"
}

/// A character raw, where JSON allows it, or as one of its escapes.
fn spelt_char() -> impl Strategy<Value = (char, String)> {
    let any_char = prop_oneof![
        any::<char>(),
        prop::char::range('\0', '\u{7f}'),
        prop::sample::select(vec!['"', '\\', '/', '\n', '\u{85}', '\u{2028}', '\u{2029}', '😀']),
    ];
    (any_char, 0..3_u8).prop_map(|(char, way)| {
        let short = match char {
            '"' | '\\' | '/' => Some(char),
            '\u{8}' => Some('b'),
            '\u{c}' => Some('f'),
            '\n' => Some('n'),
            '\r' => Some('r'),
            '\t' => Some('t'),
            _ => None,
        };
        let must_escape = char < ' ' || char == '"' || char == '\\';
        let text = match (way, short) {
            (0, _) if !must_escape => char.to_string(),
            (1, Some(short)) => format!("\\{short}"),
            _ => {
                let mut text = String::new();
                for unit in char.encode_utf16(&mut [0; 2]) {
                    if way == 1 {
                        write!(text, "\\u{unit:04X}").unwrap();
                    } else {
                        write!(text, "\\u{unit:04x}").unwrap();
                    }
                }
                text
            }
        };
        (char, text)
    })
}

fn spelt_string() -> impl Strategy<Value = (String, String)> {
    prop::collection::vec(spelt_char(), 0..24).prop_map(|chars| {
        let value = chars.iter().map(|(char, _)| *char).collect();
        let body: String = chars.iter().map(|(_, text)| &text[..]).collect();
        (value, format!("\"{body}\""))
    })
}

fn spelt_value() -> impl Strategy<Value = Spelt> {
    let leaf = prop_oneof![
        spelt_string().prop_map(|(value, text)| Spelt { value: Value::String(value), text }),
        any::<u64>().prop_map(|number| Spelt { value: number.into(), text: number.to_string() }),
        "-?(0|[1-9][0-9]{0,5})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?"
            .prop_map(|text| Spelt { value: serde_json::from_str(&text).unwrap(), text }),
        prop::sample::select(vec!["true", "false", "null"]).prop_map(|word| Spelt {
            value: serde_json::from_str(word).unwrap(),
            text: word.to_owned(),
        }),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let array = (space(), prop::collection::vec((space(), inner.clone(), space()), 0..5))
            .prop_map(|(empty, elements)| {
                let texts: Vec<_> = elements
                    .iter()
                    .map(|(a, element, b)| format!("{a}{}{b}", element.text))
                    .collect();
                Spelt {
                    text: format!("[{empty}{}]", texts.join(",")),
                    value: elements.into_iter().map(|(_, element, _)| element.value).collect(),
                }
            });
        let member = (space(), spelt_string(), space(), inner, space());
        let object = (space(), prop::collection::vec(member, 0..5)).prop_map(|(empty, members)| {
            let texts: Vec<_> = members
                .iter()
                .map(|(a, key, b, value, c)| format!("{a}{}{b}:{a}{}{c}", key.1, value.text))
                .collect();
            let members = members.into_iter().map(|(_, key, _, member, _)| (key.0, member.value));
            Spelt {
                text: format!("{{{empty}{}}}", texts.join(",")),
                value: Value::Object(members.collect::<Map<_, _>>()),
            }
        });
        prop_oneof![array, object]
    })
}

fn token(json: &str) -> Tok<'_> {
    Cursor::of_str(json).string().unwrap()
}

/// Reads a value, taking or skipping the members of containers by turns of `choices`.
fn read(cursor: &mut Cursor<'_>, choices: &mut u64) -> Result<Value, JsonError> {
    let kind = cursor.peek_kind()?;
    *choices = choices.rotate_right(1);
    if *choices & 1 == 1 {
        let raw = cursor.skip_value()?;
        assert_eq!(raw.kind(), kind);
        assert_eq!(raw.cursor().at(), raw.at());
        return Ok(serde_json::from_slice(raw.bytes()).unwrap());
    }
    Ok(match kind {
        Kind::Object => {
            cursor.object()?;
            let mut members = Map::new();
            while let Some(key) = cursor.next_key()? {
                members.insert(key.decode().into_owned(), read(cursor, choices)?);
            }
            Value::Object(members)
        }
        Kind::Array => {
            cursor.array()?;
            let mut elements = Vec::new();
            while cursor.next_element()? {
                elements.push(read(cursor, choices)?);
            }
            Value::Array(elements)
        }
        Kind::String => Value::String(cursor.string()?.decode().into_owned()),
        Kind::Number => serde_json::from_slice(cursor.number()?.raw()).unwrap(),
        Kind::True | Kind::False => cursor.boolean()?.into(),
        Kind::Null => serde_json::from_slice(cursor.skip_value()?.bytes()).unwrap(),
    })
}

proptest! {
    #[test]
    fn values_are_read_as_what_they_are(
        spelt in spelt_value(), before in space(), after in space(), mut choices in any::<u64>(),
    ) {
        let text = format!("{before}{}{after}", spelt.text);
        let mut cursor = Cursor::new(text.as_bytes()).unwrap();
        prop_assert_eq!(&read(&mut cursor, &mut choices).unwrap(), &spelt.value);
        cursor.end().unwrap();

        let raw = Raw::parse(text.as_bytes()).unwrap();
        prop_assert_eq!(raw.as_str(), &spelt.text);
        let mut compact = Vec::new();
        push_raw_compact(&mut compact, raw);
        prop_assert_eq!(&serde_json::from_slice::<Value>(&compact).unwrap(), &spelt.value);
        let mut again = Vec::new();
        push_raw_compact(&mut again, Raw::parse(&compact).unwrap());
        prop_assert_eq!(again, compact);
    }

    /// Every beginning of a text is cut, and no other fault; only of a number a beginning is a whole text.
    #[test]
    fn a_cut_text_is_at_fault_at_its_end(spelt in spelt_value()) {
        let text = spelt.text.as_bytes();
        for end in 0..text.len() {
            match Raw::parse(&text[..end]) {
                Err(fault) => prop_assert_eq!(fault.at, end),
                Ok(_) => prop_assert!(spelt.value.is_number() && end > 0),
            }
        }
    }

    #[test]
    fn strings_are_decoded_whatever_their_spelling((value, json) in spelt_string()) {
        let token = token(&json);
        prop_assert_eq!(token.decode(), &value[..]);
        prop_assert!(token.eq_str(&value));
        prop_assert!(!token.eq_str(&(value.clone() + "x")));
        let pieces = token.pieces().map(|piece| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Char(char) => char.to_string(),
        });
        prop_assert_eq!(pieces.collect::<String>(), value);
        prop_assert!(!token.has_lone_surrogate());
        let kept = Tok::from_raw(token.raw()).unwrap();
        prop_assert_eq!(
            (kept.has_escapes(), kept.is_ascii(), kept.raw()),
            (token.has_escapes(), token.is_ascii(), token.raw())
        );
    }

    #[test]
    fn written_strings_are_read_back(text in any::<String>()) {
        let (mut escaped, mut raw) = (Vec::new(), Vec::new());
        push_string(&mut escaped, &text);
        push_string_raw_separators(&mut raw, &text);
        for json in [&escaped, &raw] {
            prop_assert_eq!(&serde_json::from_slice::<String>(json).unwrap(), &text);
        }
        prop_assert_eq!(String::from_utf8(raw).unwrap(), serde_json::to_string(&text).unwrap());
    }

    /// Text in JSON in a string in JSON, as argument strings are.
    #[test]
    fn one_level_of_escapes_is_undone_by_one_decoding(spelt in spelt_value()) {
        let mut json = b"\"".to_vec();
        push_escaped_once(&mut json, spelt.text.as_bytes());
        json.push(b'"');
        let text = token(std::str::from_utf8(&json).unwrap()).decode();
        prop_assert_eq!(&*text, &spelt.text);
    }

    #[test]
    fn numbers_are_written_in_decimal(number in any::<u64>(), shift in 0..64_u32) {
        let mut out = Vec::new();
        push_u64(&mut out, number >> shift);
        prop_assert_eq!(out, (number >> shift).to_string().into_bytes());
    }
}
