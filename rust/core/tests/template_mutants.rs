//! Mutated delta events: what a learned shape makes of them against what the reader makes of them.
//!
//! `TRANSCODEC_MUTANTS` sets how many mutants are tried (20,000 if it is not set). The generator is
//! seeded by a constant, so that a failure comes again.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may stop at the first surprise"
)]

use transcodec_core::formats::Format;
use transcodec_core::json::{Cursor, Members, Noise, Template, Tok};
use transcodec_core::stream::loss::Loss;
use transcodec_core::stream::options::Options;
use transcodec_core::stream::translate::{FeedError, Translator};
use transcodec_core::stream::turn::Outcome;

/// What opens the items that the deltas are for.
const PROLOGUE: &str = concat!(
    r#"data: {"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":""}}"#,
    "\n\n",
    r#"data: {"type":"response.output_item.added","output_index":2,"item":{"type":"custom_tool_call","id":"ct_1","call_id":"call_2","name":"g","input":""}}"#,
    "\n\n"
);

/// Delta events, each with the same members in another order: the same length and meaning in another shape.
const SEEDS: [[&str; 2]; 5] = [
    [
        r#"{"type":"response.output_text.delta","sequence_number":12,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"a\n","logprobs":[],"obfuscation":"aB3x"}"#,
        r#"{"sequence_number":12,"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"a\n","logprobs":[],"obfuscation":"aB3x"}"#,
    ],
    [
        r#"{"type":"response.function_call_arguments.delta","sequence_number":7,"item_id":"fc_1","output_index":1,"delta":"{\"k\": \"é","obfuscation":""}"#,
        r#"{"sequence_number":7,"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":"{\"k\": \"é","obfuscation":""}"#,
    ],
    [
        r#"{"delta":"free \ud83d\ude00","type":"response.custom_tool_call_input.delta","output_index":2,"item_id":"ct_1","sequence_number":0}"#,
        r#"{"type":"response.custom_tool_call_input.delta","delta":"free \ud83d\ude00","output_index":2,"item_id":"ct_1","sequence_number":0}"#,
    ],
    [
        "{ \"type\" : \"response.reasoning_summary_text.delta\",\n\"item_id\":\"rs_1\",\"summary_index\":0,\"delta\":\"why\\ud83d\" }",
        "{ \"item_id\":\"rs_1\",\"type\" : \"response.reasoning_summary_text.delta\",\n\"summary_index\":0,\"delta\":\"why\\ud83d\" }",
    ],
    [
        r#"{"type":"response.refusal.delta","item_id":"msg_1","content_index":1,"delta":"no","x":{"delta":"in","sequence_number":1}}"#,
        r#"{"item_id":"msg_1","type":"response.refusal.delta","content_index":1,"delta":"no","x":{"delta":"in","sequence_number":1}}"#,
    ],
];

const NOISE: Noise = Noise { names: &["obfuscation"], counter: Some("sequence_number") };

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
    b"\r",
    b"\t",
    b"0",
    b"1",
    b"-",
    b".",
    b"e5",
    b"null",
    b"true",
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
    b"\xe2\x80\xa8",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\xff",
    b"{}",
    b"{\\\"",
    b"00",
    b"1.5",
    b"\"\"",
    b"abcdefgh",
    b"\"delta\":\"b\",",
    b"\"type\":1,",
    b"\"sequence_number\":2,",
    b"\"logprobs\":[{}],",
    b"\"output_index\":1,",
];

/// Pieces that are right inside a string.
const PLAIN: &[&[u8]] = &[
    b"",
    b"0",
    b"\\n",
    b"\\u00e9",
    b"\\ud83d",
    b"\\ude00",
    b"\\\\",
    b"\\\"",
    b"{}",
    b"a",
    b"abcdefgh",
    b"\xe2\x80\xa8",
    b"\xf0\x9f\x98\x80",
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

    /// A place in `text`: mostly inside a value that may differ, else anywhere.
    fn place(&mut self, text: &[u8]) -> usize {
        let names: [&[u8]; 3] = [b"\"delta\":", b"\"sequence_number\":", b"\"obfuscation\":"];
        let name = names[self.below(4).min(2)];
        let found = text.windows(name.len()).position(|window| window == name);
        match found {
            Some(at) if self.below(4) > 0 => (at + name.len() + self.below(14)).min(text.len()),
            _ => self.below(text.len() + 1),
        }
    }

    fn mutant(&mut self, seed: &str) -> Vec<u8> {
        let mut text = seed.as_bytes().to_vec();
        if self.below(2) == 0 {
            // More text at the start of the delta: such mutants are right, unless more befalls them.
            let body = seed.find("\"delta\":\"").unwrap() + 9;
            for _ in 0..=self.below(3) {
                let piece = PLAIN[self.below(PLAIN.len())];
                text.splice(body..body, piece.repeat(1 + self.below(3)));
            }
            if self.below(2) == 0 {
                return text;
            }
        }
        for _ in 0..=self.below(3) {
            let at = self.place(&text);
            let end = (at + self.below(5)).min(text.len());
            let token = TOKENS[self.below(TOKENS.len())];
            match self.below(6) {
                0 if at < text.len() => text[at] ^= 1 << self.below(8),
                1 => drop(text.drain(at..end)),
                2 => drop(text.splice(at..end, token.iter().copied())),
                3 => drop(text.splice(at..at, token.repeat(1 + self.below(4)))),
                _ => drop(text.splice(at..at, token.iter().copied())),
            }
        }
        text
    }
}

