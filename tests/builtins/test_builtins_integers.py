"""Integer functions, as_type, vector data and atomics against Python's integers, on edge values."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from support.builtin_functions import DTYPES, Functions, functions_on, overload
from support.execute import execute

from cl2cuda.builtins.table import overloads
from cl2cuda.builtins.typenames import INTEGERS, SIGNED, SIZES, unsigned


class Integer:
    """The exact meaning of each function on one integer type."""

    def __init__(self, name: str):
        self.bits = 8 * SIZES[name]
        self.low, self.high = (-(1 << self.bits - 1), (1 << self.bits - 1) - 1) if name in SIGNED else (0, (1 << self.bits) - 1)
        self.count = 1 << self.bits

    def wrapped(self, x: int) -> int:
        return (x - self.low) % self.count + self.low

    def clamped(self, x: int) -> int:
        return min(max(x, self.low), self.high)

    def rotated(self, x: int, i: int) -> int:
        x, i = x % self.count, i % self.bits
        return self.wrapped(x << i | x >> (self.bits - i))

    def edges(self) -> list[int]:
        found = {
            self.low,
            self.low + 1,
            self.high,
            self.high - 1,
            self.high // 3,
            self.high // 2 + 1,
            *range(6),
            self.bits - 1,
            self.bits,
        }
        if self.low:
            found |= {-1, -2, -3, self.low // 3, -self.bits}
        return sorted(found)


def models(t: Integer) -> dict[str, tuple[int, Callable[..., int]]]:
    """Number of parameters and result of each function."""
    return {
        "abs": (1, abs),
        "abs_diff": (2, lambda x, y: abs(x - y)),
        "add_sat": (2, lambda x, y: t.clamped(x + y)),
        "sub_sat": (2, lambda x, y: t.clamped(x - y)),
        "hadd": (2, lambda x, y: (x + y) >> 1),
        "rhadd": (2, lambda x, y: (x + y + 1) >> 1),
        "clz": (1, lambda x: t.bits - (x % t.count).bit_length()),
        "ctz": (1, lambda x: (x & -x).bit_length() - 1 if x else t.bits),
        "popcount": (1, lambda x: (x % t.count).bit_count()),
        "max": (2, max),
        "min": (2, min),
        "mul_hi": (2, lambda x, y: x * y >> t.bits),
        "mad_hi": (3, lambda a, b, c: t.wrapped((a * b >> t.bits) + c)),
        "mad_sat": (3, lambda a, b, c: t.clamped(a * b + c)),
        "rotate": (2, t.rotated),
    }


TYPES = INTEGERS


@pytest.fixture(scope="module", params=["library", "cuda"])
def library(request: pytest.FixtureRequest) -> Functions:
    found = [overload(name, *[t] * count) for t in TYPES for name, (count, _) in models(Integer(t)).items()]
    found += [overload("clamp", t, t, t) for t in TYPES]
    found += [
        o for name in ("upsample", "mul24", "mad24") for o in overloads(name) if not any(c.isdigit() for p in o.parameters for c in p)
    ]
    found += [overload("add_sat", "char16", "char16"), overload("clamp", "short3", "short", "short"), overload("abs", "int2")]
    return functions_on(request.param, found)


@pytest.mark.parametrize("name", TYPES)
def test_integer_functions(library: Functions, name: str) -> None:
    t = Integer(name)
    for function, (count, model) in models(t).items():
        rows = list(itertools.product(t.edges(), repeat=count))
        arguments = [np.array(column, DTYPES[name]) for column in zip(*rows, strict=True)]
        got = library(overload(function, *[name] * count), *arguments)[0]
        expected = np.array([model(*row) for row in rows], DTYPES[unsigned(name) if function.startswith("abs") else name])
        assert got.dtype == expected.dtype
        wrong = np.flatnonzero(got != expected)
        assert not wrong.size, (function, rows[wrong[0]], got[wrong[0]], expected[wrong[0]])


@pytest.mark.parametrize("name", TYPES)
def test_clamp(library: Functions, name: str) -> None:
    t = Integer(name)
    rows = [(x, low, high) for x, low, high in itertools.product(t.edges(), repeat=3) if low <= high]
    arguments = [np.array(column, DTYPES[name]) for column in zip(*rows, strict=True)]
    expected = [min(max(x, low), high) for x, low, high in rows]
    assert list(library(overload("clamp", name, name, name), *arguments)[0]) == expected


def test_upsample(library: Functions) -> None:
    for o in overloads("upsample"):
        if o not in library.numbers:
            continue
        high, low = map(Integer, o.parameters)
        rows = list(itertools.product(high.edges(), low.edges()))
        arguments = [np.array(c, DTYPES[t]) for c, t in zip(zip(*rows, strict=True), o.parameters, strict=True)]
        assert list(library(o, *arguments)[0]) == [(h << low.bits) | x for h, x in rows]


def test_24_bit_functions(library: Functions) -> None:
    for name, edges in (("int", [-(2**23), -1, 0, 3, 2**23 - 1]), ("uint", [0, 1, 77, 2**24 - 1])):
        t = Integer(name)
        rows = list(itertools.product(edges, edges, t.edges()))
        x, y, z = (np.array(column, DTYPES[name]) for column in zip(*rows, strict=True))
        assert list(library(overload("mul24", name, name), x, y)[0]) == [t.wrapped(a * b) for a, b, _ in rows]
        assert list(library(overload("mad24", name, name, name), x, y, z)[0]) == [t.wrapped(a * b + c) for a, b, c in rows]


def test_vector_forms(library: Functions) -> None:
    x = np.arange(-128, 128, dtype=np.int8).reshape(-1, 16)
    got = library(overload("add_sat", "char16", "char16"), x, x)[0]
    assert np.array_equal(got, np.clip(2 * x.astype(int), -128, 127))
    x3 = np.array([[-500, 0, 500]], np.int16)
    assert list(library(overload("clamp", "short3", "short", "short"), x3, np.array([-9]), np.array([9]))[0][0][:3]) == [-9, 0, 9]
    assert list(library(overload("abs", "int2"), np.array([[-(2**31), 5]]))[0][0]) == [2**31, 5]


@pytest.mark.parametrize("name", INTEGERS)
def test_functions_of_a_work_items_number(real_device, name):
    """What compilers know beforehand, or compute with vectors for several work-items."""
    bits, items = 8 * SIZES[name], 8
    functions: dict[str, Callable[[int], int]] = {
        "popcount": lambda x: bin(x).count("1"), "clz": lambda x: bits - x.bit_length(), "ctz": lambda x: (x & -x).bit_length() - 1 if x else bits}
    kernels = "".join(f"""kernel void of_{function}(global long *out) {{
        int id = get_local_id(0);
        local long found[{items}];
        found[id] = {function}(({name})id);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[id] = found[(id + 1) % {items}];
    }}""" for function in functions)
    for function, expected in functions.items():
        found = np.zeros(items, DTYPES["long"])
        execute(real_device, kernels, found, size=items, local=(items,), options="-cl-std=CL2.0", kernel=f"of_{function}")
        assert found.tolist() == [expected((i + 1) % items) for i in range(items)], function
