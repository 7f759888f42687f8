//! Responses in, Responses out: events as the source has them, put right (`DESIGN.md` 8).
//!
//! Each item and part is kept until the end: the terminal object says what was streamed, and carries what the
//! source showed beside it.

mod answer;
mod item;
mod riders;
mod shown;

use std::collections::{BTreeMap, BTreeSet};

use self::answer::ShownAnswer;
use self::item::{MirroredCall, MirroredItem, MirroredPart, Moment, ShownItem};
use self::riders::Riders;
use super::events::{ANNOTATION_EVENT, begin, end_event, place_of, push_output_index, words_of};
use super::object::Identity;
use crate::json::{Raw, TextBuf, Tok, push_raw_compact, push_string, push_token};
use crate::stream::delta::{Class, Counts, FaultInfo, Field, Reason};
use crate::stream::encode::{
    CallKey, CallOpening, CallShape, Encode, Ending, Head, Layout, Original, TextBlock, Traits,
};
use crate::stream::mirror::Mirror;
use crate::stream::options::Options;

/// What stands between the place and the text of a delta.
const DELTA_START: &[u8] = b",\"delta\":\"";

/// Writes Responses events for a source of the same format.
#[derive(Debug)]
pub struct ResponsesMirror {
    identity: Identity,
    is_started: bool,
    next_sequence_number: u64,
    /// Whether the answer was told to be in progress, and to be queued, behind its creation.
    heads_told: [bool; 2],
    answer: ShownAnswer,
    /// The fault that follows was told in the response object.
    answer_failed: bool,
    /// By output index.
    items: Vec<MirroredItem>,
    /// By source item: what it showed, and the index of what it was opened as last.
    shown: BTreeMap<u32, ShownItem>,
    indexes: BTreeMap<u32, usize>,
    /// By source part: the output index, and the place among the item's parts.
    parts: BTreeMap<u32, (usize, usize)>,
    /// The part that got text last.
    hot: Option<(u32, usize, usize)>,
    /// The item that got text last, and the place of the part if it is no call.
    last_text: Option<(usize, Option<usize>)>,
    /// Output indexes by ordinal.
    calls: Vec<usize>,
    ids: BTreeSet<String>,
    /// Events that came before the answer began, with their types.
    early: Vec<(String, Vec<u8>)>,
    shown_bytes: usize,
    /// The answer as a whole, at its end.
    terminal: Vec<u8>,
}

