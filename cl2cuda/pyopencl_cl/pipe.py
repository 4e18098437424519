"""Pipes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .context import Context
from .errors import guarded
from .handles import core_of, stands_for
from .integers import cl_bitfield, cl_uint
from .later import pipes
from .memory import MemoryObject, allocated


@stands_for("memory.pipe.Pipe")
class Pipe(MemoryObject):
    """cl_mem of a pipe (5.4) of `max_packets` packets of `packet_size` bytes. Errors: INVALID_VALUE, INVALID_PIPE_SIZE."""

    def __init__(self, context: Context, flags: int, packet_size: int, max_packets: int, properties: Iterable[int] = ()) -> None:
        core, flags = core_of(context, Context, "context"), cl_bitfield(flags, "flags")
        size, packets = cl_uint(packet_size, "packet_size"), cl_uint(max_packets, "max_packets")
        given = tuple(properties)
        self._core = allocated(lambda: pipes.Pipe(core, flags, size, packets, given))

    @guarded
    def get_pipe_info(self, arg: int) -> Any:
        return self._core.get_pipe_info(cl_uint(arg, "arg"))
