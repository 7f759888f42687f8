//! Packed rows to typed rows.

use std::borrow::Cow;

use super::decode::{lift_calls, lift_result};
use super::usual::Usual;
use super::{Accept, Order, Refusal, Role};
use crate::json::{Cursor, Kind, Raw, Tok, decode_exactly, push_decoded, push_respelt};
use crate::transcript::call::Call;
use crate::transcript::error::{Error, Place, syntax_first};
use crate::transcript::history::{Element, ElementReader, Top, for_each_element, peek_top};
use crate::transcript::object::{Object, ROW_KEYS, Shape, slot};
use crate::transcript::output::{Output, Rows};
use crate::transcript::pairing::{Pairer, PairingOptions};

/// Options of [`unpack`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnpackOptions {
    /// How much of what looks like an envelope is read as one.
    pub accept: Accept,
    /// The order of keys that `Exact` and `Canonical` ask for.
    pub order: Order,
    /// Lift a call turn only together with all its results, and these only with it.
    pub paired_only: bool,
}

/// Unpacks a history, or one row: rows with envelopes become rows with fields, all else is copied.
///
/// # Errors
/// The input's syntax (`invalid_json`, `invalid_utf8`, `nesting_too_deep`), and `invalid_type` if
/// the top value is neither array nor object. What was written is then worthless.
pub fn unpack(json: &[u8], options: UnpackOptions, output: &mut impl Output) -> Result<(), Error> {
    syntax_first(json, || {
        let mut cursor = Cursor::new(json)?;
        let in_cycle = if options.paired_only {
            Some(paired_rows(&mut cursor.clone(), options)?)
        } else {
            None
        };
        let mut rows = match peek_top(&mut cursor)? {
            Top::Array => Rows::array(output),
            Top::Lone => Rows::lone(output),
        };
        let mut row = Object::new(cursor.text());
        let mut content = String::new();
        let mut usual = Usual::default();
        let may_be_usual = options.accept <= Accept::Lossless;
        for_each_element(&mut cursor, |cursor, index| {
            if cursor.peek_kind()? != Kind::Object {
                rows.copy(cursor.skip_value()?.as_str());
                return Ok(());
            }
            let mut is_usual = false;
            row.read_with::<false>(cursor, |cursor| {
                let end = usual.read(cursor.text().as_bytes(), cursor.at() + 1);
                is_usual = may_be_usual && end.is_some();
                end.filter(|_| may_be_usual)
            })?;
            let may_lift = match &in_cycle {
                Some(in_cycle) => index.is_some_and(|index| in_cycle.get(index) == Some(&true)),
                None => true,
            };
            let Some(role) = may_lift.then(|| liftable_role(&row)).flatten() else {
                rows.copy(row.as_str());
                return Ok(());
            };
            if is_usual {
                unpack_usual(&mut rows, &row, role, &usual);
            } else {
                unpack_row(&mut rows, &row, role, options, &mut content);
            }
            Ok(())
        })?;
        rows.finish();
        Ok(())
    })
}

/// The rows that look like envelopes and stay text: index, and the first rule that each breaks.
///
/// # Errors
/// As [`unpack`].
pub fn refused_envelopes(
    json: &[u8],
    accept: Accept,
    order: Order,
) -> Result<Vec<(usize, Refusal)>, Error> {
    syntax_first(json, || {
        let mut cursor = Cursor::new(json)?;
        let mut row = Object::new(cursor.text());
        let mut content = String::new();
        let mut refused = Vec::new();
        for_each_element(&mut cursor, |cursor, index| {
            if cursor.peek_kind()? != Kind::Object {
                cursor.skip_value()?;
                return Ok(());
            }
            row.read::<false>(cursor)?;
            if let Some(role) = liftable_role(&row)
                && let Some(text) = envelope_text(&row, &mut content)
                && let Some(refusal) = super::refusal(text, role, accept, order)
                && !refusal.is_plain_text()
            {
                refused.push((index.unwrap_or(0), refusal));
            }
            Ok(())
        })?;
        Ok(refused)
    })
}

/// The role of a row that is lifted if its content is an envelope.
#[inline]
fn liftable_role(row: &Object<'_>) -> Option<Role> {
    if row.row_shape() != Shape::PlainRow || row.repeats_row_member() {
        return None;
    }
    if row.role_is("tool") {
        Some(Role::Tool)
    } else if row.role_is("assistant") && row.value(slot::REASONING_CONTENT).is_none() {
        Some(Role::Assistant)
    } else {
        None
    }
}

