"""Calls of built-in functions: which overload an instruction means, with its arguments made to fit.

SPIR-V's types have no signs and its atomics no types of their own, so an overload is chosen by shape, and by the sign that the
instruction's name says.
"""

from __future__ import annotations

import dataclasses
from functools import cache

from ...builtins import table
from ...builtins.extensions import OFFERED_EXTENSIONS, OFFERED_FEATURES
from ..ir import nodes as ir
from ..ir.types import BOOL, BUILTIN_TYPES, Opaque, Pointer, Scalar, Type, Vector, aliased
from . import build

_OFFERED = frozenset([each.name for each in OFFERED_EXTENSIONS] + [each.name for each in OFFERED_FEATURES])


def _offers(requirement: str) -> bool:
    """Whether the device offers the extension or feature, or one of several: "one or other"."""
    return not requirement or any(name in _OFFERED for name in requirement.split(" or "))


class NoOverload(Exception):
    """The library has no such function for these types."""


@cache
def spelled_type(spelling: str) -> Type:
    """The type that builtins/table.py spells: "float4", "const global float *", "read_only image2d_t"."""
    if " image" in spelling:
        access, name = spelling.split()
        return Opaque(name, access)
    if not spelling.endswith("*"):
        return aliased(BUILTIN_TYPES[spelling], None)
    words = spelling[:-1].split()
    space = next(word for word in words if word in ("private", "global", "local", "constant", "generic"))
    pointee = spelled_type(words[-1])
    return Pointer(pointee, space, const="const" in words or space == "constant", volatile="volatile" in words)  # type: ignore[arg-type]


def _shape(type: Type) -> object:
    """What two types that differ only in the signs of integers have in common."""
    if isinstance(type, Vector):
        return (_shape(type.element), type.width)
    if isinstance(type, Scalar):
        return ("int", type.size) if type.kind == "int" else type.name
    return type


def _fits(given: Type, wanted: Type) -> bool:
    if isinstance(wanted, Pointer):
        if not isinstance(given, Pointer) or not (given.space == wanted.space or (wanted.space == "generic" != given.space != "constant")):
            return False
        if isinstance(wanted.pointee, Opaque) and wanted.pointee.kind == "atomic":
            return given.pointee == wanted.pointee
        return _shape(given.pointee) == _shape(wanted.pointee) or str(wanted.pointee) == "void"
    return _shape(given) == _shape(wanted) or (given == BOOL and isinstance(wanted, Scalar) and wanted.kind == "int" and wanted.size == 4)


def _signed(type: Type) -> bool | None:
    """None of what has no sign."""
    if isinstance(type, Pointer):
        return _signed(type.pointee)
    element = type.element if isinstance(type, Vector) else type
    return element.signed if isinstance(element, Scalar) and element.kind == "int" else None


@cache
def overload(name: str, given: tuple[Type, ...], signed: bool, result: Type | None) -> table.Overload:
    """The one that takes these types, where there are several with the wanted sign and result. Raises NoOverload."""
    found = []
    for each in table.overloads(name):
        wanted = [spelled_type(p) for p in each.parameters]
        if len(wanted) != len(given) or not all(map(_fits, given, wanted)):
            continue
        if result is not None and _shape(spelled_type(each.result)) != _shape(result) and not _boolean(each.result, result):
            continue
        signs = [_signed(type) for type in wanted if _signed(type) is not None]
        moved = sum(isinstance(a, Pointer) and isinstance(b, Pointer) and a.space != b.space for a, b in zip(given, wanted, strict=True))
        found.append(((moved, bool(signs) and signs[0] != signed), each))
    if not found:
        types = ", ".join(map(str, given))
        raise NoOverload(f"there is no {name}({types})")
    chosen = min(found, key=lambda pair: pair[0])[1]
    if not _offers(chosen.row.requires):
        raise NoOverload(f"{name} requires '{chosen.row.requires}', which this device does not offer")
    return chosen


def _boolean(spelled: str, result: Type) -> bool:
    """Whether a function's int is read as a boolean."""
    return spelled in ("int", "bool") and result == BOOL


def fitted(argument: ir.Expr, wanted: Type) -> ir.Expr:
    """The argument as a parameter of that type takes it: its shape is right."""
    given = argument.type
    if isinstance(wanted, Pointer):
        assert isinstance(given, Pointer)
        if given.pointee != wanted.pointee and str(wanted.pointee) != "void":
            return build.cast(argument, dataclasses.replace(given, pointee=wanted.pointee, const=given.const or wanted.const))
        return argument
    if given == BOOL:
        return build.cast(argument, wanted)
    return reinterpreted(argument, wanted) if given != wanted else argument


def reinterpreted(expr: ir.Expr, type: Type) -> ir.Expr:
    """An integer, or vector of integers, with the other sign."""
    if expr.type == type:
        return expr
    if isinstance(type, Scalar):
        return build.read_as(expr, type.signed)
    if isinstance(expr, ir.Splat) and isinstance(type, Vector):
        return ir.Splat(type, expr.pos, build.read_as(expr.operand, type.element.signed))
    if isinstance(expr, ir.BuiltinCall) and expr.overload.name.startswith("as_") and expr.arguments[0].type == type:
        return expr.arguments[0]
    return as_type(expr, type)


def as_type(expr: ir.Expr, type: Type) -> ir.Expr:
    """as_typen: the same bits."""
    name = f"as_{type}"
    for each in table.overloads(name):
        if spelled_type(each.parameters[0]) == expr.type:
            return ir.BuiltinCall(type, expr.pos, each, [expr])
    raise NoOverload(f"there is no {name}({expr.type})")


def integer(expr: ir.Expr, type: Scalar) -> ir.Expr:
    """An integer as that type. Raises NoOverload."""
    if not isinstance(expr.type, Scalar) or expr.type.kind != "int":
        raise NoOverload(f"a '{expr.type}' stands where an integer is wanted")
    return build.cast(expr, type)


def convert(expr: ir.Expr, type: Type, suffix: str = "") -> ir.Expr:
    """convert_typen with what comes behind its name."""
    name = f"convert_{type}{suffix}"
    for each in table.overloads(name):
        if spelled_type(each.parameters[0]) == expr.type:
            return ir.BuiltinCall(type, expr.pos, each, [expr])
    raise NoOverload(f"there is no {name}({expr.type})")


def call(name: str, arguments: list[ir.Expr], pos: int, *, signed: bool = False, result: Type | None = None) -> ir.BuiltinCall:
    """The call; its type is the overload's own. Raises NoOverload."""
    chosen = overload(name, tuple(a.type for a in arguments), signed, result)
    fitting = [fitted(a, spelled_type(p)) for a, p in zip(arguments, chosen.parameters, strict=True)]
    return ir.BuiltinCall(spelled_type(chosen.result), pos, chosen, fitting)
