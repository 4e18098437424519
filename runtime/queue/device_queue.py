"""Queues on a device (5.1): kernels enqueue there, the host does not."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..context.context import Context
from ..devices.device import Device
from ..devices.queries import QUEUE_ON_DEVICE_PREFERRED_SIZE, max_queue_size
from ..driver.interface import CopyKind
from ..driver.reported import reported
from ..process import ending
from ..process.trace import Facts
from ..spec import codes
from ..spec.errors import CLError
from . import device_memory
from .command import Run
from .device_memory import SERIALS, check_device
from .event import Event
from .properties import ROUTINE, QueueProperties
from .queries import QUERIES
from .target import CommandTarget

# Bytes that every queue has: programs that give fewer, or count kernels instead, expect room for some kernels, and may try again until
# there is.
_LEAST_SIZE = 1 << 15
SET_DEFAULT = "clSetDefaultDeviceCommandQueue"


class DeviceQueue(CommandTarget):
    """cl_command_queue with CL_QUEUE_ON_DEVICE. `size` are the bytes that were asked for, for what is enqueued and has not been launched
    yet; `handle` is what kernels know the queue by, 0 once it has been released."""

    needs_full_submit = True
    closed = False
    handle = 0

    def __init__(self, context: Context, device: Device, chosen: QueueProperties):
        check_device(ROUTINE, context, device)
        size = QUEUE_ON_DEVICE_PREFERRED_SIZE if chosen.size is None else chosen.size
        # "This must be a value ≤ CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE."
        most = max_queue_size(device)
        if not 0 < size <= most:
            raise CLError(ROUTINE, "INVALID_QUEUE_PROPERTIES",
                          f"a queue of {size} bytes cannot be: at most {most}, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE")
        self.context, self.device, self.size = context, device, size
        self.properties, self.property_list, self.hints = chosen.bits, chosen.given, chosen.hints
        self.profiling = bool(chosen.bits & codes.QUEUE_PROFILING_ENABLE)
        self.serial = next(SERIALS)
        self.event_type = Event
        context.reclaim()
        with reported(ROUTINE):
            self._memory = context.allocate(functools.partial(device_memory.memory_of, context), device)
            self.handle = context.allocate(functools.partial(self._memory.add, self), max(size, _LEAST_SIZE))
        if chosen.bits & codes.QUEUE_ON_DEVICE_DEFAULT:
            self._memory.set_default(self.handle)

    def make_default(self) -> None:
        self._memory.set_default(self.handle)

    def _refuse(self, routine: str) -> CLError:
        return CLError(routine, "INVALID_COMMAND_QUEUE", "the queue is on the device: only kernels enqueue there")

    def submit(self, routine: str, command_type: int, run: Run, wait_for: Sequence[Event] = (), *, blocking: bool = False,
               keep: Any = None, freeze: Callable[[], Run] | None = None, offload: bool = False, label: str = "",
               size: int = 0, facts: Callable[[], Facts] | None = None) -> Event:
        """"CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue"."""
        raise self._refuse(routine)

    def blocks_caller(self, kind: CopyKind, host: int, size: int, wait_for: Sequence[Event]) -> bool:
        return False

    def flush(self) -> None:
        raise self._refuse("clFlush")

    def finish(self) -> None:
        raise self._refuse("clFinish")

    def get_info(self, param: int) -> Any:
        """clGetCommandQueueInfo (5.1)."""
        return QUERIES.get(self, param)

    def release(self) -> None:
        """clReleaseCommandQueue."""
        self._leave()
        self.context.reclaim()

    def _leave(self) -> None:
        handle, self.handle, self.closed = self.handle, 0, True
        if handle:
            self.context.retire(self.device, functools.partial(self._memory.remove, handle))

    def __del__(self, is_ending: Callable[[], bool] = ending.has_begun) -> None:
        if not is_ending():
            self._leave()


def set_default_device_command_queue(context: Context, device: Device, queue: DeviceQueue) -> None:
    """clSetDefaultDeviceCommandQueue (5.1): kernels that are launched from now on get it by `get_default_queue`."""
    check_device(SET_DEFAULT, context, device)
    if not isinstance(queue, DeviceQueue) or queue.closed or queue.context is not context or queue.device is not device:
        raise CLError(SET_DEFAULT, "INVALID_COMMAND_QUEUE", f"{queue!r} is no queue on the device of the context, or has been released")
    queue.make_default()
