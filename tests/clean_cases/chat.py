"""Chat in, Chat out."""

from __future__ import annotations

from typing import Final

from clean_cases.words import DONE, TRUNCATED, Case, Fault

HEAD: Final = '"id":"c1","object":"chat.completion.chunk","created":5,"model":"m"'


def chunk(choice: str, more: str = "") -> str:
    return f'{{{HEAD},"choices":[{{"index":0,{choice}}}]{more}}}'


def delta(members: str) -> str:
    return chunk(f'"delta":{{{members}}},"finish_reason":null')


def call(members: str, more: str = "") -> str:
    return delta(f'"tool_calls":[{{{members}}}]{more}')


def opening(index: int, call_id: str, name: str) -> str:
    return f'"index":{index},"id":"{call_id}","type":"function","function":{{"name":"{name}","arguments":""}}'


def arguments(index: int, text: str) -> str:
    return f'"index":{index},"function":{{"arguments":"{text}"}}'


def finish(word: str = "stop", more: str = "") -> str:
    return chunk(f'"delta":{{}},"finish_reason":"{word}"{more}')


def usage(counts: str) -> str:
    return f'{{{HEAD},"choices":[],"usage":{{{counts}}}}}'


ROLE: Final = delta('"role":"assistant"')
TEXT: Final = delta('"content":"x"')
OPEN: Final = call(opening(0, "a", "f"))
OBJECT: Final = '{\\"n\\":1}'
BROKEN: Final = (
    '{"error":{"message":"invalid upstream stream: invalid_json at byte 161",'
    '"type":"upstream_error","param":null,"code":"invalid_json"}}'
)
CUT: Final = (
    f'{{"error":{{"message":"{TRUNCATED}","type":"upstream_error","param":null,"code":"stream_truncated"}}}}'
)
COUNTS: Final = '"prompt_tokens":1,"completion_tokens":2,"total_tokens":3'
SPACED: Final = (
    f'{{ {HEAD}, "choices": [{{"index": 0, "delta": {{"content": "\\u0078"}}, "finish_reason": null}}]}}'
)
NOTED: Final = delta('"annotations":[{"type":"own"}]')
SEPARATED: Final = delta('"content":"a\u2028"')

INTERLEAVED: Final = [
    ROLE,
    *(call(opening(index, name, name), f',"z":{index}') for index, name in enumerate("ab")),
    call(arguments(0, '{\\"x\\"'), ',"z":2'),
    call(arguments(0, ":1"), ',"z":3'),
    call(arguments(1, OBJECT), ',"z":4'),
    call(arguments(0, "}")),
    finish("tool_calls"),
    DONE,
]

