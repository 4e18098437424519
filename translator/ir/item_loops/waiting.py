"""Loops in which a work-item may wait for what work-items of other work-groups do: those that end by what an atomic function, a pipe or
volatile memory tells. The host device lets others run in them.

    while (atomic_load(&flag) == 0) {}                                  waits
    while ((i = atomic_inc(&next)) < n) work(i);                        counts: each call of `atomic_inc` is one step further
    do { old = *p; } while (atomic_cmpxchg(p, old, old + x) != old);    tries again: whoever hinders one has got further itself

A loop that is named here and does not wait costs some time, one that is not named and waits may never end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, Union

from ....builtins.concurrency import FENCES, compares, counts, is_atomic, observes_others
from .. import nodes as ir
from ..constants import integer_value
from ..types import Pointer, Record, Type
from ..walk import nodes_of, reachable
from .walk import LOOPS, assigned, assignment, evaluated, expressions_of, has_pointer, statements_of, target_variable, variables

Loop = Union[ir.For, ir.While, ir.DoWhile]
# "idle": it does nothing else, "busy": its iterations may as well be work.
Kind = Literal["", "idle", "busy"]
_OTHERS = ("global", "generic")
_CHOICES = (ir.If, ir.Switch, ir.Case, ir.Label)


class Waiting:
    """What of a program waits."""

    def __init__(self) -> None:
        self._observing: dict[ir.Function, bool] = {}
        self._writing: dict[ir.Function, bool] = {}
        self._waiting: dict[ir.Function, bool] = {}

    def waits(self, kernel: ir.Function) -> bool:
        """Whether a loop that waits can be reached."""
        return any(map(self._has_loops, reachable(kernel)))

    def _has_loops(self, function: ir.Function) -> bool:
        if function not in self._waiting:
            self._waiting[function] = any(self.kind(each) for each in _nodes(function) if isinstance(each, LOOPS))
        return self._waiting[function]

    def kind(self, loop: Loop) -> Kind:
        """How the loop waits; "" if it does not."""
        pieces: list[object] = [loop.condition, *([loop.step] if isinstance(loop, ir.For) else []), loop.body]
        fenced = any(_is_call(each, FENCES) for each in nodes_of(pieces))
        if not any(self._observes(each, fenced) for each in nodes_of(pieces)):
            return ""
        changed = assigned(pieces) | {v for each in nodes_of(pieces) if isinstance(each, ir.Declare) for v, _ in each.variables}
        if _tries_again(loop, changed):
            return ""
        told = self._told(pieces, fenced)
        if not any(self._tells(each, told, fenced) for each in _exits(loop)):
            return ""
        return "busy" if self._writes(pieces) else "idle"

    def _told(self, pieces: list[object], fenced: bool) -> set[ir.Variable]:
        """The variables whose values, in an iteration, come of what others do."""
        told: set[ir.Variable] = set()
        while True:
            found = set(told)
            for each in nodes_of(pieces):
                if isinstance(each, (ir.Assign, ir.StoreVolatile, ir.SetSwizzle)):
                    variable = target_variable(each.base if isinstance(each, ir.SetSwizzle) else each.target)
                    if variable is not None and self._tells(each.value, told, fenced):
                        found.add(variable)
                elif isinstance(each, ir.Declare):
                    found.update(v for v, init in each.variables if init is not None and self._tells(init, told, fenced))
                elif isinstance(each, ir.If) and self._tells(each.condition, told, fenced):
                    found |= assigned([each.yes, each.no])
                elif isinstance(each, ir.BuiltinCall) and self._observes(each, fenced):
                    found |= _handed(each.arguments)
            if found == told:
                return told
            told = found

    def _tells(self, expression: ir.Expr, told: set[ir.Variable], fenced: bool) -> bool:
        for each in evaluated(expression):
            if isinstance(each, ir.Name) and isinstance(each.symbol, ir.Variable) and each.symbol in told:
                return True
            if isinstance(each, ir.Expr) and self._observes(each, fenced):
                return True
        return False

    def _observes(self, node: ir.Expr | ir.Statement, fenced: bool) -> bool:
        """`fenced`: between fences, memory that is not volatile tells, too."""
        if isinstance(node, ir.BuiltinCall):
            return _observing_call(node.overload.name, node.arguments)
        if isinstance(node, ir.Intrinsic):
            return observes_others(node.name)
        if isinstance(node, ir.Call):
            return self._function_observes(node.function)
        return isinstance(node, ir.Expr) and _reads(node, fenced)

    def _function_observes(self, function: ir.Function) -> bool:
        if function not in self._observing:
            self._observing[function] = False  # what calls itself is asked once
            self._observing[function] = any(self._observes(each, False) for each in _nodes(function))
        return self._observing[function]

    def _writes(self, piece: object) -> bool:
        for each in nodes_of(piece):
            target = assignment(each) if isinstance(each, ir.Expr) else None
            if target is not None and _of_others(target):
                return True
            if isinstance(each, ir.Call) and self._function_writes(each.function):
                return True
            if isinstance(each, (ir.CallBlock, ir.Asm)):
                return True
            if isinstance(each, ir.BuiltinCall) and has_pointer(each) and not is_atomic(each.overload.name):
                return True
        return False

    def _function_writes(self, function: ir.Function) -> bool:
        if function not in self._writing:
            self._writing[function] = False
            self._writing[function] = self._writes(function.body)
        return self._writing[function]


def _nodes(function: ir.Function) -> Iterable[ir.Expr | ir.Statement]:
    return nodes_of(function.body) if function.body is not None else ()


def _is_call(node: object, names: frozenset[str]) -> bool:
    return isinstance(node, ir.BuiltinCall) and node.overload.name in names


def _observing_call(name: str, arguments: list[ir.Expr]) -> bool:
    if not observes_others(name):
        return False
    if arguments and isinstance(arguments[0].type, Pointer) and arguments[0].type.space in ("local", "private"):
        return False
    if is_atomic(name) and counts(name):
        return any(integer_value(each) == 0 for each in arguments[1:2])
    return True


def _handed(arguments: list[ir.Expr]) -> set[ir.Variable]:
    """The variables whose addresses the function gets."""
    places = [each.operand for argument in arguments for each in nodes_of(argument) if isinstance(each, ir.Unary) and each.op == "&"]
    return {variable for place in places if (variable := target_variable(place)) is not None}


def _reads(node: ir.Expr, fenced: bool) -> bool:
    """Whether the node is a place in memory that others write."""
    if isinstance(node, ir.Name):
        symbol = node.symbol
        return isinstance(symbol, ir.Variable) and symbol.space == "global" and (symbol.volatile or fenced)
    if isinstance(node, ir.Unary) and node.op == "*":
        pointer, field = node.operand.type, False
    elif isinstance(node, (ir.Index, ir.Member)):
        pointer, field = node.base.type, isinstance(node, ir.Member) and _is_volatile_field(node)
    else:
        return False
    return isinstance(pointer, Pointer) and pointer.space in _OTHERS and (pointer.volatile or field or fenced)


def _is_volatile_field(member: ir.Member) -> bool:
    record: Type = member.base.type.pointee if isinstance(member.base.type, Pointer) else member.base.type
    return isinstance(record, Record) and any(f.volatile for f in record.fields or () if f.name == member.name)


def _of_others(place: ir.Expr) -> bool:
    """Whether what is written there may be memory of others, and not a variable of the work-item's or its work-group's."""
    variable = target_variable(place)
    if variable is not None:
        return variable.space not in ("private", "local")
    spaces = {each.type.space for each in nodes_of(place) if isinstance(each, ir.Expr) and isinstance(each.type, Pointer)}
    return not spaces or not spaces.isdisjoint(_OTHERS)


def _own(statements: Iterable[ir.Statement], into: tuple[type[ir.Statement], ...] = ()) -> Iterator[ir.Statement]:
    """The statements, those in blocks, and those in others of these classes."""
    stack = list(statements)[::-1]
    while stack:
        each = stack.pop()
        yield each
        if isinstance(each, (ir.Block, *into)):
            stack += statements_of(each)[::-1]


def _exits(loop: Loop) -> Iterator[ir.Expr]:
    """What decides whether there is another iteration."""
    if loop.condition is not None:
        yield loop.condition
    for each in _own([loop.body], (*_CHOICES, *LOOPS)):
        if isinstance(each, (ir.If, ir.Switch)) and _leaves(each):
            yield each.condition if isinstance(each, ir.If) else each.value


def _leaves(statement: ir.Statement) -> bool:
    return any(isinstance(each, (ir.Break, ir.Return, ir.Goto)) for each in _own([statement], _CHOICES))


def _tries_again(loop: Loop, changed: set[ir.Variable]) -> bool:
    """Whether each iteration tries to replace a value by one that is made of it."""
    own = list(_own([loop.body]))
    if any(isinstance(each, (ir.Continue, ir.Goto)) for each in _own([loop.body], _CHOICES)):
        return False
    expressions = [e for each in own if not isinstance(each, LOOPS) for e in expressions_of(each)]
    if loop.condition is not None:
        expressions.append(loop.condition)
    return any(isinstance(each, ir.BuiltinCall) and compares(each.overload.name) and _is_made_of(each, changed)
               for expression in expressions for each in nodes_of(expression))


def _is_made_of(call: ir.BuiltinCall, changed: set[ir.Variable]) -> bool:
    return not variables(call.arguments[2]).isdisjoint(changed | _handed(call.arguments))