impl ResponsesMirror {
    /// An encoder before its first event.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self {
            identity: Identity::keeping(options),
            is_started: false,
            next_sequence_number: 0,
            heads_told: [false; 2],
            answer: ShownAnswer::default(),
            answer_failed: false,
            items: Vec::new(),
            shown: BTreeMap::new(),
            indexes: BTreeMap::new(),
            parts: BTreeMap::new(),
            hot: None,
            last_text: None,
            calls: Vec::new(),
            ids: BTreeSet::new(),
            early: Vec::new(),
            shown_bytes: 0,
            terminal: Vec::new(),
        }
    }

    /// The source's id, unless another item has it.
    fn item_id(&mut self, wanted: Option<&str>, prefix: &str) -> String {
        let index = self.items.len();
        let free = wanted.filter(|id| !self.ids.contains(*id)).map(str::to_owned);
        let id = free.unwrap_or_else(|| self.identity.item_id(prefix, index));
        self.ids.insert(id.clone());
        id
    }

    fn begin_item(&mut self, item: MirroredItem, out: &mut Vec<u8>) {
        let index = self.items.len();
        let shown = self.shown.entry(item.source).or_default();
        begin("response.output_item.added", &mut self.next_sequence_number, out);
        push_output_index(out, index);
        out.extend_from_slice(b",\"item\":");
        item.push_json(out, shown, Moment::Opening);
        end_event(out);
        self.indexes.insert(item.source, index);
        self.items.push(item);
    }

    fn end_item(&mut self, index: usize, is_whole: bool, out: &mut Vec<u8>) {
        let item = &mut self.items[index];
        let moment = Moment::Over { is_whole };
        item.end = Some(moment);
        begin("response.output_item.done", &mut self.next_sequence_number, out);
        push_output_index(out, index);
        out.extend_from_slice(b",\"item\":");
        let shown = self.shown.entry(item.source).or_default();
        item.push_json(out, shown, moment);
        end_event(out);
    }

    #[inline]
    fn part_at(&mut self, part: u32) -> Option<(usize, usize)> {
        if let Some((hot, item, place)) = self.hot
            && hot == part
        {
            return Some((item, place));
        }
        let (item, place) = self.parts.get(&part).copied()?;
        self.hot = Some((part, item, place));
        Some((item, place))
    }

    fn begin_part(&mut self, block: TextBlock, shown: Option<Raw<'_>>, out: &mut Vec<u8>) {
        let Some(index) = self.indexes.get(&block.item).copied() else { return };
        let is_summary = block.kind.is_summary();
        let item = &mut self.items[index];
        let number = item.part_counts[usize::from(is_summary)];
        item.part_counts[usize::from(is_summary)] += 1;
        let mut place = place_of(&item.id, index);
        let member = if is_summary { "summary_index" } else { "content_index" };
        place.extend_from_slice(format!(",\"{member}\":{number}").as_bytes());
        let mut part = MirroredPart {
            words: (!block.kind.is_foreign()).then(|| words_of(block.kind)),
            is_summary,
            place,
            text: TextBuf::default(),
            log_probs: Vec::new(),
            annotations: Vec::new(),
            annotation_count: 0,
            is_open: true,
            text_is_told: false,
            was_told: false,
            riders: Riders::default(),
            foreign: Vec::new(),
        };
        if let Some(shown) = shown {
            part.take(shown);
            self.shown_bytes += part.bytes();
        }
        begin(part.added_event(), &mut self.next_sequence_number, out);
        out.extend_from_slice(&part.place);
        out.extend_from_slice(b",\"part\":");
        part.push_json(out);
        end_event(out);
        self.parts.insert(block.part, (index, item.parts.len()));
        item.parts.push(part);
        self.hot = None;
    }

    fn tell_text(&mut self, (item, part): (usize, usize), out: &mut Vec<u8>) {
        let part = &mut self.items[item].parts[part];
        let Some(words) = part.words else { return };
        if core::mem::replace(&mut part.text_is_told, true) {
            return;
        }
        part.was_told = true;
        begin(words.done_event, &mut self.next_sequence_number, out);
        out.extend_from_slice(&part.place);
        out.extend_from_slice(format!(",\"{}\":\"", words.text_member).as_bytes());
        out.extend_from_slice(part.text.raw());
        out.push(b'"');
        if words.is_text() {
            out.extend_from_slice(b",\"logprobs\":[");
            out.extend_from_slice(&part.log_probs);
            out.push(b']');
        }
        end_event(out);
    }

    fn tell_call_text(&mut self, index: usize, out: &mut Vec<u8>) {
        let Some(call) = self.items[index].call.as_mut() else { return };
        if core::mem::replace(&mut call.text_is_told, true) {
            return;
        }
        call.was_told = true;
        let kind = if call.is_custom {
            "response.custom_tool_call_input.done"
        } else {
            "response.function_call_arguments.done"
        };
        begin(kind, &mut self.next_sequence_number, out);
        out.extend_from_slice(&call.place);
        if !call.is_custom {
            out.extend_from_slice(b",\"name\":");
            push_string(out, &call.name);
        }
        out.extend_from_slice(format!(",\"{}\":\"", call.text_member()).as_bytes());
        out.extend_from_slice(call.text.raw());
        out.extend_from_slice(b"\"");
        end_event(out);
    }

    /// All items, as the elements of a JSON list; those that are not over are cut.
    fn output(&mut self) -> Vec<u8> {
        let mut output = Vec::new();
        for item in &self.items {
            if !output.is_empty() {
                output.push(b',');
            }
            let shown = self.shown.entry(item.source).or_default();
            item.push_json(&mut output, shown, item.end.unwrap_or(Moment::Cut));
        }
        output
    }

    fn push_response_event(&mut self, kind: &str, response: &[u8], out: &mut Vec<u8>) {
        begin(kind, &mut self.next_sequence_number, out);
        out.extend_from_slice(b",\"response\":");
        out.extend_from_slice(response);
        end_event(out);
    }

    fn push_head(&mut self, kind: &str, status: &str, out: &mut Vec<u8>) {
        let mut response = Vec::new();
        self.answer.open(&self.identity, status).push(&mut response);
        self.push_response_event(kind, &response, out);
    }
}

