//! An event written anew, with the members of the source's that the format does not know.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Known;
use crate::json::{Kind, Raw, Tok, push_raw_compact, push_token};
use crate::stream::decode::members;

/// Appends `written` with the unknown members of `source` behind its own, at each level that both have. Elements
/// of lists stay as written: which of them are the same, only the encoder knows.
pub(super) fn push_merged(out: &mut Vec<u8>, source: Raw<'_>, written: Raw<'_>, known: &Known) {
    let mut given: BTreeMap<Cow<'_, str>, Raw<'_>> =
        members(source).map(|(key, value)| (key.decode(), value)).collect();
    out.push(b'{');
    let mut is_first = true;
    for (key, value) in members(written) {
        let name = key.decode();
        push_key(out, key, &mut is_first);
        match (given.remove(&name), known.below(&name)) {
            (Some(ours), Some(below))
                if ours.kind() == Kind::Object && value.kind() == Kind::Object =>
            {
                push_merged(out, ours, value, below);
            }
            _ => out.extend_from_slice(value.bytes()),
        }
    }
    for (key, _) in members(source) {
        let name = key.decode();
        // Of equal names the last value counts; it is taken once.
        if let Some(value) = given.remove(&name).filter(|_| !known.has(&name)) {
            push_key(out, key, &mut is_first);
            push_raw_compact(out, value);
        }
    }
    out.push(b'}');
}

fn push_key(out: &mut Vec<u8>, key: Tok<'_>, is_first: &mut bool) {
    if !core::mem::take(is_first) {
        out.push(b',');
    }
    out.push(b'"');
    push_token(out, key);
    out.extend_from_slice(b"\":");
}