UNCHANGED: Final = [
    Case(
        "unchanged",
        "a stream of the format's own form comes out byte for byte, spelling and white space included",
        [ROLE, SPACED, TEXT, finish(), usage(COUNTS), DONE],
        [ROLE, SPACED, TEXT, finish(), usage(COUNTS), DONE],
    ),
    Case(
        "unchanged_with_unknown_members",
        "unknown members, nulls and empty members of other kinds do not make a chunk another one",
        [
            chunk(
                '"delta":{"role":"assistant","content":null,"refusal":null,"z":{"y":[1, 2]}},'
                '"logprobs":null,"finish_reason":null,"w":1',
                ',"usage":null,"system_fingerprint":"fp"',
            ),
            chunk('"delta":{"content":"x"},"finish_reason":null', ',"obfuscation":"abc"'),
            finish("stop", ',"stop_reason":null'),
            DONE,
        ],
        [
            chunk(
                '"delta":{"role":"assistant","content":null,"refusal":null,"z":{"y":[1, 2]}},'
                '"logprobs":null,"finish_reason":null,"w":1',
                ',"usage":null,"system_fingerprint":"fp"',
            ),
            chunk('"delta":{"content":"x"},"finish_reason":null', ',"obfuscation":"abc"'),
            finish("stop", ',"stop_reason":null'),
            DONE,
        ],
    ),
    Case(
        "unchanged_calls",
        "chunks whose call waits for its first text, or whose text is held, wait and are copied",
        [ROLE, OPEN, call(arguments(0, "{")), call(arguments(0, '\\"n\\":1}')), finish("tool_calls"), DONE],
        [ROLE, OPEN, call(arguments(0, "{")), call(arguments(0, '\\"n\\":1}')), finish("tool_calls"), DONE],
    ),
    Case(
        "unchanged_interleaved_calls",
        "a chunk that says itself what came of it is copied, also beside one that waits for its call to open",
        INTERLEAVED,
        # The second call opens when its name is known to be whole.
        [*INTERLEAVED[:2], *INTERLEAVED[3:5], INTERLEAVED[2], *INTERLEAVED[5:]],
    ),
    Case(
        "unchanged_call_without_arguments",
        "a placeholder that stays the only text is copied at the end",
        [ROLE, OPEN, call(arguments(0, "{}")), finish("tool_calls"), DONE],
        [ROLE, OPEN, call(arguments(0, "{}")), finish("tool_calls"), DONE],
    ),
    Case(
        "unchanged_whole_call_in_the_first_chunk",
        "what came of one chunk is one chunk, as a client puts it together",
        [
            delta(
                f'"role":"assistant","content":"x","tool_calls":[{{"index":0,"id":"a","type":"function",'
                f'"function":{{"name":"f","arguments":"{OBJECT}"}}}}]'
            ),
            finish("tool_calls"),
            DONE,
        ],
        [
            delta(
                f'"role":"assistant","content":"x","tool_calls":[{{"index":0,"id":"a","type":"function",'
                f'"function":{{"name":"f","arguments":"{OBJECT}"}}}}]'
            ),
            finish("tool_calls"),
            DONE,
        ],
    ),
    Case(
        "unchanged_error",
        "an error is copied with what nobody knows of it",
        [ROLE, '{"error":{"message":"no","type":"t","param":null,"code":"c","metadata":{"a":1}}}'],
        [ROLE, '{"error":{"message":"no","type":"t","param":null,"code":"c","metadata":{"a":1}}}'],
        outcome="failed",
    ),
]

