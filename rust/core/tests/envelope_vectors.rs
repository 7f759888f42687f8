//! The vectors of `docs/envelopes.md`, each rule on its own, and mutants of them.
//!
//! `TRANSCODEC_MUTANTS` sets how many mutants are tried (20,000 if it is not set).
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use transcodec_core::dialects::native::{self, Accept, Order, Refusal, Role, UnpackOptions};
use transcodec_core::transcript::{
    self, AbsentText, DuplicateIds, Error, PairingOptions, SplitResults, Unpaired, UnpairedPolicy,
    WireOptions,
};

const VECTORS: [&str; 9] = [
    include_str!("../../../tests/vectors/envelopes/decode.jsonl"),
    include_str!("../../../tests/vectors/envelopes/encode.jsonl"),
    include_str!("../../../tests/vectors/envelopes/errors.jsonl"),
    include_str!("../../../tests/vectors/envelopes/hostile.jsonl"),
    include_str!("../../../tests/vectors/envelopes/pack.jsonl"),
    include_str!("../../../tests/vectors/envelopes/pairing.jsonl"),
    include_str!("../../../tests/vectors/envelopes/replay.jsonl"),
    include_str!("../../../tests/vectors/envelopes/unpack.jsonl"),
    include_str!("../../../tests/vectors/envelopes/wire.jsonl"),
];

/// A vector, and its input as it is spelt: the order of members matters.
struct Vector<'a> {
    members: Value,
    raw_input: &'a str,
}

/// All but the few whose text is no Unicode, which only Python can say.
fn vectors() -> Vec<Vector<'static>> {
    let lines = VECTORS.iter().flat_map(|file| file.split('\n')).filter(|line| !line.is_empty());
    lines
        .filter_map(|line| {
            let raw: BTreeMap<String, &RawValue> = serde_json::from_str(line).unwrap();
            let Ok(members) = serde_json::from_str(line) else {
                assert!(line.contains("\\ud"), "no JSON, and not for a surrogate: {line}");
                return None;
            };
            Some(Vector { members, raw_input: raw["input"].get() })
        })
        .collect()
}

/// The inputs of some vectors that are text, and not long.
fn texts(wanted: impl Fn(&Value) -> bool) -> Vec<Vec<u8>> {
    let chosen = vectors().into_iter().filter(|vector| wanted(&vector.members));
    let texts = chosen.filter_map(|vector| Some(vector.members["input"].as_str()?.to_owned()));
    texts.filter(|text| text.len() < 5_000).map(String::into_bytes).collect()
}

/// What a call gives: JSON text or a value, and reports.
#[derive(Debug)]
struct Given {
    output: Value,
    unpaired: Vec<Unpaired>,
}

fn text(output: Vec<u8>) -> Given {
    let output = Value::String(String::from_utf8(output).unwrap());
    Given { output, unpaired: Vec::new() }
}

fn value(output: Value) -> Given {
    Given { output, unpaired: Vec::new() }
}

fn decoded(found: Result<Vec<u8>, Refusal>) -> Given {
    value(found.map_or(Value::Null, |json| serde_json::from_slice(&json).unwrap()))
}

