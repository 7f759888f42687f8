use std::fmt::Write as _;

use proptest::prelude::*;

use super::{Frame, Position, SEARCHED_BYTES, SseReader};
use crate::error::Code;

const NO_LIMIT: u64 = 1 << 20;

/// What a reader said, in words: one line a frame, then the fault or the end.
#[derive(Debug, Default, PartialEq, Eq)]
struct Report(Vec<String>);

impl Report {
    fn frame(&mut self, frame: Frame<'_>, input: &[u8]) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.0.push(match frame {
            Frame::Event { name, data, position } => {
                check_offsets(position, data, input);
                format!("event {}|{}@{}", text(name), text(data), offsets(position, data))
            }
            Frame::Body { data, position } => {
                check_offsets(position, data, input);
                format!("body {}@{}", text(data), offsets(position, data))
            }
            Frame::Done => "done".to_owned(),
            Frame::KeepAlive => "alive".to_owned(),
            Frame::IgnoredLine { line, offset } => {
                assert!(input[offset as usize..].starts_with(line));
                format!("ignored {}@{offset}", text(line))
            }
        });
    }
}

fn offsets(position: Position<'_>, data: &[u8]) -> String {
    format!("{}..{}", position.absolute(0), position.absolute(data.len()))
}

/// Each payload byte must stand in the stream where its position says.
fn check_offsets(position: Position<'_>, data: &[u8], input: &[u8]) {
    let mut before = None;
    for (at, &byte) in data.iter().enumerate() {
        let offset = position.absolute(at);
        let found = input[offset as usize];
        assert!(found == byte || (byte == b'\n' && found == b'\r'), "{at} is not at {offset}");
        assert!(before < Some(offset));
        before = Some(offset);
    }
    assert!(before < Some(position.absolute(data.len())));
    assert!(position.absolute(data.len()) <= input.len() as u64);
}

fn report(pieces: &[&[u8]], max_event_bytes: u64) -> Report {
    let input = pieces.concat();
    let mut reader = SseReader::new(max_event_bytes);
    let mut report = Report::default();
    for piece in pieces {
        let mut rest = *piece;
        loop {
            match reader.next(&mut rest) {
                Ok(Some(frame)) => report.frame(frame, &input),
                Ok(None) => break,
                Err(fault) => {
                    assert_eq!(reader.next(&mut rest).unwrap_err(), fault, "dead");
                    assert!(reader.finish().frame.is_none());
                    report.0.push(format!("{} {}", fault.code.as_str(), fault.offset));
                    return report;
                }
            }
        }
        assert!(rest.is_empty());
    }
    assert_eq!(reader.total_bytes(), input.len() as u64);
    let ending = reader.finish();
    if let Some(frame) = ending.frame {
        report.frame(frame, &input);
    }
    report.0.push(if ending.cut { "cut" } else { "end" }.to_owned());
    report
}

fn report_whole(input: &[u8]) -> Vec<String> {
    assert_split_does_not_matter(input, NO_LIMIT);
    report(&[input], NO_LIMIT).0
}

fn assert_split_does_not_matter(input: &[u8], max_event_bytes: u64) {
    let whole = report(&[input], max_event_bytes);
    let bytes: Vec<&[u8]> = input.chunks(1).collect();
    assert_eq!(report(&bytes, max_event_bytes), whole, "byte by byte");
    for first in 0..=input.len() {
        let (head, tail) = input.split_at(first);
        assert_eq!(report(&[head, tail], max_event_bytes), whole, "cut at {first}");
        if input.len() > 80 {
            continue;
        }
        for second in 0..=tail.len() {
            let (middle, tail) = tail.split_at(second);
            let pieces = [head, middle, tail];
            assert_eq!(report(&pieces, max_event_bytes), whole, "cuts {first}, {second}");
        }
    }
}

macro_rules! says {
    ($name:ident: $($input:expr => [$($line:expr),* $(,)?];)+) => {
        #[test]
        fn $name() {
            $(
                let said = report_whole($input);
                assert_eq!(said, [$($line),*] as [&str; _], "{}", $input.escape_ascii());
            )+
        }
    };
}

