//! Deltas to Chat Completions chunks (`docs/formats/openai_chat.md`, "Encode").

use crate::json::{
    Raw, Tok, push_raw_compact, push_string, push_token, push_token_as_json_text, push_u64,
};
use crate::stream::delta::{Counts, FaultInfo, Field, PartKind, Reason};
use crate::stream::digest::fnv1a_64;
use crate::stream::encode::{CallOpening, Encode, Head, TextBlock, Traits};
use crate::stream::options::{Options, ReasoningField};

const CHUNK_END: &[u8] = b"},\"finish_reason\":null}]}\n\n";
const TEXT_END: &[u8] = b"\"},\"finish_reason\":null}]}\n\n";
const CALL_TEXT_END: &[u8] = b"\"}}]},\"finish_reason\":null}]}\n\n";

/// Writes Chat Completions chunks.
#[derive(Debug)]
pub struct ChatEncoder {
    model: Option<String>,
    response_id: Option<String>,
    created: Option<u64>,
    id_seed: Option<String>,
    omit_usage: bool,
    reasoning_field: ReasoningField,
    custom_tools: Vec<String>,
    /// `data: {"id":…,"model":…,"choices":[`: what all chunks begin with.
    chunk_start: Vec<u8>,
    /// The same up to the inside of a string: of content, of a refusal, of reasoning.
    text_starts: [Vec<u8>; 3],
    calls: Vec<Call>,
    reasoning: ReasoningSoFar,
    /// The elements of the list of annotations, which goes out as a whole: clients that put an answer together
    /// cannot append to a list whose elements have no index.
    annotations: Vec<u8>,
}

#[derive(Debug)]
struct Call {
    /// Everything of a continuation chunk up to the inside of its text.
    continuation_start: Vec<u8>,
    shape: CallShape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallShape {
    /// JSON arguments; or free-form input of a tool that the client declared as custom.
    Plain,
    /// Free-form input inside `{"input":"…"}`, not begun yet.
    WrapperDue,
    /// The same, begun.
    Wrapped,
}

#[derive(Debug, Default)]
struct ReasoningSoFar {
    part: Option<u32>,
    /// How many line feeds it ends with, counted up to two.
    final_line_feeds: usize,
}

impl ChatEncoder {
    /// An encoder before its first chunk.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self {
            model: options.model.clone(),
            response_id: options.response_id.clone(),
            created: options.created,
            id_seed: options.id_seed.clone(),
            omit_usage: options.omit_usage,
            reasoning_field: options.reasoning_field,
            custom_tools: options.custom_tools.clone(),
            chunk_start: Vec::new(),
            text_starts: Default::default(),
            calls: Vec::new(),
            reasoning: ReasoningSoFar::default(),
            annotations: Vec::new(),
        }
    }

    fn fix_head(&mut self, head: &Head) {
        let id = self.response_id.clone().or_else(|| head.id.clone()).unwrap_or_else(|| {
            let seed = self.id_seed.as_deref().unwrap_or_default();
            format!("chatcmpl-{:016x}", fnv1a_64(&[seed.as_bytes()]))
        });
        let model = self.model.as_deref().or(head.model.as_deref()).unwrap_or("unknown");
        let start = &mut self.chunk_start;
        start.extend_from_slice(b"data: {\"id\":");
        push_string(start, &id);
        start.extend_from_slice(b",\"object\":\"chat.completion.chunk\",\"created\":");
        push_u64(start, self.created.or(head.created).unwrap_or(0));
        start.extend_from_slice(b",\"model\":");
        push_string(start, model);
        start.extend_from_slice(b",\"choices\":[");
        let fields = ["content", "refusal", self.reasoning_field.name().unwrap_or_default()];
        for (text_start, field) in self.text_starts.iter_mut().zip(fields) {
            text_start.extend_from_slice(&self.chunk_start);
            text_start.extend_from_slice(b"{\"index\":0,\"delta\":{\"");
            text_start.extend_from_slice(field.as_bytes());
            text_start.extend_from_slice(b"\":\"");
        }
    }

    fn open_delta(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.chunk_start);
        out.extend_from_slice(b"{\"index\":0,\"delta\":{");
    }

    fn flush_annotations(&mut self, out: &mut Vec<u8>) {
        if self.annotations.is_empty() {
            return;
        }
        self.open_delta(out);
        out.extend_from_slice(b"\"annotations\":[");
        out.append(&mut self.annotations);
        out.push(b']');
        out.extend_from_slice(CHUNK_END);
    }

    /// Line feeds between two parts of reasoning, which share one field here.
    fn part_break(&mut self, block: TextBlock, text: Tok<'_>) -> &'static [u8] {
        let so_far = &mut self.reasoning;
        let (first, last, only) = outer_line_feeds(text);
        let changes = so_far.part.is_some_and(|part| part != block.part);
        let present = so_far.final_line_feeds + first;
        so_far.part = Some(block.part);
        so_far.final_line_feeds = match (only, changes) {
            (false, _) => last,
            (true, false) => present.min(2),
            // The break makes up for what is missing.
            (true, true) => 2,
        };
        match (changes, present) {
            (true, 0) => b"\\n\\n",
            (true, 1) => b"\\n",
            _ => b"",
        }
    }
}

