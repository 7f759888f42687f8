//! Writing envelopes, bare or as the body of a JSON string.

use super::Order;
use super::extra::push_extra;
use crate::error::Code;
use crate::json::{Tok, push_respelt, push_respelt_nested};
use crate::transcript::call::Call;

/// What an assistant envelope holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AssistantEnvelope<'e, 'a> {
    pub(crate) content: Option<Tok<'a>>,
    pub(crate) calls: &'e [Call<'a>],
    pub(crate) reasoning_content: Option<Tok<'a>>,
}

/// What a tool envelope holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolEnvelope<'a> {
    pub(crate) tool_call_id: Tok<'a>,
    pub(crate) content: Tok<'a>,
}

/// A member of an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    Content,
    ReasoningContent,
    ToolCallId,
    /// A member of the call with this index.
    OfCall(usize, &'static str),
}

/// A value that cannot go into an envelope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Misfit<'a> {
    pub(crate) code: Code,
    pub(crate) member: Member,
    /// The value's text, by which its offset can be told.
    pub(crate) value: &'a str,
}

/// Appends the envelope: bare, or with `NESTED` escaped once more.
#[inline]
pub(crate) fn push_assistant<'a, const NESTED: bool>(
    out: &mut Vec<u8>,
    envelope: &AssistantEnvelope<'_, 'a>,
    order: Order,
) -> Result<(), Misfit<'a>> {
    push::<NESTED>(out, br#"{"content":"#, br#"{\"content\":"#);
    match envelope.content {
        Some(content) => push_text::<NESTED>(out, content, Member::Content)?,
        None => out.extend_from_slice(b"null"),
    }
    if order == Order::Sorted {
        push_reasoning::<NESTED>(out, envelope.reasoning_content)?;
    }
    push::<NESTED>(out, br#","tool_calls":["#, br#",\"tool_calls\":["#);
    for (index, call) in envelope.calls.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push_call::<NESTED>(out, call, index, order)?;
    }
    out.push(b']');
    if order == Order::Insertion {
        push_reasoning::<NESTED>(out, envelope.reasoning_content)?;
    }
    out.push(b'}');
    Ok(())
}

fn push_reasoning<'a, const NESTED: bool>(
    out: &mut Vec<u8>,
    reasoning: Option<Tok<'a>>,
) -> Result<(), Misfit<'a>> {
    let Some(reasoning) = reasoning else {
        return Ok(());
    };
    push::<NESTED>(out, br#","reasoning_content":"#, br#",\"reasoning_content\":"#);
    push_text::<NESTED>(out, reasoning, Member::ReasoningContent)
}

#[inline]
fn push_call<'a, const NESTED: bool>(
    out: &mut Vec<u8>,
    call: &Call<'a>,
    index: usize,
    order: Order,
) -> Result<(), Misfit<'a>> {
    let of = |name| Member::OfCall(index, name);
    match order {
        Order::Sorted => {
            push::<NESTED>(out, br#"{"arguments":"#, br#"{\"arguments\":"#);
            push_text::<NESTED>(out, call.arguments, of("arguments"))?;
            if let Some(extra) = call.extra {
                push::<NESTED>(out, br#","extra_content":"#, br#",\"extra_content\":"#);
                push_extra::<NESTED>(out, extra, of("extra_content"), order)?;
            }
            push::<NESTED>(out, br#","id":"#, br#",\"id\":"#);
            push_text::<NESTED>(out, call.id, of("id"))?;
            push::<NESTED>(out, br#","name":"#, br#",\"name\":"#);
            push_text::<NESTED>(out, call.name, of("name"))?;
        }
        Order::Insertion => {
            push::<NESTED>(out, br#"{"id":"#, br#"{\"id\":"#);
            push_text::<NESTED>(out, call.id, of("id"))?;
            push::<NESTED>(out, br#","name":"#, br#",\"name\":"#);
            push_text::<NESTED>(out, call.name, of("name"))?;
            push::<NESTED>(out, br#","arguments":"#, br#",\"arguments\":"#);
            push_text::<NESTED>(out, call.arguments, of("arguments"))?;
            if let Some(extra) = call.extra {
                push::<NESTED>(out, br#","extra_content":"#, br#",\"extra_content\":"#);
                push_extra::<NESTED>(out, extra, of("extra_content"), order)?;
            }
        }
    }
    out.push(b'}');
    Ok(())
}

/// Appends the envelope: bare, or with `NESTED` escaped once more.
#[inline]
pub(crate) fn push_tool<'a, const NESTED: bool>(
    out: &mut Vec<u8>,
    envelope: ToolEnvelope<'a>,
    order: Order,
) -> Result<(), Misfit<'a>> {
    let ToolEnvelope { tool_call_id, content } = envelope;
    match order {
        Order::Sorted => {
            push::<NESTED>(out, br#"{"content":"#, br#"{\"content\":"#);
            push_text::<NESTED>(out, content, Member::Content)?;
            push::<NESTED>(out, br#","tool_call_id":"#, br#",\"tool_call_id\":"#);
            push_text::<NESTED>(out, tool_call_id, Member::ToolCallId)?;
        }
        Order::Insertion => {
            push::<NESTED>(out, br#"{"tool_call_id":"#, br#"{\"tool_call_id\":"#);
            push_text::<NESTED>(out, tool_call_id, Member::ToolCallId)?;
            push::<NESTED>(out, br#","content":"#, br#",\"content\":"#);
            push_text::<NESTED>(out, content, Member::Content)?;
        }
    }
    out.push(b'}');
    Ok(())
}

/// Appends one of two spellings of the same literal.
#[inline]
pub(super) fn push<const NESTED: bool>(out: &mut Vec<u8>, bare: &[u8], nested: &[u8]) {
    out.extend_from_slice(if NESTED { nested } else { bare });
}

/// Appends a token's text as a string of the envelope.
#[inline]
fn push_text<'a, const NESTED: bool>(
    out: &mut Vec<u8>,
    token: Tok<'a>,
    member: Member,
) -> Result<(), Misfit<'a>> {
    if token.has_lone_surrogate() {
        return Err(Misfit { code: Code::LoneSurrogate, member, value: token.raw_str() });
    }
    push_quoted::<NESTED>(out, token);
    Ok(())
}

/// Appends a token's text, which has no lone surrogate, as a string of the envelope.
#[inline]
pub(super) fn push_quoted<const NESTED: bool>(out: &mut Vec<u8>, token: Tok<'_>) {
    push::<NESTED>(out, b"\"", b"\\\"");
    if NESTED {
        push_respelt_nested(out, token);
    } else {
        push_respelt(out, token);
    }
    push::<NESTED>(out, b"\"", b"\\\"");
}
