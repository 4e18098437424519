"""Functions called on a device: their results over arrays, and the greatest distance from a reference that the same device
computes in double.

A distance is in units in the last place as 7.4 defines them, unless the bound is an absolute one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

from .functions import FORMATS, Function

Text = Callable[[Sequence[Function]], str]

DTYPES = {"float": np.float32, "double": np.float64, "half": np.float16}
# So many functions share a program: compilers take longer than twice as long for twice as much.
PER_PROGRAM = 12
# Inputs that one work-item of an exhaustive run goes through.
_PER_ITEM = 4096

_DISTANCE = """
double distance_from(double got, double exact, int signed_zeros) {
    if (isnan(exact) || isnan(got)) return isnan(exact) && isnan(got) ? 0 : INFINITY;
    if (got == exact) return signed_zeros && exact == 0 && signbit(got) != signbit(exact) ? INFINITY : 0;
    if (isinf(exact)) return INFINITY;
    // "Math functions are allowed to return infinity for a finite reference value when the next number that would be representable
    // after the finite maximum meets ULP error tolerance."
    if (isinf(got)) {
        got = copysign(ldexp(1.0, GREATEST + 1), got);
        if (got / exact > 0 && fabs(exact) >= fabs(got)) return 0;
    }
    int exponent = ilogb(exact);
    // The number nearest to a power of two lies below it.
    if (fabs(exact) == ldexp(1.0, exponent)) exponent--;
    return ldexp(fabs(got - exact), BITS - 1 - clamp(exponent, LEAST, GREATEST));
}

