//! Replaying a history to models that read tool rounds as text.

use super::error::{Error, Place, syntax_first};
use super::history::{Element, ElementReader, for_each_element};
use super::object::{Object, Shape, slot};
use super::output::{Output, Rows};
use super::replay::push_token;
use crate::dialects::native::is_json_object;
use crate::error::Code;
use crate::json::{Cursor, Tok, push_decoded, push_string_raw_separators};

const BANNER: &str = "[Tool results]\n";

/// Names that must not open or close a tag inside a result.
const GUARDED_NAMES: [&str; 4] = ["tool_result", "/tool_result", "tool_call", "/tool_call"];

/// Writes a history as plain rows; returns the indexes of the turns whose reasoning is left out.
/// Nothing is paired.
///
/// # Errors
/// The input's syntax; `invalid_type`, `missing_member`, `duplicate_key`, `unknown_entry`;
/// `lone_surrogate` for what cannot go into a frame. What was written is then worthless.
pub fn to_text_messages(json: &[u8], output: &mut impl Output) -> Result<Vec<usize>, Error> {
    syntax_first(json, || {
        let mut cursor = Cursor::new(json)?;
        let mut reader = ElementReader::new(cursor.text());
        let mut rows = Rows::array(output);
        let mut without_reasoning = Vec::new();
        // All elements are judged before one is written: a fault of writing waits for them.
        let mut unwritable = None;
        for_each_element(&mut cursor, |cursor, index| {
            let element = reader.read(cursor, index)?;
            let is_turn = matches!(element.shape, Shape::CallRow | Shape::CallsEntry);
            if is_turn && element.object.value(slot::REASONING_CONTENT).is_some() {
                without_reasoning.push(index.unwrap_or(0));
            }
            if unwritable.is_none() {
                unwritable = push_element(&mut rows, &element).err();
            }
            Ok(())
        })?;
        rows.finish();
        match unwritable {
            Some(error) => Err(error),
            None => Ok(without_reasoning),
        }
    })
}

