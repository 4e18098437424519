"""Loaded programs of a remote device, and launches of their kernels.

A launch that is prepared has a number that the worker knows; each launch sends the number and the parameters' values.
"""

from __future__ import annotations

import ctypes
import itertools
import struct
from collections.abc import Callable, Sequence

from ...translator.ir.kernel_info import ENQUEUING_SIZE, KernelInfo, VariableInfo
from ..driver.device import Spills
from ..driver.interface import DriverError, Stream, Triple
from . import operations as op
from .session import Session
from .stream import RemoteStream

# The largest alignment of an OpenCL type: values lie at the worker as they do here.
ALIGN = 128


class Plan:
    """A prepared launch. Its number goes back to the stream with it.

    parameters   the array of pointers to the values, one a parameter
    sizes        of the values, in bytes; offsets: where they lie in what is sent. Where they lie side by side when the launch is
                 prepared (the arguments of a kernel do), they are sent as they lie, in one piece as long as the pointers stay.
    """

    def __init__(self, stream: RemoteStream, parameters: int, sizes: Sequence[int]):
        self._stream, self._parameters, self._sizes = stream, parameters, sizes
        places = self._places()
        self._start, self.skew = min(places, default=0), 0
        self.offsets = list(itertools.accumulate((-size // ALIGN * -ALIGN for size in sizes), initial=0))[: len(sizes)]
        self._pointers = b""
        ends = [place + size for place, size in zip(places, sizes, strict=True)]
        if max(ends, default=0) - self._start <= ALIGN * (len(sizes) + 1) + sum(sizes):
            self._pointers = ctypes.string_at(parameters, 8 * len(sizes))
            self.offsets, self.skew = [place - self._start for place in places], self._start % ALIGN
        self.size = max((offset + size for offset, size in zip(self.offsets, sizes, strict=True)), default=0)
        self.number = stream.new_plan()

    def __call__(self) -> None:
        self._stream.add((op.LAUNCH, self.number, self._values()), self.size + 16)

    def _places(self) -> tuple[int, ...]:
        return struct.unpack(f"<{len(self._sizes)}Q", ctypes.string_at(self._parameters, 8 * len(self._sizes)))

    def _values(self) -> bytes:
        if self._pointers and ctypes.string_at(self._parameters, len(self._pointers)) == self._pointers:
            return ctypes.string_at(self._start, self.size)
        values = bytearray(self.size)
        for place, offset, size in zip(self._places(), self.offsets, self._sizes, strict=True):
            values[offset : offset + size] = ctypes.string_at(place, size)
        return bytes(values)

    def __del__(self) -> None:
        self._stream.dropped_plans.append(self.number)


class RemoteFunction:
    """A kernel that a worker has loaded."""

    handles_by_surplus = 0, 0
    max_plain_dynamic_local = 0

    def __init__(self, module: RemoteModule, kernel: KernelInfo):
        self.module = module  # keeps the code loaded
        sizes = [arg.parameter_size for arg in kernel.args if arg.parameter]
        parts = [arg.parts for arg in kernel.args if arg.parameter]
        self._sizes = [size // count for size, count in zip(sizes, parts, strict=True) for _ in range(count)]
        if kernel.enqueues:
            self._sizes.append(ENQUEUING_SIZE)
        reply, _ = module.session.call(module.device, op.FUNCTION, module.number, kernel.to_json())
        self._number, self.max_work_group_size, self.local_size, self.private_size, self.registers, spills, self.rounds, largest = reply
        self.spills = Spills(*spills) if spills else None
        self._largest: Triple | None = tuple(largest) if largest else None

    @property
    def max_global_size(self) -> Triple | None:
        return self._largest

    @property
    def occupancy(self) -> None:
        """It is asked for each work-group's size, and not worth a message each."""

    def prepare(self, stream: Stream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple, dynamic_local: int,
                parameters: int) -> Callable[[], None]:
        assert isinstance(stream, RemoteStream)
        plan = Plan(stream, parameters, self._sizes)
        stream.add((op.PLAN, plan.number, self._number, work_dim, global_size, local_size, offset, dynamic_local, plan.offsets, plan.skew,
                    plan.size), 128)
        return plan

    def native_launch(self, stream: Stream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple,
                      dynamic_local: int, parameters: int) -> None:
        """A launch is a message."""


class RemoteModule:
    """A program that a worker has loaded."""

    def __init__(self, session: Session, device: int, number: int):
        self.session, self.device, self.number = session, device, number
        self._functions: dict[str, RemoteFunction] = {}

    def function(self, kernel: KernelInfo) -> RemoteFunction:
        found = self._functions.get(kernel.name)
        if found is None:
            found = self._functions[kernel.name] = RemoteFunction(self, kernel)
        return found

    def variable(self, variable: VariableInfo) -> int:
        """The device's pointers are no addresses of this process."""
        raise DriverError("a device of another process gives no addresses of its variables", "INVALID_OPERATION")

    def unload(self) -> None:
        self._functions.clear()
        self.session.tell(self.device, op.UNLOAD, self.number)
