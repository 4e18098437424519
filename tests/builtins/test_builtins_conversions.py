"""Conversions between all types against the exact model of `conversions`, of which the command `python tests/tools/conversions` checks far
more values; and the model against fractions.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from support.execute import execute
from tools.conversions import model, run

from cl2cuda.runtime.devices.device import Device

ROUND = {"_rte": round, "_rtz": math.trunc, "_rtp": math.ceil, "_rtn": math.floor}


@pytest.mark.parametrize("source", model.TYPES)
def test_conversions(real_device: Device, source: str) -> None:
    checked = list(run.check(real_device, source, 9000))
    assert len(checked) >= 95 and all(each.values > 100 for each in checked)
    wrong = [each for each in checked if each.wrong]
    assert not wrong, wrong[0]


def test_vectors(real_device: Device) -> None:
    source = """
    kernel void f(global uchar4 *bytes, global double3 *doubles, global half8 *halfs, global int *n) {
        bytes[0] = convert_uchar4_sat_rte((float4)(-3, 2.5f, 300, NAN));
        doubles[0] = convert_double3((int3)(n[0], n[1], n[2]));
        halfs[0] = convert_half8_rtz((double8)(1.9999, -1.9999, 70000, -70000, 1e-8, 0.5, 3, -0.0));
    }"""
    bytes_, doubles, halfs = np.zeros(4, np.uint8), np.zeros(4), np.zeros(8, np.float16)
    execute(real_device, source, bytes_, doubles, halfs, np.array([-3, 2, 2**31 - 1], np.int32))
    assert bytes_.tolist() == [0, 2, 255, 0] and doubles[:3].tolist() == [-3, 2, 2**31 - 1]
    assert halfs.tolist() == [1.9990234375, -1.9990234375, 65504, -65504, 0, 0.5, 3, 0] and np.signbit(halfs[7])


@pytest.mark.parametrize(("source", "to"), [("double", "float"), ("long", "float"), ("ulong", "double"), ("int", "float"), ("double", "half"),
                                            ("float", "half"), ("float", "uchar"), ("double", "long")])
def test_vectors_of_sixteen(real_device: Device, source: str, to: str) -> None:
    """Compilers make other code of them than of one number: GCC 12 got some of double to float wrong."""
    checked = list(run.check_vectors(real_device, source, to, 3000))
    assert len(checked) >= 5 and all(each.values > 100 for each in checked)
    wrong = [each for each in checked if each.wrong]
    assert not wrong, wrong[0]


# -- the model -----------------------------------------------------------------------------------------------------------


def to_integer(x: int | float, to: str, saturate: bool, rounding: str) -> int | None:
    """None where the result is the implementation's to choose."""
    info = np.iinfo(model.DTYPES[to].type)
    if isinstance(x, int):
        return min(max(x, info.min), info.max) if saturate else (x - info.min) % (info.max - info.min + 1) + info.min
    if not math.isfinite(x):
        return (0 if math.isnan(x) else info.max if x > 0 else info.min) if saturate else None
    rounded = ROUND[rounding or "_rtz"](Fraction(x))
    if info.min <= rounded <= info.max:
        return rounded
    return min(max(rounded, info.min), info.max) if saturate else None


def to_float(x: int | float, dtype: type, rounding: str) -> np.floating:
    if isinstance(x, float) and (not math.isfinite(x) or x == 0):
        return dtype(x)
    with np.errstate(over="ignore"):
        # An integer goes to float through NumPy's long double, which holds it exactly.
        nearest = dtype(x) if isinstance(x, float) or dtype is np.float16 else dtype(np.longdouble(str(x)))
    exact = Fraction(x)
    if not np.isfinite(nearest):
        too_high, too_low = nearest > 0, nearest < 0
    else:
        too_high, too_low = Fraction(float(nearest)) > exact, Fraction(float(nearest)) < exact
    with np.errstate(over="ignore"):
        down = np.nextafter(nearest, dtype(-np.inf)) if too_high else nearest
        up = np.nextafter(nearest, dtype(np.inf)) if too_low else nearest
    return {"_rtz": up if x < 0 else down, "_rtp": up, "_rtn": down}.get(rounding, nearest)


@pytest.mark.parametrize("source", model.TYPES)
def test_the_model_agrees_with_fractions(source: str) -> None:
    x = model.inputs(source, 300)
    x = x[:: max(1, len(x) // 700)]
    for to in model.TYPES:
        for mode in model.modes(to):
            expected, defined = model.convert(x, to, mode)
            rounding = mode.removeprefix("_sat")
            for given, result, told in zip(x.tolist(), expected, defined, strict=True):
                exact = to_integer(given, to, "_sat" in mode, rounding) if to in model.INTEGERS else to_float(given, model.DTYPES[to].type, rounding)
                assert (exact is not None) == told
                if told:
                    assert result == exact or (result != result and exact != exact), (mode, source, given, result, exact)


def test_inputs_are_all_or_many() -> None:
    assert len(np.unique(model.inputs("half", 5).view(np.uint16))) == 65536 and len(np.unique(model.inputs("char", 5))) == 256
    x = model.inputs("double", 900)
    assert np.isnan(x).any() and np.isinf(x).any() and (x == 2.0**63).any() and (x == -(2.0**31) - 0.5).any()
