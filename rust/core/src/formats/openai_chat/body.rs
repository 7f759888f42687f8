//! A whole chat completion (`docs/formats/openai_chat.md`, "Encode: whole body").

use super::annotation::push_annotation;
use super::encode::{ChatIdentity, finish_word};
use super::reasoning::ReasoningJoint;
use super::usage_writer::push_usage;
use crate::json::{Raw, Tok, push_raw_compact, push_string, push_token, push_token_as_json_text};
use crate::stream::body::WriteBody;
use crate::stream::delta::{Counts, FaultInfo, Field, PartKind, Reason};
use crate::stream::encode::{
    CallKey, CallOpening, CallShape, Encode, Ending, Head, Layout, TextBlock, Traits,
};
use crate::stream::mirror::Mirror;
use crate::stream::options::{Options, ReasoningField};

/// Writes a chat completion. With `SAME` the source has the format, too: what it says in words of its own stays as
/// it is.
#[derive(Debug)]
pub struct ChatBody<const SAME: bool = false> {
    identity: ChatIdentity,
    reasoning_field: ReasoningField,
    head: Vec<u8>,
    choices: Vec<Choice>,
    body: Vec<u8>,
}

/// One choice; texts are JSON string bodies, absent ones `None`, lists their elements.
#[derive(Debug, Default)]
struct Choice {
    index: u32,
    content: Option<Vec<u8>>,
    refusal: Option<Vec<u8>>,
    reasoning: Option<Vec<u8>>,
    joint: ReasoningJoint,
    calls: Vec<Call>,
    annotations: Vec<u8>,
    content_probs: Vec<u8>,
    refusal_probs: Vec<u8>,
}

#[derive(Debug)]
struct Call {
    /// The call up to the inside of its text.
    start: Vec<u8>,
    is_wrapped: bool,
    text: Vec<u8>,
}

impl<const SAME: bool> ChatBody<SAME> {
    fn choice(&mut self, index: u32) -> Option<&mut Choice> {
        self.choices.iter_mut().find(|choice| choice.index == index)
    }
}

impl<const SAME: bool> WriteBody for ChatBody<SAME> {
    fn new(options: &Options) -> Self {
        Self {
            identity: ChatIdentity::new(options),
            reasoning_field: options.reasoning_field,
            head: Vec::new(),
            choices: Vec::new(),
            body: Vec::new(),
        }
    }

    fn into_body(self) -> Vec<u8> {
        self.body
    }
}

/// Appends an element to a list kept as its elements.
fn push_elements(list: &mut Vec<u8>, elements: &[u8]) {
    if !list.is_empty() {
        list.push(b',');
    }
    list.extend_from_slice(elements);
}

impl Choice {
    fn push_json(&self, reason: Reason, reasoning_field: ReasoningField, out: &mut Vec<u8>) {
        let index = self.index;
        out.extend_from_slice(
            format!("{{\"index\":{index},\"message\":{{\"role\":\"assistant\",\"content\":")
                .as_bytes(),
        );
        push_text_or_null(out, self.content.as_deref());
        out.extend_from_slice(b",\"refusal\":");
        push_text_or_null(out, self.refusal.as_deref());
        if let (Some(reasoning), Some(name)) = (&self.reasoning, reasoning_field.name()) {
            out.extend_from_slice(format!(",\"{name}\":").as_bytes());
            push_text_or_null(out, Some(reasoning));
        }
        for (at, call) in self.calls.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b",\"tool_calls\":[" } else { b"," });
            out.extend_from_slice(&call.start);
            if call.is_wrapped {
                out.extend_from_slice(b"{\\\"input\\\":\\\"");
            }
            out.extend_from_slice(&call.text);
            out.extend_from_slice(if call.is_wrapped { b"\\\"}\"}}" } else { b"\"}}" });
        }
        if !self.calls.is_empty() {
            out.push(b']');
        }
        if !self.annotations.is_empty() {
            out.extend_from_slice(b",\"annotations\":[");
            out.extend_from_slice(&self.annotations);
            out.push(b']');
        }
        out.push(b'}');
        if !(self.content_probs.is_empty() && self.refusal_probs.is_empty()) {
            out.extend_from_slice(b",\"logprobs\":{\"content\":");
            push_list_or_null(out, &self.content_probs);
            out.extend_from_slice(b",\"refusal\":");
            push_list_or_null(out, &self.refusal_probs);
            out.push(b'}');
        }
        out.extend_from_slice(
            format!(",\"finish_reason\":\"{}\"}}", finish_word(reason)).as_bytes(),
        );
    }
}

fn push_text_or_null(out: &mut Vec<u8>, text: Option<&[u8]>) {
    match text {
        None => out.extend_from_slice(b"null"),
        Some(text) => {
            out.push(b'"');
            out.extend_from_slice(text);
            out.push(b'"');
        }
    }
}

