"""Overload resolution (specification 6.15; ranks as clang's): built-ins and the user's `overloadable` functions.

Owns the ranking only; conversions themselves are made by `conversions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

from ...ir import nodes as ir
from ...ir.constants import integer_value
from ...ir.types import BUILTIN_TYPES, Array, Opaque, Pointer, Scalar, Type, Vector, Void, aliased

EXACT, PROMOTION, CONVERSION, WIDENING = range(4)
# Conversions that only C makes, from the best to the worst: of void *, of a pointer that loses const or volatile, of a pointer to
# something else. clang takes the last two for equally bad; where that leaves several functions it refuses the call.
FROM_VOID, UNQUALIFIED, INCOMPATIBLE = 4, 6, 8
Candidate = TypeVar("Candidate")


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


def spaces_convert(source: str, target: str) -> bool:
    """6.7.6: a pointer to a named address space, save constant, converts to a generic one."""
    return source == target or (target == "generic" and source != "constant")


def rank(argument: ir.Expr, parameter: Type) -> int | None:
    """How far the argument is from the parameter, None where it cannot be passed."""
    type = argument.type
    if isinstance(type, Array):
        space = place_space(argument)
        type = Pointer(type.element, space, type.const, type.volatile)  # type: ignore[arg-type]
    if type == parameter:
        return EXACT
    if isinstance(parameter, Scalar) and isinstance(type, Scalar):
        promoted = (parameter.name == "int" and type.kind != "float" and type.size < 4) or (
            parameter.name == "double" and type.name == "float") or (parameter.name == "float" and type.name == "half")
        return PROMOTION if promoted else CONVERSION
    if isinstance(parameter, Opaque):
        value = integer_value(argument) if isinstance(type, Scalar) else None
        null = parameter.kind in ("event", "queue") and value == 0
        return CONVERSION if null or (parameter.kind == "sampler" and value is not None) else None
    if isinstance(parameter, Vector):
        return WIDENING if isinstance(type, Scalar) else None
    if isinstance(parameter, Pointer):
        if isinstance(type, Pointer) and spaces_convert(type.space, parameter.space):
            return _pointer_rank(type, parameter)
        if isinstance(argument, ir.Number) and argument.value == 0 and isinstance(type, Scalar):
            return CONVERSION
    return None


def _pointer_rank(type: Pointer, parameter: Pointer) -> int | None:
    """The rank of a pointer whose address space fits; the same address space is nearer than the generic one."""
    kept = (not type.const or parameter.const) and (not type.volatile or parameter.volatile)
    farther = type.space != parameter.space
    if type.pointee == parameter.pointee:
        return (CONVERSION if farther else PROMOTION) if kept else UNQUALIFIED + farther
    if isinstance(parameter.pointee, Void):
        return CONVERSION if kept else UNQUALIFIED + farther
    if isinstance(type.pointee, Void):
        return FROM_VOID + farther
    inner, expected = type.pointee, parameter.pointee
    if isinstance(inner, Pointer) and isinstance(expected, Pointer) and inner.space != expected.space:
        return None
    return INCOMPATIBLE + farther


def _leniency(ranks: tuple[int, ...]) -> int:
    worst = max(ranks, default=EXACT)
    return worst // 2 if worst >= UNQUALIFIED else 0


def place_space(expr: ir.Expr) -> str:
    """The address space of the array that the expression names."""
    if isinstance(expr, ir.Name) and isinstance(expr.symbol, ir.Variable):
        return expr.symbol.space
    if isinstance(expr, ir.Member):
        return expr.base.type.space if expr.arrow and isinstance(expr.base.type, Pointer) else place_space(expr.base)
    if isinstance(expr, ir.Index):
        return expr.base.type.space if isinstance(expr.base.type, Pointer) else place_space(expr.base)
    if isinstance(expr, ir.Unary) and isinstance(expr.operand.type, Pointer):
        return expr.operand.type.space
    if isinstance(expr, ir.String):
        return "constant"
    return "private"


def best(arguments: Sequence[ir.Expr], candidates: Sequence[tuple[Candidate, Sequence[Type], bool]]) -> list[Candidate]:
    """The best of (candidate, parameter types, variadic): one, none that fits, or several that are equally good."""
    fitting: list[tuple[tuple[int, ...], Candidate]] = []
    for candidate, parameters, variadic in candidates:
        if len(arguments) < len(parameters) or (len(arguments) > len(parameters) and not variadic):
            continue
        ranks = []
        for argument, parameter in zip(arguments, parameters, strict=False):
            each = rank(argument, parameter)
            if each is None:
                break
            ranks.append(each)
        else:
            fitting.append((tuple(ranks), candidate))
            if not any(ranks):
                return [candidate]  # exact in every argument
    if fitting:
        # As in clang, a function that only C's leniency can call loses to one that needs none, whatever its other arguments are.
        least = min(_leniency(ranks) for ranks, _ in fitting)
        fitting = [(ranks, candidate) for ranks, candidate in fitting if _leniency(ranks) == least]
    distinct = {ranks for ranks, _ in fitting}
    best_ranks = {r for r in distinct if not any(o != r and all(a <= b for a, b in zip(o, r, strict=True)) for o in distinct)}
    front = [(ranks, candidate) for ranks, candidate in fitting if ranks in best_ranks]
    if len(front) > 1:
        # Better than every other: no worse in any argument, which is what C++ asks of the one that it calls.
        winners = [c for ranks, c in front if all(r <= o for other, _ in front for r, o in zip(ranks, other, strict=True))]
        if len(winners) == 1:
            return winners
    return [candidate for _, candidate in front]
