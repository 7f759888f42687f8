//! Deltas to Chat Completions chunks (`docs/formats/openai_chat.md`, "Encode").

use super::choice::ChoiceWriter;
use super::clean::indexes_of;
use super::usage_writer::push_usage;
use crate::json::{Raw, Tok, push_string, push_u64};
use crate::stream::delta::{Counts, FaultInfo, Field, Reason};
use crate::stream::digest::fnv1a_64;
use crate::stream::encode::{
    CallKey, CallOpening, Encode, Ending, Head, Layout, Original, TextBlock, Traits,
};
use crate::stream::mirror::Mirror;
use crate::stream::options::{Options, ReasoningField};

/// Writes Chat Completions chunks. With `SAME` the source has the format, too: what it says in words of its own
/// stays as it is.
#[derive(Debug)]
pub struct ChatEncoder<const SAME: bool = false> {
    identity: ChatIdentity,
    omit_usage: bool,
    reasoning_field: ReasoningField,
    /// `data: {"id":…,"model":…,"choices":[`: what all chunks begin with.
    chunk_start: Vec<u8>,
    choices: Vec<ChoiceWriter>,
}

/// Id, time and model of an answer: the caller's words go first, then the source's.
#[derive(Debug)]
pub(super) struct ChatIdentity {
    model: Option<String>,
    response_id: Option<String>,
    created: Option<u64>,
    id_seed: Option<String>,
}

impl ChatIdentity {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            model: options.model.clone(),
            response_id: options.response_id.clone(),
            created: options.created,
            id_seed: options.id_seed.clone(),
        }
    }

    fn id(&self, head: &Head) -> String {
        self.response_id.clone().or_else(|| head.id.clone()).unwrap_or_else(|| {
            let seed = self.id_seed.as_deref().unwrap_or_default();
            format!("chatcmpl-{:016x}", fnv1a_64(&[seed.as_bytes()]))
        })
    }

    fn created(&self, head: &Head) -> u64 {
        self.created.or(head.created).unwrap_or(0)
    }

    fn model<'s>(&'s self, head: &'s Head) -> &'s str {
        self.model.as_deref().or(head.model.as_deref()).unwrap_or("unknown")
    }

    /// Starts an object, up to the inside of its list of choices.
    pub(super) fn push_head(&self, out: &mut Vec<u8>, head: &Head, object: &str) {
        out.extend_from_slice(b"{\"id\":");
        push_string(out, &self.id(head));
        out.extend_from_slice(format!(",\"object\":\"{object}\",\"created\":").as_bytes());
        push_u64(out, self.created(head));
        out.extend_from_slice(b",\"model\":");
        push_string(out, self.model(head));
        out.extend_from_slice(b",\"choices\":[");
    }
}

impl<const SAME: bool> ChatEncoder<SAME> {
    /// An encoder before its first chunk.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self {
            identity: ChatIdentity::new(options),
            omit_usage: options.omit_usage,
            reasoning_field: options.reasoning_field,
            chunk_start: Vec::new(),
            choices: Vec::new(),
        }
    }

    #[inline]
    fn choice(&mut self, index: u32) -> Option<&mut ChoiceWriter> {
        let at = match self.choices.first() {
            Some(first) if first.index == index => 0,
            _ => self.choices.iter().position(|choice| choice.index == index)?,
        };
        self.choices.get_mut(at)
    }
}

/// The word for why a choice ended.
pub(super) const fn finish_word(reason: Reason) -> &'static str {
    match reason {
        Reason::Stop => "stop",
        Reason::ToolCalls => "tool_calls",
        Reason::Length => "length",
        Reason::ContentFilter => "content_filter",
    }
}

impl<const SAME: bool> Mirror for ChatEncoder<SAME> {
    fn passes_unknown(&self) -> bool {
        SAME
    }

    fn blank(&mut self, source: Raw<'_>, out: &mut Vec<u8>) {
        for index in indexes_of(source) {
            if let Some(choice) = self.choice(index) {
                choice.blank(out);
            }
        }
    }
}

impl<const SAME: bool> Encode for ChatEncoder<SAME> {
    const TRAITS: Traits = Traits {
        layout: Layout::Fields,
        has_choices: true,
        custom_calls_native: SAME,
        keeps_text: false,
        keeps_pieces: SAME,
    };

