"""The command queue class."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, SupportsIndex

from ..runtime.native import library as native
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from .context import Context
from .errors import from_runtime
from .handles import Handle, SignatureOf, core_of, stands_for
from .integers import cast_each, cl_bitfield
from .later import queues
from .platform import Device

_BITS_OF_HOST_QUEUES = codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_PROFILING_ENABLE


@stands_for("queue.device_queue.DeviceQueue")
@stands_for("queue.queue.CommandQueue")
class CommandQueue(Handle):
    """cl_command_queue (5.1): commands in order, or out of order. Errors: INVALID_QUEUE_PROPERTIES, INVALID_VALUE, INVALID_DEVICE."""

    _invalid = "INVALID_COMMAND_QUEUE"

    def __init__(self, context: Context, device: Device | None = None, properties: int | Iterable[int] | None = 0) -> None:
        """`properties` is a bit field, or a property list of CL 2.0 (names and values in turn, with or without the closing 0)."""
        core = context._core if isinstance(context, Context) else core_of(context, Context, "context")
        chosen = core.devices[0] if device is None else core_of(device, Device, "device")
        if type(properties) is int and not properties & ~_BITS_OF_HOST_QUEUES:
            given: int | list[tuple[int, int]] = properties
        else:
            given = _properties(properties)
        try:
            self._core = queues.create_command_queue(core, chosen, given)
        except CLError as failure:
            raise from_runtime(failure) from None

    _make_in_python = __init__
    _query_in_python = Handle.get_info

    def flush(self) -> None:
        """Hands what was enqueued to the device."""
        try:
            self._core.flush()
        except CLError as failure:
            raise from_runtime(failure) from None

    _flush_in_python = flush

    def finish(self) -> None:
        """Waits for every command."""
        try:
            self._core.finish()
        except CLError as failure:
            raise from_runtime(failure) from None

    _finish_in_python = finish

    def _finalize(self) -> None:
        """What leaving a `with` block does: later use warns, as PyOpenCL's documentation says."""
        self._finalized_core = self._core
        self.__class__ = _FinalizedQueue


_calls = native.calls()
if _calls is not None:
    _answers = {codes.QUEUE_REFERENCE_COUNT: 1, codes.QUEUE_PROPERTIES: "properties", codes.QUEUE_CONTEXT: ("context", Context),
                codes.QUEUE_DEVICE: ("device", Device)}
    CommandQueue.get_info = _calls.queue_queries(CommandQueue, _answers)  # type: ignore[method-assign]
    CommandQueue.finish = _calls.finisher(CommandQueue)  # type: ignore[method-assign]
    CommandQueue.flush = _calls.flusher(CommandQueue)  # type: ignore[method-assign]
    CommandQueue.__init__ = _calls.queue_maker(CommandQueue)  # type: ignore[method-assign]
    CommandQueue.__signature__ = SignatureOf(CommandQueue.__init__, CommandQueue._make_in_python)  # type: ignore[attr-defined]


@native.know_slots
class _FinalizedQueue(CommandQueue):
    """A queue after its `with` block."""

    __slots__ = ()
    # The warning is to name the line that asks.
    int_ptr, get_info = CommandQueue._pointer_in_python, CommandQueue._query_in_python
    flush = CommandQueue._flush_in_python

    @property
    def _core(self) -> Any:
        from pyopencl import CommandQueueUsedAfterExit

        warnings.warn("Command queue used after exit of context manager. This is deprecated and will stop working in 2023.",
                      CommandQueueUsedAfterExit, stacklevel=3)
        return self._finalized_core

    def __hash__(self) -> int:
        return id(self._finalized_core)

    def finish(self) -> None:
        """All work was waited for when the block ended."""

    def _finalize(self) -> None:
        pass


def _properties(properties: int | Iterable[int] | None) -> int | list[tuple[int, int]]:
    """The bit field, or the (name, value) pairs of a property list."""
    if properties is None:
        return 0
    # A class is asked for `__index__` at some length.
    if type(properties) is int or isinstance(properties, SupportsIndex):
        bits = cl_bitfield(properties, "properties")
        # PyOpenCL makes a list of any bit field; clCreateCommandQueue itself makes no queues on the device.
        return [(codes.QUEUE_PROPERTIES, bits)] if bits & codes.QUEUE_ON_DEVICE else bits
    words = cast_each(cl_bitfield, properties, "properties")
    if len(words) % 2:
        words = words[:-1]
    return list(zip(words[::2], words[1::2], strict=True))
