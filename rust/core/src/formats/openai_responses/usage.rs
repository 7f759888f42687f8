//! Token counts (`docs/formats/openai_responses.md`, "Usage").

use crate::json::{Kind, Num, Raw, Tok};
use crate::stream::decode::wrong_type;
use crate::stream::delta::Counts;
use crate::stream::encode::Encode;
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::Referee;

/// Which count a member is.
type Meaning = fn(&mut Counts) -> &mut Option<u64>;

const COUNTS: [(&str, Meaning); 3] = [
    ("input_tokens", |counts| &mut counts.input),
    ("output_tokens", |counts| &mut counts.output),
    ("total_tokens", |counts| &mut counts.total),
];
const OF_INPUT: [(&str, Meaning); 2] = [
    ("cached_tokens", |counts| &mut counts.cached),
    ("cache_write_tokens", |counts| &mut counts.cache_write),
];
const OF_OUTPUT: [(&str, Meaning); 1] = [("reasoning_tokens", |counts| &mut counts.reasoning)];

/// Reads a usage object.
pub(super) fn push_usage<E: Encode>(
    usage: Raw<'_>,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let mut counts = Counts::default();
    read_counts(usage, &COUNTS, place, &mut counts, referee)?;
    referee.usage(&counts);
    Ok(())
}

fn members(object: Raw<'_>) -> impl Iterator<Item = (Tok<'_>, Raw<'_>)> {
    let mut cursor = object.cursor();
    let open = cursor.object().is_ok();
    core::iter::from_fn(move || {
        let key = if open { cursor.next_key().ok()?? } else { return None };
        Some((key, cursor.skip_value().ok()?))
    })
}

fn read_counts<E: Encode>(
    object: Raw<'_>,
    known: &[(&str, Meaning)],
    place: &Place<'_>,
    counts: &mut Counts,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    if object.kind() != Kind::Object {
        return Err(wrong_type(object.at(), place));
    }
    for (key, value) in members(object) {
        let name = key.decode();
        let member = place.member(&name);
        if value.kind() == Kind::Null {
            continue;
        }
        let nested: Option<&[(&str, Meaning)]> = match &*name {
            "input_tokens_details" if place.member.is_none() => Some(&OF_INPUT),
            "output_tokens_details" if place.member.is_none() => Some(&OF_OUTPUT),
            _ => None,
        };
        if let (Some(nested), Kind::Object) = (nested, value.kind()) {
            read_counts(value, nested, &member, counts, referee)?;
            continue;
        }
        let meaning = known.iter().find(|(known, _)| *known == name);
        let Some((_, meaning)) = meaning else {
            let code = if nested.is_some() {
                LossCode::UsageInvalid
            } else {
                LossCode::UsageMemberDropped
            };
            referee.losses.report(code, &member, &name)?;
            continue;
        };
        *meaning(counts) = match value.kind() {
            Kind::Number => value.cursor().number().ok().and_then(Num::as_u64),
            _ => None,
        };
        if meaning(counts).is_none() {
            referee.losses.report(LossCode::UsageInvalid, &member, &name)?;
        }
    }
    Ok(())
}
