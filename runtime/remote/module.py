"""Loaded programs of a remote device, and launches of their kernels.

A launch that is prepared has a number that the worker knows; each launch sends the number and the parameters' values.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from ...translator.ir.kernel_info import KernelInfo, VariableInfo
from ..driver.interface import DriverError, Stream, Triple
from . import operations as op
from .session import Session
from .stream import RemoteStream

# The largest alignment of an OpenCL type: values lie at the worker as they do here.
ALIGN = 128


class Plan:
    """A prepared launch. Its number goes back to the stream with it."""

    __slots__ = ("_address", "_number", "_size", "_stream")

    def __init__(self, stream: RemoteStream, number: int, address: int, size: int):
        self._stream, self._number, self._address, self._size = stream, number, address, size

    def __call__(self) -> None:
        size = self._size
        self._stream.add((op.LAUNCH, self._number, ctypes.string_at(self._address, size)), size + 16)

    def __del__(self) -> None:
        self._stream.dropped_plans.append(self._number)


class RemoteFunction:
    """A kernel that a worker has loaded."""

    def __init__(self, module: RemoteModule, kernel: KernelInfo):
        self.module = module  # keeps the code loaded
        sizes = [arg.parameter_size for arg in kernel.args if arg.parameter]
        parts = [arg.parts for arg in kernel.args if arg.parameter]
        self._sizes = [size // count for size, count in zip(sizes, parts, strict=True) for _ in range(count)]
        reply, _ = module.session.call(module.device, op.FUNCTION, module.number, kernel.to_json())
        self._number, self.max_work_group_size, self.local_size, self.private_size, self.registers, largest = reply
        self._largest: Triple | None = tuple(largest) if largest else None

    @property
    def max_global_size(self) -> Triple | None:
        return self._largest

    def prepare(self, stream: Stream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple, dynamic_local: int,
                parameters: int) -> Callable[[], None]:
        assert isinstance(stream, RemoteStream)
        places = list((ctypes.c_uint64 * len(self._sizes)).from_address(parameters))
        start = min(places, default=0)
        size = max((place + size for place, size in zip(places, self._sizes, strict=True)), default=0) - start
        number = stream.new_plan()
        stream.add((op.PLAN, number, self._number, work_dim, global_size, local_size, offset, dynamic_local,
                    [place - start for place in places], start % ALIGN, size), 128)
        return Plan(stream, number, start, size)

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
        raise DriverError("a remote device has no memory that the host knows by its address", "INVALID_OPERATION")

    def unload(self) -> None:
        self._functions.clear()
        self.session.tell(self.device, op.UNLOAD, self.number)
