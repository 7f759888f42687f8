"""What the case kit calls: one function over whichever implementation TRANSCODEC_IMPLEMENTATION names.

The kit (a folder beside the checkout, not part of it) loads this file by path; its README gives the shape.
`native` is the default, `reference` the pure-Python specification. Both offer the same names.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
from typing import Any

from transcodec.errors import TranscodecError

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
    translator = implementation.StreamTranslator(source, target, context=context, model=options.get("model"))
    output = b""
    error = None
    try:
        for start, end in itertools.pairwise([0, *(splits or []), len(data)]):
            output += translator.feed(data[start:end])
    except TranscodecError as caught:
        output += caught.output
        error = {"code": caught.code}
    output += translator.finish()
    return {
        "output": output,
        "losses": [loss.code for loss in translator.losses],
        "outcome": translator.outcome,
        "error": error,
    }