fn call(name: &str, content: &str, options: &Value) -> Result<Given, Error> {
    let option = |name: &str| options.get(name).and_then(Value::as_str);
    let flag = |name: &str, default| options.get(name).and_then(Value::as_bool).unwrap_or(default);
    let order = option("order").map_or(Order::default(), |name| Order::named(name).unwrap());
    let accept = |default| option("accept").map_or(default, |name| Accept::named(name).unwrap());
    let pairing = || PairingOptions {
        unpaired: option("unpaired")
            .map_or(UnpairedPolicy::Drop, |name| UnpairedPolicy::named(name).unwrap()),
        split_results: option("split_results")
            .map_or(SplitResults::Merge, |name| SplitResults::named(name).unwrap()),
        duplicate_ids: option("duplicate_ids")
            .map_or(DuplicateIds::Drop, |name| DuplicateIds::named(name).unwrap()),
    };
    let json = content.as_bytes();
    let mut out = Vec::new();
    match name {
        "pack" => native::pack(json, order, &mut out).map(|()| text(out)),
        "unpack" => {
            let paired_only = flag("paired_only", false);
            let options = UnpackOptions { accept: accept(Accept::Lossless), order, paired_only };
            native::unpack(json, options, &mut out).map(|()| text(out))
        }
        "refused_envelopes" => {
            let refused = native::refused_envelopes(json, accept(Accept::Lossless), order)?;
            let shown =
                |&(index, code): &(usize, Refusal)| json!({"index": index, "code": code.as_str()});
            Ok(value(refused.iter().map(shown).collect()))
        }
        "encode_assistant" => native::encode_assistant(json, order).map(text),
        "encode_tool" => native::encode_tool(json, order).map(text),
        "decode_assistant" => {
            Ok(decoded(native::decode_assistant(content, accept(Accept::Lenient), order)))
        }
        "decode_tool" => Ok(decoded(native::decode_tool(content, accept(Accept::Lenient), order))),
        "refusal" => {
            let role = Role::named(option("role").unwrap()).unwrap();
            let refusal = native::refusal(content, role, accept(Accept::Lossless), order);
            Ok(value(json!(refusal.map(Refusal::as_str))))
        }
        "to_provider_messages" => {
            let unpaired = transcript::to_provider_messages(json, order, pairing(), &mut out)?;
            Ok(Given { unpaired, ..text(out) })
        }
        "to_typed_messages" => {
            let unpaired = transcript::to_typed_messages(json, pairing(), &mut out)?;
            Ok(Given { unpaired, ..text(out) })
        }
        "to_text_messages" => transcript::to_text_messages(json, &mut out).map(|_| text(out)),
        "to_wire" => {
            let content = option("content")
                .map_or(AbsentText::Empty, |name| AbsentText::named(name).unwrap());
            let reasoning = flag("reasoning", false);
            let options =
                WireOptions { content, reasoning, extra_content: flag("extra_content", true) };
            transcript::to_wire(json, options, &mut out).map(|()| text(out))
        }
        "from_wire" => transcript::from_wire(json, &mut out).map(|()| text(out)),
        other => panic!("no such call: {other}"),
    }
}

fn shown(report: &Unpaired) -> Value {
    let entries: Vec<usize> = (report.index..report.index + report.entry_count).collect();
    let ids: Vec<_> = report.ids.iter().map(|id| String::from_utf8_lossy(id)).collect();
    json!({"index": report.index, "entries": entries, "code": report.code.as_str(), "ids": ids})
}

#[test]
fn every_file_has_vectors_and_few_are_left_out() {
    for (number, file) in VECTORS.iter().enumerate() {
        assert!(file.lines().count() > 10, "file {number}");
    }
    let lines: usize = VECTORS.iter().map(|file| file.lines().count()).sum();
    let read = vectors().len();
    assert!(read > 350 && lines - read < 10, "{read} of {lines}");
}

#[test]
fn every_vector_gives_what_it_says() {
    let vectors = vectors();
    assert!(!vectors.is_empty());
    for Vector { members: vector, raw_input } in vectors {
        let name = vector["call"].as_str().unwrap();
        let input = vector["input"].as_str().unwrap_or(raw_input);
        match call(name, input, &vector["options"]) {
            Ok(given) => {
                assert_eq!(given.output, vector["expected"], "{vector}");
                let reports: Vec<Value> = given.unpaired.iter().map(shown).collect();
                let wanted = vector.get("unpaired").cloned().unwrap_or_else(|| json!([]));
                assert_eq!(Value::Array(reports), wanted, "{vector}");
            }
            Err(error) => {
                let found = json!({"code": error.code.as_str(), "offset": error.offset, "path": error.path});
                assert_eq!(found, vector["error"], "{vector}");
            }
        }
    }
}

