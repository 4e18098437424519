"""Operands of && and || that are evaluated whether or not they have to be, since nothing can come of it.

    box[i].x <= x && x < box[i].z && box[i].y <= y          (box[i].x <= x) & (x < box[i].z) & (box[i].y <= y)

A compiler evaluates operands that read no memory together by itself, better than it would with `&`. What the others read it may not read
too early, so there is a branch and a load for each; yet where one component of a vector has been read, or one member of a small struct, the
rest is there as well. Such operands become operands of `&` and `|`, and their reads one access of up to 16 bytes. Clang, and with it
NVIDIA's OpenCL, reads the whole of a vector where a program names a component.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from . import nodes as ir
from .alike import alike, is_volatile_member
from .constants import integer_value
from .types import BOOL, INT, Array, Pointer, Record, Scalar, Type, Vector, size_of

LARGEST = 16  # bytes of an object that is read for one part of it: one access; of larger structs a branch is quicker
MOST = 16  # nodes of an operand: to compute more in vain may cost more than a branch

_COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")
_LOGICAL = ("&&", "||")
_CHEAP = frozenset(("fabs", "fmin", "fmax"))
_PARTS = (ir.Component, ir.Member, ir.Index)
_Objects = frozenset[Hashable]


def speculated(expr: ir.Expr) -> ir.Expr:
    """A whole && or || of scalars, with `&` or `|` between those of its operands for which that makes no difference; else what is given."""
    if not isinstance(expr, ir.Binary) or expr.op not in _LOGICAL or expr.type != INT:
        return expr
    operands = _operands(expr)
    groups = list(_groups(operands))
    if len(groups) == len(operands):
        return expr
    return _joined(expr, expr.op, [_joined(expr, expr.op[0], group) for group in groups])


def _operands(expr: ir.Binary) -> list[ir.Expr]:
    """From left to right."""
    found: list[ir.Expr] = []
    rest: ir.Expr = expr
    while isinstance(rest, ir.Binary) and rest.op == expr.op:
        found.append(rest.right)
        rest = rest.left
    return [rest, *reversed(found)]


def _joined(expr: ir.Binary, op: str, operands: list[ir.Expr]) -> ir.Expr:
    whole = operands[0]
    for each in operands[1:]:
        whole = ir.Binary(expr.type, expr.pos, op, whole, each)
    return whole


def _groups(operands: list[ir.Expr]) -> Iterator[list[ir.Expr]]:
    """Operands beside each other of which all may be evaluated where the first is. The first and the last of several read a part of an
    object."""
    group: list[ir.Expr] = []
    reading = 0  # how many operands there are up to the last one that reads
    read: _Objects = frozenset()  # where the group is evaluated
    for each in operands:
        reads = _certain_reads(each)
        joins = reading and reads is not None and reads <= read and _is_comparison(group[0]) and _is_comparison(each) and _is_harmless(each)
        if group and not joins:
            yield from _split(group, reading)
            group, reading = [], 0
        group.append(each)
        if reads:
            reading = len(group)
        read = frozenset() if reads is None else read | reads
    yield from _split(group, reading)


def _split(group: list[ir.Expr], reading: int) -> Iterator[list[ir.Expr]]:
    """Operands at the end that read nothing are as well off behind a &&."""
    if reading:
        yield group[:reading]
    yield from ([each] for each in group[reading:])


def _is_comparison(expr: ir.Expr) -> bool:
    """Of numbers: what C++ has a bool for."""
    return (isinstance(expr, ir.Binary) and expr.op in _COMPARISONS
            and all(isinstance(each.type, Scalar) and each.type.is_plain for each in (expr.left, expr.right)))


def _certain_reads(operand: ir.Expr) -> _Objects | None:
    """The objects in memory of which it reads a part, whatever comes of it; None where to evaluate it may change something."""
    objects: set[Hashable] = set()
    stack = [operand]
    while stack:
        each = stack.pop()
        if isinstance(each, (ir.Number, ir.Name, ir.BuiltinConstant, ir.SizeOf)):
            continue
        if isinstance(each, ir.Binary):
            # The right operand of a && may be left out, yet has to be without an effect.
            stack.append(each.left)
            if each.op not in _LOGICAL:
                stack.append(each.right)
            elif _certain_reads(each.right) is None:
                return None
        elif isinstance(each, (ir.Cast, ir.Splat)) or (isinstance(each, ir.Unary) and each.op != "&"):
            stack.append(each.operand)
        elif isinstance(each, (ir.Component, ir.Swizzle, ir.Member, ir.Index)):
            if isinstance(each.type, (Scalar, Vector)):  # to name an array is not to read it
                objects.add(_object(each))
            stack += (each.base, each.index) if isinstance(each, ir.Index) else (each.base,)
        elif isinstance(each, ir.BuiltinCall) and all(isinstance(a.type, (Scalar, Vector)) for a in each.arguments):
            stack += each.arguments
        else:
            return None
    return frozenset(objects - {None})


def _object(part: ir.Expr) -> Hashable:
    """What tells the object in memory apart of which an expression names a part; None where it is a variable, or large, or volatile."""
    place = part
    while not _is_in_memory(place):
        if not isinstance(place, (ir.Component, ir.Swizzle, ir.Member, ir.Index)):
            return None
        place = place.base
    assert isinstance(place, (ir.Member, ir.Index, ir.Unary))
    pointer = place.operand if isinstance(place, ir.Unary) else place.base  # of the object, or of the array's elements
    key = (alike(pointer), alike(place.index) if isinstance(place, ir.Index) else "")
    type = pointer.type
    if None in key or not isinstance(type, (Pointer, Array)) or type.volatile:
        return None
    whole = type.element if isinstance(type, Array) else type.pointee
    return key if isinstance(whole, (Vector, Record)) and size_of(whole) <= LARGEST else None


def _is_in_memory(place: ir.Expr) -> bool:
    """Whether it is an object that a pointer leads to, a member of one, or an element of an array that has parts."""
    if isinstance(place, ir.Member):
        return place.arrow
    if isinstance(place, ir.Index):
        return isinstance(place.type, (Vector, Record)) and not isinstance(place.base.type, Vector)
    return isinstance(place, ir.Unary) and place.op == "*"


def _is_harmless(operand: ir.Expr) -> bool:
    """Whether it may be evaluated in vain where the objects that it reads are there: it is short, and has no meaning but its value."""
    stack, nodes = [operand], 0
    while stack:
        each = stack.pop()
        nodes += 1
        if nodes > MOST or not isinstance(each.type, Scalar) or not each.type.is_plain:
            return False
        if isinstance(each, (ir.Number, ir.BuiltinConstant, ir.SizeOf)):
            continue
        if isinstance(each, ir.Name):
            if isinstance(each.symbol, ir.Variable) and (each.symbol.space != "private" or each.symbol.volatile):
                return False
        elif isinstance(each, (ir.Component, ir.Member, ir.Index)):
            if not _is_part(each):
                return False
        elif isinstance(each, ir.Cast):
            if not _keeps_meaning(each.type, each.operand.type):
                return False
            stack.append(each.operand)
        elif isinstance(each, ir.Unary):
            if each.op not in ("+", "~", "!") and not (each.op == "-" and _wraps(each.type)):
                return False
            stack.append(each.operand)
        elif isinstance(each, ir.Binary):
            if each.op not in (*_COMPARISONS, "&", "|", "^") and not (each.op in ("+", "-", "*") and _wraps(each.type)):
                return False
            stack += (each.left, each.right)
        elif isinstance(each, ir.BuiltinCall) and each.overload.name in _CHEAP:
            stack += each.arguments
        else:
            return False
    return True


def _is_part(place: ir.Expr) -> bool:
    """Whether it is a part of a variable, or of an object in memory that `_object` tells apart."""
    if place.type == BOOL:  # which may hold what is none
        return False
    while isinstance(place, _PARTS) and not _is_in_memory(place):
        if isinstance(place, ir.Index):
            index, type = integer_value(place.index), place.base.type
            if index is None or not isinstance(type, Array) or not 0 <= index < (type.length or 0):
                return False
        if isinstance(place, ir.Member) and is_volatile_member(place):
            return False
        place = place.base
    if isinstance(place, ir.Member) and is_volatile_member(place):
        return False
    if isinstance(place, ir.Name):
        symbol = place.symbol
        return isinstance(symbol, ir.Variable) and symbol.space == "private" and not symbol.volatile
    return _object(place) is not None


def _wraps(type: Type) -> bool:
    """Whether sums of the type have a value whatever the operands are, as those of signed integers do not."""
    return isinstance(type, Scalar) and (type.kind == "float" or (type.kind == "int" and not type.signed and type.size >= 4))


def _keeps_meaning(to: Type, given: Type) -> bool:
    """Whether each number can be converted so: a large float is no integer."""
    return isinstance(to, Scalar) and isinstance(given, Scalar) and (to.kind == "float" or given.kind != "float")
