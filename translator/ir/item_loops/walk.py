"""What a piece of a kernel does: the variables that it names, assigns, and whose address it takes; what it reads and calls."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from ....builtins.concurrency import OF_ITEM
from .. import nodes as ir
from ..types import Array, Pointer, Record, Type
from ..walk import members_of, nodes_of, reachable

# Statements of the representation that hold others.
LOOPS = (ir.For, ir.While, ir.DoWhile)

# 6.15.1: what all items of a work-group have in common.
OF_GROUP = frozenset((
    "get_work_dim", "get_global_size", "get_local_size", "get_enqueued_local_size", "get_num_groups", "get_group_id", "get_global_offset",
))  # fmt: skip

# The work-items of a group meet here. Copies are done when their function returns (builtins/host_async_copies.cuh).
BARRIERS = frozenset(("barrier", "work_group_barrier", "wait_group_events"))


def statements_of(statement: ir.Statement) -> list[ir.Statement]:
    """The statements directly inside."""
    if isinstance(statement, ir.Block):
        return statement.statements
    if isinstance(statement, ir.If):
        return [statement.yes] + ([statement.no] if statement.no else [])
    if isinstance(statement, ir.For):
        return ([statement.init] if statement.init else []) + [statement.body]
    if isinstance(statement, (ir.While, ir.DoWhile, ir.Switch, ir.Label)):
        return [statement.body]
    return statement.body if isinstance(statement, ir.Case) else []


def expressions_of(statement: ir.Statement) -> list[ir.Expr]:
    """The whole expressions directly in the statement, in the order of their evaluation."""
    if isinstance(statement, ir.Declare):
        return [init for _, init in statement.variables if init is not None]
    if isinstance(statement, ir.For):
        return [each for each in (statement.condition, statement.step) if each is not None]
    if isinstance(statement, (ir.If, ir.While, ir.DoWhile)):
        return [statement.condition]
    if isinstance(statement, ir.Evaluate):
        return [statement.expression]
    if isinstance(statement, ir.Switch):
        return [statement.value]
    if isinstance(statement, ir.Return):
        return [statement.value] if statement.value is not None else []
    if isinstance(statement, ir.Asm):
        return [each for _, each in (*statement.outputs, *statement.inputs)]
    return []


def every_statement(statements: Iterable[ir.Statement]) -> Iterator[ir.Statement]:
    """All statements in the order of the text, also those inside others, but not those inside expressions."""
    stack = list(statements)[::-1]
    while stack:
        each = stack.pop()
        yield each
        stack += statements_of(each)[::-1]


def parts(expression: ir.Expr) -> list[ir.Expr]:
    """The operands of commas, one after the other."""
    found, stack = [], [expression]
    while stack:
        each = stack.pop()
        if isinstance(each, ir.Sequence):
            stack += [each.right, each.left]
        else:
            found.append(each)
    return found


def variables(piece: object) -> set[ir.Variable]:
    """Those that the piece names; compound literals name the variable that holds them."""
    found: set[ir.Variable] = set()
    for each in nodes_of(piece):
        if isinstance(each, ir.Name) and isinstance(each.symbol, ir.Variable):
            found.add(each.symbol)
        elif isinstance(each, ir.CompoundLiteral) and each.variable is not None:
            found.add(each.variable)
        elif isinstance(each, ir.Declare):
            found.update(variable for variable, _ in each.variables)
    return found


def target_variable(target: ir.Expr) -> ir.Variable | None:
    """The variable, or its component or member, that an assignment changes; None for memory behind a pointer."""
    while True:
        if isinstance(target, ir.Name):
            return target.symbol if isinstance(target.symbol, ir.Variable) else None
        if isinstance(target, (ir.Component, ir.Swizzle, ir.Member, ir.Index)):
            if isinstance(target.base.type, Pointer):
                return None
            target = target.base
        elif isinstance(target, ir.VolatileObject):
            target = target.operand
        else:
            return None


def assignment(expression: ir.Expr) -> ir.Expr | None:
    """What the expression itself, not a part of it, assigns to."""
    if isinstance(expression, (ir.Assign, ir.StoreVolatile)):
        return expression.target
    if isinstance(expression, ir.Step):
        return expression.operand
    return expression.base if isinstance(expression, ir.SetSwizzle) else None


def assigned(piece: object) -> set[ir.Variable]:
    """The variables that the piece changes by name."""
    found = set()
    for each in nodes_of(piece):
        target = assignment(each) if isinstance(each, ir.Expr) else None
        variable = target_variable(target) if target is not None else None
        if variable is not None:
            found.add(variable)
        if isinstance(each, ir.Asm):
            found.update(v for _, output in each.outputs if (v := target_variable(output)))
    return found


def replaced(expression: ir.Expr, variable: ir.Variable, by: ir.Expr) -> ir.Expr:
    """The expression with another one where it names the variable."""
    if isinstance(expression, ir.Name):
        return by if expression.symbol is variable else expression
    changes: dict[str, object] = {}
    for name, value in vars(expression).items():
        if isinstance(value, ir.Expr):
            changes[name] = replaced(value, variable, by)
        elif isinstance(value, list):
            changes[name] = [replaced(each, variable, by) if isinstance(each, ir.Expr) else each for each in value]
    return dataclasses.replace(expression, **changes)  # type: ignore[arg-type]


def is_barrier(expression: ir.Expr) -> bool:
    return isinstance(expression, ir.BuiltinCall) and expression.overload.name in BARRIERS


def is_id(call: ir.BuiltinCall) -> bool:
    """Whether the function tells where in the range the work-item is, or how large the range is."""
    return call.overload.name in OF_GROUP or call.overload.name in OF_ITEM


def meets(function: ir.Function) -> bool:
    """Whether a barrier can be reached from the function."""
    return any(each.builtins & BARRIERS for each in reachable(function))


def needs_ids(body: list[ir.Statement]) -> bool:
    """Whether functions that the statements call, the user's or the library's, ask which work-item it is."""
    names: set[str] = set()
    for each in nodes_of(body):
        if isinstance(each, ir.Call):
            names |= {name for function in reachable(each.function) for name in function.builtins}
        elif isinstance(each, (ir.CallBlock, ir.Intrinsic)):
            return True
        elif isinstance(each, ir.BuiltinCall) and each.overload.name not in OF_ITEM:
            names.add(each.overload.name)
    return any(name in OF_ITEM or "_group_" in name or "pipe" in name for name in names - OF_GROUP - BARRIERS)


def has_barrier(piece: object) -> bool:
    return any(is_barrier(each) or (isinstance(each, ir.Call) and meets(each.function))
               for each in nodes_of(piece) if isinstance(each, ir.Expr))


def evaluated(expression: ir.Expr) -> Iterator[ir.Expr | ir.Statement]:
    """What is evaluated for a value: all but the places of which only the address is taken."""
    left: list[object] = [expression]
    while left:
        each = left.pop()
        if isinstance(each, (ir.Expr, ir.Statement)):
            yield each
        left += _parts_of_address(each.operand) if isinstance(each, ir.Unary) and each.op == "&" else members_of(each)


def _parts_of_address(place: ir.Expr) -> list[ir.Expr]:
    """The pointer and the subscripts that a place's address is computed from."""
    found: list[ir.Expr] = []
    while isinstance(place, (ir.Index, ir.Member)):
        if isinstance(place, ir.Index):
            found.append(place.index)
        if isinstance(place.base.type, Pointer):
            return [*found, place.base]
        place = place.base
    if isinstance(place, ir.Unary) and place.op == "*":
        return [*found, place.operand]
    return found if isinstance(place, ir.Name) else [*found, place]