fn push_list_or_null(out: &mut Vec<u8>, elements: &[u8]) {
    if elements.is_empty() {
        return out.extend_from_slice(b"null");
    }
    out.push(b'[');
    out.extend_from_slice(elements);
    out.push(b']');
}

impl<const SAME: bool> Mirror for ChatBody<SAME> {
    fn passes_unknown(&self) -> bool {
        SAME
    }
}

impl<const SAME: bool> Encode for ChatBody<SAME> {
    const TRAITS: Traits = Traits {
        layout: Layout::Fields,
        has_choices: true,
        custom_calls_native: SAME,
        keeps_text: true,
        keeps_pieces: false,
    };

    fn start(&mut self, head: &Head, _: &mut Vec<u8>) {
        self.identity.push_head(&mut self.head, head, "chat.completion");
    }

    fn start_choice(&mut self, choice: u32, _: &mut Vec<u8>) {
        self.choices.push(Choice { index: choice, ..Choice::default() });
    }

    fn carries(&self, field: Field) -> bool {
        field != Field::Reasoning || self.reasoning_field.name().is_some()
    }

    fn open_part(&mut self, _: TextBlock, _: &mut Vec<u8>) {}

    fn text(
        &mut self,
        block: TextBlock,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        _: &mut Vec<u8>,
    ) {
        let Some(choice) = self.choice(block.choice) else { return };
        let (field, probs) = match block.kind {
            PartKind::Refusal => (&mut choice.refusal, &mut choice.refusal_probs),
            PartKind::Summary | PartKind::ReasoningText => {
                let part_break = choice.joint.before(block, text);
                let reasoning = choice.reasoning.get_or_insert_default();
                reasoning.extend_from_slice(part_break);
                push_token(reasoning, text);
                return;
            }
            _ => (&mut choice.content, &mut choice.content_probs),
        };
        // Where annotations came without a text there is none.
        if !text.is_empty() {
            push_token(field.get_or_insert_default(), text);
        }
        if let Some(list) = log_probs {
            let mut json = Vec::new();
            push_raw_compact(&mut json, list);
            push_elements(probs, &json[1..json.len() - 1]);
        }
    }

    fn close_part(&mut self, _: TextBlock, _: &mut Vec<u8>) {}

    fn close_item(&mut self, _: u32, _: bool, _: &mut Vec<u8>) {}

    fn annotation(&mut self, block: TextBlock, annotation: Raw<'_>, _: &mut Vec<u8>) -> bool {
        let Some(choice) = self.choice(block.choice) else { return false };
        let mut json = Vec::new();
        if SAME {
            push_raw_compact(&mut json, annotation);
        } else if !push_annotation(&mut json, annotation) {
            return false;
        }
        push_elements(&mut choice.annotations, &json);
        true
    }

    fn open_call(&mut self, call: CallOpening<'_>, _: &mut Vec<u8>) {
        let Some(choice) = self.choice(call.key.choice) else { return };
        let (kind, member) = match call.shape {
            CallShape::FreeForm => ("custom", "input"),
            CallShape::Arguments | CallShape::Wrapped => ("function", "arguments"),
        };
        let mut start = b"{\"id\":".to_vec();
        push_string(&mut start, call.id);
        start.extend_from_slice(format!(",\"type\":\"{kind}\",\"{kind}\":{{\"name\":").as_bytes());
        push_string(&mut start, call.name);
        start.extend_from_slice(format!(",\"{member}\":\"").as_bytes());
        let is_wrapped = call.shape == CallShape::Wrapped;
        choice.calls.push(Call { start, is_wrapped, text: Vec::new() });
    }

    fn call_text(&mut self, key: CallKey, text: Tok<'_>, _: &mut Vec<u8>) {
        let call =
            self.choice(key.choice).and_then(|choice| choice.calls.get_mut(key.ordinal as usize));
        match call {
            Some(call) if call.is_wrapped => push_token_as_json_text(&mut call.text, text),
            Some(call) => push_token(&mut call.text, text),
            None => {}
        }
    }

    fn close_call(&mut self, _: CallKey, _: bool, _: &mut Vec<u8>) {}

    fn end(&mut self, ending: Ending<'_>, _: &mut Vec<u8>) {
        let mut body = core::mem::take(&mut self.head);
        for (at, (index, reason)) in ending.reasons.iter().enumerate() {
            if at > 0 {
                body.push(b',');
            }
            if let Some(choice) = self.choices.iter().find(|choice| choice.index == *index) {
                choice.push_json(*reason, self.reasoning_field, &mut body);
            }
        }
        body.push(b']');
        if ending.counts.is_known() {
            body.extend_from_slice(b",\"usage\":");
            push_usage(&mut body, ending.counts);
        }
        body.push(b'}');
        self.body = body;
    }

    fn fault(&mut self, _: &FaultInfo<'_>, _: &Counts, _: &mut Vec<u8>) {}

    fn alive(&mut self, _: &mut Vec<u8>) {}
}
