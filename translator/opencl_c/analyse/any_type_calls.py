"""Calls of built-in functions that take any type (specification 6.15.10, 6.15.18 and 6.15.19), whose types no table can list."""

from __future__ import annotations

from ....builtins.any_type_rows import ANY_TYPE_ROWS, ENQUEUE_SECTIONS
from ...ir import nodes as ir
from ...ir.types import BUILTIN_TYPES, Pointer
from .enqueuing import Enqueuing
from .pipes import Pipes
from .scope import Unit


class AnyTypeCalls:
    def __init__(self, unit: Unit):
        self.unit = unit
        self.pipes = Pipes(unit)
        self.enqueuing = Enqueuing(unit)

    def call(self, name: str, arguments: list[ir.Expr], pos: int) -> ir.Expr:
        unit, row = self.unit, ANY_TYPE_ROWS[name]
        if row.since > unit.dialect.version or not unit.dialect.has(row.requires):
            raise unit.fail(pos, f"function '{name}' requires {unit.expressions.calls.requirement(row)}")
        if row.section in ENQUEUE_SECTIONS:
            return self.enqueuing.call(name, arguments, pos)
        parameters = row.signature.count(",") + 1
        # read_pipe and write_pipe have a second form, with a reservation and an index.
        if len(arguments) != parameters and not (name in ("read_pipe", "write_pipe") and len(arguments) == 4):
            few = "few" if len(arguments) < parameters else "many"
            raise unit.fail(pos, f"too {few} arguments to function call, expected {parameters}, have {len(arguments)}")
        if unit.function is not None:
            unit.function.builtins.add(name)
        if row.section == "6.15.10":
            return self._address_space(name, arguments[0], pos)
        return self.pipes.call(name, arguments, pos)

    def _address_space(self, name: str, argument: ir.Expr, pos: int) -> ir.Expr:
        """to_global, to_local, to_private: the pointer in the named address space, or NULL; get_fence."""
        type = argument.type
        if not isinstance(type, Pointer) or type.space == "constant":
            raise self.unit.fail(pos, f"invalid argument of type '{type}' to function '{name}': expecting a generic pointer")
        if name == "get_fence":
            return ir.Intrinsic(BUILTIN_TYPES["cl_mem_fence_flags"], pos, name, [argument])
        named = Pointer(type.pointee, name.removeprefix("to_"), type.const, type.volatile)  # type: ignore[arg-type]
        return ir.Intrinsic(named, pos, name, [argument])
