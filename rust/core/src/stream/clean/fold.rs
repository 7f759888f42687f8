//! Several events of a folding format as one: what a client that puts deltas together makes of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Known;
use crate::json::{Kind, Raw, Tok, decode_exactly};
use crate::stream::decode::{elements, members};

/// The members of objects that belong together, each with its values, in order of first sight.
pub(super) struct Fold<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    by_name: BTreeMap<Cow<'a, [u8]>, usize>,
}

pub(super) struct Entry<'a> {
    pub(super) key: Tok<'a>,
    pub(super) values: Vec<Raw<'a>>,
}

impl<'a> Fold<'a> {
    pub(super) fn of(objects: &[Raw<'a>]) -> Self {
        let mut fold = Self { entries: Vec::new(), by_name: BTreeMap::new() };
        for (key, value) in objects.iter().flat_map(|object| members(*object)) {
            let at = *fold.by_name.entry(decode_exactly(key)).or_insert_with(|| {
                fold.entries.push(Entry { key, values: Vec::new() });
                fold.entries.len() - 1
            });
            fold.entries[at].values.push(value);
        }
        fold
    }

    /// The last value of that name.
    pub(super) fn value(&self, name: &str) -> Option<Raw<'a>> {
        self.entries[self.position(name)?].values.last().copied()
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.position_of(name.as_bytes())
    }

    /// The same of a name of the source, in which half a surrogate pair is not another half.
    pub(super) fn position_of(&self, key: &[u8]) -> Option<usize> {
        self.by_name.get(key).copied()
    }

    pub(super) fn value_of(&self, key: &[u8]) -> Option<Raw<'a>> {
        self.entries[self.position_of(key)?].values.last().copied()
    }
}

/// The value that counts of a member that is no text, no list and no known object: the last that is not null.
pub(super) fn last_word<'a>(values: &[Raw<'a>]) -> Option<Raw<'a>> {
    let said = values.iter().rev().find(|value| value.kind() != Kind::Null);
    said.or_else(|| values.last()).copied()
}

pub(super) fn all_are(values: &[Raw<'_>], kind: Kind) -> bool {
    values.iter().all(|value| value.kind() == kind)
}

/// The elements of lists, those that belong together in one group.
pub(super) fn groups<'a>(lists: &[Raw<'a>], level: &Known) -> Vec<Vec<Raw<'a>>> {
    let mut groups: Vec<Vec<Raw<'a>>> = Vec::new();
    let mut by_index: BTreeMap<&'a [u8], usize> = BTreeMap::new();
    for element in lists.iter().flat_map(|list| elements(*list)) {
        let index = level.index.and_then(|name| member(element, name)).map(Raw::bytes);
        let known = index.and_then(|index| by_index.get(index).copied());
        if let Some(at) = known {
            groups[at].push(element);
            continue;
        }
        if let Some(index) = index {
            by_index.insert(index, groups.len());
        }
        groups.push(vec![element]);
    }
    groups
}

/// The elements of a source's list, to be found again.
pub(super) struct Elements<'a> {
    by_id: BTreeMap<&'a [u8], Raw<'a>>,
    by_index: BTreeMap<&'a [u8], Raw<'a>>,
    only: Option<Raw<'a>>,
}

impl<'a> Elements<'a> {
    /// Nothing if the elements of this level have no index. Only where an id is known they go by it.
    pub(super) fn of(list: Raw<'a>, level: &Known) -> Option<Self> {
        let index_name = level.index?;
        let mut found = Self { by_id: BTreeMap::new(), by_index: BTreeMap::new(), only: None };
        for (at, element) in elements(list).enumerate() {
            let word = |name| {
                member(element, name).filter(|value| value.kind() != Kind::Null).map(Raw::bytes)
            };
            if let Some(id) = word("id").filter(|_| level.has("id")) {
                found.by_id.entry(id).or_insert(element);
            }
            let default = (!level.has("id")).then_some(&b"0"[..]);
            if let Some(index) = word(index_name).or(default) {
                found.by_index.entry(index).or_insert(element);
            }
            found.only = Some(element).filter(|_| at == 0);
        }
        Some(found)
    }

    /// The one that a written element stands for: of the same id, else of the same index (none is 0
    /// where no id is known), else, where one is, the only one, if `written` is the only one, too.
    pub(super) fn counterpart(
        &self,
        written: Raw<'_>,
        level: &Known,
        is_only: bool,
    ) -> Option<Raw<'a>> {
        let of_id = member(written, "id").and_then(|id| self.by_id.get(id.bytes()));
        let index = level.index.and_then(|name| member(written, name));
        let of_index = || index.and_then(|index| self.by_index.get(index.bytes()));
        of_id.or_else(of_index).copied().or(self.only.filter(|_| is_only && level.has("id")))
    }
}

/// The last member of that name.
pub(super) fn member<'a>(object: Raw<'a>, name: &str) -> Option<Raw<'a>> {
    if object.kind() != Kind::Object {
        return None;
    }
    members(object).filter(|(key, _)| key.eq_str(name)).last().map(|(_, value)| value)
}
