"""Replayed history over the official client against a server that insists on complete tool cycles."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar

import openai
import pytest

from implementations import offering

if TYPE_CHECKING:
    from collections.abc import Iterator

every_implementation = pytest.mark.parametrize("module", offering("to_wire"))

#: The seed's round: narration removed, one call, one result.
HISTORY: list[dict[str, Any]] = [
    {"role": "user", "content": "find it"},
    {"kind": "calls", "text": "", "tool_calls": [{"id": "k1", "name": "find", "arguments": '{"q": 1}'}]},
    {"kind": "results", "results": [{"tool_call_id": "k1", "content": "[]"}]},
]


def complaint(messages: list[dict[str, Any]]) -> str | None:
    """What a strict server finds wrong with a history."""
    waiting: list[str] = []
    for at, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                return f"messages[{at}]: 'tool' must be a response to a preceding message with 'tool_calls'"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return f"messages[{at}]: tool_call_ids without response: {waiting}"
        for call in message.get("tool_calls", []):
            if call.keys() != {"id", "type", "function"} or call["type"] != "function":
                return f"messages[{at}]: malformed call"
            waiting.append(call["id"])
    return f"tool_call_ids without response: {waiting}" if waiting else None


class StrictServer(BaseHTTPRequestHandler):
    """Answers 400 to what `complaint` finds, else a short answer; keeps the bodies it got."""

    bodies: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.bodies.append(body)
        problem = complaint(json.loads(body)["messages"])
        answer: dict[str, Any] = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "done"}}
            ],
        }
        if problem is not None:
            answer = {"error": {"message": problem, "type": "invalid_request_error"}}
        payload = json.dumps(answer).encode()
        self.send_response(200 if problem is None else 400)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@pytest.fixture(scope="module")
def client() -> Iterator[openai.OpenAI]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), StrictServer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/v1"
    with openai.OpenAI(api_key="none", base_url=address, max_retries=0) as made:
        yield made
    server.shutdown()
    thread.join()
    server.server_close()


def ask(client: openai.OpenAI, messages: list[Any]) -> str | None:
    answer = client.chat.completions.create(model="m", messages=messages)
    return answer.choices[0].message.content


@every_implementation
def test_the_replayed_round_is_taken(module: Any, client: openai.OpenAI) -> None:
    rows = module.to_typed_messages(HISTORY).messages
    assert ask(client, module.to_wire(rows)) == "done"
    assert json.loads(StrictServer.bodies[-1])["messages"] == [
        {"role": "user", "content": "find it"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "k1", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "k1", "name": "find", "content": "[]"},
    ]


@every_implementation
@pytest.mark.parametrize("content", ["empty", "null", "keep"])
def test_every_spelling_of_absent_text_is_taken(module: Any, client: openai.OpenAI, content: str) -> None:
    history = [HISTORY[0], {**HISTORY[1], "text": None}, HISTORY[2]]
    rows = module.to_typed_messages(history).messages
    assert ask(client, module.to_wire(rows, content=content)) == "done"


@every_implementation
def test_without_the_calls_the_same_history_is_refused(module: Any, client: openai.OpenAI) -> None:
    """The row as it went out before: no calls on the assistant row, no name on the result."""
    messages = module.to_wire(module.to_typed_messages(HISTORY).messages)
    del messages[1]["tool_calls"]
    del messages[2]["name"]
    with pytest.raises(openai.BadRequestError, match="preceding message with 'tool_calls'"):
        ask(client, messages)


@every_implementation
def test_pairing_makes_a_cut_history_acceptable(module: Any, client: openai.OpenAI) -> None:
    cut = [*HISTORY, *HISTORY[:2]]
    kept = module.to_typed_messages(cut, unpaired="keep").messages
    with pytest.raises(openai.BadRequestError, match="without response"):
        ask(client, module.to_wire(kept))
    paired = module.to_typed_messages(cut)
    assert ask(client, module.to_wire(paired.messages)) == "done"
    assert [report.code for report in paired.dropped] == ["unanswered"]


@every_implementation
def test_stored_rows_reach_the_server_through_unpacking(module: Any, client: openai.OpenAI) -> None:
    packed = module.to_provider_messages(HISTORY).messages
    assert ask(client, module.to_wire(module.unpack(packed))) == "done"