fn push_element<O: Output>(rows: &mut Rows<'_, O>, element: &Element<'_, '_>) -> Result<(), Error> {
    let &Element { object, shape, place, results } = element;
    match shape {
        Shape::CallRow => push_turn(rows, object, slot::CONTENT, place),
        Shape::CallsEntry => push_turn(rows, object, slot::TEXT, place),
        Shape::ResultRow => {
            let of = |slot| object.token(slot).unwrap_or(Tok::EMPTY);
            let mut frame = BANNER.to_owned();
            let (id, content) = (of(slot::TOOL_CALL_ID), of(slot::CONTENT));
            frame_result(&mut frame, id, content, || (object.text(), place.path()))?;
            rows.write(|out| {
                push_user(out, &frame);
                object.push_known(out, &[slot::EXTRA_METADATA]);
                object.push_unknown(out);
                out.push(b'}');
            });
            Ok(())
        }
        Shape::ResultsEntry => {
            let mut frame = BANNER.to_owned();
            let mut is_open = results.is_empty();
            for (nth, result) in results.iter().enumerate() {
                if result.trusted_verbatim {
                    if is_open {
                        push_frame(rows, &frame);
                        frame.truncate(BANNER.len());
                        is_open = false;
                    }
                    rows.write(|out| {
                        out.extend_from_slice(br#"{"role":"user","content":"#);
                        push_token(out, result.content);
                        out.push(b'}');
                    });
                    continue;
                }
                is_open = true;
                frame_result(&mut frame, result.tool_call_id, result.content, || {
                    (object.text(), format!("{}/results/{nth}", place.path()))
                })?;
            }
            if is_open {
                push_frame(rows, &frame);
            }
            Ok(())
        }
        Shape::PlainRow | Shape::ChatEntry | Shape::Unknown => {
            rows.copy(object.as_str());
            Ok(())
        }
    }
}

fn push_frame<O: Output>(rows: &mut Rows<'_, O>, frame: &str) {
    rows.write(|out| {
        push_user(out, frame);
        out.push(b'}');
    });
}

/// Appends a user row without its closing brace.
fn push_user(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(br#"{"role":"user","content":"#);
    push_string_raw_separators(out, text);
}

/// Writes a call turn: its text, or where it has none its calls as text.
fn push_turn<O: Output>(
    rows: &mut Rows<'_, O>,
    turn: &Object<'_>,
    text_slot: usize,
    place: Place,
) -> Result<(), Error> {
    let text = turn.token(text_slot).filter(|text| !text.is_empty());
    rows.row(|out| {
        out.extend_from_slice(br#"{"role":"assistant","content":"#);
        match text {
            Some(text) => push_token(out, text),
            None => push_string_raw_separators(out, &calls_as_text(turn, place)?),
        }
        turn.push_known(out, &[slot::EXTRA_METADATA]);
        if text_slot == slot::CONTENT {
            turn.push_unknown(out);
        }
        out.push(b'}');
        Ok(())
    })
}

fn calls_as_text(turn: &Object<'_>, place: Place) -> Result<String, Error> {
    let mut text = String::new();
    let mut decoded = String::new();
    for (index, call) in turn.calls().iter().enumerate() {
        for (token, name) in [(call.arguments, "arguments"), (call.name, "name")] {
            let at = || (turn.text(), format!("{}/tool_calls/{index}", place.path()));
            decode_sound(&mut decoded, token, name, at)?;
            if name == "arguments" {
                text.push_str(if index == 0 { "" } else { "\n" });
                text.push_str("<tool_call>{\"arguments\":");
                if is_json_object(&decoded) {
                    let object = decoded.trim_matches([' ', '\t', '\n', '\r']);
                    push_unbracketed(&mut text, object);
                    continue;
                }
            } else {
                text.push_str(",\"name\":");
            }
            let mut quoted = Vec::with_capacity(decoded.len() + 2);
            push_string_raw_separators(&mut quoted, &decoded);
            push_unbracketed(&mut text, &String::from_utf8_lossy(&quoted));
        }
        text.push_str("}</tool_call>");
    }
    Ok(text)
}

/// Appends JSON text in which no `<` stands: in its strings it is an escape.
fn push_unbracketed(text: &mut String, json: &str) {
    for (nth, part) in json.split('<').enumerate() {
        text.push_str(if nth == 0 { "" } else { "\\u003c" });
        text.push_str(part);
    }
}

/// Decodes a string that has to go into a frame; `at` gives the text and the path of its object.
fn decode_sound<'a>(
    decoded: &mut String,
    token: Tok<'_>,
    name: &str,
    at: impl FnOnce() -> (&'a str, String),
) -> Result<(), Error> {
    if token.has_lone_surrogate() {
        let (text, path) = at();
        return Err(Error::at(Code::LoneSurrogate, token.quote_at(text), path + "/" + name));
    }
    decoded.clear();
    push_decoded(decoded, token);
    Ok(())
}

/// Appends a result with its tags.
fn frame_result<'a>(
    frame: &mut String,
    id: Tok<'_>,
    content: Tok<'_>,
    at: impl Fn() -> (&'a str, String),
) -> Result<(), Error> {
    let mut decoded = String::new();
    decode_sound(&mut decoded, id, "tool_call_id", &at)?;
    frame.push_str("<tool_result id=\"");
    for character in decoded.chars() {
        match character {
            '&' => frame.push_str("&amp;"),
            '<' => frame.push_str("&lt;"),
            '>' => frame.push_str("&gt;"),
            '"' => frame.push_str("&quot;"),
            other => frame.push(other),
        }
    }
    frame.push_str("\">\n");
    decode_sound(&mut decoded, content, "content", &at)?;
    push_guarded(frame, &decoded);
    frame.push_str("\n</tool_result>\n");
    Ok(())
}

/// Appends text in which no guarded name opens a tag.
fn push_guarded(frame: &mut String, text: &str) {
    for (nth, part) in text.split('<').enumerate() {
        if nth > 0 {
            frame.push_str(if opens_guarded(part) { "&lt;" } else { "<" });
        }
        frame.push_str(part);
    }
}

/// Whether what follows a `<`, up to the next one, is a guarded name and then its end. Another `<` is
/// no end.
fn opens_guarded(part: &str) -> bool {
    GUARDED_NAMES.iter().any(|name| {
        part.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && part[name.len()..]
                .chars()
                .next()
                .is_none_or(|next| next.is_ascii_whitespace() || matches!(next, '>' | '/'))
    })
}