def reads_memory(expression: ir.Expr) -> bool:
    """Whether the value depends on memory that other work-items may change."""
    for each in evaluated(expression):
        if isinstance(each, ir.Unary) and each.op == "*":
            pointer = each.operand.type
        elif isinstance(each, (ir.Index, ir.Member)):
            pointer = each.base.type
        elif isinstance(each, ir.Name) and isinstance(each.symbol, ir.Variable):
            if each.symbol.space in ("local", "global") and not isinstance(each.symbol.type, Array):
                return True
            continue
        else:
            continue
        if isinstance(pointer, Pointer):
            if pointer.space != "constant":
                return True
        elif isinstance(each, (ir.Index, ir.Member)):
            root = target_variable(each)
            if root is None or root.space in ("local", "global"):
                return True
    return False


def writes_memory(piece: object) -> bool:
    """Whether the piece may change what other work-items see. Calls of the user's functions and of those of the library that
    take pointers count as if they did."""
    for each in nodes_of(piece):
        target = assignment(each) if isinstance(each, ir.Expr) else None
        if target is not None:
            variable = target_variable(target)
            if variable is None or variable.space != "private":
                return True
        if isinstance(each, ir.BuiltinCall) and (each.overload.result == "void" or has_pointer(each)):
            return True
        if isinstance(each, (ir.Call, ir.CallBlock, ir.Asm, ir.Intrinsic)):
            return True
    return False


def has_pointer(call: ir.BuiltinCall) -> bool:
    return call.overload.variadic or any("*" in p or "image" in p or "pipe" in p or "event" in p for p in call.overload.parameters)


def holds_pointer(type: Type) -> bool:
    if isinstance(type, Array):
        return holds_pointer(type.element)
    return isinstance(type, Pointer) or (isinstance(type, Record) and any(holds_pointer(f.type) for f in type.fields or ()))


def is_volatile(type: Type) -> bool:
    """Whether objects of the type, or parts of them, are volatile."""
    if isinstance(type, Array):
        return type.volatile or is_volatile(type.element)
    return isinstance(type, Record) and any(f.volatile or is_volatile(f.type) for f in type.fields or ())


def has_const_field(type: Type) -> bool:
    if isinstance(type, Array):
        return has_const_field(type.element)
    return isinstance(type, Record) and any(f.const or has_const_field(f.type) for f in type.fields or ())
