//! Error objects (`docs/formats/openai_responses.md`, "Fault fields").

use std::borrow::Cow;

use crate::json::{Kind, Raw, push_raw_compact};
use crate::stream::delta::FaultInfo;
use crate::stream::encode::Encode;
use crate::stream::turn::{Outcome, Referee};

/// Longest text that stands in for a missing message.
const MAX_MESSAGE_BYTES: usize = 2_048;

#[derive(Default)]
struct ErrorObject<'a> {
    message: Option<Cow<'a, str>>,
    kind: Option<Cow<'a, str>>,
    code: Option<Cow<'a, str>>,
    param: Option<Cow<'a, str>>,
}

/// A string, or a number's spelling, that is not empty.
fn text_of(value: Raw<'_>, numbers: bool) -> Option<Cow<'_, str>> {
    match value.kind() {
        Kind::String => {
            Some(value.cursor().string().ok()?.decode()).filter(|text| !text.is_empty())
        }
        Kind::Number if numbers => Some(value.as_str().into()),
        _ => None,
    }
}

fn read(object: Raw<'_>) -> ErrorObject<'_> {
    let mut found = ErrorObject::default();
    let mut cursor = object.cursor();
    // The object was checked when it was read: no step can fail. The last of equal names counts.
    if cursor.object().is_ok() {
        while let Ok(Some(key)) = cursor.next_key() {
            let Ok(value) = cursor.skip_value() else { break };
            match &*key.decode() {
                "message" => found.message = text_of(value, false),
                "type" => found.kind = text_of(value, false),
                "code" => found.code = text_of(value, true),
                "param" => found.param = text_of(value, false),
                _ => {}
            }
        }
    }
    found
}

/// The object's text, for a person, where it has no message.
fn compact(object: Raw<'_>) -> String {
    let mut text = Vec::new();
    push_raw_compact(&mut text, object);
    let mut text = String::from_utf8(text).unwrap_or_default();
    let longest = (0..=MAX_MESSAGE_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.truncate(longest.min(text.len()));
    text
}

/// Ends the answer with the error that `object` describes. `type_is_kind` tells whether its `type` is the
/// kind of error; that of an event is the word `error`.
pub(super) fn push_fault<E: Encode>(
    object: Raw<'_>,
    type_is_kind: bool,
    referee: &mut Referee<'_, E>,
) {
    let found = read(object);
    let message = found.message.unwrap_or_else(|| compact(object).into());
    let fault = FaultInfo {
        message: &message,
        kind: found.kind.as_deref().filter(|_| type_is_kind),
        code: found.code.as_deref(),
        param: found.param.as_deref(),
    };
    referee.fault(&fault, Outcome::Failed);
}

/// Ends the answer as failed; `error` is the response's own error object, if it has one.
pub(super) fn push_failed<E: Encode>(error: Option<Raw<'_>>, referee: &mut Referee<'_, E>) {
    if let Some(error) = error.filter(|error| read(*error).message.is_some()) {
        return push_fault(error, true, referee);
    }
    let found = error.map(read).unwrap_or_default();
    let fault = FaultInfo {
        message: "the response failed",
        kind: found.kind.as_deref(),
        code: found.code.as_deref(),
        param: found.param.as_deref(),
    };
    referee.fault(&fault, Outcome::Failed);
}

/// Ends the answer as cancelled.
pub(super) fn push_cancelled<E: Encode>(referee: &mut Referee<'_, E>) {
    let fault = FaultInfo {
        message: "the response was cancelled",
        code: Some("cancelled"),
        ..FaultInfo::default()
    };
    referee.fault(&fault, Outcome::Failed);
}
