"""Vectors of items and events that have no place in Chat."""

from __future__ import annotations

from stream_cases.words import (
    CREATED,
    START,
    Case,
    Error,
    Json,
    added,
    argued,
    content,
    done,
    ended,
    event,
    failure,
    finish,
    function,
    message,
    opened,
    reasoning,
    text,
    text_part,
)

SEARCH: Json = {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search"}}
CITATION: Json = {"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 1}
MCP: Json = {"id": "mcp_1", "type": "mcp_call", "name": "x", "arguments": "{}", "output": "y"}


def server(item_type: str) -> Json:
    return {"id": f"x_{item_type}", "type": item_type}


SERVER_TYPES = [
    "file_search_call",
    "code_interpreter_call",
    "mcp_list_tools",
    "tool_search_call",
    "tool_search_output",
    "x_search_call",
    "program",
    "program_output",
    "shell_call_output",
    "local_shell_call_output",
    "apply_patch_call_output",
    "computer_call_output",
]
CLIENT_TYPES = ["computer_call", "local_shell_call", "shell_call", "apply_patch_call", "mcp_approval_request"]
STEMS = [
    "web_search_call.searching",
    "file_search_call.completed",
    "code_interpreter_call.interpreting",
    "code_interpreter_call_code.delta",
    "image_generation_call.partial_image",
    "mcp_call.in_progress",
    "mcp_call_arguments.delta",
    "mcp_list_tools.failed",
    "shell_call_command.delta",
    "shell_call_output_content.done",
    "apply_patch_call_operation_diff.delta",
    "local_shell_call.x",
    "computer_call.x",
    "tool_search_call.x",
    "x_search_call.x",
]

CASES = [
    Case(
        "hosted_tools",
        "what the provider ran itself is never a client call, and does not raise the finish",
        CREATED
        + added(0, {**SEARCH, "status": "in_progress"})
        + event("response.web_search_call.searching", item_id="ws_1", output_index=0)
        + done(0, SEARCH)
        + added(1, MCP)
        + event("response.mcp_call_arguments.delta", item_id="mcp_1", output_index=1, delta="{}")
        + done(1, MCP)
        + text(2, "Hi")
        + ended([SEARCH, MCP, message("msg_2", text_part("Hi"))]),
        [START, content("Hi"), *finish("stop")],
        [("server_tool.dropped", "metadata", "/1/item"), ("server_tool.dropped", "metadata", "/4/item")],
    ),
    Case(
        "hosted_tool_types",
        "every type of item that the provider runs",
        CREATED + b"".join(done(index, server(each)) for index, each in enumerate(SERVER_TYPES)) + ended(),
        [START, *finish("stop")],
        [("server_tool.dropped", "metadata", f"/{index + 1}/item") for index in range(len(SERVER_TYPES))],
    ),
    Case(
        "hosted_tool_progress",
        "events of a hosted tool's progress are no news",
        CREATED + b"".join(event(f"response.{stem}", output_index=0) for stem in STEMS) + ended(),
        [START, *finish("stop")],
    ),
    Case(
        "client_tools",
        "calls that the client should run but Chat cannot say",
        CREATED + ended([server(each) for each in CLIENT_TYPES]),
        [START, *finish("stop")],
        [
            ("client_tool.dropped", "content", f"/1/response/output/{index}")
            for index in range(len(CLIENT_TYPES))
        ],
    ),
    Case(
        "same_type_twice",
        "two foreign items of one type are two losses",
        CREATED
        + added(0, {**SEARCH, "id": "ws_1"})
        + done(0, {**SEARCH, "id": "ws_1"})
        + added(0, {**SEARCH, "id": "ws_2"})
        + done(0, {**SEARCH, "id": "ws_2"})
        + ended([{**SEARCH, "id": "ws_1"}, {**SEARCH, "id": "ws_2"}]),
        [START, *finish("stop")],
        [("server_tool.dropped", "metadata", "/1/item"), ("server_tool.dropped", "metadata", "/3/item")],
    ),
    Case(
        "image_compaction_unknown",
        "an image, a compaction, and an item of unknown type",
        CREATED
        + done(0, {"id": "ig_1", "type": "image_generation_call", "result": "AAAA"})
        + done(1, {"id": "cmp_1", "type": "compaction", "encrypted_content": "gAAA"})
        + done(2, {"id": "new_1", "type": "brand_new_item", "x": 1})
        + ended(),
        [START, *finish("stop")],
        [
            ("image.dropped", "content", "/1/item"),
            ("opaque_state.dropped", "state", "/2/item"),
            ("item.unknown", "content", "/3/item"),
        ],
    ),
    Case(
        "members_dropped",
        "members of an item that Chat has no place for, once an item and member",
        CREATED
        + added(0, message("msg_0", phase="commentary", metadata=None))
        + text(0, "Hi")
        + done(0, message("msg_0", text_part("Hi"), phase="commentary", **{"a/b~c": 1}))
        + added(1, function("fc_1", "call_1", "open", "{}", namespace="n", caller={"type": "direct"}))
        + ended([message("msg_0", text_part("Hi"), phase="commentary"), reasoning("rs_9", format="x", y=[])]),
        [
            START,
            content("Hi"),
            opened(0, "call_1", "open"),
            argued(0, "{}"),
            *finish("tool_calls"),
        ],
        [
            ("item.member_dropped", "metadata", "/1/item/phase"),
            ("item.member_dropped", "metadata", "/3/item/a~1b~0c"),
            ("item.member_dropped", "metadata", "/4/item/namespace"),
            ("item.member_dropped", "metadata", "/4/item/caller"),
            ("item.member_dropped", "metadata", "/5/response/output/1/y"),
        ],
    ),
    Case(
        "events_unknown",
        "events of unknown type are skipped, told once a type",
        CREATED
        + event("response.brand_new", delta="x")
        + event("brand_new")
        + event("response.brand_new", delta="y")
        + event("response.brand_new_call.delta", item_id=5)
        + b'data: {"no":"type"}\n\n'
        + ended(),
        [START, *finish("stop")],
        [
            ("event.unknown", "metadata", "/1"),
            ("event.unknown", "metadata", "/2"),
            ("event.unknown", "metadata", "/4"),
            ("event.unknown", "metadata", "/5"),
        ],
    ),
    Case(
        "losses_are_capped",
        "two are stored, all are counted",
        CREATED + done(0, server("a")) + done(1, server("b")) + done(2, server("c")) + ended(),
        [START, *finish("stop")],
        [("item.unknown", "content", "/1/item"), ("item.unknown", "content", "/2/item")],
        options={"max_losses": 2},
    ),
    Case(
        "loss_refused",
        "on_loss=error stops before the event that would lie; what it wrote is taken back",
        CREATED
        + text(0, "Hi")
        + done(0, message("msg_0", text_part("Hi there"), {"type": "output_audio"}))
        + ended(),
        [START, content("Hi"), failure("refused: part.unknown", "translation_error", "part.unknown")],
        [("part.unknown", "content", "/2/item/content/1")],
        outcome="failed",
        options={"on_loss": "error"},
        error=Error("UnsupportedError", "part.unknown", None, "/2/item/content/1"),
    ),
    Case(
        "loss_refused_beside_an_annotation",
        "what the refused event noted is taken back, too",
        CREATED
        + text(0, "Hi")
        + done(0, message("msg_0", text_part("Hi", CITATION), {"type": "output_audio"}))
        + ended(),
        [START, content("Hi"), failure("refused: part.unknown", "translation_error", "part.unknown")],
        [("part.unknown", "content", "/2/item/content/1")],
        outcome="failed",
        options={"on_loss": "error"},
        error=Error("UnsupportedError", "part.unknown", None, "/2/item/content/1"),
    ),
    Case(
        "loss_allowed",
        "on_loss=error acts on content only",
        CREATED + done(0, SEARCH) + done(1, reasoning("rs_1", encrypted_content="gAAA")) + ended(),
        [START, *finish("stop")],
        [
            ("server_tool.dropped", "metadata", "/1/item"),
            ("opaque_state.dropped", "state", "/2/item/encrypted_content"),
        ],
        options={"on_loss": "error"},
    ),
]
