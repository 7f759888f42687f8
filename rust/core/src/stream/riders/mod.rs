//! What the events of a stream say beside what their format knows, as a client that puts them together keeps it
//! (`DESIGN.md` 8).

mod value;

use std::collections::BTreeMap;

use self::value::Object;
use super::clean::Known;
use super::commas::Commas;
use super::decode::{elements, members};
use crate::json::{Kind, Raw, push_string};

/// What was kept so far.
#[derive(Debug)]
pub(crate) struct Riders {
    known: &'static Known,
    root: Level,
    bytes: usize,
    /// Goes up with every event that changed what is kept.
    turns: u64,
}

/// What is kept of an object whose members are known.
#[derive(Debug, Default)]
struct Level {
    unknown: Object,
    /// Names under which a text of several names came.
    aliases: Vec<&'static str>,
    below: BTreeMap<&'static str, Below>,
}

#[derive(Debug)]
enum Below {
    One(Box<Level>),
    Many(Vec<Element>, BTreeMap<Box<[u8]>, usize>),
}

#[derive(Debug)]
struct Element {
    index: Box<[u8]>,
    id: Option<String>,
    level: Level,
}

/// What taking an event came to.
#[derive(Debug, Default)]
struct Tally {
    bytes: usize,
    has_pieces: bool,
    has_changed: bool,
}

impl Riders {
    pub(crate) fn new(known: &'static Known) -> Self {
        Self { known, root: Level::default(), bytes: 0, turns: 1 }
    }

    pub(crate) const fn known(&self) -> &'static Known {
        self.known
    }

    /// Bytes of what is kept.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the events that a client was sent.
    pub(crate) fn take_events(&mut self, mut out: &[u8]) {
        while let Some(end) = memchr::memmem::find(out, b"\n\n") {
            if let Some(payload) = out[..end].strip_prefix(b"data: ") {
                self.take(payload);
            }
            out = &out[end + 2..];
        }
    }

    /// The same for the payload of one event. Returns what [`Self::is_news`] says no to as long as nothing else
    /// has changed what is kept.
    pub(crate) fn take(&mut self, payload: &[u8]) -> u64 {
        let Ok(event) = Raw::parse(payload) else { return 0 };
        let mut tally = Tally { bytes: self.bytes, ..Tally::default() };
        if event.kind() == Kind::Object {
            self.root.take(event, self.known, &mut tally);
        }
        self.bytes = tally.bytes;
        self.turns += u64::from(tally.has_changed);
        if tally.has_pieces { 0 } else { self.turns }
    }

    /// Whether an event of which taking an equal one returned `turn` has to be taken.
    #[inline]
    pub(crate) const fn is_news(&self, turn: u64) -> bool {
        turn == 0 || turn != self.turns
    }

    /// All of it in the form of a body.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.root.push(&mut out, self.known, None);
        out
    }
}

impl Level {
    fn take(&mut self, object: Raw<'_>, known: &'static Known, tally: &mut Tally) {
        for (key, value) in members(object) {
            let name = &*key.decode();
            if known.noise.contains(&name) {
                continue;
            }
            if !known.has(name) {
                if known.in_pieces {
                    tally.has_pieces |= value.kind() != Kind::Null
                        && value.bytes() != b"\"\""
                        && !value.is_empty_container();
                    self.unknown.grow(key, value, tally);
                } else {
                    self.unknown.replace(key, value, tally);
                }
                continue;
            }
            if let Some(alias) = known.aliases.iter().find(|alias| **alias == name)
                && value.kind() == Kind::String
                && value.bytes() != b"\"\""
                && !self.aliases.contains(alias)
            {
                self.aliases.push(alias);
                tally.has_changed = true;
            }
            let Some((name, below)) = known.below.iter().find(|(known, _)| *known == name) else {
                continue;
            };
            match value.kind() {
                Kind::Object => {
                    let kept = self.below.entry(name).or_insert_with(|| Below::One(Box::default()));
                    if let Below::One(level) = kept {
                        level.take(value, below, tally);
                    }
                }
                Kind::Array if below.index.is_some() => {
                    self.take_elements(name, value, below, tally);
                }
                _ => {}
            }
        }
    }

    fn take_elements(
        &mut self,
        name: &'static str,
        list: Raw<'_>,
        known: &'static Known,
        tally: &mut Tally,
    ) {
        let kept =
            self.below.entry(name).or_insert_with(|| Below::Many(Vec::new(), BTreeMap::new()));
        let Below::Many(kept, places) = kept else { return };
        for element in elements(list).filter(|element| element.kind() == Kind::Object) {
            let (mut index, mut id) = (&b"0"[..], None);
            for (key, value) in members(element) {
                if known.index.is_some_and(|name| key.eq_str(name)) && value.kind() != Kind::Null {
                    index = value.bytes();
                } else if known.has("id") && key.eq_str("id") {
                    id = value.cursor().string().ok().map(|id| id.decode().into_owned());
                }
            }
            let at = *places.entry(index.into()).or_insert_with(|| {
                kept.push(Element { index: index.into(), id: None, level: Level::default() });
                kept.len() - 1
            });
            kept[at].id = kept[at].id.take().or(id);
            kept[at].level.take(element, known, tally);
        }
    }

    fn push(&self, out: &mut Vec<u8>, known: &Known, element: Option<&Element>) {
        let mut list = Commas::begin(out, b'{');
        match element {
            Some(Element { id: Some(id), .. }) => {
                list.next().extend_from_slice(b"\"id\":");
                push_string(list.out, id);
            }
            Some(Element { index, .. }) => {
                list.next().extend_from_slice(b"\"index\":");
                list.out.extend_from_slice(index);
            }
            None => {}
        }
        for alias in &self.aliases {
            // The text itself is written by who knows it.
            list.next().extend_from_slice(format!("\"{alias}\":\"x\"").as_bytes());
        }
        for (name, below) in &self.below {
            let Some(level) = known.below(name) else { continue };
            let renamed = known.name_in_bodies.filter(|(here, _)| here == name);
            let name = renamed.map_or(*name, |(_, there)| there);
            list.next().extend_from_slice(format!("\"{name}\":").as_bytes());
            match below {
                Below::One(kept) => kept.push(list.out, level, None),
                Below::Many(kept, _) => {
                    let mut inner = Commas::begin(list.out, b'[');
                    for element in kept {
                        element.level.push(inner.next(), level, Some(element));
                    }
                    inner.end(b']');
                }
            }
        }
        self.unknown.push_members(&mut list);
        list.end(b'}');
    }
}
