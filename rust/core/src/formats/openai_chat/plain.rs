//! Chunks that bring one piece of text and nothing else: nearly all chunks of a stream do.

use super::delta;
use crate::json::{Kind, Raw, Tok};
use crate::stream::decode::{elements, members, says_nothing};
use crate::stream::delta::PartKey;

/// Members of a chunk that are not read and differ from chunk to chunk.
pub(super) const NOISE: [&str; 1] = ["obfuscation"];

/// What all chunks of one shape say.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainWords {
    pub(super) choice: u32,
    pub(super) part: PartKey,
    /// The member of the delta that has the text.
    pub(super) name: &'static str,
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
    let (part, name, text) = found?;
    Some((PlainWords { choice: index, part, name }, text))
}

fn delta_text(delta: Raw<'_>, passes_unknown: bool) -> Option<(PartKey, &'static str, Tok<'_>)> {
    let mut found = None;
    for (key, value) in members(delta) {
        let name = &*key.decode();
        if matches!(name, "role" | "obfuscation") || says_nothing(value) {
            continue;
        }
        match delta::part_of(name) {
            Some((part, name)) => {
                let text = delta::text_of(value).filter(|_| found.is_none())?;
                found = Some((part, name, text));
            }
            None if passes_unknown && !delta::is_read(name) => {}
            None => return None,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(chunk: &str, passes_unknown: bool) -> Option<(u32, &'static str, String)> {
        let (words, text) = plain_text(Raw::parse(chunk.as_bytes()).unwrap(), passes_unknown)?;
        Some((words.choice, words.name, text.decode().into_owned()))
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
            assert_eq!(found(chunk, false), Some((expected.0, expected.1, "a".to_owned())));
        }
    }

    #[test]
    fn whatever_else_is_read_is_not() {
        for (members, beside, around) in [
            (r#""content":"a","reasoning":"b""#, "", ""),
            (r#""content":["a"]"#, "", ""),
            (r#""content":"a","tool_calls":[{}]"#, "", ""),
            (r#""content":"a","reasoning_details":[{}]"#, "", ""),
            (r#""content":"a","audio":1"#, "", ""),
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
            assert_eq!(found(chunk, true), Some((0, "content", "a".to_owned())));
        }
    }
}
