"""as_type, vloadn, vstoren, the half forms, atomics and printf."""

from __future__ import annotations

import numpy as np
import pytest
from support.builtin_functions import DTYPES, Functions, functions_on, overload

from cl2cuda.builtins.table import overloads

ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")
HALVES = np.arange(65536, dtype=np.uint16)
LOADS = ("vload_half", "vloada_half", "vload_half3", "vloada_half3", "vloada_half4")


@pytest.fixture(scope="module", params=["library", "cuda"])
def library(request: pytest.FixtureRequest) -> Functions:
    found = [
        overload("as_float", "uint"),
        overload("as_int4", "float4"),
        overload("as_uchar8", "double"),
        overload("as_float3", "float4"),
    ]
    found += [overload(f"vload{n}", "size_t", "const private short *") for n in (2, 3, 4, 8, 16)]
    found += [overload(f"vstore{n}", f"float{n}", "size_t", "private float *") for n in (2, 3, 4, 8, 16)]
    found += [overload(name, "size_t", "const private half *") for name in LOADS]
    for t in ("float", "double"):
        found += [overload(f"{v}_half{r}", t, "size_t", "private half *") for v in ("vstore", "vstorea") for r in ROUNDINGS]
        found += [overload(f"{v}_half{n}_rtz", f"{t}{n}", "size_t", "private half *") for v in ("vstore", "vstorea") for n in (3, 4)]
    for op in ("add", "sub", "xchg", "min", "max", "and", "or", "xor", "inc", "dec", "cmpxchg"):
        found += [o for prefix in ("atomic", "atom") for o in overloads(f"{prefix}_{op}") if "global" in o.parameters[0]]
    return functions_on(request.param, found)


def test_as_type(library: Functions) -> None:
    assert library(overload("as_float", "uint"), np.array([0x3F800000]))[0][0] == 1
    x = np.array([[1, -2, np.inf, np.nan]], np.float32)
    assert np.array_equal(library(overload("as_int4", "float4"), x)[0], x.view(np.int32))
    assert np.array_equal(library(overload("as_float3", "float4"), x)[0][0, :3], x[0, :3])
    d = np.array([3.25])
    assert np.array_equal(library(overload("as_uchar8", "double"), d)[0][0], d.view(np.uint8))


def memory(library: Functions, o: object, *arguments: np.ndarray) -> np.ndarray:
    """Runs for the first work-item only, whose pointer is the array itself: offsets then reach all of it."""
    return library(o, *arguments, items=1)[-1]  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [2, 3, 4, 8, 16])
def test_vload_and_vstore_count_in_elements(library: Functions, n: int) -> None:
    values = np.arange(64, dtype=np.int16)
    offset = np.full(64, 2, np.uint64)
    got = library(overload(f"vload{n}", "size_t", "const private short *"), offset, values, items=1)[0]
    assert list(got[0][:n]) == list(range(2 * n, 3 * n))
    data = np.zeros((64, n), np.float32)
    data[0] = np.arange(1, n + 1)
    got = memory(library, overload(f"vstore{n}", f"float{n}", "size_t", "private float *"), data, offset, np.zeros(64, np.float32))
    assert list(got[2 * n : 3 * n]) == list(range(1, n + 1)) and np.count_nonzero(got) == n


def test_half_is_loaded_exactly(library: Functions) -> None:
    zero = np.zeros(65536, np.uint64)
    for name in ("vload_half", "vloada_half"):
        got = library(overload(name, "size_t", "const private half *"), zero, HALVES)[0]
        assert np.array_equal(got, HALVES.view(np.float16).astype(np.float32), equal_nan=True)
    offset = np.full(65536, 3, np.uint64)
    for name, start in (("vload_half3", 9), ("vloada_half3", 12), ("vloada_half4", 12)):
        width = int(name[-1])
        got = library(overload(name, "size_t", "const private half *"), offset, HALVES + 15360, items=1)[0][0, :width]
        assert np.array_equal(got, (HALVES + 15360)[start : start + width].view(np.float16).astype(np.float32))


