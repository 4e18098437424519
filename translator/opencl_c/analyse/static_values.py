"""What constants are worth as OpenCL computes them, and whether C++ computes the same while it compiles.

It does not where a sum overflows, where a type does not hold what is converted to it, with half, and with elements of other constants.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from typing import NamedTuple, Union

from ...ir import nodes as ir
from ...ir.constants import OPERATORS, wrap
from ...ir.types import FLOAT, HALF, INT, Array, Record, Scalar, Type, Vector
from . import halves

Number = Union[int, float]


class Initials:
    """What initialisers may name: constants, each with its own initialiser. `values` are those that were asked for."""

    def __init__(self) -> None:
        self.of: dict[ir.Variable, ir.Expr] = {}
        self.values: dict[ir.Variable, Static] = {}


class NoValue(Exception):
    """A part that has no value, as a division by zero; its place."""

    def __init__(self, pos: int, message: str = "initializer element is not a compile-time constant"):
        self.pos, self.message = pos, message


class Static(NamedTuple):
    """A scalar's or vector's components, None where they are not known; where that has no value. `plain`: C++ computes it, too."""

    value: tuple[Number, ...] | None
    plain: bool = True
    fault: int | None = None


UNKNOWN = Static(None)
_LARGEST, _LEAST = float.fromhex("0x1.fffffep127"), float.fromhex("0x1p-149")
_CONDITIONS = ("<", ">", "<=", ">=", "==", "!=", "&&", "||")


# -- numbers as expressions ------------------------------------------------------------------------------------------


def written(value: tuple[Number, ...], type: Type, pos: int) -> ir.Expr:
    if isinstance(type, Vector):
        return ir.MakeVector(type, pos, [written((each,), type.element, pos) for each in value])
    assert isinstance(type, Scalar)
    if type == HALF:
        return halves.number(value[0], pos)
    return _floating(float(value[0]), type, pos) if type.kind == "float" else integer(int(value[0]), type, pos)


def integer(value: int, type: Scalar, pos: int) -> ir.Number:
    return ir.Number(type, pos, integer_text(value, type), value)


def integer_text(value: int, type: Scalar) -> str:
    """C++ has no literal of the least int and the least long."""
    if type.kind == "bool":
        return "true" if value else "false"
    suffix = "u" * (type.size >= 4 and not type.signed) + "l" * (type.size == 8)
    least = value < 0 and value == -(1 << type.bits - 1) and type.size >= 4
    return f"({value + 1}{suffix} - 1)" if least else f"{value}{suffix}"


def _floating(value: float, type: Scalar, pos: int) -> ir.Expr:
    if math.isnan(value):
        nan = ir.BuiltinConstant(FLOAT, pos, "NAN", None, math.nan)
        return nan if type == FLOAT else ir.Cast(type, pos, nan, False)
    if math.isinf(value):
        infinity = ir.BuiltinConstant(type, pos, "INFINITY" if type == FLOAT else "HUGE_VAL", None, math.inf)
        return infinity if value > 0 else ir.Unary(type, pos, "-", infinity)
    digits = repr(value)
    if type == FLOAT:
        digits = next(text for precision in range(6, 10) if _to_float(float(text := f"{value:.{precision}g}")) == value)
        digits += "" if "." in digits or "e" in digits else ".0"
    return ir.Number(type, pos, digits + "f" * (type == FLOAT), value)


# -- the value -------------------------------------------------------------------------------------------------------


def static_value(expr: ir.Expr, initials: Initials) -> Static:
    """Marks the variables that it takes from C++."""
    order, stack = [], [expr]
    while stack:
        each = stack.pop()
        order.append(each)
        stack += _operands(each)
    found: dict[ir.Expr, Static] = {}
    for each in reversed(order):
        if each not in found:
            found[each] = _value(each, found, initials)
    return found[expr]


def _operands(expr: ir.Expr) -> list[ir.Expr]:
    if isinstance(expr, ir.Binary):
        return [expr.left, expr.right]
    if isinstance(expr, ir.Cast) and not isinstance(expr.operand.type, Array):
        return [expr.operand]
    if isinstance(expr, ir.Splat) or (isinstance(expr, ir.Unary) and expr.op not in "&*"):
        return [expr.operand]
    if isinstance(expr, ir.Conditional):
        return [expr.condition, expr.yes, expr.no]
    if isinstance(expr, ir.MakeVector):
        return expr.parts
    if isinstance(expr, ir.CompoundLiteral) and not isinstance(expr.init, ir.InitList):
        return [expr.init]
    if isinstance(expr, ir.Index):
        return [expr.base, expr.index] if isinstance(expr.base.type, Vector) else [expr.index]
    return [expr.base] if isinstance(expr, (ir.Component, ir.Swizzle)) else []


def _value(expr: ir.Expr, found: Mapping[ir.Expr, Static], initials: Initials) -> Static:
    if isinstance(expr, ir.Number):
        return Static((expr.value,))
    if isinstance(expr, ir.BuiltinConstant):
        number = expr.value if expr.number is None else expr.number
        return UNKNOWN if number is None or isinstance(expr.type, Vector) else Static((number,))
    if isinstance(expr, ir.SizeOf):
        return Static((expr.value,))
    if isinstance(expr, ir.Name):
        return _named(expr, initials)
    if isinstance(expr, (ir.Member, ir.Index)) and not isinstance(expr.base.type, Vector):
        init = named_part(expr, initials)
        if init is None:
            return Static(None, fault=expr.pos if _is_of_variable(expr) else None)
        return static_value(init, initials)._replace(plain=False)
    operands = [found[each] for each in _operands(expr)]
    if isinstance(expr, ir.Conditional):
        return _chosen(*operands)
    if isinstance(expr, ir.Binary) and expr.op in ("&&", "||") and isinstance(expr.type, Scalar):
        return _logical(expr.op, *operands)
    plain = all(each.plain for each in operands)
    fault = next((each.fault for each in operands if each.fault is not None), None)
    values = [each.value for each in operands if each.value is not None]
    if fault is not None or len(values) < len(operands) or not operands:
        return Static(None, plain, fault)
    rule = _RULES.get(type(expr))
    try:
        result = UNKNOWN if rule is None else rule(expr, *values)
    except NoValue as none:
        return Static(None, plain, none.pos)
    return result._replace(plain=plain and result.plain)


def _named(expr: ir.Name, initials: Initials) -> Static:
    symbol = expr.symbol
    if isinstance(symbol, ir.Enumerator):
        return Static((symbol.value,))
    init = initials.of.get(symbol) if isinstance(symbol, ir.Variable) else None
    if not isinstance(symbol, ir.Variable) or init is None or not isinstance(expr.type, (Scalar, Vector)):
        return UNKNOWN
    of_integers = isinstance(symbol.type, Scalar) and symbol.type.kind != "float"
    symbol.constexpr = symbol.constexpr or not (of_integers or symbol.volatile)
    if symbol not in initials.values:
        initials.values[symbol] = static_value(init, initials)._replace(plain=not symbol.volatile)
    return initials.values[symbol]


def named_part(expr: ir.Expr, initials: Initials) -> ir.Expr | None:
    """What initialises that element, or all, of a variable; None where that is not known."""
    if isinstance(expr, ir.Name):
        return initials.of.get(expr.symbol) if isinstance(expr.symbol, ir.Variable) else None
    if not isinstance(expr, (ir.Index, ir.Member)) or (isinstance(expr, ir.Member) and expr.arrow):
        return None
    base = named_part(expr.base.operand if isinstance(expr.base, ir.Cast) else expr.base, initials)
    if not isinstance(base, ir.InitList) or base.member is not None:
        return None
    if isinstance(expr, ir.Index):
        index = static_value(expr.index, initials).value
        position, end = int(index[0]) if index else -1, base.type.length if isinstance(base.type, Array) else 0
    else:
        assert isinstance(base.type, Record)
        names = [field.name for field in base.type.fields or ()]
        if base.type.kind == "union" or None in names or expr.name not in names:
            return None
        position, end = names.index(expr.name), len(names)
    if not 0 <= position < (end or 0):
        return None
    item = base.items[position] if position < len(base.items) else None
    if item is None and isinstance(expr.type, Scalar):
        return written((0,), expr.type, expr.pos)
    return item


def _is_of_variable(expr: ir.Expr) -> bool:
    while isinstance(expr, (ir.Index, ir.Member, ir.Cast)):
        expr = expr.operand if isinstance(expr, ir.Cast) else expr.base
    return isinstance(expr, ir.Name)


def _chosen(condition: Static, yes: Static, no: Static) -> Static:
    if condition.value is None:
        return Static(None, condition.plain and yes.plain and no.plain, condition.fault)
    chosen = yes if condition.value[0] else no
    return chosen._replace(plain=condition.plain and chosen.plain)


def _logical(op: str, left: Static, right: Static) -> Static:
    if left.value is None:
        return Static(None, left.plain and right.plain, left.fault)
    if bool(left.value[0]) == (op == "||"):
        return Static((int(op == "||"),), left.plain)
    value = None if right.value is None else (int(bool(right.value[0])),)
    return Static(value, left.plain and right.plain, right.fault)


def _cast(expr: ir.Cast, value: tuple[Number, ...]) -> Static:
    source, to = expr.operand.type, expr.type
    if not isinstance(source, Scalar) or not isinstance(to, Scalar):
        return Static(value) if source == to else UNKNOWN
    if source == to:
        return Static(value)
    return _converted(value[0], source, to, expr.pos)


def _converted(value: Number, source: Scalar, to: Scalar, pos: int) -> Static:
    plain = HALF not in (source, to)
    if to.kind == "bool":
        return Static((int(value != 0),), plain)
    if to.kind == "float":
        rounded = _rounded(value, to)
        return Static((rounded,), plain and (isinstance(value, int) or _is_exact_enough(value, rounded, to)))
    if isinstance(value, int):
        return Static((wrap(value, to),), plain)
    if math.isnan(value):
        raise NoValue(pos)
    least = -(1 << to.bits - 1) if to.signed else 0
    most = least + (1 << to.bits) - 1
    whole = (most + 1 if value > 0 else least - 1) if math.isinf(value) else int(value)
    held = min(max(whole, least), most)
    return Static((held,), plain and held == whole)


def _is_exact_enough(value: float, rounded: float, type: Scalar) -> bool:
    """Whether C++ lets the conversion pass in a constant: within the type's range."""
    return math.isfinite(value) and math.isfinite(rounded) and (type != FLOAT or not value or _LEAST <= abs(value) <= _LARGEST)