CLEANED: Final = [
    Case(
        "role_once",
        "role once per choice",
        [
            delta('"role":"assistant","content":"x"'),
            delta('"role":"assistant","content":"y"'),
            finish(),
            DONE,
        ],
        [delta('"role":"assistant","content":"x"'), delta('"content":"y"'), finish(), DONE],
    ),
    Case(
        "head",
        "one id, model, created and object; choices have an index and a finish reason; the rest stays",
        [ROLE, '{"id":"c2","model":"n","choices":[{"delta":{"content":"x","z":1}}],"w":[1]}', finish(), DONE],
        [
            ROLE,
            chunk('"delta":{"content":"x","z":1},"finish_reason":null', ',"w":[1]'),
            finish(),
            DONE,
        ],
    ),
    Case(
        "halves_of_pairs_are_taken_over",
        "what nobody knows is taken over as it is spelt",
        [
            '{"id":"c1","created":5,"model":"m","choices":[{"delta":{"content":"x","z":"\\ud83d"}}]}',
            finish(),
            DONE,
        ],
        [
            chunk('"delta":{"role":"assistant","content":"x","z":"\\ud83d"},"finish_reason":null'),
            finish(),
            DONE,
        ],
    ),
    Case(
        "finish_apart",
        "the reason after all content, in a chunk of its own; unknown members stay with the content",
        [ROLE, chunk('"delta":{"content":"x"},"finish_reason":"stop","why":1'), delta('"content":"y"'), DONE],
        [
            ROLE,
            chunk('"delta":{"content":"x"},"finish_reason":null,"why":1'),
            delta('"content":"y"'),
            finish(),
            DONE,
        ],
    ),
    Case(
        "finish_twice",
        "the reason once: the last one counts, and the chunk that says it is copied",
        [ROLE, TEXT, finish("stop", ',"n":1'), finish("length", ',"n":2'), DONE],
        [ROLE, TEXT, finish("length", ',"n":2'), DONE],
        outcome="incomplete",
    ),
    Case(
        "finish_raised",
        "a stop with a call becomes tool_calls; what is unknown in the chunk goes along",
        [ROLE, OPEN, call(arguments(0, OBJECT)), finish("stop", ',"n":1'), DONE],
        [ROLE, OPEN, call(arguments(0, OBJECT)), finish("tool_calls", ',"n":1'), DONE],
    ),
    Case(
        "usage_last",
        "usage once, last, in a chunk with empty choices, with the counts nobody knows",
        [
            chunk(
                '"delta":{"role":"assistant","content":"x"},"finish_reason":null', f',"usage":{{{COUNTS}}}'
            ),
            chunk(
                '"delta":{},"finish_reason":"stop"',
                f',"usage":{{{COUNTS},"cost":0.5,"prompt_tokens_details":{{"audio_tokens":1}}}}',
            ),
            DONE,
        ],
        [
            delta('"role":"assistant","content":"x"'),
            finish(),
            usage(f'{COUNTS},"cost":0.5,"prompt_tokens_details":{{"audio_tokens":1}}'),
            DONE,
        ],
    ),
    Case(
        "usage_beside_a_call_that_waits",
        "counts nobody knows are kept also where they stand beside a call that waits",
        [
            ROLE,
            chunk(
                '"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":'
                '{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"',
                f',"usage":{{{COUNTS},"cost":0.5}}',
            ),
            DONE,
        ],
        [
            ROLE,
            call('"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}'),
            finish("tool_calls"),
            usage(f'{COUNTS},"cost":0.5'),
            DONE,
        ],
    ),
    Case(
        "usage_refused",
        "no usage if the client did not ask for it",
        [ROLE, TEXT, finish(), usage(COUNTS), DONE],
        [ROLE, TEXT, finish(), DONE],
        options={"include_usage": False},
    ),
    Case(
        "call_metadata_once",
        "metadata of a call once, null members taken out, unknown ones kept",
        [
            ROLE,
            call(
                f'"index":0,"id":"a","type":"function","function":{{"name":"f","arguments":"{OBJECT[:3]}"}}'
            ),
            call(
                f'"index":0,"id":"a","type":"function","function":{{"name":"f","arguments":"{OBJECT[3:]}"}},"z":1'
            ),
            call('"index":0,"id":null,"type":null,"function":{"name":null,"arguments":" "}'),
            finish("tool_calls"),
            DONE,
        ],
        [
            ROLE,
            call(
                f'"index":0,"id":"a","type":"function","function":{{"name":"f","arguments":"{OBJECT[:3]}"}}'
            ),
            call(f'"index":0,"function":{{"arguments":"{OBJECT[3:]}"}},"z":1'),
            call(arguments(0, " ")),
            finish("tool_calls"),
            DONE,
        ],
    ),
    Case(
        "call_indexes",
        "indexes are dense; what is unknown in a call stays with it",
        [
            ROLE,
            delta(
                '"tool_calls":['
                f'{{"index":2,"id":"a","type":"function","function":{{"name":"f","arguments":"{OBJECT}"}},"z":1}},'
                f'{{"index":4,"id":"b","type":"function","function":{{"name":"g","arguments":"{OBJECT}"}},"z":2}}]'
            ),
            finish("tool_calls"),
            DONE,
        ],
        [
            ROLE,
            delta(
                '"tool_calls":['
                f'{{"index":0,"id":"a","type":"function","function":{{"name":"f","arguments":"{OBJECT}"}},"z":1}},'
                f'{{"index":1,"id":"b","type":"function","function":{{"name":"g","arguments":"{OBJECT}"}},"z":2}}]'
            ),
            finish("tool_calls"),
            DONE,
        ],
    ),
    Case(
        "name_in_pieces_and_placeholder",
        "a name is held until it is whole; a placeholder gives way",
        [
            ROLE,
            call(opening(0, "a", "get_")),
            call('"index":0,"function":{"name":"it"}'),
            call(arguments(0, "{}")),
            call(arguments(0, OBJECT)),
            finish("tool_calls"),
            DONE,
        ],
        [ROLE, call(opening(0, "a", "get_it")), call(arguments(0, OBJECT)), finish("tool_calls"), DONE],
    ),
    Case(
        "waiting_chunks_become_one",
        "chunks that waited and say something else are written as one, with what is unknown in each",
        [
            ROLE,
            call('"index":0,"id":"a","function":{"name":"f","arguments":""}', ',"u":1'),
            call(f'"index":0,"id":null,"function":{{"arguments":"{OBJECT}"}}', ',"u":2,"v":3'),
            finish("tool_calls"),
            DONE,
        ],
        [
            ROLE,
            call(
                f'"index":0,"id":"a","type":"function","function":{{"name":"f","arguments":"{OBJECT}"}}',
                ',"u":1,"v":3',
            ),
            finish("tool_calls"),
            DONE,
        ],
    ),
    Case(
        "message_in_chunks",
        "message in a chunk goes",
        [
            ROLE,
            chunk('"delta":{"content":"x"},"message":{"content":"x"},"finish_reason":null'),
            finish(),
            DONE,
        ],
        [ROLE, TEXT, finish(), DONE],
    ),
    Case(
        "legacy_function_call",
        "function_call becomes a call",
        [
            ROLE,
            delta(f'"function_call":{{"name":"f","arguments":"{OBJECT}"}}'),
            finish("function_call"),
            DONE,
        ],
        [
            ROLE,
            call(
                '"index":0,"id":"call_55bacc91d477ae76","type":"function",'
                f'"function":{{"name":"f","arguments":"{OBJECT}"}}'
            ),
            finish("tool_calls"),
            DONE,
        ],
    ),
    Case(
        "custom_call_stays_custom",
        "free-form calls are not wrapped",
        [
            ROLE,
            call('"index":0,"id":"a","type":"custom","custom":{"name":"p","input":"free"}'),
            finish("tool_calls"),
            DONE,
        ],
        [
            ROLE,
            call('"index":0,"id":"a","type":"custom","custom":{"name":"p","input":"free"}'),
            finish("tool_calls"),
            DONE,
        ],
    ),
    Case(
        "content_as_list",
        "content is a string",
        [ROLE, delta('"content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]'), finish(), DONE],
        [ROLE, delta('"content":"xy"'), finish(), DONE],
    ),
    Case(
        "reasoning_keeps_its_name",
        "reasoning goes by the name the source has for it; opaque state is passed on",
        [
            ROLE,
            delta('"reasoning":"r"'),
            '{"choices":[{"delta":{"reasoning":"s","reasoning_details":[{"data":"q"}]}}]}',
            finish(),
            DONE,
        ],
        [
            ROLE,
            delta('"reasoning":"r"'),
            delta('"reasoning":"s","reasoning_details":[{"data":"q"}]'),
            finish(),
            DONE,
        ],
    ),
    Case(
        "done_once_and_last",
        "one done mark; nothing after it",
        [ROLE, TEXT, finish(), DONE, TEXT, DONE],
        [ROLE, TEXT, finish(), DONE],
        losses=[["event.after_end", "metadata", "/3"]],
    ),
    Case(
        "done_is_made",
        "a reason and the end of input: the done mark is written",
        [ROLE, TEXT, finish()],
        [ROLE, TEXT, finish(), DONE],
    ),
    Case(
        "separators_are_escaped",
        "U+2028 is written as an escape, also in a copy",
        f"data: {ROLE}\n\ndata: {SEPARATED}\n\ndata: {finish()}\n\n".encode(),
        [ROLE, delta('"content":"a\\u2028"'), finish(), DONE],
    ),
    Case(
        "several_lines_become_one",
        "a payload on several lines is copied without its white space",
        f'data: {ROLE}\n\ndata: {{{HEAD},\ndata: "choices": [{{"index":0,"delta":{{"content":"x"}},'
        f'"finish_reason":null}}]}}\n\ndata: {finish()}\n\n'.encode(),
        [ROLE, TEXT, finish(), DONE],
    ),
]

