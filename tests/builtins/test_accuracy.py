"""Math, common and geometric functions: within their bounds at some points, and exact at every edge of 7.5.

A quick share of what `python tests/tools/accuracy` measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from tools.accuracy import device as devices
from tools.accuracy import edges, geometry, measure, references
from tools.accuracy.functions import ELEMENTS, Function, functions

from cl2cuda.runtime.devices.device import Device
from cl2cuda.translator import translate

POINTS = 1500
CHUNKS = [
    (element, start) for element in ELEMENTS for start in range(0, len(functions(element)), devices.PER_PROGRAM)
]


@cache
def reference(function: Function, count: int) -> references.Reference:
    """The same on every device."""
    return references.reference(function, measure.chosen(function, count))


def chunk(element: str, start: int) -> list[Function]:
    return functions(element)[start : start + devices.PER_PROGRAM]


@pytest.mark.parametrize(("element", "start"), CHUNKS)
def test_functions_keep_their_bounds_and_edges(real_device: Device, element: str, start: int) -> None:
    session = devices.Session(real_device, chunk(element, start))
    for function in session.functions:
        if measure.can_be_referenced(function):
            (found,) = measure.against_exact(function, {"": session}, POINTS, lambda f, _: reference(f, POINTS))
            assert found.holds, (function.label, found.worst, function.bound.text, found.where)
        check_edges(session, function)


def check_edges(session: devices.Session, function: Function) -> None:
    wanted = [(arguments, result) for arguments, result in of_edges().get(function.label.removeprefix("half_"), ())]
    if function.name.startswith("native_") or not wanted:
        return
    types = [np.int32 if parameter == "int" else devices.DTYPES[function.element] for parameter in function.parameters]
    columns = [np.array(column, dtype) for column, dtype in zip(zip(*(a for a, _ in wanted), strict=True), types, strict=True)]
    for (arguments, result), got in zip(wanted, session.results(function, columns), strict=True):
        assert is_prescribed(got, result, function), (function.label, function.element, arguments, got, result)


@cache
def of_edges() -> dict[str, list[tuple[Sequence[float], float]]]:
    found: dict[str, list[tuple[Sequence[float], float]]] = {}
    for label, arguments, result in edges.cases():
        found.setdefault(label, []).append((arguments, result))
    return found


def is_prescribed(got: float, result: float, function: Function) -> bool:
    if np.isnan(result):
        return bool(np.isnan(got))
    if np.isfinite(result) and result != round(result, 2):  # a part of pi
        return bool(abs(got - result) <= function.bound.constant * np.spacing(devices.DTYPES[function.element](abs(result))).astype(float))
    return bool(got == result and np.signbit(got) == np.signbit(result))


def test_every_edge_belongs_to_a_function() -> None:
    labels = {function.label for function in functions("float")}
    assert not {label for label in of_edges() if label not in labels} - {"nextafter"}


@pytest.mark.parametrize("element", ELEMENTS)
def test_geometric_functions_keep_their_bounds(real_device: Device, element: str) -> None:
    for (found,) in geometry.measure(element, {"": real_device}, 4 * POINTS):
        assert found.holds, (found.function.label, found.worst, found.function.bound.text, found.where)


@pytest.mark.parametrize("relaxed", [False, True])
def test_the_programs_of_exhaustive_runs_are_programs(relaxed: bool) -> None:
    found = functions("float", relaxed=relaxed)
    kernels = translate(devices.source("range", found, 0)).kernels
    assert len(kernels) == sum(devices.takes_every_float(function) for function in found) > 20
    assert translate(devices.source("points", found, 0)).kernels


def test_what_errs_is_told() -> None:
    """The measure itself: results that are a known distance from right ones."""
    (sine,) = (f for f in functions("float") if f.label == "sin")
    x = np.array([0.5, 1, 2, 3], np.float32)
    exact = references.reference(sine, [x])
    right = np.sin(x.astype(np.float64)).astype(np.float32)
    assert (references.distances(sine, right.astype(np.float64), exact) <= 0.5).all()
    off = right + 3 * np.spacing(right)
    assert np.allclose(references.distances(sine, off.astype(np.float64), exact), 3, atol=0.51)
    found = references.distances(sine, np.array([np.nan, np.inf, 0, 1]), exact)
    assert found[0] == np.inf and found[1] > 1e9


def test_infinity_is_the_number_after_the_greatest() -> None:
    (exponential,) = (f for f in functions("float") if f.label == "exp")
    x = np.array([88.7228, 100], np.float32)
    distances = references.distances(exponential, np.array([np.inf, np.inf]), references.reference(exponential, [x]))
    assert 1 < distances[0] < 1000 and distances[1] == 0


def test_half_functions_give_something_out_of_their_range(real_device: Device) -> None:
    """As Khronos' tests have it: of any finite number a sine or a cosine is one, and a tangent is a number."""
    found = {function.name: function for function in functions("float") if function.name in ("half_sin", "half_cos", "half_tan")}
    session = devices.Session(real_device, list(found.values()))
    large = np.logspace(4.5, 38.5, 4001, dtype=np.float32)
    large = np.concatenate([large, -large, np.ldexp(np.float32(1.57079637), np.arange(127)).astype(np.float32)])
    for name, function in found.items():
        results = session.results(function, [large])
        assert not np.isnan(results).any(), name
        assert name == "half_tan" or (np.abs(results) <= 1).all(), name
        assert np.isnan(session.results(function, [np.array([np.inf, -np.inf, np.nan], np.float32)])).all(), name
