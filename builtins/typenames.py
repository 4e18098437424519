"""The spelling of OpenCL's scalar and vector types, and what can be read off it: element, width, size (6.3).

Knows nothing of functions, address spaces or C++.
"""

from __future__ import annotations

import re
from functools import cache

SIZES = {
    "char": 1,
    "uchar": 1,
    "short": 2,
    "ushort": 2,
    "int": 4,
    "uint": 4,
    "long": 8,
    "ulong": 8,
    "half": 2,
    "float": 4,
    "double": 8,
}
SIGNED = ("char", "short", "int", "long")
UNSIGNED = ("uchar", "ushort", "uint", "ulong")
INTEGERS = tuple(name for pair in zip(SIGNED, UNSIGNED, strict=True) for name in pair)
FLOATS = ("float", "double")
ARITHMETIC = INTEGERS + FLOATS
WITH_HALF = (*ARITHMETIC, "half")
WIDTHS = (2, 3, 4, 8, 16)

_VECTOR = re.compile(rf"({'|'.join(SIZES)})(2|3|4|8|16)")


@cache
def split(name: str) -> tuple[str, int]:
    """("float", 4) of "float4"; the width of anything that is no vector is 1."""
    found = _VECTOR.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, 1)


def vector(element: str, width: int) -> str:
    return element if width == 1 else f"{element}{width}"


def is_vector(name: str) -> bool:
    return _VECTOR.fullmatch(name) is not None


def is_integer(name: str) -> bool:
    return split(name)[0] in INTEGERS


def size(name: str) -> int:
    """Bytes; a 3-vector is as large as a 4-vector."""
    element, width = split(name)
    return SIZES[element] * (4 if width == 3 else width)


def signed(name: str) -> str:
    """The signed integer type of the same width and size: "int4" of "float4" or "uint4". A vector comparison's result."""
    element, width = split(name)
    return vector(next(s for s in SIGNED if SIZES[s] == SIZES[element]), width)


def unsigned(name: str) -> str:
    element, width = split(name)
    return vector(next(u for u in UNSIGNED if SIZES[u] == SIZES[element]), width)


def components(width: int) -> tuple[str, ...]:
    """The members of a vector: x, y, z, w up to 4, then s0 to sf."""
    return tuple("xyzw"[:width]) if width <= 4 else tuple(f"s{i:x}" for i in range(width))
