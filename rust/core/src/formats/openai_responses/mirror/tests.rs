use crate::error::Code;
use crate::formats::Format;
use crate::stream::options::Options;
use crate::stream::translate::{Failure, FeedError, Translator};

/// What a stream of the format fails with if so many bytes of the answer may be kept.
fn failure_of(events: &[&str], max_answer_bytes: usize) -> Option<Code> {
    let mut options = Options::default();
    options.limits.max_answer_bytes = max_answer_bytes;
    let format = Format::OpenaiResponses;
    let mut translator = Translator::new(format, format, &options);
    let mut out = Vec::new();
    for event in events {
        match translator.feed(format!("data: {event}\n\n").as_bytes(), &mut out) {
            Err(FeedError::Failure(Failure::Decode(error))) => return Some(error.code),
            other => other.unwrap(),
        }
    }
    None
}

#[test]
fn what_is_shown_counts_as_long_as_it_is_kept() {
    let filler = "x".repeat(600);
    let item = |kind: &str, id: &str| {
        format!(
            r#"{{"type":"response.output_item.{kind}","item":{{"type":"mcp_call","id":"{id}","z":"{filler}"}}}}"#
        )
    };
    let head = format!(r#"{{"type":"response.created","response":{{"z":"{filler}"}}}}"#);
    let part = format!(
        r#"{{"type":"response.content_part.added","item_id":"m","part":{{"type":"output_text","z":"{filler}"}}}}"#
    );
    let early = format!(r#"{{"type":"vendor.event","z":"{filler}"}}"#);
    let (added, done, other) = (item("added", "a"), item("done", "a"), item("added", "b"));
    assert_eq!(failure_of(&[&head, &head, &head], 1_000), None);
    assert_eq!(failure_of(&[&added, &added, &done], 1_000), None);
    let bare_head = r#"{"type":"response.created","response":{}}"#;
    assert_eq!(failure_of(&[&early, bare_head, &added], 1_000), None);
    for events in [[&added, &other], [&head, &added], [&head, &part], [&early, &early]] {
        let events = events.map(String::as_str);
        assert_eq!(failure_of(&events, 1_000), Some(Code::AnswerTooLarge), "{events:?}");
    }
}
