//! What is unknown in an event of the source and stands in nothing that was written for it is told.

use std::collections::BTreeMap;

use super::Known;
use super::fold::{Elements, Fold};
use crate::json::{Kind, Raw, decode_exactly};
use crate::stream::decode::{elements, says_nothing};
use crate::stream::loss::{LossCode, LossLog};
use crate::stream::place::Place;

/// Where an event of the source stood.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) event: u64,
    /// The member of the event that it was in, if it had an envelope.
    pub(super) envelope: Option<&'static str>,
}

impl Origin {
    fn place<'p>(self) -> Place<'p> {
        let place = Place::event(Some(self.event));
        self.envelope.map_or(place, |name| place.member(name))
    }
}

/// Which members of an event are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Whole,
    /// But for those that are written as events of their own.
    Folded,
    /// Those that the topmost level does not know.
    Beside,
}

/// Names of what was told.
#[derive(Debug, Default)]
pub(super) struct Told(Vec<(LossCode, Box<str>)>);

/// Tells what is missing, once a name.
pub(super) struct Teller<'t> {
    pub(super) told: &'t mut Told,
    pub(super) losses: &'t mut LossLog,
    pub(super) known: &'static Known,
}

impl Teller<'_> {
    /// Tells the unknown members of a part of `source` that none of `written` has.
    pub(super) fn tell(
        &mut self,
        source: Raw<'_>,
        origin: Origin,
        written: &[Raw<'_>],
        part: Part,
    ) {
        let known = self.known;
        let has_elements =
            |name| Fold::of(&[source]).value(name).is_some_and(|list| !list.is_empty_container());
        let of_server: &[&str] =
            if known.folds.is_some_and(has_elements) { known.of_server } else { &[] };
        let written: Vec<_> = written.iter().map(|event| Fold::of(&[*event])).collect();
        for entry in &Fold::of(&[source]).entries {
            let name = &*entry.key.decode();
            let is_looked_at = match part {
                Part::Whole => true,
                Part::Folded => !known.apart.contains(&name),
                Part::Beside => !known.has(name),
            };
            if !is_looked_at || of_server.contains(&name) {
                continue;
            }
            let code = if known.last.contains(&name) {
                LossCode::UsageMemberDropped
            } else {
                LossCode::DeltaMemberDropped
            };
            let key = decode_exactly(entry.key);
            self.member(code, (name, &key), &entry.values, &written, known, origin.place());
        }
    }

    /// Looks at the values of one name.
    fn member(
        &mut self,
        code: LossCode,
        (name, key): (&str, &[u8]),
        values: &[Raw<'_>],
        written: &[Fold<'_>],
        level: &Known,
        place: Place<'_>,
    ) {
        let theirs = written.iter().filter_map(|object| object.value_of(key));
        if !level.has(name) {
            let says_something = values.iter().any(|value| !says_nothing(*value));
            if says_something && theirs.count() == 0 {
                self.report(code, name, &place.member(name));
            }
            return;
        }
        let Some((name, below)) = level.below.iter().find(|(known, _)| *known == name) else {
            return;
        };
        let Some(value) = values.last() else { return };
        let theirs: Vec<_> = theirs.collect();
        match value.kind() {
            Kind::Object => self.object(code, *value, &theirs, below, place.member(name)),
            Kind::Array => self.list(code, *value, &theirs, (name, below), place),
            _ => {}
        }
    }

    fn object(
        &mut self,
        code: LossCode,
        source: Raw<'_>,
        written: &[Raw<'_>],
        level: &Known,
        place: Place<'_>,
    ) {
        let written: Vec<_> = written.iter().map(|object| Fold::of(&[*object])).collect();
        for entry in &Fold::of(&[source]).entries {
            let (name, key) = (entry.key.decode(), decode_exactly(entry.key));
            self.member(code, (&*name, &*key), &entry.values, &written, level, place);
        }
    }

    fn list(
        &mut self,
        code: LossCode,
        source: Raw<'_>,
        written: &[Raw<'_>],
        (name, level): (&'static str, &Known),
        place: Place<'_>,
    ) {
        let Some(given) = Elements::of(source, level) else { return };
        let mut same: BTreeMap<usize, Vec<Raw<'_>>> = BTreeMap::new();
        for list in written.iter().filter(|value| value.kind() == Kind::Array) {
            let is_only = elements(*list).nth(1).is_none();
            for element in elements(*list) {
                if let Some(ours) = given.counterpart(element, level, is_only) {
                    same.entry(ours.at()).or_default().push(element);
                }
            }
        }
        for (at, element) in (0..).zip(elements(source)) {
            let same = same.get(&element.at()).map_or(&[][..], |same| same);
            self.object(code, element, same, level, place.element(name, at));
        }
    }

    fn report(&mut self, code: LossCode, name: &str, place: &Place<'_>) {
        let is_told = self.told.0.iter().any(|(of, told)| *of == code && **told == *name);
        if is_told || self.known.noise.contains(&name) {
            return;
        }
        if self.losses.remembers(name) {
            self.told.0.push((code, name.into()));
        }
        self.losses.report_metadata(code, place, name);
    }
}
