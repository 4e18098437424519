"""What a command takes for its queue while it is recorded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from ..driver.interface import DriverError
from ..driver.reported import reported
from ..process import ending
from ..process.trace import Facts
from ..queue.command import Run
from ..queue.event import Event
from ..queue.queue import SERIALS, CommandQueue
from ..queue.stream_timeline import QueueStream
from ..queue.target import CommandTarget


class Recorder(CommandTarget):
    """It is of the queue's device and properties, but only notes what is submitted. A driver captures what is issued into `stream`."""

    profiling = False
    records = True
    needs_full_submit = True
    closed = True  # until it has a stream

    def __init__(self, queue: CommandQueue):
        self.context, self.device, self.properties = queue.context, queue.device, queue.properties
        self.serial = next(SERIALS)
        self.event_type = Event
        self._noted: tuple[int, Run | None] | None = None
        with reported("clCreateCommandBufferKHR"):
            self.timeline = QueueStream(queue.device.driver_device.open_stream())
        self.closed = False

    def submit(self, routine: str, command_type: int, run: Run, wait_for: Sequence[Event] = (), *, blocking: bool = False,
               keep: Any = None, freeze: Callable[[], Run] | None = None, offload: bool = False, label: str = "",
               size: int = 0, facts: Callable[[], Facts] | None = None) -> Event:
        """Notes the command, with the arguments that a kernel has now. The event is nobody's: a recorded command has a sync point."""
        self._noted = command_type, freeze() if freeze else run
        return self.event_type(self, command_type, self.timeline, 0)

    def postpone(self, command_type: int) -> None:
        """Notes a command that cannot run yet, for want of arguments."""
        self._noted = command_type, None

    def take(self) -> tuple[int, Run | None]:
        """What was noted last: its type, and what issues it."""
        assert self._noted is not None
        noted, self._noted = self._noted, None
        return noted

    def __del__(self, is_ending: Callable[[], bool] = ending.has_begun) -> None:
        if not self.closed and not is_ending():
            self.closed = True
            with contextlib.suppress(DriverError):
                self.stream.close()
