"""One stream of a command-queue, and how far its commands have come.

Commands of a stream run in order, so a command's place is a number, its *position*, and one fence of the driver tells for all
commands before it that they have ended. Fences are made only when someone asks; but where someone has asked for a command that
others were behind already, which a fence made then would wait for too, one is made every few commands for a while.
"""

from __future__ import annotations

import collections
import contextlib
import ctypes
import itertools
import struct
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from ..driver.interface import CommandFailed, DriverError, Fence, Stream
from ..native import library as native
from ..process.workers import Workers
from ..spec.status import STATUS

# How many commands may be waited for in vain, and for how many fences this is seen to after it was needed.
LATE = 4
FENCES_AHEAD = 64
FENCES_KEPT = 8
FENCES_ASKED = 64
# How many timelines are kept for the next queues of those that are wanted for the same.
MOST_RESTING = 16
# Of so many pieces of host memory that commands use, the oldest is asked for.
KEPT = 8
NEVER = sys.maxsize
T = TypeVar("T")

# The words of `QueueStream.native`.
(NEEDS_PYTHON, FENCES_AHEAD_WANTED, NATIVE, NATIVE_ENDED, GIVEN, GIVEN_ENDED, REACHED, SETTLED,
 STREAMS, MORE_WANTED, BARRIER, BEHIND, BARRED, BARRING, NATIVE_BARRIER) = range(15)
# NEEDS_PYTHON says this where commands would be plain but for the times that their queue takes of them.
TIMES_ONLY = 2
_NativeWords = ctypes.c_uint64 * 15
# The numbers of native code's barriers have this bit.
OF_NATIVE_CODE = 1 << 63

# The streams of queues that live.
# A timeline has its stream: only where the dictionary does not keep the timelines do both go with their queue.
_TIMELINES: weakref.WeakValueDictionary[Stream, QueueStream] = weakref.WeakValueDictionary()


def timeline_of(stream: Stream) -> QueueStream | None:
    """The timeline of a queue's stream, where it was made `to_be_found`; None for streams of no queue."""
    return _TIMELINES.get(stream)