says! { line_ends_of_all_kinds:
    b"data: 1\n\ndata: 2\n\n" => ["event |1@6..7", "event |2@15..16", "end"];
    b"data: 1\r\n\r\ndata: 2\r\n\r\n" => ["event |1@6..7", "event |2@17..18", "end"];
    b"data: 1\r\rdata: 2\r\r" => ["event |1@6..7", "event |2@15..16", "end"];
    b"data: 1\r\n\rdata: 2\n\r\n" => ["event |1@6..7", "event |2@16..17", "end"];
    b"data: 1\n\r\ndata: 2\r\n\n" => ["event |1@6..7", "event |2@16..17", "end"];
    b"\r\n\n\rdata: 1\n\n\n\r\n" => ["event |1@10..11", "end"];
}

says! { names_of_usual_blocks:
    b": c\n\nevent: x\ndata: {}\n\nevent: x\ndata: {}\n\nevent: xy\ndata: {}\n\ndata: {}\n\nevent: x\r\ndata: {}\n\n" => [
        "alive", "event x|{}@20..22", "event x|{}@39..41", "event xy|{}@59..61", "event |{}@69..71",
        "event x|{}@89..91", "end",
    ];
}

says! { byte_order_mark:
    b"\xEF\xBB\xBFdata: 1\n\n" => ["event |1@9..10", "end"];
    b"\xEF\xBB\xBF\n{}" => ["body {}@4..6", "end"];
    b"\xEF\xBB\xBF" => ["end"];
    b"\xEF\xBB" => ["cut"];
    b"\xEF\xBBdata: 1\n\n" => ["not_a_stream 2"];
    b"\xEF\xBB\xBF\xEF\xBB\xBF" => ["not_a_stream 3"];
    b":\n\n\xEF\xBB\xBFdata: 1\n\n" => ["alive", "ignored \u{feff}data: 1@3", "end"];
}

says! { fields:
    b"data:1\n\n" => ["event |1@5..6", "end"];
    b"data:  1\n\n" => ["event |1@7..8", "end"];
    b"event: a\nid: 7\nretry: 5\ndata: 1\n\ndata: 2\n\n" =>
        ["event a|1@30..31", "event |2@39..40", "end"];
    b"data: 1\nevent: a\nevent:b\n\n" => ["event b|1@6..7", "end"];
    b"event: a\nevent\ndata: 1\n\n" => ["event |1@21..22", "end"];
    b"event: a\n\ndata: 1\n\n" => ["event |1@16..17", "end"];
    b"data: {\ndata: }\n\n" => ["event |{\n}@6..15", "end"];
    b"data: {\nevent: x\nid\ndata\r\ndata:}\n: c\n\n" => ["alive", "event x|{\n\n}@6..32", "end"];
    b"data\ndata\n\n" => ["end"];
    b"id\n\nretry\n\ndata: 1\n\n" => ["event |1@17..18", "end"];
}

says! { other_lines_are_told:
    b"data: 1\nDATA: 2\n\n" => ["ignored DATA: 2@8", "event |1@6..7", "end"];
    b"data: 1\ndatax: 2\n data: 3\n\n" =>
        ["ignored datax: 2@8", "ignored  data: 3@17", "event |1@6..7", "end"];
    b": x\n{\"a\":1}\nidx\neventual\nretry:\n\n" =>
        ["alive", "ignored {\"a\":1}@4", "ignored idx@12", "ignored eventual@16", "end"];
}

says! { keep_alives:
    b": ping\n\n" => ["alive", "end"];
    b":\n:\r\n:\r" => ["alive", "alive", "alive", "end"];
    b"event: x\n: c\ndata: 1\n\n" => ["alive", "event x|1@19..20", "end"];
    b"data: : OPENROUTER PROCESSING\n\ndata: 1\n\n" => ["alive", "event |1@37..38", "end"];
}

