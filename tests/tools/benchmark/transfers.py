"""The copies and maps that the benchmark times. Plain PyOpenCL.

Page-locked memory is what a mapped ALLOC_HOST_PTR buffer gives, the way that OpenCL programs get it. Every copy is checked once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyopencl as cl

# (name, bytes, what to time)
Case = tuple[str, int, Callable[[], Any]]

SIZES = {64: "64 B", 4 << 10: "4 KiB", 64 << 10: "64 KiB", 1 << 20: "1 MiB", 16 << 20: "16 MiB", 64 << 20: "64 MiB",
         256 << 20: "256 MiB", 1 << 30: "1 GiB"}
# More than this is for GPUs.
MOST_ON_A_CPU = 64 << 20


def page_locked(queue: cl.CommandQueue, size: int) -> np.ndarray:
    """An array whose `base` keeps the mapped buffer under it."""
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR, size)
    array, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.READ | cl.map_flags.WRITE, 0, (size,), np.uint8)
    return array


def copies(queue: cl.CommandQueue, big: bool) -> Iterator[Case]:
    """Both ways, pageable and page-locked."""
    for size, label in SIZES.items():
        if size > MOST_ON_A_CPU and not big:
            continue
        data = np.random.default_rng(1).integers(0, 256, size, dtype=np.uint8)
        buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, size)
        for kind in ("", ", page-locked"):
            source, target = (page_locked(queue, size), page_locked(queue, size)) if kind else (data, np.zeros(size, np.uint8))
            source[:] = data
            yield f"copy {label} to the device{kind}", size, functools.partial(cl.enqueue_copy, queue, buffer, source)
            yield f"copy {label} from the device{kind}", size, functools.partial(cl.enqueue_copy, queue, target, buffer)
            if not np.array_equal(data, target):
                raise SystemExit(f"wrong result: copy of {label}{kind}")


def maps(queue: cl.CommandQueue, big: bool) -> Iterator[Case]:
    """Mapping for reading or writing and unmapping again, waited for."""
    for size, label in SIZES.items():
        if size not in (4 << 10, 1 << 20, 64 << 20):
            continue
        buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR, size)
        for name, flags in (("read", cl.map_flags.READ), ("write", cl.map_flags.WRITE_INVALIDATE_REGION)):

            def mapped(flags: int = flags, buffer: cl.Buffer = buffer, size: int = size) -> None:
                array, _ = cl.enqueue_map_buffer(queue, buffer, flags, 0, (size,), np.uint8)
                array.base.release(queue).wait()

            yield f"map and unmap {label} to {name}", size, mapped