// Results that are no numbers, or too large or too small to be normal, may be anything of that kind.
double relaxed_distance_from(double got, double exact, int signed_zeros) {
    double greatest = ldexp(1.0, GREATEST), least = ldexp(1.0, LEAST);
    if (!(fabs(exact) <= greatest) || (fabs(exact) < least && fabs(got) <= least)) return 0;
    return distance_from(got, exact, signed_zeros);
}
"""


@dataclass(frozen=True)
class Worst:
    """The greatest distance, or what exceeds the part of a bound that grows with the argument, and the input where it was."""

    distance: float
    where: int


def find(name: str) -> Device:
    """The first device of the driver "host" or "cuda"."""
    return Device(platforms.platforms()[0], name, platforms.load_driver(name).devices()[0])


class Session:
    """A device with programs for some functions of one element type."""

    def __init__(self, device: Device, found: Sequence[Function], options: str = "", text: Text | None = None):
        """`text` writes the program of all functions, where `source` does not."""
        self.device, self.functions, self.options, self.text = device, list(found), options, text
        self.context = Context([device])
        self.queue = CommandQueue(self.context, device)
        self.numbers = {function: i for i, function in enumerate(self.functions)}
        self.programs: dict[tuple[str, int], Program] = {}

    def results(self, function: Function, arguments: Sequence[np.ndarray], count: int = 0, width: int = 0) -> np.ndarray:
        """What the function gives, as double; of vectors there are `count`, each of `width` components."""
        count = count or len(arguments[0])
        out = np.empty((count, width) if width else count, np.float64)
        buffer = self._buffer(out)
        self._run("results", function, count, buffer, *map(self._buffer, arguments))
        return self._read(buffer, out)

    def worst(self, function: Function, arguments: Sequence[np.ndarray]) -> Worst:
        """Over arrays of arguments; `where` is an index into them."""
        return self._worst("points", function, len(arguments[0]), *map(self._buffer, arguments))

    def worst_of_all(self, function: Function) -> Worst:
        """Over every float; `where` is its bits."""
        return self._worst("range", function, (1 << 32) // _PER_ITEM)

    def _worst(self, form: str, function: Function, count: int, *buffers: Buffer) -> Worst:
        found = np.zeros(1, np.uint64)
        buffer = self._buffer(found)
        self._run(form, function, count, buffer, *buffers)
        packed = int(self._read(buffer, found)[0])
        return Worst(float(np.array([packed >> 32], np.uint32).view(np.float32)[0]), packed & 0xFFFFFFFF)

    def _buffer(self, array: np.ndarray) -> Buffer:
        return Buffer(self.context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, array.nbytes, np.ascontiguousarray(array))

    def _read(self, buffer: Buffer, into: np.ndarray) -> np.ndarray:
        buffer_commands.enqueue_read_buffer(self.queue, buffer, True, 0, into)
        return into

    def _run(self, form: str, function: Function, count: int, *buffers: Buffer) -> None:
        number = self.numbers[function]
        kernel = Kernel(self._program(form, number // PER_PROGRAM), f"f{number}")
        for index, buffer in enumerate(buffers):
            kernel.set_arg(index, buffer)
        enqueue_nd_range_kernel(self.queue, kernel, 1, None, (count,), None)
        self.queue.finish()

    def _program(self, form: str, chunk: int) -> Program:
        if self.text:
            chunk = 0
        if (form, chunk) not in self.programs:
            start = chunk * PER_PROGRAM
            text = self.text(self.functions) if self.text else source(form, self.functions[start : start + PER_PROGRAM], start)
            program = Program(self.context, text)
            program.build(f"-cl-std=CL3.0 {self.options}")
            self.programs[form, chunk] = program
        return self.programs[form, chunk]


def source(form: str, functions: Sequence[Function], first: int) -> str:
    """The program that measures these functions, as kernels f<first>, f<first + 1>, …"""
    element = functions[0].element
    bits, least, greatest = FORMATS[element]
    head = (
        f"#define BITS {bits}\n#define LEAST ({least})\n#define GREATEST {greatest}\n#define BELOW_ONE (1 - 0x1p-{bits})\ntypedef {element} T;\n"
        + (_DISTANCE if form != "results" else "")
    )
    write: Callable[[Function, int], Iterator[str]] = {"results": _results, "points": _points, "range": _range}[form]
    numbered = [(function, first + i) for i, function in enumerate(functions) if form != "range" or takes_every_float(function)]
    return head + "".join("\n".join(write(function, number)) + "\n" for function, number in numbered)


def takes_every_float(function: Function) -> bool:
    """Whether all inputs of the function are few enough to go through."""
    return function.element == "float" and function.parameters == ("T",)


def _declarations(function: Function) -> str:
    return ", ".join(f"const global {p} *p{i}" for i, p in enumerate(function.parameters))


def _loads(function: Function) -> Iterator[str]:
    for name, i, parameter in zip("xyz", range(3), function.parameters, strict=False):
        wide = "double" if parameter == "T" else parameter
        yield f"    {parameter} {name} = p{i}[i]; {wide} {name.upper()} = {name};"


def _results(function: Function, number: int) -> Iterator[str]:
    yield f"kernel void f{number}(global double *r, {_declarations(function)}) {{"
    yield "    size_t i = get_global_id(0);"
    yield from _loads(function)
    yield f"    r[i] = {function.got};"
    yield "}"


def _points(function: Function, number: int) -> Iterator[str]:
    yield f"kernel void f{number}(global ulong *worst, {_declarations(function)}) {{"
    yield "    size_t i = get_global_id(0); double W;"
    yield from _loads(function)
    yield f"    float d = {_excess(function)};"
    yield "    if (d > 0) atom_max(worst, upsample(as_uint(d), (uint)i));"
    yield "}"


def _range(function: Function, number: int) -> Iterator[str]:
    yield f"kernel void f{number}(global ulong *worst) {{"
    yield "    ulong greatest = 0; double W;"
    yield f"    uint first = get_global_id(0) * {_PER_ITEM};"
    yield f"    for (uint i = first; i - first < {_PER_ITEM}; i++) {{"
    yield "        T x = as_float(i); double X = x;"
    yield f"        float d = {_excess(function)};"
    yield "        if (d > 0) greatest = max(greatest, upsample(as_uint(d), i));"
    yield "    }"
    yield "    atom_max(worst, greatest);"
    yield "}"


def _excess(function: Function) -> str:
    """The distance at one input, 0 outside of the bound's domain."""
    bound = function.bound
    low, high = bound.domain
    distance = f"{'relaxed_' if function.relaxed else ''}distance_from({function.got}, {function.exact}, {int(function.signed_zeros)})"
    if bound.kind == "absolute":
        distance = f"fabs((double)({function.got}) - ({function.exact}))"
    if bound.slope:
        distance = f"{distance} - floor({bound.slope!r} * fabs(X))"
    conditions = [function.defined] if function.defined else []
    if function.relaxed:
        # -cl-unsafe-math-optimizations assumes valid arguments, and flushes what is too small to be normal.
        conditions += [f"(isnormal({name}) || {name} == 0)" for name, p in zip("xyz", function.parameters, strict=False) if p == "T"]
    if (low, high) != (-np.inf, np.inf):
        conditions.append(f"X >= {low!r} && X <= {high!r}")
    return f"{' && '.join(conditions)} ? {distance} : 0.0" if conditions else distance
