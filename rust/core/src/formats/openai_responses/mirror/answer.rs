//! The response object of an answer whose source has one.

use super::riders::Riders;
use crate::formats::openai_responses::object::{Identity, push_usage_with};
use crate::json::{Kind, Raw, push_string, push_u64};
use crate::stream::decode::members;
use crate::stream::delta::Counts;

/// What the source showed of its response object.
#[derive(Debug, Default)]
pub(super) struct ShownAnswer {
    is_shown: bool,
    is_queued: bool,
    riders: Riders,
    usage: ShownUsage,
}

/// Counts without a neutral form.
#[derive(Debug, Default)]
struct ShownUsage {
    input_details: Riders,
    output_details: Riders,
    whole: Riders,
}

impl ShownUsage {
    fn take(&mut self, usage: Raw<'_>) {
        self.whole.take(usage, |name| {
            matches!(
                name,
                "input_tokens"
                    | "output_tokens"
                    | "total_tokens"
                    | "input_tokens_details"
                    | "output_tokens_details"
            )
        });
        for (key, value) in members(usage).filter(|(_, value)| value.kind() == Kind::Object) {
            if key.eq_str("input_tokens_details") {
                self.input_details
                    .take(value, |name| matches!(name, "cached_tokens" | "cache_write_tokens"));
            } else if key.eq_str("output_tokens_details") {
                self.output_details.take(value, |name| name == "reasoning_tokens");
            }
        }
    }

    fn push(&self, out: &mut Vec<u8>, counts: &Counts) {
        let further = [&self.input_details, &self.output_details, &self.whole].map(|riders| {
            let mut members = Vec::new();
            riders.push(&mut members);
            members
        });
        push_usage_with(out, counts, [&further[0], &further[1], &further[2]]);
    }

    fn bytes(&self) -> usize {
        self.input_details.bytes() + self.output_details.bytes() + self.whole.bytes()
    }
}

/// Members that a response object must have, with what stands where the source never showed them.
const REQUIRED: [(&str, &str); 3] =
    [("parallel_tool_calls", "true"), ("tool_choice", "\"auto\""), ("tools", "[]")];

/// Members that a response object usually has, if the source never showed one.
const USUAL: &str = ",\"instructions\":null,\"metadata\":{},\"temperature\":null,\"top_p\":null";

fn is_known(name: &str) -> bool {
    matches!(
        name,
        "id" | "object"
            | "created_at"
            | "status"
            | "output"
            | "usage"
            | "error"
            | "incomplete_details"
            | "model"
    )
}

impl ShownAnswer {
    pub(super) fn take(&mut self, response: Raw<'_>) {
        self.is_shown = true;
        self.riders.take(response, is_known);
        for (key, value) in members(response) {
            if key.eq_str("status") {
                self.is_queued = value.bytes() == b"\"queued\"";
            } else if key.eq_str("usage") && value.kind() == Kind::Object {
                self.usage.take(value);
            }
        }
    }

    pub(super) const fn is_queued(&self) -> bool {
        self.is_queued
    }

    pub(super) fn bytes(&self) -> usize {
        self.riders.bytes() + self.usage.bytes()
    }

    /// The object while the answer is open.
    pub(super) const fn open<'a>(
        &'a self,
        identity: &'a Identity,
        status: &'a str,
    ) -> ResponseObject<'a> {
        ResponseObject {
            shown: self,
            identity,
            status,
            output: &[],
            counts: None,
            incomplete_reason: None,
            error: None,
        }
    }

    /// The object at the end; `output` holds the elements of a JSON list.
    pub(super) const fn over<'a>(
        &'a self,
        identity: &'a Identity,
        status: &'a str,
        output: &'a [u8],
        counts: &'a Counts,
    ) -> ResponseObject<'a> {
        ResponseObject { output, counts: Some(counts), ..self.open(identity, status) }
    }
}

/// A response object about to be written.
pub(super) struct ResponseObject<'a> {
    shown: &'a ShownAnswer,
    identity: &'a Identity,
    status: &'a str,
    output: &'a [u8],
    counts: Option<&'a Counts>,
    pub(super) incomplete_reason: Option<&'a str>,
    /// Code and message.
    pub(super) error: Option<(&'a str, &'a str)>,
}

impl ResponseObject<'_> {
    pub(super) fn push(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"id\":");
        push_string(out, &self.identity.id);
        out.extend_from_slice(b",\"object\":\"response\",\"created_at\":");
        push_u64(out, self.identity.created);
        out.extend_from_slice(format!(",\"status\":\"{}\",\"error\":", self.status).as_bytes());
        match self.error {
            Some((code, message)) => {
                out.extend_from_slice(b"{\"code\":");
                push_string(out, code);
                out.extend_from_slice(b",\"message\":");
                push_string(out, message);
                out.push(b'}');
            }
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"incomplete_details\":");
        match self.incomplete_reason {
            Some(reason) => {
                out.extend_from_slice(format!("{{\"reason\":\"{reason}\"}}").as_bytes());
            }
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"model\":");
        push_string(out, &self.identity.model);
        out.extend_from_slice(b",\"output\":[");
        out.extend_from_slice(self.output);
        out.extend_from_slice(b"],\"usage\":");
        match self.counts.filter(|counts| counts.is_known()) {
            Some(counts) => self.shown.usage.push(out, counts),
            None => out.extend_from_slice(b"null"),
        }
        if !self.shown.is_shown {
            out.extend_from_slice(USUAL.as_bytes());
        }
        self.shown.riders.push(out);
        for (name, value) in REQUIRED {
            if !self.shown.riders.has(name) {
                out.extend_from_slice(format!(",\"{name}\":{value}").as_bytes());
            }
        }
        out.push(b'}');
    }
}
