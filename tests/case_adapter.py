"""What the case kit calls: one function over whichever implementation TRANSCODEC_IMPLEMENTATION names.

The kit (a folder beside the checkout, not part of it) loads this file by path; its README gives the shape.
`native` is the default, `reference` the pure-Python specification. Both offer the same names.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
from typing import TYPE_CHECKING, Any

from transcodec import rows
from transcodec.errors import DecodeError, TranscodecError

if TYPE_CHECKING:
    from collections.abc import Callable

MODULES = {"native": "transcodec", "reference": "transcodec.reference"}

implementation: Any = importlib.import_module(MODULES[os.environ.get("TRANSCODEC_IMPLEMENTATION", "native")])


def translate_stream(
    data: bytes,
    source: str,
    target: str,
    *,
    splits: list[int] | None,
    request: dict[str, Any] | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Translates a stream cut at the given offsets; `request` is the client's, in the target format."""
    context = None
    if request is not None:
        context = implementation.Context.from_request(json.dumps(request).encode(), format=target)
    translator = implementation.StreamTranslator(
        source, target, context=context, model=options.get("model"), collect=True
    )
    output = b""
    error = None
    try:
        for start, end in itertools.pairwise([0, *(splits or []), len(data)]):
            output += translator.feed(data[start:end])
    except TranscodecError as caught:
        output += caught.output
        error = {"code": caught.code}
    output += translator.finish()
    result = {
        "output": output,
        "losses": [loss.code for loss in translator.losses],
        "outcome": translator.outcome,
        "error": error,
    }
    if translator.outcome in ("completed", "incomplete"):
        result["response"] = json.loads(translator.response())
    return result


def translate_response(
    body: dict[str, Any], source: str, target: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Translates a whole response body."""
    given = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
    try:
        translated = implementation.translate_response(
            given, source=source, target=target, model=options.get("model")
        )
    except TranscodecError as caught:
        return {"body": None, "raw": None, "losses": [], "error": {"code": caught.code}}
    losses = [loss.code for loss in translated.losses]
    return {
        "body": json.loads(translated.body),
        "raw": translated.body,
        "losses": losses,
        "error": None,
    }


# --- dialects: each operation of the kit by its name --------------------------------------------


def _message_from_json(given: dict[str, Any]) -> Any:
    read = rows.Message.from_json(given["text"]).to_dict()
    # The kit shows every field; absent ones are null, except that calls are a list.
    return {"tool_calls": [], **read}


def _message_to_json(given: dict[str, Any]) -> str:
    return rows.Message.from_dict(given["message"]).to_json()


def _result_to_json(given: dict[str, Any]) -> str:
    return rows.ToolResult.from_dict(given["result"]).to_json()


def _encode_assistant(given: dict[str, Any]) -> str:
    text: str = implementation.encode_assistant(given)
    return text


def _encode_assistant_insertion_order(given: dict[str, Any]) -> str:
    text: str = implementation.encode_assistant(given, order="insertion")
    return text


def _decode(given: dict[str, Any], role: str, accept: str) -> Any:
    text = given["text"]
    decode = implementation.decode_assistant if role == "assistant" else implementation.decode_tool
    value = decode(text, accept=accept)
    if value is None and implementation.refusal(text, role=role, accept=accept) == "content_shape":
        return {"error": "content_shape"}
    if value is not None and role == "assistant":
        # The kit's decoder has one spelling for absent and empty text; ours keeps them apart.
        value["content"] = value.pop("text") or ""
    return value


def _history(given: dict[str, Any]) -> bytes:
    return json.dumps(given["history"]).encode()


def _pair(given: dict[str, Any]) -> list[int]:
    # The kit's rule takes results from one record only; ours may merge several.
    replay = implementation.to_typed_messages(_history(given), split_results="drop")
    dropped = {entry for report in replay.dropped for entry in report.entries}
    return [index for index in range(len(given["history"])) if index not in dropped]


def _packed(given: dict[str, Any]) -> Any:
    return json.loads(implementation.to_provider_messages(_history(given), split_results="drop").messages)


def _typed(given: dict[str, Any]) -> Any:
    return json.loads(implementation.to_typed_messages(_history(given), split_results="drop").messages)


def _text_replay(given: dict[str, Any]) -> Any:
    return json.loads(implementation.to_text_messages(_history(given)).messages)


def _wire(given: dict[str, Any]) -> Any:
    return json.loads(implementation.to_wire(json.dumps(given["messages"]).encode()))


def _pack(given: dict[str, Any]) -> dict[str, str]:
    if given["dialect"] != "json_envelope":
        raise LookupError(given["dialect"])
    typed = implementation.from_wire(json.dumps(given["round"]).encode())
    return {"text": implementation.pack(typed).decode()}


def _unpack(given: dict[str, Any]) -> dict[str, Any]:
    if given["dialect"] != "json_envelope":
        raise LookupError(given["dialect"])
    typed = implementation.unpack(given["text"].encode())
    return {"round": json.loads(implementation.to_wire(typed, content="keep"))}


DIALECT_CALLS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "message_from_json": _message_from_json,
    "message_to_json": _message_to_json,
    "result_to_json": _result_to_json,
    "encode_assistant": _encode_assistant,
    "encode_assistant_insertion_order": _encode_assistant_insertion_order,
    "decode_assistant": lambda given: _decode(given, "assistant", "lenient"),
    "decode_assistant_canonical": lambda given: _decode(given, "assistant", "canonical"),
    "decode_tool": lambda given: _decode(given, "tool", "lenient"),
    "decode_tool_canonical": lambda given: _decode(given, "tool", "canonical"),
    "pair": _pair,
    "packed": _packed,
    "typed": _typed,
    "text_replay": _text_replay,
    "wire": _wire,
    "pack": _pack,
    "unpack": _unpack,
}


def dialect(call: str, given: dict[str, Any]) -> Any:
    """One dialect operation; a call that is not offered yet is a LookupError."""
    operation = DIALECT_CALLS.get(call)
    if operation is None:
        raise LookupError(call)
    try:
        return operation(given)
    except DecodeError as caught:
        return {"error": {"code": caught.code, "message": caught.message}}