says! { payloads_are_trimmed_and_sorted:
    b"data:  \t1 \n\n" => ["event |1@8..10", "end"];
    b"data:\n\ndata: \t\n\n" => ["end"];
    b"data:\ndata:\ndata:  1\ndata:\n\n" => ["event |1@19..26", "end"];
    b"data: [DONE]\n\n" => ["done", "end"];
    b"data:[DONE] x\n\ndata: 1\n\n" => ["done", "event |1@21..22", "end"];
    b"data:  [DONE]\r\n\r\n" => ["done", "end"];
    b"data: [DONE\n\n" => ["event |[DONE@6..11", "end"];
    b"data: \xff\n\n" => ["event |\u{fffd}@6..7", "end"];
}

says! { the_first_line_must_be_a_field_or_comment:
    b"" => ["end"];
    b" \t\r\n \n" => ["end"];
    b"<html>" => ["not_a_stream 0"];
    b"\n\n<html>" => ["not_a_stream 2"];
    b"[1]" => ["not_a_stream 0"];
    b"dat: 1\n\n" => ["not_a_stream 3"];
    b"dax" => ["not_a_stream 2"];
    b"datax" => ["not_a_stream 4"];
    b"data " => ["not_a_stream 4"];
    b"idle: 1" => ["not_a_stream 2"];
    b"  data: 1\n\n" => ["not_a_stream 2"];
    b"  \ndata: 1\n\n" => ["not_a_stream 3"];
    b" :\n" => ["not_a_stream 1"];
    b"\ndata\n\n" => ["end"];
    b"event\r\rdata: 1\n\n" => ["event |1@13..14", "end"];
    b"retry:1\nid:2\ndata: 1\n\n" => ["event |1@19..20", "end"];
}

says! { one_json_body:
    b"{}" => ["body {}@0..2", "end"];
    b" \r\n\t{\"a\":[\"}\\\"}\\\\\",{\"b\":{}}]} \n" =>
        ["body {\"a\":[\"}\\\"}\\\\\",{\"b\":{}}]}@4..29", "end"];
    b"{\"a\":1\n\ndata: 1\n\n" => ["cut"];
    b"{\"a\":\"}" => ["cut"];
    b"{" => ["cut"];
    b"{}  x" => ["body {}@0..2", "invalid_json 4"];
    b"{}{}" => ["body {}@0..2", "invalid_json 2"];
    // Kinds of brackets are the JSON reader's business.
    b"{[}}" => ["body {[}}@0..4", "end"];
}

says! { the_end_of_input_completes_a_whole_event_and_no_other:
    b"data: {\"a\":1}" => ["event |{\"a\":1}@6..13", "end"];
    b"data: {\"a\":1}\n" => ["event |{\"a\":1}@6..13", "end"];
    b"event: x\r\ndata: {}\r" => ["event x|{}@16..18", "end"];
    b"data: {\ndata: }" => ["event |{\n}@6..15", "end"];
    b"data: [DONE]" => ["done", "end"];
    b"data: 1\n\ndata: {\"a\":1" => ["event |1@6..7", "cut"];
    b"data: 1\n\ndata: {\"a\":1}x" => ["event |1@6..7", "cut"];
    b"data: {}\ndata: x" => ["cut"];
    b"data: [DON" => ["cut"];
    b"data:" => ["cut"];
    b"data: : x" => ["cut"];
    b"data: {}\nda" => ["event |{}@6..8", "end"];
    b"data: {}\nevent: y" => ["event y|{}@6..8", "end"];
    b"data: 1\n\n: com" => ["event |1@6..7", "end"];
    b"data: 1\n\nevent: x\nid: 5" => ["event |1@6..7", "end"];
    b"data: 1\n\nfoo" => ["event |1@6..7", "end"];
    b"data: 1\n\neve" => ["event |1@6..7", "cut"];
    b"data: 1\n\ndata" => ["event |1@6..7", "cut"];
    b"d" => ["cut"];
    b"data: \xff" => ["cut"];
}

