//! The members of events that are read, level by level (`DESIGN.md` 8).

use crate::stream::clean::Known;

/// Members of an event.
pub const KNOWN: Known = Known {
    names: &[
        "type",
        "sequence_number",
        "item_id",
        "output_index",
        "content_index",
        "summary_index",
        "annotation_index",
        "delta",
        "text",
        "refusal",
        "arguments",
        "input",
        "name",
        "item",
        "part",
        "annotation",
        "response",
        "logprobs",
        "code",
        "message",
        "param",
    ],
    below: &[("response", &RESPONSE), ("item", &ITEM), ("part", &PART)],
    kind: Some("type"),
    texts: &["delta"],
    // In the event that ends a call's arguments; most servers leave it out.
    optional: &["name"],
    ..Known::of(&[], &[])
};

const RESPONSE: Known = Known::of(
    &[
        "id",
        "object",
        "created_at",
        "status",
        "output",
        "usage",
        "error",
        "incomplete_details",
        "model",
    ],
    &[
        ("output", &ITEM),
        ("usage", &USAGE),
        ("error", &Known::of(&["code", "message"], &[])),
        ("incomplete_details", &Known::of(&["reason"], &[])),
    ],
);

const ITEM: Known = Known::of(
    &[
        "id",
        "type",
        "status",
        "role",
        "content",
        "summary",
        "call_id",
        "name",
        "arguments",
        "input",
    ],
    &[("content", &PART), ("summary", &PART)],
);

const PART: Known = Known::of(&["type", "text", "refusal", "annotations"], &[]);

const USAGE: Known = Known::of(
    &[
        "input_tokens",
        "output_tokens",
        "total_tokens",
        "input_tokens_details",
        "output_tokens_details",
    ],
    &[("input_tokens_details", &INPUT_DETAILS), ("output_tokens_details", &OUTPUT_DETAILS)],
);
const INPUT_DETAILS: Known = Known::of(&["cached_tokens", "cache_write_tokens"], &[]);
const OUTPUT_DETAILS: Known = Known::of(&["reasoning_tokens"], &[]);

/// Members of a whole body.
pub const BODY: Known = Known {
    whole: true,
    ..Known::of(
        RESPONSE.names,
        &[
            ("output", &ITEM),
            ("usage", &BODY_USAGE),
            (
                "error",
                &Known { whole: true, ..Known::of(&["message", "type", "param", "code"], &[]) },
            ),
            ("incomplete_details", &Known::of(&["reason"], &[])),
        ],
    )
};

const BODY_USAGE: Known = Known {
    whole: true,
    counts: true,
    ..Known::of(
        USAGE.names,
        &[
            ("input_tokens_details", &Known { whole: true, counts: true, ..INPUT_DETAILS }),
            ("output_tokens_details", &Known { whole: true, counts: true, ..OUTPUT_DETAILS }),
        ],
    )
};
