"""A whole response, written from a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_responses.objects import (
    final_status,
    response_object,
    write_output,
)
from transcodec.reference.json_writer import keep_on_one_line
from transcodec.reference.stream.error_object import write_error

if TYPE_CHECKING:
    from transcodec.reference.stream.delta import Fault
    from transcodec.reference.stream.encoder import EncoderOptions
    from transcodec.reference.stream.snapshot import Snapshot

__all__ = ["write_body", "write_error_body"]


def write_body(snapshot: Snapshot, options: EncoderOptions) -> str:
    """The body: what a stream's last event holds."""
    output = write_output(snapshot, options.id_seed)
    status = final_status(snapshot)
    return keep_on_one_line(response_object(snapshot, options.id_seed, status, output, usage=snapshot.usage))


def write_error_body(fault: Fault) -> str:
    """What stands in the place of a body."""
    return keep_on_one_line(write_error(fault, "server_error"))
