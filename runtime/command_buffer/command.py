"""A recorded command (cl_mutable_command_khr), and clGetMutableCommandInfoKHR."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..context.destructors import Life
from ..kernel.kernel import Kernel
from ..kernel.nd_range import NDRange
from ..queue.command import Run
from ..queue.queue import CommandQueue
from ..spec.queries import QueryTable

Properties = Sequence[tuple[int, int]]


class RecordedIn(Protocol):
    """What a command asks of its command-buffer."""

    @property
    def queue(self) -> CommandQueue: ...
    @property
    def commands(self) -> Sequence[Command]: ...
    def check(self, routine: str) -> None: ...


@dataclass(frozen=True)
class Dispatch:
    """What clCommandNDRangeKernelKHR was given. `own` is the command's private copy of the kernel, in a mutable command-buffer; `waits`
    says that arguments which are not set may be set by an update."""

    kernel: Kernel
    own: Kernel
    nd_range: NDRange
    fields: int
    waits: bool = False


@dataclass(frozen=True, eq=False)
class Command:
    """cl_mutable_command_khr. `after` are the places, counted from 0, of the commands that it comes after; `run` is None while arguments
    of its kernel are not set."""

    command_buffer: RecordedIn
    type: int
    sync_point: int
    run: Run | None
    after: tuple[int, ...]
    properties: Properties = ()
    dispatch: Dispatch | None = None
    lives: tuple[Life, ...] = ()

    def get_info(self, param: int) -> Any:
        """clGetMutableCommandInfoKHR."""
        self.command_buffer.check(QUERIES.routine)
        current = self.command_buffer.commands[self.sync_point - 1]
        return QUERIES.get(current, param)


def _of_dispatch(value: Callable[[Dispatch], Any]) -> Callable[[Command], Any]:
    """"If command was not recorded from a clCommandNDRangeKernelKHR command, the implementation must return
    param_value_size_ret equal to 0": an empty tuple here."""
    return lambda command: () if command.dispatch is None else value(command.dispatch)


def _zeros(nd_range: NDRange) -> tuple[int, ...]:
    return (0,) * nd_range.work_dim


QUERIES = QueryTable[Command]("clGetMutableCommandInfoKHR", (
    ("MUTABLE_COMMAND_COMMAND_QUEUE_KHR", "object", lambda c: c.command_buffer.queue),
    ("MUTABLE_COMMAND_COMMAND_BUFFER_KHR", "object", lambda c: c.command_buffer),
    ("MUTABLE_COMMAND_COMMAND_TYPE_KHR", "enum", lambda c: c.type),
    ("MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR", "properties", lambda c: c.properties),
    ("MUTABLE_DISPATCH_KERNEL_KHR", "object", _of_dispatch(lambda d: d.kernel)),
    ("MUTABLE_DISPATCH_DIMENSIONS_KHR", "uint", _of_dispatch(lambda d: d.nd_range.work_dim)),
    ("MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR", "size_t[]",
     _of_dispatch(lambda d: tuple(d.nd_range.global_offset or _zeros(d.nd_range)))),
    ("MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR", "size_t[]",
     _of_dispatch(lambda d: tuple(d.nd_range.global_size or _zeros(d.nd_range)))),
    ("MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR", "size_t[]",
     _of_dispatch(lambda d: tuple(d.nd_range.local_size or _zeros(d.nd_range)))),
))
