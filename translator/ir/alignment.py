"""Vector loads and stores at computed places (6.15.7): what has to be a multiple of what for them to lie where hardware takes them at once.

The place `a + k * n + 4 * i` is aligned for four floats where the pointer `a` is and `n` is a multiple of 4, whatever k and i are. That
says nothing but what parameters are that the function does not change: so compilers decide it once, before a loop, and make two loops of
it. A loop of which they would make one with both kinds of accesses in it is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from . import nodes as ir
from .types import Pointer, Scalar, Vector
from .walk import members_of, nodes_of

WIDEST = 16  # bytes
# NVRTC 13 makes two loops of one that accesses 24 elements and adds three vectors of four products, not of one with 32 and four. What
# counts is accessed elements, and operations, of which a product and a sum are one.
_MOST = 36
_LOOPS = (ir.For, ir.While, ir.DoWhile)
_ACCESSES = ("vload", "vstore")


class Condition(NamedTuple):
    """Parameters of the function: integers that are multiples of `unit`, and pointers that are aligned for so many of their elements."""

    unit: int
    parameters: tuple[ir.Variable, ...]


def conditions(function: ir.Function) -> dict[ir.BuiltinCall, Condition]:
    """By call, where the accesses of a loop, or of what is in none, may be asked for together."""
    if function.body is None or function.gotos or not any(name.startswith(_ACCESSES) for name in function.builtins):
        return {}
    facts = _Facts(function)
    if not facts.is_plain:
        return {}
    found: dict[ir.BuiltinCall, Condition] = {}
    for region in _regions(function.body):
        if region.cost <= _MOST:
            found |= _together(function, region, facts)
    return found


def _together(function: ir.Function, region: _Region, facts: _Facts) -> dict[ir.BuiltinCall, Condition]:
    """One condition for all accesses of a unit: of several ones compilers would make a loop each. Accesses that only begin at a parameter
    ask for themselves (`parameter_code` in builtins/rows.py), where there are no others."""
    found: dict[ir.BuiltinCall, Condition] = {}
    for unit, accesses in _by_unit(region.accesses).items():
        needed = {call: wanted for call in accesses if (wanted := facts.needed(call, unit)) is not None}
        if any(not is_parameter(call.arguments[-1], function.parameters) for call in needed):
            of_all = set[ir.Variable]().union(*needed.values())
            condition = Condition(unit, tuple(each for each in function.parameters if each in of_all))
            found |= dict.fromkeys(needed, condition)
    return found


def is_parameter(expr: ir.Expr, parameters: Sequence[ir.Variable]) -> bool:
    """Whether it is one of these, as it is."""
    while isinstance(expr, ir.Cast) and expr.implicit:
        expr = expr.operand
    return isinstance(expr, ir.Name) and expr.symbol in parameters


def _by_unit(accesses: Iterable[ir.BuiltinCall]) -> dict[int, list[ir.BuiltinCall]]:
    found: dict[int, list[ir.BuiltinCall]] = {}
    for call in accesses:
        unit = _unit(call)
        if unit > 1:
            found.setdefault(unit, []).append(call)
    return found


def _unit(call: ir.BuiltinCall) -> int:
    """How many elements are taken at once."""
    pointee = _pointee(call.arguments[-1])
    return min(_width(call), WIDEST // pointee.size) if isinstance(pointee, Scalar) else 1


def _width(call: ir.BuiltinCall) -> int:
    """Of vload4 and vstore4 4."""
    digits = call.overload.name.removeprefix("vload").removeprefix("vstore")
    return int(digits) if digits.isdigit() else 1


def _pointee(pointer: ir.Expr) -> object:
    return pointer.type.pointee if isinstance(pointer.type, Pointer) else None


class _Facts:
    """What a function's variables are: `is_plain` if that can be told."""

    def __init__(self, function: ir.Function):
        self.parameters = frozenset(function.parameters)
        self.is_plain = True
        self._changed: set[object] = set()
        self._initial: dict[ir.Variable, ir.Expr | None] = {}
        for node in nodes_of(function.body):
            self._note(node)

    def _note(self, node: ir.Expr | ir.Statement) -> None:
        if isinstance(node, (ir.Assign, ir.StoreVolatile)):
            self._change(node.target)
        elif isinstance(node, ir.Step) or (isinstance(node, ir.Unary) and node.op == "&"):
            self._change(node.operand)
        elif isinstance(node, ir.Declare):
            self._initial.update(node.variables)
        elif isinstance(node, (ir.Asm, ir.BlockLiteral, ir.StatementExpression)):
            self.is_plain = False

    def _change(self, place: ir.Expr) -> None:
        if isinstance(place, ir.Name):
            self._changed.add(place.symbol)

    def needed(self, call: ir.BuiltinCall, unit: int) -> set[ir.Variable] | None:
        """The parameters that have to be multiples; None where the place may be anywhere."""
        return self._of_pointer(call.arguments[-1], _pointee(call.arguments[-1]), unit)

    def _of_pointer(self, place: ir.Expr, element: object, unit: int) -> set[ir.Variable] | None:
        if not isinstance(place.type, Pointer) or place.type.pointee != element or place.type.space != "global":
            return None
        if isinstance(place, ir.Cast):
            return self._of_pointer(place.operand, element, unit)
        if isinstance(place, ir.Binary) and place.op in "+-":
            pointer, count = (place.left, place.right) if isinstance(place.left.type, Pointer) else (place.right, place.left)
            return _both(self._of_pointer(pointer, element, unit), self._of_number(count, unit))
        if isinstance(place, ir.Unary) and place.op == "&" and isinstance(place.operand, ir.Index):
            return _both(self._of_pointer(place.operand.base, element, unit), self._of_number(place.operand.index, unit))
        return self._of_name(place, lambda initial: self._of_pointer(initial, element, unit))

    def _of_number(self, number: ir.Expr, unit: int) -> set[ir.Variable] | None:
        """Whatever wraps: units are powers of two."""
        if isinstance(number, ir.Number):
            return set() if isinstance(number.value, int) and number.value % unit == 0 else None
        if not isinstance(number.type, Scalar) or number.type.kind != "int":
            return None
        if isinstance(number, ir.Cast) or (isinstance(number, ir.Unary) and number.op in "+-"):
            return self._of_number(number.operand, unit)
        if isinstance(number, ir.Binary):
            return self._of_operation(number, unit)
        if isinstance(number, ir.BuiltinCall) and number.overload.name in ("mul24", "mad24"):
            product = self._of_product(number.arguments[0], number.arguments[1], unit)
            return product if number.overload.name == "mul24" else _both(product, self._of_number(number.arguments[2], unit))
        return self._of_name(number, lambda initial: self._of_number(initial, unit))

    def _of_operation(self, number: ir.Binary, unit: int) -> set[ir.Variable] | None:
        left, right = number.left, number.right
        if number.op in "+-":
            return _both(self._of_number(left, unit), self._of_number(right, unit))
        if number.op == "<<" and isinstance(right, ir.Number) and isinstance(right.value, int) and 0 <= right.value < 32:
            return self._of_number(left, unit >> right.value) if unit >> right.value > 1 else set()
        return self._of_product(left, right, unit) if number.op == "*" else None

    def _of_product(self, left: ir.Expr, right: ir.Expr, unit: int) -> set[ir.Variable] | None:
        either = [found for found in (self._of_number(left, unit), self._of_number(right, unit)) if found is not None]
        return min(either, key=len) if either else None

    def _of_name(self, expr: ir.Expr, of_initial: Callable[[ir.Expr], set[ir.Variable] | None]) -> set[ir.Variable] | None:
        symbol = expr.symbol if isinstance(expr, ir.Name) else None
        if not isinstance(symbol, ir.Variable) or symbol in self._changed or symbol.volatile or symbol.immediate:
            return None
        if symbol in self.parameters:
            return {symbol}
        initial = self._initial.get(symbol)
        return None if initial is None else of_initial(initial)


