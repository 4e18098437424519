"""Pipe objects (5.4): packets in global memory that kernels pass on to each other, and clGetPipeInfo.

Owns what `builtins/library/shared/pipe.cuh` finds in that memory: the state, then a slot for each packet, then the packets.
Zeros are an empty pipe. The host has no access to packets.
In a context of several devices a pipe moves to the one that uses it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from ..context.context import Context
from ..context.destructors import Destructible
from ..devices.device import Device
from ..devices.queries import PIPE_MAX_PACKET_SIZE
from ..driver.interface import Stream
from ..driver.reported import reported
from ..process import host_memory
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from . import memory_object
from .directory import WRITE, Access
from .replicated import buffer_storage
from .storage import BufferStorage

ROUTINE = "clCreatePipe"
MAX_PACKETS = 2**32 - 1

# pipe_state: the positions that are written and read next, max_packets, packet_size.
_STATE = struct.Struct("<QQII")
_SLOTS, _SLOT_SIZE, _PACKETS_ALIGN = 64, 16, 128


class Pipe(Destructible):
    """cl_mem of a pipe; packet_size in bytes."""

    context: Context
    type = codes.MEM_OBJECT_PIPE
    offset = 0
    parent = None
    host = None
    map_count = 0
    uses_svm = False
    device_addresses: tuple[int, ...] = ()
    properties = ()

    def __init__(self, context: Context, flags: int, packet_size: int, max_packets: int, properties: Sequence[int] | None = None):
        # "Only CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS can be specified when creating a pipe object. If the value specified for
        # flags is 0, the default is used which is CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS."
        if flags & ~(codes.MEM_READ_WRITE | codes.MEM_HOST_NO_ACCESS):
            raise CLError(ROUTINE, "INVALID_VALUE", f"{flags:#x} has other flags than READ_WRITE and HOST_NO_ACCESS")
        # "Currently, in all OpenCL versions, properties must be NULL."
        if properties:
            raise CLError(ROUTINE, "INVALID_VALUE", f"pipes have no properties, {tuple(properties)} are given")
        if not 0 < packet_size <= PIPE_MAX_PACKET_SIZE:
            raise CLError(ROUTINE, "INVALID_PIPE_SIZE",
                          f"{packet_size} bytes are no packet: from 1 to CL_DEVICE_PIPE_MAX_PACKET_SIZE, {PIPE_MAX_PACKET_SIZE}")
        if not 0 < max_packets <= MAX_PACKETS:
            raise CLError(ROUTINE, "INVALID_PIPE_SIZE", f"a pipe of {max_packets} packets cannot be")
        self.context = context
        self.flags = flags or codes.MEM_READ_WRITE | codes.MEM_HOST_NO_ACCESS
        self.packet_size = packet_size
        self.max_packets = max_packets
        slots_end = _SLOTS + _SLOT_SIZE * max_packets
        packets = -(-slots_end // _PACKETS_ALIGN) * _PACKETS_ALIGN
        self.size = packets + packet_size * max_packets
        self._storage: BufferStorage | None = None
        with reported(ROUTINE):
            self._storage = buffer_storage(context, self.size)
            self._empty(self._storage, slots_end)

    def _empty(self, storage: BufferStorage, slots_end: int) -> None:
        start = _STATE.pack(0, 0, self.max_packets, self.packet_size).ljust(_SLOTS, b"\0")
        source = host_memory.extent(ROUTINE, start)[0]
        storage.begin(lambda stream, memory: stream.fill(memory, b"\0", slots_end))
        storage.begin(lambda stream, memory: stream.copy("host_to_device", memory, source, len(start)))

    @property
    def storage(self) -> BufferStorage:
        """The memory; CLError INVALID_MEM_OBJECT after `release`."""
        if self._storage is None:
            raise CLError("clRetainMemObject", "INVALID_MEM_OBJECT", "the pipe has been released")
        return self._storage

    @property
    def released(self) -> bool:
        return self._storage is None

    @property
    def address(self) -> int:
        return self.storage.memory

    def place(self, access: Access = WRITE) -> Callable[[Device, Stream], int]:
        """What gives the address on a device to a command, as a buffer's does. Whoever reads packets changes the state."""
        storage = self.storage
        return lambda device, stream: storage.acquire(device, stream, WRITE)

    def get_info(self, param: int) -> Any:
        """clGetMemObjectInfo"""
        return memory_object.QUERIES.get(self, param)

    def get_pipe_info(self, param: int) -> Any:
        return QUERIES.get(self, param)

    def release(self) -> None:
        """clReleaseMemObject: the memory goes once commands that use it have ended."""
        self.end_life()
        self._storage = None
        self.context.reclaim()


QUERIES = QueryTable[Pipe]("clGetPipeInfo", (
    ("PIPE_PACKET_SIZE", "uint", lambda p: p.packet_size),
    ("PIPE_MAX_PACKETS", "uint", lambda p: p.max_packets),
    ("PIPE_PROPERTIES", "properties", lambda p: ()),
))
