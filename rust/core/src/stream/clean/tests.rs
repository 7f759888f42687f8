use super::{Cleaner, Known, LossLog, Told};
use crate::json::Raw;

const INNER: Known = Known::of(&["id", "text"], &[]);
const KNOWN: Known = Known {
    names: &["type", "n", "item", "list", "free"],
    below: &[("item", &INNER), ("list", &INNER)],
    kind: Some("type"),
    ..Known::of(&[], &[])
};

fn settle(source: &[u8], known: &'static Known, start: usize, out: &mut Vec<u8>) {
    let told = Told { event: 0, holds_back: false, is_over: false };
    let mut losses = LossLog::new(8, false);
    Cleaner::new(known, None).settle(
        Raw::parse(source).unwrap(),
        start,
        told,
        &mut losses,
        out,
        |_, _| {},
    );
}

/// What comes out for a source event for which these payloads were written.
fn settled(source: &str, written: &[&str]) -> String {
    let mut out = b"before".to_vec();
    for payload in written {
        out.extend_from_slice(format!("event: e\ndata: {payload}\n\n").as_bytes());
    }
    settle(source.as_bytes(), &KNOWN, "before".len(), &mut out);
    String::from_utf8(out).unwrap().strip_prefix("before").unwrap().to_owned()
}

fn is_copied(source: &str, written: &str) -> bool {
    let out = settled(source, &[written]);
    out == format!("event: e\ndata: {source}\n\n")
}

#[test]
fn what_says_the_same_is_copied_byte_for_byte() {
    for (source, written) in [
        (r#"{ "n" : 1.0, "type":"a" }"#, r#"{"type":"a","n":1.0}"#),
        (r#"{"type":"\u0061"}"#, r#"{"type":"a"}"#),
        (
            r#"{"type":"a","more":[1],"item":{"id":"x","more":{}}}"#,
            r#"{"type":"a","item":{"id":"x"}}"#,
        ),
        (r#"{"type":"a","n":null,"list":[],"free":""}"#, r#"{"type":"a"}"#),
        (r#"{"list":[{"id":"x","z":1},{"id":"y"}]}"#, r#"{"list":[{"id":"x"},{"id":"y"}]}"#),
        (r#"{"free":{"a":[1,{"b":2}]}}"#, r#"{"free":{"a":[1,{"b":2}]}}"#),
    ] {
        assert!(is_copied(source, written), "{source}");
    }
}

#[test]
fn what_says_something_else_is_not_copied() {
    for (source, written) in [
        (r#"{"n":1.0}"#, r#"{"n":1}"#),
        (r#"{"type":"a"}"#, r#"{"type":"b"}"#),
        (r#"{"type":"a"}"#, r#"{"type":"a","n":1}"#),
        (r#"{"type":"a","n":1}"#, r#"{"type":"a"}"#),
        (r#"{"list":[{"id":"x"}]}"#, r#"{"list":[]}"#),
        (r#"{"list":[{"id":"x","text":"t"}]}"#, r#"{"list":[{"id":"x"}]}"#),
        (r#"{"free":{"a":1,"b":2}}"#, r#"{"free":{"a":1}}"#),
        (r#"{"n":1,"n":1}"#, r#"{"n":1}"#),
        (r#"{"type":"\ud800"}"#, "{\"type\":\"\u{fffd}\"}"),
        (r#"{"n":"1"}"#, r#"{"n":1}"#),
    ] {
        assert!(!is_copied(source, written), "{source}");
    }
}

#[test]
fn a_copy_is_one_line() {
    let source = "{\"type\":\"a\u{2028}b\u{85}\",\n\"z\":1}";
    let out = settled(source, &["{\"type\":\"a\\u2028b\\u0085\"}"]);
    assert_eq!(out, "event: e\ndata: {\"type\":\"a\\u2028b\\u0085\",\"z\":1}\n\n");
}

#[test]
fn unknown_members_go_behind_those_of_the_first_event_of_the_same_kind() {
    let source = r#"{"z":1, "item":{"y":[2],"id":"old","text":"gone"},"type":"b","z":3}"#;
    let written = [r#"{"type":"a"}"#, r#"{"type":"b","item":{"id":"new"}}"#, r#"{"type":"b"}"#];
    assert_eq!(
        settled(source, &written),
        "event: e\ndata: {\"type\":\"a\"}\n\n\
         event: e\ndata: {\"type\":\"b\",\"item\":{\"id\":\"new\",\"y\":[2]},\"z\":3}\n\n\
         event: e\ndata: {\"type\":\"b\"}\n\n"
    );
}

#[test]
fn without_one_of_its_kind_the_first_event_takes_them() {
    let out = settled(r#"{"type":"c","z":1}"#, &[r#"{"type":"a"}"#, r#"{"type":"b"}"#]);
    assert_eq!(
        out,
        "event: e\ndata: {\"type\":\"a\",\"z\":1}\n\nevent: e\ndata: {\"type\":\"b\"}\n\n"
    );
}

#[test]
fn members_that_were_written_are_not_taken_again() {
    assert_eq!(
        settled(r#"{"z":1,"n":2}"#, &[r#"{"n":3,"z":4}"#]),
        "event: e\ndata: {\"n\":3,\"z\":4}\n\n"
    );
}

#[test]
fn elements_of_lists_stay_as_written() {
    let out = settled(r#"{"list":[{"id":"x","z":1}]}"#, &[r#"{"list":[{"id":"y"}]}"#]);
    assert_eq!(out, "event: e\ndata: {\"list\":[{\"id\":\"y\"}]}\n\n");
}

#[test]
fn comments_and_marks_stay_and_nothing_stays_nothing() {
    let mut out = b": keep-alive\n\ndata: [DONE]\n\n".to_vec();
    settle(br#"{"z":1}"#, &KNOWN, 0, &mut out);
    assert_eq!(out, b": keep-alive\n\ndata: [DONE]\n\n");
    assert_eq!(settled(r#"{"z":1}"#, &[]), "");
}
