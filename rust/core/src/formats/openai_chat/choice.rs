//! The chunks of one choice.

use super::annotation::push_annotation;
use super::reasoning::ReasoningJoint;
use crate::json::{
    Raw, Tok, push_raw_compact, push_string, push_token, push_token_as_json_text, push_u64,
};
use crate::stream::delta::PartKind;
use crate::stream::encode::{CallOpening, CallShape, Original, TextBlock};
use crate::stream::options::ReasoningField;

const CHUNK_END: &[u8] = b"},\"finish_reason\":null}]}\n\n";
const TEXT_END: &[u8] = b"\"},\"finish_reason\":null}]}\n\n";
const CALL_TEXT_END: &[u8] = b"\"}}]},\"finish_reason\":null}]}\n\n";

/// Places of a choice before this are those of its fields.
const FIRST_CALL_PLACE: u32 = 3;

/// Writes the chunks of one choice.
#[derive(Debug)]
pub(super) struct ChoiceWriter {
    pub(super) index: u32,
    /// A chunk up to the inside of its delta.
    delta_start: Vec<u8>,
    /// A chunk up to the inside of a string: of content, of a refusal, of reasoning.
    text_starts: [Vec<u8>; 3],
    calls: Vec<Call>,
    reasoning: ReasoningJoint,
    /// The elements of the list of annotations, which goes out as a whole: clients that put an answer together
    /// cannot append to a list whose elements have no index.
    annotations: Vec<Vec<u8>>,
}

#[derive(Debug)]
struct Call {
    /// Everything of a continuation chunk up to the inside of its text.
    continuation_start: Vec<u8>,
    wrapper: Wrapper,
}

/// The wrapper `{"input":"…"}` around free-form input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapper {
    Absent,
    Due,
    Begun,
}

impl ChoiceWriter {
    /// A writer of a choice; `chunk_start` is what all chunks begin with, up to the inside of `choices`.
    pub(super) fn new(index: u32, chunk_start: &[u8], reasoning_field: ReasoningField) -> Self {
        let mut delta_start = chunk_start.to_vec();
        delta_start.extend_from_slice(format!("{{\"index\":{index},\"delta\":{{").as_bytes());
        let fields = ["content", "refusal", reasoning_field.name().unwrap_or_default()];
        let text_starts = fields.map(|field| {
            let mut start = delta_start.clone();
            start.extend_from_slice(format!("\"{field}\":\"").as_bytes());
            start
        });
        Self {
            index,
            delta_start,
            text_starts,
            calls: Vec::new(),
            reasoning: ReasoningJoint::default(),
            annotations: Vec::new(),
        }
    }

