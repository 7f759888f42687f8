//! Items and parts as they are written: what was streamed, with what the source showed beside it.

use super::riders::Riders;
use crate::formats::openai_responses::events::PartWords;
use crate::json::{Kind, Raw, TextBuf, push_raw_passed, push_string, push_token};
use crate::stream::decode::members;
use crate::stream::delta::Class;

/// What the source showed of an item beside its text.
#[derive(Debug, Default)]
pub(super) struct ShownItem {
    riders: Riders,
    status: Status,
    /// It has a list of content; reasoning need not.
    has_content: bool,
    /// The whole item, if it is a foreign one.
    foreign: Vec<u8>,
}

/// The status of an item in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Status {
    #[default]
    Absent,
    /// In progress, or a word that no item has at its end.
    Open,
    Completed,
    Incomplete,
}

/// When an item is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// It opens: without its text.
    Opening,
    /// It is over; `is_whole` is what stands if the source has no status.
    Over { is_whole: bool },
    /// The answer failed before the item was over.
    Cut,
}

fn is_known(name: &str, class: Class) -> bool {
    match name {
        "id" | "type" | "status" => true,
        "role" => class == Class::Message,
        "content" => matches!(class, Class::Message | Class::Reasoning),
        "summary" => class == Class::Reasoning,
        "call_id" | "name" | "arguments" | "input" => class.is_call(),
        _ => false,
    }
}

impl ShownItem {
    pub(super) fn take(&mut self, class: Class, shown: Raw<'_>) {
        if let Class::Foreign(_) = class {
            self.foreign.clear();
            push_raw_passed(&mut self.foreign, shown);
            return;
        }
        for (key, value) in members(shown) {
            self.has_content |= key.eq_str("content") && value.kind() == Kind::Array;
            if key.eq_str("status") && value.kind() != Kind::Null {
                self.status = match value.bytes() {
                    b"\"completed\"" => Status::Completed,
                    b"\"incomplete\"" => Status::Incomplete,
                    _ => Status::Open,
                };
            }
        }
        self.riders.take(shown, |name| is_known(name, class));
    }

    pub(super) fn bytes(&self) -> usize {
        self.riders.bytes() + self.foreign.len()
    }

    fn status_at(&self, moment: Moment) -> &'static str {
        match (moment, self.status) {
            (Moment::Opening, _) => "in_progress",
            (Moment::Cut, _) | (Moment::Over { .. }, Status::Incomplete) => "incomplete",
            (Moment::Over { .. }, Status::Completed) | (Moment::Over { is_whole: true }, _) => {
                "completed"
            }
            (Moment::Over { is_whole: false }, _) => "incomplete",
        }
    }
}

/// An item that was opened.
#[derive(Debug)]
pub(super) struct MirroredItem {
    pub(super) source: u32,
    pub(super) class: Class,
    pub(super) id: String,
    pub(super) parts: Vec<MirroredPart>,
    /// How many of them are in its content, and in its summary.
    pub(super) part_counts: [usize; 2],
    pub(super) call: Option<MirroredCall>,
    /// How it ended.
    pub(super) end: Option<Moment>,
}

/// What only calls have.
#[derive(Debug)]
pub(super) struct MirroredCall {
    pub(super) is_custom: bool,
    /// `,"item_id":…,"output_index":…`
    pub(super) place: Vec<u8>,
    pub(super) call_id: String,
    pub(super) name: String,
    /// A JSON string body.
    pub(super) text: TextBuf,
    pub(super) text_is_told: bool,
    /// Some of its text was.
    pub(super) was_told: bool,
}

impl MirroredCall {
    pub(super) const fn text_member(&self) -> &'static str {
        if self.is_custom { "input" } else { "arguments" }
    }
}

/// A part that was opened.
#[derive(Debug)]
pub(super) struct MirroredPart {
    /// `None` if it has no neutral form.
    pub(super) words: Option<&'static PartWords>,
    pub(super) is_summary: bool,
    /// `,"item_id":…,"output_index":…,"…_index":…`: what its events have in common.
    pub(super) place: Vec<u8>,
    /// A JSON string body.
    pub(super) text: TextBuf,
    /// Elements of JSON lists.
    pub(super) log_probs: Vec<u8>,
    pub(super) annotations: Vec<u8>,
    pub(super) annotation_count: u64,
    pub(super) is_open: bool,
    /// Its text was told to be complete.
    pub(super) text_is_told: bool,
    /// Some of its text was.
    pub(super) was_told: bool,
    pub(super) riders: Riders,
    /// The whole part, if it has no neutral form.
    pub(super) foreign: Vec<u8>,
}

