"""The kernels that the benchmark times: for each one its data, its launch, its work and the check of its result.

Plain PyOpenCL. A case is a function (queue, big) -> Case; `big` is for GPUs, the rest is for CPUs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

READ, WRITE, COPY = cl.mem_flags.READ_ONLY, cl.mem_flags.READ_WRITE, cl.mem_flags.COPY_HOST_PTR


@dataclass
class Case:
    """One launch of a kernel. `work` is what it does, in `unit`s; `check` says whether the last result is right, of a launch that comes
    after `reset`: every launch does where `before_each` is set."""

    kernel: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    arguments: tuple[Any, ...]
    work: float
    unit: str
    check: Callable[[], bool]
    reset: Callable[[], None] = lambda: None
    before_each: bool = False


class Data:
    """Arrays on the device of a queue, filled from one generator, so that every run sees the same numbers."""

    def __init__(self, queue: cl.CommandQueue):
        self.queue = queue
        self.rng = np.random.default_rng(2024)

    def floats(self, *shape: int) -> np.ndarray:
        return self.rng.random(shape, dtype=np.float32)

    def to_device(self, array: np.ndarray) -> cl.Buffer:
        return cl.Buffer(self.queue.context, READ | COPY, hostbuf=array)

    def empty(self, nbytes: int) -> cl.Buffer:
        return cl.Buffer(self.queue.context, WRITE, nbytes)

    def fetch(self, buffer: cl.Buffer, shape: Any, dtype: Any = np.float32) -> np.ndarray:
        array = np.empty(shape, dtype)
        cl.enqueue_copy(self.queue, array, buffer)
        return array


def triad(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 1 << (26 if big else 22)
    b, c, a_buffer = data.floats(n), data.floats(n), data.empty(4 * n)
    return Case("triad", (n,), (256,), (data.to_device(b), data.to_device(c), a_buffer, np.float32(3)), 12e-9 * n, "GB",
                lambda: np.allclose(data.fetch(a_buffer, n), b + 3 * c, rtol=1e-6))


def matmul(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 2048 if big else 256
    a, b, c_buffer = data.floats(n, n), data.floats(n, n), data.empty(4 * n * n)
    return Case("matmul", (n, n), (16, 16), (data.to_device(a), data.to_device(b), c_buffer, np.int32(n)), 2e-9 * n**3, "GFLOP",
                lambda: np.allclose(data.fetch(c_buffer, (n, n)), a @ b, rtol=1e-3))


def nbody(queue: cl.CommandQueue, big: bool) -> Case:
    data, n, softening = Data(queue), 1 << (16 if big else 11), 0.01
    bodies, out = data.floats(n, 4), data.empty(16 * n)

    def check() -> bool:
        looked_at = slice(None, None, n // 64)
        d = bodies[None, :, :3].astype(float) - bodies[looked_at, None, :3]
        expected = np.einsum("ijk,ij,j->ik", d, (np.sum(d * d, axis=2) + softening) ** -1.5, bodies[:, 3].astype(float))
        return np.allclose(data.fetch(out, (n, 4))[looked_at, :3], expected, rtol=1e-3, atol=1e-5 * n)

    arguments = (data.to_device(bodies), out, np.int32(n), np.float32(softening), cl.LocalMemory(16 * 256))
    return Case("nbody", (n,), (256,), arguments, 20e-9 * n * n, "GFLOP", check)


def reduction(queue: cl.CommandQueue, big: bool) -> Case:
    data, n, groups = Data(queue), 1 << (27 if big else 23), 1056 if big else 64
    x, partial = data.floats(n), data.empty(4 * groups)
    arguments = (data.to_device(x), partial, np.uint32(n), cl.LocalMemory(4 * 256))
    return Case("reduction", (256 * groups,), (256,), arguments, 4e-9 * n, "GB",
                lambda: np.isclose(data.fetch(partial, groups).sum(dtype=float), x.sum(dtype=float), rtol=1e-5))


def histogram(queue: cl.CommandQueue, big: bool) -> Case:
    data, n, groups = Data(queue), 1 << (28 if big else 23), 1056 if big else 64
    values = data.rng.integers(0, 256, n, dtype=np.uint8)
    zeros, counts = np.zeros(256, np.uint32), data.empty(4 * 256)
    return Case("histogram", (256 * groups,), (256,), (data.to_device(values), np.uint32(n // 4), counts), 1e-9 * n, "GB",
                lambda: np.array_equal(data.fetch(counts, 256, np.uint32), np.bincount(values, minlength=256)),
                reset=lambda: cl.enqueue_copy(queue, counts, zeros) and None)


def transposition(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 8192 if big else 1024
    x, out = data.floats(n, n), data.empty(4 * n * n)
    return Case("transpose", (n, n // 4), (32, 8), (data.to_device(x), out, np.int32(n)), 8e-9 * n * n, "GB",
                lambda: np.array_equal(data.fetch(out, (n, n)), x.T))


def stencil(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 448 if big else 128
    x, out = data.floats(n, n, n), data.empty(4 * n**3)

    def check() -> bool:
        expected = x.copy()
        inner, left, right = slice(1, -1), slice(None, -2), slice(2, None)
        expected[inner, inner, inner] = np.float32(0.4) * x[inner, inner, inner] + np.float32(0.1) * (
            x[left, inner, inner] + x[right, inner, inner] + x[inner, left, inner]
            + x[inner, right, inner] + x[inner, inner, left] + x[inner, inner, right])
        return np.allclose(data.fetch(out, x.shape), expected, rtol=1e-5)

    arguments = (data.to_device(x), out, np.float32(0.4), np.float32(0.1))
    return Case("stencil", (n, n, n), (64, 4, 1), arguments, 8e-9 * n**3, "GB", check)


def mandelbrot(queue: cl.CommandQueue, big: bool) -> Case:
    data, n, limit = Data(queue), 4096 if big else 256, 500
    left, top, pixel = np.float32(-2.0), np.float32(1.25), np.float32(2.5 / n)
    out = data.empty(4 * n * n)

    def check() -> bool:
        looked_at = slice(None, None, n // 128)
        steps = data.fetch(out, (n, n), np.int32)[looked_at, looked_at]
        c = (left + pixel * np.arange(n)[looked_at])[None, :] + 1j * (top - pixel * np.arange(n)[looked_at])[:, None]
        z, expected = np.zeros_like(c), np.zeros(c.shape, int)
        for _ in range(limit):
            going = np.abs(z) < 2
            expected[going] += 1
            z[going] = z[going] ** 2 + c[going]
        return np.mean(steps == expected) > 0.98  # on the set's edge the last bit of a float decides

    return Case("mandelbrot", (n, n), (16, 16), (out, left, top, pixel, np.int32(limit)), 1e-6 * n * n, "Mpixel", check)


def black_scholes(queue: cl.CommandQueue, big: bool) -> Case:
    data, n, rate, volatility = Data(queue), 1 << (25 if big else 20), np.float32(0.02), np.float32(0.3)
    price, strike, years = 5 + 25 * data.floats(n), 1 + 99 * data.floats(n), 0.25 + 9.75 * data.floats(n)
    call = data.empty(4 * n)

    def distribution(x: np.ndarray) -> np.ndarray:
        t = 1 / (1 + 0.2316419 * np.abs(x))
        polynomial = np.polyval([1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153, 0], t)
        tail = 0.39894228 * np.exp(-0.5 * x * x) * polynomial
        return np.where(x > 0, 1 - tail, tail)

    def check() -> bool:
        s, k, t = (array[:: n // 4096].astype(float) for array in (price, strike, years))
        d1 = (np.log(s / k) + (rate + volatility**2 / 2) * t) / (volatility * np.sqrt(t))
        expected = s * distribution(d1) - k * np.exp(-rate * t) * distribution(d1 - volatility * np.sqrt(t))
        return np.allclose(data.fetch(call, n)[:: n // 4096], expected, rtol=1e-3, atol=1e-4)

    arguments = (*map(data.to_device, (price, strike, years)), call, rate, volatility)
    return Case("black_scholes", (n,), (256,), arguments, 16e-9 * n, "GB", check)


CASES: dict[str, Callable[[cl.CommandQueue, bool], Case]] = {
    "stream triad": triad, "tiled matmul": matmul, "n-body": nbody, "reduction": reduction, "histogram": histogram,
    "transposition": transposition, "3D stencil": stencil, "Mandelbrot": mandelbrot, "Black-Scholes": black_scholes,
}
