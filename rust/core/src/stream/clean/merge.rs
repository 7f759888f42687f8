//! An event written anew, with the members of the source's that the format does not know.

use std::collections::BTreeSet;

use super::Known;
use super::fold::{Elements, Fold, all_are, groups, last_word, member};
use super::known::is_hollow;
use crate::json::{Kind, Raw, Tok, decode_exactly, push_body_passed, push_raw_passed, push_token};
use crate::stream::commas::Commas;
use crate::stream::decode::{elements, members, says_nothing};

/// Appends the objects `written`, put together, with the unknown members of `sources` behind their own, at each
/// level that both have. Of a name that several sources have the first counts, of equal names in one the last.
pub(super) fn push_merged(
    out: &mut Vec<u8>,
    sources: &[Raw<'_>],
    written: &[Raw<'_>],
    known: &Known,
) {
    let fold = Fold::of(written);
    let given: Vec<_> = sources.iter().map(|source| Fold::of(&[*source])).collect();
    let mut list = Commas::begin(out, b'{');
    for entry in &fold.entries {
        let name = &*entry.key.decode();
        let is_alias = known.aliases.contains(&name);
        // A text goes by the source's name for it.
        let mut own_keys =
            given.iter().filter(|_| is_alias).flat_map(|source| aliases(source, known));
        push_key(list.next(), own_keys.next().unwrap_or(entry.key));
        let below: Vec<_> = given.iter().filter_map(|source| source.value(name)).collect();
        if known.texts.contains(&name) && all_are(&entry.values, Kind::String) {
            push_text(list.out, &entry.values);
        } else {
            push_value(list.out, &below, &entry.values, known.below(name));
        }
        for key in own_keys.filter(|_| known.whole) {
            push_key(list.next(), key);
            push_text(list.out, &entry.values);
        }
    }
    let mut taken = BTreeSet::new();
    for entry in given.iter().flat_map(|source| &source.entries) {
        let name = entry.key.decode();
        // An object without anything that is known is no less unknown than its members.
        let is_unread = |value: &Raw<'_>| {
            known.whole
                && value.kind() == Kind::Object
                && !value.is_empty_container()
                && known.below(&name).is_some_and(|below| is_hollow(*value, Some(below)))
        };
        let is_news = (!known.has(&name) || entry.values.last().is_some_and(is_unread))
            && fold.position_of(&decode_exactly(entry.key)).is_none();
        let is_first = |_: &&Raw<'_>| is_news && taken.insert(decode_exactly(entry.key));
        if let Some(value) = entry.values.last().filter(is_first) {
            push_name(list.next(), entry.key);
            list.out.push(b':');
            push_raw_passed(list.out, *value);
        }
    }
    list.end(b'}');
}

/// The names under which a source has the text of several names.
fn aliases<'f, 'a>(source: &'f Fold<'a>, known: &'f Known) -> impl Iterator<Item = Tok<'a>> + 'f {
    known.aliases.iter().filter_map(|name| {
        let entry = &source.entries[source.position(name)?];
        let value = *entry.values.last()?;
        let is_text = value.kind() == Kind::String && !is_hollow(value, None);
        is_text.then_some(entry.key)
    })
}

fn push_value(
    out: &mut Vec<u8>,
    sources: &[Raw<'_>],
    written: &[Raw<'_>],
    level: Option<&'static Known>,
) {
    if let Some(level) = level.filter(|_| all_are(written, Kind::Object)) {
        let sources: Vec<_> =
            sources.iter().filter(|source| source.kind() == Kind::Object).copied().collect();
        return push_merged(out, &sources, written, level);
    }
    if !all_are(written, Kind::Array) {
        if let Some(word) = last_word(written) {
            out.extend_from_slice(word.bytes());
        }
        return;
    }
    let Some(level) = level.filter(|level| level.index.is_some()) else {
        // Which elements are the same, only the encoder knows.
        let mut list = Commas::begin(out, b'[');
        for element in written.iter().flat_map(|list| elements(*list)) {
            list.next().extend_from_slice(element.bytes());
        }
        return list.end(b']');
    };
    let groups = groups(written, level);
    let lists = sources.iter().filter(|source| source.kind() == Kind::Array);
    let given: Vec<_> = lists.filter_map(|list| Elements::of(*list, level)).collect();
    let mut list = Commas::begin(out, b'[');
    for group in &groups {
        let is_only = groups.len() == 1;
        let sources: Vec<_> =
            given.iter().filter_map(|given| given.counterpart(group[0], level, is_only)).collect();
        push_merged(list.next(), &sources, group, level);
    }
    list.end(b']');
}

fn push_text(out: &mut Vec<u8>, pieces: &[Raw<'_>]) {
    out.push(b'"');
    for piece in pieces {
        let bytes = piece.bytes();
        out.extend_from_slice(&bytes[1..bytes.len() - 1]);
    }
    out.push(b'"');
}

fn push_key(out: &mut Vec<u8>, key: Tok<'_>) {
    out.push(b'"');
    push_token(out, key);
    out.extend_from_slice(b"\":");
}

/// Appends a name that is passed on: half a surrogate pair stays the escape that it is.
pub(super) fn push_name(out: &mut Vec<u8>, key: Tok<'_>) {
    out.push(b'"');
    push_body_passed(out, key.raw());
    out.push(b'"');
}

/// Whether both say something that is written at the end, about the same thing.
pub(super) fn share_last(source: Raw<'_>, written: Raw<'_>, known: &Known) -> bool {
    let says = |object, name: &str| {
        member(object, name).filter(|value| !is_hollow(*value, known.below(name)))
    };
    let tells = |object, name: &str| member(object, name).is_some_and(|it| !says_nothing(it));
    let shares = |name: &&str| tells(source, name) && tells(written, name);
    known.last.iter().any(shares)
        || known.below.iter().any(|(name, level)| {
            let (Some(ours), Some(theirs)) = (says(source, name), says(written, name)) else {
                return false;
            };
            match (ours.kind(), theirs.kind()) {
                (Kind::Object, Kind::Object) => share_last(ours, theirs, level),
                (Kind::Array, Kind::Array) => elements(ours).any(|one| {
                    elements(theirs)
                        .any(|other| are_same(one, other, level) && share_last(one, other, level))
                }),
                _ => false,
            }
        })
}

/// Whether two elements have the same index; none is 0.
fn are_same(one: Raw<'_>, other: Raw<'_>, level: &Known) -> bool {
    let index = |element| {
        let index = level.index.and_then(|name| member(element, name));
        index.filter(|index| index.kind() != Kind::Null).map_or(&b"0"[..], Raw::bytes)
    };
    index(one) == index(other)
}

/// Whether both have a member that the format knows.
pub(super) fn are_related(source: Raw<'_>, written: Raw<'_>, known: &Known) -> bool {
    let names: BTreeSet<_> = members(written).map(|(key, _)| key.decode()).collect();
    members(source).any(|(key, _)| {
        let name = key.decode();
        known.has(&name) && names.contains(&name)
    })
}