def _to_float(value: Number) -> float:
    if isinstance(value, int) and (beyond := value.bit_length() - 53) > 0:
        # Rounded once: the bits beyond become one that keeps what is left from lying in the middle.
        beyond += 8
        size = abs(value)
        value = math.copysign(float((size >> beyond | bool(size & (1 << beyond) - 1)) << beyond), value)
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _rounded(value: Number, type: Scalar) -> float:
    if type == FLOAT:
        return _to_float(value)
    if type == HALF:
        return float(struct.unpack("<e", struct.pack("<H", halves.bits_of(float(value))))[0])
    return float(value)


def _unary(expr: ir.Unary, value: tuple[Number, ...]) -> Static:
    element = _element(expr.operand.type)
    if expr.op == "!":
        true = -1 if isinstance(expr.type, Vector) else 1
        return Static(tuple(0 if each else true for each in value), element != HALF)
    if expr.op == "+" or (expr.op == "-" and element.kind == "float"):
        return Static(tuple(each if expr.op == "+" else -each for each in value), element != HALF)
    results = [-each if expr.op == "-" else ~int(each) for each in value]
    return _held(results, element)


def _held(results: list[Number], type: Scalar) -> Static:
    """Integers as the type holds them, which C++ computes in int where it is narrower."""
    wide = type if type.size >= 4 else INT
    plain = not wide.signed or all(wrap(int(each), wide) == each for each in results)
    return Static(tuple(wrap(int(each), type) for each in results), plain)


