//! The members of chunks that are read, level by level (`DESIGN.md` 8).

use crate::json::Raw;
use crate::stream::clean::Known;
use crate::stream::context::member;
use crate::stream::decode::elements;

/// Members of a chunk. `data` is that of a wrapper around a chunk, `message` repeats what the choices say.
pub const KNOWN: Known = Known {
    folds: Some("choices"),
    strict: &["message"],
    last: &["usage"],
    apart: &["usage", "error"],
    noise: &["obfuscation"],
    of_server: &["system_fingerprint", "service_tier", "provider"],
    envelope: Some(("data", &["choices", "error"])),
    ..Known::of(
        &["id", "object", "created", "model", "choices", "usage", "error", "data", "message"],
        &[("choices", &CHOICE), ("usage", &USAGE), ("error", &ERROR)],
    )
};

const CHOICE: Known = Known {
    index: Some("index"),
    strict: &["message"],
    last: &["finish_reason"],
    passes_unknown: true,
    noise: &["obfuscation"],
    name_in_bodies: Some(("delta", "message")),
    ..Known::of(
        &["index", "delta", "message", "finish_reason", "logprobs", "error"],
        &[("delta", &DELTA), ("logprobs", &LOG_PROBS)],
    )
};

/// Its lists stand as they are: their elements have levels of their own.
const LOG_PROBS: Known = Known::of(&["content", "refusal"], &[]);

const DELTA: Known = Known {
    texts: &["content", "refusal", "reasoning_content", "reasoning", "reasoning_text", "thinking"],
    aliases: &["reasoning_content", "reasoning", "reasoning_text", "thinking"],
    strict: &["role", "tool_calls", "function_call"],
    held: &["tool_calls", "function_call"],
    last: &["annotations"],
    passes_unknown: true,
    keeps_unknown_apart: true,
    in_pieces: true,
    noise: &["obfuscation"],
    ..Known::of(
        &[
            "role",
            "content",
            "refusal",
            "reasoning_content",
            "reasoning",
            "reasoning_text",
            "thinking",
            "tool_calls",
            "function_call",
            "annotations",
        ],
        &[("tool_calls", &CALL)],
    )
};

const CALL: Known = Known {
    index: Some("index"),
    strict: CALL_NAMES,
    noise: &["obfuscation"],
    in_pieces: true,
    ..Known::of(CALL_NAMES, &[("function", &CALL_BODY), ("custom", &CALL_BODY)])
};
const CALL_NAMES: &[&str] = &["index", "id", "type", "function", "custom"];

const CALL_BODY: Known = Known {
    texts: &["arguments", "input"],
    strict: CALL_BODY_NAMES,
    in_pieces: true,
    ..Known::of(CALL_BODY_NAMES, &[])
};
const CALL_BODY_NAMES: &[&str] = &["name", "arguments", "input"];

/// They are told once and for all, as in a whole body.
const USAGE: Known = Known {
    whole: true,
    ..Known::of(
        &[
            "prompt_tokens",
            "completion_tokens",
            "total_tokens",
            "prompt_tokens_details",
            "completion_tokens_details",
        ],
        &[
            ("prompt_tokens_details", &PROMPT_DETAILS),
            ("completion_tokens_details", &COMPLETION_DETAILS),
        ],
    )
};
const PROMPT_DETAILS: Known = Known::of(&["cached_tokens", "cache_write_tokens"], &[]);
const COMPLETION_DETAILS: Known = Known::of(&["reasoning_tokens"], &[]);

const ERROR: Known = Known::of(&["message", "type", "param", "code"], &[]);

/// Members of a whole body.
pub const BODY: Known = Known {
    whole: true,
    ..Known::of(
        &["id", "object", "created", "model", "choices", "usage", "error", "data"],
        &[("choices", &BODY_CHOICE), ("usage", &BODY_USAGE), ("error", &BODY_ERROR)],
    )
};

const BODY_USAGE: Known = Known {
    whole: true,
    counts: true,
    ..Known::of(
        USAGE.names,
        &[
            ("prompt_tokens_details", &Known { whole: true, counts: true, ..PROMPT_DETAILS }),
            (
                "completion_tokens_details",
                &Known { whole: true, counts: true, ..COMPLETION_DETAILS },
            ),
        ],
    )
};

const BODY_CHOICE: Known = Known {
    index: Some("index"),
    whole: true,
    ..Known::of(
        &["index", "message", "finish_reason", "logprobs", "error"],
        &[("message", &MESSAGE), ("logprobs", &Known { whole: true, ..LOG_PROBS })],
    )
};

const MESSAGE: Known = Known {
    texts: DELTA.texts,
    aliases: DELTA.aliases,
    whole: true,
    ..Known::of(DELTA.names, &[("tool_calls", &BODY_CALL)])
};

/// What is unknown to it goes by the id: an index there need not be.
const BODY_CALL: Known = Known {
    index: Some("index"),
    ..Known::of(
        &["id", "type", "function", "custom"],
        &[("function", &BODY_CALL_BODY), ("custom", &BODY_CALL_BODY)],
    )
};

const BODY_CALL_BODY: Known = Known { texts: CALL_BODY.texts, ..Known::of(CALL_BODY_NAMES, &[]) };

const BODY_ERROR: Known = Known { whole: true, ..ERROR };

/// The indexes of a chunk's choices, each once.
pub(super) fn indexes_of(chunk: Raw<'_>) -> Vec<u32> {
    let index = |choice| match member(choice, "index") {
        Some(index) => index.as_str().parse().ok(),
        None => Some(0),
    };
    let choices = member(chunk, "choices").into_iter().flat_map(elements);
    let mut indexes: Vec<u32> = choices.filter_map(index).collect();
    indexes.sort_unstable();
    indexes.dedup();
    indexes
}
