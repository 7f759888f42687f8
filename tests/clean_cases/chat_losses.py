"""Chat in, Chat out: what nobody knows is carried, or told."""

from __future__ import annotations

from typing import Final

from clean_cases.chat import (
    COUNTS,
    CUT,
    OBJECT,
    OPEN,
    ROLE,
    arguments,
    call,
    chunk,
    delta,
    finish,
    opening,
    usage,
)
from clean_cases.words import DONE, Case, Fault

FAILED: Final = '"error":{"message":"no","type":"t","param":null,"code":"c","metadata":{"a":1}}'


def enveloped(chunk_inside: str) -> str:
    return f'{{"status":200,"data":{chunk_inside}}}'


def told(path: str, code: str = "delta.member_dropped") -> list[str]:
    return [code, "metadata", path]


CARRIED: Final = [
    Case(
        "unknown_beside_nothing",
        "a chunk from which nothing comes passes if it has itself what nobody knows, but for the server",
        [
            ROLE,
            chunk('"delta":{"content":""},"finish_reason":null', ',"w":1'),
            chunk('"delta":{"role":"assistant"},"finish_reason":null', ',"w":2'),
            chunk('"delta":{"role":"assistant"},"finish_reason":null', ',"system_fingerprint":"fp"'),
            finish(),
            DONE,
        ],
        [
            ROLE,
            chunk('"delta":{"content":""},"finish_reason":null', ',"w":1'),
            chunk('"delta":{},"finish_reason":null', ',"w":2'),
            finish(),
            DONE,
        ],
    ),
    Case(
        "envelope",
        "the chunk in an envelope is the source's; what stands beside it is told",
        [
            ROLE,
            enveloped(chunk('"delta":{"content":"x","z":1},"finish_reason":null', ',"w":1')),
            enveloped(chunk('"delta":{"role":"assistant","content":"y"},"v":1')),
            finish(),
            DONE,
        ],
        [
            ROLE,
            chunk('"delta":{"content":"x","z":1},"finish_reason":null', ',"w":1'),
            chunk('"delta":{"content":"y"},"finish_reason":null,"v":1'),
            finish(),
            DONE,
        ],
        losses=[told("/1/status")],
    ),
    Case(
        "unknown_delta_beside_a_call_that_waits",
        "a chunk with nothing but what nobody knows passes beside those that wait",
        [
            ROLE,
            call(opening(0, "a", "f"), ',"u":1'),
            delta('"ol_calls":[1]'),
            call(arguments(0, OBJECT)),
            finish("tool_calls"),
            DONE,
        ],
        [
            ROLE,
            delta('"ol_calls":[1]'),
            call(opening(0, "a", "f"), ',"u":1'),
            call(arguments(0, OBJECT)),
            finish("tool_calls"),
            DONE,
        ],
    ),
    Case(
        "error_behind_a_chunk_that_waits",
        "an error that follows chunks that wait is copied with what nobody knows of it",
        [ROLE, OPEN, f'{{{FAILED},"w":1}}'],
        [ROLE, f'{{{FAILED},"w":1}}'],
        outcome="failed",
    ),
    Case(
        "error_beside_a_text",
        "what is unknown in an error stays with it, the rest of its chunk goes with what was said before",
        [ROLE, f'{{"choices":[{{"index":0,"delta":{{"content":"x","z":1}}}}],{FAILED},"w":1}}'],
        [ROLE, chunk('"delta":{"content":"x","z":1},"finish_reason":null', ',"w":1'), f"{{{FAILED}}}"],
        outcome="failed",
    ),
    Case(
        "annotations_before_a_cut",
        "annotations that were kept are copied also before an error that nobody sent",
        [ROLE, delta('"annotations":[{"type":"odd"}],"obfuscation":"x"')],
        [ROLE, delta('"annotations":[{"type":"odd"}],"obfuscation":"x"'), CUT],
        outcome="truncated",
        error=Fault("TruncatedError", "stream_truncated", None, ""),
    ),
    Case(
        "halves_of_pairs_in_names",
        "names that nobody knows are taken over as they are spelt, and two halves are two names",
        [
            ROLE,
            '{"choices":[{"delta":{"content":"x","z\\ud800":1,"z\\udfff":2}}],"w\\ud83d":1}',
            finish(),
            DONE,
        ],
        [
            ROLE,
            chunk('"delta":{"content":"x","z\\ud800":1,"z\\udfff":2},"finish_reason":null', ',"w\\ud83d":1'),
            finish(),
            DONE,
        ],
    ),
]

TOLD: Final = [
    Case(
        "told_of_a_call_without_place",
        "what is unknown in a call of which nothing is written is told",
        [
            ROLE,
            OPEN,
            call(arguments(0, OBJECT)),
            call('"index":0,"z":1,"function":{"y":1}'),
            finish("tool_calls"),
            DONE,
        ],
        [ROLE, OPEN, call(arguments(0, OBJECT)), finish("tool_calls"), DONE],
        losses=[
            told("/3/choices/0/delta/tool_calls/0/z"),
            told("/3/choices/0/delta/tool_calls/0/function/y"),
        ],
    ),
    Case(
        "told_of_chunks_that_waited_for_nothing",
        "what is unknown in chunks that waited and of which nothing is left is told",
        [
            ROLE,
            call(opening(0, "a", "f"), ',"z":1'),
            call('"index":0,"function":{"arguments":""}', ',"y":1'),
            f"{{{FAILED}}}",
        ],
        [ROLE, f"{{{FAILED}}}"],
        losses=[told("/1/choices/0/delta/z"), told("/2/choices/0/delta/y")],
        outcome="failed",
    ),
    Case(
        "told_of_more_than_are_kept",
        "of the chunks that wait for the end the last 16 are kept, and what is unknown in the others is told",
        [ROLE, finish("stop", ',"z":1'), *[finish()] * 16, DONE],
        [ROLE, finish(), DONE],
        losses=[told("/1/choices/0/z")],
    ),
    Case(
        "told_of_counts",
        "of counts the last ones are told; what is unknown in earlier ones alone is lost",
        [
            ROLE,
            usage(f'{COUNTS},"cost":1,"prompt_tokens_details":{{"z":1}}'),
            finish(),
            usage(f'{COUNTS},"cost":2'),
            DONE,
        ],
        [ROLE, finish(), usage(f'{COUNTS},"cost":2'), DONE],
        losses=[told("/1/usage/prompt_tokens_details/z", "usage.member_dropped")],
    ),
    Case(
        "told_before_an_error",
        "what waits for the end is not written before an error: what is unknown in it is told",
        [ROLE, finish("stop", ',"z":1'), usage(f'{COUNTS},"cost":2'), f"{{{FAILED}}}"],
        [ROLE, f"{{{FAILED}}}"],
        losses=[told("/1/choices/0/z"), told("/2/usage/cost", "usage.member_dropped")],
        outcome="failed",
    ),
    Case(
        "told_before_a_cut",
        "and so before one that nobody sent",
        [ROLE, usage(f'{COUNTS},"cost":2')],
        [ROLE, CUT],
        losses=[told("/1/usage/cost", "usage.member_dropped")],
        outcome="truncated",
        error=Fault("TruncatedError", "stream_truncated", None, ""),
    ),
    Case(
        "told_once_a_name",
        "once per name",
        ['{"w":1}', ROLE, '{"w":2,"v":1}', finish("stop", ',"w":1'), finish(), f"{{{FAILED}}}"],
        [ROLE, f"{{{FAILED}}}"],
        losses=[told("/0/w"), told("/2/v")],
        outcome="failed",
    ),
]

CASES: Final = [*CARRIED, *TOLD]
