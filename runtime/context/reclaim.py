"""Memory, modules and callbacks on their way back: what is retired is freed when no command can use it any more."""

from __future__ import annotations

import collections
import contextlib
import math
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ..devices.device import Device
from ..driver.interface import CommandFailed, DeviceLost, DriverError, Fence
from ..native import library as native
from ..process import collecting
from . import awaited
from .queues import Queue, Queues
from .stream_ordered_memory import LITTLE, StreamOrderedMemory

# How many things that are still in use `reclaim` mostly meets before it gives up. Half of them are asked first again, the others last: so
# all have their turn, however long commands take that use the first ones.
MAX_ASKED = 8
ASKED_FIRST = MAX_ASKED // 2
# Of little memory that comes back, as temporary arrays do, so many allocations wait until it is looked at, or so many pieces or bytes where
# the next buffer could take some: then one fence does for all. With more than twice as much, whatever is made or released has it looked at.
ALLOCATIONS = 8
PIECES, WAITING = 32, 8 * LITTLE
MOST_PIECES, MOST_WAITING = 2 * PIECES, 2 * WAITING
# How long an allocation that has failed waits for another thread that frees memory, whose callbacks may themselves wait for something.
PATIENCE_SECONDS = 1.0

Free = Callable[[], None]
A = TypeVar("A")
T = TypeVar("T")


class Awaited:
    """A call that the application waits for, and whether it was made. Of a context that has gone another one makes it."""

    __slots__ = ("_call", "was_made")

    def __init__(self, call: Free):
        self._call = call
        self.was_made = False

    def __call__(self) -> None:
        self.was_made = True
        self._call()