    pub(super) fn role(&self, more: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.delta_start);
        out.extend_from_slice(b"\"role\":\"assistant\"");
        out.extend_from_slice(more.as_bytes());
        out.extend_from_slice(CHUNK_END);
    }

    #[inline]
    pub(super) fn text(
        &mut self,
        block: TextBlock,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        out: &mut Vec<u8>,
    ) {
        let (at, part_break): (usize, &[u8]) = match block.kind {
            PartKind::Refusal => (1, b""),
            PartKind::Summary | PartKind::ReasoningText => (2, self.reasoning.before(block, text)),
            _ => (0, b""),
        };
        out.extend_from_slice(&self.text_starts[at]);
        out.extend_from_slice(part_break);
        push_token(out, text);
        match log_probs {
            None => out.extend_from_slice(TEXT_END),
            Some(log_probs) => push_log_probs(out, log_probs, block.kind),
        }
    }

    /// Copies a chunk instead of writing its text, if both say the same.
    #[inline]
    pub(super) fn copy_text(
        &mut self,
        block: TextBlock,
        original: &Original<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        let at = match block.kind {
            PartKind::Refusal => 1,
            PartKind::Summary | PartKind::ReasoningText => 2,
            _ => 0,
        };
        let is_reasoning = at == 2;
        if is_reasoning && !self.reasoning.is_within(block) {
            return false;
        }
        let place = (self.index, at as u32);
        let is_copied = original.copy(place, [&self.text_starts[at], b""], None, out);
        if is_copied && is_reasoning {
            self.reasoning.before(block, original.reading.text);
        }
        is_copied
    }

    /// Keeps an annotation for the end; false if the format has no such kind. One of a source of the same format
    /// stays as it is.
    pub(super) fn annotation(&mut self, annotation: Raw<'_>, is_same_format: bool) -> bool {
        let mut json = Vec::new();
        if is_same_format {
            push_raw_compact(&mut json, annotation);
        } else if !push_annotation(&mut json, annotation) {
            return false;
        }
        self.annotations.push(json);
        true
    }

    pub(super) fn take_back_annotation(&mut self) {
        self.annotations.pop();
    }

    /// Writes a chunk that says nothing.
    pub(super) fn blank(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.delta_start);
        out.extend_from_slice(CHUNK_END);
    }

    pub(super) fn flush_annotations(&mut self, out: &mut Vec<u8>) {
        if self.annotations.is_empty() {
            return;
        }
        out.extend_from_slice(&self.delta_start);
        out.extend_from_slice(b"\"annotations\":[");
        for (at, annotation) in self.annotations.drain(..).enumerate() {
            if at > 0 {
                out.push(b',');
            }
            out.extend_from_slice(&annotation);
        }
        out.push(b']');
        out.extend_from_slice(CHUNK_END);
    }

    pub(super) fn open_call(&mut self, call: CallOpening<'_>, out: &mut Vec<u8>) {
        let (kind, text_member) = match call.shape {
            CallShape::FreeForm => ("custom", "input"),
            CallShape::Arguments | CallShape::Wrapped => ("function", "arguments"),
        };
        let mut call_start = self.delta_start.clone();
        call_start.extend_from_slice(b"\"tool_calls\":[{\"index\":");
        push_u64(&mut call_start, u64::from(call.key.ordinal));
        out.extend_from_slice(&call_start);
        out.extend_from_slice(b",\"id\":");
        push_string(out, call.id);
        out.extend_from_slice(format!(",\"type\":\"{kind}\",\"{kind}\":{{\"name\":").as_bytes());
        push_string(out, call.name);
        out.extend_from_slice(format!(",\"{text_member}\":\"").as_bytes());
        out.extend_from_slice(CALL_TEXT_END);
        call_start.extend_from_slice(format!(",\"{kind}\":{{\"{text_member}\":\"").as_bytes());
        let wrapper = if call.shape == CallShape::Wrapped { Wrapper::Due } else { Wrapper::Absent };
        self.calls.push(Call { continuation_start: call_start, wrapper });
    }

    #[inline]
    pub(super) fn call_text(&mut self, ordinal: u32, text: Tok<'_>, out: &mut Vec<u8>) {
        let Some(call) = self.calls.get_mut(ordinal as usize) else { return };
        out.extend_from_slice(&call.continuation_start);
        if call.wrapper == Wrapper::Absent {
            push_token(out, text);
        } else {
            if call.wrapper == Wrapper::Due {
                out.extend_from_slice(b"{\\\"input\\\":\\\"");
                call.wrapper = Wrapper::Begun;
            }
            push_token_as_json_text(out, text);
        }
        out.extend_from_slice(CALL_TEXT_END);
    }

    /// Copies a chunk instead of writing text of a call, if both say the same.
    #[inline]
    pub(super) fn copy_call_text(
        &self,
        ordinal: u32,
        original: &Original<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        self.calls.get(ordinal as usize).is_some_and(|call| {
            let place = (self.index, FIRST_CALL_PLACE.saturating_add(ordinal));
            call.wrapper == Wrapper::Absent
                && original.copy(place, [&call.continuation_start, b""], None, out)
        })
    }

    pub(super) fn close_call(&mut self, ordinal: u32, out: &mut Vec<u8>) {
        let Some(call) = self.calls.get_mut(ordinal as usize) else { return };
        let start = core::mem::take(&mut call.continuation_start);
        let rest: &[u8] = match call.wrapper {
            Wrapper::Absent => return,
            Wrapper::Due => b"{\\\"input\\\":\\\"\\\"}",
            Wrapper::Begun => b"\\\"}",
        };
        out.extend_from_slice(&start);
        out.extend_from_slice(rest);
        out.extend_from_slice(CALL_TEXT_END);
    }

    pub(super) fn finish(&self, word: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.delta_start);
        out.extend_from_slice(b"},\"finish_reason\":\"");
        out.extend_from_slice(word.as_bytes());
        out.extend_from_slice(b"\"}]}\n\n");
    }
}

/// Ends a text chunk that has log probabilities beside its delta.
#[cold]
fn push_log_probs(out: &mut Vec<u8>, log_probs: Raw<'_>, kind: PartKind) {
    let (before, behind): (&[u8], &[u8]) = if kind == PartKind::Refusal {
        (b"\"},\"logprobs\":{\"content\":null,\"refusal\":", b"}")
    } else {
        (b"\"},\"logprobs\":{\"content\":", b",\"refusal\":null}")
    };
    out.extend_from_slice(before);
    push_raw_compact(out, log_probs);
    out.extend_from_slice(behind);
    out.extend_from_slice(b",\"finish_reason\":null}]}\n\n");
}