/// Line feeds at the start and at the end of a text, each counted up to two, and whether it has nothing
/// else.
fn outer_line_feeds(text: Tok<'_>) -> (usize, usize, bool) {
    if !text.has_escapes() {
        return (0, 0, false);
    }
    let decoded = text.decode();
    let first = decoded.bytes().take_while(|byte| *byte == b'\n').count();
    let last = decoded.bytes().rev().take_while(|byte| *byte == b'\n').count();
    (first.min(2), last.min(2), first == decoded.len())
}

impl Encode for ChatEncoder {
    const TRAITS: Traits = Traits { one_field_per_kind: true, text_apart_from_calls: true };

    fn start(&mut self, head: &Head, out: &mut Vec<u8>) {
        self.fix_head(head);
        self.open_delta(out);
        out.extend_from_slice(b"\"role\":\"assistant\",\"content\":\"\"");
        out.extend_from_slice(CHUNK_END);
    }

    fn carries(&self, field: Field) -> bool {
        field != Field::Reasoning || self.reasoning_field.name().is_some()
    }

    #[inline]
    fn text(
        &mut self,
        block: TextBlock,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        out: &mut Vec<u8>,
    ) {
        let (at, part_break): (usize, &[u8]) = match block.kind {
            PartKind::Refusal => (1, b""),
            PartKind::Summary | PartKind::ReasoningText => (2, self.part_break(block, text)),
            _ => (0, b""),
        };
        out.extend_from_slice(&self.text_starts[at]);
        out.extend_from_slice(part_break);
        push_token(out, text);
        let Some(log_probs) = log_probs else {
            out.extend_from_slice(TEXT_END);
            return;
        };
        out.extend_from_slice(if at == 1 {
            b"\"},\"logprobs\":{\"content\":null,\"refusal\":".as_slice()
        } else {
            b"\"},\"logprobs\":{\"content\":".as_slice()
        });
        push_raw_compact(out, log_probs);
        out.extend_from_slice(if at == 1 {
            b"}".as_slice()
        } else {
            b",\"refusal\":null}".as_slice()
        });
        out.extend_from_slice(b",\"finish_reason\":null}]}\n\n");
    }

    fn annotation(&mut self, annotation: Raw<'_>, _: &mut Vec<u8>) {
        if !self.annotations.is_empty() {
            self.annotations.push(b',');
        }
        push_annotation(&mut self.annotations, annotation);
    }

