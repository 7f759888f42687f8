//! Typed rows to Chat Completions messages.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::error::{Error, Place, syntax_first};
use super::history::for_each_element;
use super::judge::{CALL, Expect, ROLES, Rule, any, needed, optional};
use super::object::{Object, ROW_KEYS, Shape, slot};
use super::output::{Output, Rows};
use super::replay::push_token;
use crate::error::Code;
use crate::json::{Cursor, Kind, Tok, decode_exactly};

/// How absent text of a call row is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AbsentText {
    /// As `""`.
    #[default]
    Empty,
    /// As null; empty text, too.
    Null,
    /// As null; empty text stays `""`.
    Keep,
}

impl AbsentText {
    /// The option of that public name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "empty" => Some(Self::Empty),
            "null" => Some(Self::Null),
            "keep" => Some(Self::Keep),
            _ => None,
        }
    }
}

/// Options of [`to_wire`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireOptions {
    /// How absent text of a call row is written.
    pub content: AbsentText,
    /// Write `reasoning_content` of assistant rows.
    pub reasoning: bool,
    /// Write `extra_content` of calls.
    pub extra_content: bool,
}

const PLAIN: &[Rule] = &[
    needed("role", Expect::Role(ROLES)),
    needed("content", Expect::TextOrParts),
    any("extra_metadata"),
    any("tool_calls"),
    any("tool_call_id"),
    any("reasoning_content"),
    any("name"),
];

const ASSISTANT: &[Rule] = &[
    needed("role", Expect::Role(ROLES)),
    needed("content", Expect::TextOrParts),
    any("extra_metadata"),
    any("tool_calls"),
    any("tool_call_id"),
    optional("reasoning_content", Expect::Text),
    any("name"),
];

const CALL_ROW: &[Rule] = &[
    needed("role", Expect::Role(ROLES)),
    optional("content", Expect::TextOrParts),
    any("extra_metadata"),
    needed("tool_calls", Expect::List(CALL)),
    any("tool_call_id"),
    optional("reasoning_content", Expect::Text),
    any("name"),
];

const RESULT_ROW: &[Rule] = &[
    needed("role", Expect::Role(ROLES)),
    needed("content", Expect::TextOrParts),
    any("extra_metadata"),
    any("tool_calls"),
    needed("tool_call_id", Expect::Text),
    any("reasoning_content"),
    optional("name", Expect::Text),
];

/// Writes typed rows as messages: an array, also for a lone row.
///
/// # Errors
/// The input's syntax; `invalid_type`, `missing_member`, `duplicate_key`, `unknown_role`. What was
/// written is then worthless.
pub fn to_wire(json: &[u8], options: WireOptions, output: &mut impl Output) -> Result<(), Error> {
    syntax_first(json, || {
        let mut cursor = Cursor::new(json)?;
        let mut row = Object::new(cursor.text());
        let mut rows = Rows::array(output);
        let mut names = Names::default();
        for_each_element(&mut cursor, |cursor, index| {
            let place = Place { index, in_chat: false };
            if cursor.peek_kind()? != Kind::Object {
                return Err(Error::at(Code::InvalidType, cursor.at(), place.path()));
            }
            row.read::<true>(cursor)?;
            let shape = row.row_shape();
            check(&row, shape, place)?;
            names.note(&row, shape);
            rows.write(|out| push_message(out, &row, shape, options, &mut names));
            Ok(())
        })?;
        rows.finish();
        Ok(())
    })
}

fn check(row: &Object<'_>, shape: Shape, place: Place) -> Result<(), Error> {
    let is_assistant = row.role_is("assistant");
    let is_parts = |content: &str| content.starts_with(['"', '[']);
    let is_sound = !row.repeats_row_member()
        && ROLES.iter().any(|role| row.role_is(role))
        && match row.value(slot::CONTENT) {
            Some(content) => is_parts(content),
            None => shape == Shape::CallRow,
        }
        && (!is_assistant || row.is_optional_text(slot::REASONING_CONTENT))
        && match shape {
            Shape::CallRow => row.calls_are_sound(),
            Shape::ResultRow => {
                row.token(slot::TOOL_CALL_ID).is_some() && row.is_optional_text(slot::NAME)
            }
            _ => true,
        };
    if is_sound {
        return Ok(());
    }
    let rules = match shape {
        Shape::CallRow => CALL_ROW,
        Shape::ResultRow => RESULT_ROW,
        _ if is_assistant => ASSISTANT,
        _ => PLAIN,
    };
    row.judge_by(rules, place)
}

