//! Streams of one format: an event that needs no change is copied, another one is written anew with what the
//! format does not know of it (`DESIGN.md` 8).

mod cover;
mod known;
mod merge;

use self::cover::covers;
use self::merge::push_merged;
use crate::json::{Raw, push_raw_compact};

pub use known::Known;

/// What is written for one event of the source.
struct Written<'a> {
    /// The `event:` line, if there is one, and the field name of the payload.
    opening: &'a [u8],
    /// Nothing for a comment and for a payload that is no object.
    payload: Option<Raw<'a>>,
    /// All of it, with the blank line.
    whole: &'a [u8],
}

const BORDER: &[u8] = b"\n\n";
const DATA: &[u8] = b"data: ";

/// Splits what an encoder wrote: events of one line of data each, and comments.
fn written(mut bytes: &[u8]) -> Vec<Written<'_>> {
    let mut found = Vec::new();
    while let Some(end) = bytes.windows(BORDER.len()).position(|window| window == BORDER) {
        let (whole, rest) = bytes.split_at(end + BORDER.len());
        let line = &whole[..end];
        let from = line.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let from = if line.starts_with(b"event: ") { from } else { 0 };
        let payload = line[from..].strip_prefix(DATA).filter(|data| data.starts_with(b"{"));
        let opening = &line[..(from + DATA.len()).min(end)];
        let payload = payload.and_then(|payload| Raw::parse(payload).ok());
        found.push(Written { opening, payload, whole });
        bytes = rest;
    }
    found
}

/// Replaces what was written for the source's event, `out` from `start` on, by the event itself if that says the
/// same; else completes it with the event's members that the format does not know.
pub(crate) fn settle(source: &[u8], known: &Known, start: usize, out: &mut Vec<u8>) {
    if out.len() == start {
        return;
    }
    let Ok(source) = Raw::parse(source) else { return };
    let bytes = out.split_off(start);
    let events = written(&bytes);
    if let [Written { opening, payload: Some(payload), .. }] = &events[..]
        && covers(source, *payload, Some(known))
    {
        out.extend_from_slice(opening);
        push_copied(out, source);
        out.extend_from_slice(BORDER);
        return;
    }
    let kind = known.kind_of(source);
    let of_kind = |event: &Written<'_>| {
        kind.is_some() && event.payload.and_then(|payload| known.kind_of(payload)) == kind
    };
    let heir = events
        .iter()
        .position(of_kind)
        .or_else(|| events.iter().position(|event| event.payload.is_some()));
    for (at, event) in events.iter().enumerate() {
        match event.payload {
            Some(payload) if heir == Some(at) => {
                out.extend_from_slice(event.opening);
                push_merged(out, source, payload, known);
                out.extend_from_slice(BORDER);
            }
            _ => out.extend_from_slice(event.whole),
        }
    }
}

/// Appends the source's bytes, on one line.
fn push_copied(out: &mut Vec<u8>, source: Raw<'_>) {
    let bytes = source.bytes();
    let breaks_lines = |at: usize, byte: u8| match byte {
        b'\n' | b'\r' => true,
        0xC2 => bytes.get(at + 1) == Some(&0x85),
        0xE2 => matches!(bytes.get(at + 1..at + 3), Some([0x80, 0xA8 | 0xA9])),
        _ => false,
    };
    if bytes.iter().enumerate().any(|(at, byte)| breaks_lines(at, *byte)) {
        push_raw_compact(out, source);
    } else {
        out.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests;
