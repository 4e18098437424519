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


def _half_stores(source: str) -> str:
    lines = "".join(f"    vstore_half{mode}(x[i], {n} * N + i, r);\n" for n, mode in enumerate(model.ROUNDINGS))
    return f"kernel void store_half(global {source} *x, global half *r) {{\n    size_t i = get_global_id(0);\n{lines}}}\n"


def _half_load(source: str) -> str:
    if source != "half":
        return ""
    return "kernel void load_half(global half *x, global float *r) { size_t i = get_global_id(0); r[i] = vload_half(i, x); }\n"


def check(device: Device, source: str, count: int) -> Iterator[Checked]:
    """Every conversion from a type, of about `count` values."""
    context = Context([device])
    queue = CommandQueue(context, device)
    built = Program(context, program(source))
    built.build("-cl-std=CL3.0")
    x = model.inputs(source, count)
    given = Buffer(context, codes.MEM_READ_ONLY | codes.MEM_COPY_HOST_PTR, x.nbytes, x)

    def run(kernel_name: str, to: str, rows: int) -> np.ndarray:
        results = np.empty((rows, x.size), model.DTYPES[to])
        taken = Buffer(context, codes.MEM_WRITE_ONLY, results.nbytes, None)
        kernel = Kernel(built, kernel_name)
        kernel.set_arg(0, given)
        kernel.set_arg(1, taken)
        enqueue_nd_range_kernel(queue, kernel, 1, None, (x.size,), None)
        buffer_commands.enqueue_read_buffer(queue, taken, True, 0, results)
        return results

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
