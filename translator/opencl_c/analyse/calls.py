"""Calls (specification 6.11, 6.15): of the user's functions, overloaded or not, and of built-in ones."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

from pycparser import c_ast

from ....builtins import table
from ....builtins.any_type_rows import ANY_TYPE_ROWS
from ....builtins.opaque import in_library
from ....builtins.table import Overload
from ...diagnostics import Diagnostic
from ...ir import nodes as ir
from ...ir.constants import integer_value
from ...ir.types import INT, LONG, ULONG, BlockType, Opaque, Pointer, Scalar, Type, Vector, size_of
from ..dialect import Dialect
from ..gnu_builtin_names import PREFIX, atomic_function, sync_function
from ..parse import tree
from .any_type_calls import AnyTypeCalls
from .gnu_builtins import GnuBuiltins
from .overloads import best, spelled_type
from .printf import Printf
from .scope import Unit
from .sync_builtins import SyncBuiltins

_Candidates = list[tuple[table.Overload, list[Type], bool]]
_MOST_RESOLVED = 4096


class _Builtins:
    """What has been found out of a dialect's built-in functions: the candidates by name, and those that calls resolved to. Programs share
    it, threads too: what two of them find at once is the same."""

    def __init__(self) -> None:
        self.candidates: dict[tuple[str, bool], _Candidates] = {}
        self.of_values: set[str] = set()  # names of which some take what a number may stand for: a pointer, or what is opaque
        self.resolved: dict[tuple[object, ...], table.Overload] = {}


@lru_cache(maxsize=8)
def _builtins(dialect: Dialect) -> _Builtins:
    return _Builtins()


class Calls:
    def __init__(self, unit: Unit):
        self.unit = unit
        self.gnu_builtins = GnuBuiltins(unit)
        self.sync_builtins = SyncBuiltins(unit)
        self.printf = Printf(unit)
        self.any_type = AnyTypeCalls(unit)
        self._builtins = _builtins(unit.dialect)

    def analyse(self, node: c_ast.FuncCall) -> ir.Expr:
        unit = self.unit
        while isinstance(node.name, tree.GenericSelection):
            node.name = unit.extensions.selected(node.name)
        if not isinstance(node.name, c_ast.ID):
            if isinstance(node.name, c_ast.UnaryOp) and not self._is_of_variable(node.name):
                raise unit.fail(node.coord, "called object is not a function name: function pointers are not allowed in OpenCL")
            return self._of_value(unit.expressions.analyse(node.name), node)
        name, pos = node.name.name, node.name.coord
        if name.startswith(PREFIX) or name == "offsetof":
            nodes = node.args.exprs if node.args else []
            return self.gnu_builtins.call(name.removeprefix(PREFIX), nodes, pos)
        arguments = [unit.conversions.decay(unit.expressions.analyse(each)) for each in (node.args.exprs if node.args else ())]
        found = unit.scope.find(name)
        if isinstance(found, list):
            if found[0].overloaded and table.overloads(name) and self._prefers_builtin(name, found, arguments):
                return self.builtin(name, arguments, pos)
            return self._user(name, found, arguments, pos)
        if isinstance(found, ir.Variable) and isinstance(found.type, BlockType):
            return unit.blocks.call(unit.expressions.name(node.name), arguments, pos)
        if found is not None:
            raise unit.fail(pos, f"called object '{name}' is not a function")
        if name in ANY_TYPE_ROWS:
            return self.any_type.call(name, arguments, pos)
        if table.overloads(name):
            return self.builtin(name, arguments, pos)
        atomic = atomic_function(name)
        if atomic is not None:
            return self.builtin(atomic, arguments, pos)
        sync = sync_function(name)
        if sync is not None:
            return self.sync_builtins.call(sync, arguments, pos)
        missing = next((a.type for a in arguments if isinstance(a.type, Opaque) and not in_library(a.type.name)), None)
        if missing is not None:
            raise unit.fail(pos, f"function '{name}' on '{missing}' is not supported yet by cl2cuda")
        raise unit.fail(pos, f"implicit declaration of function '{name}' is invalid in OpenCL", *self._suggest(name))

    def _is_of_variable(self, callee: c_ast.Node) -> bool:
        """Whether it is `*b`, with b a variable."""
        named = isinstance(callee, c_ast.UnaryOp) and isinstance(callee.expr, c_ast.ID)
        return named and isinstance(self.unit.scope.find(callee.expr.name), ir.Variable)

    def _of_value(self, callee: ir.Expr, node: c_ast.FuncCall) -> ir.Expr:
        """^(…) {…}(arguments)"""
        unit = self.unit
        if not isinstance(callee.type, BlockType):
            raise unit.fail(node.coord, f"called object type '{callee.type}' is not a function or block")
        arguments = [unit.expressions.value(each) for each in (node.args.exprs if node.args else ())]
        return unit.blocks.call(callee, arguments, node.coord)

    def _suggest(self, name: str) -> list[Diagnostic]:
        known = {n for n, s in self.unit.program_scope.names.items() if isinstance(s, list)} | set(table.names())
        import difflib  # which a program without errors does not need

        near = difflib.get_close_matches(name, known, 1, 0.75)
        return [self.unit.note(None, f"did you mean '{near[0]}'?")] if near else []

    def _prefers_builtin(self, name: str, functions: list[ir.Function], arguments: list[ir.Expr]) -> bool:
        """Whether a built-in fits better than the user's `overloadable` functions of the same name."""
        own = [(True, [p.type for p in f.parameters], f.variadic) for f in functions]
        library = [(False, [spelled_type(p) for p in o.parameters], o.variadic) for o in table.overloads(name)]
        return best(arguments, [*own, *library]) == [False]

    # -- the user's own ----------------------------------------------------------------------------------------------

    def _user(self, name: str, functions: list[ir.Function], arguments: list[ir.Expr], pos: int) -> ir.Expr:
        unit = self.unit
        function = functions[0]
        if len(functions) > 1:
            chosen = best(arguments, [(f, [p.type for p in f.parameters], f.variadic) for f in functions])
            if len(chosen) != 1:
                word = "ambiguous" if chosen else "not possible: no function matches"
                notes = [unit.note(f.pos, "candidate function") for f in (chosen or functions)]
                raise unit.fail(pos, f"call to '{name}' is {word}", *notes)
            function = chosen[0]
        expected, given = len(function.parameters), len(arguments)
        if given != expected and not (function.variadic and given > expected):
            few = "few" if given < expected else "many"
            raise unit.fail(pos, f"too {few} arguments to function call, expected {expected}, have {given}",
                            unit.note(function.pos, f"'{name}' declared here"))
        converted = []
        for argument, parameter in zip(arguments, function.parameters, strict=False):
            converted.append(unit.conversions.convert(argument, parameter.type, "passing to parameter of type"))
        if unit.function is not None:
            unit.function.callees.append(function)
            function.called_at = pos if function.called_at is None else function.called_at
        return ir.Call(function.result, pos, function, converted)

    # -- built-ins ---------------------------------------------------------------------------------------------------

    def builtin(self, name: str, arguments: list[ir.Expr], pos: int, *, any_version: bool = False) -> ir.Expr:
        """any_version: also a function that the program's own version of the language does not have."""
        unit = self.unit
        name = self._wide_atomic(name, arguments)
        overload = self._overload(name, arguments, pos, any_version)
        if unit.function is not None:
            unit.function.builtins.add(name)
        if overload.variadic:
            return self._printf(overload, arguments, pos)
        doing = "passing to parameter of type"
        converted = [unit.conversions.convert(a, spelled_type(p), doing) for a, p in zip(arguments, overload.parameters, strict=True)]
        return ir.BuiltinCall(spelled_type(overload.result), pos, overload, converted)

    def _printf(self, overload: table.Overload, arguments: list[ir.Expr], pos: int) -> ir.Expr:
        """One call, or `first || second ? -1 : 0`, where one call cannot take all arguments."""
        of_vectors = dataclasses.replace(overload, row=overload.row._replace(code="printf_vectors"))
        first, *more = (
            ir.BuiltinCall(INT, pos, of_vectors if any(isinstance(a.type, Vector) for a in each) else overload, each)
            for each in self.printf.arguments(arguments, pos)
        )
        if not more:
            return first
        failed: ir.Expr = first
        for call in more:
            failed = ir.Binary(INT, pos, "||", failed, call)
        return ir.Conditional(INT, pos, failed, ir.Number(INT, pos, "-1", -1), ir.Number(INT, pos, "0", 0))

    def _wide_atomic(self, name: str, arguments: list[ir.Expr]) -> str:
        """atom_add for atomic_add on 64 bits (6.15.12.9), which NVIDIA's compiler takes by both names and programs lean on."""
        pointer = arguments[0].type if arguments else None
        if not name.startswith("atomic_") or not isinstance(pointer, Pointer) or pointer.pointee not in (LONG, ULONG):
            return name
        wide = "atom_" + name.removeprefix("atomic_")
        return wide if table.overloads(wide) else name

    def _overload(self, name: str, arguments: list[ir.Expr], pos: int, any_version: bool) -> table.Overload:
        """The function that is called. Calls with arguments alike, of which programs have many, are resolved once."""
        key: tuple[object, ...] | None = None
        resolved = self._builtins.resolved
        candidates = self._candidates(name, any_version)
        types = [a.type for a in arguments]
        if all(map(_of_no_program, types)):
            if name in self._builtins.of_values:
                key = (name, any_version, *[(a.type, *_as_opaque(a)) if isinstance(a.type, Scalar) else a.type for a in arguments])
            else:
                key = (name, any_version, *types)
            if (known := resolved.get(key)) is not None:
                return known
        row = table.overloads(name)[0].row
        if not candidates:
            raise self.unit.fail(pos, f"function '{name}' requires {self.requirement(row)}")
        chosen = best(arguments, candidates)
        if row.kind == "as_type":
            # 6.4.4.2: the usual type promotion for function arguments shall not be performed.
            chosen = [o for o in chosen if types == [spelled_type(p) for p in o.parameters]]
        if len(chosen) > 1:
            chosen = self._prefer_named_space(chosen)
        if len(chosen) != 1:
            self._report(name, arguments, chosen, [c[0] for c in candidates], pos)
        if key is not None:
            if len(resolved) >= _MOST_RESOLVED:
                resolved.clear()
            resolved[key] = chosen[0]
        return chosen[0]

    def _candidates(self, name: str, any_version: bool) -> _Candidates:
        """The functions of that name that the program's dialect has."""
        candidates = self._builtins.candidates
        found = candidates.get((name, any_version))
        if found is None:
            dialect = self.unit.dialect
            found = [
                (overload, [spelled_type(p) for p in overload.parameters], overload.variadic) for overload in table.overloads(name)
                if (any_version or overload.row.since <= dialect.version) and dialect.has(overload.row.requires)
            ]  # fmt: skip
            if any(isinstance(each, (Pointer, Opaque)) for _, parameters, _ in found for each in parameters):
                self._builtins.of_values.add(name)
            candidates[name, any_version] = found  # last: another thread that finds it asks `of_values`
        return found

    def requirement(self, row: table.Row) -> str:
        if row.since > self.unit.dialect.version:
            return f"OpenCL C {row.since // 100}.{row.since % 100 // 10} (-cl-std=CL{row.since // 100}.{row.since % 100 // 10})"
        return f"'{row.requires}', which this device does not offer"

    def _prefer_named_space(self, chosen: list[Overload]) -> list[Overload]:
        named = [o for o in chosen if not any(" generic " in f" {p}" for p in o.parameters)]
        return named if len(named) == 1 else chosen

    def _report(self, name: str, arguments: list[ir.Expr], chosen: list[Overload], candidates: list[Overload], pos: int) -> None:
        unit = self.unit
        types = ", ".join(f"'{a.type}'" for a in arguments)
        shown = chosen or candidates
        notes = [unit.note(None, f"candidate: {o.result} {name}({', '.join(o.parameters)})") for o in shown[:6]]
        if len(shown) > 6:
            notes.append(unit.note(None, f"and {len(shown) - 6} more"))
        every = [(o, [spelled_type(p) for p in o.parameters], o.variadic) for o in table.overloads(name)]
        reinterprets = bool(candidates) and candidates[0].row.kind == "as_type"
        if reinterprets and len(arguments) == 1 and _differ_in_size(arguments[0].type, spelled_type(candidates[0].result)):
            raise unit.fail(pos, f"invalid reinterpretation: sizes of '{candidates[0].result}' and '{arguments[0].type}' must match")
        if not chosen and not reinterprets and (elsewhere := best(arguments, every)):
            raise unit.fail(pos, f"function '{name}' with arguments of type {types} requires {self.requirement(elsewhere[0].row)}")
        if chosen:
            raise unit.fail(pos, f"call to '{name}' is ambiguous for arguments of type {types}; cast them to one type", *notes)
        raise unit.fail(pos, f"no matching function for call to '{name}' with arguments of type {types or 'none'}", *notes)


def _of_no_program(type: Type) -> bool:
    """Whether all programs have the type. What structs are in is kept for none: they would be kept with it."""
    if isinstance(type, Pointer):
        type = type.pointee
    return isinstance(type, (Scalar, Vector)) or (isinstance(type, Opaque) and type.packet is None)


def _as_opaque(argument: ir.Expr) -> tuple[bool, ...]:
    """What of a number's value `overloads.rank` asks: whether it may stand for a null pointer, a sampler, no event."""
    value = integer_value(argument)
    return value == 0, value is not None, isinstance(argument, ir.Number)


def _differ_in_size(one: Type, other: Type) -> bool:
    values = (Scalar, Vector)
    return isinstance(one, values) and isinstance(other, values) and size_of(one) != size_of(other)