def _binary(expr: ir.Binary, left: tuple[Number, ...], right: tuple[Number, ...]) -> Static:
    if not isinstance(expr.left.type, (Scalar, Vector)) or not isinstance(expr.right.type, (Scalar, Vector)):
        return UNKNOWN
    width = max(len(left), len(right))
    pairs = list(zip(left * (width // len(left)), right * (width // len(right)), strict=True))
    element = _element(expr.left.type)
    of = OPERATORS[expr.op]
    if expr.op in _CONDITIONS:
        true = -1 if isinstance(expr.type, Vector) else 1
        return Static(tuple(true if of(a, b) else 0 for a, b in pairs), element != HALF)
    type = _element(expr.type)
    if type.kind == "float":
        exact = [_quotient(a, b) if expr.op == "/" else of(a, b) for a, b in pairs]
        rounded = [_rounded(each, type) for each in exact]
        finite = all(_is_exact_enough(one, other, type) for one, other in zip(exact, rounded, strict=True))
        vanished = expr.op in "*/" and any(not each and a and b for each, (a, b) in zip(rounded, pairs, strict=True))
        return Static(tuple(rounded), type != HALF and finite and not vanished)
    integers = [(int(a), int(b)) for a, b in pairs]
    if expr.op in ("<<", ">>"):
        counts = [(a, b & type.bits - 1) for a, b in integers]
        return Static(tuple(wrap(a << b if expr.op == "<<" else a >> b, type) for a, b in counts))
    if expr.op in "/%":
        return _divided(expr, integers, type)
    return _held([of(a, b) for a, b in integers], type)


def _divided(expr: ir.Binary, pairs: list[tuple[int, int]], type: Scalar) -> Static:
    if any(not b for _, b in pairs):
        raise NoValue(expr.pos)
    divided = _held([OPERATORS["/"](a, b) for a, b in pairs], type)
    if expr.op == "/":
        return divided
    return Static(tuple(OPERATORS["%"](a, b) for a, b in pairs), divided.plain)


def _quotient(a: Number, b: Number) -> float:
    if b:
        return a / b
    return math.nan if not a or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def _element(type: Type) -> Scalar:
    element = type.element if isinstance(type, Vector) else type
    assert isinstance(element, Scalar)
    return element


def _picked(expr: ir.Index, value: tuple[Number, ...], index: tuple[Number, ...]) -> Static:
    return Static((value[int(index[0])],), False) if 0 <= index[0] < len(value) else UNKNOWN


_RULES: dict[type[ir.Expr], Callable[..., Static]] = {
    ir.Cast: _cast, ir.Unary: _unary, ir.Binary: _binary, ir.Index: _picked,
    ir.Splat: lambda expr, value: Static(value * expr.type.width),
    ir.MakeVector: lambda expr, *parts: Static(tuple(each for part in parts for each in part)),
    ir.CompoundLiteral: lambda expr, value: Static(value),
    ir.Component: lambda expr, value: Static((value[expr.index],)),
    ir.Swizzle: lambda expr, value: Static(tuple(value[index] for index in expr.indices)),
}  # fmt: skip