#[test]
fn a_block_may_have_exactly_its_limit() {
    let says = |input: &[u8], max_event_bytes| {
        assert_split_does_not_matter(input, max_event_bytes);
        report(&[input], max_event_bytes).0
    };
    assert_eq!(says(b"data: 12\n\n", 9), ["event |12@6..8", "end"]);
    assert_eq!(says(b"data: 12\n\n", 8), ["event_too_large 8"]);
    assert_eq!(says(b"\n\ndata: 12\n\n", 8), ["event_too_large 10"]);
    assert_eq!(says(b"data: 12\r\n\r\n", 10), ["event |12@6..8", "end"]);
    assert_eq!(says(b"data: 12\r\n\r\n", 9), ["event_too_large 9"]);
    assert_eq!(says(b"data: 1\n\ndata: 12345", 8), ["event |1@6..7", "event_too_large 17"]);
    // All lines of a block count, comments too, and so does a line without an end.
    assert_eq!(says(b": 3\n: 7\n: 11\n", 10), ["alive", "alive", "event_too_large 10"]);
    assert_eq!(says(b": 3\n\n: 7\n\n: 11\n\n", 5), ["alive", "alive", "alive", "end"]);
    assert_eq!(says(b"data: 12345678", 10), ["event_too_large 10"]);
    assert_eq!(says(b"id: 1\nfoo\ndata: 1\n\n", 12), ["ignored foo@6", "event_too_large 12"]);
    assert_eq!(says(b"data: 1", 3), ["event_too_large 3"]);
    assert_eq!(says(b"dax", 2), ["not_a_stream 2"]);
    assert_eq!(says(b"data\n\n", 4), ["event_too_large 4"]);
    // A body counts from its brace.
    assert_eq!(says(b"  {\"a\":1}  ", 7), ["body {\"a\":1}@2..9", "end"]);
    assert_eq!(says(b"  {\"a\":1}  ", 6), ["event_too_large 8"]);
    assert_eq!(says(b"{\"a\":\"aaaaaaaa", 8), ["event_too_large 8"]);
}

/// A small event must not be copied out of the piece it is in.
#[test]
fn whole_events_are_borrowed_from_the_piece() {
    let input = b": x\n\nevent: x\ndata: {\"a\":1}\nid: 3\n\ndata: {\"b\":2}\r\n\r\n".to_vec();
    let mut reader = SseReader::new(NO_LIMIT);
    let mut rest = &input[..];
    let mut borrowed = 0;
    while let Some(frame) = reader.next(&mut rest).unwrap() {
        if let Frame::Event { data, .. } = frame {
            assert!(input.as_ptr_range().contains(&data.as_ptr()));
            borrowed += 1;
        }
    }
    assert_eq!(borrowed, 2);
}

/// How many bytes were searched for their meaning while `work` ran.
fn searched_bytes(work: impl FnOnce()) -> u64 {
    SEARCHED_BYTES.set(0);
    work();
    SEARCHED_BYTES.get()
}

#[test]
fn a_huge_event_byte_by_byte_is_searched_once() {
    const SIZE: usize = 4 << 20;
    for (head, tail) in [("data: \"", "\"\n\n"), ("{\"a\":\"", "\"}"), (": ", "\n\n")] {
        let input = [head, &"x".repeat(SIZE), tail].concat().into_bytes();
        let mut reader = SseReader::new(8 << 20);
        let mut frames = 0;
        let searched = searched_bytes(|| {
            for byte in &input {
                let mut rest = core::slice::from_ref(byte);
                while let Some(frame) = reader.next(&mut rest).unwrap() {
                    frames += 1;
                    if let Frame::Event { data, .. } | Frame::Body { data, .. } = frame {
                        assert!(data.len() > SIZE);
                    }
                }
            }
        });
        assert_eq!(frames, 1, "{head}");
        assert!(searched <= input.len() as u64, "{head}: {searched}");
    }
}

