"""Integers at the border: whatever has `__index__` is one, NumPy's scalars too, and goes on as Python's int.

NumPy's own would not do below: the sum of an address and an int32 overflows. There is a function for each C type that parameters of
PyOpenCL's compiled module have; called with a parameter's value and name, it raises TypeError for what is no integer and for what the
C type does not hold. What stands in a sequence, or where None may stand, PyOpenCL casts itself, and a cast that fails is a
RuntimeError of Python there: `cast` and `cast_each`.

What programs call most often asks `type(n) is not int or n >> 64` before it calls such a function (32 for a cl_uint): the shifted number is
0 for what an unsigned type holds, and for nothing else.
"""

from __future__ import annotations

from builtins import RuntimeError as PythonRuntimeError
from collections.abc import Callable, Iterable
from operator import index
from typing import Any

CType = Callable[[Any, str], int]


def _c_type(name: str, least: int, most: int) -> CType:
    def convert(value: Any, parameter: str) -> int:
        if type(value) is int and least <= value <= most:
            return value
        try:
            number = index(value)
        except TypeError:
            raise TypeError(f"{parameter} must be an integer, not {value!r} of type {type(value).__name__}") from None
        if least <= number <= most:
            return number
        raise TypeError(f"{parameter} is {number}, which does not fit into {name}")

    return convert


size_t = _c_type("size_t", 0, 2**64 - 1)
ptrdiff_t = _c_type("ptrdiff_t", -(2**63), 2**63 - 1)
cl_bitfield = _c_type("cl_bitfield", 0, 2**64 - 1)
cl_uint = _c_type("cl_uint", 0, 2**32 - 1)
cl_int = _c_type("cl_int", -(2**31), 2**31 - 1)


def cast(c_type: CType, value: Any, parameter: str) -> int:
    """`c_type`, for what stands in a sequence, or where None may stand."""
    try:
        return c_type(value, parameter)
    except TypeError as error:
        raise PythonRuntimeError(str(error)) from None


def cast_each(c_type: CType, values: Iterable[Any], parameter: str) -> tuple[int, ...]:
    """`cast` for each of `values`."""
    given = values if type(values) is tuple else tuple(values)
    for value in given:
        if type(value) is not int or value >> 31:  # which shifts what every C type here holds to 0
            break
    else:
        return given
    try:
        return tuple([c_type(value, parameter) for value in given])
    except TypeError:  # Names are made for who reads them.
        return tuple([cast(c_type, value, f"{parameter}[{place}]") for place, value in enumerate(given)])


class Field:
    """An attribute of an unsigned C type of at least 32 bits, for classes that stand for structures, with `_NAME` among their slots."""

    def __init__(self, c_type: CType):
        self.c_type = c_type

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.slot = name, "_" + name
        self.put = vars(owner)[self.slot].__set__

    def __get__(self, structure: Any, owner: type | None = None) -> Any:
        return self if structure is None else getattr(structure, self.slot)

    def __set__(self, structure: Any, value: Any) -> None:
        self.put(structure, self.c_type(value, self.name) if type(value) is not int or value >> 32 else value)
