//! Chat Completions messages to typed rows.

use super::error::{Error, Place, syntax_first};
use super::history::for_each_element;
use super::judge::{Expect, Rule, any, needed, optional};
use super::object::{Object, ROW_KEYS, slot};
use super::output::{Output, Rows};
use super::replay::push_token;
use crate::error::Code;
use crate::json::{Cursor, JsonError, Kind, Raw, Tok, push_string_raw_separators};

const ROLES: &[&str] = &["system", "user", "assistant", "tool", "developer"];

const FUNCTION: &[Rule] =
    &[needed("name", Expect::Text), optional("arguments", Expect::TextOrObject)];

const CALL: &[Rule] = &[
    needed("id", Expect::Text),
    optional("type", Expect::CallType),
    needed("function", Expect::Object(FUNCTION)),
    any("extra_content"),
];

const fn message(content_needed: bool) -> [Rule; 7] {
    let content = Expect::TextOrParts;
    [
        needed("role", Expect::Role(ROLES)),
        if content_needed { needed("content", content) } else { optional("content", content) },
        any("extra_metadata"),
        optional("tool_calls", Expect::List(CALL)),
        optional("tool_call_id", Expect::Text),
        optional("reasoning_content", Expect::Text),
        optional("name", Expect::Text),
    ]
}

static MESSAGE: [Rule; 7] = message(true);
static ASSISTANT_MESSAGE: [Rule; 7] = message(false);

/// Writes messages as typed rows: an array, also for a lone message.
///
/// # Errors
/// The input's syntax; `invalid_type`, `missing_member`, `duplicate_key`, `unknown_role`,
/// `call_type`. What was written is then worthless.
pub fn from_wire(json: &[u8], output: &mut impl Output) -> Result<(), Error> {
    syntax_first(json, || {
        let mut cursor = Cursor::new(json)?;
        let mut row = Object::new(cursor.text());
        let mut rows = Rows::array(output);
        for_each_element(&mut cursor, |cursor, index| {
            let place = Place { index, in_chat: false };
            if cursor.peek_kind()? != Kind::Object {
                return Err(Error::at(Code::InvalidType, cursor.at(), place.path()));
            }
            row.read::<false>(cursor)?;
            check(&row, place)?;
            rows.row(|out| Ok(push_row(out, &row)?))
        })?;
        rows.finish();
        Ok(())
    })
}

/// Judges a message. One without calls that looks sound is spared the slow way.
fn check(row: &Object<'_>, place: Place) -> Result<(), Error> {
    let is_assistant = row.role_is("assistant");
    let is_sound = !row.repeats_row_member()
        && !row.has_calls()
        && ROLES.iter().any(|role| row.role_is(role))
        && match row.value(slot::CONTENT) {
            Some(content) => content.starts_with(['"', '[']),
            None => is_assistant,
        }
        && [slot::TOOL_CALL_ID, slot::REASONING_CONTENT, slot::NAME]
            .into_iter()
            .all(|slot| row.is_optional_text(slot));
    if is_sound {
        return Ok(());
    }
    row.judge_by(if is_assistant { &ASSISTANT_MESSAGE } else { &MESSAGE }, place)
}

fn push_row(out: &mut Vec<u8>, row: &Object<'_>) -> Result<(), JsonError> {
    let role = row.value(slot::ROLE).unwrap_or_default();
    out.extend_from_slice(br#"{"role":"#);
    out.extend_from_slice(if row.role_is("developer") { br#""system""# } else { role.as_bytes() });
    out.extend_from_slice(ROW_KEYS[slot::CONTENT]);
    let absent = if row.has_calls() { "null" } else { "\"\"" };
    out.extend_from_slice(row.value(slot::CONTENT).unwrap_or(absent).as_bytes());
    row.push_known(out, &[slot::EXTRA_METADATA]);
    if let Some(calls) = row.raw(slot::TOOL_CALLS)
        && row.has_calls()
    {
        push_calls(out, calls)?;
    }
    row.push_known(out, &[slot::TOOL_CALL_ID, slot::REASONING_CONTENT, slot::NAME]);
    row.push_unknown_present(out);
    out.push(b'}');
    Ok(())
}

/// Appends the member `tool_calls` after a comma; the calls were judged.
fn push_calls(out: &mut Vec<u8>, calls: Raw<'_>) -> Result<(), JsonError> {
    let mut cursor = calls.cursor();
    let mut separator = ROW_KEYS[slot::TOOL_CALLS];
    let mut is_first = true;
    cursor.array()?;
    while cursor.next_element()? {
        out.extend_from_slice(separator);
        if core::mem::take(&mut is_first) {
            out.push(b'[');
            separator = b",";
        }
        push_call(out, &mut cursor)?;
    }
    out.push(b']');
    Ok(())
}

fn push_call(out: &mut Vec<u8>, cursor: &mut Cursor<'_>) -> Result<(), JsonError> {
    let (mut id, mut name) = (Tok::EMPTY, Tok::EMPTY);
    let (mut arguments, mut extra) = (None, None);
    cursor.object()?;
    while let Some(key) = cursor.next_key()? {
        if key.eq_str("id") {
            id = cursor.string()?;
        } else if key.eq_str("function") {
            cursor.object()?;
            while let Some(key) = cursor.next_key()? {
                if key.eq_str("name") {
                    name = cursor.string()?;
                } else {
                    let value = cursor.skip_value()?;
                    if key.eq_str("arguments") {
                        arguments = Some(value);
                    }
                }
            }
        } else {
            let value = cursor.skip_value()?;
            if key.eq_str("extra_content") && value.kind() != Kind::Null {
                extra = Some(value);
            }
        }
    }
    out.extend_from_slice(br#"{"id":"#);
    push_token(out, id);
    out.extend_from_slice(br#","name":"#);
    push_token(out, name);
    out.extend_from_slice(br#","arguments":"#);
    match arguments {
        Some(value) if value.kind() == Kind::Object => {
            push_string_raw_separators(out, value.as_str());
        }
        Some(value) if value.kind() == Kind::String => out.extend_from_slice(value.bytes()),
        _ => out.extend_from_slice(br#""{}""#),
    }
    if let Some(extra) = extra {
        out.extend_from_slice(br#","extra_content":"#);
        out.extend_from_slice(extra.bytes());
    }
    out.push(b'}');
    Ok(())
}
