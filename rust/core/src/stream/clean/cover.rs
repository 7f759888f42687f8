//! Whether an event of the source says what would be written for it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Known;
use super::fold::{Entry, Fold, all_are, groups, last_word};
use super::known::{counts_nothing, is_hollow};
use crate::json::{Kind, Raw, Tok, decode_exactly};
use crate::stream::decode::{elements, members};

/// A text that source and written event have in the same bytes.
#[derive(Clone, Copy)]
pub(super) struct Shared<'s, 'w> {
    pub(super) source: Raw<'s>,
    pub(super) written: Raw<'w>,
}

/// Whether every member of the objects `written`, put together, stands in `source` with an equal value, and what
/// else is in `source` is unknown at its level or says nothing. Below the levels that are known both must be
/// equal. `shared` learns of a text that both have.
pub(super) fn covers<'s, 'w>(
    source: Raw<'s>,
    written: &[Raw<'w>],
    known: &Known,
    shared: &mut Option<Shared<'s, 'w>>,
) -> bool {
    if source.kind() != Kind::Object || !all_are(written, Kind::Object) {
        return false;
    }
    let fold = Fold::of(written);
    let mut found = vec![false; fold.entries.len()];
    for (key, value) in members(source) {
        let name = key.decode();
        let is_alias = known.aliases.contains(&&*name);
        let own = fold.position(&name);
        let at = own.or_else(|| {
            let aliases = known.aliases.iter().filter(|_| is_alias);
            aliases.into_iter().find_map(|alias| fold.position(alias))
        });
        let below = known.below(&name);
        let Some(at) = at.filter(|_| own.is_some() || !is_hollow(value, below)) else {
            if known.has(&name) && (known.strict.contains(&&*name) || !is_hollow(value, below)) {
                return false;
            }
            continue;
        };
        // A second one of its name is not the one that was read.
        if core::mem::replace(&mut found[at], true) && !is_alias {
            return false;
        }
        let values = &fold.entries[at].values;
        let fits = if known.texts.contains(&&*name) {
            is_text(value, values, shared)
        } else {
            covers_value(value, values, below, shared)
        };
        if !fits {
            return false;
        }
    }
    // In a whole body null is as good as absent.
    let may_miss = |entry: &Entry<'_>| {
        known.optional.contains(&&*entry.key.decode())
            || last_word(&entry.values).is_some_and(|word| {
                known.whole && (word.kind() == Kind::Null || known.counts && counts_nothing(word))
            })
    };
    found.into_iter().zip(&fold.entries).all(|(found, entry)| found || may_miss(entry))
}

fn covers_value<'s, 'w>(
    source: Raw<'s>,
    written: &[Raw<'w>],
    level: Option<&Known>,
    shared: &mut Option<Shared<'s, 'w>>,
) -> bool {
    if source.kind() == Kind::Array && all_are(written, Kind::Array) {
        let Some(level) = level else {
            let mut theirs = written.iter().flat_map(|list| elements(*list));
            return elements(source).all(|one| theirs.next().is_some_and(|two| equals(one, two)))
                && theirs.next().is_none();
        };
        let groups = groups(written, level);
        let mut theirs = groups.iter();
        return elements(source)
            .all(|one| theirs.next().is_some_and(|group| covers(one, group, level, shared)))
            && theirs.next().is_none();
    }
    if let Some(level) = level.filter(|_| source.kind() == Kind::Object)
        && all_are(written, Kind::Object)
    {
        return covers(source, written, level, shared);
    }
    last_word(written).is_some_and(|word| equals(source, word))
}

/// Whether a string is what the pieces are together.
fn is_text<'s, 'w>(
    source: Raw<'s>,
    pieces: &[Raw<'w>],
    shared: &mut Option<Shared<'s, 'w>>,
) -> bool {
    if let [written] = pieces
        && source.kind() == Kind::String
        && source.bytes() == written.bytes()
    {
        *shared = Some(Shared { source, written: *written });
        return true;
    }
    if source.kind() != Kind::String || !all_are(pieces, Kind::String) {
        return pieces.len() == 1 && equals(source, pieces[0]);
    }
    let Ok(text) = source.cursor().string() else { return false };
    let tokens = pieces.iter().filter_map(|piece| piece.cursor().string().ok());
    // Half a surrogate pair is not the character that stands for it.
    !text.has_lone_surrogate() && text.chars().eq(tokens.flat_map(Tok::chars))
}

/// Whether two values are the same: strings by their text, numbers by their spelling.
fn equals(one: Raw<'_>, other: Raw<'_>) -> bool {
    if one.bytes() == other.bytes() {
        return true;
    }
    match (one.kind(), other.kind()) {
        (Kind::String, Kind::String) => is_text(one, &[other], &mut None),
        (Kind::Array, Kind::Array) => {
            let mut theirs = elements(other);
            elements(one).all(|one| theirs.next().is_some_and(|other| equals(one, other)))
                && theirs.next().is_none()
        }
        (Kind::Object, Kind::Object) => {
            let mut wanted: BTreeMap<Cow<'_, [u8]>, Raw<'_>> =
                members(other).map(|(key, value)| (decode_exactly(key), value)).collect();
            members(one).all(|(key, value)| {
                wanted.remove(&decode_exactly(key)).is_some_and(|other| equals(value, other))
            }) && wanted.is_empty()
        }
        _ => false,
    }
}
