//! Deltas to Responses events (`docs/formats/openai_responses.md`, "Encode").

use super::events::{
    ANNOTATION_EVENT, PartWords, begin, end_event, place_of, push_output_index, words_of,
};
use super::object::{Identity, ItemWords, push_response};
use crate::json::{Raw, Tok, push_raw_compact, push_string, push_token};
use crate::stream::delta::{Counts, FaultInfo, Field, Reason};
use crate::stream::encode::{
    CallKey, CallOpening, CallShape, Encode, Ending, Head, Layout, TextBlock, Traits,
};
use crate::stream::mirror::Mirror;
use crate::stream::options::Options;

/// Writes Responses events, and keeps what the terminal object needs.
#[derive(Debug)]
pub struct ResponsesEncoder {
    identity: Identity,
    is_started: bool,
    next_sequence_number: u64,
    /// The items by output index, as JSON; `None` while they are open.
    items: Vec<Option<Vec<u8>>>,
    open_item: Option<OpenItem>,
    calls: Vec<OpenCall>,
    /// The terminal object, for a whole body.
    terminal: Vec<u8>,
}

/// The message or reasoning item that is open.
#[derive(Debug)]
struct OpenItem {
    source_item: u32,
    index: usize,
    words: &'static ItemWords,
    id: String,
    /// Its parts that are closed, as the elements of a JSON list.
    content: Vec<u8>,
    summary: Vec<u8>,
    content_parts: u64,
    summary_parts: u64,
    part: Option<OpenPart>,
}

#[derive(Debug)]
struct OpenPart {
    words: &'static PartWords,
    /// `,"item_id":…,"output_index":…,"…_index":…`: what its events have in common.
    place: Vec<u8>,
    /// A JSON string body.
    text: Vec<u8>,
    /// Elements of JSON lists.
    log_probs: Vec<u8>,
    annotations: Vec<u8>,
    annotation_count: u64,
}

#[derive(Debug)]
struct OpenCall {
    index: usize,
    is_custom: bool,
    id: String,
    /// `,"call_id":…,"name":…,"arguments":"`: the item behind its status, up to its text.
    words: Vec<u8>,
    name: String,
    /// `,"item_id":…,"output_index":…`
    place: Vec<u8>,
    /// A JSON string body.
    text: Vec<u8>,
}

impl OpenPart {
    /// The part as JSON.
    fn push_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"type\":\"");
        out.extend_from_slice(self.words.part_type.as_bytes());
        out.extend_from_slice(b"\",\"");
        out.extend_from_slice(self.words.text_member.as_bytes());
        out.extend_from_slice(b"\":\"");
        out.extend_from_slice(&self.text);
        out.push(b'"');
        if self.words.is_text() {
            out.extend_from_slice(b",\"annotations\":[");
            out.extend_from_slice(&self.annotations);
            out.extend_from_slice(b"],\"logprobs\":[]");
        }
        out.push(b'}');
    }
}

impl OpenItem {
    /// Takes a part that is over into the item.
    fn add_part(&mut self, part: &OpenPart) {
        let parts = if part.words.is_summary { &mut self.summary } else { &mut self.content };
        if !parts.is_empty() {
            parts.push(b',');
        }
        part.push_json(parts);
    }

    /// The item as JSON.
    fn json(&self, is_whole: bool) -> Vec<u8> {
        let mut json = b"{\"id\":\"".to_vec();
        json.extend_from_slice(self.id.as_bytes());
        self.words.push_rest(&mut json, &self.summary, &self.content, is_whole);
        json
    }
}

impl OpenCall {
    /// The item as JSON.
    fn json(&self, status: &str) -> Vec<u8> {
        let kind = if self.is_custom { "custom_tool_call" } else { "function_call" };
        let id = &self.id;
        let mut json =
            format!("{{\"id\":\"{id}\",\"type\":\"{kind}\",\"status\":\"{status}\"").into_bytes();
        json.extend_from_slice(&self.words);
        json.extend_from_slice(&self.text);
        json.extend_from_slice(b"\"}");
        json
    }
}

