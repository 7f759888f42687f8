//! Appending JSON to an output buffer.
//!
//! Unless a function says otherwise, U+2028, U+2029 and U+0085 are written as escapes: clients that
//! split event streams with Unicode line rules would end a line there.

use memchr::{memchr, memchr2};

use super::string::{
    find_stop, is_high_surrogate, is_surrogate, low_surrogate_escape, scan_body, unicode_escape,
};
use super::value::skip_space;
use super::{Raw, Tok};

/// Appends `text` as a JSON string, with quotes and as few escapes as possible.
pub fn push_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    push_escaped_once(out, text.as_bytes());
    out.push(b'"');
}

/// As [`push_string`], but the three line separators are left raw, as stored rows have them.
pub fn push_string_raw_separators(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    push_escaped_ascii(out, text.as_bytes());
    out.push(b'"');
}

/// Appends `text` escaped by one level, without quotes: a text that becomes the body of a JSON
/// string, or a valid JSON text that becomes part of a string's body.
pub fn push_escaped_once(out: &mut Vec<u8>, text: &[u8]) {
    out.reserve(text.len());
    for_each_between_separators(text, |plain, separator| {
        push_escaped_ascii(out, plain);
        out.extend_from_slice(separator);
    });
}

/// Appends a token's body as it is, without quotes; lone surrogate halves become `\ufffd`.
#[inline]
pub fn push_token(out: &mut Vec<u8>, token: Tok<'_>) {
    if token.has_lone_surrogate() {
        push_mended(out, token.raw(), b"\\ufffd", push_separators_escaped);
    } else if token.is_ascii() {
        out.extend_from_slice(token.raw());
    } else {
        push_separators_escaped(out, token.raw());
    }
}

/// Appends a token's body escaped by one level more, without quotes: for a string that stands
/// inside JSON text that is itself carried in a string. Lone surrogate halves become `\\ufffd`.
pub fn push_token_as_json_text(out: &mut Vec<u8>, token: Tok<'_>) {
    if token.has_lone_surrogate() {
        push_mended(out, token.raw(), b"\\\\ufffd", push_escaped_once);
    } else {
        push_escaped_once(out, token.raw());
    }
}

/// Appends a value without white space outside its strings; its strings as [`push_token`] does, all
/// else as it is spelt.
pub fn push_raw_compact(out: &mut Vec<u8>, value: Raw<'_>) {
    push_compact(out, value, push_token);
}

/// The same for a value that is passed on: half a surrogate pair stays the escape that it is.
pub(crate) fn push_raw_passed(out: &mut Vec<u8>, value: Raw<'_>) {
    push_compact(out, value, |out, token| push_separators_escaped(out, token.raw()));
}

/// Appends the body of a string that is passed on.
pub(crate) fn push_body_passed(out: &mut Vec<u8>, body: &[u8]) {
    push_separators_escaped(out, body);
}

#[inline]
fn push_compact(out: &mut Vec<u8>, value: Raw<'_>, push: impl Fn(&mut Vec<u8>, Tok<'_>)) {
    let text = value.as_str();
    let bytes = text.as_bytes();
    out.reserve(bytes.len());
    let mut at = 0;
    loop {
        let outside =
            bytes[at..].iter().position(|byte| matches!(byte, b'"' | b' ' | b'\n' | b'\r' | b'\t'));
        let stop = outside.map_or(bytes.len(), |length| at + length);
        out.extend_from_slice(&bytes[at..stop]);
        if bytes.get(stop) != Some(&b'"') {
            at = skip_space(bytes, stop);
            if at == bytes.len() {
                return;
            }
            continue;
        }
        // The value was checked when it was read: its strings end.
        let Ok((end, traits)) = scan_body(bytes, stop + 1) else {
            return;
        };
        out.push(b'"');
        push(out, Tok::new(&text[stop + 1..end], traits));
        out.push(b'"');
        at = end + 1;
    }
}

