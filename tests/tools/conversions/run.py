"""Conversions on a device: one program for each source type, with a kernel for each destination that converts in every mode."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

from . import model


@dataclass(frozen=True)
class Checked:
    """A conversion: of how many values it was checked, how many were wrong, and the first: (value, got, expected)."""

    name: str
    source: str
    values: int
    wrong: int
    example: tuple[object, object, object] | None


def program(source: str) -> str:
    return "".join(_kernel(source, to) for to in model.TYPES) + (_half_stores(source) if source in ("float", "double") else _half_load(source))


def _kernel(source: str, to: str) -> str:
    lines = "".join(f"    r[{n} * N + i] = convert_{to}{mode}(x[i]);\n" for n, mode in enumerate(model.modes(to)))
    return f"#define N get_global_size(0)\nkernel void to_{to}(global {source} *x, global {to} *r) {{\n    size_t i = get_global_id(0);\n{lines}}}\n"


def _vector_kernel(source: str, to: str, mode: str, width: int) -> str:
    return (f"kernel void to_{to}{mode}(global {source}{width} *x, global {to}{width} *r) {{\n"
            f"    size_t i = get_global_id(0);\n    r[i] = convert_{to}{width}{mode}(x[i]);\n}}\n")


def _half_stores(source: str) -> str:
    lines = "".join(f"    vstore_half{mode}(x[i], {n} * N + i, r);\n" for n, mode in enumerate(model.ROUNDINGS))
    return f"kernel void store_half(global {source} *x, global half *r) {{\n    size_t i = get_global_id(0);\n{lines}}}\n"


def _half_load(source: str) -> str:
    if source != "half":
        return ""
    return "kernel void load_half(global half *x, global float *r) { size_t i = get_global_id(0); r[i] = vload_half(i, x); }\n"


class _Bench:
    """A built program, and the values that its kernels convert, so many by a work-item."""

    def __init__(self, device: Device, text: str, x: np.ndarray, width: int = 1):
        self.context, self.x, self.width = Context([device]), x, width
        self.queue = CommandQueue(self.context, device)
        self.built = Program(self.context, text)
        self.built.build("-cl-std=CL3.0")
        self.given = Buffer(self.context, codes.MEM_READ_ONLY | codes.MEM_COPY_HOST_PTR, x.nbytes, x)

    def run(self, kernel_name: str, to: str, rows: int) -> np.ndarray:
        results = np.empty((rows, self.x.size), model.DTYPES[to])
        taken = Buffer(self.context, codes.MEM_WRITE_ONLY, results.nbytes, None)
        kernel = Kernel(self.built, kernel_name)
        kernel.set_arg(0, self.given)
        kernel.set_arg(1, taken)
        enqueue_nd_range_kernel(self.queue, kernel, 1, None, (self.x.size // self.width,), None)
        buffer_commands.enqueue_read_buffer(self.queue, taken, True, 0, results)
        return results


def check_vectors(device: Device, source: str, to: str, count: int, width: int = 16) -> Iterator[Checked]:
    """Every conversion of such vectors from a type to another one, each by a kernel of its own, as programs have them."""
    x, modes = model.inputs(source, count), model.modes(to)
    bench = _Bench(device, "".join(_vector_kernel(source, to, mode, width) for mode in modes), x[: x.size // width * width], width)
    for mode in modes:
        got = bench.run(f"to_{to}{mode}", to, 1)[0]
        yield _checked(f"convert_{to}{width}{mode}", source, bench.x, got, *model.convert(bench.x, to, mode))


def check(device: Device, source: str, count: int) -> Iterator[Checked]:
    """Every conversion from a type, of about `count` values."""
    x = model.inputs(source, count)
    run = _Bench(device, program(source), x).run
    for to in model.TYPES:
        modes = model.modes(to)
        for mode, got in zip(modes, run(f"to_{to}", to, len(modes)), strict=True):
            yield _checked(f"convert_{to}{mode}", source, x, got, *model.convert(x, to, mode))
    if source in ("float", "double"):
        for mode, got in zip(model.ROUNDINGS, run("store_half", "half", len(model.ROUNDINGS)), strict=True):
            yield _checked(f"vstore_half{mode}", source, x, got, *model.convert(x, "half", mode))
    if source == "half":
        yield _checked("vload_half", source, x, run("load_half", "float", 1)[0], *model.convert(x, "float", ""))


def _checked(name: str, source: str, x: np.ndarray, got: np.ndarray, expected: np.ndarray, defined: np.ndarray) -> Checked:
    wrong = model.differences(got, expected, defined)
    example = (x[wrong[0]], got[wrong[0]], expected[wrong[0]]) if wrong.size else None
    return Checked(name, source, int(defined.sum()), wrong.size, example)
