//! What an encoder must do: write well-ordered deltas in its format's events.

use super::delta::{Counts, FaultInfo, Field, PartKind, Reason};
use crate::json::{Raw, Tok};

/// What the referee must know about a target.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// All parts of a kind share one field: their borders vanish.
    pub one_field_per_kind: bool,
    /// Text and calls stand apart: their order vanishes.
    pub text_apart_from_calls: bool,
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
#[derive(Clone, Copy, Debug)]
pub struct TextBlock {
    /// What it holds.
    pub kind: PartKind,
    /// Tells it from all other parts of the stream.
    pub part: u32,
}

/// A call about to be opened.
#[derive(Clone, Copy, Debug)]
pub struct CallOpening<'a> {
    /// Its place among the calls of the answer, from 0 without gaps.
    pub ordinal: u32,
    /// The id under which it is answered.
    pub id: &'a str,
    /// The tool's name.
    pub name: &'a str,
    /// Whether its text is free-form input instead of JSON arguments.
    pub free_form: bool,
}

/// Writes one format's stream. The referee calls it in a fixed order: `start` once and first; then texts and
/// calls, each call opened before its text and closed after it; then `end`, or `fault` at any time; after
/// either nothing. Methods append whole events to `out`.
pub trait Encode {
    /// What the referee must know about the target.
    const TRAITS: Traits;

    /// Writes what opens the answer.
    fn start(&mut self, head: &Head, out: &mut Vec<u8>);
    /// Whether the target has a place for this field.
    fn carries(&self, field: Field) -> bool;
    /// Writes text of a message or of reasoning; `log_probs` is a JSON list that belongs to it.
    fn text(
        &mut self,
        block: TextBlock,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        out: &mut Vec<u8>,
    );
    /// Writes an annotation, a JSON object, of the text so far.
    fn annotation(&mut self, annotation: Raw<'_>, out: &mut Vec<u8>);
    /// Opens a call.
    fn open_call(&mut self, call: CallOpening<'_>, out: &mut Vec<u8>);
    /// Writes text of an open call.
    fn call_text(&mut self, ordinal: u32, text: Tok<'_>, out: &mut Vec<u8>);
    /// Closes a call.
    fn close_call(&mut self, ordinal: u32, out: &mut Vec<u8>);
    /// Writes everything that ends an answer.
    fn end(&mut self, reason: Reason, counts: &Counts, out: &mut Vec<u8>);
    /// Writes the target's error event.
    fn fault(&mut self, fault: &FaultInfo<'_>, out: &mut Vec<u8>);
    /// Writes a sign of life.
    fn alive(&mut self, out: &mut Vec<u8>);
}
