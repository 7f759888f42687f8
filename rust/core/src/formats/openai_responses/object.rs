//! The response object and its items, as they are written.

use crate::json::{push_string, push_u64};
use crate::stream::delta::{Counts, PartKind};
use crate::stream::digest::fnv1a_64;
use crate::stream::encode::Head;
use crate::stream::options::Options;

/// Id, time and model of an answer: the caller's words go first, then the source's.
#[derive(Debug)]
pub(super) struct Identity {
    given_id: Option<String>,
    /// The source's id stays as it is, for a source of the same format.
    keeps_id: bool,
    given_model: Option<String>,
    given_created: Option<u64>,
    id_seed: Option<String>,
    pub(super) id: String,
    pub(super) model: String,
    pub(super) created: u64,
}

impl Identity {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            given_id: options.response_id.clone(),
            keeps_id: false,
            given_model: options.model.clone(),
            given_created: options.created,
            id_seed: options.id_seed.clone(),
            id: String::new(),
            model: String::new(),
            created: 0,
        }
    }

    /// The identity of an answer whose source has the same format.
    pub(super) fn keeping(options: &Options) -> Self {
        Self { keeps_id: true, ..Self::new(options) }
    }

    pub(super) fn fix(&mut self, head: &Head) {
        let from_source = |id: &String| {
            if self.keeps_id || id.starts_with("resp_") { id.clone() } else { format!("resp_{id}") }
        };
        self.id =
            self.given_id.clone().or_else(|| head.id.as_ref().map(from_source)).unwrap_or_else(
                || {
                    let seed = self.id_seed.as_deref().unwrap_or_default();
                    format!("resp_{:016x}", fnv1a_64(&[seed.as_bytes()]))
                },
            );
        let model = self.given_model.as_deref().or(head.model.as_deref());
        self.model = model.unwrap_or("unknown").to_owned();
        self.created = self.given_created.or(head.created).unwrap_or(0);
    }

    /// An item's id: short, and other in every answer.
    pub(super) fn item_id(&self, prefix: &str, index: usize) -> String {
        format!("{prefix}{:016x}_{index}", fnv1a_64(&[self.id.as_bytes()]))
    }
}

/// The words of a class of items with parts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ItemWords {
    pub(super) id_prefix: &'static str,
    /// The announced item behind its id.
    pub(super) opening: &'static str,
    is_message: bool,
}

impl ItemWords {
    pub(super) const fn of(kind: PartKind) -> &'static Self {
        match kind {
            PartKind::Summary | PartKind::ReasoningText => &Self {
                id_prefix: "rs_",
                opening: "\",\"type\":\"reasoning\",\"summary\":[]}",
                is_message: false,
            },
            _ => &Self {
                id_prefix: "msg_",
                opening: "\",\"type\":\"message\",\"status\":\"in_progress\",\"role\":\"assistant\",\"content\":[]}",
                is_message: true,
            },
        }
    }

    /// The item behind its id, once it is done; the lists are given as their elements.
    pub(super) fn push_rest(
        &self,
        out: &mut Vec<u8>,
        summary: &[u8],
        content: &[u8],
        is_whole: bool,
    ) {
        if self.is_message {
            let status = if is_whole { "completed" } else { "incomplete" };
            out.extend_from_slice(
                format!("\",\"type\":\"message\",\"status\":\"{status}\",\"role\":\"assistant\",\"content\":[")
                    .as_bytes(),
            );
            out.extend_from_slice(content);
        } else {
            out.extend_from_slice(b"\",\"type\":\"reasoning\",\"summary\":[");
            out.extend_from_slice(summary);
            if !content.is_empty() {
                out.extend_from_slice(b"],\"content\":[");
                out.extend_from_slice(content);
            }
        }
        out.extend_from_slice(b"]}");
    }
}

/// The response object.
pub(super) fn push_response(
    out: &mut Vec<u8>,
    identity: &Identity,
    status: &str,
    items: &[&[u8]],
    incomplete_reason: Option<&str>,
    usage: Option<&Counts>,
) {
    push_head(out, identity, status);
    out.extend_from_slice(b"null,\"incomplete_details\":");
    match incomplete_reason {
        Some(reason) => out.extend_from_slice(format!("{{\"reason\":\"{reason}\"}}").as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
    push_tail(out, identity, items, usage);
}

/// The response object of an answer that failed, with code and message.
pub(super) fn push_failed_response(
    out: &mut Vec<u8>,
    identity: &Identity,
    items: &[&[u8]],
    fault: (&str, &str),
    usage: Option<&Counts>,
) {
    let (code, message) = fault;
    push_head(out, identity, "failed");
    out.extend_from_slice(b"{\"code\":");
    push_string(out, code);
    out.extend_from_slice(b",\"message\":");
    push_string(out, message);
    out.extend_from_slice(b"},\"incomplete_details\":null");
    push_tail(out, identity, items, usage);
}

fn push_head(out: &mut Vec<u8>, identity: &Identity, status: &str) {
    out.extend_from_slice(b"{\"id\":");
    push_string(out, &identity.id);
    out.extend_from_slice(b",\"object\":\"response\",\"created_at\":");
    push_u64(out, identity.created);
    out.extend_from_slice(format!(",\"status\":\"{status}\",\"error\":").as_bytes());
}

fn push_tail(out: &mut Vec<u8>, identity: &Identity, items: &[&[u8]], usage: Option<&Counts>) {
    out.extend_from_slice(b",\"instructions\":null,\"metadata\":{},\"model\":");
    push_string(out, &identity.model);
    out.extend_from_slice(b",\"output\":[");
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(item);
    }
    out.extend_from_slice(
        b"],\"parallel_tool_calls\":true,\"temperature\":null,\"tool_choice\":\"auto\",\"tools\":[],\"top_p\":null,\"usage\":",
    );
    match usage {
        Some(counts) => push_usage(out, counts),
        None => out.extend_from_slice(b"null"),
    }
    out.push(b'}');
}

pub(super) fn push_usage(out: &mut Vec<u8>, counts: &Counts) {
    push_usage_with(out, counts, [&[]; 3]);
}

/// The same with further members of the details of the input, of those of the output, and of the whole.
pub(super) fn push_usage_with(out: &mut Vec<u8>, counts: &Counts, further: [&[u8]; 3]) {
    let input = counts.input.unwrap_or(0);
    let output = counts.output.unwrap_or(0);
    let total = counts.total.unwrap_or(0).max(input.saturating_add(output));
    let none: &[u8] = &[];
    for (words, count, further) in [
        ("{\"input_tokens\":", input, none),
        (",\"input_tokens_details\":{\"cached_tokens\":", counts.cached.unwrap_or(0), none),
        (",\"cache_write_tokens\":", counts.cache_write.unwrap_or(0), further[0]),
        ("},\"output_tokens\":", output, none),
        (
            ",\"output_tokens_details\":{\"reasoning_tokens\":",
            counts.reasoning.unwrap_or(0),
            further[1],
        ),
        ("},\"total_tokens\":", total, further[2]),
    ] {
        out.extend_from_slice(words.as_bytes());
        push_u64(out, count);
        out.extend_from_slice(further);
    }
    out.push(b'}');
}
