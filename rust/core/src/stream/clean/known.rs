//! The members that a format knows, level by level.

use crate::json::{Kind, Raw};
use crate::stream::decode::{members, says_nothing};

/// The members of an object, or of the objects in a list, that a format knows.
#[derive(Debug)]
pub struct Known {
    /// Their names.
    pub names: &'static [&'static str],
    /// Those that hold objects, or lists of objects, with members of their own.
    pub below: &'static [(&'static str, &'static Known)],
    /// The member that names the kind of the object, if events have one.
    pub kind: Option<&'static str>,
    /// The member that all events have whose deltas clients put together. What came of one event of the source
    /// is then written as one event.
    pub folds: Option<&'static str>,
    /// The member that tells which elements of a list belong together, if the object stands in such a list.
    pub index: Option<&'static str>,
    /// Strings that are put together from pieces.
    pub texts: &'static [&'static str],
    /// Names of one and the same text.
    pub aliases: &'static [&'static str],
    /// Those that may not even be empty where nothing is written for them.
    pub strict: &'static [&'static str],
    /// Those that are written, and that the source need not have.
    pub optional: &'static [&'static str],
    /// Those whose content may be written with a later event.
    pub held: &'static [&'static str],
    /// Those whose content is written at the end.
    pub last: &'static [&'static str],
    /// Those that are written as events of their own.
    pub apart: &'static [&'static str],
    /// Whether a member that is unknown here is passed on even if nothing came of its event.
    pub passes_unknown: bool,
    /// Whether such members may not stand beside what is written at the end.
    pub keeps_unknown_apart: bool,
    /// Unknown members that differ from event to event and say nothing.
    pub noise: &'static [&'static str],
    /// Unknown members that describe the server: they do not make an event pass that says nothing else.
    pub of_server: &'static [&'static str],
    /// The member with the event itself, if that has an envelope, and those that no envelope has.
    pub envelope: Option<(&'static str, &'static [&'static str])>,
    /// Whether unknown members come in pieces, which clients put together; else the last one counts.
    pub in_pieces: bool,
    /// Whether this is a level of whole bodies: there is no next event that could bring what is missing.
    pub whole: bool,
    /// Whether its members are counts, of which none is as good as 0 in a whole body.
    pub counts: bool,
    /// A member of events, and its name in whole bodies.
    pub name_in_bodies: Option<(&'static str, &'static str)>,
}

impl Known {
    /// A level inside events that has only names.
    #[must_use]
    pub const fn of(
        names: &'static [&'static str],
        below: &'static [(&'static str, &'static Self)],
    ) -> Self {
        Self {
            names,
            below,
            kind: None,
            folds: None,
            index: None,
            texts: &[],
            aliases: &[],
            strict: &[],
            optional: &[],
            held: &[],
            last: &[],
            apart: &[],
            passes_unknown: false,
            keeps_unknown_apart: false,
            noise: &[],
            of_server: &[],
            envelope: None,
            in_pieces: false,
            whole: false,
            counts: false,
            name_in_bodies: None,
        }
    }

    /// Whether a member of that name is known.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// The level of a member.
    #[must_use]
    pub fn below(&self, name: &str) -> Option<&'static Self> {
        self.below.iter().find(|(known, _)| *known == name).map(|(_, level)| *level)
    }

    /// What kind of event an object is.
    pub(super) fn kind_of(&self, event: Raw<'_>) -> Option<String> {
        let kind = self.kind?;
        let (_, value) = members(event).filter(|(key, _)| key.eq_str(kind)).last()?;
        if value.kind() != Kind::String {
            return None;
        }
        Some(value.cursor().string().ok()?.decode().into_owned())
    }
}

/// Whether a value that is not written would be missed by nobody: null, an empty string, list or object, and at
/// a known level an object with nothing but such and unknown members.
pub(super) fn is_hollow(value: Raw<'_>, level: Option<&Known>) -> bool {
    if says_nothing(value) {
        return true;
    }
    let Some(level) = level.filter(|_| value.kind() == Kind::Object) else { return false };
    members(value).all(|(key, value)| {
        let name = key.decode();
        !level.has(&name) || is_hollow(value, level.below(&name))
    })
}

/// Whether a value counts nothing: null, 0, or an object with nothing but such.
pub(super) fn counts_nothing(value: Raw<'_>) -> bool {
    match value.kind() {
        Kind::Object => members(value).all(|(_, value)| counts_nothing(value)),
        _ => value.kind() == Kind::Null || value.bytes() == b"0",
    }
}

/// What an event of the source may still bring, or bring along.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Says {
    /// Something that may be written with a later event.
    pub(super) held: bool,
    /// Something that is written at the end.
    pub(super) last: bool,
    /// An unknown member that is passed on in any case.
    pub(super) unknown: bool,
    /// One of these that may not stand beside what is written at the end.
    pub(super) apart: bool,
    /// An unknown member of its topmost level.
    beside: bool,
    /// Something to write that beside, though it may be empty.
    some: bool,
}

impl Says {
    /// Whether the event passes even if nothing came of it.
    pub(super) const fn passes(self) -> bool {
        self.unknown || (self.beside && self.some)
    }

    pub(super) fn of(event: Raw<'_>, known: &Known) -> Self {
        let mut says = Self::default();
        says.read(event, known);
        says
    }

    fn read(&mut self, value: Raw<'_>, level: &Known) {
        match value.kind() {
            Kind::Object => {}
            Kind::Array => {
                return crate::stream::decode::elements(value)
                    .filter(|element| element.kind() == Kind::Object)
                    .for_each(|element| self.read(element, level));
            }
            _ => return,
        }
        for (key, value) in members(value) {
            let name = &*key.decode();
            let below = level.below(name);
            if level.has(name) {
                self.held |= level.held.contains(&name) && !is_hollow(value, below);
                self.last |= level.last.contains(&name) && !is_hollow(value, None);
                self.some |= level.folds == Some(name) && !is_hollow(value, None);
                if let Some(below) = below {
                    self.read(value, below);
                }
            } else if !level.noise.contains(&name) && !is_hollow(value, None) {
                self.unknown |= level.passes_unknown;
                self.apart |= level.passes_unknown && level.keeps_unknown_apart;
                self.beside |= level.folds.is_some() && !level.of_server.contains(&name);
            }
        }
    }
}
