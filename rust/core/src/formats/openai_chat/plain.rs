//! Chunks that bring one piece of text and nothing else: nearly all chunks of a stream do.

use super::decode::is_read_or_ignored;
use super::delta;
use crate::json::{Kind, Raw, Tok};
use crate::stream::decode::{elements, members, says_nothing};
use crate::stream::delta::{PartKey, PartKind, WireKey};
use crate::stream::encode::Encode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::Referee;

/// What all chunks of one shape say.
#[derive(Clone, Copy, Debug)]
pub struct PlainWords {
    pub(super) choice: u32,
    part: PartKey,
    field: TextField,
}

/// Where the text stands.
#[derive(Clone, Copy, Debug)]
enum TextField {
    /// In this member of the delta.
    Delta(&'static str),
    /// In a call of this index.
    Call(u64),
}

impl PlainWords {
    /// Passes text on that stands in a delta at that place.
    #[inline]
    pub(super) fn push<E: Encode>(
        &self,
        text: Tok<'_>,
        delta: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        match self.field {
            TextField::Delta(name) => {
                let key = delta::key(self.choice);
                referee.append(key, self.part, text, None, &delta.member(name))
            }
            TextField::Call(index) => {
                let key = WireKey { choice: self.choice, index: Some(index), id: None };
                let call = delta.element("tool_calls", 0);
                let (body, name) = if self.part.kind == PartKind::Input {
                    ("custom", "input")
                } else {
                    ("function", "arguments")
                };
                let place = call.member(body).member(name);
                referee.append_arguments(key, self.part, text, &place, &call)
            }
        }
    }
}

/// The text of a chunk that was read without a fault, if it says nothing else. Unknown members count unless they
/// are passed on.
pub(super) fn plain_text(chunk: Raw<'_>, passes_unknown: bool) -> Option<(PlainWords, Tok<'_>)> {
    let mut found = None;
    for (key, value) in members(chunk) {
        match &*key.decode() {
            "choices" => {
                let mut choices = elements(value);
                let choice = choices.next().filter(|_| found.is_none())?;
                found = Some(choice_text(choice, passes_unknown)?);
                if choices.next().is_some() {
                    return None;
                }
            }
            "usage" | "error" | "data" if value.kind() != Kind::Null => return None,
            name if !passes_unknown && !is_read_or_ignored(name) && !says_nothing(value) => {
                return None;
            }
            _ => {}
        }
    }
    found
}

fn choice_text(choice: Raw<'_>, passes_unknown: bool) -> Option<(PlainWords, Tok<'_>)> {
    let mut index = 0;
    let mut found = None;
    for (key, value) in members(choice) {
        match &*key.decode() {
            "index" if value.kind() != Kind::Null => index = value.as_str().parse().ok()?,
            "delta" => found = Some(delta_text(value, passes_unknown)?),
            "index" | "message" | "obfuscation" => {}
            "finish_reason" | "logprobs" | "error" if !says_nothing(value) => return None,
            _ if !passes_unknown && !says_nothing(value) => return None,
            _ => {}
        }
    }
    let (part, field, text) = found?;
    Some((PlainWords { choice: index, part, field }, text))
}

type PlainText<'j> = (PartKey, TextField, Tok<'j>);

