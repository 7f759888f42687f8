//! Reading usage objects: counts by name, nested details, losses of what is unknown.

use std::borrow::Cow;

use crate::error::Code;
use crate::json::{Kind, Num, Raw};
use crate::stream::decode::members;
use crate::stream::delta::Counts;
use crate::stream::encode::Encode;
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::Referee;

/// Which count a member is.
pub(crate) type Meaning = fn(&mut Counts) -> &mut Option<u64>;

/// The names of one format.
pub(crate) struct CountNames {
    /// Members of the object itself.
    pub(crate) counts: &'static [(&'static str, Meaning)],
    /// Members that are objects with counts.
    pub(crate) details: &'static [(&'static str, &'static [(&'static str, Meaning)])],
    /// Unknown members whose value is zero are no loss.
    pub(crate) zero_is_noise: bool,
}

/// Reads a usage object; each loss is told once a name as long as `told` remembers it.
pub(crate) fn read_counts<E: Encode>(
    usage: Raw<'_>,
    names: &CountNames,
    told: &mut Vec<Box<str>>,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<Counts, Stop> {
    let mut reading = Reading { names, told, counts: Counts::default() };
    reading.object(usage, names.counts, None, place, referee)?;
    Ok(reading.counts)
}

struct Reading<'r> {
    names: &'r CountNames,
    told: &'r mut Vec<Box<str>>,
    counts: Counts,
}

impl Reading<'_> {
    fn object<E: Encode>(
        &mut self,
        object: Raw<'_>,
        known: &[(&str, Meaning)],
        outer: Option<&str>,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let mut read: Vec<Cow<'_, str>> = Vec::new();
        for (key, value) in members(object) {
            let name = key.decode();
            let member = place.member(&name);
            let details =
                self.names.details.iter().find(|(details, _)| outer.is_none() && *details == name);
            if details.is_some() || known.iter().any(|(known, _)| *known == name) {
                if read.contains(&name) {
                    // Its opening quote.
                    let start = object.bytes().as_ptr() as usize;
                    let at = object.at() + (key.raw().as_ptr() as usize - start) - 1;
                    let (code, path) = (Code::DuplicateKey, member.to_string());
                    return Err(Stop::Wire { code, at, path });
                }
                read.push(name.clone());
            }
            if value.kind() == Kind::Null {
                continue;
            }
            if let Some((_, nested)) = details {
                if value.kind() == Kind::Object {
                    self.object(value, nested, Some(&name), &member, referee)?;
                } else {
                    self.tell(LossCode::UsageInvalid, outer, &name, &member, referee)?;
                }
                continue;
            }
            let number = match value.kind() {
                Kind::Number => value.cursor().number().ok(),
                _ => None,
            };
            if let Some((_, meaning)) = known.iter().find(|(known, _)| *known == name) {
                *meaning(&mut self.counts) = number.and_then(Num::as_u64);
                if meaning(&mut self.counts).is_none() {
                    self.tell(LossCode::UsageInvalid, outer, &name, &member, referee)?;
                }
            } else if !(self.names.zero_is_noise && is_zero(value) || referee.passes_unknown()) {
                self.tell(LossCode::UsageMemberDropped, outer, &name, &member, referee)?;
            }
        }
        Ok(())
    }

    fn tell<E: Encode>(
        &mut self,
        code: LossCode,
        outer: Option<&str>,
        name: &str,
        member: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let known = format!("{}/{name}", outer.unwrap_or_default());
        if self.told.iter().any(|told| **told == *known) {
            return Ok(());
        }
        if referee.losses.remembers(&known) {
            self.told.push(known.into());
        }
        referee.losses.report(code, member, name)
    }
}

/// Whether a value is a number without any digit but zero.
fn is_zero(value: Raw<'_>) -> bool {
    value.kind() == Kind::Number && !value.bytes().iter().any(|byte| matches!(byte, b'1'..=b'9'))
}
