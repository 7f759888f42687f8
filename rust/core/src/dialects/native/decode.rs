//! Reading envelopes: what the text holds, and which rules it breaks.

use super::encode::{AssistantEnvelope, ToolEnvelope, push_assistant, push_tool};
use super::extra::has_repeated_key;
use super::{Accept, Order};
use crate::json::{Cursor, JsonError, Kind, Num, Raw, Scalar, Scalars, Tok};
use crate::transcript::call::{Call, CallsTraits, read_calls};

/// Why a text is not read as an envelope: the first rule that it breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not strict JSON, too deep, a lone surrogate, or a number beyond a double.
    NotJson,
    /// Not an object.
    NotObject,
    /// No list of calls, or an empty one.
    NoCalls,
    /// A call without one of its strings.
    CallShape,
    /// No id, or not a string.
    NoCallId,
    /// Content of another type.
    ContentShape,
    /// A member that reading would lose.
    UnknownMembers,
    /// A repeated member, of which reading would lose all but one.
    DuplicateMembers,
    /// Reasoning of another type.
    ReasoningShape,
    /// Not what the encoder writes.
    NotExact,
    /// Null text, reasoning, or a number in another spelling than the shortest.
    NotCanonical,
}

impl Refusal {
    /// The stable spelling.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotJson => "not_json",
            Self::NotObject => "not_object",
            Self::NoCalls => "no_calls",
            Self::CallShape => "call_shape",
            Self::NoCallId => "no_call_id",
            Self::ContentShape => "content_shape",
            Self::UnknownMembers => "unknown_members",
            Self::DuplicateMembers => "duplicate_members",
            Self::ReasoningShape => "reasoning_shape",
            Self::NotExact => "not_exact",
            Self::NotCanonical => "not_canonical",
        }
    }

    /// Whether the text does not even look like an envelope.
    #[must_use]
    pub const fn is_plain_text(self) -> bool {
        matches!(self, Self::NotJson | Self::NotObject | Self::NoCalls | Self::NoCallId)
    }
}

/// An envelope stands in a row: one bracket less than other texts may have.
const ROW_DEPTH: usize = 1;

/// A member of an envelope that may have any type.
#[derive(Clone, Copy, Debug, Default)]
enum Value<'a> {
    /// Absent or null.
    #[default]
    Null,
    Text(Tok<'a>),
    Other(Raw<'a>),
}

impl<'a> Value<'a> {
    const fn text(self) -> Option<Tok<'a>> {
        match self {
            Self::Text(token) => Some(token),
            _ => None,
        }
    }
}

/// What was seen anywhere in the text.
#[derive(Debug, Default)]
struct Traits {
    /// A lone surrogate, or a number beyond a double.
    unclean: bool,
    unknown: bool,
    repeated: bool,
}

impl Traits {
    /// Looks into a value that is not read any further.
    fn look_into(&mut self, value: Raw<'_>) {
        self.unclean |= Scalars::of(value).any(|scalar| match scalar {
            Scalar::Text(token) => token.has_lone_surrogate(),
            Scalar::Number(number) => overflows(number),
        });
    }
}

/// An assistant envelope as it was read.
#[derive(Debug)]
pub(super) struct LiftedCalls<'a> {
    pub(super) content: Option<Tok<'a>>,
    pub(super) calls: Vec<Call<'a>>,
    pub(super) reasoning_content: Option<Tok<'a>>,
}

impl<'a> LiftedCalls<'a> {
    fn as_envelope(&self) -> AssistantEnvelope<'_, 'a> {
        AssistantEnvelope {
            content: self.content,
            calls: &self.calls,
            reasoning_content: self.reasoning_content,
        }
    }
}

