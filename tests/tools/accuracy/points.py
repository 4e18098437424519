"""The inputs: every edge of 7.5 and of the formats, and numbers spread over the exponents, over moderate values, and close to
one another.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .device import DTYPES
from .functions import Function

_EDGES = [0, 1, 2, 3, 4, 5, 7, 8, 10, 0.5, 0.25, 0.75, 1.5, 2.5, 1 / 3, 2 / 3, 100, 1000, np.pi, np.pi / 2, np.pi / 4, np.e, np.inf,
          88.0, 88.7, 89, 103.9, 104, 127, 128, 149, 150, 709.7, 710, 744.4, 745.2, 1023, 1024, 1074, 1075, 10.4, 11.09, 17.3, 15.9, 16.1,
          2.0**23, 2.0**24, 2.0**31, 2.0**52, 2.0**53, 170.6, 171.6, 35.0, 35.1, 8.7, 8.8, 11.0, 38.5, 45.1, 308.2, 323.3, 4.8, 4.6, 7.9]
_INTEGERS = [0, 1, -1, 2, -2, 3, -3, 4, 5, 7, -7, 15, 16, 17, 23, 24, 25, -24, -25, 31, 126, 127, 128, -126, -127, -149, -150, 255, 1022, 1023,
             1024, -1022, -1074, -1075, 2000, -2000, 32767, 2**24, 2**24 + 1, -(2**24) - 1, 2**31 - 2, 2**31 - 1, -(2**31), -(2**31) + 1]


def edges(element: str) -> np.ndarray:
    dtype = DTYPES[element]
    info = np.finfo(dtype)
    with np.errstate(over="ignore"):
        found = np.array([*_EDGES, info.max, info.tiny, info.smallest_subnormal, info.eps, 1 + info.eps, 1 - info.epsneg], dtype)
        found = np.concatenate([found, np.nextafter(found, dtype(np.inf)), np.nextafter(found, dtype(-np.inf)), [dtype(np.nan)]])
    return np.unique(np.concatenate([found, -found]).view(f"u{info.bits // 8}")).view(dtype)


def arguments(function: Function, count: int) -> list[np.ndarray]:
    """About `count` inputs: all halfs for a function of one half."""
    element = function.element
    rng = np.random.default_rng(20)
    if function.parameters == ("T",):
        if element == "half":
            return [np.arange(1 << 16, dtype=np.uint16).view(np.float16)]
        return [np.concatenate([edges(element), spread(rng, element, count // 2), moderate(rng, element, count - count // 2)])]
    grid = np.meshgrid(*(_some_edges(element, parameter, len(function.parameters)) for parameter in function.parameters), indexing="ij")
    random = _random(rng, function.parameters, element, count)
    return [np.concatenate([column.ravel(), more]) for column, more in zip(grid, random, strict=True)]


def _some_edges(element: str, parameter: str, of: int) -> np.ndarray:
    if parameter == "int":
        return np.array(_INTEGERS, np.int32)
    found = edges(element)
    return found if of == 2 else found[:: len(found) // 24]


def spread(rng: np.random.Generator, element: str, count: int) -> np.ndarray:
    """Any bits, save those of signalling NaNs: every exponent and sign is as likely as any other."""
    dtype = DTYPES[element]
    size = np.dtype(dtype).itemsize
    found = rng.integers(0, 1 << 8 * size, count, dtype=f"u{size}").view(dtype)
    found[np.isnan(found)] = np.nan
    return found


def moderate(rng: np.random.Generator, element: str, count: int) -> np.ndarray:
    """From 2^-12 to 2^12, either sign, half of them between -4 and 4."""
    large = np.exp2(rng.uniform(-12, 12, count)) * rng.choice([-1, 1], count)
    return np.where(rng.random(count) < 0.5, large, rng.uniform(-4, 4, count)).astype(DTYPES[element])


def _random(rng: np.random.Generator, parameters: Sequence[str], element: str, count: int) -> list[np.ndarray]:
    third = count // 3
    first = np.concatenate([spread(rng, element, third), moderate(rng, element, third), moderate(rng, element, count - 2 * third)])
    columns = [first]
    for parameter in parameters[1:]:
        if parameter == "int":
            small = rng.integers(-40, 41, count - third)
            columns.append(np.concatenate([rng.integers(-(2**31), 2**31, third), small]).astype(np.int32))
            continue
        # A few units from the first argument, and as much as a unit more or less in the exponent.
        near = first[2 * third :] * (1 + rng.integers(-8, 9, count - 2 * third) * np.finfo(DTYPES[element]).eps).astype(DTYPES[element])
        columns.append(np.concatenate([spread(rng, element, third), moderate(rng, element, third), near]).astype(DTYPES[element]))
    return columns
