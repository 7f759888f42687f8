//! Replaying a history toward a provider: what pairs, packed or typed.

use super::error::{Error, Place, syntax_first};
use super::history::{Element, ElementReader, Noted, for_each_element};
use super::object::{Object, ROW_KEYS, Shape, slot};
use super::output::{Output, Rows};
use super::pairing::{Paired, Pairer, PairingOptions, Unpaired, UnpairedPolicy};
use crate::dialects::native::{Order, pack_element};
use crate::error::Code;
use crate::json::{Cursor, Tok, decode_exactly};

/// Writes the paired rows of a history, packed; returns every cycle that does not pair.
///
/// # Errors
/// As [`crate::dialects::native::pack`], and `unpaired` under [`UnpairedPolicy::Error`]. All elements
/// are judged before one is written. What was written is then worthless.
pub fn to_provider_messages(
    json: &[u8],
    order: Order,
    options: PairingOptions,
    output: &mut impl Output,
) -> Result<Vec<Unpaired>, Error> {
    let is_copied = |shape| shape == Shape::PlainRow;
    replay(json, options, output, is_copied, |rows, element| pack_element(rows, element, order))
}

/// Writes the paired rows of a history, structure in fields; returns every cycle that does not pair.
///
/// # Errors
/// As [`to_provider_messages`], but nothing is unfit for a field.
pub fn to_typed_messages(
    json: &[u8],
    options: PairingOptions,
    output: &mut impl Output,
) -> Result<Vec<Unpaired>, Error> {
    let is_copied = |shape| matches!(shape, Shape::PlainRow | Shape::CallRow | Shape::ResultRow);
    replay(json, options, output, is_copied, |rows, element| {
        push_typed(rows, element);
        Ok(())
    })
}

fn replay<O: Output>(
    json: &[u8],
    options: PairingOptions,
    output: &mut O,
    is_copied: impl Fn(Shape) -> bool,
    write: impl Fn(&mut Rows<'_, O>, &Element<'_, '_>) -> Result<(), Error>,
) -> Result<Vec<Unpaired>, Error> {
    syntax_first(json, || {
        let mut cursor = Cursor::new(json)?;
        let text = cursor.text();
        let mut reader = ElementReader::new(text);
        let mut notes: Vec<Noted> = Vec::new();
        let mut pairer = Pairer::new(options);
        let mut is_lone = false;
        for_each_element(&mut cursor, |cursor, index| {
            is_lone = index.is_none();
            let element = reader.read(cursor, index)?;
            feed(&mut pairer, &element);
            notes.push(element.note());
            Ok(())
        })?;
        let Paired { kept, unpaired } = pairer.finish();
        if let Some(first) = unpaired.first()
            && options.unpaired == UnpairedPolicy::Error
        {
            let path = Some(format!("/{}", first.index));
            return Err(Error { code: Code::Unpaired, offset: None, path });
        }
        let mut rows = Rows::array(output);
        for (index, (&noted, &is_paired)) in notes.iter().zip(&kept).enumerate() {
            let is_kept = is_paired || options.unpaired == UnpairedPolicy::Keep;
            let place = Place { index: (!is_lone).then_some(index), in_chat: false };
            if is_kept && is_copied(noted.shape) {
                rows.copy(&text[noted.start..noted.end]);
            } else if is_kept {
                write(&mut rows, &reader.read_again(noted, place)?)?;
            } else if options.unpaired == UnpairedPolicy::Text
                && matches!(noted.shape, Shape::CallRow | Shape::CallsEntry)
            {
                push_text(&mut rows, &reader.read_again(noted, place)?);
            }
        }
        rows.finish();
        Ok(unpaired)
    })
}

fn feed<'a>(pairer: &mut Pairer<'a>, element: &Element<'_, 'a>) {
    match element.shape {
        Shape::CallRow | Shape::CallsEntry => {
            pairer.calls(element.object.calls().iter().map(|call| decode_exactly(call.id)));
        }
        Shape::ResultRow => {
            let id = element.object.token(slot::TOOL_CALL_ID);
            pairer.results(id.into_iter().map(decode_exactly));
        }
        Shape::ResultsEntry => {
            let ids = element.results.iter().map(|result| decode_exactly(result.tool_call_id));
            pairer.results(ids);
        }
        _ => pairer.plain(),
    }
}

/// Writes an entry as typed rows.
fn push_typed<O: Output>(rows: &mut Rows<'_, O>, element: &Element<'_, '_>) {
    let object = element.object;
    if element.shape == Shape::CallsEntry {
        return rows.write(|out| push_typed_calls(out, object));
    }
    for result in element.results {
        rows.write(|out| {
            out.extend_from_slice(br#"{"role":"tool","content":"#);
            push_token(out, result.content);
            out.extend_from_slice(ROW_KEYS[slot::TOOL_CALL_ID]);
            push_token(out, result.tool_call_id);
            if let Some(name) = result.name {
                out.extend_from_slice(ROW_KEYS[slot::NAME]);
                push_token(out, name);
            }
            out.push(b'}');
        });
    }
}

fn push_typed_calls(out: &mut Vec<u8>, entry: &Object<'_>) {
    out.extend_from_slice(br#"{"role":"assistant","content":"#);
    // Without calls it is no call row, and its text must be a string.
    let absent = if entry.has_calls() { "null" } else { "\"\"" };
    out.extend_from_slice(entry.value(slot::TEXT).unwrap_or(absent).as_bytes());
    entry.push_known(out, &[slot::EXTRA_METADATA]);
    if entry.has_calls() {
        entry.push_known(out, &[slot::TOOL_CALLS]);
    }
    entry.push_known(out, &[slot::REASONING_CONTENT]);
    out.push(b'}');
}

/// Writes what a call turn without its results leaves: its text, if it has any.
fn push_text<O: Output>(rows: &mut Rows<'_, O>, element: &Element<'_, '_>) {
    let turn = element.object;
    let is_row = element.shape == Shape::CallRow;
    let text = turn.token(if is_row { slot::CONTENT } else { slot::TEXT });
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return;
    };
    rows.write(|out| {
        out.extend_from_slice(br#"{"role":"assistant","content":"#);
        push_token(out, text);
        turn.push_known(out, &[slot::EXTRA_METADATA, slot::REASONING_CONTENT]);
        if is_row {
            turn.push_unknown(out);
        }
        out.push(b'}');
    });
}

/// Appends a string as it stands.
pub(super) fn push_token(out: &mut Vec<u8>, token: Tok<'_>) {
    out.push(b'"');
    out.extend_from_slice(token.raw());
    out.push(b'"');
}