impl MirroredPart {
    /// Takes what the source shows of it.
    pub(super) fn take(&mut self, shown: Raw<'_>) {
        if self.words.is_none() {
            self.foreign.clear();
            push_raw_passed(&mut self.foreign, shown);
            return;
        }
        self.riders.take(shown, |name| matches!(name, "type" | "text" | "refusal" | "annotations"));
    }

    pub(super) fn bytes(&self) -> usize {
        self.riders.bytes() + self.foreign.len()
    }

    pub(super) fn added_event(&self) -> &'static str {
        match self.words {
            Some(words) => words.added_event,
            None if self.is_summary => "response.reasoning_summary_part.added",
            None => "response.content_part.added",
        }
    }

    pub(super) fn closed_event(&self) -> &'static str {
        match self.words {
            Some(words) => words.closed_event,
            None if self.is_summary => "response.reasoning_summary_part.done",
            None => "response.content_part.done",
        }
    }

    /// The part as JSON.
    pub(super) fn push_json(&self, out: &mut Vec<u8>) {
        let Some(words) = self.words else {
            out.extend_from_slice(&self.foreign);
            return;
        };
        out.extend_from_slice(b"{\"type\":\"");
        out.extend_from_slice(words.part_type.as_bytes());
        out.extend_from_slice(b"\",\"");
        out.extend_from_slice(words.text_member.as_bytes());
        out.extend_from_slice(b"\":\"");
        out.extend_from_slice(self.text.raw());
        out.push(b'"');
        if words.is_text() {
            out.extend_from_slice(b",\"annotations\":[");
            out.extend_from_slice(&self.annotations);
            out.push(b']');
        }
        self.riders.push(out);
        out.push(b'}');
    }
}

impl MirroredItem {
    pub(super) const fn new(
        source: u32,
        class: Class,
        id: String,
        call: Option<MirroredCall>,
    ) -> Self {
        Self { source, class, id, parts: Vec::new(), part_counts: [0; 2], call, end: None }
    }

    /// The item as JSON.
    pub(super) fn push_json(&self, out: &mut Vec<u8>, shown: &ShownItem, moment: Moment) {
        if let Class::Foreign(_) = self.class {
            return self.push_foreign(out, &shown.foreign);
        }
        out.extend_from_slice(b"{\"id\":");
        push_string(out, &self.id);
        let kind = match (self.class, &self.call) {
            (Class::Reasoning, _) => "reasoning",
            (_, Some(call)) if call.is_custom => "custom_tool_call",
            (_, Some(_)) => "function_call",
            _ => "message",
        };
        out.extend_from_slice(format!(",\"type\":\"{kind}\"").as_bytes());
        // A reasoning item need not have one.
        if self.class != Class::Reasoning || shown.status != Status::Absent {
            let status = shown.status_at(moment);
            out.extend_from_slice(format!(",\"status\":\"{status}\"").as_bytes());
        }
        let is_opening = moment == Moment::Opening;
        match (&self.call, self.class) {
            (Some(call), _) => {
                out.extend_from_slice(b",\"call_id\":");
                push_string(out, &call.call_id);
                out.extend_from_slice(b",\"name\":");
                push_string(out, &call.name);
                out.extend_from_slice(format!(",\"{}\":\"", call.text_member()).as_bytes());
                if !is_opening {
                    out.extend_from_slice(call.text.raw());
                }
                out.push(b'"');
            }
            (None, Class::Reasoning) => {
                self.push_parts(out, "summary", true, is_opening);
                if shown.has_content || (!is_opening && self.part_counts[0] > 0) {
                    self.push_parts(out, "content", false, is_opening);
                }
            }
            _ => {
                out.extend_from_slice(b",\"role\":\"assistant\"");
                self.push_parts(out, "content", false, is_opening);
            }
        }
        shown.riders.push(out);
        out.push(b'}');
    }

    fn push_parts(&self, out: &mut Vec<u8>, member: &str, is_summary: bool, is_opening: bool) {
        out.extend_from_slice(format!(",\"{member}\":[").as_bytes());
        let parts = self.parts.iter().filter(|part| part.is_summary == is_summary && !is_opening);
        for (at, part) in parts.enumerate() {
            if at > 0 {
                out.push(b',');
            }
            part.push_json(out);
        }
        out.push(b']');
    }

    /// An item without a neutral form, as it was shown last, under its own id.
    fn push_foreign(&self, out: &mut Vec<u8>, shown: &[u8]) {
        let Ok(shown) = Raw::parse(shown) else { return };
        out.extend_from_slice(b"{\"id\":");
        push_string(out, &self.id);
        for (key, value) in members(shown).filter(|(key, _)| !key.eq_str("id")) {
            out.extend_from_slice(b",\"");
            push_token(out, key);
            out.extend_from_slice(b"\":");
            out.extend_from_slice(value.bytes());
        }
        out.push(b'}');
    }
}
