//! Whether an event of the source says what would be written for it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Known;
use crate::json::{Kind, Raw};
use crate::stream::decode::{elements, members};

/// Whether every member of `written` stands in `source` with an equal value, and what else is in `source` is
/// unknown at its level or says nothing. Below the levels that are known both must be equal.
pub(super) fn covers(source: Raw<'_>, written: Raw<'_>, known: Option<&Known>) -> bool {
    match (source.kind(), written.kind()) {
        (Kind::Object, Kind::Object) => covers_object(source, written, known),
        (Kind::Array, Kind::Array) => {
            let (mut ours, mut theirs) = (elements(source), elements(written));
            loop {
                match (ours.next(), theirs.next()) {
                    (None, None) => return true,
                    (Some(one), Some(other)) if covers(one, other, known) => {}
                    _ => return false,
                }
            }
        }
        (Kind::String, Kind::String) => {
            if source.bytes() == written.bytes() {
                return true;
            }
            match (source.cursor().string(), written.cursor().string()) {
                // Half a surrogate pair is not the character that stands for it.
                (Ok(one), Ok(other)) => !one.has_lone_surrogate() && one.chars().eq(other.chars()),
                _ => false,
            }
        }
        (one, other) => one == other && source.bytes() == written.bytes(),
    }
}

fn covers_object(source: Raw<'_>, written: Raw<'_>, known: Option<&Known>) -> bool {
    let mut wanted: BTreeMap<Cow<'_, str>, Raw<'_>> =
        members(written).map(|(key, value)| (key.decode(), value)).collect();
    for (key, value) in members(source) {
        let name = key.decode();
        let below = known.and_then(|known| known.below(&name));
        let fits = match wanted.remove(&name) {
            Some(other) => covers(value, other, below),
            // A second one of its name is not in `wanted` any more.
            None => known.is_some_and(|known| !known.has(&name) || says_nothing(value)),
        };
        if !fits {
            return false;
        }
    }
    wanted.is_empty()
}

fn says_nothing(value: Raw<'_>) -> bool {
    value.kind() == Kind::Null || value.bytes() == b"\"\"" || value.is_empty_container()
}