impl Encode for ResponsesMirror {
    const TRAITS: Traits = Traits {
        layout: Layout::Mirrored,
        has_choices: false,
        custom_calls_native: true,
        keeps_text: true,
        keeps_pieces: false,
    };

    fn start(&mut self, head: &Head, out: &mut Vec<u8>) {
        self.is_started = true;
        self.identity.fix(head);
        let status = if self.answer.is_queued() { "queued" } else { "in_progress" };
        self.push_head("response.created", status, out);
        for (kind, event) in core::mem::take(&mut self.early) {
            self.shown_bytes -= kind.len() + event.len();
            if let Ok(event) = Raw::parse(&event) {
                self.pass_event(None, &kind, event, out);
            }
        }
    }

    fn start_choice(&mut self, _: u32, _: &mut Vec<u8>) {}

    fn carries(&self, _: Field) -> bool {
        true
    }

    fn open_part(&mut self, block: TextBlock, out: &mut Vec<u8>) {
        self.begin_part(block, None, out);
    }

    #[inline]
    fn text(
        &mut self,
        block: TextBlock,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        out: &mut Vec<u8>,
    ) {
        let Some((item, at)) = self.part_at(block.part) else { return };
        let part = &mut self.items[item].parts[at];
        let Some(words) = part.words else { return };
        part.text_is_told = false;
        begin(words.delta_event, &mut self.next_sequence_number, out);
        out.extend_from_slice(&part.place);
        out.extend_from_slice(DELTA_START);
        push_token(out, text);
        part.text.push(text);
        self.last_text = Some((item, Some(at)));
        if !words.is_text() {
            out.extend_from_slice(b"\"}\n\n");
            return;
        }
        out.extend_from_slice(b"\",\"logprobs\":[");
        if let Some(log_probs) = log_probs {
            let from = out.len();
            push_elements(out, log_probs);
            if !part.log_probs.is_empty() {
                part.log_probs.push(b',');
            }
            part.log_probs.extend_from_slice(&out[from..]);
        }
        out.extend_from_slice(b"]}\n\n");
    }

    #[inline]
    fn copy_text(&mut self, block: TextBlock, original: &Original<'_>, out: &mut Vec<u8>) -> bool {
        let Some((item, at)) = self.part_at(block.part) else { return false };
        let part = &mut self.items[item].parts[at];
        let number = Some(self.next_sequence_number);
        let place = (item as u32, at as u32);
        let is_copied =
            part.words.is_some() && original.copy(place, [&part.place, DELTA_START], number, out);
        if is_copied {
            self.next_sequence_number += 1;
            part.text_is_told = false;
            part.text.push(original.reading.text);
            self.last_text = Some((item, Some(at)));
        }
        is_copied
    }

    fn close_part(&mut self, block: TextBlock, out: &mut Vec<u8>) {
        let Some((item, at)) = self.part_at(block.part) else { return };
        self.tell_text((item, at), out);
        let part = &mut self.items[item].parts[at];
        part.is_open = false;
        begin(part.closed_event(), &mut self.next_sequence_number, out);
        out.extend_from_slice(&part.place);
        out.extend_from_slice(b",\"part\":");
        part.push_json(out);
        end_event(out);
    }

    fn close_item(&mut self, item: u32, is_whole: bool, out: &mut Vec<u8>) {
        if let Some(index) = self.indexes.get(&item).copied() {
            self.end_item(index, is_whole, out);
        }
    }

    fn annotation(&mut self, block: TextBlock, annotation: Raw<'_>, out: &mut Vec<u8>) -> bool {
        let Some((item, part)) = self.part_at(block.part) else { return false };
        let part = &mut self.items[item].parts[part];
        if part.annotation_count > 0 {
            part.annotations.push(b',');
        }
        push_raw_compact(&mut part.annotations, annotation);
        let at = part.annotation_count;
        part.annotation_count += 1;
        // One that came late stands in what shows the part from now on.
        if part.is_open {
            begin(ANNOTATION_EVENT, &mut self.next_sequence_number, out);
            out.extend_from_slice(&part.place);
            out.extend_from_slice(format!(",\"annotation_index\":{at},\"annotation\":").as_bytes());
            push_raw_compact(out, annotation);
            end_event(out);
        }
        true
    }