/// Reads an assistant envelope.
pub(super) fn lift_calls(
    text: &str,
    accept: Accept,
    order: Order,
) -> Result<LiftedCalls<'_>, Refusal> {
    let mut traits = Traits::default();
    let (mut content, mut reasoning) = (Value::Null, Value::Null);
    let mut calls = Vec::new();
    let mut calls_traits = CallsTraits::default();
    let is_object = read_envelope(text, &mut traits, |cursor, key, traits| {
        match key {
            b"content" => content = read_value(cursor, traits)?,
            b"reasoning_content" => reasoning = read_value(cursor, traits)?,
            b"tool_calls" => {
                calls.clear();
                calls_traits = CallsTraits::default();
                if cursor.peek_kind()? == Kind::Array {
                    calls_traits = read_calls(cursor, &mut calls, |value| traits.look_into(value))?;
                    traits.unclean |= calls_traits.lone_surrogate;
                } else {
                    read_value(cursor, traits)?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    });
    let Ok(is_object) = is_object else {
        return Err(Refusal::NotJson);
    };
    let refusal = if traits.unclean {
        Refusal::NotJson
    } else if !is_object {
        Refusal::NotObject
    } else if calls_traits.misshapen {
        Refusal::CallShape
    } else if calls.is_empty() {
        Refusal::NoCalls
    } else if matches!(content, Value::Other(_)) {
        Refusal::ContentShape
    } else {
        let lifted =
            LiftedCalls { content: content.text(), calls, reasoning_content: reasoning.text() };
        if accept == Accept::Lenient {
            return Ok(lifted);
        }
        let extras = || lifted.calls.iter().filter_map(|call| call.extra);
        let reasoning_repeats = matches!(reasoning, Value::Other(value) if has_repeated_key(value));
        if traits.unknown || calls_traits.unknown {
            Refusal::UnknownMembers
        } else if traits.repeated
            || calls_traits.repeated
            || reasoning_repeats
            || extras().any(has_repeated_key)
        {
            Refusal::DuplicateMembers
        } else if matches!(reasoning, Value::Other(_)) {
            Refusal::ReasoningShape
        } else if accept >= Accept::Exact
            && !is_exact(text, |out| {
                push_assistant::<false>(out, &lifted.as_envelope(), order).is_ok()
            })
        {
            Refusal::NotExact
        } else if accept == Accept::Canonical
            && (lifted.content.is_none()
                || lifted.reasoning_content.is_some()
                || extras().any(has_odd_number))
        {
            Refusal::NotCanonical
        } else {
            return Ok(lifted);
        }
    };
    Err(refusal)
}

/// Reads a tool envelope.
pub(super) fn lift_result(
    text: &str,
    accept: Accept,
    order: Order,
) -> Result<ToolEnvelope<'_>, Refusal> {
    let mut traits = Traits::default();
    let (mut id, mut content) = (Value::Null, Value::Null);
    let is_object = read_envelope(text, &mut traits, |cursor, key, traits| {
        match key {
            b"tool_call_id" => id = read_value(cursor, traits)?,
            b"content" => content = read_value(cursor, traits)?,
            _ => return Ok(false),
        }
        Ok(true)
    });
    let refusal = match (is_object, id.text(), content.text()) {
        (Err(_), ..) => Refusal::NotJson,
        (Ok(_), ..) if traits.unclean => Refusal::NotJson,
        (Ok(false), ..) => Refusal::NotObject,
        (_, None, _) => Refusal::NoCallId,
        (_, _, None) => Refusal::ContentShape,
        (_, Some(tool_call_id), Some(content)) => {
            let lifted = ToolEnvelope { tool_call_id, content };
            if accept == Accept::Lenient {
                return Ok(lifted);
            } else if traits.unknown {
                Refusal::UnknownMembers
            } else if traits.repeated {
                Refusal::DuplicateMembers
            } else if accept >= Accept::Exact
                && !is_exact(text, |out| push_tool::<false>(out, lifted, order).is_ok())
            {
                Refusal::NotExact
            } else {
                return Ok(lifted);
            }
        }
    };
    Err(refusal)
}

/// Reads a text that should be one object; `known` reads the value of a key that it knows, and
/// returns `false` without reading for any other. `false` if the text is another value.
fn read_envelope<'a>(
    text: &'a str,
    traits: &mut Traits,
    mut known: impl FnMut(&mut Cursor<'a>, &[u8], &mut Traits) -> Result<bool, JsonError>,
) -> Result<bool, JsonError> {
    let mut cursor = Cursor::nested(text, ROW_DEPTH);
    if cursor.peek_kind()? != Kind::Object {
        let value = cursor.skip_value()?;
        cursor.end()?;
        traits.look_into(value);
        return Ok(false);
    }
    let mut seen: [bool; 4] = [false; 4];
    cursor.object()?;
    while let Some(key) = cursor.next_key()? {
        let name = key.plain_bytes();
        if known(&mut cursor, &name, traits)? {
            // No two known names are of the same length: 7, 10, 12 and 17.
            let slot = [7, 10, 12].iter().position(|&length| length == name.len()).unwrap_or(3);
            traits.repeated |= core::mem::replace(&mut seen[slot], true);
        } else {
            traits.unknown = true;
            traits.unclean |= key.has_lone_surrogate();
            let value = cursor.skip_value()?;
            traits.look_into(value);
        }
    }
    cursor.end()?;
    Ok(true)
}

fn read_value<'a>(cursor: &mut Cursor<'a>, traits: &mut Traits) -> Result<Value<'a>, JsonError> {
    match cursor.peek_kind()? {
        Kind::String => {
            let token = cursor.string()?;
            traits.unclean |= token.has_lone_surrogate();
            Ok(Value::Text(token))
        }
        Kind::Null => cursor.skip_value().map(|_| Value::Null),
        _ => {
            let value = cursor.skip_value()?;
            traits.look_into(value);
            Ok(Value::Other(value))
        }
    }
}

