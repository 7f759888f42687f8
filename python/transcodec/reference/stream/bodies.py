"""Whole bodies, by the same decoders and the same referee as streams."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, TypeVar, Unpack

from transcodec.errors import DecodeError
from transcodec.reference.stream.limits import Limits
from transcodec.reference.stream.options import DEFAULT_LIMITS, Options
from transcodec.reference.stream.pipeline import UPSTREAM_ERROR, Pipeline
from transcodec.reference.stream.translator import check_pair

if TYPE_CHECKING:
    from transcodec.losses import Loss
    from transcodec.reference.context import Context
    from transcodec.reference.stream.turn import Outcome
    from transcodec.usage import Usage

__all__ = ["Translated", "translate_response"]

Body = TypeVar("Body", bytes, dict[str, Any])


@dataclass(frozen=True, slots=True)
class Translated(Generic[Body]):
    """A translated body.

    Attributes:
        body: Of the kind that was given: JSON bytes, or a parsed object.
        losses: What the target could not say.
        outcome: `completed` or `incomplete`.
        usage: Token counts, if the provider gave any.
    """

    body: Body
    losses: list[Loss]
    outcome: Outcome
    usage: Usage | None


class BodyOptions(TypedDict, total=False):
    """Options of `translate_response`: those of `StreamTranslator`, as far as bodies have them."""

    context: Context | None
    model: str | None
    response_id: str | None
    created: int | None
    id_seed: str | None
    include_usage: bool | None
    reasoning_field: str | None
    think_tags: bool
    on_loss: Literal["report", "error"]
    same_format: Literal["clean", "verbatim"]
    max_body_bytes: int


def translate_response(
    body: Body, /, *, source: str, target: str, **options: Unpack[BodyOptions]
) -> Translated[Body]:
    """Translate a whole answer.

    Args:
        body: JSON bytes, or the parsed object; the same kind comes back.
        source: Format of the body.
        target: Format of the result.
        options: As for `StreamTranslator`; `max_body_bytes` bounds the body.

    Raises:
        DecodeError: the body is broken, or (`upstream_error`) it is an error or an answer that failed. Like
            the next ones it has the target's error body in `.output` (with `same_format="verbatim"` the
            body itself).
        TruncatedError: the body does not say how the answer ended, or is cut.
        UnsupportedError: a loss is refused.
        ValueError: a format or an option's value is unknown.
    """
    check_pair(source, target)
    pipeline = Pipeline(source, target, _all_options(options), is_stream=False)
    if isinstance(body, dict):
        written = _translate(pipeline, json.dumps(body, separators=(",", ":")).encode())
        return _translated(pipeline, json.loads(written))
    return _translated(pipeline, _translate(pipeline, bytes(memoryview(body))))


def _all_options(options: BodyOptions) -> Options:
    max_bytes = options.get("max_body_bytes", DEFAULT_LIMITS.max_answer_bytes)
    return Options(
        context=options.get("context"),
        model=options.get("model"),
        response_id=options.get("response_id"),
        created=options.get("created"),
        id_seed=options.get("id_seed"),
        include_usage=options.get("include_usage"),
        reasoning_field=options.get("reasoning_field", "reasoning_content"),
        think_tags=options.get("think_tags", False),
        on_loss=options.get("on_loss", "report"),
        same_format=options.get("same_format", "clean"),
        collect=True,
        limits=Limits(max_event_bytes=max_bytes, max_answer_bytes=max_bytes),
    )


def _translate(pipeline: Pipeline, body: bytes) -> bytes:
    pipeline.take_body(body)
    fault = pipeline.fault
    if fault is None and pipeline.turn.fault is not None:
        message = "the upstream answered with an error"
        fault = DecodeError(UPSTREAM_ERROR, message)
    written = pipeline.body()
    if fault is not None:
        fault.output = written
        raise fault
    return written


def _translated(pipeline: Pipeline, body: Body) -> Translated[Body]:
    outcome = pipeline.turn.outcome or "failed"
    return Translated(body, list(pipeline.losses.stored), outcome, pipeline.turn.usage)
