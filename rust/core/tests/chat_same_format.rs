//! Streams of Chat chunks that come out as Chat chunks: one test a rule of `DESIGN.md` section 8.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use transcodec_core::formats::Format;
use transcodec_core::stream::options::{Options, SameFormat};
use transcodec_core::stream::translate::Translator;
use transcodec_core::stream::turn::Outcome;

fn translator(options: &Options) -> Translator {
    Translator::new(Format::OpenaiChat, Format::OpenaiChat, options)
}

/// What comes out for these payloads, and the loss codes; fed in pieces of every length up to 9 the same.
fn cleaned_with(options: &Options, payloads: &[&str]) -> (Vec<String>, Vec<&'static str>) {
    let input = format!("data: {}\n\n", payloads.join("\n\ndata: "));
    assert!(!payloads.is_empty());
    let mut found: Option<(String, Vec<&'static str>)> = None;
    for length in [input.len(), 1, 9] {
        let mut translator = translator(options);
        let mut out = Vec::new();
        for piece in input.as_bytes().chunks(length) {
            translator.feed(piece, &mut out).unwrap();
        }
        translator.finish(&mut out);
        let losses = translator.losses().stored().iter().map(|loss| loss.code.as_str()).collect();
        let this = (String::from_utf8(out).unwrap(), losses);
        assert_eq!(found.get_or_insert_with(|| this.clone()), &this);
    }
    let (out, losses) = found.unwrap();
    let events = out.split_terminator("\n\n").map(|event| event["data: ".len()..].to_owned());
    (events.collect(), losses)
}

fn cleaned(payloads: &[&str]) -> Vec<String> {
    cleaned_with(&Options::default(), payloads).0
}

/// A chunk in the format's own form, with what stands in its choice.
fn chunk(choice: &str) -> String {
    format!(
        r#"{{"id":"r","object":"chat.completion.chunk","created":7,"model":"m","choices":[{{"index":0,{choice}}}]}}"#
    )
}

fn delta(members: &str) -> String {
    chunk(&format!(r#""delta":{{{members}}},"finish_reason":null"#))
}

fn finish(word: &str) -> String {
    chunk(&format!(r#""delta":{{}},"finish_reason":"{word}""#))
}

const ROLE: &str = r#""role":"assistant""#;
const DONE: &str = "[DONE]";

fn passes(payloads: &[&str]) {
    assert_eq!(cleaned(payloads), payloads);
}

#[test]
fn a_clean_stream_comes_out_byte_for_byte() {
    let head = r#""system_fingerprint":"f","created":7,"id":"r","object":"chat.completion.chunk","model":"m""#;
    let spaced =
        |choice: &str| format!(r#"{{ {head},"usage":null, "choices":[{{"index":0, {choice}}}]}}"#);
    let payloads = [
        spaced(
            r#""delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null"#,
        ),
        spaced(r#""delta":{"content":"h\u00e9"},"logprobs":null,"finish_reason":null"#),
        spaced(r#""delta":{"content":"é \" \\n"},"logprobs":null,"finish_reason":null"#),
        spaced(r#""delta":{"content":"é"},"logprobs":null,"finish_reason":null"#),
        spaced(r#""delta":{},"logprobs":null,"finish_reason":"stop","stop_reason":"x""#),
        format!(
            r#"{{{head},"choices":[],"usage":{{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"cost":0.1,"prompt_tokens_details":{{"cached_tokens":0,"audio_tokens":0}}}}}}"#
        ),
    ];
    let mut payloads: Vec<&str> = payloads.iter().map(String::as_str).collect();
    payloads.push(DONE);
    passes(&payloads);
}

#[test]
fn calls_that_had_to_wait_come_out_byte_for_byte() {
    let opening = delta(
        r#""role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]"#,
    );
    let text = |text: &str| {
        delta(&format!(r#""tool_calls":[{{"index":0,"function":{{"arguments":"{text}"}}}}]"#))
    };
    let (bracket, rest, whole) = (text("{"), text(r#"\"a\":1}"#), text("{}"));
    let end = finish("tool_calls");
    passes(&[&opening, &bracket, &rest, &end, DONE]);
    passes(&[&opening, &whole, &end, DONE]);
}

#[test]
fn what_came_of_one_chunk_is_one_chunk() {
    let whole = delta(
        r#""role":"assistant","content":"x","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]"#,
    );
    passes(&[&whole, &finish("tool_calls"), DONE]);
}

#[test]
fn a_role_stands_once_a_choice() {
    let first = delta(r#""role":"assistant","content":"a""#);
    let again = delta(r#""role":"assistant","content":"b""#);
    let expected = delta(r#""content":"b""#);
    let end = finish("stop");
    assert_eq!(cleaned(&[&first, &again, &end, DONE]), [&first, &expected, &end, DONE]);
}

#[test]
fn the_head_is_the_first_and_chunks_are_chunks() {
    let first = delta(ROLE);
    let odd = r#"{"id":"other","object":"x","choices":[{"delta":{"content":"a"}}],"z":[1, 2]}"#;
    let expected = delta(r#""content":"a""#).replace("]}", r#"],"z":[1,2]}"#);
    let end = finish("stop");
    assert_eq!(cleaned(&[&first, odd, &end, DONE]), [&first, &expected, &end, DONE]);
}

#[test]
fn reasons_and_counts_stand_apart_and_last() {
    let first = delta(ROLE);
    let both = chunk(r#""delta":{"content":"a"},"finish_reason":"stop","why":1"#)
        .replace("]}", r#"],"usage":{"prompt_tokens":1,"cost":2}}"#);
    let late = delta(r#""content":"b""#);
    let head = r#"{"id":"r","object":"chat.completion.chunk","created":7,"model":"m","choices":[]"#;
    assert_eq!(
        cleaned(&[&first, &both, &late]),
        [
            first.clone(),
            chunk(r#""delta":{"content":"a"},"finish_reason":null,"why":1"#),
            late.clone(),
            finish("stop"),
            format!(
                r#"{head},"usage":{{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1,"cost":2}}}}"#
            ),
            DONE.to_owned(),
        ]
    );
}

#[test]
fn counts_are_left_out_if_nobody_asked_for_them() {
    let options = Options { omit_usage: true, ..Options::default() };
    let usage = r#"{"id":"r","choices":[],"usage":{"prompt_tokens":1}}"#;
    let (out, losses) = cleaned_with(&options, &[&delta(ROLE), &finish("stop"), usage, DONE]);
    assert_eq!(out, [&delta(ROLE), &finish("stop"), DONE]);
    assert_eq!(losses, [""; 0]);
}

#[test]
fn nulls_and_repeated_words_of_calls_are_taken_out() {
    let call = |call: &str| delta(&format!(r#""tool_calls":[{call}]"#));
    let opening =
        r#"{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a"}}"#;
    let odd = call(
        r#"{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"\":1}"},"x":{"y":1}}"#,
    );
    let null = call(r#"{"index":0,"id":null,"function":{"name":null,"arguments":" "}}"#);
    assert_eq!(
        cleaned(&[&delta(ROLE), &call(opening), &odd, &null, &finish("tool_calls"), DONE]),
        [
            delta(ROLE),
            call(opening),
            call(r#"{"index":0,"function":{"arguments":"\":1}"},"x":{"y":1}}"#),
            call(r#"{"index":0,"function":{"arguments":" "}}"#),
            finish("tool_calls"),
            DONE.to_owned(),
        ]
    );
}

#[test]
fn indexes_become_dense_and_members_find_their_call() {
    let call = |index: u32, id: &str| {
        format!(
            r#"{{"index":{index},"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{\"a\":1}}"}},"extra_content":{{"of":"{id}"}}}}"#
        )
    };
    let both = |first: u32, second: u32| {
        delta(&format!(r#""tool_calls":[{},{}]"#, call(first, "c"), call(second, "d")))
    };
    let out = cleaned(&[&delta(ROLE), &both(3, 5), &finish("tool_calls"), DONE]);
    assert_eq!(out, [&delta(ROLE), &both(0, 1), &finish("tool_calls"), DONE]);
}

#[test]
fn names_in_pieces_and_placeholders_are_put_right() {
    let call = |call: &str| delta(&format!(r#""tool_calls":[{call}]"#));
    let pieces = [
        delta(ROLE),
        call(r#"{"index":0,"id":"c","type":"function","function":{"name":"get_","arguments":""}}"#),
        call(r#"{"index":0,"function":{"name":"it"}}"#),
        call(r#"{"index":0,"function":{"arguments":"{}"}}"#),
        call(r#"{"index":0,"function":{"arguments":"{\"a\":1}"}}"#),
        finish("tool_calls"),
    ];
    let mut payloads: Vec<&str> = pieces.iter().map(String::as_str).collect();
    payloads.push(DONE);
    let out = cleaned(&payloads);
    assert_eq!(
        out,
        [
            delta(ROLE),
            call(
                r#"{"index":0,"id":"c","type":"function","function":{"name":"get_it","arguments":""}}"#
            ),
            call(r#"{"index":0,"function":{"arguments":"{\"a\":1}"}}"#),
            finish("tool_calls"),
            DONE.to_owned(),
        ]
    );
}

#[test]
fn a_legacy_call_and_custom_calls_come_out_as_calls() {
    let legacy = delta(r#""function_call":{"name":"f","arguments":"{\"a\":1}"}"#);
    let custom = delta(
        r#""tool_calls":[{"index":0,"id":"c","type":"custom","custom":{"name":"p","input":"free"}}]"#,
    );
    let out = cleaned(&[&delta(ROLE), &legacy, &finish("function_call"), DONE]);
    assert!(out[1].contains(r#""tool_calls":[{"index":0,"id":"call_"#), "{}", out[1]);
    assert_eq!(out[2], finish("tool_calls"));
    passes(&[&delta(ROLE), &custom, &finish("tool_calls"), DONE]);
}

#[test]
fn reasoning_keeps_the_name_the_source_has_for_it() {
    let named = delta(r#""reasoning":"r""#);
    let odd = r#"{"choices":[{"delta":{"reasoning":"s","reasoning_details":[{"data":"q"}]}}]}"#;
    let expected = delta(r#""reasoning":"s","reasoning_details":[{"data":"q"}]"#);
    let end = finish("stop");
    let (out, losses) = cleaned_with(&Options::default(), &[&delta(ROLE), &named, odd, &end, DONE]);
    assert_eq!(out, [&delta(ROLE), &named, &expected, &end, DONE]);
    assert_eq!(losses, [""; 0]);
}

#[test]
fn members_nobody_knows_pass_even_alone() {
    let audio = delta(r#""audio":{"data":"AA=="}"#);
    let odd = r#"{"choices":[{"index":0,"content_filter_results":{"a":1}}]}"#;
    let expected = chunk(r#""delta":{},"finish_reason":null,"content_filter_results":{"a":1}"#);
    let end = finish("stop");
    let (out, losses) = cleaned_with(&Options::default(), &[&delta(ROLE), &audio, odd, &end, DONE]);
    assert_eq!(out, [&delta(ROLE), &audio, &expected, &end, DONE]);
    assert_eq!(losses, [""; 0]);
}

#[test]
fn members_of_a_last_delta_go_before_the_reason() {
    let last = chunk(r#""delta":{"meta":{"a":1}},"finish_reason":"stop""#);
    assert_eq!(
        cleaned(&[&delta(ROLE), &last, DONE]),
        [&delta(ROLE), &delta(r#""meta":{"a":1}"#), &finish("stop"), DONE]
    );
}

#[test]
fn chunks_that_say_nothing_are_dropped() {
    let filters = r#"{"id":"","choices":[],"prompt_filter_results":[1],"created":0}"#;
    let empty = delta(r#""content":"""#);
    let (out, losses) = cleaned_with(
        &Options::default(),
        &[filters, &delta(ROLE), &empty, filters, &finish("stop"), DONE],
    );
    assert_eq!(out, [&delta(ROLE), &finish("stop"), DONE]);
    assert_eq!(losses, ["delta.member_dropped"]);
}

#[test]
fn annotations_of_any_kind_go_out_once_before_the_reason() {
    let note = |notes: &str| delta(&format!(r#""annotations":[{notes}]"#));
    let text = delta(r#""content":"a""#);
    let end = finish("stop");
    let one = note(r#"{"type":"odd"}"#);
    assert_eq!(
        cleaned(&[&delta(ROLE), &one, &text, &end, DONE]),
        [&delta(ROLE), &text, &one, &end, DONE]
    );
    assert_eq!(
        cleaned(&[&delta(ROLE), &one, &text, &one, &end, DONE]),
        [&delta(ROLE), &text, &note(r#"{"type":"odd"},{"type":"odd"}"#), &end, DONE]
    );
}

#[test]
fn an_error_keeps_what_it_says() {
    let error =
        r#"{"error":{"message":"m","type":"t","param":null,"code":"c","metadata":{"x":1}}}"#;
    let odd = r#"{"error":{"message":"m","code":500,"metadata":{"x":1}},"provider":"p"}"#;
    assert_eq!(cleaned(&[&delta(ROLE), error]), [&delta(ROLE), error]);
    assert_eq!(
        cleaned(&[&delta(ROLE), odd])[1],
        r#"{"error":{"message":"m","type":"upstream_error","param":null,"code":"500","metadata":{"x":1}},"provider":"p"}"#
    );
}

#[test]
fn what_waits_goes_out_before_the_error_of_a_cut() {
    let opening = delta(
        r#""role":"assistant","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]"#,
    );
    let out = cleaned(&[&opening]);
    assert_eq!(out[0], delta(ROLE));
    assert!(out[1].contains("stream_truncated"));
}

#[test]
fn line_separators_are_escaped_in_copies() {
    let raw = delta("\"content\":\"a\u{2028}\"");
    let expected = delta(r#""content":"a\u2028""#);
    let end = finish("stop");
    assert_eq!(
        cleaned(&[&delta(ROLE), &raw, &raw, &end, DONE]),
        [&delta(ROLE), &expected, &expected, &end, DONE]
    );
}

#[test]
fn many_odd_chunks_are_bounded() {
    let nameless = delta(r#""tool_calls":[{"index":1,"function":{"arguments":"x"},"z":1}]"#);
    let mut payloads = vec![nameless.as_str(); 1_000];
    let end = finish("stop");
    payloads.extend([&end, DONE]);
    let (out, losses) = cleaned_with(&Options::default(), &payloads);
    assert_eq!(out.last().map(String::as_str), Some(DONE));
    assert_eq!(losses, ["delta.member_dropped", "tool_call.nameless"]);
}

#[test]
fn choices_without_a_place_stay_dropped_when_their_chunks_are_usual() {
    let other = delta(r#""content":"a""#).replace("\"index\":0", "\"index\":1");
    let input = format!("data: {}\n\n{}", delta(ROLE), format!("data: {other}\n\n").repeat(3));
    let mut translator =
        Translator::new(Format::OpenaiChat, Format::OpenaiResponses, &Options::default());
    let mut out = Vec::new();
    translator.feed(input.as_bytes(), &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("event: response.created\n"), "{out}");
    assert!(!out.contains("output_text.delta"), "{out}");
    let losses = translator.losses().stored().iter().map(|loss| loss.code.as_str());
    assert_eq!(losses.collect::<Vec<_>>(), ["choices.dropped"]);
}

#[test]
fn the_body_of_the_answer_says_what_the_stream_says() {
    let custom = delta(
        r#""annotations":[{"type":"odd"}],"content":"a","tool_calls":[{"index":0,"id":"c","type":"custom","custom":{"name":"p","input":"free"}}]"#,
    );
    let mut translator = translator(&Options { collect: true, ..Options::default() });
    let mut out = Vec::new();
    let input = format!("data: {custom}\n\ndata: {}\n\n", finish("tool_calls"));
    translator.feed(input.as_bytes(), &mut out).unwrap();
    translator.finish(&mut out);
    let body = String::from_utf8(translator.response(None).unwrap()).unwrap();
    assert!(body.contains(r#""custom":{"name":"p","input":"free"}"#), "{body}");
    assert!(body.contains(r#""annotations":[{"type":"odd"}]"#), "{body}");
}

fn verbatim() -> Translator {
    translator(&Options { same_format: SameFormat::Verbatim, ..Options::default() })
}

#[test]
fn verbatim_passes_every_byte_and_observes() {
    let input = format!(
        "data:{}\r\n\r\n: x\n\ndata: {}\n\ndata: [DONE]\n\njunk",
        delta(ROLE),
        finish("length")
    );
    let mut translator = verbatim();
    let mut out = Vec::new();
    for piece in input.as_bytes().chunks(7) {
        translator.feed(piece, &mut out).unwrap();
    }
    assert_eq!(translator.finish(&mut out), None);
    assert_eq!(out, input.as_bytes());
    assert_eq!(translator.outcome(), Some(Outcome::Incomplete));
}

#[test]
fn verbatim_tells_of_faults_at_the_end_only() {
    for (bad, code, outcome) in [
        ("data: {\"id\"]\n\ndata: more\n\n", "invalid_json", Outcome::Failed),
        ("data: {\"id\":\"r\"}\n", "stream_truncated", Outcome::Truncated),
    ] {
        let mut translator = verbatim();
        let mut out = Vec::new();
        translator.feed(bad.as_bytes(), &mut out).unwrap();
        translator.feed(b"", &mut out).unwrap();
        assert_eq!(out, bad.as_bytes());
        assert!(translator.finish(&mut out).is_some());
        let error = String::from_utf8(out.split_off(bad.len())).unwrap();
        let expected_start =
            if bad.ends_with("\n\n") { "data: {\"error\":" } else { "\n\ndata: {\"error\":" };
        assert!(error.starts_with(expected_start) && error.contains(code), "{error}");
        assert_eq!(translator.outcome(), Some(outcome));
    }
}
