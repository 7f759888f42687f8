//! Token counts of a chunk (`docs/formats/openai_chat.md`, "Decode").

use crate::json::{Kind, Raw};
use crate::stream::encode::Encode;
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::token_counts::{CountNames, read_counts};
use crate::stream::turn::Referee;

/// Among the names that were told: no member has it, as theirs hold a slash.
const NO_OBJECT: &str = "usage";

const NAMES: CountNames = CountNames {
    counts: &[
        ("prompt_tokens", |counts| &mut counts.input),
        ("completion_tokens", |counts| &mut counts.output),
        ("total_tokens", |counts| &mut counts.total),
    ],
    details: &[
        (
            "prompt_tokens_details",
            &[
                ("cached_tokens", |counts| &mut counts.cached),
                ("cache_write_tokens", |counts| &mut counts.cache_write),
            ],
        ),
        ("completion_tokens_details", &[("reasoning_tokens", |counts| &mut counts.reasoning)]),
    ],
    zero_is_noise: true,
};

/// Reads a usage object; `told` remembers the names that were told, and `usage` itself if it was no object.
pub(super) fn push_usage<E: Encode>(
    usage: Raw<'_>,
    place: &Place<'_>,
    told: &mut Vec<Box<str>>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    if usage.kind() != Kind::Object {
        if told.iter().any(|name| **name == *NO_OBJECT) {
            return Ok(());
        }
        told.push(NO_OBJECT.into());
        return referee.losses.report(LossCode::UsageInvalid, place, "usage");
    }
    let counts = read_counts(usage, &NAMES, told, place, referee)?;
    referee.usage(&counts);
    Ok(())
}