/// Whether a text is an object by the rule of JSON text that envelopes have.
pub(crate) fn is_json_object(text: &str) -> bool {
    let mut traits = Traits::default();
    let is_object = read_envelope(text, &mut traits, |_, _, _| Ok(false));
    is_object == Ok(true) && !traits.unclean
}

/// Whether a number is too large for a double.
fn overflows(number: Num<'_>) -> bool {
    let spelling = number.as_str();
    // The largest double has 309 digits before its point.
    (spelling.len() >= 309 || spelling.contains(['e', 'E']))
        && spelling.parse().is_ok_and(f64::is_infinite)
}

/// Whether the text is what `write` writes.
fn is_exact(text: &str, write: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
    let mut again = Vec::with_capacity(text.len());
    write(&mut again) && again == text.as_bytes()
}

/// Whether a number inside the value is not in its one canonical spelling.
fn has_odd_number(value: Raw<'_>) -> bool {
    Scalars::of(value)
        .any(|scalar| matches!(scalar, Scalar::Number(number) if !is_canonical(number.as_str())))
}

fn is_canonical(number: &str) -> bool {
    if number.contains('.') && !number.contains(['e', 'E']) {
        return number.parse::<f64>().is_ok_and(|double| format!("{double:?}") == number);
    }
    number != "-0" && (number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_numbers_have_one_spelling() {
        for number in
            ["0", "-1", "18446744073709551615", "-9223372036854775808", "0.5", "-0.0", "1.0"]
        {
            assert!(is_canonical(number), "{number}");
        }
        for number in
            ["-0", "18446744073709551616", "-9223372036854775809", "1e2", "1E2", "0.50", "1.5e0"]
        {
            assert!(!is_canonical(number), "{number}");
        }
    }

    #[test]
    fn numbers_overflow_by_value_not_by_length() {
        let overflow = |spelling: &str| overflows(Cursor::of_str(spelling).number().unwrap());
        assert!(overflow("1e309") && overflow("-1E999") && overflow(&"9".repeat(310)));
        assert!(
            !overflow("1e308")
                && !overflow("1e-999")
                && !overflow(&format!("0.{}", "9".repeat(400)))
        );
    }
}