fn push_message<'a>(
    out: &mut Vec<u8>,
    row: &Object<'a>,
    shape: Shape,
    options: WireOptions,
    names: &mut Names<'a>,
) {
    out.extend_from_slice(br#"{"role":"#);
    out.extend_from_slice(row.value(slot::ROLE).unwrap_or_default().as_bytes());
    if let Some(id) = row.token(slot::TOOL_CALL_ID)
        && shape == Shape::ResultRow
    {
        out.extend_from_slice(ROW_KEYS[slot::TOOL_CALL_ID]);
        push_token(out, id);
        let own = row.token(slot::NAME).filter(|name| !name.is_empty());
        if let Some(name) = own.or_else(|| names.of(id)).filter(|name| !name.is_empty()) {
            out.extend_from_slice(ROW_KEYS[slot::NAME]);
            push_token(out, name);
        }
    }
    out.extend_from_slice(ROW_KEYS[slot::CONTENT]);
    out.extend_from_slice(content(row, shape, options.content).as_bytes());
    if options.reasoning && row.role_is("assistant") {
        row.push_known(out, &[slot::REASONING_CONTENT]);
    }
    if shape == Shape::CallRow {
        push_calls(out, row, options);
    }
    out.push(b'}');
}

fn content<'a>(row: &Object<'a>, shape: Shape, absent: AbsentText) -> &'a str {
    match (row.value(slot::CONTENT), absent) {
        (Some("\"\""), AbsentText::Null) if shape == Shape::CallRow => "null",
        (Some(content), _) => content,
        (None, AbsentText::Empty) => "\"\"",
        (None, _) => "null",
    }
}

fn push_calls(out: &mut Vec<u8>, row: &Object<'_>, options: WireOptions) {
    out.extend_from_slice(ROW_KEYS[slot::TOOL_CALLS]);
    out.push(b'[');
    for (index, call) in row.calls().iter().enumerate() {
        let opening: &[u8] = if index == 0 { br#"{"id":"# } else { br#",{"id":"# };
        out.extend_from_slice(opening);
        push_token(out, call.id);
        out.extend_from_slice(br#","type":"function","function":{"name":"#);
        push_token(out, call.name);
        out.extend_from_slice(br#","arguments":"#);
        push_token(out, call.arguments);
        out.push(b'}');
        if let Some(extra) = call.extra
            && options.extra_content
        {
            out.extend_from_slice(br#","extra_content":"#);
            out.extend_from_slice(extra.bytes());
        }
        out.push(b'}');
    }
    out.push(b']');
}

/// The names of all calls so far, by id.
#[derive(Debug, Default)]
struct Names<'a> {
    calls: Vec<(Tok<'a>, Tok<'a>)>,
    /// How many of the calls are in the index.
    indexed: usize,
    index: BTreeMap<Cow<'a, [u8]>, Tok<'a>>,
}

/// So many calls back a name is looked for before the index is brought up to date: results follow
/// their calls closely.
const NEAR_CALLS: usize = 8;

impl<'a> Names<'a> {
    fn note(&mut self, row: &Object<'a>, shape: Shape) {
        if shape == Shape::CallRow {
            self.calls.extend(row.calls().iter().map(|call| (call.id, call.name)));
        }
    }

    /// The name of the latest call with this id.
    fn of(&mut self, id: Tok<'a>) -> Option<Tok<'a>> {
        let id = decode_exactly(id);
        let mut near = self.calls.iter().rev().take(NEAR_CALLS);
        if let Some((_, name)) = near.find(|(known, _)| decode_exactly(*known) == id) {
            return Some(*name);
        }
        for &(known, name) in &self.calls[self.indexed..] {
            self.index.insert(decode_exactly(known), name);
        }
        self.indexed = self.calls.len();
        self.index.get(&id).copied()
    }
}
