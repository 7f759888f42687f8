//! One object of a history, read in one pass.

use super::call::{Call, CallsTraits, read_calls};
use super::error::{Error, Place};
use super::judge::{self, Rule};
use crate::json::{Cursor, JsonError, Kind, Raw, Tok};

/// Slots of the members that are known in rows, in the order in which they are written, and then of
/// those known in entries alone.
pub(crate) mod slot {
    pub(crate) const ROLE: usize = 0;
    pub(crate) const CONTENT: usize = 1;
    pub(crate) const EXTRA_METADATA: usize = 2;
    pub(crate) const TOOL_CALLS: usize = 3;
    pub(crate) const TOOL_CALL_ID: usize = 4;
    pub(crate) const REASONING_CONTENT: usize = 5;
    pub(crate) const NAME: usize = 6;
    pub(super) const ROW_SLOTS: usize = 7;
    pub(crate) const KIND: usize = 7;
    pub(crate) const MESSAGE: usize = 8;
    pub(crate) const TEXT: usize = 9;
    pub(crate) const RESULTS: usize = 10;
    pub(super) const SLOTS: usize = 11;
}

/// The text `"name":` of each row slot, after a comma.
pub(crate) const ROW_KEYS: [&[u8]; slot::ROW_SLOTS] = [
    br#","role":"#,
    br#","content":"#,
    br#","extra_metadata":"#,
    br#","tool_calls":"#,
    br#","tool_call_id":"#,
    br#","reasoning_content":"#,
    br#","name":"#,
];

fn slot_of(name: &[u8]) -> Option<usize> {
    Some(match name {
        b"role" => slot::ROLE,
        b"content" => slot::CONTENT,
        b"extra_metadata" => slot::EXTRA_METADATA,
        b"tool_calls" => slot::TOOL_CALLS,
        b"tool_call_id" => slot::TOOL_CALL_ID,
        b"reasoning_content" => slot::REASONING_CONTENT,
        b"name" => slot::NAME,
        b"kind" => slot::KIND,
        b"message" => slot::MESSAGE,
        b"text" => slot::TEXT,
        b"results" => slot::RESULTS,
        _ => return None,
    })
}

/// What an object of a history is; of repeated members the last counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A row that is copied and not judged.
    PlainRow,
    /// An assistant row with calls.
    CallRow,
    /// A tool row with an id.
    ResultRow,
    /// `{"kind":"calls"}`
    CallsEntry,
    /// `{"kind":"results"}`
    ResultsEntry,
    /// `{"kind":"chat"}`
    ChatEntry,
    /// Neither a row nor an entry.
    Unknown,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot<'a> {
    start: usize,
    end: usize,
    /// The value if it is a string.
    token: Option<Tok<'a>>,
}

/// An object's members, by slot. Made once and read into again and again: only its buffers last.
#[derive(Debug)]
pub(crate) struct Object<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    slots: [Slot<'a>; slot::SLOTS],
    /// A bit for each slot that is filled, also by null.
    seen: u16,
    /// A bit for each slot whose key stands twice.
    repeated: u16,
    /// From the key's first quote to the value's end, for each member that rows do not know.
    unknown: Vec<(usize, usize)>,
    /// Of the last member `tool_calls` that is an array.
    calls: Vec<Call<'a>>,
    calls_traits: CallsTraits,
}