/// Everything a caller sees of a stream.
#[derive(Debug, PartialEq)]
struct Seen {
    out: String,
    verdict: Result<(), FeedError>,
    losses: Vec<Loss>,
    outcome: Option<Outcome>,
}

fn translated(first: &str, mutant: &[u8]) -> Seen {
    let mut translator =
        Translator::new(Format::OpenaiResponses, Format::OpenaiChat, &Options::default());
    let mut out = Vec::new();
    translator.feed(PROLOGUE.as_bytes(), &mut out).unwrap();
    let mut event = Vec::new();
    for payload in [first.as_bytes(), mutant, first.as_bytes()] {
        for line in payload.split(|byte| *byte == b'\n') {
            event.extend_from_slice(b"data: ");
            event.extend_from_slice(line);
            event.push(b'\n');
        }
        event.push(b'\n');
    }
    let verdict = translator.feed(&event, &mut out);
    translator.finish(&mut out);
    let losses = translator.losses().stored().to_vec();
    let out = String::from_utf8(out).expect("output is UTF-8");
    Seen { out, verdict, losses, outcome: translator.outcome() }
}

fn members(json: &[u8]) -> Option<(Tok<'_>, Vec<String>)> {
    const NAMES: [&str; 5] = ["delta", "type", "item_id", "output_index", "content_index"];
    let slot_of = |name: &[u8]| NAMES.iter().position(|known| known.as_bytes() == name);
    let mut cursor = Cursor::new(json).ok()?;
    let members: Members<'_, 5> = Members::read(&mut cursor, slot_of, |_, _| {}).ok()?;
    cursor.end().ok()?;
    let others = (1..5)
        .map(|slot| members.raw(slot).ok().flatten().map_or("", |raw| raw.as_str()).to_owned());
    Some((members.string(0).ok()??, others.collect()))
}

#[test]
fn known_shapes_are_read_as_unknown_ones() {
    // Not part of the library: how long to look is a matter of the run.
    #[expect(clippy::disallowed_methods, reason = "a test run may be told how long to look")]
    let count = std::env::var("TRANSCODEC_MUTANTS").ok().map_or(20_000, |count| {
        count.parse::<usize>().expect("TRANSCODEC_MUTANTS is a number of mutants")
    });
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut matches, mut faults) = (0, 0);
    for number in 0..count {
        let [seed, other_shape] = SEEDS[number % SEEDS.len()];
        let mutant = random.mutant(seed);
        let (text, fixed) = members(seed.as_bytes()).unwrap();
        let template = Template::learn(seed.as_bytes(), text, NOISE).unwrap();
        if let Some(reading) = template.read(&mutant) {
            matches += 1;
            let found = reading.text;
            let (expected, fixed_there) = members(&mutant).expect("a match is valid");
            assert_eq!(found.raw(), expected.raw(), "mutant {number}");
            assert_eq!(found.has_escapes(), expected.has_escapes(), "mutant {number}");
            assert_eq!(found.is_ascii(), expected.is_ascii(), "mutant {number}");
            assert_eq!(
                found.has_lone_surrogate(),
                expected.has_lone_surrogate(),
                "mutant {number}"
            );
            assert_eq!(fixed_there, fixed, "mutant {number}");
        }
        let known = translated(seed, &mutant);
        faults += usize::from(known.verdict.is_err());
        assert_eq!(
            known,
            translated(other_shape, &mutant),
            "mutant {number}: {}",
            mutant.escape_ascii()
        );
    }
    println!("{matches} of {count} matched, {faults} were faults");
    // Mutants that never match, or always, would show nothing.
    assert!(matches * 10 > count && faults * 10 > count, "{matches} matched, {faults} were faults");
}