def half_model(x: np.ndarray, rounding: str) -> np.ndarray:
    """Bits of x rounded to half: NumPy's nearest, moved to its neighbour where it lies on the wrong side."""
    with np.errstate(over="ignore"):
        nearest = x.astype(np.float16)
        exact, back = x.astype(np.float64), nearest.astype(np.float64)
        down = np.where(back > exact, np.nextafter(nearest, np.float16(-np.inf)), nearest)
        up = np.where(back < exact, np.nextafter(nearest, np.float16(np.inf)), nearest)
    chosen = {"_rtz": np.where(exact < 0, up, down), "_rtp": up, "_rtn": down}.get(rounding, nearest)
    return np.copysign(chosen, x).astype(np.float16)


@pytest.mark.parametrize("name", ["vstore_half", "vstorea_half"])
@pytest.mark.parametrize("element", ["float", "double"])
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_half_is_stored_with_each_rounding(library: Functions, name: str, element: str, rounding: str) -> None:
    dtype = DTYPES[element]
    finite = HALVES.view(np.float16)[np.isfinite(HALVES.view(np.float16))].astype(dtype)
    ties = (finite[:-1] + finite[1:]) / 2
    x = np.concatenate([finite, ties, np.nextafter(ties, dtype(0)), np.nextafter(ties, dtype(np.inf))])
    x = np.concatenate([x, np.array([65519, 65520, 65536, 1e30, -1e30, np.inf, -np.inf, 1e-30, -1e-30, 0, -0.0], dtype)])
    got = library(
        overload(f"{name}{rounding}", element, "size_t", "private half *"),
        x,
        np.zeros(x.size, np.uint64),
        HALVES[:1].repeat(x.size),
    )
    assert np.array_equal(got[-1], half_model(x, rounding).view(np.uint16))
    not_a_number = np.array([np.nan], dtype)
    got = library(overload(f"{name}{rounding}", element, "size_t", "private half *"), not_a_number, np.zeros(1, np.uint64), HALVES[:1])
    assert np.isnan(got[-1].view(np.float16)[0])


@pytest.mark.parametrize("element", ["float", "double"])
def test_half_vectors_are_stored(library: Functions, element: str) -> None:
    for name, n, start in (("vstore", 3, 6), ("vstorea", 3, 8), ("vstore", 4, 8), ("vstorea", 4, 8)):
        data = np.zeros((32, n), DTYPES[element])
        data[0] = [1, -2, 3, 4][:n]
        o = overload(f"{name}_half{n}_rtz", f"{element}{n}", "size_t", "private half *")
        got = memory(library, o, data, np.full(32, 2, np.uint64), np.zeros(32, np.uint16)).view(np.float16)
        assert list(got[start : start + n]) == [1, -2, 3, 4][:n] and np.count_nonzero(got) == n


@pytest.mark.parametrize("prefix", ["atomic", "atom"])
@pytest.mark.parametrize("t", ["int", "uint"])
def test_atomics_return_the_old_value(library: Functions, prefix: str, t: str) -> None:
    expected = {"add": 17, "sub": 7, "xchg": 5, "min": 5, "max": 12, "and": 4, "or": 13, "xor": 9}
    dtype = DTYPES[t]
    for op, result in expected.items():
        o = overload(f"{prefix}_{op}", f"volatile global {t} *", t)
        old, memory = library(o, np.array([12], dtype), np.array([5], dtype))
        assert (old[0], memory[0]) == (12, result), op
    for op, result in (("inc", 13), ("dec", 11)):
        old, memory = library(overload(f"{prefix}_{op}", f"volatile global {t} *"), np.array([12], dtype))
        assert (old[0], memory[0]) == (12, result)
    o = overload(f"{prefix}_cmpxchg", f"volatile global {t} *", t, t)
    old, memory = library(o, np.array([12, 13], dtype), np.array([12, 12], dtype), np.array([7, 7], dtype))
    assert list(old) == [12, 13] and list(memory) == [7, 13]


def test_atomic_xchg_of_float(library: Functions) -> None:
    o = overload("atomic_xchg", "volatile global float *", "float")
    old, memory = library(o, np.array([1.5], np.float32), np.array([-2.5], np.float32))
    assert (old[0], memory[0]) == (1.5, -2.5)
