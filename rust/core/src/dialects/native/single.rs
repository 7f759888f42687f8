//! One envelope's text, and its value as JSON.

use super::decode::{Refusal, lift_calls, lift_result};
use super::encode::{AssistantEnvelope, ToolEnvelope, push_assistant, push_tool};
use super::pack::fault;
use super::unpack::{push_calls, spelt};
use super::{Accept, Order, Role};
use crate::error::Code;
use crate::json::{Cursor, Kind, Tok, push_respelt};
use crate::transcript::error::{Error, Place, syntax_first};
use crate::transcript::judge::{CALL, Expect, Rule, needed, optional};
use crate::transcript::object::{Object, slot};

const ASSISTANT_VALUE: &[Rule] = &[
    optional("text", Expect::Text),
    needed("tool_calls", Expect::List(CALL)),
    optional("reasoning_content", Expect::Text),
];

const TOOL_VALUE: &[Rule] =
    &[needed("tool_call_id", Expect::Text), needed("content", Expect::Text)];

/// Reads the object that a value must be, judges it by `rules` and gives it to `write`.
fn encode(
    json: &[u8],
    rules: &[Rule],
    write: impl FnOnce(&Object<'_>) -> Result<Vec<u8>, Error>,
) -> Result<Vec<u8>, Error> {
    syntax_first(json, || {
        let mut cursor = Cursor::new(json)?;
        if cursor.peek_kind()? != Kind::Object {
            return Err(Error::at(Code::InvalidType, cursor.at(), ""));
        }
        let mut object = Object::new(cursor.text());
        object.read::<true>(&mut cursor)?;
        cursor.end()?;
        object.judge_by(rules, Place { index: None, in_chat: false })?;
        write(&object)
    })
}

/// The envelope of `{"text", "tool_calls", "reasoning_content"}`, of which only `tool_calls` is
/// needed.
///
/// # Errors
/// As [`super::pack`].
pub fn encode_assistant(json: &[u8], order: Order) -> Result<Vec<u8>, Error> {
    encode(json, ASSISTANT_VALUE, |value| {
        let envelope = AssistantEnvelope {
            content: value.token(slot::TEXT),
            calls: value.calls(),
            reasoning_content: value.token(slot::REASONING_CONTENT),
        };
        let mut out = Vec::with_capacity(json.len());
        push_assistant::<false>(&mut out, &envelope, order)
            .map_err(|misfit| fault(&misfit, value.text(), String::new(), "text"))?;
        Ok(out)
    })
}

/// The envelope of `{"tool_call_id", "content"}`.
///
/// # Errors
/// As [`super::pack`].
pub fn encode_tool(json: &[u8], order: Order) -> Result<Vec<u8>, Error> {
    encode(json, TOOL_VALUE, |value| {
        let envelope = ToolEnvelope {
            tool_call_id: value.token(slot::TOOL_CALL_ID).unwrap_or(Tok::EMPTY),
            content: value.token(slot::CONTENT).unwrap_or(Tok::EMPTY),
        };
        let mut out = Vec::with_capacity(json.len());
        push_tool::<false>(&mut out, envelope, order)
            .map_err(|misfit| fault(&misfit, value.text(), String::new(), "content"))?;
        Ok(out)
    })
}

/// The value of an assistant envelope, as JSON: `{"text", "tool_calls", "reasoning_content"}`, all
/// three always.
///
/// # Errors
/// The first rule that the text breaks.
pub fn decode_assistant(text: &str, accept: Accept, order: Order) -> Result<Vec<u8>, Refusal> {
    let lifted = lift_calls(text, accept, order)?;
    let mut out = Vec::with_capacity(text.len());
    out.extend_from_slice(br#"{"text":"#);
    push_text_or_null(&mut out, lifted.content);
    push_calls(&mut out, spelt(&lifted.calls));
    out.extend_from_slice(br#","reasoning_content":"#);
    push_text_or_null(&mut out, lifted.reasoning_content);
    out.push(b'}');
    Ok(out)
}

/// The value of a tool envelope, as JSON: `{"tool_call_id", "content"}`.
///
/// # Errors
/// The first rule that the text breaks.
pub fn decode_tool(text: &str, accept: Accept, order: Order) -> Result<Vec<u8>, Refusal> {
    let lifted = lift_result(text, accept, order)?;
    let mut out = Vec::with_capacity(text.len());
    out.extend_from_slice(br#"{"tool_call_id":"#);
    push_text_or_null(&mut out, Some(lifted.tool_call_id));
    out.extend_from_slice(br#","content":"#);
    push_text_or_null(&mut out, Some(lifted.content));
    out.push(b'}');
    Ok(out)
}

/// The first rule that a text breaks; `None` if it is read as an envelope.
#[must_use]
pub fn refusal(text: &str, role: Role, accept: Accept, order: Order) -> Option<Refusal> {
    match role {
        Role::Assistant => lift_calls(text, accept, order).err(),
        Role::Tool => lift_result(text, accept, order).err(),
    }
}

fn push_text_or_null(out: &mut Vec<u8>, text: Option<Tok<'_>>) {
    match text {
        Some(token) => {
            out.push(b'"');
            push_respelt(out, token);
            out.push(b'"');
        }
        None => out.extend_from_slice(b"null"),
    }
}