impl ResponsesEncoder {
    /// An encoder before its first event.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self {
            identity: Identity::new(options),
            is_started: false,
            next_sequence_number: 0,
            items: Vec::new(),
            open_item: None,
            calls: Vec::new(),
            terminal: Vec::new(),
        }
    }

    /// The terminal object, once the answer has ended.
    #[must_use]
    pub fn into_terminal(self) -> Vec<u8> {
        self.terminal
    }

    fn push_lifecycle(&mut self, kind: &str, out: &mut Vec<u8>) {
        begin(kind, &mut self.next_sequence_number, out);
        out.extend_from_slice(b",\"response\":");
        push_response(out, &self.identity, "in_progress", &[], None, None);
        end_event(out);
    }

    fn open_item(&mut self, block: TextBlock, out: &mut Vec<u8>) {
        let words = ItemWords::of(block.kind);
        let index = self.items.len();
        self.items.push(None);
        let id = self.identity.item_id(words.id_prefix, index);
        begin("response.output_item.added", &mut self.next_sequence_number, out);
        push_output_index(out, index);
        out.extend_from_slice(b",\"item\":{\"id\":\"");
        out.extend_from_slice(id.as_bytes());
        out.extend_from_slice(words.opening.as_bytes());
        end_event(out);
        self.open_item = Some(OpenItem {
            source_item: block.item,
            index,
            words,
            id,
            content: Vec::new(),
            summary: Vec::new(),
            content_parts: 0,
            summary_parts: 0,
            part: None,
        });
    }

    fn finish_item(&mut self, is_whole: bool, out: &mut Vec<u8>) {
        let Some(item) = self.open_item.take() else { return };
        self.push_item_done(item.index, item.json(is_whole), out);
    }

    fn push_item_done(&mut self, index: usize, json: Vec<u8>, out: &mut Vec<u8>) {
        begin("response.output_item.done", &mut self.next_sequence_number, out);
        push_output_index(out, index);
        out.extend_from_slice(b",\"item\":");
        out.extend_from_slice(&json);
        end_event(out);
        self.items[index] = Some(json);
    }

    /// The items that are done, in order of their index.
    fn done_items(&self) -> Vec<&[u8]> {
        self.items.iter().flatten().map(Vec::as_slice).collect()
    }

    /// Takes the items that are still open as they are: cut.
    fn give_up_open_items(&mut self) {
        if let Some(mut item) = self.open_item.take() {
            if let Some(part) = item.part.take() {
                item.add_part(&part);
            }
            self.items[item.index] = Some(item.json(false));
        }
        for call in &mut self.calls {
            if self.items[call.index].is_none() {
                self.items[call.index] = Some(call.json("incomplete"));
            }
        }
    }

    fn ensure_started(&mut self, out: &mut Vec<u8>) {
        if !self.is_started {
            self.start(&Head::default(), out);
        }
    }
}

impl Mirror for ResponsesEncoder {}

impl Encode for ResponsesEncoder {
    const TRAITS: Traits = Traits {
        layout: Layout::Items,
        has_choices: false,
        custom_calls_native: true,
        keeps_text: true,
        keeps_pieces: false,
    };

    fn start(&mut self, head: &Head, out: &mut Vec<u8>) {
        self.is_started = true;
        self.identity.fix(head);
        self.push_lifecycle("response.created", out);
        self.push_lifecycle("response.in_progress", out);
    }

    fn start_choice(&mut self, _: u32, _: &mut Vec<u8>) {}

    fn carries(&self, _: Field) -> bool {
        true
    }

    fn open_part(&mut self, block: TextBlock, out: &mut Vec<u8>) {
        let continues = self.open_item.as_ref().is_some_and(|item| {
            item.source_item == block.item && item.words == ItemWords::of(block.kind)
        });
        if !continues {
            self.finish_item(true, out);
            self.open_item(block, out);
        }
        let words = words_of(block.kind);
        let Some(item) = self.open_item.as_mut() else { return };
        let counter =
            if words.is_summary { &mut item.summary_parts } else { &mut item.content_parts };
        let number = *counter;
        *counter += 1;
        let mut place = place_of(&item.id, item.index);
        place.extend_from_slice(format!(",\"{}\":{number}", words.index_member).as_bytes());
        let part = OpenPart {
            words,
            place,
            text: Vec::new(),
            log_probs: Vec::new(),
            annotations: Vec::new(),
            annotation_count: 0,
        };
        let mut json = Vec::new();
        part.push_json(&mut json);
        let place = part.place.clone();
        item.part = Some(part);
        begin(words.added_event, &mut self.next_sequence_number, out);
        out.extend_from_slice(&place);
        out.extend_from_slice(b",\"part\":");
        out.extend_from_slice(&json);
        end_event(out);
    }

