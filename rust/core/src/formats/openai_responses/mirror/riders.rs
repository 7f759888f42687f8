//! Members that the writer does not know, carried from what the source showed.

use std::collections::BTreeMap;

use crate::json::{Kind, Raw, Tok, push_raw_compact, push_token};
use crate::stream::decode::members;

/// Unknown members of one object, each as it was shown last, in order of first sight.
#[derive(Debug, Default)]
pub(super) struct Riders {
    /// `,"name":value`
    members: Vec<Vec<u8>>,
    places: BTreeMap<Box<str>, usize>,
    bytes: usize,
}

impl Riders {
    /// Takes the members of an object whose names are not known. A null says nothing of a member that was shown.
    pub(super) fn take(&mut self, shown: Raw<'_>, is_known: impl Fn(&str) -> bool) {
        for (key, value) in members(shown) {
            let name = key.decode();
            if is_known(&name) {
                continue;
            }
            let place = self.places.get(&*name).copied();
            if value.kind() == Kind::Null && place.is_some() {
                continue;
            }
            // Mostly it is shown as before.
            if place.is_some_and(|at| is_value_of(&self.members[at], key, value)) {
                continue;
            }
            let mut member = b",\"".to_vec();
            push_token(&mut member, key);
            member.extend_from_slice(b"\":");
            push_raw_compact(&mut member, value);
            self.bytes += member.len();
            if let Some(at) = place {
                self.bytes -= self.members[at].len();
                self.members[at] = member;
            } else {
                self.places.insert(name.into(), self.members.len());
                self.members.push(member);
            }
        }
    }

    /// Whether a member of that name was shown.
    pub(super) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Appends them behind the members of an object.
    pub(super) fn push(&self, out: &mut Vec<u8>) {
        for member in &self.members {
            out.extend_from_slice(member);
        }
    }

    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Whether a member is what would be written for a key and a value without white space or separators.
fn is_value_of(member: &[u8], key: Tok<'_>, value: Raw<'_>) -> bool {
    let rest = member.strip_prefix(b",\"").and_then(|rest| rest.strip_prefix(key.raw()));
    rest.and_then(|rest| rest.strip_prefix(b"\":")) == Some(value.bytes())
}