    fn start(&mut self, head: &Head, _: &mut Vec<u8>) {
        self.chunk_start.extend_from_slice(b"data: ");
        self.identity.push_head(&mut self.chunk_start, head, "chat.completion.chunk");
    }

    fn start_choice(&mut self, choice: u32, out: &mut Vec<u8>) {
        let writer = ChoiceWriter::new(choice, &self.chunk_start, self.reasoning_field);
        writer.role(if SAME { "" } else { ",\"content\":\"\"" }, out);
        self.choices.push(writer);
    }

    fn carries(&self, field: Field) -> bool {
        field != Field::Reasoning || self.reasoning_field.name().is_some()
    }

    fn open_part(&mut self, _: TextBlock, _: &mut Vec<u8>) {}

    #[inline]
    fn text(
        &mut self,
        block: TextBlock,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        out: &mut Vec<u8>,
    ) {
        if let Some(choice) = self.choice(block.choice) {
            choice.text(block, text, log_probs, out);
        }
    }

    #[inline]
    fn copy_text(&mut self, block: TextBlock, original: &Original<'_>, out: &mut Vec<u8>) -> bool {
        self.choice(block.choice).is_some_and(|choice| choice.copy_text(block, original, out))
    }

    fn close_part(&mut self, _: TextBlock, _: &mut Vec<u8>) {}

    fn close_item(&mut self, _: u32, _: bool, _: &mut Vec<u8>) {}

    fn annotation(&mut self, block: TextBlock, annotation: Raw<'_>, _: &mut Vec<u8>) -> bool {
        self.choice(block.choice).is_some_and(|choice| choice.annotation(annotation, SAME))
    }

    fn take_back_annotation(&mut self, choice: u32) {
        if let Some(choice) = self.choice(choice) {
            choice.take_back_annotation();
        }
    }

    fn open_call(&mut self, call: CallOpening<'_>, out: &mut Vec<u8>) {
        if let Some(choice) = self.choice(call.key.choice) {
            choice.open_call(call, out);
        }
    }

    #[inline]
    fn call_text(&mut self, key: CallKey, text: Tok<'_>, out: &mut Vec<u8>) {
        if let Some(choice) = self.choice(key.choice) {
            choice.call_text(key.ordinal, text, out);
        }
    }

    #[inline]
    fn copy_call_text(&mut self, key: CallKey, original: &Original<'_>, out: &mut Vec<u8>) -> bool {
        self.choice(key.choice)
            .is_some_and(|choice| choice.copy_call_text(key.ordinal, original, out))
    }

    fn close_call(&mut self, key: CallKey, _: bool, out: &mut Vec<u8>) {
        if let Some(choice) = self.choice(key.choice) {
            choice.close_call(key.ordinal, out);
        }
    }

    fn end(&mut self, ending: Ending<'_>, out: &mut Vec<u8>) {
        for (index, reason) in ending.reasons {
            if let Some(choice) = self.choice(*index) {
                choice.flush_annotations(out);
                choice.finish(finish_word(*reason), out);
            }
        }
        if ending.counts.is_known() && !self.omit_usage {
            out.extend_from_slice(&self.chunk_start);
            out.extend_from_slice(b"],\"usage\":");
            push_usage(out, ending.counts);
            out.extend_from_slice(b"}\n\n");
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
    }

    fn fault(&mut self, fault: &FaultInfo<'_>, _: &Counts, out: &mut Vec<u8>) {
        for choice in &mut self.choices {
            choice.flush_annotations(out);
        }
        out.extend_from_slice(b"data: ");
        push_error_body(out, fault);
        out.extend_from_slice(b"\n\n");
    }

    fn alive(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b": keep-alive\n\n");
    }
}

/// The error object: of a stream, and as a whole body.
pub(crate) fn push_error_body(out: &mut Vec<u8>, fault: &FaultInfo<'_>) {
    out.extend_from_slice(b"{\"error\":{\"message\":");
    push_string(out, fault.message);
    out.extend_from_slice(b",\"type\":");
    push_string(out, fault.kind.unwrap_or("upstream_error"));
    for (name, value) in [("param", fault.param), ("code", fault.code)] {
        out.extend_from_slice(format!(",\"{name}\":").as_bytes());
        match value {
            Some(text) => push_string(out, text),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.extend_from_slice(b"}}");
}
