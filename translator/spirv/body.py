"""A function's blocks as statements: values, variables, phis, ends. What an instruction means is in the rules' modules.

Every value is an expression: part of another one (`uses`), or a variable that is set where its instruction stands. A phi is a
variable that every branch to its block sets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ..ir import nodes as ir
from ..ir.types import BOOL, VOID, Pointer, Scalar, Type, Vector, Void
from . import build, library, phis
from .constants import Constants
from .counters import count_behind_loops
from .grammar import instructions
from .graph import Graph
from .library import NoOverload
from .module import Block, FunctionBody, Module
from .names import Names, identifier
from .packets import Packets
from .reader import Instruction
from .type_table import TypeTable
from .uses import Kind, Uses

# More would be hard to read, and hard for compilers.
_LARGEST_EXPRESSION = 24
_LARGEST_CONSTANT = 1000
_COMPOSITE_CONSTRUCT = 80


class Program(Protocol):
    """What a function asks of its program.

    local, local_uses   kernels' local variables, and those that a function, or what it calls, names
    builtins            the names of built-in variables
    by_value            which of a function's parameters are copies of what the module has pointers to
    contract            whether products and sums may be contracted
    """

    module: Module
    types: TypeTable
    constants: Constants
    local: dict[int, ir.Variable]
    local_uses: dict[int, list[int]]
    builtins: dict[int, str]
    by_value: dict[ir.Function, list[bool]]
    contract: bool
    packets: Packets

    def address(self, definition: Instruction, body: Body, by: Instruction) -> ir.Expr:
        """A variable's address."""

    def callee(self, id: int, by: Instruction) -> ir.Function: ...

    def declared_type(self, type: Type, id: int) -> Type:
        """How a variable, parameter or result of the type is declared."""


@dataclass(frozen=True)
class Rule:
    """What an instruction means: its value, or None where there is none. `kind` is a function where operands tell."""

    make: Callable[[Body, Instruction], ir.Expr | None]
    kind: Kind | Callable[[Body, Instruction], Kind] = "pure"