/// A small generator: the same numbers on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// One of the texts with a byte changed, dropped or doubled.
    fn mutant(&mut self, of: &[Vec<u8>]) -> Vec<u8> {
        let mut mutant = of[self.below(of.len())].clone();
        if mutant.is_empty() {
            return mutant;
        }
        let at = self.below(mutant.len());
        match self.below(3) {
            0 => mutant[at] = b"{}[]\",:\\ntu0d8a1e.-\x00\xff "[self.below(22)],
            1 => drop(mutant.remove(at)),
            _ => mutant.insert(at, mutant[at]),
        }
        mutant
    }
}

fn rounds() -> usize {
    // Not part of the library: how long to look is a matter of the run.
    #[expect(clippy::disallowed_methods, reason = "a test run may be told how long to look")]
    std::env::var("TRANSCODEC_MUTANTS").ok().map_or(20_000, |count| count.parse().unwrap())
}

#[test]
fn mutants_neither_panic_nor_come_out_as_no_json() {
    let inputs = texts(|_| true);
    let calls = [
        "pack",
        "unpack",
        "to_provider_messages",
        "to_typed_messages",
        "to_text_messages",
        "to_wire",
        "from_wire",
        "decode_assistant",
        "decode_tool",
    ];
    let options = [
        json!({}),
        json!({"order": "insertion", "unpaired": "text", "content": "null", "accept": "lenient"}),
        json!({"unpaired": "keep", "duplicate_ids": "keep", "paired_only": true}),
        json!({"split_results": "drop", "accept": "exact", "content": "keep", "reasoning": true}),
    ];
    let mut dice = Dice(0x5EED);
    let (mut written, mut refused) = (0, 0);
    for _ in 0..rounds() {
        let input = dice.mutant(&inputs);
        let Ok(input) = String::from_utf8(input) else { continue };
        let name = calls[dice.below(calls.len())];
        let options = &options[dice.below(options.len())];
        match call(name, &input, options) {
            Ok(Given { output: Value::String(rows), .. }) => {
                let parsed = serde_json::from_str::<serde::de::IgnoredAny>(&rows);
                assert!(parsed.is_ok(), "{name} {options} {input}");
                written += 1;
            }
            Ok(_) => {}
            Err(_) => refused += 1,
        }
    }
    // Mutants that are all refused, or never, would show nothing.
    assert!(
        written * 20 > rounds() && refused * 20 > rounds(),
        "{written} written, {refused} refused"
    );
}

/// The value without members that are null: they read as absent.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .filter(|(_, member)| !member.is_null())
            .map(|(name, member)| (name.clone(), without_nulls(member)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(elements) => elements.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

#[test]
fn mutants_of_packed_rows_lose_no_text() {
    let packed = texts(|vector| vector["call"] == "unpack" && vector.get("error").is_none());
    let mut dice = Dice(0xBEEF);
    let mut lifted = 0;
    for _ in 0..rounds() {
        let row = dice.mutant(&packed);
        let mut typed = Vec::new();
        if native::unpack(&row, UnpackOptions::default(), &mut typed).is_err() || typed == row {
            continue;
        }
        let (Ok(before), Ok(after)) =
            (serde_json::from_slice::<Value>(&row), serde_json::from_slice::<Value>(&typed))
        else {
            continue;
        };
        let (Value::Object(before), Value::Object(after)) = (before, after) else { continue };
        if before.get("content") == after.get("content") {
            continue;
        }
        lifted += 1;
        let mut again = Vec::new();
        native::pack(&typed, Order::Sorted, &mut again).unwrap();
        let again: Value = serde_json::from_slice(&again).unwrap();
        let envelope = |content: &Value| {
            without_nulls(&serde_json::from_str::<Value>(content.as_str().unwrap()).unwrap())
        };
        assert_eq!(envelope(&again["content"]), envelope(&before["content"]), "{before:?}");
        for (name, member) in before.iter().filter(|(name, _)| *name != "content") {
            // What was null or an empty list beside the envelope gives way to what comes out of it.
            let gives_way = name == "tool_calls" && after["role"] == "assistant";
            if !member.is_null() && !gives_way {
                assert_eq!(after.get(name), Some(member), "{name} of {before:?}");
            }
        }
    }
    assert!(lifted > rounds() / 50, "{lifted} rows were lifted");
}
