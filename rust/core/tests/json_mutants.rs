//! Mutated stream events: the reader against `serde_json`, byte for byte.
//!
//! `TRANSCODEC_MUTANTS` sets how many mutants are tried (20,000 if it is not set). The generator is
//! seeded by a constant, so that a failure comes again.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may stop at the first surprise"
)]

use std::str;

use serde_json::{Map, Value};
use transcodec_core::error::Code;
use transcodec_core::json::{
    Cursor, JsonError, Kind, Raw, Tok, push_escaped_once, push_raw_compact, push_string,
    push_token, push_token_as_json_text,
};

/// Events in the shape of the wire, and oddities that mutations can recombine.
const SEEDS: &[&str] = &[
    r#"{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hel\"lo, \u00fcber","sequence_number":12,"logprobs":[],"obfuscation":"aB3x"}"#,
    r#"{"id":"c1","object":"chat.completion.chunk","created":1754000000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\": [1, 2.50, \"x\\ny\"]}"}}]},"finish_reason":null}],"usage":null}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"\\u00e9\\\\\"}"}}"#,
    "{\n  \"candidates\": [\n    {\"content\": {\"parts\": [{\"text\": \"日本語 😀 é\u{2028}\"}], \"role\": \"model\"}, \"index\": 0}\n  ],\n  \"usageMetadata\": {\"promptTokenCount\": 8}\n}\r\n",
    r#"{"delta":"\ud83d\ude00 \ud83d \ude00 \\ud83d\/\b\f","n":[-0,0.5,1e5,1E-2,-12.75e+3,18446744073709551616],"t":true,"f":false,"z":null}"#,
    r#"{"error":{"message":"rate limit","type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#,
    r#"[[[[{"a":[{}]}]]],"",{"":""},[[],[[]]]]"#,
    "\"a string alone \u{85} \\u0000\"",
];

/// Bytes and words that change meaning where they land.
const TOKENS: &[&[u8]] = &[
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b" ",
    b"\n",
    b"\t",
    b"\r",
    b"0",
    b"1",
    b"-",
    b".",
    b"e",
    b"E",
    b"+",
    b"u",
    b"n",
    b"true",
    b"false",
    b"null",
    b"\\u",
    b"\\ud83d",
    b"\\uDE00",
    b"\\u00e9",
    b"\\n",
    b"\\\\",
    b"\\\"",
    b"\x00",
    b"\x1f",
    b"\x7f",
    b"\x80",
    b"\xc2",
    b"\xe2",
    b"\xe2\x80\xa8",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\xff",
    b"\xef\xbb\xbf",
    b"{\"a\":",
    b"[[[[[[[[[[[[[[[[",
    b"]]]]]]]]]]]]]]]]",
    b"1e999",
    b"00",
    b"NaN",
    b"\x0c",
    b"/",
    b"'",
];

/// xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        usize::try_from(drawn).unwrap() % limit.max(1)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn mutant(&mut self) -> Vec<u8> {
        let mut text = self.pick(SEEDS).as_bytes().to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(text.len() + 1);
            let end = (at + 1 + self.below(8)).min(text.len());
            match self.below(9) {
                0 if at < text.len() => text[at] = self.pick(TOKENS)[0],
                1 if at < text.len() => text[at] ^= 1 << self.below(8),
                2 if at < text.len() => drop(text.drain(at..end)),
                3 => text.truncate(at),
                4 => drop(text.splice(at..at, self.pick(TOKENS).iter().copied())),
                5 => drop(text.splice(at..end.max(at), self.pick(TOKENS).iter().copied())),
                6 => {
                    let copied = text[at..end.max(at)].to_vec();
                    let to = self.below(text.len() + 1);
                    text.splice(to..to, copied);
                }
                7 => {
                    let other = self.pick(SEEDS).as_bytes();
                    let from = self.below(other.len());
                    let length = self.below(40).min(other.len() - from);
                    text.splice(at..at, other[from..from + length].iter().copied());
                }
                8 => drop(text.splice(at..at, self.pick(TOKENS).repeat(self.below(20)))),
                _ => text.push(self.pick(TOKENS)[0]),
            }
        }
        text
    }
}

