"""The names of features that cl2cuda does not have yet: shared virtual memory, OpenGL.

They exist, since PyOpenCL imports them; whoever calls one gets an error that says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..runtime import codes
from .context import Context
from .errors import not_supported
from .platform import Platform


class SVMPointer:
    """Base of the arguments that are shared virtual memory."""

    svm_ptr: Any = None
    size: Any = None
    buf: Any = None


class SVM(SVMPointer):
    mem: Any = None

    def __init__(self, mem: Any) -> None:
        raise not_supported("SVM", "shared virtual memory is")


class SVMAllocation(SVMPointer):
    def __init__(self, context: Context, size: int, alignment: int, flags: int, queue: Any = None) -> None:
        raise not_supported("clSVMAlloc", "shared virtual memory is")


class PooledSVM(SVMPointer):
    def __init__(self) -> None:
        raise not_supported("clSVMAlloc", "shared virtual memory is")


class SVMAllocator:
    def __init__(self, context: Context, alignment: int = 0, flags: int = codes.MEM_READ_WRITE, queue: Any = None) -> None:
        raise not_supported("clSVMAlloc", "shared virtual memory is")


class SVMPool:
    def __init__(self, allocator: SVMAllocator, leading_bits_in_bin_id: int = 4) -> None:
        raise not_supported("clSVMAlloc", "shared virtual memory is")


def have_gl() -> bool:
    return False


def get_gl_context_info_khr(properties: Any, param_name: int, platform: Platform | None = None) -> NoReturn:
    raise not_supported("clGetGLContextInfoKHR", "OpenGL sharing is")


def _refusal(name: str, routine: str, feature: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise not_supported(routine, feature)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"{routine}: {feature} not supported yet."
    return refuse


# Functions of PyOpenCL's by name: the OpenCL routine, and the feature that is missing.
_FUNCTIONS = {
    "_enqueue_svm_memcpy": ("clEnqueueSVMMemcpy", "shared virtual memory is"),
    "_enqueue_svm_memfill": ("clEnqueueSVMMemFill", "shared virtual memory is"),
    "_enqueue_svm_map": ("clEnqueueSVMMap", "shared virtual memory is"),
    "_enqueue_svm_unmap": ("clEnqueueSVMUnmap", "shared virtual memory is"),
    "_enqueue_svm_migrate_mem": ("clEnqueueSVMMigrateMem", "shared virtual memory is"),
}
FUNCTIONS = {name: _refusal(name, routine, feature) for name, (routine, feature) in _FUNCTIONS.items()}