    fn open_call(&mut self, call: CallOpening<'_>, out: &mut Vec<u8>) {
        let declared = call.free_form && self.custom_tools.iter().any(|name| name == call.name);
        let (kind, text_member) =
            if declared { ("custom", "input") } else { ("function", "arguments") };
        let mut call_start = self.chunk_start.clone();
        call_start.extend_from_slice(b"{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":");
        push_u64(&mut call_start, u64::from(call.ordinal));
        out.extend_from_slice(&call_start);
        out.extend_from_slice(b",\"id\":");
        push_string(out, call.id);
        out.extend_from_slice(format!(",\"type\":\"{kind}\",\"{kind}\":{{\"name\":").as_bytes());
        push_string(out, call.name);
        out.extend_from_slice(format!(",\"{text_member}\":\"").as_bytes());
        out.extend_from_slice(CALL_TEXT_END);
        call_start.extend_from_slice(format!(",\"{kind}\":{{\"{text_member}\":\"").as_bytes());
        let wrap = call.free_form && !declared;
        let shape = if wrap { CallShape::WrapperDue } else { CallShape::Plain };
        self.calls.push(Call { continuation_start: call_start, shape });
    }

    #[inline]
    fn call_text(&mut self, ordinal: u32, text: Tok<'_>, out: &mut Vec<u8>) {
        let Some(call) = self.calls.get_mut(ordinal as usize) else { return };
        out.extend_from_slice(&call.continuation_start);
        if call.shape == CallShape::Plain {
            push_token(out, text);
        } else {
            if call.shape == CallShape::WrapperDue {
                out.extend_from_slice(b"{\\\"input\\\":\\\"");
                call.shape = CallShape::Wrapped;
            }
            push_token_as_json_text(out, text);
        }
        out.extend_from_slice(CALL_TEXT_END);
    }

    fn close_call(&mut self, ordinal: u32, out: &mut Vec<u8>) {
        let Some(call) = self.calls.get_mut(ordinal as usize) else { return };
        let start = core::mem::take(&mut call.continuation_start);
        let rest: &[u8] = match call.shape {
            CallShape::Plain => return,
            CallShape::WrapperDue => b"{\\\"input\\\":\\\"\\\"}",
            CallShape::Wrapped => b"\\\"}",
        };
        out.extend_from_slice(&start);
        out.extend_from_slice(rest);
        out.extend_from_slice(CALL_TEXT_END);
    }

    fn end(&mut self, reason: Reason, counts: &Counts, out: &mut Vec<u8>) {
        self.flush_annotations(out);
        let word = match reason {
            Reason::Stop => "stop",
            Reason::ToolCalls => "tool_calls",
            Reason::Length => "length",
            Reason::ContentFilter => "content_filter",
        };
        out.extend_from_slice(&self.chunk_start);
        out.extend_from_slice(b"{\"index\":0,\"delta\":{},\"finish_reason\":\"");
        out.extend_from_slice(word.as_bytes());
        out.extend_from_slice(b"\"}]}\n\n");
        if counts.is_known() && !self.omit_usage {
            out.extend_from_slice(&self.chunk_start);
            out.extend_from_slice(b"],\"usage\":");
            push_usage(out, counts);
            out.extend_from_slice(b"}\n\n");
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
    }

    fn fault(&mut self, fault: &FaultInfo<'_>, out: &mut Vec<u8>) {
        self.flush_annotations(out);
        out.extend_from_slice(b"data: {\"error\":{\"message\":");
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
        out.extend_from_slice(b"}}\n\n");
    }

    fn alive(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b": keep-alive\n\n");
    }
}

/// The Responses API keeps a citation's members beside its type, Chat in an object named like it.
fn push_annotation(out: &mut Vec<u8>, annotation: Raw<'_>) {
    const CITATION: &str = "url_citation";
    let mut members = Vec::new();
    let mut is_flat_citation = false;
    let mut cursor = annotation.cursor();
    // The annotation was checked when it was read: no step can fail.
    if cursor.object().is_ok() {
        while let Ok(Some(key)) = cursor.next_key() {
            let Ok(value) = cursor.skip_value() else { break };
            if key.eq_str("type") {
                is_flat_citation = value.cursor().string().is_ok_and(|kind| kind.eq_str(CITATION));
            } else {
                members.push((key, value));
            }
        }
    }
    if !is_flat_citation || members.iter().any(|(key, _)| key.eq_str(CITATION)) {
        return push_raw_compact(out, annotation);
    }
    out.extend_from_slice(b"{\"type\":\"url_citation\",\"url_citation\":{");
    for (at, (key, value)) in members.into_iter().enumerate() {
        out.extend_from_slice(if at == 0 { b"\"" } else { b",\"" });
        push_token(out, key);
        out.extend_from_slice(b"\":");
        push_raw_compact(out, value);
    }
    out.extend_from_slice(b"}}");
}

fn push_usage(out: &mut Vec<u8>, counts: &Counts) {
    let input = counts.input.unwrap_or(0);
    let output = counts.output.unwrap_or(0);
    let total = counts.total.unwrap_or(0).max(input.saturating_add(output));
    for (name, count) in [("{\"prompt", input), (",\"completion", output), (",\"total", total)] {
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"_tokens\":");
        push_u64(out, count);
    }
    let of_prompt = [("cached_tokens", counts.cached), ("cache_write_tokens", counts.cache_write)];
    let of_completion = [("reasoning_tokens", counts.reasoning)];
    push_details(out, ",\"prompt_tokens_details\":{", &of_prompt);
    push_details(out, ",\"completion_tokens_details\":{", &of_completion);
    out.push(b'}');
}

fn push_details(out: &mut Vec<u8>, start: &str, counts: &[(&str, Option<u64>)]) {
    let mut before = start;
    for (name, count) in counts {
        let Some(count) = count else { continue };
        out.extend_from_slice(before.as_bytes());
        out.extend_from_slice(format!("\"{name}\":").as_bytes());
        push_u64(out, *count);
        before = ",";
    }
    if before == "," {
        out.push(b'}');
    }
}