def _both(one: set[ir.Variable] | None, other: set[ir.Variable] | None) -> set[ir.Variable] | None:
    return None if one is None or other is None else one | other


class _Region:
    """A loop, or what a function does in none: what it costs to have it twice, and its accesses but those of loops in it."""

    def __init__(self) -> None:
        self.cost, self.accesses = 0.0, list[ir.BuiltinCall]()


def _regions(body: ir.Statement) -> list[_Region]:
    stack: list[tuple[object, _Region, tuple[_Region, ...]]] = [(body, _Region(), ())]
    found = [stack[0][1]]
    while stack:
        piece, region, around = stack.pop()
        if isinstance(piece, _LOOPS):
            # A loop costs those around it as much; what is in no loop is not had twice with it.
            around = (*around, region) if region is not found[0] else ()
            region = _Region()
            found.append(region)
        cost = _cost(piece)
        for each in (region, *around):
            each.cost += cost
        if isinstance(piece, ir.BuiltinCall) and piece.overload.name.startswith(_ACCESSES) and piece.overload.aligned_code:
            region.accesses.append(piece)
        stack += [(member, region, around) for member in _pieces(piece)]
    return found


def _pieces(piece: object) -> Iterable[object]:
    return piece if isinstance(piece, (list, tuple)) else members_of(piece)


def _cost(piece: object) -> float:
    if isinstance(piece, ir.BuiltinCall):
        return _width(piece) if piece.overload.name.startswith(_ACCESSES) else _components(piece)
    if isinstance(piece, ir.Call):
        return _MOST / 2
    if isinstance(piece, ir.Binary) or (isinstance(piece, ir.Assign) and piece.op != "="):
        return _components(piece) / 2
    return 0


def _components(expr: ir.Expr) -> int:
    """0 of integers, which mostly say where something is."""
    if isinstance(expr.type, Vector):
        return expr.type.width
    return int(isinstance(expr.type, Scalar) and expr.type.kind == "float")
