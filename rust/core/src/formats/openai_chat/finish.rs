//! Finish reasons, those of servers that speak other providers' words included.

use crate::stream::delta::Reason;

/// What a finish reason means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A word of the format.
    Known(Reason),
    /// A foreign word, and what comes nearest.
    Foreign(Reason),
    /// The answer failed.
    Failed,
}

/// Gemini's words for answers that a filter stopped.
const FILTERED: [&str; 10] = [
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "LANGUAGE",
    "MODEL_ARMOR",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
];

/// Words for answers that are broken.
const BROKEN: [&str; 6] = [
    "ERROR",
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MISSING_THOUGHT_SIGNATURE",
    "MALFORMED_RESPONSE",
];

/// The meaning of a word that is not empty.
pub(super) fn meaning_of(word: &str) -> Meaning {
    match word {
        "stop" => return Meaning::Known(Reason::Stop),
        "length" => return Meaning::Known(Reason::Length),
        "tool_calls" | "function_call" => return Meaning::Known(Reason::ToolCalls),
        "content_filter" => return Meaning::Known(Reason::ContentFilter),
        _ => {}
    }
    let is = |known: &&str| known.eq_ignore_ascii_case(word);
    if BROKEN.iter().any(is) {
        Meaning::Failed
    } else if FILTERED.iter().any(is) {
        Meaning::Foreign(Reason::ContentFilter)
    } else if word.eq_ignore_ascii_case("MAX_TOKENS") {
        Meaning::Foreign(Reason::Length)
    } else {
        Meaning::Foreign(Reason::Stop)
    }
}