@native.know_slots
class Reclaimer:
    """What one context has to free. `noted` was retired since the last `reclaim`, `retired` is still in use; there is more than little
    memory among them, or something else, where they are `pressing`, and callbacks where some are `awaited`. Of the memory noted about so
    many bytes are `waiting`."""

    # Where code in C finds them soonest.
    __slots__ = ("_allocations", "_context_gone", "_left_fences", "_queues", "_reclaiming", "_reclaiming_thread", "_reusable", "awaited",
                 "noted", "pressing", "retired", "waiting")

    def __init__(self, queues: Queues, reusable: StreamOrderedMemory):
        self._queues = queues
        self._reusable = reusable
        self.noted: collections.deque[tuple[Device | None, Free]] = collections.deque()
        self.retired: collections.deque[Retired] = collections.deque()
        self.awaited: collections.deque[Awaited] = collections.deque()
        self.pressing = False
        self.waiting = 0
        self._allocations = 0
        self._reclaiming = threading.Lock()
        self._reclaiming_thread = 0
        self._left_fences: list[Fence] = []
        self._context_gone = False

    def retire(self, device: Device | None, free: Free, size: float = math.inf) -> None:
        """Hands over what is to be freed once the device's commands of now, or all devices' (None), have ended. Finalizers call this,
        which may run anywhere: so it only makes a note, which the next `reclaim` acts on. `size` is how many bytes of memory come back,
        if that is all that does."""
        self.noted.append((device, free))
        if size <= LITTLE:
            self.waiting += int(size)
        if size > LITTLE or self.waiting > MOST_WAITING or len(self.noted) > MOST_PIECES:
            self.pressing = True
        if self._context_gone:
            LEFTOVERS.append(self)

    def retire_awaited(self, device: Device | None, call: Free) -> None:
        """Likewise what the application waits for, and may ask for nothing meanwhile."""
        noted = Awaited(call)
        self.awaited.append(noted)
        self.retire(device, noted)
        awaited.tell(self)

    @property
    def is_awaited(self) -> bool:
        """Some of those calls are still to be made. The others are forgotten."""
        for call in tuple(self.awaited):  # to which another thread may add
            if call.was_made:
                with contextlib.suppress(ValueError):  # Another thread was quicker.
                    self.awaited.remove(call)
        return bool(self.awaited)

    def allocate(self, allocate: Callable[[A], T], what: A) -> T:
        """`allocate(what)` of a driver; where that fails once more, after all that can be freed has been."""
        if self.noted or self.retired or LEFTOVERS:
            self._allocations += 1
            if self.pressing or self._allocations >= ALLOCATIONS:
                self.reclaim()
        try:
            return allocate(what)
        except DriverError:
            self.reclaim_all()
        return allocate(what)

    def reclaim(self, most: float = MAX_ASKED, *, patience: float = 0) -> None:
        """Frees what was retired and is not in use any more; gives up after so many things that are. Another thread that is at it does for
        both, once it was waited for so many seconds. While Python's search for garbage goes on, whose end is waited for likewise, nothing
        that was noted is freed: its thread may hold the locks that this takes, and a queue that it has found, whose commands may run, is
        not among `_queues` any more, and has left no fence yet."""
        if not (self.noted or self.retired or LEFTOVERS or patience):
            return
        if collecting.is_under_way() and not (patience and collecting.wait_for_end(patience)):
            return
        if self._reclaiming_thread != threading.get_ident() and self._reclaiming.acquire(timeout=patience):
            self._reclaim(most)
        if self.awaited and self.is_awaited:
            awaited.look_after(self)

    def _reclaim(self, most: float) -> None:
        self._reclaiming_thread = threading.get_ident()
        self._allocations = self.waiting = 0
        try:
            while self.noted and self._free_or_retire(*self._take_noted()):
                pass
            if LEFTOVERS:
                self._take_leftovers()
            if self.retired:
                self._free_retired(most)
            self.pressing = self.pressing and bool(self.retired or self.noted)
        finally:
            self._reclaiming_thread = 0
            self._reclaiming.release()

    def reclaim_much(self) -> None:
        """`reclaim` where there is more than little to be had, or what others wait for: what the release of a buffer does, and a new object
        that needs no memory yet."""
        if self.pressing:
            self.reclaim()

    def _take_leftovers(self) -> None:
        for gone in drained(LEFTOVERS):
            if collecting.is_under_way():  # The queues that were found with the context may not have left their fences.
                LEFTOVERS.append(gone)
                return
            self.retired.extend(gone._left())
            if gone is not self:
                self.awaited.extend(drained(gone.awaited))

    def _take_noted(self) -> tuple[Device | None, collections.deque[Free]]:
        """What was retired of one device, up to the first of another, but for memory that the next buffers take."""
        noted, together = self.noted, collections.deque[Free]()
        device = noted[0][0]
        for _ in range(len(noted)):
            of, free = noted.popleft()
            if of is not device:
                noted.appendleft((of, free))
                break
            together.append(free)
        if self._reusable.queue is not None:
            self._reusable.give(together)
        return device, together

    def _free_or_retire(self, device: Device | None, together: collections.deque[Free]) -> bool:
        """Frees what no command can be using, which is to be found out quickly. False where that cannot be said now: it stays noted."""
        if not together:
            return True
        try:
            queues = self._queues.busy(device)
        except DriverError:
            queues = self._queues.of(device)
        # Between the queues and the fences: one that was found before the look at the first has left its fence before that at the others.
        if collecting.is_under_way():
            self.noted.extendleft((device, free) for free in reversed(together))
            return False
        if queues or self._left_fences or not self._free_now(together):
            self.retired.append(Retired(queues, self.left_fences() if self._left_fences else [], together))
        return True

    def _free_now(self, together: collections.deque[Free]) -> bool:
        """Whether the driver has taken all of what no command uses."""
        try:
            self._reusable.keep(together)
            while together:
                together[0]()
                together.popleft()
        except DriverError:
            return False
        except BaseException:  # A callback's: the others are free, too.
            together.popleft()
            self.retired.append(Retired([], [], together))
            raise
        return True

    def _free_retired(self, most: float) -> None:
        """Frees in about the order of retirement, which is about that in which commands end: not all need to be asked each time."""
        waiting: list[Retired] = []
        try:
            while self.retired and len(waiting) < most:
                waiting.append(self.retired.popleft())
                if waiting[-1].try_free(self._reusable):
                    waiting.pop()
        finally:
            self.retired.extendleft(reversed(waiting[:ASKED_FIRST]))
            self.retired.extend(waiting[ASKED_FIRST:])

    def reclaim_all(self) -> None:
        """Waits for every command that is with a driver, then frees all that was retired and is not in use by those that are
        not: what is left to try when an allocation fails."""
        for queue in self._queues.of(None):
            with contextlib.suppress(DriverError):  # The allocation that comes next will say that the device has failed.
                queue.settle()
        with self._reusable.refused():
            self.reclaim(patience=PATIENCE_SECONDS)
            self.noted.extend((block.device, block) for block in self._reusable.empty())
            self.reclaim(math.inf, patience=PATIENCE_SECONDS)

    @property
    def has_much_noted(self) -> bool:
        """The next buffer is better served with what was retired than with memory of the driver's."""
        return len(self.noted) >= PIECES or self.waiting >= WAITING

    @property
    def has_more_than_little(self) -> bool:
        """A finish would have something to free: a few pieces of little memory it leaves (runtime/native/waits.c)."""
        return bool(self.retired or LEFTOVERS or self.pressing or len(self.noted) >= ALLOCATIONS)

    def leave_fence(self, fence: Fence) -> None:
        """A queue that goes away while its commands run leaves the fence of its end."""
        self._left_fences.append(fence)

    def left_fences(self) -> list[Fence]:
        """Those of them that have not been reached."""
        for fence in tuple(self._left_fences):  # to which another thread may add
            if _is_over(fence):
                with contextlib.suppress(ValueError):  # Another thread was quicker.
                    self._left_fences.remove(fence)
        return list(self._left_fences)

    def leave_over(self) -> None:
        """The context goes: nobody will ask it again to free what was retired, so other contexts do. Where Python finds a context and what
        was made of it in a circle, it finalizes them in any order: then queues leave their fences and memory is retired later than this."""
        self._context_gone = True
        self._reusable.close()
        if self.noted or self.retired or self._reusable.has_some:
            LEFTOVERS.append(self)

    def _left(self) -> list[Retired]:
        """What is to be freed of a context that has gone, with the fences that its queues have left up to now."""
        left, together = list(drained(self.retired)), [*self._reusable.empty(), *(free for _, free in drained(self.noted))]
        return [*left, Retired([], self.left_fences(), together)] if together else left


