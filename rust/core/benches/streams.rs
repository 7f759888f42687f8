//! What each stage of a stream's translation costs, without Python.
//!
//! Reads the workloads that `python3 benches/workloads.py KIT` writes; `make bench` does both.
#![allow(missing_docs, reason = "criterion's programs have no interface")]

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use transcodec_core::formats::Format;
use transcodec_core::frame::{Frame, SseReader};
use transcodec_core::json::{Cursor, JsonError, Raw, Tok};
use transcodec_core::stream::delta::{
    Class, Counts, FaultInfo, Field, ItemHead, PartKey, PartKind, WireKey,
};
use transcodec_core::stream::encode::{
    CallKey, CallOpening, Encode, Ending, Head, Layout, TextBlock, Traits,
};
use transcodec_core::stream::loss::LossLog;
use transcodec_core::stream::mirror::Mirror;
use transcodec_core::stream::options::Options;
use transcodec_core::stream::translate::Translator;
use transcodec_core::stream::turn::{Referee, Turn};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.benchmarks/workloads");
const PIECE_BYTES: usize = 1024;
const MAX_EVENT_BYTES: u64 = 32 << 20;

/// A stream of the Responses API.
struct Workload {
    name: &'static str,
    stream: Vec<u8>,
    events: Vec<Vec<u8>>,
    payloads: Vec<Vec<u8>>,
}

impl Workload {
    #[expect(
        clippy::disallowed_methods,
        reason = "the rule is on the library; a benchmark reads files"
    )]
    fn load(name: &'static str) -> Result<Self, Box<dyn Error>> {
        let path = Path::new(FOLDER).join(name).with_extension("sse");
        let stream = std::fs::read(&path).map_err(|error| {
            format!("{}: {error}; write it with `python3 benches/workloads.py KIT`", path.display())
        })?;
        let text = std::str::from_utf8(&stream)?;
        let events = text.split_inclusive("\n\n").map(|event| event.as_bytes().to_vec()).collect();
        let payloads = text
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|payload| payload.as_bytes().to_vec())
            .collect();
        Ok(Self { name, stream, events, payloads })
    }

    /// Ways to cut the stream, named.
    fn feedings(&self) -> [(&'static str, Vec<&[u8]>); 3] {
        [
            ("one event a call", self.events.iter().map(Vec::as_slice).collect()),
            ("1 KB pieces", self.stream.chunks(PIECE_BYTES).collect()),
            ("whole", vec![&self.stream]),
        ]
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let workloads = [Workload::load("W1")?, Workload::load("W2")?];
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1_500))
        .sample_size(30)
        .configure_from_args();
    for workload in &workloads {
        let mut group = criterion.benchmark_group(workload.name);
        group.throughput(Throughput::Elements(workload.events.len() as u64));
        read_json(&mut group, workload);
        frame(&mut group, workload);
        translate(&mut group, workload);
        group.finish();
        append(&mut criterion, workload);
    }
    criterion.final_summary();
    Ok(())
}

/// The cursor alone: validates every payload; then also picks two members, as a decoder does.
fn read_json(group: &mut BenchmarkGroup<'_, WallTime>, workload: &Workload) {
    let validate = |json| -> Result<usize, JsonError> {
        let mut cursor = Cursor::new(json)?;
        cursor.skip_value()?;
        cursor.end()?;
        Ok(cursor.at())
    };
    group.bench_function("cursor, skip", |bencher| {
        bencher.iter(|| workload.payloads.iter().all(|payload| validate(payload).is_ok()));
    });
    group.bench_function("cursor, pick type and delta", |bencher| {
        bencher.iter(|| workload.payloads.iter().filter_map(|json| delta(json).ok()).count());
    });
}

/// The `delta` of an event that has one, with the `type`.
fn delta(json: &[u8]) -> Result<(Option<Tok<'_>>, Option<Tok<'_>>), JsonError> {
    let (mut kind, mut delta) = (None, None);
    let mut cursor = Cursor::new(json)?;
    cursor.object()?;
    while let Some(key) = cursor.next_key()? {
        match key.raw() {
            b"type" => kind = Some(cursor.string()?),
            b"delta" => delta = Some(cursor.string()?),
            _ => drop(cursor.skip_value()?),
        }
    }
    cursor.end()?;
    Ok((kind, delta))
}

