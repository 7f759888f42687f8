"""Vectors of tool calls: identity, metadata once, arguments."""

from __future__ import annotations

from stream_cases.words import (
    CREATED,
    START,
    Case,
    added,
    argued,
    arguments,
    arguments_done,
    content,
    done,
    ended,
    event,
    finish,
    function,
    message,
    opened,
    text,
    text_part,
)

FIND = function("fc_0", "call_0", "find")
FIND_1 = function("fc_0", "call_0", "find", '{"q":1}')
OPEN = function("fc_1", "call_1", "open")
OPEN_2 = function("fc_1", "call_1", "open", '{"p":2}')

_COMPLETE = ended([FIND_1, OPEN_2])
_ONE = ended([FIND_1])

CASES = [
    Case(
        "calls_in_sequence",
        "one opening chunk a call; continuations have index and arguments only",
        CREATED
        + added(0, FIND)
        + arguments(0, '{"q"')
        + arguments(0, ":1}")
        + arguments_done(0, '{"q":1}')
        + done(0, FIND_1)
        + added(1, OPEN)
        + arguments(1, '{"p":')
        + arguments(1, "2}")
        + done(1, OPEN_2)
        + _COMPLETE,
        [
            START,
            opened(0, "call_0", "find"),
            argued(0, '{"q"'),
            argued(0, ":1}"),
            opened(1, "call_1", "open"),
            argued(1, '{"p":'),
            argued(1, "2}"),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "calls_in_parallel",
        "both calls open before the arguments of the first",
        CREATED
        + added(0, FIND)
        + added(1, OPEN)
        + arguments(0, '{"q":1}')
        + done(0, FIND_1)
        + arguments(1, '{"p":2}')
        + done(1, OPEN_2)
        + _COMPLETE,
        [
            START,
            opened(0, "call_0", "find"),
            opened(1, "call_1", "open"),
            argued(0, '{"q":1}'),
            argued(1, '{"p":2}'),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "calls_interleaved",
        "every continuation keeps the index of its call",
        CREATED
        + added(0, FIND)
        + added(1, OPEN)
        + arguments(1, '{"p"')
        + arguments(0, '{"q"')
        + arguments(1, ":2")
        + arguments(0, ":1}")
        + arguments(1, "}")
        + done(1, OPEN_2)
        + done(0, FIND_1)
        + _COMPLETE,
        [
            START,
            opened(0, "call_0", "find"),
            opened(1, "call_1", "open"),
            argued(1, '{"p"'),
            argued(0, '{"q"'),
            argued(1, ":2"),
            argued(0, ":1}"),
            argued(1, "}"),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "arguments_before_the_item",
        "text waits for name and call id, then goes out as one piece",
        CREATED + arguments(0, '{"q"') + arguments(0, ":") + added(0, FIND) + arguments(0, "1}") + _ONE,
        [START, opened(0, "call_0", "find"), argued(0, '{"q":'), argued(0, "1}"), *finish("tool_calls")],
    ),
    Case(
        "name_before_the_call_id",
        "arguments.done brings the name, the call waits for its id",
        CREATED
        + arguments(0, '{"q":1}')
        + arguments_done(0, '{"q":1}', name="find")
        + done(0, FIND_1)
        + _ONE,
        [START, opened(0, "call_0", "find"), argued(0, '{"q":1}'), *finish("tool_calls")],
    ),
    Case(
        "call_only_in_item_done",
        "an item announced by nothing but output_item.done",
        CREATED + done(0, FIND_1) + _ONE,
        [START, opened(0, "call_0", "find"), argued(0, '{"q":1}'), *finish("tool_calls")],
    ),
    Case(
        "arguments_only_in_done",
        "no argument delta at all",
        CREATED + added(0, FIND) + arguments_done(0, '{"q":1}') + done(0, FIND_1) + _ONE,
        [START, opened(0, "call_0", "find"), argued(0, '{"q":1}'), *finish("tool_calls")],
    ),
    Case(
        "arguments_only_in_terminal",
        "the terminal object fills the call",
        CREATED + added(0, FIND) + _ONE,
        [START, opened(0, "call_0", "find"), argued(0, '{"q":1}'), *finish("tool_calls")],
    ),
    Case(
        "call_only_in_terminal",
        "a call that only the terminal object knows, behind one that streamed",
        CREATED + added(0, FIND) + arguments(0, '{"q":1}') + done(0, FIND_1) + _COMPLETE,
        [
            START,
            opened(0, "call_0", "find"),
            argued(0, '{"q":1}'),
            opened(1, "call_1", "open"),
            argued(1, '{"p":2}'),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "arguments_completed_by_terminal",
        "what was sent is a beginning of the snapshot: the rest follows",
        CREATED + added(0, FIND) + arguments(0, '{"q"') + _ONE,
        [START, opened(0, "call_0", "find"), argued(0, '{"q"'), argued(0, ":1}"), *finish("tool_calls")],
    ),
    Case(
        "arguments_contradicted",
        "what was sent stays; the mismatch is told once",
        CREATED + added(0, FIND) + arguments(0, '{"q":2}') + arguments_done(0, '{"q":1}') + _ONE,
        [START, opened(0, "call_0", "find"), argued(0, '{"q":2}'), *finish("tool_calls")],
        [("snapshot.mismatch", "content", "/3/arguments")],
    ),
    Case(
        "item_ids_change",
        "another item id in every event: the index decides",
        CREATED
        + added(0, {**FIND, "id": "x0"})
        + event("response.function_call_arguments.delta", item_id="x1", output_index=0, delta='{"q"')
        + event("response.function_call_arguments.delta", item_id="x2", output_index=0, delta=":1}")
        + done(0, {**FIND_1, "id": "x3"})
        + ended([{**FIND_1, "id": "x4"}]),
        [START, opened(0, "call_0", "find"), argued(0, '{"q"'), argued(0, ":1}"), *finish("tool_calls")],
    ),
    Case(
        "no_output_index",
        "without an index the item id decides",
        CREATED
        + event("response.output_item.added", item=FIND)
        + event("response.output_item.added", item=OPEN)
        + event("response.function_call_arguments.delta", item_id="fc_1", delta='{"p":2}')
        + event("response.function_call_arguments.delta", item_id="fc_0", delta='{"q":1}')
        + _COMPLETE,
        [
            START,
            opened(0, "call_0", "find"),
            opened(1, "call_1", "open"),
            argued(1, '{"p":2}'),
            argued(0, '{"q":1}'),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "index_moves",
        "an item has one index, the last that an event with its id brought",
        CREATED
        + added(0, FIND)
        + event("response.function_call_arguments.delta", item_id="fc_0", output_index=5, delta='{"q"')
        + event("response.function_call_arguments.delta", output_index=5, delta=":1}")
        + event("response.function_call_arguments.delta", output_index=0, delta="lost")
        + ended(),
        [START, opened(0, "call_0", "find"), argued(0, '{"q"'), argued(0, ":1}"), *finish("tool_calls")],
        [("tool_call.nameless", "content", "/4")],
    ),
    Case(
        "neither_index_nor_id",
        "without both the last call is meant",
        CREATED
        + event("response.output_item.added", item={**FIND, "id": None})
        + event("response.function_call_arguments.delta", delta='{"q":1}')
        + ended(),
        [START, opened(0, "call_0", "find"), argued(0, '{"q":1}'), *finish("tool_calls")],
    ),
    Case(
        "placeholder_dropped",
        "a leading {} gives way to the real arguments, however both are cut",
        CREATED
        + added(0, FIND)
        + arguments(0, "{")
        + arguments(0, "}")
        + arguments(0, '{"q"')
        + arguments(0, ":1}")
        + _ONE,
        [START, opened(0, "call_0", "find"), argued(0, '{"q"'), argued(0, ":1}"), *finish("tool_calls")],
    ),
    Case(
        "placeholder_dropped_by_done",
        "nothing was sent yet, so the snapshot replaces the held {}",
        CREATED + added(0, function("fc_0", "call_0", "find", "{}")) + arguments_done(0, '{"q":1}') + _ONE,
        [START, opened(0, "call_0", "find"), argued(0, '{"q":1}'), *finish("tool_calls")],
    ),
    Case(
        "placeholder_is_the_text",
        "{} that nothing follows is sent when the call closes, and delays nobody",
        CREATED
        + added(0, FIND)
        + arguments(0, "{}")
        + added(1, OPEN)
        + arguments(1, '{"p":2}')
        + done(0, function("fc_0", "call_0", "find", "{}"))
        + ended([function("fc_0", "call_0", "find", "{}"), OPEN_2]),
        [
            START,
            opened(0, "call_0", "find"),
            opened(1, "call_1", "open"),
            argued(1, '{"p":2}'),
            argued(0, "{}"),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "placeholder_followed_by_no_object",
        "{} that something else follows is text",
        CREATED + added(0, FIND) + arguments(0, "{}") + arguments(0, "x") + ended(),
        [START, opened(0, "call_0", "find"), argued(0, "{}x"), *finish("tool_calls")],
    ),
    Case(
        "no_arguments",
        "a call without any argument text has {}",
        CREATED + added(0, FIND) + arguments_done(0, "") + done(0, FIND) + ended([FIND]),
        [START, opened(0, "call_0", "find"), argued(0, "{}"), *finish("tool_calls")],
    ),
    Case(
        "empty_delta",
        "an empty delta is not a missing one",
        CREATED + added(0, FIND) + arguments(0, "") + arguments(0, '{"q":1}') + arguments(0, "") + _ONE,
        [START, opened(0, "call_0", "find"), argued(0, '{"q":1}'), *finish("tool_calls")],
    ),
    Case(
        "spelling_of_arguments",
        "numbers, escapes and spaces of arguments stay as they are",
        CREATED
        + added(0, FIND)
        + arguments(0, '{ "n": 1.50e+3, "\\u00e9": "a\\/b", ')
        + arguments(0, '"é": "\\ud83d\\ude00", "n": -0 }\n')
        + ended(),
        [
            START,
            opened(0, "call_0", "find"),
            argued(0, '{ "n": 1.50e+3, "\\u00e9": "a\\/b", '),
            argued(0, '"é": "\\ud83d\\ude00", "n": -0 }\n'),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "call_without_name",
        "a call that never gets a name is dropped, and the answer has no call",
        CREATED + arguments(0, '{"q":1}') + ended(),
        [START, *finish("stop")],
        [("tool_call.nameless", "content", "/1")],
    ),
    Case(
        "call_waits_behind_a_nameless_one",
        "done, it takes no more text; it opens when the one before it is dropped, with all of its own",
        CREATED
        + arguments(0, '{"q"')
        + added(1, OPEN)
        + arguments(1, '{"p":2}')
        + done(1, OPEN_2)
        + arguments(1, "!")
        + ended([OPEN_2]),
        [START, opened(0, "call_1", "open"), argued(0, '{"p":2}'), *finish("tool_calls")],
        [("delta.after_close", "content", "/5/delta"), ("tool_call.nameless", "content", "/1")],
    ),
    Case(
        "item_without_name",
        "likewise an item; text that only the end brings counts",
        CREATED
        + added(0, {"id": "fc_0", "type": "function_call", "call_id": "call_0", "arguments": ""})
        + ended([{"id": "fc_0", "type": "function_call", "call_id": "call_0", "arguments": '{"q":1}'}]),
        [START, *finish("stop")],
        [("tool_call.nameless", "content", "/1/item")],
    ),
    Case(
        "stub_without_name_and_text",
        "a stub is noise",
        CREATED + added(0, {"id": "fc_0", "type": "function_call", "arguments": ""}) + ended(),
        [START, *finish("stop")],
    ),
    Case(
        "announcements_without_index_and_id",
        "each with a name is a new call; what follows means the last",
        CREATED
        + event("response.output_item.added", item={**FIND, "id": None})
        + event("response.output_item.added", item={**FIND, "id": None})
        + event("response.function_call_arguments.delta", delta='{"q":1}')
        + ended(),
        [
            START,
            opened(0, "call_0", "find"),
            opened(1, "call_0_2", "find"),
            argued(1, '{"q":1}'),
            argued(0, "{}"),
            *finish("tool_calls"),
        ],
        [("id.rewritten", "metadata", "/2/item")],
    ),
    Case(
        "done_items_on_one_index",
        "items shown only whole, all on index 0: another call id is another call",
        CREATED + done(0, FIND_1) + done(0, OPEN_2) + _COMPLETE,
        [
            START,
            opened(0, "call_0", "find"),
            argued(0, '{"q":1}'),
            opened(1, "call_1", "open"),
            argued(1, '{"p":2}'),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "placeholder_in_one_piece",
        "the placeholder in front of the arguments, in a delta and in a snapshot",
        CREATED
        + added(0, FIND)
        + arguments(0, '{} {"q":1}')
        + arguments_done(0, '{}{"q":1}')
        + added(1, OPEN)
        + arguments_done(1, '{}{}{"p":2}')
        + ended(),
        [
            START,
            opened(0, "call_0", "find"),
            argued(0, ' {"q":1}'),
            opened(1, "call_1", "open"),
            argued(1, '{"p":2}'),
            *finish("tool_calls"),
        ],
        [("snapshot.mismatch", "content", "/3/arguments")],
    ),
    Case(
        "call_without_call_id",
        "the item id stands in when the call closes",
        CREATED
        + added(0, {"id": "fc_0", "type": "function_call", "name": "find", "arguments": ""})
        + arguments(0, '{"q":1}')
        + ended(),
        [START, opened(0, "fc_0", "find"), argued(0, '{"q":1}'), *finish("tool_calls")],
    ),
    Case(
        "call_id_of_a_later_event",
        "an item has the first id that was seen, whatever event brought it",
        CREATED
        + event("response.function_call_arguments.delta", output_index=0, delta='{"q"')
        + arguments(0, ":1}")
        + done(0, {"type": "function_call", "name": "find"})
        + ended(),
        [START, opened(0, "fc_0", "find"), argued(0, '{"q":1}'), *finish("tool_calls")],
    ),
    Case(
        "call_without_any_id",
        "an id is derived: call_ and the FNV-1a 64 hash of resp_1/0",
        CREATED + added(0, {"type": "function_call", "name": "find", "arguments": '{"q":1}'}) + ended(),
        [START, opened(0, "call_88553b8320ad5648", "find"), argued(0, '{"q":1}'), *finish("tool_calls")],
    ),
    Case(
        "duplicate_call_ids",
        "an id in use gets a suffix",
        CREATED
        + added(0, FIND)
        + added(1, {**OPEN, "call_id": "call_0"})
        + added(2, {**OPEN, "id": "fc_2", "call_id": "call_0"})
        + arguments(2, '{"p":3}')
        + arguments(1, '{"p":2}')
        + arguments(0, '{"q":1}')
        + ended(),
        [
            START,
            opened(0, "call_0", "find"),
            opened(1, "call_0_2", "open"),
            opened(2, "call_0_3", "open"),
            argued(2, '{"p":3}'),
            argued(1, '{"p":2}'),
            argued(0, '{"q":1}'),
            *finish("tool_calls"),
        ],
        [("id.rewritten", "metadata", "/2/item"), ("id.rewritten", "metadata", "/3/item")],
    ),
    Case(
        "identical_calls",
        "calls are never merged by name and arguments",
        CREATED
        + done(0, FIND_1)
        + done(1, function("fc_1", "call_1", "find", '{"q":1}'))
        + ended([FIND_1, function("fc_1", "call_1", "find", '{"q":1}')]),
        [
            START,
            opened(0, "call_0", "find"),
            argued(0, '{"q":1}'),
            opened(1, "call_1", "find"),
            argued(1, '{"q":1}'),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "index_reused_after_close",
        "a closed call's index may be given to a new one",
        CREATED
        + added(0, FIND)
        + arguments(0, '{"q":1}')
        + done(0, FIND_1)
        + added(0, OPEN)
        + event("response.function_call_arguments.delta", output_index=0, delta='{"p":2}')
        + done(0, OPEN_2)
        + _COMPLETE,
        [
            START,
            opened(0, "call_0", "find"),
            argued(0, '{"q":1}'),
            opened(1, "call_1", "open"),
            argued(1, '{"p":2}'),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "index_reused_by_another_call_id",
        "all calls on index 0: another call id with a name is another call",
        CREATED
        + added(0, FIND)
        + arguments(0, '{"q":1}')
        + added(0, OPEN)
        + arguments(0, '{"p":2}')
        + ended(),
        [
            START,
            opened(0, "call_0", "find"),
            argued(0, '{"q":1}'),
            opened(1, "call_1", "open"),
            argued(1, '{"p":2}'),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "announced_twice",
        "the same call id on the same index is the same call",
        CREATED + added(0, FIND) + added(0, FIND) + arguments(0, '{"q":1}') + _ONE,
        [START, opened(0, "call_0", "find"), argued(0, '{"q":1}'), *finish("tool_calls")],
    ),
    Case(
        "text_for_a_closed_call",
        "bytes behind the end of a call are dropped and told",
        CREATED
        + added(0, FIND)
        + arguments(0, '{"q":1}')
        + done(0, FIND_1)
        + arguments(0, "!")
        + arguments(0, "!")
        + _ONE,
        [START, opened(0, "call_0", "find"), argued(0, '{"q":1}'), *finish("tool_calls")],
        [("delta.after_close", "content", "/4/delta")],
    ),
    Case(
        "text_then_call",
        "a stop with a call is raised to tool_calls",
        CREATED
        + added(0, message("msg_0"))
        + text(0, "Hi")
        + added(1, OPEN)
        + arguments(1, '{"p":2}')
        + ended(),
        [
            START,
            content("Hi"),
            opened(0, "call_1", "open"),
            argued(0, '{"p":2}'),
            *finish("tool_calls"),
        ],
    ),
    Case(
        "text_after_call",
        "Chat cannot say that text stands behind a call",
        CREATED + added(0, FIND) + arguments(0, '{"q":1}') + text(1, "Hi") + text(1, "!") + ended(),
        [
            START,
            opened(0, "call_0", "find"),
            argued(0, '{"q":1}'),
            content("Hi"),
            content("!"),
            *finish("tool_calls"),
        ],
        [("block_order.lost", "metadata", "/3/delta")],
    ),
    Case(
        "incomplete_with_a_call",
        "no other finish is changed, and cut arguments stay cut",
        CREATED
        + added(0, FIND)
        + arguments(0, '{"q')
        + ended(status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        [START, opened(0, "call_0", "find"), argued(0, '{"q'), *finish("length")],
        outcome="incomplete",
    ),
    Case(
        "call_text_and_message_share_an_index",
        "a delta of another class than its index holds finds its item by id",
        CREATED
        + added(0, message("msg_0"))
        + text(0, "a")
        + added(0, FIND)
        + text(0, "b")
        + arguments(0, '{"q":1}')
        + ended([message("msg_0", text_part("ab")), FIND_1]),
        [
            START,
            content("a"),
            opened(0, "call_0", "find"),
            content("b"),
            argued(0, '{"q":1}'),
            *finish("tool_calls"),
        ],
        [("block_order.lost", "metadata", "/4/delta")],
    ),
]
