//! A delta event costs no allocation once a stream is under way.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
#![expect(
    unsafe_code,
    reason = "`GlobalAlloc` is an unsafe trait, and only an allocator can count allocations"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use transcodec_core::formats::Format;
use transcodec_core::stream::options::Options;
use transcodec_core::stream::translate::Translator;

thread_local! {
    /// Of this thread only: the test harness allocates on its own.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting.
struct Counting;

fn count() {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
}

// SAFETY: every method hands its arguments on to `System` unchanged; the counter neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Pieces of text as models write them, ready to stand in a JSON string: plain, escaped, beyond ASCII.
const PIECES: [&str; 6] = [
    "    return parse(text)",
    r#"\n    \"\"\"Split "#,
    r"C:\\temp",
    "naïve — ",
    r"\u00e9\ud83d\ude80",
    " ",
];

fn framed(kind: &str, number: usize, members: &str) -> Vec<u8> {
    let text = format!(r#"{{"type":"{kind}","sequence_number":{number},{members}}}"#);
    format!("event: {kind}\ndata: {text}\n\n").into_bytes()
}

fn response_created() -> Vec<u8> {
    let response = r#"{"id":"resp_1","object":"response","created_at":1,"model":"m","output":[]}"#;
    framed("response.created", 0, &format!(r#""response":{response}"#))
}

/// The opening of an item, and its deltas.
fn item(kind: &str, item: &str, place: &str, count: usize) -> Vec<Vec<u8>> {
    let opening =
        framed("response.output_item.added", 1, &format!(r#""output_index":0,"item":{item}"#));
    let deltas = (0..count).map(|number| {
        let piece = PIECES[number % PIECES.len()];
        let padding = &"aB3xY9kQ0pLm"[..number % 12];
        let members = format!(r#"{place},"delta":"{piece}","obfuscation":"{padding}""#);
        framed(kind, number + 2, &members)
    });
    [response_created(), opening].into_iter().chain(deltas).collect()
}

fn call() -> Vec<Vec<u8>> {
    let opened = r#"{"id":"fc_1","type":"function_call","arguments":"","call_id":"call_1","name":"write_file"}"#;
    let place = r#""item_id":"fc_1","output_index":0"#;
    item("response.function_call_arguments.delta", opened, place, 857)
}

fn text() -> Vec<Vec<u8>> {
    let opened = r#"{"id":"msg_1","type":"message","role":"assistant","content":[]}"#;
    let place = r#""item_id":"msg_1","output_index":0,"content_index":0"#;
    item("response.output_text.delta", opened, place, 2_000)
}

/// Allocations after the first `warm_up` pieces, each of which must give output.
fn allocations<'p>(pieces: impl Iterator<Item = &'p [u8]>, warm_up: usize) -> u64 {
    let pair = (Format::OpenaiResponses, Format::OpenaiChat);
    let mut translator = Translator::new(pair.0, pair.1, &Options::default());
    let mut out = Vec::new();
    let mut start = 0;
    for (number, piece) in pieces.enumerate() {
        if number == warm_up {
            start = ALLOCATIONS.get();
        }
        out.clear();
        translator.feed(piece, &mut out).unwrap();
        assert!(number < warm_up || !out.is_empty(), "piece {number} gave no output");
    }
    ALLOCATIONS.get() - start
}

#[test]
fn the_allocator_counts() {
    let start = ALLOCATIONS.get();
    drop(std::hint::black_box(Box::new(1_u64)));
    assert_eq!(ALLOCATIONS.get() - start, 1);
}

#[test]
fn a_delta_that_comes_whole_costs_no_allocation() {
    for events in [call(), text()] {
        assert_eq!(allocations(events.iter().map(Vec::as_slice), 2 + PIECES.len()), 0);
    }
}

#[test]
fn deltas_that_straddle_pieces_cost_no_allocation() {
    for events in [call(), text()] {
        assert_eq!(allocations(events.concat().chunks(1024), 100), 0);
    }
}
