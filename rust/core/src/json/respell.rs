//! Strings written anew: the same text in the one spelling that envelopes and stored rows have.
//!
//! `"` `\` and controls are escaped, as short as JSON allows; all else stands raw, the three line
//! separators too. In that spelling one more level of escaping doubles backslashes and marks quotes,
//! so a token moves between levels without being decoded: only `\/` and `\u` need a look.

use std::borrow::Cow;

use super::Tok;
use super::escape::read_escape;
use super::string::{
    find_stop, is_high_surrogate, is_surrogate, low_surrogate_escape, unicode_escape,
};
use super::writer::push_escaped_ascii;

/// Appends a stretch of `bytes`. Between escapes most are short: a fixed number of bytes is copied without
/// a call, and what is too much is cut off again.
#[inline]
pub(crate) fn push_stretch(out: &mut Vec<u8>, bytes: &[u8], from: usize, to: usize) {
    const SHORT: usize = 16;
    match bytes.get(from..).and_then(|rest| rest.first_chunk::<SHORT>()) {
        Some(chunk) if to - from <= SHORT => {
            let length = out.len() + (to - from);
            out.extend_from_slice(chunk);
            out.truncate(length);
        }
        _ => out.extend_from_slice(&bytes[from..to]),
    }
}

/// Appends the body that a fresh writer gives the token's text, without quotes.
///
/// The token must hold no lone surrogate.
pub(crate) fn push_respelt(out: &mut Vec<u8>, token: Tok<'_>) {
    respell(out, token, b"", b"", push_escaped_ascii);
}

/// As [`push_respelt`], escaped once more: a string inside JSON text that is itself carried in a
/// string.
pub(crate) fn push_respelt_nested(out: &mut Vec<u8>, token: Tok<'_>) {
    respell(out, token, br"\\", br"\", |out, text| {
        let mut inner = Vec::with_capacity(12);
        push_escaped_ascii(&mut inner, text);
        push_escaped_ascii(out, &inner);
    });
}

/// Appends a body with `before_mark` put before each escape of a quote or backslash, `before_short`
/// before the other short ones, and the characters of `\u` escapes appended by `append`.
#[inline]
fn respell(
    out: &mut Vec<u8>,
    token: Tok<'_>,
    before_mark: &[u8],
    before_short: &[u8],
    append: impl Fn(&mut Vec<u8>, &[u8]),
) {
    let body = token.raw();
    if !token.has_escapes() {
        out.extend_from_slice(body);
        return;
    }
    out.reserve(body.len());
    let (mut copied, mut at) = (0, 0);
    loop {
        at = find_stop(body, at, &mut 0);
        let before = match body.get(at + 1) {
            None => break,
            Some(b'"' | b'\\') => before_mark,
            Some(b'/') => {
                push_stretch(out, body, copied, at);
                copied = at + 1;
                at += 2;
                continue;
            }
            Some(b'u') => {
                push_stretch(out, body, copied, at);
                let (decoded, length) = read_escape(&body[at..]);
                append(out, decoded.encode_utf8(&mut [0; 4]).as_bytes());
                at += length;
                copied = at;
                continue;
            }
            Some(_) => before_short,
        };
        if !before.is_empty() {
            push_stretch(out, body, copied, at);
            out.extend_from_slice(before);
            copied = at;
        }
        at += 2;
    }
    out.extend_from_slice(&body[copied..]);
}

/// Appends a token's text; lone surrogate halves become U+FFFD.
pub(crate) fn push_decoded(text: &mut String, token: Tok<'_>) {
    let body = token.raw_str();
    if !token.has_escapes() {
        text.push_str(body);
        return;
    }
    text.reserve(body.len());
    let (mut copied, mut at) = (0, 0);
    loop {
        at = find_stop(body.as_bytes(), at, &mut 0);
        match body.as_bytes().get(at + 1) {
            None => break,
            // What is escaped stands for itself: it starts the next stretch.
            Some(b'"' | b'\\' | b'/') => {
                text.push_str(&body[copied..at]);
                copied = at + 1;
                at += 2;
            }
            Some(_) => {
                text.push_str(&body[copied..at]);
                let (decoded, length) = read_escape(&body.as_bytes()[at..]);
                text.push(decoded);
                at += length;
                copied = at;
            }
        }
    }
    text.push_str(&body[copied..]);
}

/// The decoded text as bytes in which two different texts differ: UTF-8, and a lone surrogate half
/// as the three bytes that UTF-8 would give it (WTF-8).
pub(crate) fn decode_exactly(token: Tok<'_>) -> Cow<'_, [u8]> {
    if !token.has_escapes() {
        return Cow::Borrowed(token.raw());
    }
    if !token.has_lone_surrogate() {
        let mut text = String::new();
        push_decoded(&mut text, token);
        return Cow::Owned(text.into_bytes());
    }
    let body = token.raw();
    let mut decoded = Vec::with_capacity(body.len());
    let mut at = 0;
    loop {
        let stop = find_stop(body, at, &mut 0);
        decoded.extend_from_slice(&body[at..stop]);
        if stop >= body.len() {
            return Cow::Owned(decoded);
        }
        let (character, length) = read_escape(&body[stop..]);
        match unicode_escape(body, stop) {
            Some(half) if is_surrogate(half) && !is_pair(body, stop, half) => {
                let [high, low] = half.to_be_bytes();
                let middle = 0x80 | (high & 0xF) << 2 | low >> 6;
                decoded.extend_from_slice(&[0xED, middle, 0x80 | low & 0x3F]);
            }
            _ => decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        at = stop + length;
    }
}

fn is_pair(body: &[u8], at: usize, half: u16) -> bool {
    is_high_surrogate(half) && low_surrogate_escape(body, at + 6).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Cursor, push_string_raw_separators};

    const BODIES: [&str; 8] = [
        "",
        "plain é\u{2028}\u{7f}",
        r#"\"\\\/\b\f\n\r\t"#,
        r"\u0041\u00e9\u0022\u005c\u002f\u001F\u000a\u0000\u2028",
        r"\ud83d\ude00x\uD83D\uDE00",
        r#"{\"a\": \"b\\\"c\"}"#,
        r"\\u0041\\\\n",
        r"long enough for words of eight bytes \n and a tail",
    ];

    fn token(body: &str) -> String {
        format!("\"{body}\"")
    }

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn anew(text: &str) -> String {
        let quoted = written(|out| push_string_raw_separators(out, text));
        quoted[1..quoted.len() - 1].to_owned()
    }

    #[test]
    fn respelling_equals_decoding_and_writing() {
        for body in BODIES {
            let json = token(body);
            let token = Cursor::of_str(&json).string().unwrap();
            let text = token.decode();
            assert_eq!(written(|out| push_respelt(out, token)), anew(&text), "{body}");
            assert_eq!(
                written(|out| push_respelt_nested(out, token)),
                anew(&anew(&text)),
                "{body}"
            );
            let mut decoded = ">".to_owned();
            push_decoded(&mut decoded, token);
            assert_eq!(decoded[1..], text, "{body}");
            assert_eq!(decode_exactly(token), text.as_bytes(), "{body}");
        }
    }

    #[test]
    fn lone_halves_stay_apart() {
        let of = |body: &str| {
            let json = token(body);
            decode_exactly(Cursor::of_str(&json).string().unwrap()).into_owned()
        };
        assert_eq!(of(r"a\ud800b"), b"a\xED\xA0\x80b");
        assert_eq!(of(r"\udfff\ud83d\ude00"), b"\xED\xBF\xBF\xF0\x9F\x98\x80");
        assert_ne!(of(r"\ud800"), of(r"\udc00"));
    }
}