fn check_whole(text: &[u8]) -> Result<Raw<'_>, JsonError> {
    let mut cursor = Cursor::new(text)?;
    let raw = cursor.skip_value()?;
    cursor.end()?;
    Ok(raw)
}

/// Decodes a token, holding what it says of itself against its bytes.
fn decode(token: Tok<'_>, lone_surrogate: &mut bool) -> String {
    let text = token.decode().into_owned();
    assert!(token.eq_str(&text));
    assert_eq!(token.is_ascii(), token.raw().is_ascii());
    assert_eq!(token.has_escapes(), token.raw().contains(&b'\\'));
    assert_eq!(Tok::plain(token.raw_str()).is_some(), !token.has_escapes());
    *lone_surrogate |= token.has_lone_surrogate();

    let json = |write: &dyn Fn(&mut Vec<u8>)| -> Value {
        let mut out = b"\"".to_vec();
        write(&mut out);
        out.push(b'"');
        assert!(!out.contains(&b'\n') && !str::from_utf8(&out).unwrap().contains(SEPARATORS));
        serde_json::from_slice(&out).unwrap()
    };
    assert_eq!(json(&|out| push_token(out, token)), Value::from(text.as_str()));
    let inner = json(&|out| push_token_as_json_text(out, token));
    let inner = format!("\"{}\"", inner.as_str().unwrap());
    assert_eq!(serde_json::from_str::<Value>(&inner).unwrap(), Value::from(text.as_str()));
    text
}

const SEPARATORS: [char; 3] = ['\u{2028}', '\u{2029}', '\u{85}'];

/// Reads the next value through the typed methods.
fn read(cursor: &mut Cursor<'_>, lone_surrogate: &mut bool) -> Result<Value, JsonError> {
    Ok(match cursor.peek_kind()? {
        Kind::Object => {
            cursor.object()?;
            let mut members = Map::new();
            while let Some(key) = cursor.next_key()? {
                let key = decode(key, lone_surrogate);
                members.insert(key, read(cursor, lone_surrogate)?);
            }
            Value::Object(members)
        }
        Kind::Array => {
            cursor.array()?;
            let mut elements = Vec::new();
            while cursor.next_element()? {
                elements.push(read(cursor, lone_surrogate)?);
            }
            Value::Array(elements)
        }
        Kind::String => Value::String(decode(cursor.string()?, lone_surrogate)),
        Kind::Number => {
            let number = cursor.number()?;
            let value: Value = serde_json::from_slice(number.raw()).unwrap_or_default();
            if let Some(integer) = number.as_u64() {
                assert_eq!(value, Value::from(integer));
            }
            value
        }
        Kind::True | Kind::False => Value::Bool(cursor.boolean()?),
        Kind::Null => {
            cursor.skip_value()?;
            Value::Null
        }
    })
}

/// What serde refuses and we do not, by design: numbers beyond a double, the 128th bracket, and
/// half a surrogate pair, which is left to the caller's policy.
fn is_stricter_by_design(error: &serde_json::Error) -> bool {
    let message = error.to_string();
    message.starts_with("number out of range")
        || message.starts_with("recursion limit exceeded")
        || is_about_surrogates(error)
}

fn is_about_surrogates(error: &serde_json::Error) -> bool {
    let message = error.to_string();
    message.starts_with("lone leading surrogate")
        || message.starts_with("unexpected end of hex escape")
}