PASSED: Final = [
    Case(
        "unknown_members_alone",
        "a chunk with nothing but what nobody knows passes with an empty delta",
        [
            ROLE,
            '{"choices":[{"index":0,"filters":{"a":1}}],"w":1}',
            delta('"audio":{"data":"AA=="}'),
            finish(),
            DONE,
        ],
        [
            ROLE,
            chunk('"delta":{},"finish_reason":null,"filters":{"a":1}', ',"w":1'),
            delta('"audio":{"data":"AA=="}'),
            finish(),
            DONE,
        ],
    ),
    Case(
        "unknown_members_of_the_last_delta",
        "such a chunk with a reason passes before it",
        [ROLE, chunk('"delta":{"z":1},"finish_reason":"stop"'), DONE],
        [ROLE, delta('"z":1'), finish(), DONE],
    ),
    Case(
        "chunks_that_say_nothing",
        "a chunk without choices is dropped and told; one with nothing in it is dropped",
        [
            '{"id":"","choices":[],"filters":[1]}',
            ROLE,
            delta('"content":""'),
            '{"choices":[],"filters":[2],"n":null}',
            finish(),
            DONE,
        ],
        [ROLE, finish(), DONE],
        losses=[["delta.member_dropped", "metadata", "/0/filters"]],
    ),
    Case(
        "annotations",
        "annotations of any kind in one chunk before the reason; a single such chunk is copied",
        [ROLE, delta('"annotations":[{"type":"odd"}]'), TEXT, finish(), DONE],
        [ROLE, TEXT, delta('"annotations":[{"type":"odd"}]'), finish(), DONE],
    ),
    Case(
        "annotations_together",
        "annotations of several chunks are put together",
        [
            ROLE,
            delta('"annotations":[{"type":"odd"}]'),
            delta('"annotations":[{"type":"even"}]'),
            finish(),
            DONE,
        ],
        [ROLE, delta('"annotations":[{"type":"odd"},{"type":"even"}]'), finish(), DONE],
    ),
]