/// The splitter alone.
fn frame(group: &mut BenchmarkGroup<'_, WallTime>, workload: &Workload) {
    for (feeding, pieces) in workload.feedings() {
        group.bench_function(format!("frame, {feeding}"), |bencher| {
            bencher.iter(|| {
                let mut reader = SseReader::new(MAX_EVENT_BYTES);
                let mut payload_bytes = 0;
                for mut piece in pieces.iter().copied() {
                    while let Ok(Some(frame)) = reader.next(&mut piece) {
                        if let Frame::Event { data, .. } = frame {
                            payload_bytes += data.len();
                        }
                    }
                }
                payload_bytes
            });
        });
    }
}

/// Bytes to bytes, into a buffer that is used again.
fn translate(group: &mut BenchmarkGroup<'_, WallTime>, workload: &Workload) {
    for (feeding, pieces) in workload.feedings() {
        let mut out = Vec::new();
        group.bench_function(format!("translate to openai_chat, {feeding}"), |bencher| {
            bencher.iter(|| {
                let options = Options::default();
                let pair = (Format::OpenaiResponses, Format::OpenaiChat);
                let mut translator = Translator::new(pair.0, pair.1, &options)?;
                for piece in &pieces {
                    out.clear();
                    translator.feed(piece, &mut out).ok()?;
                }
                out.clear();
                translator.finish(&mut out);
                translator.outcome()
            });
        });
    }
}

/// The referee alone: the workload's deltas, read beforehand, into an encoder that writes nothing.
fn append(criterion: &mut Criterion, workload: &Workload) {
    let texts: Vec<Tok<'_>> =
        workload.payloads.iter().filter_map(|payload| delta(payload).ok()?.1).collect();
    let is_call = workload.name == "W1";
    let kind = if is_call { PartKind::Arguments } else { PartKind::Text };
    let [call_id, name] = ["call_1", "write_file"].map(Tok::plain);
    let class = if is_call { Class::Function } else { Class::Message };
    let head = ItemHead { call_id, name, ..ItemHead::of(class) };
    let key = WireKey { choice: 0, index: Some(0), id: None };
    let mut group = criterion.benchmark_group(workload.name);
    group.throughput(Throughput::Elements(texts.len() as u64));
    group.bench_function("Turn::append, null encoder", |bencher| {
        bencher.iter(|| {
            let mut turn = Turn::new(&Options::default());
            let mut losses = LossLog::new(0, false);
            let mut out = Vec::new();
            let mut referee = Referee {
                turn: &mut turn,
                encoder: &mut Silence,
                out: &mut out,
                losses: &mut losses,
                event: Some(0),
                original: None,
            };
            let place = referee.place();
            let item = referee.find_item(key, class)?;
            referee.describe(item, None, &head, &place)?;
            for text in &texts {
                referee.append(key, PartKey { kind, number: 0 }, *text, None, &place)?;
            }
            Ok::<_, transcodec_core::stream::stop::Stop>(turn.outcome())
        });
    });
    group.finish();
}

/// An encoder that writes nothing.
#[derive(Debug)]
struct Silence;

impl Mirror for Silence {}

impl Encode for Silence {
    const TRAITS: Traits = Traits {
        layout: Layout::Fields,
        has_choices: true,
        custom_calls_native: true,
        keeps_text: false,
        keeps_pieces: false,
    };

    fn start(&mut self, _: &Head, _: &mut Vec<u8>) {}
    fn start_choice(&mut self, _: u32, _: &mut Vec<u8>) {}
    fn carries(&self, _: Field) -> bool {
        true
    }
    fn open_part(&mut self, _: TextBlock, _: &mut Vec<u8>) {}
    fn text(&mut self, _: TextBlock, _: Tok<'_>, _: Option<Raw<'_>>, _: &mut Vec<u8>) {}
    fn close_part(&mut self, _: TextBlock, _: &mut Vec<u8>) {}
    fn close_item(&mut self, _: u32, _: bool, _: &mut Vec<u8>) {}
    fn annotation(&mut self, _: TextBlock, _: Raw<'_>, _: &mut Vec<u8>) -> bool {
        true
    }
    fn open_call(&mut self, _: CallOpening<'_>, _: &mut Vec<u8>) {}
    fn call_text(&mut self, _: CallKey, _: Tok<'_>, _: &mut Vec<u8>) {}
    fn close_call(&mut self, _: CallKey, _: bool, _: &mut Vec<u8>) {}
    fn end(&mut self, _: Ending<'_>, _: &mut Vec<u8>) {}
    fn fault(&mut self, _: &FaultInfo<'_>, _: &Counts, _: &mut Vec<u8>) {}
    fn alive(&mut self, _: &mut Vec<u8>) {}
}
