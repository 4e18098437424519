"""The call of cuLaunchKernel, by one thread or by several.

CuPy's binding lets other threads of Python run meanwhile. Where several launch, each then waits for the interpreter's lock longer than a
launch takes, and CUDA's own lock goes from one processor to the other: on an H200 four threads launched 64,000 kernels a second, one
180,000. While threads meet in launches, the function is called with the interpreter's lock held (164,000), as PyOpenCL's compiled
module calls clEnqueueNDRangeKernel. A launch waits where the stream holds as many as it can; then other threads are let run again.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from time import monotonic_ns

from .context import CudaContext
from .faults import explained

HELD = 1000  # launches with the lock held once threads have met
LET_GO = 1000  # launches that let other threads run once one had to wait
WAITED_NS = 100_000


def launch_call(context: CudaContext, handle: int, arguments: tuple[int, ...], *, may_hold: bool) -> Callable[[], None]:
    """The hot path: all that is left to do for a launch that was made before. `arguments` are cuLaunchKernel's behind the function.
    may_hold: nobody else's host functions can be in the stream, which would wait for the interpreter's lock."""
    cuda, meetings = context.cuda, context.cuda.meetings
    launch_kernel, error_type, suspects = cuda.driver.launchKernel, cuda.driver.CUDADriverError, cuda.suspects
    current, number, enter = cuda.driver.ctxGetCurrent, context.handle, context.enter
    holding = _holding(context, handle, arguments) if may_hold else None

    def run() -> None:
        if current() != number:
            enter()
        try:
            if not (meetings.inside or meetings.turns):
                meetings.inside = True
                launch_kernel(handle, *arguments)
                meetings.inside = False
            else:
                beside_others()
        except error_type as error:
            meetings.inside = False
            raise explained(error, suspects) from error

    def beside_others() -> None:
        turns = meetings.turns
        if turns > 0 and holding is not None:
            meetings.turns = turns - 1
            begun = monotonic_ns()
            holding()
            if monotonic_ns() - begun > WAITED_NS:
                meetings.turns = -LET_GO
        else:
            meetings.turns = turns + 1 if turns < 0 else HELD
            launch_kernel(handle, *arguments)
            meetings.inside = False

    return run


def _holding(context: CudaContext, handle: int, arguments: tuple[int, ...]) -> Callable[[], None] | None:
    """None where the driver's library is not there."""
    addresses, check = context.cuda.launch_addresses, context.cuda.driver.check_status
    if addresses is None:
        return None
    function = ctypes.PYFUNCTYPE(ctypes.c_int)(addresses[0])
    *sizes, stream, parameters, extra = arguments
    words = (ctypes.c_void_p(handle), *map(ctypes.c_uint, sizes), *map(ctypes.c_void_p, (stream, parameters, extra)))

    def call() -> None:
        status = function(*words)
        if status:
            check(status)

    return call
