//! Error objects, which most formats spell alike: `message`, `type`, `code`, `param`.

use std::borrow::Cow;

use crate::json::{Kind, Raw, Tok, push_raw_compact};
use crate::stream::delta::FaultInfo;
use crate::stream::encode::Encode;
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::{Outcome, Referee};

/// Longest text that stands in for a missing message.
const MAX_MESSAGE_BYTES: usize = 2_048;

/// What an error object says; empty strings are absent.
#[derive(Default)]
pub(crate) struct ErrorObject<'a> {
    pub(crate) message: Option<Cow<'a, str>>,
    pub(crate) kind: Option<Cow<'a, str>>,
    pub(crate) code: Option<Cow<'a, str>>,
    pub(crate) param: Option<Cow<'a, str>>,
    /// Half a surrogate pair in one of them became U+FFFD.
    has_lone_surrogate: bool,
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

/// Reads an error object that was checked when its event was read.
pub(crate) fn read_error(object: Raw<'_>) -> ErrorObject<'_> {
    let mut found = ErrorObject::default();
    let mut cursor = object.cursor();
    // The object was checked when it was read: no step can fail. The last of equal names counts.
    if cursor.object().is_ok() {
        while let Ok(Some(key)) = cursor.next_key() {
            let Ok(value) = cursor.skip_value() else { break };
            let is_word = matches!(&*key.decode(), "message" | "type" | "code" | "param");
            found.has_lone_surrogate |= is_word
                && value.kind() == Kind::String
                && value.cursor().string().is_ok_and(Tok::has_lone_surrogate);
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
pub(crate) fn push_fault<E: Encode>(
    object: Raw<'_>,
    type_is_kind: bool,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let found = read_error(object);
    let message = found.message.clone().unwrap_or_else(|| compact(object).into());
    let fault = FaultInfo {
        message: &message,
        kind: found.kind.as_deref().filter(|_| type_is_kind),
        code: found.code.as_deref(),
        param: found.param.as_deref(),
    };
    if found.has_lone_surrogate {
        referee.losses.report(LossCode::UnicodeReplaced, place, "")?;
    }
    referee.fault(&fault, Outcome::Failed);
    Ok(())
}