/// A row's content, decoded, if it can be an envelope's text.
#[inline]
fn envelope_text<'t>(row: &Object<'_>, content: &'t mut String) -> Option<&'t str> {
    let token = row.token(slot::CONTENT)?;
    // Every object starts so, or with white space, which may be escaped: most texts do not.
    let may_be_object =
        matches!(token.raw().first(), Some(b'{' | b'\\' | b' ' | b'\t' | b'\n' | b'\r'));
    if !may_be_object || token.has_lone_surrogate() {
        return None;
    }
    content.clear();
    push_decoded(content, token);
    Some(content)
}

fn unpack_row<O: Output>(
    rows: &mut Rows<'_, O>,
    row: &Object<'_>,
    role: Role,
    options: UnpackOptions,
    content: &mut String,
) {
    let UnpackOptions { accept, order, .. } = options;
    let Some(text) = envelope_text(row, content) else {
        return rows.copy(row.as_str());
    };
    match role {
        Role::Assistant => match lift_calls(text, accept, order) {
            Ok(lifted) => rows.write(|out| {
                let calls = spelt(&lifted.calls);
                push_call_row(out, row, lifted.content, calls, lifted.reasoning_content);
            }),
            Err(_) => rows.copy(row.as_str()),
        },
        Role::Tool => match lift_result(text, accept, order) {
            Ok(lifted) => rows.write(|out| {
                push_result_row(out, row, lifted.tool_call_id, lifted.content);
            }),
            Err(_) => rows.copy(row.as_str()),
        },
    }
}

/// Lifts an envelope that was read with the row, if it is one for the row's role.
fn unpack_usual<O: Output>(rows: &mut Rows<'_, O>, row: &Object<'_>, role: Role, usual: &Usual) {
    let respelt = |body| Respelt(usual.body(body));
    match (role, usual.result()) {
        (Role::Assistant, _) if usual.is_call_turn() => rows.write(|out| {
            let calls = usual.calls.iter().map(|call| {
                (respelt(&call.id), respelt(&call.name), respelt(&call.arguments), None)
            });
            let text = usual.content.as_ref().map(respelt);
            push_call_row(out, row, text, calls, usual.reasoning_content.as_ref().map(respelt));
        }),
        (Role::Tool, Some((id, content))) => {
            rows.write(|out| push_result_row(out, row, respelt(id), respelt(content)));
        }
        _ => rows.copy(row.as_str()),
    }
}

/// A string that can be written in its one spelling.
pub(super) trait Spell {
    /// Appends it without quotes.
    fn push(self, out: &mut Vec<u8>);
}

impl Spell for Tok<'_> {
    #[inline]
    fn push(self, out: &mut Vec<u8>) {
        push_respelt(out, self);
    }
}

/// A body that has that spelling already.
struct Respelt<'t>(&'t [u8]);

impl Spell for Respelt<'_> {
    #[inline]
    fn push(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0);
    }
}

