"""docs/integrating.md is true: each block of code runs, against servers on the loopback interface."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import pytest
from aiohttp import web

import transcodec
from transcodec.demo import stream
from transcodec.demo.client import assemble, blocks
from transcodec.options import StreamOptions

PAGE = (Path(__file__).parent.parent / "docs/integrating.md").read_text()
BEGUN = b"".join(blocks(stream())[:8])
EXPECTED = transcodec.translate_stream(stream(), source="openai_responses", target="openai_chat").output
#: What each path of the upstream comes to: outcome, and code of the client's error event.
ENDS = {
    "/whole": ("completed", None),
    "/invalid": ("failed", "invalid_json"),
    "/cut": ("truncated", "stream_truncated"),
    "/reset": ("failed", "upstream_failed"),
    "/stall": ("failed", "upstream_failed"),
}
#: Of a client whose upstream stalls; the others wait longer, for the machine may be busy.
PATIENCE_SECONDS = 0.5


def patience(path: str) -> float:
    return PATIENCE_SECONDS if path == "/stall" else 60


class Upstream(BaseHTTPRequestHandler):
    """Streams the bundled answer in chunks, and goes wrong as its path says."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        rest = {"/whole": stream()[len(BEGUN) :], "/invalid": b"\n\ndata: {]\n\n"}.get(self.path, b"")
        for piece in (BEGUN[:1500], BEGUN[1500:], rest):
            if piece:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        if self.path == "/stall":
            time.sleep(PATIENCE_SECONDS * 4)
        elif self.path != "/reset":
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """The names that the page's blocks define, run one after the other."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 5
    space: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, "docs/integrating.md", "exec"), space)  # noqa: S102 - our own page
    return space


def check(sent: bytes, outcome: str | None, path: str, timeout_code: str = "upstream_failed") -> None:
    expected_outcome, code = ENDS[path]
    if path == "/stall":
        code = timeout_code
    assert outcome == expected_outcome
    answer = assemble(sent)
    assert answer.done is (code is None)
    if code is None:
        assert sent == EXPECTED
    else:
        assert EXPECTED.startswith(sent[: sent.index(b'data: {"error"')])
        assert answer.reasoning
        assert answer.error is not None
        assert answer.error["code"] == code
        assert "127.0.0.1" not in answer.error["message"]


every_end = pytest.mark.parametrize("path", ENDS)


@every_end
def test_the_synchronous_loop(page: dict[str, Any], upstream: str, path: str) -> None:
    sent: list[bytes] = []
    with httpx.Client(timeout=patience(path)) as client:
        translator = page["relay"](client, upstream + path, b"{}", sent.append)
    assert all(sent)
    check(b"".join(sent), translator.outcome, path, "upstream_timeout")


@every_end
def test_httpx_in_asgi_out(page: dict[str, Any], upstream: str, path: str) -> None:
    events: list[dict[str, Any]] = []

    async def send(event: dict[str, Any]) -> None:
        events.append(event)

    async def run() -> Any:
        async with httpx.AsyncClient(timeout=patience(path)) as client:
            return await page["relay_asgi"](client, upstream + path, b"{}", send)

    translation = asyncio.run(run())
    start, *bodies = events
    assert start["type"] == "http.response.start"
    assert dict(start["headers"])[b"content-type"].startswith(b"text/event-stream")
    assert [event["more_body"] for event in bodies] == [True] * (len(bodies) - 1) + [False]
    check(b"".join(event["body"] for event in bodies), translation.outcome, path)


def test_a_client_that_goes_away_ends_the_asgi_relay(page: dict[str, Any], upstream: str) -> None:
    async def send(event: dict[str, Any]) -> None:
        if event["type"] == "http.response.body":
            raise ConnectionResetError

    async def run() -> None:
        async with httpx.AsyncClient(timeout=60) as client:
            await page["relay_asgi"](client, f"{upstream}/whole", b"{}", send)

    with pytest.raises(ConnectionResetError):
        asyncio.run(run())


@every_end
def test_aiohttp_on_both_sides(page: dict[str, Any], upstream: str, path: str) -> None:
    timeout = aiohttp.ClientTimeout(sock_read=patience(path))

    async def run() -> tuple[str, bytes]:
        async with aiohttp.ClientSession(timeout=timeout) as toward_upstream:

            async def answer(request: web.Request) -> web.StreamResponse:
                response: web.StreamResponse = await page["completions"](
                    toward_upstream, upstream + path, request
                )
                return response

            app = web.Application()
            app.router.add_post("/", answer)
            runner = web.AppRunner(app)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            try:
                port = runner.addresses[0][1]
                async with (
                    aiohttp.ClientSession() as client,
                    client.post(f"http://127.0.0.1:{port}/", data=b"{}") as response,
                ):
                    return response.headers["content-type"], await response.read()
            finally:
                await runner.cleanup()

    content_type, sent = asyncio.run(run())
    assert content_type == "text/event-stream; charset=utf-8"
    check(sent, ENDS[path][0], path)


def test_errors_before_the_first_byte(page: dict[str, Any]) -> None:
    error_body: Callable[[bytes], bytes] = page["error_body"]
    refused = b'{"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit_exceeded"}}'
    assert json.loads(error_body(refused))["error"]["message"] == "slow down"
    for unreadable in (b"<html>", b"", b'{"detail":"no"}'):
        assert json.loads(error_body(unreadable))["error"]["type"] == "upstream_error"


def test_a_deadline_ends_the_clients_stream(page: dict[str, Any]) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield BEGUN
        while True:
            await asyncio.sleep(0.01)
            yield b": still thinking\n\n"

    async def run() -> tuple[bytes, transcodec.aio.AsyncTranslation]:
        deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        translation = transcodec.aio.translate(page["until"](deadline, endless()), **page["FORMATS"])
        return b"".join([piece async for piece in translation]), translation

    sent, translation = asyncio.run(run())
    answer = assemble(sent)
    assert isinstance(translation.exception, TimeoutError)
    assert sent.count(b": keep-alive\n\n") > 1
    assert answer.error is not None
    assert answer.reasoning


def test_a_deadline_that_holds_changes_nothing(page: dict[str, Any]) -> None:
    async def whole() -> AsyncIterator[bytes]:
        yield stream()

    async def run() -> bytes:
        deadline = asyncio.get_running_loop().time() + 60
        translation = transcodec.aio.translate(page["until"](deadline, whole()), **page["FORMATS"])
        return b"".join([piece async for piece in translation])

    assert asyncio.run(run()) == EXPECTED


def test_every_option_is_on_the_page() -> None:
    table = PAGE.partition("\n## Options\n")[2]
    cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    assert re.findall(r"`(\w+)`", " ".join(cells)) == list(StreamOptions.__annotations__)