impl<'a> Object<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            start: 0,
            end: 0,
            slots: [Slot::default(); slot::SLOTS],
            seen: 0,
            repeated: 0,
            unknown: Vec::new(),
            calls: Vec::new(),
            calls_traits: CallsTraits::default(),
        }
    }

    /// Reads the object that stands next; calls too if `READ_CALLS`.
    #[inline]
    pub(crate) fn read<const READ_CALLS: bool>(
        &mut self,
        cursor: &mut Cursor<'a>,
    ) -> Result<(), JsonError> {
        self.read_with::<READ_CALLS>(cursor, |_| None)
    }

    /// As [`Object::read`]. `read_content` may read and check a string that is the member `content`, given
    /// the cursor before it: then it returns the offset after it, and the member has no token.
    #[inline]
    pub(crate) fn read_with<const READ_CALLS: bool>(
        &mut self,
        cursor: &mut Cursor<'a>,
        mut read_content: impl FnMut(&Cursor<'a>) -> Option<usize>,
    ) -> Result<(), JsonError> {
        (self.seen, self.repeated) = (0, 0);
        self.unknown.clear();
        self.calls.clear();
        cursor.object()?;
        self.start = cursor.at() - 1;
        while let Some(key) = cursor.next_key()? {
            let found = slot_of(&key.plain_bytes());
            if found.is_none_or(|slot| slot >= slot::ROW_SLOTS) {
                let key_at = key.quote_at(self.text);
                cursor.peek_kind()?;
                let (start, token) = (cursor.at(), read_value(cursor)?);
                let end = cursor.at();
                self.unknown.push((key_at, end));
                if let Some(slot) = found {
                    self.fill(slot, Slot { start, end, token });
                }
            } else if let Some(slot) = found {
                let kind = cursor.peek_kind()?;
                let start = cursor.at();
                let token = if READ_CALLS && slot == slot::TOOL_CALLS && kind == Kind::Array {
                    self.calls.clear();
                    self.calls_traits = read_calls(cursor, &mut self.calls, |_| {})?;
                    None
                } else if slot == slot::CONTENT
                    && kind == Kind::String
                    && let Some(end) = read_content(cursor)
                {
                    cursor.pass_string(end);
                    None
                } else {
                    read_value(cursor)?
                };
                self.fill(slot, Slot { start, end: cursor.at(), token });
            }
        }
        self.end = cursor.at();
        Ok(())
    }

    #[inline]
    fn fill(&mut self, slot: usize, value: Slot<'a>) {
        self.repeated |= self.seen & 1 << slot;
        self.seen |= 1 << slot;
        self.slots[slot] = value;
    }

    /// Whether the member is there, if only as null.
    #[inline]
    pub(crate) const fn has(&self, slot: usize) -> bool {
        self.seen & 1 << slot != 0
    }

    /// The member's value as it stands; null is absent.
    #[inline]
    pub(crate) fn value(&self, slot: usize) -> Option<&'a str> {
        if !self.has(slot) {
            return None;
        }
        let Slot { start, end, .. } = self.slots[slot];
        let value = &self.text[start..end];
        (!value.starts_with('n')).then_some(value)
    }

    /// The member's value as it stands, with its place in the text; null is absent.
    pub(crate) fn raw(&self, slot: usize) -> Option<Raw<'a>> {
        self.value(slot)
            .map(|_| Raw::read_before(&self.text[..self.slots[slot].end], self.slots[slot].start))
    }

    /// The member's value if it is a string.
    #[inline]
    pub(crate) const fn token(&self, slot: usize) -> Option<Tok<'a>> {
        if self.has(slot) { self.slots[slot].token } else { None }
    }

    /// Whether the member is absent, null or a string.
    #[inline]
    pub(crate) fn is_optional_text(&self, slot: usize) -> bool {
        self.token(slot).is_some() || self.value(slot).is_none()
    }

    /// Whether a member that rows know stands twice.
    #[inline]
    pub(crate) const fn repeats_row_member(&self) -> bool {
        self.repeated & ((1 << slot::ROW_SLOTS) - 1) != 0
    }

    /// The calls, if they were read and the member is an array.
    pub(crate) fn calls(&self) -> &[Call<'a>] {
        &self.calls
    }

    /// The whole object as it stands.
    pub(crate) fn as_str(&self) -> &'a str {
        &self.text[self.start..self.end]
    }

    pub(crate) const fn span(&self) -> (usize, usize) {
        (self.start, self.end)
    }

    /// The whole object, to be read again.
    pub(crate) fn as_raw(&self) -> Raw<'a> {
        Raw::read_before(&self.text[..self.end], self.start)
    }

    /// The text that all offsets count in.
    pub(crate) const fn text(&self) -> &'a str {
        self.text
    }

    #[inline]
    pub(crate) fn role_is(&self, role: &str) -> bool {
        self.token(slot::ROLE).is_some_and(|token| token.eq_str(role))
    }

    /// Whether there is a list of calls, or something in its place, that is not empty.
    #[inline]
    pub(crate) fn has_calls(&self) -> bool {
        self.value(slot::TOOL_CALLS).is_some_and(|calls| {
            !(calls.starts_with('[') && Raw::read_before(calls, 0).is_empty_container())
        })
    }

    #[inline]
    pub(crate) fn shape(&self) -> Shape {
        if self.has(slot::ROLE) {
            return self.row_shape();
        }
        match self.token(slot::KIND) {
            Some(kind) if kind.eq_str("calls") => Shape::CallsEntry,
            Some(kind) if kind.eq_str("results") => Shape::ResultsEntry,
            Some(kind) if kind.eq_str("chat") => Shape::ChatEntry,
            _ => Shape::Unknown,
        }
    }

    #[inline]
    pub(crate) fn row_shape(&self) -> Shape {
        if self.role_is("assistant") && self.has_calls() {
            Shape::CallRow
        } else if self.role_is("tool") && self.value(slot::TOOL_CALL_ID).is_some() {
            Shape::ResultRow
        } else {
            Shape::PlainRow
        }
    }

    /// Whether the object is what the tables say of its shape; quick, and needs the calls read.
    /// `false` says that [`Object::judge`] may have something to tell.
    #[inline]
    fn is_sound(&self, shape: Shape) -> bool {
        match shape {
            Shape::PlainRow => true,
            Shape::CallRow => {
                !self.repeats_row_member()
                    && self.is_optional_text(slot::CONTENT)
                    && self.is_optional_text(slot::REASONING_CONTENT)
                    && self.calls_are_sound()
            }
            Shape::ResultRow => {
                !self.repeats_row_member()
                    && self.token(slot::CONTENT).is_some()
                    && self.token(slot::TOOL_CALL_ID).is_some()
            }
            Shape::CallsEntry => {
                self.repeated == 0
                    && self.is_optional_text(slot::TEXT)
                    && self.is_optional_text(slot::REASONING_CONTENT)
                    && self.calls_are_sound()
            }
            // The results themselves are checked where they are read, and so is the row.
            Shape::ResultsEntry => {
                self.repeated == 0
                    && self.value(slot::RESULTS).is_some_and(|results| results.starts_with('['))
            }
            Shape::ChatEntry => {
                self.repeated == 0
                    && self.value(slot::MESSAGE).is_some_and(|row| row.starts_with('{'))
            }
            Shape::Unknown => false,
        }
    }

    /// Whether `tool_calls` is an array of calls as the tables say; needs them read.
    #[inline]
    pub(crate) fn calls_are_sound(&self) -> bool {
        self.value(slot::TOOL_CALLS).is_some_and(|calls| calls.starts_with('['))
            && !self.calls_traits.misshapen
            && !self.calls_traits.repeated
    }

    /// Judges the object by the tables of its shape.
    #[inline]
    pub(crate) fn check(&self, shape: Shape, place: Place) -> Result<(), Error> {
        if self.is_sound(shape) { Ok(()) } else { self.judge(shape, place) }
    }

    #[cold]
    pub(crate) fn judge(&self, shape: Shape, place: Place) -> Result<(), Error> {
        let rules: &[Rule] = match shape {
            Shape::PlainRow => return Ok(()),
            Shape::CallRow => judge::CALL_ROW,
            Shape::ResultRow => judge::RESULT_ROW,
            Shape::CallsEntry => judge::CALLS_ENTRY,
            Shape::ResultsEntry => judge::RESULTS_ENTRY,
            Shape::ChatEntry => judge::CHAT_ENTRY,
            Shape::Unknown => return Err(self.unknown_entry(place)),
        };
        self.judge_by(rules, place)
    }

    /// Judges the object by other rules.
    #[cold]
    pub(crate) fn judge_by(&self, rules: &[Rule], place: Place) -> Result<(), Error> {
        judge::judge(self.as_raw(), rules, &mut place.path())
    }

    fn unknown_entry(&self, place: Place) -> Error {
        use crate::error::Code::UnknownEntry;
        if self.has(slot::KIND) {
            let at = self.slots[slot::KIND].start;
            return Error::at(UnknownEntry, at, place.path() + "/kind");
        }
        Error::at(UnknownEntry, self.start, place.path())
    }

    /// Appends known members as they stand, each after a comma; those that are null are left out.
    #[inline]
    pub(crate) fn push_known(&self, out: &mut Vec<u8>, slots: &[usize]) {
        for &slot in slots {
            if let Some(value) = self.value(slot) {
                out.extend_from_slice(ROW_KEYS[slot]);
                out.extend_from_slice(value.as_bytes());
            }
        }
    }

    /// Appends the members that rows do not know as they stand, each after a comma.
    #[inline]
    pub(crate) fn push_unknown(&self, out: &mut Vec<u8>) {
        for &(start, end) in &self.unknown {
            out.push(b',');
            out.extend_from_slice(&self.text.as_bytes()[start..end]);
        }
    }

    /// Appends the unknown members that are not null.
    pub(crate) fn push_unknown_present(&self, out: &mut Vec<u8>) {
        for &(start, end) in &self.unknown {
            // No other value ends so: strings end with a quote, numbers with a digit.
            let member = &self.text[start..end];
            if !member.ends_with("null") {
                out.push(b',');
                out.extend_from_slice(member.as_bytes());
            }
        }
    }
}

/// Reads any value; the token if it is a string.
#[inline]
fn read_value<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Tok<'a>>, JsonError> {
    if cursor.peek_kind()? == Kind::String {
        return cursor.string().map(Some);
    }
    cursor.skip_value()?;
    Ok(None)
}
