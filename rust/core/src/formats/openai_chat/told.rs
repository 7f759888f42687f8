//! What was told of the source's members, so that it is not told again.

use crate::stream::encode::Encode;
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::Referee;

/// Names of what was told, with the choice where that is told once a choice.
#[derive(Debug, Default)]
pub(super) struct Told(Vec<(LossCode, Option<u32>, Box<str>)>);

impl Told {
    /// A member that the format does not know, unless it is passed on; told once a name.
    pub(super) fn unknown<E: Encode>(
        &mut self,
        name: &str,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        if referee.passes_unknown() {
            return Ok(());
        }
        self.once(None, name, LossCode::DeltaMemberDropped, name, place, referee)
    }

    /// Opaque state, unless it is passed on: told once a choice and member.
    pub(super) fn sealed<E: Encode>(
        &mut self,
        choice: u32,
        member: &str,
        detail: &str,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        if referee.passes_unknown() {
            return Ok(());
        }
        self.once(Some(choice), member, LossCode::OpaqueStateDropped, detail, place, referee)
    }

    /// Something of a type, or a word, that the format does not have; told once a type or word.
    pub(super) fn kind<E: Encode>(
        &mut self,
        code: LossCode,
        kind: &str,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        self.once(None, kind, code, kind, place, referee)
    }

    fn once<E: Encode>(
        &mut self,
        choice: Option<u32>,
        name: &str,
        code: LossCode,
        detail: &str,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        if self.0.iter().any(|(of, at, told)| (*of, *at) == (code, choice) && **told == *name) {
            return Ok(());
        }
        if referee.losses.remembers(name) {
            self.0.push((code, choice, name.into()));
        }
        referee.losses.report(code, place, detail)
    }
}