class Body:
    """The translation of one function (a `structure.Translator`)."""

    def __init__(self, program: Program, body: FunctionBody, function: ir.Function, names: Names, rules: dict[str, Rule]):
        self.program, self.body, self.function, self.names, self.rules = program, body, function, names, rules
        self.module, self.types = program.module, program.types
        self.values: dict[int, ir.Expr] = {}
        self.memory: dict[int, ir.Variable] = {}  # OpVariable's
        self._in_memory: set[ir.Symbol] = set()
        self.simple: set[ir.Variable] = set()  # those of them that are only loaded and stored
        self.local: dict[int, ir.Variable] = {}  # kernels' local variables, or pointers to them
        self.sampled: dict[int, tuple[ir.Expr, ir.Expr]] = {}  # OpSampledImage's image and sampler
        self.aliases: dict[int, int] = {}  # of a variable that is set once, at the start: the value
        self.definitions: set[ir.Assign] = set()  # those that may become declarations
        self.next_turn: set[ir.Assign] = set()  # those behind a test of whether a loop goes on
        self._statements: dict[int, list[ir.Statement]] = {}
        self._current: list[ir.Statement] = []
        self._phis: dict[int, ir.Variable] = {}
        self.graph = Graph(self.module, body, self._selector_bits(body))
        count_behind_loops(self.module, program.constants, self.graph)
        short = {id for id in self.graph.order if self.is_short_end(self.graph.blocks[id]) and len(self.graph.predecessors[id]) > 1}
        self._find_aliases()
        kinds = {each.offset: self._kind(each) for id in self.graph.order for each in self.graph.blocks[id].body}
        self.uses = Uses(self.module, self.graph, kinds, short)
        self._declare()

    # -- before ------------------------------------------------------------------------------------------------------

    def _selector_bits(self, body: FunctionBody) -> dict[int, int]:
        found = {}
        for block in body.blocks:
            end = block.terminator
            assert end is not None
            if end.name == "OpSwitch":
                type = self.types.type(self.module.definition(end.operands[0], end).type, end)
                if not isinstance(type, Scalar) or type.kind != "int":
                    raise end.fail("its selector is no integer")
                found[block.id] = type.bits
        return found

    def _kind(self, each: Instruction) -> Kind:
        rule = self.rules.get(each.name)
        if rule is None:
            raise each.fail("the instruction is not offered")
        return rule.kind if isinstance(rule.kind, str) else rule.kind(self, each)

    def _find_aliases(self) -> None:
        """Variables that hold one value from the start, as unoptimised modules have for every parameter."""
        entry = self.graph.blocks[self.graph.entry]
        local = {each.result for each in entry.body if each.name == "OpVariable" and len(each.operands) == 1}
        self._accessed = {each.result for each in entry.body if each.name == "OpVariable"}
        stored: dict[int, Instruction] = {}
        for id in self.graph.order:
            block = self.graph.blocks[id]
            for each in [*block.phis, *block.body]:
                for position, operand in enumerate(each.ids):
                    if position or each.name not in ("OpLoad", "OpStore", "OpLifetimeStart", "OpLifetimeStop") or (
                            not each.name.startswith("OpLifetime") and volatile(each)):
                        self._accessed.discard(operand)
                    lifetime = each.name.startswith("OpLifetime")
                    if operand in local and not lifetime and not self._only_accesses(each, position, operand, id, stored):
                        local.discard(operand)
            end = block.terminator
            assert end is not None
            self._accessed.difference_update(end.operands)
            local.difference_update(end.operands if end.name in ("OpReturnValue", "OpSwitch", "OpBranchConditional") else ())
        parameters = {each.result for each in self.body.parameters}
        self.aliases = {id: store.operands[1] for id, store in stored.items() if id in local and store.operands[1] in parameters}

    def _only_accesses(self, each: Instruction, position: int, operand: int, block: int, stored: dict[int, Instruction]) -> bool:
        if each.name == "OpLoad":
            return operand in stored and not volatile(each)
        if each.name != "OpStore" or position != 0 or operand in stored or block != self.graph.entry or volatile(each):
            return False
        stored[operand] = each
        return True

    def _declare(self) -> None:
        for parameter, variable in zip(self.body.parameters, self.function.parameters, strict=False):
            name = ir.Name(variable.type, parameter.offset, variable)
            type = self.types.value_type(parameter.type, parameter)
            by_value = isinstance(type, Pointer) and not isinstance(variable.type, Pointer)
            self.values[parameter.result] = ir.Unary(type, parameter.offset, "&", name) if by_value else name
        lifted = {p.name: p for p in self.function.parameters[len(self.body.parameters) :]}
        for id in self.program.local_uses[self.body.id]:
            local = self.program.local[id]
            self.local[id] = self.kernels_own(local, self.function) if self.function.kernel else lifted[local.name]
        for id in self.graph.order:
            for phi in self.graph.blocks[id].phis:
                variable = self.variable(phi, self.program.declared_type(self.value_type(phi), phi.result))
                self._phis[phi.result] = variable
                self.values[phi.result] = ir.Name(variable.type, phi.offset, variable)

    def kernels_own(self, local: ir.Variable, kernel: ir.Function) -> ir.Variable:
        return ir.Variable(local.name, local.type, "local", local.pos, aligned=local.aligned, cxx_name=local.cxx_name, scope="program",
                           owner=kernel.identity)

    # -- for the rules -----------------------------------------------------------------------------------------------

    def value(self, id: int, by: Instruction) -> ir.Expr:
        found = self.values.get(id)
        if found is not None:
            return found
        definition = self.module.definition(id, by)
        if definition.name == "OpVariable":
            return self.program.address(definition, self, by)
        if not self.program.constants.folds(definition):
            return self._constant_operation(definition)
        if self.program.constants.is_constant(id):
            return self.program.constants.value(id, by)
        if definition.name == "OpUndef":
            return build.zero(self.value_type(definition), by.offset)
        raise by.fail(f"id {id} has no value here")

    def _constant_operation(self, definition: Instruction) -> ir.Expr:
        """OpSpecConstantOp: inside a function its instruction is one like others, on operands that are constants; and what is composed
        of such."""
        composite = definition.name.endswith("Composite")
        opcode, *operands = [_COMPOSITE_CONSTRUCT, *definition.operands] if composite else definition.operands
        grammar = instructions()[opcode]
        rule = self.rules.get(grammar.name)
        if rule is None:
            raise definition.fail(f"{grammar.name} in a constant is not offered")
        made = rule.make(self, Instruction(grammar, definition.offset, definition.type, definition.result, operands, definition.ids))
        if made is None:
            raise definition.fail(f"{grammar.name} in a constant is not offered")
        if build.is_larger(made, _LARGEST_CONSTANT):
            raise definition.fail("the constant is too large an expression")
        return made

    def operand(self, each: Instruction, number: int) -> ir.Expr:
        if number >= len(each.operands):
            raise each.fail("an operand is missing")
        return self.value(each.operands[number], each)

    def type(self, each: Instruction) -> Type:
        return self.types.type(each.type, each)

    def value_type(self, each: Instruction) -> Type:
        return self.types.value_type(each.type, each)

    def is_constant(self, id: int) -> bool:
        return self.program.constants.is_constant(id)

    def constant(self, id: int, by: Instruction) -> int:
        return self.program.constants.integer(id, by)

    def call(self, name: str, arguments: list[ir.Expr], by: Instruction, *, signed: bool = False, result: Type | None = None) -> ir.Expr:
        """A built-in function's call, its value as the result's type where that is given."""
        made = library.call(name, arguments, by.offset, signed=signed, result=result)
        return self.fitted(made, result, by) if result is not None else made

    def fitted(self, expr: ir.Expr, type: Type, by: Instruction) -> ir.Expr:
        """An expression of the same shape as that type."""
        if expr.type == type:
            return expr
        if type == BOOL and isinstance(expr.type, Scalar) and expr.type.kind == "int":
            return ir.Cast(BOOL, by.offset, expr, True)
        if isinstance(type, Vector) and isinstance(expr.type, Vector) and type.width == expr.type.width \
                and type.element.kind == expr.type.element.kind == "int":
            if type.element.size == expr.type.element.size:
                return library.reinterpreted(expr, type)
            return library.convert(expr, type)
        if isinstance(type, Scalar) and isinstance(expr.type, Scalar) and type.kind == expr.type.kind == "int":
            return build.cast(expr, type)
        if isinstance(type, Pointer) and isinstance(expr.type, Pointer):
            return build.cast(expr, type)
        raise by.fail(f"a '{expr.type}' stands where a '{type}' is wanted")

    def emit(self, statement: ir.Statement) -> None:
        self._current.append(statement)

    def act(self, expr: ir.Expr) -> None:
        self.emit(ir.Evaluate(expr.pos, expr))

    def variable(self, each: Instruction, type: Type, suffix: str = "") -> ir.Variable:
        """A new variable, named after the instruction's result."""
        wanted = identifier(self.module.names.get(each.result, "")) or f"v{each.result}"
        name = self.names.new(wanted + suffix)
        return ir.Variable(name, type, "private", each.offset, cxx_name=name, owner=self.function.identity)

    def add_memory(self, each: Instruction, variable: ir.Variable) -> None:
        """A variable of the function's own."""
        self.memory[each.result] = variable
        self._in_memory.add(variable)
        if each.result in self._accessed:
            self.simple.add(variable)
            variable.type = self.program.declared_type(variable.type, each.result)

    def define(self, variable: ir.Variable, value: ir.Expr) -> ir.Name:
        """Sets a variable for the first time."""
        name = ir.Name(variable.type, value.pos, variable)
        assign = ir.Assign(variable.type, value.pos, "=", name, value)
        self.definitions.add(assign)
        self.act(assign)
        return name

    # -- blocks (structure.Translator) -------------------------------------------------------------------------------

    def statements(self, block: Block) -> list[ir.Statement]:
        if block.id not in self._statements:
            outer, self._current = self._current, []
            for each in block.body:
                self._instruction(each)
            self._statements[block.id] = self._current
            self._current = outer
        return list(self._statements[block.id])

    def _instruction(self, each: Instruction) -> None:
        rule = self.rules[each.name]
        try:
            value = rule.make(self, each)
        except NoOverload as missing:
            raise each.fail(str(missing)) from None
        if value is None:
            return
        used = self.uses.count.get(each.result, 0)
        if not used or isinstance(value.type, Void):
            if self._kind(each) == "acts":
                self.act(value.operand if isinstance(value, ir.Cast) else value)
            if isinstance(value.type, Void):
                return
        inline = each.result in self.uses.inline and not build.is_larger(value, _LARGEST_EXPRESSION)
        if inline or not used or (self._kind(each) == "pure" and self._is_plain(value)):
            self.values[each.result] = value
        else:
            self.values[each.result] = self.define(self.variable(each, value.type), value)

    def _is_plain(self, value: ir.Expr) -> bool:
        """Whether the expression is as good as a name."""
        while True:
            if isinstance(value, ir.Name):
                return value.symbol not in self._in_memory
            if isinstance(value, ir.Unary) and value.op == "&":
                return self._is_plain_place(value.operand)
            if isinstance(value, ir.Cast) and isinstance(value.type, Pointer):
                value = value.operand
                continue
            if isinstance(value, ir.MakeVector):
                return all(isinstance(p, ir.BuiltinCall) and p.overload.row.section == "6.15.1" for p in value.parts)
            return isinstance(value, ir.Number)

    def _is_plain_place(self, place: ir.Expr) -> bool:
        while isinstance(place, (ir.Member, ir.Component)) or (isinstance(place, ir.Index) and isinstance(place.index, ir.Number)):
            place = place.base
        if isinstance(place, ir.Unary) and place.op == "*":
            return self._is_plain(place.operand)
        return isinstance(place, ir.Name)

    def condition(self, block: Block) -> ir.Expr:
        end = block.terminator
        assert end is not None
        self.statements(block)
        value = self.value(end.operands[0], end)
        if value.type != BOOL:
            raise end.fail("its condition is no boolean")
        return value

    def selector(self, block: Block) -> ir.Expr:
        end = block.terminator
        assert end is not None
        value = self.value(end.operands[0], end)
        return build.cast(value, build.INT) if isinstance(value.type, Scalar) and value.type.size < 4 else value

    def case_label(self, block: Block, value: int) -> ir.Expr:
        end = block.terminator
        assert end is not None
        type = self.value(end.operands[0], end).type
        assert isinstance(type, Scalar)
        number = build.integer(type, value, end.offset)
        return ir.Number(build.INT, end.offset, str(number.value), number.value) if type.size < 4 else number

    def is_empty(self, block: Block) -> bool:
        return not block.phis and not self.statements(block)

    def is_short_end(self, block: Block) -> bool:
        end = block.terminator
        assert end is not None
        if block.body or end.name not in ("OpReturn", "OpReturnValue", "OpUnreachable"):
            return False
        return not block.phis or (len(block.phis) == 1 and end.operands == [block.phis[0].result])

    def leave(self, source: int, block: Block) -> list[ir.Statement]:
        end = block.terminator
        assert end is not None
        if end.name == "OpReturn":
            return [ir.Return(end.offset, None)]
        if end.name != "OpReturnValue":
            return [ir.Evaluate(end.offset, ir.Intrinsic(VOID, end.offset, "__builtin_unreachable", []))]
        value = end.operands[0]
        if source != block.id:
            for phi in block.phis:
                if phi.result == value:
                    value = self._incoming(phi, source)
        return [ir.Return(end.offset, self.returned(self.value(value, end), end))]

    def returned(self, value: ir.Expr, by: Instruction) -> ir.Expr:
        return self.fitted(value, self.function.result, by)

    # -- phis --------------------------------------------------------------------------------------------------------

    def _incoming(self, phi: Instruction, source: int) -> int:
        for value, parent in zip(phi.operands[::2], phi.operands[1::2], strict=False):
            if parent == source:
                return value
        raise phi.fail(f"it has no value for block {source}")

    def edge(self, source: int, target: int) -> list[ir.Statement]:
        block = self.graph.blocks[target]
        if not block.phis:
            return []
        pending: list[tuple[ir.Variable, ir.Expr]] = []
        for phi in block.phis:
            variable = self._phis[phi.result]
            if self.uses.count.get(phi.result, 0) == 0:
                continue
            id = self._incoming(phi, source)
            if self._is_undefined(id):
                continue
            value = self.fitted(self.value(id, phi), variable.type, phi)
            if not (isinstance(value, ir.Name) and value.symbol is variable):
                pending.append((variable, value))

        def copy_of(variable: ir.Variable) -> ir.Variable:
            name = self.names.new(variable.name + "_before")
            return ir.Variable(name, variable.type, "private", block.label.offset, cxx_name=name, owner=self.function.identity)

        assigned = phis.in_parallel(pending, copy_of)
        self.definitions.update(assigned)
        if self.graph.may_end_loop(source) and self.graph.is_back_edge(source, target):
            self.next_turn.update(assigned)
        return [ir.Evaluate(assign.pos, assign) for assign in assigned]

    def _is_undefined(self, id: int) -> bool:
        found = self.module.defined.get(id)
        return found is not None and found.name == "OpUndef" and id not in self.values


_MEMORY_OPERANDS = {"OpLoad": 1, "OpStore": 2, "OpCopyMemory": 2, "OpCopyMemorySized": 3}  # behind so many others
_ALIGNED = 2
_WITH_ID = 0x8 | 0x10 | 0x10000 | 0x20000  # bits that have an operand, but for Aligned's


def volatile(access: Instruction) -> bool:
    """Whether OpLoad or OpStore says Volatile."""
    at = _MEMORY_OPERANDS[access.name]
    return len(access.operands) > at and bool(access.operands[at] & 1)


def alignment(access: Instruction) -> int | None:
    """What an access says of its addresses with Aligned (section 3.26), the least where it says two."""
    at, found = _MEMORY_OPERANDS[access.name], []
    while at < len(access.operands):
        mask = access.operands[at]
        if mask & _ALIGNED:
            found.append(access.operands[at + 1])
        at += 1 + (mask & (_ALIGNED | _WITH_ID)).bit_count()
    return min(found, default=None)