/// Appends a number.
pub fn push_u64(out: &mut Vec<u8>, mut number: u64) {
    // 2^64 has 20 digits.
    let mut digits = [0_u8; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

/// Appends with quotes, backslashes and control characters escaped; bytes from 0x80 up as they are.
pub(super) fn push_escaped_ascii(out: &mut Vec<u8>, text: &[u8]) {
    let mut plain_from = 0;
    loop {
        let stop = find_stop(text, plain_from, &mut 0);
        out.extend_from_slice(&text[plain_from..stop]);
        let Some(&byte) = text.get(stop) else {
            return;
        };
        out.extend_from_slice(shortest_spelling(char::from(byte), &mut [0; 6]));
        plain_from = stop + 1;
    }
}

/// The shortest spelling of a character in the body of a string, its bytes kept in `buffer`. Line separators
/// stand for themselves.
pub fn shortest_spelling(character: char, buffer: &mut [u8; 6]) -> &[u8] {
    const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";
    let short = match character {
        '"' => b'"',
        '\\' => b'\\',
        '\u{8}' => b'b',
        '\t' => b't',
        '\n' => b'n',
        '\u{C}' => b'f',
        '\r' => b'r',
        '\0'..' ' => {
            let (high, low) = (character as usize >> 4, character as usize & 0xF);
            *buffer = [b'\\', b'u', b'0', b'0', HEX_DIGITS[high], HEX_DIGITS[low]];
            return buffer;
        }
        _ => return character.encode_utf8(buffer).as_bytes(),
    };
    [buffer[0], buffer[1]] = [b'\\', short];
    &buffer[..2]
}

fn push_separators_escaped(out: &mut Vec<u8>, body: &[u8]) {
    for_each_between_separators(body, |plain, separator| {
        out.extend_from_slice(plain);
        out.extend_from_slice(separator);
    });
}

/// Calls `append` with each stretch of `text` without a line separator and the escape of the
/// separator that follows it, empty after the last stretch.
fn for_each_between_separators(text: &[u8], mut append: impl FnMut(&[u8], &[u8])) {
    let mut plain_from = 0;
    let mut search_from = 0;
    while let Some(found) = memchr2(0xC2, 0xE2, &text[search_from..]) {
        let lead = search_from + found;
        let (escape, length): (&[u8], _) = match text[lead + 1..] {
            [0x85, ..] if text[lead] == 0xC2 => (b"\\u0085", 2),
            [0x80, 0xA8, ..] if text[lead] == 0xE2 => (b"\\u2028", 3),
            [0x80, 0xA9, ..] if text[lead] == 0xE2 => (b"\\u2029", 3),
            _ => {
                search_from = lead + 1;
                continue;
            }
        };
        append(&text[plain_from..lead], escape);
        plain_from = lead + length;
        search_from = plain_from;
    }
    append(&text[plain_from..], b"");
}

/// Appends a body through `append`, with `replacement` in the place of each lone surrogate half.
fn push_mended(
    out: &mut Vec<u8>,
    body: &[u8],
    replacement: &[u8],
    append: impl Fn(&mut Vec<u8>, &[u8]),
) {
    let mut plain_from = 0;
    let mut at = 0;
    while let Some(found) = memchr(b'\\', &body[at..]) {
        at += found;
        match unicode_escape(body, at) {
            None => at += 2,
            Some(unit) if !is_surrogate(unit) => at += 6,
            Some(unit)
                if is_high_surrogate(unit) && low_surrogate_escape(body, at + 6).is_some() =>
            {
                at += 12;
            }
            Some(_) => {
                append(out, &body[plain_from..at]);
                out.extend_from_slice(replacement);
                at += 6;
                plain_from = at;
            }
        }
    }
    append(out, &body[plain_from..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Cursor;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = b">".to_vec();
        write(&mut out);
        String::from_utf8(out).unwrap().split_off(1)
    }

    fn token(json: &str) -> Tok<'_> {
        Cursor::of_str(json).string().unwrap()
    }

    const SEPARATORS: &str = "a\u{2028}\u{2029}\u{85}b\u{a0}\u{2027}é";

    #[test]
    fn strings_are_escaped_compactly() {
        let text = "\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}é😀";
        assert_eq!(
            written(|out| push_string(out, text)),
            "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}é😀\""
        );
    }

    #[test]
    fn line_separators_are_escaped_unless_told_not_to() {
        let escaped = "a\\u2028\\u2029\\u0085b\u{a0}\u{2027}é";
        let quoted = format!("\"{SEPARATORS}\"");
        assert_eq!(written(|out| push_string(out, SEPARATORS)), format!("\"{escaped}\""));
        assert_eq!(written(|out| push_string_raw_separators(out, SEPARATORS)), quoted);
        assert_eq!(written(|out| push_token(out, token(&quoted))), escaped);
        assert_eq!(written(|out| push_token_as_json_text(out, token(&quoted))), escaped);
        let raw = Raw::parse(quoted.as_bytes()).unwrap();
        assert_eq!(written(|out| push_raw_compact(out, raw)), format!("\"{escaped}\""));
    }

    #[test]
    fn tokens_keep_their_spelling() {
        let body = r"\u00e9\/\ud83d\ude00\\ud800\n";
        let json = format!("\"{body}\"");
        assert_eq!(written(|out| push_token(out, token(&json))), body);
    }

    #[test]
    fn lone_halves_are_replaced() {
        let json = "\"\\ud800\u{2028}\\\\ud800\\ud83d\\ude00\\udc00\\n\\ud83d\"";
        assert_eq!(
            written(|out| push_token(out, token(json))),
            r"\ufffd\u2028\\ud800\ud83d\ude00\ufffd\n\ufffd"
        );
        assert_eq!(
            written(|out| push_token_as_json_text(out, token(json))),
            r"\\ufffd\u2028\\\\ud800\\ud83d\\ude00\\ufffd\\n\\ufffd"
        );
    }

    #[test]
    fn one_more_level_of_escapes_is_undone_by_one_decoding() {
        let inner = "{\"a\": \"q\\\"\\\\\\u0041\\n\u{2028}\",\n\t\"b\": [1]}";
        let outer = format!("\"{}\"", written(|out| push_escaped_once(out, inner.as_bytes())));
        assert!(!outer.contains('\u{2028}') && !outer.contains('\n'));
        assert_eq!(token(&outer).decode(), inner);
    }

    #[test]
    fn compact_copies_hold_no_space_outside_strings() {
        let json = " { \"a b\" :\r\n\t[ 1.50 , -0 ,\n\"x \\ud800 \u{2029}\" , { } ] , \"c\\\"\" : null }\n";
        let raw = Raw::parse(json.as_bytes()).unwrap();
        assert_eq!(
            written(|out| push_raw_compact(out, raw)),
            r#"{"a b":[1.50,-0,"x \ufffd \u2029",{}],"c\"":null}"#
        );
        assert_eq!(written(|out| push_raw_compact(out, Raw::parse(b" true ").unwrap())), "true");
    }

    #[test]
    fn numbers_are_written_in_full() {
        for number in [0, 7, 10, 1_234_567_890, u64::MAX] {
            assert_eq!(written(|out| push_u64(out, number)), number.to_string());
        }
    }
}
