"""The call of cuLaunchKernel, by one thread or by several.

CuPy's binding lets other threads of Python run meanwhile. Where several launch, each then waits for the interpreter's lock longer than a
launch takes, and CUDA's own lock goes from one processor to the other: on an H200 four threads launched 64,000 kernels a second, one
180,000. While threads meet in launches, the function is called with the interpreter's lock held (164,000), as PyOpenCL's compiled
module calls clEnqueueNDRangeKernel. A launch waits where the stream holds as many as it can; then other threads are let run again.

One thread pays nothing for that: whether threads meet is looked at from when a second one has prepared launches, for a while, or for
good once they have met.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from threading import get_ident
from time import monotonic_ns

WATCHED = 1000  # launches in which threads may meet for the first time once another one has come
HELD = 1000  # launches with the lock held once they have met
LET_GO = 1000  # launches that let other threads run once one had to wait
WAITED_NS = 100_000
MOST_KEPT = 4096  # launches whose words are kept

# What native code makes graphs of commands with (runtime/native/graphs.c), in its order.
GRAPH_CALLS = ("cuGraphCreate", "cuGraphDestroy", "cuGraphAddEventRecordNode", "cuGraphAddKernelNode", "cuGraphInstantiateWithFlags",
               "cuGraphExecDestroy", "cuGraphExecKernelNodeSetParams", "cuGraphExecEventRecordNodeSetEvent", "cuGraphLaunch",
               "cuGraphAddMemcpyNode", "cuGraphExecMemcpyNodeSetParams")
# And what it makes graphs of repeated launches with, beside those.
REPEATED_CALLS = ("cuEventCreate", "cuEventDestroy_v2", "cuEventRecord", "cuEventElapsedTime")

LaunchKernel = Callable[..., None]  # of the function and cuLaunchKernel's other arguments; raises CUDA's error


class Launching:
    """`call` is what launches now: `plain`, CuPy's, or one that counts what is left of its turns and goes over to the next."""

    __slots__ = ("_held", "_inside", "_left", "_met", "_thread", "call", "plain")

    def __init__(self, plain: LaunchKernel, held: LaunchKernel | None):
        self.call = self.plain = plain
        self._held = held
        self._thread = self._left = 0
        self._inside = self._met = False

    def note_thread(self) -> None:
        """The calling thread prepares a launch."""
        thread = get_ident()
        if self._thread not in (0, thread) and self._held is not None and self.call is self.plain:
            self._go_over(self._watching, WATCHED)
        self._thread = thread

    def _go_over(self, call: LaunchKernel, turns: int) -> None:
        self._left, self.call = turns, call

    def _watching(self, *arguments: int) -> None:
        if self._inside:
            self._met = True
            self._go_over(self._holding, HELD)
        elif not self._met:
            self._turn(self.plain)
        self._inside = True
        try:
            self.plain(*arguments)
        finally:
            self._inside = False

    def _turn(self, after: LaunchKernel) -> None:
        """Several threads may count at once: it is only about when."""
        self._left -= 1
        if self._left <= 0:
            self.call = after

    def _holding(self, *arguments: int) -> None:
        assert self._held is not None, "there is no other way"
        self._turn(self._watching)
        begun = monotonic_ns()
        self._held(*arguments)
        if monotonic_ns() - begun > WAITED_NS:
            self._go_over(self._letting_go, LET_GO)

    def _letting_go(self, *arguments: int) -> None:
        self._turn(self._watching)
        self.plain(*arguments)


def held(address: int, check: Callable[[int], None]) -> LaunchKernel:
    """cuLaunchKernel at its address, with the interpreter's lock held. `check` raises the error of a status."""
    function = ctypes.PYFUNCTYPE(ctypes.c_int)(address)
    made: dict[tuple[int, ...], Callable[[], int]] = {}

    def call(*arguments: int) -> None:
        launch = made.get(arguments)
        if launch is None:
            handle, *sizes, stream, parameters, extra = arguments
            if len(made) >= MOST_KEPT:
                made.clear()
            launch = made[arguments] = partial(function, ctypes.c_void_p(handle), *map(ctypes.c_uint, sizes),
                                               *map(ctypes.c_void_p, (stream, parameters, extra)))
        status = launch()
        if status:
            check(status)

    return call
