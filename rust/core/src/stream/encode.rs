//! What an encoder must do: write well-ordered deltas in its format's events.

use core::str;

use super::clean::Around;
use super::delta::{Counts, FaultInfo, Field, PartKind, Reason};
use super::mirror::Mirror;
use crate::json::{Raw, Reading, Tok};

/// How a target arranges what it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Each kind of text is one field, calls stand apart: borders and order vanish, nothing opens or closes.
    Fields,
    /// Items with parts inside, one text-like part open at a time; calls may overlap.
    Items,
    /// Items and parts as the source opens and closes them, for a source of the same format.
    Mirrored,
}

/// What the referee must know about a target.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// How it arranges what it is told.
    pub layout: Layout,
    /// Whether an answer can have several choices.
    pub has_choices: bool,
    /// Whether every free-form call keeps its form; otherwise only those the client declared do.
    pub custom_calls_native: bool,
    /// Whether the writer keeps the text of the whole answer.
    pub keeps_text: bool,
    /// Whether text of a call that was held goes out apart from the text that came after it.
    pub keeps_pieces: bool,
}

/// Head of an answer, fixed when its start is written.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The source's response id.
    pub id: Option<String>,
    /// The source's model name.
    pub model: Option<String>,
    /// Seconds since 1970, from the source.
    pub created: Option<u64>,
}

/// The part that text is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextBlock {
    /// The choice it belongs to.
    pub choice: u32,
    /// The source item it belongs to.
    pub item: u32,
    /// Tells it from all other parts of the stream.
    pub part: u32,
    /// What it holds.
    pub kind: PartKind,
}

/// How the text of a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallShape {
    /// JSON arguments of a function.
    Arguments,
    /// Free-form input that the target can only take as the arguments `{"input":"…"}`.
    Wrapped,
    /// Free-form input of a custom tool.
    FreeForm,
}

/// A call, by its choice and its place among the calls of the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallKey {
    /// The choice it belongs to.
    pub choice: u32,
    /// Its place among the choice's calls, from 0 without gaps.
    pub ordinal: u32,
}

/// A call about to be opened.
#[derive(Clone, Copy, Debug)]
pub struct CallOpening<'a> {
    /// Which call.
    pub key: CallKey,
    /// The id under which it is answered.
    pub id: &'a str,
    /// The tool's name.
    pub name: &'a str,
    /// How its text is written.
    pub shape: CallShape,
    /// The source's item, and the first id it gave it.
    pub item: Option<(u32, Option<&'a str>)>,
}

/// An event of the source with one text, to be copied if just that would be written for the text.
#[derive(Clone, Copy, Debug)]
pub struct Original<'a> {
    /// Its payload, without line breaks.
    pub json: &'a [u8],
    /// What it says.
    pub reading: Reading<'a>,
    /// What was written for another event of its shape, which was copied.
    pub around: &'a Around,
    /// How much had been written before it.
    pub written: usize,
}

impl Original<'_> {
    /// Copies the event if text would be written there, under this number, with this beginning. Within one shape
    /// the beginning tells the rest. `place` names the beginning: two in one place are the same.
    #[inline]
    pub fn copy(
        &self,
        place: (u32, u32),
        beginning: [&[u8]; 2],
        number: Option<u64>,
        out: &mut Vec<u8>,
    ) -> bool {
        let is_number = |number: u64| {
            str::from_utf8(self.reading.counter).is_ok_and(|digits| digits.parse() == Ok(number))
        };
        let is_same = self.around.is_begun_by(place, beginning)
            && number.map_or(self.reading.counter.is_empty(), is_number);
        if is_same {
            out.extend_from_slice(self.around.opening());
            out.extend_from_slice(self.json);
            out.extend_from_slice(b"\n\n");
        }
        is_same
    }
}

/// How an answer ended, choice by choice.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    /// Index and reason of each choice, in order of first sight.
    pub reasons: &'a [(u32, Reason)],
    /// The token counts.
    pub counts: &'a Counts,
}

/// Writes one format's stream. The referee calls it in a fixed order: `start` once and first, `start_choice` once
/// and first for each choice; then texts and calls; then `end`, or `fault` at any time; after either nothing.
/// Unless it has `Layout::Fields` each part is opened before its text and closed after it, and each call closed.
/// Methods append whole events to `out`.
pub trait Encode: Mirror {
    /// What the referee must know about the target.
    const TRAITS: Traits;

    /// Writes what opens the answer.
    fn start(&mut self, head: &Head, out: &mut Vec<u8>);
    /// Writes what opens a choice.
    fn start_choice(&mut self, choice: u32, out: &mut Vec<u8>);
    /// Whether the target has a place for this field.
    fn carries(&self, field: Field) -> bool;
    /// Opens a part.
    fn open_part(&mut self, block: TextBlock, out: &mut Vec<u8>);
    /// Writes text of a message or of reasoning; `log_probs` is a JSON list that belongs to it.
    fn text(
        &mut self,
        block: TextBlock,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        out: &mut Vec<u8>,
    );
    /// Copies an event instead of what [`Encode::text`] would write for its text, if that says the same; false if
    /// nothing was done.
    fn copy_text(&mut self, _: TextBlock, _: &Original<'_>, _: &mut Vec<u8>) -> bool {
        false
    }
    /// Closes a part.
    fn close_part(&mut self, block: TextBlock, out: &mut Vec<u8>);
    /// Closes an item; `is_whole` is false if a limit cut it.
    fn close_item(&mut self, item: u32, is_whole: bool, out: &mut Vec<u8>);
    /// Writes an annotation, a JSON object, of the text so far; false if there is no place for it.
    fn annotation(&mut self, block: TextBlock, annotation: Raw<'_>, out: &mut Vec<u8>) -> bool;
    /// Takes back the last annotation of a choice: the event that brought it was bad. Only a target that holds
    /// annotations has one to take back.
    fn take_back_annotation(&mut self, _choice: u32) {}
    /// Opens a call.
    fn open_call(&mut self, call: CallOpening<'_>, out: &mut Vec<u8>);
    /// Writes text of an open call.
    fn call_text(&mut self, key: CallKey, text: Tok<'_>, out: &mut Vec<u8>);
    /// The same for text of an open call.
    fn copy_call_text(&mut self, _: CallKey, _: &Original<'_>, _: &mut Vec<u8>) -> bool {
        false
    }
    /// Closes a call; `is_whole` is false if a limit cut it.
    fn close_call(&mut self, key: CallKey, is_whole: bool, out: &mut Vec<u8>);
    /// Writes everything that ends an answer.
    fn end(&mut self, ending: Ending<'_>, out: &mut Vec<u8>);
    /// Writes the target's error event; `counts` are those known so far.
    fn fault(&mut self, fault: &FaultInfo<'_>, counts: &Counts, out: &mut Vec<u8>);
    /// Writes a sign of life.
    fn alive(&mut self, out: &mut Vec<u8>);
}