ENDS: Final = [
    Case(
        "cut",
        "what waits is written before the error of a cut",
        [
            delta(
                '"role":"assistant","content":"x","tool_calls":[{"index":0,"id":"a","type":"function",'
                '"function":{"name":"f","arguments":""}}]'
            )
        ],
        [delta('"role":"assistant","content":"x"'), CUT],
        outcome="truncated",
        error=Fault("TruncatedError", "stream_truncated", None, ""),
    ),
    Case(
        "error_that_is_missing_members",
        "an error is written whole, with what is unknown in it and beside it",
        [ROLE, '{"error":{"message":"no","code":500,"metadata":{"a":1}},"provider":"p"}'],
        [
            ROLE,
            (
                '{"error":{"message":"no","type":"upstream_error","param":null,"code":"500","metadata":{"a":1}},'
                '"provider":"p"}'
            ),
        ],
        outcome="failed",
    ),
    Case(
        "error_before_another_choice",
        "an error ends the answer: what stands behind it in its chunk is not read",
        [
            (
                f'{{{HEAD},"choices":[{{"index":0,"delta":{{"content":"x"}},"error":{{"message":"no"}}}},'
                '{"index":1,"delta":{"content":"y"}}]}'
            ),
        ],
        [
            chunk('"delta":{"role":"assistant","content":"x"},"finish_reason":null'),
            '{"error":{"message":"no","type":"upstream_error","param":null,"code":null}}',
        ],
        outcome="failed",
    ),
    Case(
        "broken_json",
        "an event at fault leaves nothing behind but the error",
        [ROLE, '{"id"]'],
        [
            ROLE,
            BROKEN,
        ],
        outcome="failed",
        error=Fault("DecodeError", "invalid_json", 161, "/1"),
    ),
    Case(
        "verbatim",
        "every byte is passed on, nothing is added",
        f"data:{ROLE}\r\n\r\n: x\n\ndata: {finish('length')}\n\ndata: [DONE]\n\njunk".encode(),
        [],
        outcome="incomplete",
        options={"same_format": "verbatim"},
    ),
    Case(
        "verbatim_broken",
        "the source's fault is told at the end only",
        f'data: {ROLE}\n\ndata: {{"id"]\n\ndata: more\n\n'.encode(),
        [BROKEN],
        outcome="failed",
        options={"same_format": "verbatim"},
        error=Fault("DecodeError", "invalid_json", 161, "/1"),
    ),
    Case(
        "verbatim_cut_behind_annotations",
        "what was passed on is neither told as lost nor written again",
        f'data: {{"w":1}}\n\ndata: {ROLE}\n\ndata: {NOTED}\n\n'.encode(),
        [CUT],
        outcome="truncated",
        options={"same_format": "verbatim"},
        error=Fault("TruncatedError", "stream_truncated", None, ""),
    ),
    Case(
        "verbatim_cut",
        "behind an event that stands open the error event begins with a blank line",
        f"data: {ROLE}\n".encode(),
        [CUT],
        outcome="truncated",
        options={"same_format": "verbatim"},
        error=Fault("TruncatedError", "stream_truncated", None, ""),
    ),
]

CASES: Final = [*UNCHANGED, *CLEANED, *PASSED, *ENDS]