fn delta_text(delta: Raw<'_>, passes_unknown: bool) -> Option<PlainText<'_>> {
    let mut found = None;
    for (key, value) in members(delta) {
        let name = &*key.decode();
        if matches!(name, "role" | "obfuscation") || says_nothing(value) {
            continue;
        }
        let text = match delta::part_of(name) {
            Some((part, name)) => (part, TextField::Delta(name), delta::text_of(value)?),
            None if name == "tool_calls" => call_text(value, passes_unknown)?,
            None if passes_unknown && !delta::is_read(name) => continue,
            None => return None,
        };
        if found.replace(text).is_some() {
            return None;
        }
    }
    found
}

/// The text of an only call that is known by its index alone and says nothing else.
fn call_text(calls: Raw<'_>, passes_unknown: bool) -> Option<PlainText<'_>> {
    let mut calls = elements(calls);
    let call = calls.next().filter(|call| call.kind() == Kind::Object)?;
    if calls.next().is_some() {
        return None;
    }
    let (mut index, mut found, mut is_custom) = (None, None, false);
    for (key, value) in members(call) {
        match &*key.decode() {
            "index" => index = Some(value.cursor().number().ok()?.as_u64()?),
            "type" if value.bytes() == b"\"function\"" => {}
            "type" if value.bytes() == b"\"custom\"" => is_custom = true,
            "function" if found.is_none() => {
                found = Some((PartKind::Arguments, body_text(value, "arguments", passes_unknown)?));
            }
            "custom" if found.is_none() => {
                found = Some((PartKind::Input, body_text(value, "input", passes_unknown)?));
            }
            _ if says_nothing(value) => {}
            "id" | "type" | "function" | "custom" | "extra_content" => return None,
            _ if passes_unknown => {}
            _ => return None,
        }
    }
    let (kind, text) = found?;
    if is_custom && kind != PartKind::Input {
        return None;
    }
    Some((PartKey { kind, number: 0 }, TextField::Call(index?), text))
}

fn body_text<'j>(body: Raw<'j>, text_name: &str, passes_unknown: bool) -> Option<Tok<'j>> {
    if body.kind() != Kind::Object {
        return None;
    }
    let mut found = None;
    for (key, value) in members(body) {
        let name = &*key.decode();
        if name == text_name && found.is_none() {
            found = Some(delta::text_of(value).filter(|text| !text.is_empty())?);
        } else {
            let may_speak = passes_unknown && !matches!(name, "name" | "arguments" | "input");
            if !may_speak && !says_nothing(value) {
                return None;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(chunk: &str, passes_unknown: bool) -> Option<(u32, String, String)> {
        let (words, text) = plain_text(Raw::parse(chunk.as_bytes()).unwrap(), passes_unknown)?;
        let field = match words.field {
            TextField::Delta(name) => name.to_owned(),
            TextField::Call(index) => format!("{:?} of call {index}", words.part.kind),
        };
        Some((words.choice, field, text.decode().into_owned()))
    }

    #[test]
    fn one_text_and_nothing_else_is_plain() {
        for (chunk, expected) in [
            (r#"{"choices":[{"delta":{"content":"a"}}]}"#, (0, "content")),
            (
                r#"{"id":"r","usage":null,"choices":[{"index":2,"delta":{"role":"assistant","content":"","refusal":"a","tool_calls":[]},"finish_reason":null,"logprobs":null}],"obfuscation":"x"}"#,
                (2, "refusal"),
            ),
            (r#"{"choices":[{"delta":{"thinking":"a","content":null}}],"z":{}}"#, (0, "thinking")),
        ] {
            assert_eq!(
                found(chunk, false),
                Some((expected.0, expected.1.to_owned(), "a".to_owned()))
            );
        }
    }

    #[test]
    fn whatever_else_is_read_is_not() {
        for (members, beside, around) in [
            (r#""content":"a","reasoning":"b""#, "", ""),
            (r#""content":["a"]"#, "", ""),
            (r#""content":"a","tool_calls":[{}]"#, "", ""),
            (r#""content":"a","reasoning_details":[{}]"#, "", ""),
            (r#""content":"a""#, r#","finish_reason":"stop""#, ""),
            (r#""content":"a""#, r#","logprobs":{"content":[1]}"#, ""),
            (r#""content":"a""#, r#","error":"e""#, ""),
            (r#""content":"a""#, r#","index":-1"#, ""),
            (r#""content":"a""#, "},{", ""),
            (r#""content":"a""#, "", r#","usage":{"prompt_tokens":1}"#),
            (r#""content":"a""#, "", r#","error":{"message":"m"}"#),
            (r#""content":"""#, "", ""),
            (r#""role":"assistant""#, "", ""),
        ] {
            let chunk = format!(r#"{{"choices":[{{"delta":{{{members}}}{beside}}}]{around}}}"#);
            assert_eq!(found(&chunk, true), None, "{chunk}");
        }
    }

    #[test]
    fn unknown_members_are_plain_only_where_they_are_passed_on() {
        for chunk in [
            r#"{"choices":[{"delta":{"content":"a","z":1}}]}"#,
            r#"{"choices":[{"delta":{"content":"a"},"z":1}]}"#,
        ] {
            assert_eq!(found(chunk, false), None);
            assert_eq!(found(chunk, true), Some((0, "content".to_owned(), "a".to_owned())));
        }
    }

    fn call(element: &str) -> String {
        format!(r#"{{"choices":[{{"delta":{{"content":null,"tool_calls":[{element}]}}}}]}}"#)
    }

    #[test]
    fn text_of_an_only_call_is_plain() {
        for (element, field) in [
            (r#"{"index":3,"function":{"arguments":"a"}}"#, "Arguments of call 3"),
            (
                r#"{"index":0,"id":null,"type":"function","function":{"name":"","arguments":"a"}}"#,
                "Arguments of call 0",
            ),
            (r#"{"index":1,"type":"custom","custom":{"input":"a"}}"#, "Input of call 1"),
        ] {
            let expected = Some((0, field.to_owned(), "a".to_owned()));
            assert_eq!(found(&call(element), false), expected);
        }
    }

    #[test]
    fn a_call_that_says_anything_else_is_not() {
        for element in [
            r#"{"function":{"arguments":"a"}}"#,
            r#"{"index":-1,"function":{"arguments":"a"}}"#,
            r#"{"index":"0","function":{"arguments":"a"}}"#,
            r#"{"index":0,"id":"i","function":{"arguments":"a"}}"#,
            r#"{"index":0,"function":{"name":"n","arguments":"a"}}"#,
            r#"{"index":0,"function":{"arguments":{"a":1}}}"#,
            r#"{"index":0,"function":{"arguments":""}}"#,
            r#"{"index":0,"function":{"arguments":"a","input":"b"}}"#,
            r#"{"index":0,"type":"custom","function":{"arguments":"a"}}"#,
            r#"{"index":0,"type":"other","function":{"arguments":"a"}}"#,
            r#"{"index":0,"function":{"arguments":"a"},"custom":{"input":"a"}}"#,
            r#"{"index":0,"function":{"arguments":"a"},"extra_content":{"google":{"thought_signature":"s"}}}"#,
            r#"{"index":0,"function":{"arguments":"a"}},{"index":1,"function":{"arguments":"a"}}"#,
        ] {
            assert_eq!(found(&call(element), true), None, "{element}");
        }
        let unknown = r#"{"index":0,"function":{"arguments":"a","z":1},"z":1}"#;
        assert_eq!(found(&call(unknown), false), None);
        assert!(found(&call(unknown), true).is_some());
    }
}
