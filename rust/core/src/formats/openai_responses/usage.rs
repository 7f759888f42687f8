//! Token counts (`docs/formats/openai_responses.md`, "Usage").

use crate::json::{Kind, Raw};
use crate::stream::decode::wrong_type;
use crate::stream::encode::Encode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::token_counts::{CountNames, read_counts};
use crate::stream::turn::Referee;

const NAMES: CountNames = CountNames {
    counts: &[
        ("input_tokens", |counts| &mut counts.input),
        ("output_tokens", |counts| &mut counts.output),
        ("total_tokens", |counts| &mut counts.total),
    ],
    details: &[
        (
            "input_tokens_details",
            &[
                ("cached_tokens", |counts| &mut counts.cached),
                ("cache_write_tokens", |counts| &mut counts.cache_write),
            ],
        ),
        ("output_tokens_details", &[("reasoning_tokens", |counts| &mut counts.reasoning)]),
    ],
    zero_is_noise: false,
};

/// Reads a usage object.
pub(super) fn push_usage<E: Encode>(
    usage: Raw<'_>,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    if usage.kind() != Kind::Object {
        return Err(wrong_type(usage.at(), place));
    }
    let counts = read_counts(usage, &NAMES, &mut Vec::new(), place, referee)?;
    referee.usage(&counts);
    Ok(())
}