    #[inline]
    fn text(&mut self, _: TextBlock, text: Tok<'_>, log_probs: Option<Raw<'_>>, out: &mut Vec<u8>) {
        let Some(part) = self.open_item.as_mut().and_then(|item| item.part.as_mut()) else {
            return;
        };
        begin(part.words.delta_event, &mut self.next_sequence_number, out);
        out.extend_from_slice(&part.place);
        out.extend_from_slice(b",\"delta\":\"");
        let from = out.len();
        push_token(out, text);
        part.text.extend_from_slice(&out[from..]);
        if !part.words.is_text() {
            out.extend_from_slice(b"\"}\n\n");
            return;
        }
        out.extend_from_slice(b"\",\"logprobs\":[");
        if let Some(log_probs) = log_probs {
            let from = out.len();
            push_raw_compact(out, log_probs);
            // The list's own brackets are written already.
            out.pop();
            out.remove(from);
            if !part.log_probs.is_empty() {
                part.log_probs.push(b',');
            }
            part.log_probs.extend_from_slice(&out[from..]);
        }
        out.extend_from_slice(b"]}\n\n");
    }

    fn close_part(&mut self, _: TextBlock, out: &mut Vec<u8>) {
        let Some(part) = self.open_item.as_mut().and_then(|item| item.part.take()) else { return };
        begin(part.words.done_event, &mut self.next_sequence_number, out);
        out.extend_from_slice(&part.place);
        out.extend_from_slice(b",\"");
        out.extend_from_slice(part.words.text_member.as_bytes());
        out.extend_from_slice(b"\":\"");
        out.extend_from_slice(&part.text);
        out.push(b'"');
        if part.words.is_text() {
            out.extend_from_slice(b",\"logprobs\":[");
            out.extend_from_slice(&part.log_probs);
            out.push(b']');
        }
        end_event(out);
        begin(part.words.closed_event, &mut self.next_sequence_number, out);
        out.extend_from_slice(&part.place);
        out.extend_from_slice(b",\"part\":");
        part.push_json(out);
        if let Some(item) = self.open_item.as_mut() {
            item.add_part(&part);
        }
        end_event(out);
    }

    fn close_item(&mut self, item: u32, is_whole: bool, out: &mut Vec<u8>) {
        if self.open_item.as_ref().is_some_and(|open| open.source_item == item) {
            self.finish_item(is_whole, out);
        }
    }

    fn annotation(&mut self, _: TextBlock, annotation: Raw<'_>, out: &mut Vec<u8>) -> bool {
        let open = self.open_item.as_mut().and_then(|item| item.part.as_mut());
        let Some(part) = open.filter(|part| part.words.is_text()) else { return false };
        let mut json = Vec::new();
        if !super::annotation::push_annotation(&mut json, annotation) {
            return false;
        }
        if part.annotation_count > 0 {
            part.annotations.push(b',');
        }
        part.annotations.extend_from_slice(&json);
        let at = part.annotation_count;
        part.annotation_count += 1;
        begin(ANNOTATION_EVENT, &mut self.next_sequence_number, out);
        out.extend_from_slice(&part.place);
        out.extend_from_slice(format!(",\"annotation_index\":{at},\"annotation\":").as_bytes());
        out.extend_from_slice(&json);
        end_event(out);
        true
    }

    fn open_call(&mut self, call: CallOpening<'_>, out: &mut Vec<u8>) {
        self.finish_item(true, out);
        let is_custom = call.shape == CallShape::FreeForm;
        let (prefix, kind, member) = if is_custom {
            ("ctc_", "custom_tool_call", "input")
        } else {
            ("fc_", "function_call", "arguments")
        };
        let index = self.items.len();
        self.items.push(None);
        let id = self.identity.item_id(prefix, index);
        let mut call_words = b",\"call_id\":".to_vec();
        push_string(&mut call_words, call.id);
        call_words.extend_from_slice(b",\"name\":");
        push_string(&mut call_words, call.name);
        call_words.extend_from_slice(format!(",\"{member}\":\"").as_bytes());
        let item_start = format!("{{\"id\":\"{id}\",\"type\":\"{kind}\",\"status\":\"");
        begin("response.output_item.added", &mut self.next_sequence_number, out);
        push_output_index(out, index);
        out.extend_from_slice(b",\"item\":");
        out.extend_from_slice(item_start.as_bytes());
        out.extend_from_slice(b"in_progress\"");
        out.extend_from_slice(&call_words);
        out.extend_from_slice(b"\"}");
        end_event(out);
        let place = place_of(&id, index);
        self.calls.push(OpenCall {
            index,
            is_custom,
            id,
            words: call_words,
            name: call.name.to_owned(),
            place,
            text: Vec::new(),
        });
    }

