//! Error objects, which most formats spell alike: `message`, `type`, `code`, `param`.

use std::borrow::Cow;

use crate::json::{Kind, Raw, Tok, push_raw_passed, push_string};
use crate::stream::decode::Object;
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

/// Reads an error object.
///
/// # Errors
/// One of its words stands twice.
pub(crate) fn read_error<'a>(object: Raw<'a>, place: &Place<'_>) -> Result<ErrorObject<'a>, Stop> {
    const NAMES: [&str; 4] = ["message", "type", "code", "param"];
    let object = Object::read(object, &NAMES, *place, |_, _| {})?;
    let [message, kind, code, param] =
        [object.raw(0)?, object.raw(1)?, object.raw(2)?, object.raw(3)?];
    let is_halved = |word: &Option<Raw<'_>>| {
        word.is_some_and(|word| word.cursor().string().is_ok_and(Tok::has_lone_surrogate))
    };
    Ok(ErrorObject {
        has_lone_surrogate: [message, kind, code, param].iter().any(is_halved),
        message: message.and_then(|message| text_of(message, false)),
        kind: kind.and_then(|kind| text_of(kind, false)),
        code: code.and_then(|code| text_of(code, true)),
        param: param.and_then(|param| text_of(param, false)),
    })
}

/// The object's text, for a person, where it has no message.
fn compact(object: Raw<'_>) -> String {
    let mut text = Vec::new();
    push_raw_passed(&mut text, object);
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
    let found = read_error(object, place)?;
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

/// Appends an error as both formats have it, in an object of its own; `kind` is that of an error without one.
pub(crate) fn push_error_object(out: &mut Vec<u8>, fault: &FaultInfo<'_>, kind: &str) {
    out.extend_from_slice(b"{\"error\":{\"message\":");
    push_string(out, fault.message);
    out.extend_from_slice(b",\"type\":");
    push_string(out, fault.kind.unwrap_or(kind));
    for (name, value) in [("param", fault.param), ("code", fault.code)] {
        out.extend_from_slice(format!(",\"{name}\":").as_bytes());
        match value {
            Some(text) => push_string(out, text),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.extend_from_slice(b"}}");
}
