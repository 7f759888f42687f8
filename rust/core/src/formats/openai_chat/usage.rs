//! Token counts of a chunk (`docs/formats/openai_chat.md`, "Decode").

use crate::json::Raw;
use crate::stream::encode::Encode;
use crate::stream::stop::Stop;
use crate::stream::token_counts::{CountNames, read_counts};
use crate::stream::turn::Referee;

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

/// Reads a usage object; `told` remembers the names that were told.
pub(super) fn push_usage<E: Encode>(
    usage: Raw<'_>,
    told: &mut Vec<Box<str>>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let place = referee.place().member("usage");
    let counts = read_counts(usage, &NAMES, told, &place, referee)?;
    referee.usage(&counts);
    Ok(())
}