#[test]
fn a_block_of_many_lines_is_searched_once() {
    let input = ["data: 1\n".repeat(100_000), ": c\n".repeat(1_000), "\n".repeat(100_000)].concat();
    let mut frames = 0;
    for piece_bytes in [input.len(), 1_000, 3] {
        let mut reader = SseReader::new(8 << 20);
        // Where a piece ends within a line only the rest of the line is searched with the next one.
        let searched = searched_bytes(|| {
            for mut piece in input.as_bytes().chunks(piece_bytes) {
                while reader.next(&mut piece).unwrap().is_some() {
                    frames += 1;
                }
            }
        });
        assert!(searched <= input.len() as u64, "{piece_bytes}: {searched}");
    }
    assert_eq!(frames, 3 * 1_001);
}

/// Streams of fragments that matter, in any order.
fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        4 => Just(&b"data: "[..]),
        2 => Just(&b"data"[..]),
        2 => Just(&b"data:"[..]),
        1 => Just(&b"event: x"[..]),
        1 => Just(&b"event"[..]),
        1 => Just(&b"id"[..]),
        1 => Just(&b"retry: 1"[..]),
        1 => Just(&b": c"[..]),
        1 => Just(&b"foo"[..]),
        2 => Just(&b"{\"a\":1}"[..]),
        1 => Just(&b"{\"a\":\"\\\""[..]),
        1 => Just(&b"[DONE]"[..]),
        1 => Just(&b" "[..]),
        1 => Just(&b"\t"[..]),
        1 => Just(&b"\x0c"[..]),
        6 => Just(&b"\n"[..]),
        3 => Just(&b"\r\n"[..]),
        2 => Just(&b"\r"[..]),
        1 => Just(&b"\xEF\xBB\xBF"[..]),
        1 => Just(&b"}"[..]),
        2 => Just(&b"data: {}\n\n"[..]),
        2 => Just(&b"event: x\ndata: {\"a\":1}\n\n"[..]),
        1 => Just(&b"event: xy\ndata: {}\n\n"[..]),
        1 => Just(&b"event: \ndata: {}\n\n"[..]),
    ];
    prop::collection::vec(fragment, 0..14).prop_map(|fragments| fragments.concat())
}

proptest! {
    #[test]
    fn split_never_matters(input in fragments(), max_event_bytes in 1_u64..40) {
        assert_split_does_not_matter(&input, max_event_bytes);
        assert_split_does_not_matter(&input, NO_LIMIT);
    }

    #[test]
    fn any_bytes_are_survived(input in prop::collection::vec(any::<u8>(), 0..60)) {
        assert_split_does_not_matter(&input, 16);
        assert_split_does_not_matter(&[b":\n", &input[..]].concat(), 16);
    }

    /// A well-formed stream is read back as it was written.
    #[test]
    fn written_events_are_read_back(
        events in prop::collection::vec(("[a-z]{0,5}", "[!-9;-~é☃ ]{1,20}"), 0..5),
        line_end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
    ) {
        let mut input = String::new();
        let mut want = Vec::new();
        for (name, data) in &events {
            write!(input, "event: {name}{line_end}data: x{data}x{line_end}{line_end}").unwrap();
            want.push(format!("event {name}|x{data}x"));
        }
        want.push("end".to_owned());
        let said = report(&[input.as_bytes()], NO_LIMIT).0;
        let without_offsets = |line: &String| {
            line.rsplit_once('@').map_or(line.clone(), |(frame, _)| frame.to_owned())
        };
        let said: Vec<_> = said.iter().map(without_offsets).collect();
        prop_assert_eq!(said, want);
    }
}

#[test]
fn a_fault_has_its_code_and_no_path() {
    let mut reader = SseReader::new(4);
    let fault = reader.next(&mut &b"data: 1"[..]).unwrap_err();
    assert_eq!((fault.code, fault.offset, fault.path.as_str()), (Code::EventTooLarge, 4, ""));
}