@native.know_slots
class QueueStream:
    """next_position  draws a command's number, counted from 1
    busy          commands may stand behind the last fence
    reached       every command up to this number has ended
    fence_at      from this position on `fence_ahead` is to be called
    last          the number of the last command; out-of-order queues only, as the next one
    fails_apart   the stream's: a command of it may fail, or be left out, and later ones run
    any_failed    a command of the stream is known to have failed
    barrier       the last barrier of the queue that the stream is behind already, whatever it is
    native        words by which native code that gives commands to the stream and this object know of each other:
                  NEEDS_PYTHON, FENCES_AHEAD_WANTED   where one is not 0, commands are Python's (runtime/native sees to fences itself)
                  NATIVE          counts the commands of native code, which it adds when it has given one to the stream
                  NATIVE_ENDED    as many of them have ended, as native code has seen
                  GIVEN           a position up to which all commands had been given to the stream when it was written here
                  GIVEN_ENDED     native code has seen the end of all up to this position
                  REACHED         `reached`, since a finish or a wait
                  SETTLED         the last `finish` has left nothing that another one would do but wait
                  STREAMS         of the first stream of a queue out of order: how many it has
                  MORE_WANTED     of that one, too: native code has found all of them busy
                  BARRIER         likewise: the number of the queue's last barrier, 0 where there was none
                  BEHIND          of each of them: the number of the barrier that it comes after
                  BARRED          the position of the last barrier that stands in this stream
                  BARRING         of the first stream: native code is making a barrier, which it does not where NEEDS_PYTHON says so
                  NATIVE_BARRIER  likewise: of native code's last barrier, its number among the stream's commands, times as many streams
                                  as there may be, and which stream
    has_native    there is such code: `open_to_native_code` has been called
    mark          the fence that native code in other streams waits for, which it makes anew each time; queues that come later have it, too
    """

    # In slots is what code in C looks at.
    __slots__ = ("__dict__", "__weakref__", "_closed", "_in_vain", "_kept", "_native_stream", "_watcher", "any_failed", "barrier", "busy",
                 "fails_apart", "fence_at", "has_native", "last", "mark", "native", "native_address", "next_position", "reached", "stream")

    def __init__(self, stream: Stream, to_be_found: bool = True):
        """`to_be_found` by `timeline_of`, which nobody asks in a context whose addresses are fixed."""
        self.stream = stream
        if to_be_found:
            _TIMELINES[stream] = self
        # First what every command looks at, side by side in memory.
        self.fails_apart = stream.fails_apart
        self.has_native = False
        self.fence_at = NEVER
        # A command is given to the stream, sets `busy`, then draws its number; a fence draws its number, clears `busy`, then is
        # given to the stream. So whatever other threads do, a fence stands behind every command with a lower number, and
        # while neither `busy` nor `_makes_fence` is set the last fence stands behind everything.
        self.next_position = itertools.count(1).__next__
        self.busy = False
        self.last = 0
        self.barrier: object = None
        self._fence_lock = threading.RLock()  # Python's search for garbage may call a destructor that waits for a command of the stream.
        self._makes_fence = False
        self.reached = 0
        self._in_vain = 0  # the last number that was drawn only to see whether there were others
        # The last of them, each with its position.
        self._fences: tuple[tuple[int, Fence | None], ...] = ((0, None),)
        self._fences_ahead = 0
        self.any_failed = self._closed = False
        self._failure_lock = threading.RLock()  # likewise
        self._failures: tuple[tuple[int, int, CommandFailed], ...] = ()
        self._kept: collections.deque[tuple[int, Fence | None, Any]] = collections.deque()
        self.native = _NativeWords(1)
        self.native_address = ctypes.addressof(self.native)
        self._native_stream: bytes | None = None
        self._goes_to_others = to_be_found  # Native code may go from other devices' contexts to this one's.
        self.mark: Fence | None = None
        self._watcher: Workers | None = None
        # When native commands were looked at: how many there were, the last number drawn, and how many were.
        self._native_commands: tuple[tuple[int, int, int], ...] = ((0, 0, 1),)

    def open_to_native_code(self) -> int:
        """The address of `native`."""
        self.has_native = True
        return self.native_address

    @property
    def native_stream(self) -> bytes | None:
        """The words of the stream's NativeStream; None where it has none."""
        if self._native_stream is None:
            words = self.stream.native() or ()
            if words and not self._goes_to_others:
                words = words._replace(set_current=0)
            self._native_stream = struct.pack(f"{len(words)}Q", *words)
        return self._native_stream or None

    def note_native_commands(self) -> int:
        """Those since the last time that have not ended get their numbers, as if they had been given to the stream just now: no fence was
        made between. Of many, the last have one each: as many as it takes to tell that one was waited for in vain. Returns how many
        commands of native code are known to have ended."""
        native = self.native
        ended = native[NATIVE_ENDED]  # before what says how many there are
        commands, given_ended = native[NATIVE], native[GIVEN_ENDED]
        if given_ended > self.reached:
            self.reach(given_ended)
        if commands > ended and commands > self._native_commands[-1][0]:
            drawn = min(commands - max(ended, self._native_commands[-1][0]), LATE + 2)
            for _ in range(drawn):
                self.busy = True
                position = self.next_position()
            self.last = position
            if position > native[GIVEN]:  # as in `note_given`
                native[GIVEN] = position
            self._native_commands = (*self._native_commands[-FENCES_KEPT + 1 :], (commands, position, drawn))
        return ended

    def position_of_native_command(self, number: int) -> int:
        """A position at or behind the command of this number, as native code has counted it; one that was reached, where it has ended."""
        while number > self.note_native_commands():
            for commands, position, drawn in self._native_commands:
                if commands >= number:
                    return position - min(commands - number, drawn - 1)
        return self.reached

    def note_given(self) -> None:
        """A command was given to the stream, whose own number is drawn later: it counts from now on."""
        self.busy = True
        position = self.next_position()
        # Another thread may have drawn and written a later one. None runs between the look and the write: Python lets others run in calls,
        # and where it jumps back.
        if self.has_native and position > self.native[GIVEN]:
            self.native[GIVEN] = position

    def has_reached(self, position: int) -> bool:
        return position <= self.reached or (self.has_native and position <= self.native[GIVEN_ENDED])

    def reach(self, position: int) -> None:
        if position > self.reached:
            self.reached = position
        if self.has_native:
            self.native[REACHED] = self.reached

    def fence_behind(self, position: int) -> Fence:
        """A fence at the position or later."""
        fences = self._fences
        if fences[-1][0] <= position:
            fence = self.current_fence()
            if self._fences[-1][0] > position + LATE:
                self._fences_ahead, self.fence_at = FENCES_AHEAD, self._fences[-1][0]
                self.native[FENCES_AHEAD_WANTED] = 1
            return fence
        return next(fence for at, fence in fences if at > position and fence is not None)

    def current_fence(self) -> Fence:
        """A fence behind every command given to the stream so far."""
        if self.has_native:
            self.note_native_commands()
        with self._fence_lock:
            return self._last_fence()

    def _last_fence(self) -> Fence:
        """With the lock. What a destructor asks for while a fence is made has one of its own, which comes later."""
        fence = self._fences[-1][1]
        if self.busy or fence is None or self._makes_fence:
            position = self.next_position()
            self._makes_fence = True
            self.busy = False
            try:
                fence = self.stream.fence(False)
                if position > self._fences[-1][0]:
                    self._keep_fence(position, fence)
            except BaseException:
                self.busy = True
                raise
            finally:
                self._makes_fence = False
        return fence

    def _keep_fence(self, position: int, fence: Fence) -> None:
        """Of a stream whose commands fail apart, a fence stays until it is known what it tells: of nothing else can it be heard which
        commands have failed."""
        kept = self._fences[-FENCES_KEPT + 1 :]
        if self.fails_apart:
            if len(self._fences) >= FENCES_ASKED:
                self._attribute_failures()
            kept = tuple(each for each in self._fences[:-1] if each[0] > self.reached) + self._fences[-1:]
        self._fences = (*kept, (position, fence))

    def note_end(self, fence: Fence) -> None:
        """A fence behind all commands given so far, which a queue has made that takes times."""
        if self.fails_apart:
            with self._fence_lock:
                self._keep_fence(self.next_position(), fence)

    def poll_completed(self, position: int) -> bool:
        """Whether the command at the position is the last one, and has ended after a short wait: no fence is needed then."""
        if self._fences[-1][0] > position:
            return False
        number = self.next_position()
        if number != position + 1 and not (number == position + 2 and self._in_vain == position + 1):
            return False
        if not self.stream.poll_completed():
            return False
        self.reach(number)  # which was drawn here: no command has it
        self._drop_kept()
        return True

    def fence_ahead(self, position: int) -> None:
        """After the command at the position: someone is likely to wait for it, or for one shortly before it, later on."""
        self._fences_ahead -= 1
        self.fence_at = position + 1 + LATE if self._fences_ahead > 0 else NEVER  # The fence's own number comes between.
        self.native[FENCES_AHEAD_WANTED] = self.fence_at != NEVER
        try:  # noqa: SIM105  # A `with` block takes as many steps as all of the rest.
            self.current_fence()
        except DriverError:  # Who waits will hear of it.
            pass

    @property
    def idle(self) -> bool:
        """No command can be running of those whose enqueuing has returned."""
        if self.has_native:
            self.note_native_commands()
        if not self.busy and not self._makes_fence:
            at, fence = self._fences[-1]
            if fence is not None and at > self.reached:
                try:
                    if not self.has_ended(fence, at):
                        return False
                except CommandFailed:
                    pass
                self.reach(at)
            return True
        return self._is_quiet()

    def _is_quiet(self) -> bool:
        """Nobody drew a number since `synchronize`: no command was given to the stream since."""
        number = self.next_position()
        if number != self.reached + 1:
            self._in_vain = number
            return False
        self.reach(number)
        return True

    @property
    def watcher(self) -> Workers:
        """The thread that calls event callbacks: a stream's commands end in order, so one waits for them in order."""
        with self._failure_lock:
            if self._watcher is None:
                self._watcher = Workers()
            return self._watcher

    def keep(self, position: int, fence: Fence | None, what: Any) -> None:
        """Keeps something alive until the command at the position has ended. Without a fence that tells it, that is noticed when somebody
        waits for the stream or there is more to be kept."""
        self._drop_kept(ask=len(self._kept) >= KEPT)
        self._kept.append((position, fence, what))

    @property
    def keeps_nothing(self) -> bool:
        return not self._kept

    def leave_kept(self) -> Any:
        """What is kept alive until commands have ended, for another one to do."""
        left, self._kept = self._kept, collections.deque()
        return left

    def _drop_kept(self, ask: bool = False) -> None:
        """Lets go what no command uses; `ask` has a fence made where there is none to tell."""
        while self._kept:
            try:
                position, fence, what = self._kept.popleft()
            except IndexError:  # Another thread was quicker.
                return
            if self.has_reached(position):
                continue
            with contextlib.suppress(DriverError):  # What has failed has ended.
                if fence is None and ask:
                    fence = self.fence_behind(position)
                if fence is None or not fence.done():
                    self._kept.appendleft((position, fence, what))
                    return

    def synchronize(self) -> None:
        """Waits for all that was given to the stream."""
        # No fence is needed: all that was given to the stream before the number was drawn has ended after the wait. (`busy` is
        # left as it is: other threads may ask for fences meanwhile.)
        if self.has_native:
            self.note_native_commands()
        if self._kept or not self._is_quiet():
            self.synchronize_to(self.next_position())

    def flush(self) -> None:
        """Hands to the device what was given to the stream."""
        if self.has_native or not self._is_quiet():
            self.stream.flush()

    def synchronize_to(self, position: int) -> None:
        """Waits for all that was given to the stream, of which the command at the position is the last."""
        try:
            self.stream.synchronize()
        except CommandFailed as failure:
            self.note_failure(position, failure)
            raise
        if position > self.reached:
            self.reached = position
            if self.has_native:
                self.native[REACHED] = position
        self._drop_kept()

    def wait_for(self, fence: Fence, position: int | None = None) -> None:
        """Waits for a fence of the stream. `position` is where it stands, if this has not made it."""
        self._ask(fence.wait, fence, position)

    def has_ended(self, fence: Fence, position: int | None = None) -> bool:
        """Whether a fence of the stream has been reached."""
        return self._ask(fence.done, fence, position)

    def _ask(self, ask: Callable[[], T], fence: Fence, position: int | None) -> T:
        """What a fence tells, where that is a failure it is one of the commands that stand between it and the fence before."""
        try:
            return ask()
        except CommandFailed:
            self._attribute_failures()
        try:
            return ask()
        except CommandFailed as failure:
            at = next((at for at, each in self._fences if each is fence), None) if position is None else position
            self._note(self.next_position() if at is None else at, failure)
            self.reach(at or 0)
            raise

    def note_failure(self, position: int, failure: CommandFailed) -> None:
        """A wait for all that the stream was given up to the position, at least, has raised the failure."""
        if self._attribute_failures():
            self.stream.failure_noted(failure)
        else:
            self._note(position, failure)
        self.reach(position)

    def _note(self, position: int, failure: CommandFailed) -> None:
        """One of the commands up to the position has failed that were not known to have ended. Nobody can tell which: later fences, which
        the driver reaches without an error, must not make them all successful."""
        self.any_failed = True
        with self._failure_lock:
            self._failures = (*self._failures, (self.reached, position, failure))
        self.stream.failure_noted(failure)

    def _attribute_failures(self) -> bool:
        """Notes what the fences tell that this has, each of the commands since the one before. Whether there was a failure."""
        found = False
        for at, fence in self._fences:
            if fence is None or at <= self.reached:
                continue
            try:
                if not fence.done():
                    break
            except CommandFailed as failure:
                self._note(at, failure)
                found = True
            except DriverError:
                break  # The device is lost.
            self.reach(at)
        return found

    def check_failures(self, position: int) -> None:
        """Raises what was noted of the command at the position."""
        for before, last, failure in self._failures:
            if before < position <= last:
                raise failure

    def error_of(self, position: int) -> int:
        """The status that was noted of the command at the position; 0 where no failure was."""
        for before, last, failure in self._failures:
            if before < position <= last:
                return STATUS[failure.status]
        return 0

    def end(self) -> Fence | None:
        """A fence behind everything, where a command may still run. (A device that has failed runs none.) Destructors call this, which
        Python's search for garbage calls in the middle of anything: so it waits for no lock of another thread's."""
        with contextlib.suppress(DriverError):
            if self._closed or self.idle:
                return None
            if not self._fence_lock.acquire(blocking=False):
                return self.stream.fence(False)
            try:
                return self._last_fence()
            finally:
                self._fence_lock.release()
        return None

    def close(self, resting: list[QueueStream] | None = None) -> None:
        """The commands go on; host memory that they use is waited for. Once is all: the driver may have given the stream to another queue.
        Where nothing is left to run, the timeline may go to those that are `resting`, whose next owner calls `reopened`: to make one, and
        its stream, is most of what a queue costs."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(DriverError):  # as above
            if self._kept or (resting is not None and not self.idle):
                resting = None
                for position, fence, _ in self._kept:
                    self.wait_for(fence or self.fence_behind(position))
        try:
            # What would matter to another queue are failures, and a thread.
            if (resting is not None and not (self.fails_apart or self._watcher is not None)
                    and len(resting) < MOST_RESTING and self.stream.rests()):
                if self.has_native:
                    self._forget_native_code()
                resting.append(self)
            else:
                self.stream.close()
        except DriverError:
            pass

    def _forget_native_code(self) -> None:
        """Native code knows `native` as long as it has the queue, or events of it, which keep the queue: there is neither. All of its
        commands have ended, and their positions were drawn."""
        self.has_native = False
        self._native_commands = ((0, 0, 1),)
        for word in range(NATIVE, len(self.native)):
            self.native[word] = 0

    def reopened(self) -> QueueStream:
        """For another queue. Its commands have later positions than those of queues before it, which have ended."""
        self._closed = False
        self.barrier = None
        if self.fence_at != NEVER:
            self._fences_ahead, self.fence_at = 0, NEVER
            self.native[FENCES_AHEAD_WANTED] = 0
        return self
