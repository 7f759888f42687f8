//! The words of Responses events (`docs/formats/openai_responses.md`, "Encode").

use crate::json::{push_string, push_u64};
use crate::stream::delta::PartKind;

pub(super) const ANNOTATION_EVENT: &str = "response.output_text.annotation.added";

/// The words of one kind of part.
#[derive(Debug)]
pub(super) struct PartWords {
    /// The part's own type.
    pub(super) part_type: &'static str,
    /// Member of its text, in the part and in its done event.
    pub(super) text_member: &'static str,
    pub(super) delta_event: &'static str,
    pub(super) done_event: &'static str,
    pub(super) added_event: &'static str,
    pub(super) closed_event: &'static str,
    pub(super) index_member: &'static str,
    pub(super) is_summary: bool,
}

pub(super) const fn words_of(kind: PartKind) -> &'static PartWords {
    match kind {
        PartKind::Refusal => &PartWords {
            part_type: "refusal",
            text_member: "refusal",
            delta_event: "response.refusal.delta",
            done_event: "response.refusal.done",
            added_event: "response.content_part.added",
            closed_event: "response.content_part.done",
            index_member: "content_index",
            is_summary: false,
        },
        PartKind::Summary => &PartWords {
            part_type: "summary_text",
            text_member: "text",
            delta_event: "response.reasoning_summary_text.delta",
            done_event: "response.reasoning_summary_text.done",
            added_event: "response.reasoning_summary_part.added",
            closed_event: "response.reasoning_summary_part.done",
            index_member: "summary_index",
            is_summary: true,
        },
        PartKind::ReasoningText => &PartWords {
            part_type: "reasoning_text",
            text_member: "text",
            delta_event: "response.reasoning_text.delta",
            done_event: "response.reasoning_text.done",
            added_event: "response.content_part.added",
            closed_event: "response.content_part.done",
            index_member: "content_index",
            is_summary: false,
        },
        _ => &PartWords {
            part_type: "output_text",
            text_member: "text",
            delta_event: "response.output_text.delta",
            done_event: "response.output_text.done",
            added_event: "response.content_part.added",
            closed_event: "response.content_part.done",
            index_member: "content_index",
            is_summary: false,
        },
    }
}

impl PartWords {
    pub(super) fn is_text(&self) -> bool {
        self.part_type == "output_text"
    }
}

/// Starts an event; the caller appends members, each with a comma before it, and ends it.
#[inline]
pub(super) fn begin(kind: &str, next_sequence_number: &mut u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"event: ");
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(b"\ndata: {\"type\":\"");
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(b"\",\"sequence_number\":");
    push_u64(out, *next_sequence_number);
    *next_sequence_number += 1;
}

#[inline]
pub(super) fn end_event(out: &mut Vec<u8>) {
    out.extend_from_slice(b"}\n\n");
}

pub(super) fn push_output_index(out: &mut Vec<u8>, index: usize) {
    out.extend_from_slice(b",\"output_index\":");
    push_u64(out, index as u64);
}

/// `,"item_id":…,"output_index":…`
pub(super) fn place_of(id: &str, index: usize) -> Vec<u8> {
    let mut place = b",\"item_id\":".to_vec();
    push_string(&mut place, id);
    push_output_index(&mut place, index);
    place
}
