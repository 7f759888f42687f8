//! Lists of unknown name in deltas: their elements have indexes, or clients cannot put them together.

use std::collections::BTreeMap;

use super::Known;
use super::fold::member;
use crate::json::{Kind, Raw, decode_exactly};
use crate::stream::decode::{elements, members};

/// Lists beyond these stay as they are.
const MAX_LISTS: usize = 64;

/// Gives elements that have no index their place in the list, except in the first event that brings some: what
/// comes in one piece needs no index.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// The next place in each list, by the choice's index and the list's name.
    next: BTreeMap<(Box<str>, Box<[u8]>), u64>,
    /// Whether the event seen last has such elements: it is like no other one.
    pub(super) is_unlike: bool,
}

impl Numbering {
    /// The event with the indexes that it lacks; nothing if it lacks none.
    pub(super) fn complete(&mut self, event: Raw<'_>, known: &Known) -> Option<Vec<u8>> {
        self.is_unlike = false;
        // Most events have one list only, that of the choices.
        memchr::memchr_iter(b'[', event.bytes()).nth(1)?;
        let mut missing = Vec::new();
        let choices = member(event, known.folds?)?;
        let level = known.below(known.folds?)?;
        let (delta_name, _) = level.name_in_bodies?;
        for choice in elements(choices) {
            let Some(delta) = member(choice, delta_name).filter(|it| it.kind() == Kind::Object)
            else {
                continue;
            };
            let Some(delta_level) = level.below(delta_name) else { continue };
            for (key, list) in members(delta).filter(|(_, value)| value.kind() == Kind::Array) {
                let name = key.decode();
                if !list.is_empty_container() && !delta_level.has(&name) {
                    let index = level.index.and_then(|index| member(choice, index));
                    let choice = index.map_or("0", Raw::as_str);
                    self.number(
                        (choice.into(), (&*decode_exactly(key)).into()),
                        list,
                        &mut missing,
                    );
                }
            }
        }
        if missing.is_empty() {
            return None;
        }
        let (mut completed, mut from) = (Vec::new(), 0);
        let bytes = event.bytes();
        for (end, member) in missing {
            let end = end - event.at();
            completed.extend_from_slice(&bytes[from..end]);
            completed.extend_from_slice(member.as_bytes());
            from = end;
        }
        completed.extend_from_slice(&bytes[from..]);
        Some(completed)
    }

    /// Collects the members that are missing, each with its offset.
    fn number(
        &mut self,
        place: (Box<str>, Box<[u8]>),
        list: Raw<'_>,
        missing: &mut Vec<(usize, String)>,
    ) {
        let is_full = self.next.len() == MAX_LISTS;
        let known = self.next.get(&place).copied();
        let mut next = known.unwrap_or(0);
        for element in elements(list) {
            let index = member(element, "index").filter(|index| index.kind() != Kind::Null);
            if let Some(index) = index {
                let index = index.as_str().parse::<u64>().unwrap_or(0);
                next = next.max(index.saturating_add(1));
                continue;
            }
            if element.kind() == Kind::Object {
                self.is_unlike = true;
                if known.is_some() {
                    let comma = if element.is_empty_container() { "" } else { "," };
                    let end = element.at() + element.bytes().len() - 1;
                    missing.push((end, format!("{comma}\"index\":{next}")));
                }
            }
            next = next.saturating_add(1);
        }
        if known.is_some() || !is_full {
            self.next.insert(place, next);
        }
    }
}
