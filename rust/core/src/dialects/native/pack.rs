//! Typed rows and entries to packed rows.

use super::Order;
use super::encode::{AssistantEnvelope, Member, Misfit, ToolEnvelope, push_assistant, push_tool};
use crate::json::{Cursor, Tok};
use crate::transcript::error::{Error, Place, syntax_first};
use crate::transcript::history::{Element, ElementReader, Top, for_each_element, peek_top};
use crate::transcript::object::{Object, Shape, slot};
use crate::transcript::output::{Output, Rows};

/// Packs a history, or one row or entry: call turns and results become rows with envelopes, all else
/// is copied. Nothing is paired.
///
/// # Errors
/// The input's syntax (`invalid_json`, `invalid_utf8`, `nesting_too_deep`); `invalid_type`,
/// `missing_member`, `duplicate_key`, `unknown_entry`; `nesting_too_deep` and `lone_surrogate` for
/// what cannot go into an envelope. What was written is then worthless.
pub fn pack(json: &[u8], order: Order, output: &mut impl Output) -> Result<(), Error> {
    syntax_first(json, || {
        let mut cursor = Cursor::new(json)?;
        let mut reader = ElementReader::new(cursor.text());
        let mut rows = match peek_top(&mut cursor)? {
            Top::Array => Rows::array(output),
            Top::Lone => Rows::lone(output),
        };
        for_each_element(&mut cursor, |cursor, index| {
            let element = reader.read(cursor, index)?;
            pack_element(&mut rows, &element, order)
        })?;
        rows.finish();
        Ok(())
    })
}

/// Writes the row or rows that an element packs to.
#[inline]
pub(crate) fn pack_element<O: Output>(
    rows: &mut Rows<'_, O>,
    element: &Element<'_, '_>,
    order: Order,
) -> Result<(), Error> {
    let &Element { object, shape, place, results } = element;
    match shape {
        Shape::CallRow => rows.row(|out| push_call_row(out, object, order, place)),
        Shape::ResultRow => rows.row(|out| push_result_row(out, object, order, place)),
        Shape::CallsEntry => rows.row(|out| push_calls_entry(out, object, order, place)),
        Shape::ResultsEntry => {
            rows.open_array();
            for (nth, result) in results.iter().enumerate() {
                rows.row(|out| {
                    let envelope =
                        ToolEnvelope { tool_call_id: result.tool_call_id, content: result.content };
                    out.extend_from_slice(br#"{"role":"tool","content":""#);
                    push_tool::<true>(out, envelope, order).map_err(|misfit| {
                        let within = format!("{}/results/{nth}", place.path());
                        fault(&misfit, object.text(), within, "content")
                    })?;
                    out.push(b'"');
                    push_name(out, result.name);
                    out.push(b'}');
                    Ok(())
                })?;
            }
            Ok(())
        }
        Shape::PlainRow | Shape::ChatEntry | Shape::Unknown => {
            rows.copy(object.as_str());
            Ok(())
        }
    }
}

fn push_call_row(
    out: &mut Vec<u8>,
    row: &Object<'_>,
    order: Order,
    place: Place,
) -> Result<(), Error> {
    out.extend_from_slice(br#"{"role":"assistant""#);
    push_calls(out, row, slot::CONTENT, order, place)?;
    row.push_known(out, &[slot::EXTRA_METADATA, slot::TOOL_CALL_ID, slot::NAME]);
    row.push_unknown(out);
    out.push(b'}');
    Ok(())
}

fn push_calls_entry(
    out: &mut Vec<u8>,
    entry: &Object<'_>,
    order: Order,
    place: Place,
) -> Result<(), Error> {
    out.extend_from_slice(br#"{"role":"assistant""#);
    push_calls(out, entry, slot::TEXT, order, place)?;
    entry.push_known(out, &[slot::EXTRA_METADATA]);
    out.push(b'}');
    Ok(())
}

/// Appends the member `content` with the envelope of a call turn.
#[inline]
fn push_calls(
    out: &mut Vec<u8>,
    turn: &Object<'_>,
    text_slot: usize,
    order: Order,
    place: Place,
) -> Result<(), Error> {
    let envelope = AssistantEnvelope {
        content: turn.token(text_slot),
        calls: turn.calls(),
        reasoning_content: turn.token(slot::REASONING_CONTENT),
    };
    let text_name = if text_slot == slot::TEXT { "text" } else { "content" };
    out.extend_from_slice(br#","content":""#);
    push_assistant::<true>(out, &envelope, order)
        .map_err(|misfit| fault(&misfit, turn.text(), place.path(), text_name))?;
    out.push(b'"');
    Ok(())
}

fn push_result_row(
    out: &mut Vec<u8>,
    row: &Object<'_>,
    order: Order,
    place: Place,
) -> Result<(), Error> {
    let envelope = ToolEnvelope {
        tool_call_id: row.token(slot::TOOL_CALL_ID).unwrap_or(Tok::EMPTY),
        content: row.token(slot::CONTENT).unwrap_or(Tok::EMPTY),
    };
    out.extend_from_slice(br#"{"role":"tool","content":""#);
    push_tool::<true>(out, envelope, order)
        .map_err(|misfit| fault(&misfit, row.text(), place.path(), "content"))?;
    out.push(b'"');
    row.push_known(
        out,
        &[slot::EXTRA_METADATA, slot::TOOL_CALLS, slot::REASONING_CONTENT, slot::NAME],
    );
    row.push_unknown(out);
    out.push(b'}');
    Ok(())
}

fn push_name(out: &mut Vec<u8>, name: Option<Tok<'_>>) {
    if let Some(name) = name {
        out.extend_from_slice(br#","name":""#);
        out.extend_from_slice(name.raw());
        out.push(b'"');
    }
}

/// The error for a value that cannot go into an envelope; `within` is the path of its object.
#[cold]
pub(super) fn fault(misfit: &Misfit<'_>, text: &str, within: String, text_name: &str) -> Error {
    let mut path = within;
    match misfit.member {
        Member::Content => path = path + "/" + text_name,
        Member::ReasoningContent => path.push_str("/reasoning_content"),
        Member::ToolCallId => path.push_str("/tool_call_id"),
        Member::OfCall(index, name) => path = format!("{path}/tool_calls/{index}/{name}"),
    }
    // A string's text starts after its quote; `extra_content` is given as a whole.
    let is_whole = matches!(misfit.member, Member::OfCall(_, "extra_content"));
    let start = (misfit.value.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    Error::at(misfit.code, start.saturating_sub(usize::from(!is_whole)), path)
}
