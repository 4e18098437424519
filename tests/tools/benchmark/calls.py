"""What one call costs in the host: kernels with few and many arguments, untyped and typed, and the arithmetic of PyOpenCL's arrays.

An untyped kernel looks at each argument to see what it is; one whose scalar types are set takes plain Python numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cla

Times = dict[str, float]

# SALT makes the source one that no cache has seen.
SMALL_PROGRAM = """
__kernel void saxpy(float a, __global const float *x, __global float *y, int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i] + SALT;
}
"""
# Eight buffers and eight scalars, in turn.
MANY = """
__kernel void many({parameters})
{{
    int i = get_global_id(0);
    b0[i] += {sum};
}}
""".format(parameters=", ".join(f"__global float *b{n}, float s{n}" for n in range(8)), sum=" + ".join(f"s{n} * b{n}[i]" for n in range(1, 8)))
N = 64


def measure_calls(devices: list[cl.Device], timed: Callable[..., Times], expect: Callable[[bool, str], None], *, big: bool,
                  repeat: int) -> dict[str, Any]:
    context = cl.Context(devices)
    queue = cl.CommandQueue(context)
    return (_few(queue, timed, expect, repeat) | _many(queue, timed, expect, repeat)
            | _arrays(queue, timed, expect, repeat, (1_000, 10_000_000 if big else 100_000)))


def _buffer(queue: cl.CommandQueue, value: float) -> cl.Buffer:
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return cl.Buffer(queue.context, flags, hostbuf=np.full(N, value, np.float32))


def _read(queue: cl.CommandQueue, buffer: cl.Buffer) -> np.ndarray:
    found = np.empty(N, np.float32)
    cl.enqueue_copy(queue, found, buffer)
    return found


def _few(queue: cl.CommandQueue, timed: Callable[..., Times], expect: Callable[[bool, str], None], repeat: int) -> dict[str, Times]:
    program = cl.Program(queue.context, SMALL_PROGRAM.replace("SALT", "1.0f")).build()
    untyped, typed = cl.Kernel(program, "saxpy"), cl.Kernel(program, "saxpy")
    typed.set_scalar_arg_dtypes([np.float32, None, None, np.int32])
    x, y = _buffer(queue, 1), _buffer(queue, 0)
    a, n, size = np.float32(0.5), np.int32(N), (N,)
    counted = Counted()
    enqueue = counted(lambda: cl.enqueue_nd_range_kernel(queue, untyped, size, size))

    def enqueue_and_wait() -> None:
        enqueue()
        queue.finish()

    more = {"repeat": repeat, "batch": 200, "between": queue.finish}
    result = {
        "kernel(queue, gs, ls, 4 args)": timed(counted(lambda: untyped(queue, size, size, a, x, y, n)), **more),
        "kernel(queue, gs, ls, 4 typed args)": timed(counted(lambda: typed(queue, size, size, 0.5, x, y, N)), **more),
        "set_args, 4 args": timed(lambda: untyped.set_args(a, x, y, n), **more),
        "enqueue_nd_range_kernel": timed(enqueue, **more),
        "enqueue and finish": timed(enqueue_and_wait, repeat=repeat, batch=50),
    }
    found, calls = _read(queue, y), counted.calls
    expect(np.allclose(found, calls * 1.5), f"after {calls} launches: {found[0]} is not {calls * 1.5}")
    return result


def _many(queue: cl.CommandQueue, timed: Callable[..., Times], expect: Callable[[bool, str], None], repeat: int) -> dict[str, Times]:
    program = cl.Program(queue.context, MANY).build()
    untyped, typed = cl.Kernel(program, "many"), cl.Kernel(program, "many")
    typed.set_scalar_arg_dtypes([None, np.float32] * 8)
    buffers, size = [_buffer(queue, 1) for _ in range(8)], (N,)
    as_numpy = [each for pair in zip(buffers, [np.float32(1)] * 8, strict=True) for each in pair]
    as_python = [each for pair in zip(buffers, [1.0] * 8, strict=True) for each in pair]
    counted = Counted()
    more = {"repeat": repeat, "batch": 100, "between": queue.finish}
    result = {
        "kernel(queue, gs, ls, 16 args)": timed(counted(lambda: untyped(queue, size, size, *as_numpy)), **more),
        "kernel(queue, gs, ls, 16 typed args)": timed(counted(lambda: typed(queue, size, size, *as_python)), **more),
        "set_args, 16 args": timed(lambda: untyped.set_args(*as_numpy), **more),
    }
    found, calls = _read(queue, buffers[0]), counted.calls
    expect(np.allclose(found, 1 + 7 * calls), f"after {calls} launches: {found[0]} is not {1 + 7 * calls}")
    return result


class Counted:
    """Counts the calls of what it is called with."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, call: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            self.calls += 1
            call()

        return run


def _arrays(queue: cl.CommandQueue, timed: Callable[..., Times], expect: Callable[[bool, str], None], repeat: int,
            sizes: tuple[int, int]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for size in sizes:
        a, b = cla.arange(queue, size, dtype=np.float32), cla.zeros(queue, size, np.float32) + 1
        expect(bool(((a + b).get() == np.arange(size, dtype=np.float32) + 1).all()), f"the sum of {size} numbers")

        def add(a: cla.Array = a, b: cla.Array = b) -> None:
            (a + b).finish()

        def add_in_place(a: cla.Array = a, b: cla.Array = b) -> None:
            a.__iadd__(b)

        result[f"array a + b and finish, {size:,} floats"] = timed(add, repeat=repeat, batch=20 if size < 1 << 20 else 1)
        result[f"array a += b, {size:,} floats"] = timed(add_in_place, repeat=repeat, batch=20, between=queue.finish)
    return result