def drained(entries: collections.deque[T]) -> Iterator[T]:
    """Takes all of them, of which other threads and contexts may take some, too."""
    with contextlib.suppress(IndexError):
        while True:
            yield entries.popleft()


def _is_over(fence: Fence) -> bool:
    """Whether no command before the fence can be running: it was reached, or the device is lost."""
    try:
        return fence.done()
    except (DeviceLost, CommandFailed):
        return True
    except DriverError:
        return False


class Retired:
    """What is to be freed when the fences are reached. A queue with deferred commands gets its fence when it has issued them."""

    def __init__(self, queues: list[Queue], fences: list[Fence], together: Iterable[Free]):
        self.queues = queues
        self.fences = fences
        self.together = collections.deque(together)

    def try_free(self, reusable: StreamOrderedMemory) -> bool:
        """Frees all but what the next buffers take, if no command uses it."""
        if self._in_use():
            return False
        reusable.keep(self.together)
        while self.together:
            free = self.together.popleft()
            with contextlib.suppress(DriverError):  # A lost device frees nothing; but callbacks are called here, too.
                free()
        return True

    def _in_use(self) -> bool:
        try:
            if self.queues:
                waiting: list[Queue] = []
                fences: list[Fence] = []
                for queue in self.queues:
                    if queue.has_deferred:
                        waiting.append(queue)
                    else:
                        fences += queue.end_fences()
                self.fences += fences
                self.queues = waiting
        except DeviceLost:
            self.queues = []
        except DriverError:
            return True
        while self.fences and _is_over(self.fences[-1]):
            self.fences.pop()
        return bool(self.queues or self.fences)


# Contexts' that have gone, and could not free all themselves.
LEFTOVERS: collections.deque[Reclaimer] = collections.deque()


native.know("leftovers", LEFTOVERS)
