"""clang's `__builtin_elementwise_…`, functions of scalars or of vectors, and `__builtin_reduce_…`, which fold a vector to a scalar."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from pycparser import c_ast

from ...ir import nodes as ir
from ...ir.types import BOOL, Scalar, Type, Vector
from ..gnu_builtin_names import PREFIX, RENAMED

if TYPE_CHECKING:
    from .gnu_builtins import GnuBuiltins

Maker = Callable[["GnuBuiltins", list[c_ast.Node], int], ir.Expr]

# OpenCL's names for some.
_RENAMED = {**RENAMED, "bitreverse": "bit_reverse", "maxnum": "fmax", "minnum": "fmin"}
_OF_FLOATS = {
    1: """acos asin atan ceil cos cosh exp exp10 exp2 floor log log10 log2 nearbyint rint round roundeven sin sinh sqrt tan tanh
          trunc""".split(),
    2: "atan2 copysign fmod maxnum minnum pow".split(), 3: ["fma"],
}  # fmt: skip
_OF_INTEGERS = {1: ["bitreverse", "popcount"], 2: ["add_sat", "sub_sat"]}
_REDUCTIONS = {"add": "+", "mul": "*", "and": "&", "or": "|", "xor": "^"}


def _element(type: Type) -> Scalar | None:
    """Of a vector, or the scalar itself."""
    element = type.element if isinstance(type, Vector) else type
    return element if isinstance(element, Scalar) and element != BOOL else None


def _arguments(self: GnuBuiltins, nodes: list[c_ast.Node], elements: str | None) -> list[ir.Expr]:
    """The values, which are of one type, of elements of that kind."""
    values = [self.unit.conversions.promote(self.unit.expressions.value(each)) for each in nodes]
    type = values[0].type
    for number, value in enumerate(values, start=1):
        element = _element(value.type)
        if element is None or elements not in (None, element.kind):
            wanted = {"float": "floating-point", "int": "integer", None: "arithmetic"}[elements]
            raise self.unit.fail(value.pos, f"argument {number} must be of {wanted} type or a vector of such ('{value.type}' invalid)")
        if value.type != type:
            raise self.unit.fail(value.pos, f"arguments are of different types ('{type}' vs '{value.type}')")
    return values


def _called(name: str, elements: str) -> Maker:
    """OpenCL's function of that name, which keeps the type."""
    return lambda self, nodes, pos: self.library(name, _arguments(self, nodes, elements), pos)


def _extreme(name: str) -> Maker:
    """The larger or smaller ones; of a number and a NaN the number."""

    def make(self: GnuBuiltins, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        return _greater_or_less(self, name, _arguments(self, nodes, None), pos)

    return make


def _greater_or_less(self: GnuBuiltins, name: str, values: list[ir.Expr], pos: int) -> ir.Expr:
    element = _element(values[0].type)
    assert element is not None
    return self.library(f"f{name}" if element.kind == "float" else name, values, pos)


def _absolute(self: GnuBuiltins, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
    """The absolute values in the type of the argument, where OpenCL's abs gives unsigned ones."""
    [value] = _arguments(self, nodes, None)
    element = _element(value.type)
    assert element is not None
    if element.kind == "float":
        return self.library("fabs", [value], pos)
    if not element.signed:
        raise self.unit.fail(value.pos, f"argument 1 must be signed or of floating-point type ('{value.type}' invalid)")
    plain = dataclasses.replace(value.type, alias=None)  # without a typedef's name
    return self.library(f"as_{plain}", [self.library("abs", [value], pos)], pos)


def _reduced(name: str) -> Maker:
    """One element after the other. Sums and products are of integers only, as clang's: of others their order would matter."""
    op = _REDUCTIONS.get(name)

    def make(self: GnuBuiltins, nodes: list[c_ast.Node], pos: int) -> ir.Expr:
        [value] = _arguments(self, nodes, "int" if op is not None else None)
        if not isinstance(value.type, Vector):
            raise self.unit.fail(value.pos, f"argument of '{PREFIX}reduce_{name}' must be a vector ('{value.type}' invalid)")
        element = value.type.element
        kept = ir.Name(value.type, pos, self.unit.temporary(value.type, pos))
        made: ir.Expr = ir.Component(element, pos, kept, 0)
        for index in range(1, value.type.width):
            each = ir.Component(element, pos, kept, index)
            if op is None:
                made = _greater_or_less(self, name, [made, each], pos)
            else:
                computed = ir.Binary(element, pos, op, made, each)
                made = ir.Cast(element, pos, computed, False) if element.size < 4 else computed
        return ir.Sequence(element, pos, ir.Assign(value.type, pos, "=", kept, value), made)

    return make


# By name without the prefix: the number of arguments, and what makes the expression.
ELEMENTWISE: dict[str, tuple[int | None, Maker]] = {
    **{f"elementwise_{name}": (count, _called(_RENAMED.get(name, name), elements))
       for elements, of in (("float", _OF_FLOATS), ("int", _OF_INTEGERS)) for count, names in of.items() for name in names},
    **{f"elementwise_{name}": (2, _extreme(name)) for name in ("max", "min")}, "elementwise_abs": (1, _absolute),
    **{f"reduce_{name}": (1, _reduced(name)) for name in (*_REDUCTIONS, "max", "min")},
}  # fmt: skip