/// Checks that the fault's offset is the first byte that no valid text could have there: what
/// stands before it can be completed, and with it no longer.
fn check_fault(text: &[u8], fault: JsonError) {
    let (before, after) = (&text[..fault.at], &text[..text.len().min(fault.at + 1)]);
    if fault.code == Code::InvalidUtf8 {
        let completable = |text| match str::from_utf8(text) {
            Ok(_) => true,
            Err(error) => error.error_len().is_none(),
        };
        assert!(completable(before));
        assert!(fault.at == text.len() || !completable(after));
        return;
    }
    if fault.code == Code::NestingTooDeep {
        return;
    }
    let verdict = |text: &[u8]| serde_json::from_slice::<Value>(text).err();
    if let Some(error) = verdict(before) {
        assert!(error.is_eof() || is_stricter_by_design(&error), "not completable: {error}");
    }
    if fault.at < text.len() {
        // Serde looks at all four digits of an escape at once: let none be missing.
        let error = verdict(&[after, b"0000"].concat());
        let error = error.expect("valid with the byte that is called wrong");
        assert!(!error.is_eof(), "completable: {error}");
    }
}

#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    set_aside: usize,
}

fn check(text: &[u8], tally: &mut Tally) {
    let expected = serde_json::from_slice::<Value>(text);
    let mut lone_surrogate = false;
    let walked = Cursor::new(text).and_then(|mut cursor| {
        let value = read(&mut cursor, &mut lone_surrogate)?;
        cursor.end()?;
        Ok(value)
    });
    let raw = match check_whole(text) {
        Ok(raw) => raw,
        Err(fault) => {
            assert_eq!(walked, Err(fault));
            if fault.code != Code::NestingTooDeep {
                assert!(expected.is_err());
            }
            check_fault(text, fault);
            tally.invalid += 1;
            return;
        }
    };
    let walked = walked.unwrap();
    let mut compact = Vec::new();
    push_raw_compact(&mut compact, raw);
    assert!(!compact.contains(&b'\n') && !str::from_utf8(&compact).unwrap().contains(SEPARATORS));
    match expected {
        Ok(expected) => {
            assert!(!lone_surrogate);
            assert_eq!(walked, expected);
            assert_eq!(serde_json::from_slice::<Value>(&compact).unwrap(), expected);
            tally.valid += 1;
        }
        Err(error) => {
            assert!(is_stricter_by_design(&error), "{error}");
            assert!(lone_surrogate || !is_about_surrogates(&error));
            match serde_json::from_slice::<Value>(&compact) {
                Ok(mended) => assert_eq!(mended, walked),
                Err(error) => assert!(!is_about_surrogates(&error), "not mended: {error}"),
            }
            tally.set_aside += 1;
        }
    }
    let mut carried = b"\"".to_vec();
    push_escaped_once(&mut carried, raw.bytes());
    carried.push(b'"');
    let text = serde_json::from_slice::<String>(&carried).unwrap();
    assert_eq!(text.as_bytes(), raw.bytes());
    let mut again = Vec::new();
    push_string(&mut again, &text);
    assert_eq!(again, carried);
}

#[test]
fn verdicts_offsets_and_values_agree_with_serde() {
    // Not part of the library: how long to look is a matter of the run.
    #[expect(clippy::disallowed_methods, reason = "a test run may be told how long to look")]
    let count = std::env::var("TRANSCODEC_MUTANTS").ok().map_or(20_000, |count| {
        count.parse::<usize>().expect("TRANSCODEC_MUTANTS is a number of mutants")
    });
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut tally = Tally::default();
    for seed in SEEDS {
        check(seed.as_bytes(), &mut tally);
    }
    assert_eq!(tally.invalid, 0, "the seeds themselves are valid");
    for number in 0..count {
        let text = random.mutant();
        let checked = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            check(&text, &mut tally);
        }));
        assert!(checked.is_ok(), "mutant {number}: {}", text.escape_ascii());
    }
    println!("{tally:?}");
    // Mutants that are all broken, or all whole, would show nothing.
    assert!(tally.valid * 20 > count && tally.invalid * 4 > count, "{tally:?}");
}