    fn open_call(&mut self, call: CallOpening<'_>, out: &mut Vec<u8>) {
        let (source, wanted) = call.item.unwrap_or((u32::MAX, None));
        let is_custom = call.shape == CallShape::FreeForm;
        let (prefix, class) =
            if is_custom { ("ctc_", Class::Custom) } else { ("fc_", Class::Function) };
        let index = self.items.len();
        let id = self.item_id(wanted, prefix);
        let item_call = MirroredCall {
            is_custom,
            place: place_of(&id, index),
            call_id: call.id.to_owned(),
            name: call.name.to_owned(),
            text: TextBuf::default(),
            text_is_told: false,
            was_told: false,
        };
        let item = MirroredItem::new(source, class, id, Some(item_call));
        self.begin_item(item, out);
        self.calls.push(index);
    }

    #[inline]
    fn call_text(&mut self, key: CallKey, text: Tok<'_>, out: &mut Vec<u8>) {
        let Some(index) = self.calls.get(key.ordinal as usize).copied() else { return };
        let Some(call) = self.items[index].call.as_mut() else { return };
        call.text_is_told = false;
        let kind = if call.is_custom {
            "response.custom_tool_call_input.delta"
        } else {
            "response.function_call_arguments.delta"
        };
        begin(kind, &mut self.next_sequence_number, out);
        out.extend_from_slice(&call.place);
        out.extend_from_slice(DELTA_START);
        push_token(out, text);
        call.text.push(text);
        self.last_text = Some((index, None));
        out.extend_from_slice(b"\"}\n\n");
    }

    #[inline]
    fn copy_call_text(&mut self, key: CallKey, original: &Original<'_>, out: &mut Vec<u8>) -> bool {
        let Some(index) = self.calls.get(key.ordinal as usize).copied() else { return false };
        let Some(call) = self.items[index].call.as_mut() else { return false };
        let number = Some(self.next_sequence_number);
        let place = (index as u32, u32::MAX);
        let is_copied = original.copy(place, [&call.place, DELTA_START], number, out);
        if is_copied {
            self.next_sequence_number += 1;
            call.text_is_told = false;
            call.text.push(original.reading.text);
            self.last_text = Some((index, None));
        }
        is_copied
    }

    fn close_call(&mut self, key: CallKey, is_whole: bool, out: &mut Vec<u8>) {
        if let Some(index) = self.calls.get(key.ordinal as usize).copied() {
            self.tell_call_text(index, out);
            self.end_item(index, is_whole, out);
        }
    }

    fn end(&mut self, ending: Ending<'_>, out: &mut Vec<u8>) {
        let reason = ending.reasons.first().map_or(Reason::Stop, |(_, reason)| *reason);
        let cause = match reason {
            Reason::Stop | Reason::ToolCalls => None,
            Reason::Length => Some("max_output_tokens"),
            Reason::ContentFilter => Some("content_filter"),
        };
        let status = if cause.is_none() { "completed" } else { "incomplete" };
        let output = self.output();
        let mut terminal = Vec::new();
        let mut response = self.answer.over(&self.identity, status, &output, ending.counts);
        response.incomplete_reason = cause;
        response.push(&mut terminal);
        self.push_response_event(&format!("response.{status}"), &terminal, out);
        self.terminal = terminal;
    }

    fn fault(&mut self, fault: &FaultInfo<'_>, counts: &Counts, out: &mut Vec<u8>) {
        if !self.is_started {
            self.start(&Head::default(), out);
        }
        let code = fault.code.or(fault.kind).unwrap_or("server_error");
        if !self.answer_failed {
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
        }
        let output = self.output();
        let mut failed = Vec::new();
        let mut response = self.answer.over(&self.identity, "failed", &output, counts);
        response.error = Some((code, fault.message));
        response.push(&mut failed);
        self.push_response_event("response.failed", &failed, out);
    }

    fn alive(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b": keep-alive\n\n");
    }
}

/// Appends the elements of a list without its brackets.
fn push_elements(out: &mut Vec<u8>, list: Raw<'_>) {
    let from = out.len();
    push_raw_compact(out, list);
    out.pop();
    out.remove(from);
}

#[cfg(test)]
mod tests;
