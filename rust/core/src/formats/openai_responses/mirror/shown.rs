//! What the source shows beside text: its response object, items, parts and unknown events, and what it closes.

use super::item::MirroredItem;
use super::{ResponsesMirror, push_elements};
use crate::formats::openai_responses::events::end_event;
use crate::json::{Raw, Tok, push_raw_passed, push_string, push_token, push_u64};
use crate::stream::decode::members;
use crate::stream::delta::Class;
use crate::stream::encode::{CallKey, TextBlock};
use crate::stream::mirror::{ItemOpening, Mirror};

impl Mirror for ResponsesMirror {
    fn show_answer(&mut self, response: Raw<'_>) {
        self.shown_bytes -= self.answer.bytes();
        self.answer.take(response);
        self.shown_bytes += self.answer.bytes();
    }

    fn show_failure(&mut self) {
        self.answer_failed = true;
    }

    fn repeat_head(&mut self, kind: &str, out: &mut Vec<u8>) {
        let is_queued = kind == "response.queued";
        // Each of them once: the object grows with what is shown, and there may be many of these.
        if core::mem::replace(&mut self.heads_told[usize::from(is_queued)], true) {
            return;
        }
        self.push_head(kind, if is_queued { "queued" } else { "in_progress" }, out);
    }

    fn show_item(&mut self, item: u32, class: Class, shown: Raw<'_>) {
        let entry = self.shown.entry(item).or_default();
        self.shown_bytes -= entry.bytes();
        entry.take(class, shown);
        self.shown_bytes += entry.bytes();
    }

    fn open_item(&mut self, opening: ItemOpening<'_>, out: &mut Vec<u8>) {
        let prefix = match opening.class {
            Class::Message => "msg_",
            Class::Reasoning => "rs_",
            _ => "item_",
        };
        let id = self.item_id(opening.id, prefix);
        self.begin_item(MirroredItem::new(opening.item, opening.class, id, None), out);
    }

    fn show_part(&mut self, block: TextBlock, shown: Raw<'_>) {
        if let Some((item, part)) = self.part_at(block.part) {
            let part = &mut self.items[item].parts[part];
            self.shown_bytes -= part.bytes();
            part.take(shown);
            self.shown_bytes += part.bytes();
        }
    }

    fn open_shown_part(&mut self, block: TextBlock, shown: Raw<'_>, out: &mut Vec<u8>) {
        self.begin_part(block, Some(shown), out);
    }

    fn close_text(&mut self, block: TextBlock, log_probs: Option<Raw<'_>>, out: &mut Vec<u8>) {
        let Some((item, at)) = self.part_at(block.part) else { return };
        let part = &mut self.items[item].parts[at];
        if let Some(log_probs) = log_probs.filter(|_| part.log_probs.is_empty()) {
            push_elements(&mut part.log_probs, log_probs);
            self.shown_bytes += part.log_probs.len();
        }
        // What comes behind a done event is told at the end of the part: there may be many of these.
        if !part.was_told {
            self.tell_text((item, at), out);
        }
    }

    fn close_call_text(&mut self, key: CallKey, out: &mut Vec<u8>) {
        if let Some(index) = self.calls.get(key.ordinal as usize).copied() {
            let was_told = self.items[index].call.as_ref().is_some_and(|call| call.was_told);
            if !was_told {
                self.tell_call_text(index, out);
            }
        }
    }

    fn pass_event(&mut self, item: Option<u32>, kind: &str, event: Raw<'_>, out: &mut Vec<u8>) {
        if !self.is_started {
            let mut kept = Vec::new();
            push_raw_passed(&mut kept, event);
            self.shown_bytes += kind.len() + kept.len();
            self.early.push((kind.to_owned(), kept));
            return;
        }
        let index = item.and_then(|item| self.indexes.get(&item).copied());
        // A type that would end the line stays in the payload.
        if !kind.contains(char::is_control) {
            out.extend_from_slice(b"event: ");
            out.extend_from_slice(kind.as_bytes());
            out.push(b'\n');
        }
        out.extend_from_slice(b"data: {\"type\":");
        push_string(out, kind);
        out.extend_from_slice(b",\"sequence_number\":");
        push_u64(out, self.next_sequence_number);
        self.next_sequence_number += 1;
        for (key, value) in members(event) {
            if key.eq_str("type") || key.eq_str("sequence_number") {
                continue;
            }
            out.extend_from_slice(b",\"");
            push_token(out, key);
            out.extend_from_slice(b"\":");
            match index {
                Some(index) if key.eq_str("output_index") => push_u64(out, index as u64),
                Some(index) if key.eq_str("item_id") => push_string(out, &self.items[index].id),
                _ => push_raw_passed(out, value),
            }
        }
        end_event(out);
    }

    fn shown_bytes(&self) -> usize {
        self.shown_bytes
    }

    fn kept_text(&self) -> Option<Tok<'_>> {
        let (item, part) = self.last_text?;
        let item = &self.items[item];
        match part {
            Some(at) => item.parts.get(at)?.text.token(),
            None => item.call.as_ref()?.text.token(),
        }
    }

    fn answer(&self) -> Option<&[u8]> {
        Some(&self.terminal).filter(|terminal| !terminal.is_empty()).map(Vec::as_slice)
    }
}