    #[inline]
    fn call_text(&mut self, key: CallKey, text: Tok<'_>, out: &mut Vec<u8>) {
        let Some(call) = self.calls.get_mut(key.ordinal as usize) else { return };
        let kind = if call.is_custom {
            "response.custom_tool_call_input.delta"
        } else {
            "response.function_call_arguments.delta"
        };
        begin(kind, &mut self.next_sequence_number, out);
        out.extend_from_slice(&call.place);
        out.extend_from_slice(b",\"delta\":\"");
        let from = out.len();
        push_token(out, text);
        call.text.extend_from_slice(&out[from..]);
        out.extend_from_slice(b"\"}\n\n");
    }

    fn close_call(&mut self, key: CallKey, is_whole: bool, out: &mut Vec<u8>) {
        let Some(call) = self.calls.get(key.ordinal as usize) else { return };
        let json = call.json(if is_whole { "completed" } else { "incomplete" });
        let index = call.index;
        let (done_event, member) = if call.is_custom {
            ("response.custom_tool_call_input.done", "input")
        } else {
            ("response.function_call_arguments.done", "arguments")
        };
        begin(done_event, &mut self.next_sequence_number, out);
        out.extend_from_slice(&call.place);
        if !call.is_custom {
            out.extend_from_slice(b",\"name\":");
            push_string(out, &call.name);
        }
        out.extend_from_slice(format!(",\"{member}\":\"").as_bytes());
        out.extend_from_slice(&call.text);
        out.push(b'"');
        end_event(out);
        self.push_item_done(index, json, out);
    }

    fn end(&mut self, ending: Ending<'_>, out: &mut Vec<u8>) {
        let reason = ending.reasons.first().map_or(Reason::Stop, |(_, reason)| *reason);
        let (status, cause) = match reason {
            Reason::Stop | Reason::ToolCalls => ("completed", None),
            Reason::Length => ("incomplete", Some("max_output_tokens")),
            Reason::ContentFilter => ("incomplete", Some("content_filter")),
        };
        self.finish_item(cause.is_none(), out);
        let mut terminal = Vec::new();
        let usage = ending.counts.is_known().then_some(ending.counts);
        let items = self.done_items();
        push_response(&mut terminal, &self.identity, status, &items, cause, usage);
        begin(
            if cause.is_none() { "response.completed" } else { "response.incomplete" },
            &mut self.next_sequence_number,
            out,
        );
        out.extend_from_slice(b",\"response\":");
        out.extend_from_slice(&terminal);
        end_event(out);
        self.terminal = terminal;
    }

    fn fault(&mut self, fault: &FaultInfo<'_>, counts: &Counts, out: &mut Vec<u8>) {
        self.ensure_started(out);
        self.give_up_open_items();
        let code = fault.code.or(fault.kind).unwrap_or("server_error");
        begin("error", &mut self.next_sequence_number, out);
        out.extend_from_slice(b",\"code\":");
        push_string(out, code);
        out.extend_from_slice(b",\"message\":");
        push_string(out, fault.message);
        out.extend_from_slice(b",\"param\":");
        match fault.param {
            Some(param) => push_string(out, param),
            None => out.extend_from_slice(b"null"),
        }
        end_event(out);
        begin("response.failed", &mut self.next_sequence_number, out);
        out.extend_from_slice(b",\"response\":");
        let items = self.done_items();
        let usage = counts.is_known().then_some(counts);
        let words = (code, fault.message);
        super::object::push_failed_response(out, &self.identity, &items, words, usage);
        end_event(out);
    }

    fn alive(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b": keep-alive\n\n");
    }
}
