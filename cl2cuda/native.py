"""Native kernels (5.10) for programs over PyOpenCL, which has no function for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .pyopencl_cl.errors import guarded
from .pyopencl_cl.event import event_of
from .pyopencl_cl.handles import core_of, cores
from .pyopencl_cl.integers import cast_each, size_t
from .runtime.commands import native_kernel

if TYPE_CHECKING:
    import pyopencl as cl
else:
    from . import pyopencl as cl

__all__ = ["enqueue_native_kernel"]


@guarded
def enqueue_native_kernel(queue: cl.CommandQueue, function: Any, arguments: Any = b"", buffers: Sequence[cl.Buffer] = (),
                          places: Sequence[int] = (), wait_for: Iterable[cl.Event] | None = None) -> cl.Event:
    """clEnqueueNativeKernel (5.10): a function of the host as a command of the queue.

    function   of Python, called with a memoryview of the arguments in a thread of the queue; or compiled code of the type
               `void (*)(void *)`: what `numba.cfunc("void(voidptr)")` made, or an address
    arguments  bytes-like, such as NumPy's structured scalars; the function gets a copy
    places     for each of `buffers` the offset in bytes in the arguments where its address is to stand: of its contents on the
               host, which go back to the device when the function returns
    Raises LogicError: INVALID_VALUE, INVALID_MEM_OBJECT, INVALID_CONTEXT, INVALID_EVENT_WAIT_LIST.
    """
    core = core_of(queue, cl.CommandQueue, "queue")
    block = memoryview(arguments).tobytes()
    return event_of(native_kernel.enqueue_native_kernel(core, function, block, cores(buffers),
                                                        cast_each(size_t, places, "places"), cores(wait_for)))