fn push_call_row<'c, S: Spell>(
    out: &mut Vec<u8>,
    row: &Object<'_>,
    content: Option<S>,
    calls: impl Iterator<Item = (S, S, S, Option<Raw<'c>>)>,
    reasoning_content: Option<S>,
) {
    out.extend_from_slice(br#"{"role":"assistant","content":"#);
    match content {
        Some(content) => push_quoted(out, content),
        None => out.extend_from_slice(b"null"),
    }
    row.push_known(out, &[slot::EXTRA_METADATA]);
    push_calls(out, calls);
    row.push_known(out, &[slot::TOOL_CALL_ID]);
    if let Some(reasoning) = reasoning_content {
        out.extend_from_slice(ROW_KEYS[slot::REASONING_CONTENT]);
        push_quoted(out, reasoning);
    }
    row.push_known(out, &[slot::NAME]);
    row.push_unknown(out);
    out.push(b'}');
}

/// Appends the member `tool_calls` after a comma.
#[inline]
pub(super) fn push_calls<'c, S: Spell>(
    out: &mut Vec<u8>,
    calls: impl Iterator<Item = (S, S, S, Option<Raw<'c>>)>,
) {
    out.extend_from_slice(br#","tool_calls":["#);
    for (index, (id, name, arguments, extra)) in calls.enumerate() {
        let opening: &[u8] = if index == 0 { br#"{"id":"# } else { br#",{"id":"# };
        out.extend_from_slice(opening);
        push_quoted(out, id);
        out.extend_from_slice(br#","name":"#);
        push_quoted(out, name);
        out.extend_from_slice(br#","arguments":"#);
        push_quoted(out, arguments);
        if let Some(extra) = extra {
            out.extend_from_slice(br#","extra_content":"#);
            out.extend_from_slice(extra.bytes());
        }
        out.push(b'}');
    }
    out.push(b']');
}

/// The strings of calls, in the order in which they are written.
pub(super) fn spelt<'a>(
    calls: &[Call<'a>],
) -> impl Iterator<Item = (Tok<'a>, Tok<'a>, Tok<'a>, Option<Raw<'a>>)> {
    calls.iter().map(|call| (call.id, call.name, call.arguments, call.extra))
}

fn push_result_row<S: Spell>(out: &mut Vec<u8>, row: &Object<'_>, id: S, content: S) {
    out.extend_from_slice(br#"{"role":"tool","content":"#);
    push_quoted(out, content);
    row.push_known(out, &[slot::EXTRA_METADATA, slot::TOOL_CALLS]);
    out.extend_from_slice(ROW_KEYS[slot::TOOL_CALL_ID]);
    push_quoted(out, id);
    row.push_known(out, &[slot::REASONING_CONTENT, slot::NAME]);
    row.push_unknown(out);
    out.push(b'}');
}

#[inline]
fn push_quoted(out: &mut Vec<u8>, text: impl Spell) {
    out.push(b'"');
    text.push(out);
    out.push(b'"');
}

/// A token's decoded text, for as long as it is needed.
fn own(token: Tok<'_>) -> Cow<'static, [u8]> {
    Cow::Owned(decode_exactly(token).into_owned())
}

fn pair_entry(pairer: &mut Pairer<'static>, entry: &Element<'_, '_>) {
    let object = entry.object;
    match entry.shape {
        Shape::CallRow | Shape::CallsEntry => {
            pairer.calls(object.calls().iter().map(|call| own(call.id)));
        }
        Shape::ResultRow => pairer.results(object.token(slot::TOOL_CALL_ID).into_iter().map(own)),
        Shape::ResultsEntry => {
            pairer.results(entry.results.iter().map(|result| own(result.tool_call_id)));
        }
        _ => pairer.plain(),
    }
}

/// For each element, whether it is part of a complete cycle of rows, packed or typed.
fn paired_rows(cursor: &mut Cursor<'_>, options: UnpackOptions) -> Result<Vec<bool>, Error> {
    let UnpackOptions { accept, order, .. } = options;
    let mut pairer = Pairer::new(PairingOptions::default());
    let mut row = Object::new(cursor.text());
    let mut entries = ElementReader::new(cursor.text());
    let mut content = String::new();
    for_each_element(cursor, |cursor, index| {
        if cursor.peek_kind()? != Kind::Object {
            cursor.skip_value()?;
            pairer.plain();
            return Ok(());
        }
        row.read::<true>(cursor)?;
        if !row.has(slot::ROLE) {
            // An entry counts as the typed rows that it stands for, if it is sound.
            match entries.read(&mut row.as_raw().cursor(), index) {
                Ok(entry) => pair_entry(&mut pairer, &entry),
                Err(_) => pairer.plain(),
            }
            return Ok(());
        }
        let place = Place { index, in_chat: false };
        match row.row_shape() {
            Shape::CallRow if row.check(Shape::CallRow, place).is_ok() => {
                pairer.calls(row.calls().iter().map(|call| own(call.id)));
                return Ok(());
            }
            Shape::ResultRow if row.check(Shape::ResultRow, place).is_ok() => {
                pairer.results(row.token(slot::TOOL_CALL_ID).into_iter().map(own));
                return Ok(());
            }
            _ => {}
        }
        match (liftable_role(&row), envelope_text(&row, &mut content)) {
            (Some(Role::Assistant), Some(text)) => match lift_calls(text, accept, order) {
                Ok(lifted) => pairer.calls(lifted.calls.iter().map(|call| own(call.id))),
                Err(_) => pairer.plain(),
            },
            (Some(Role::Tool), Some(text)) => match lift_result(text, accept, order) {
                Ok(lifted) => pairer.results(core::iter::once(own(lifted.tool_call_id))),
                Err(_) => pairer.plain(),
            },
            _ => pairer.plain(),
        }
        Ok(())
    })?;
    Ok(pairer.finish().kept)
}
