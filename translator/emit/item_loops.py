"""Kernels as one function for a whole work-group (`item_loops`), in the host device's C++ (builtins/library/host/item_loops.cuh).

    __global__ void k(float *x) {
        const int items = group_items();
        auto *sum_ = item_array<float>(items);
        for_each_item_id([&](size_t item, const item_id &id) {
            float sum = x[get_global_id(0, id)];
            sum_[item] = sum;
        });
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..ir import nodes as ir
from ..ir.item_loops import EndItem, ItemExpression, ItemLoop, Store, WorkGroup
from ..ir.item_loops.subscripts import Subscripts
from ..ir.types import align_of
from .expressions import POSTFIX
from .lines import Lines
from .statements import StatementPrinter, without_const

ITEM_ALIGNMENT = 64  # bytes: a vector register, and a line of the cache


class ItemLoopPrinter:
    """Prints the nodes that `ir` does not have, by the printers of the others."""

    def __init__(self, lines: Lines, statements: StatementPrinter, declared: set[str]):
        self.lines, self.statements, self.expressions = lines, statements, statements.expressions
        self.declared = declared
        statements.add_rules({ItemLoop: self._loop, EndItem: self._end_item, Store: self._store})
        self.expressions.add_rule(ItemExpression, self._expression)

    def print(self, head: str, start: Sequence[str], kernel: ir.Function, group: WorkGroup) -> None:
        self.lines.add(head + " {", kernel.pos)
        self.lines.depth += 1
        for line in start:
            self.lines.add(line)
        self.expressions.subscripts = Subscripts(group.values)
        with self._named(kernel, group):
            for each in group.types:
                self.statements.print(each)
            for variable in group.local:
                self._local(variable)
            self._prologue(group)
            self.statements.body(group.body)
        self.expressions.subscripts = None
        self.lines.depth -= 1
        self.lines.add("}")

    def unaliased(self, place: str) -> str:
        """Local memory of an argument, as the compiler can tell it from all else."""
        return f"{self._library('unaliased')}({place})"

    @contextmanager
    def _named(self, kernel: ir.Function, group: WorkGroup) -> Iterator[None]:
        """Gives the variables the names that they have in this function."""
        taken = self.declared | set(group.names.values())

        def free(name: str) -> str:
            while name in taken:
                name += "_"
            taken.add(name)
            return name

        self.item, self.items, self.ended, self.ends = map(free, ("item", "items", "ended", "ends"))
        self.expressions.item_id = free("id") if group.own_ids else ""
        self.places = {v: free(f"{group.names.get(v, v.cxx_name)}_") for v in group.arrays}
        before = {variable: variable.cxx_name for variable in group.names}
        for variable, name in group.names.items():
            variable.cxx_name = name
        try:
            yield
        finally:
            self.expressions.item_id = ""
            for variable, name in before.items():
                variable.cxx_name = name

    def _local(self, variable: ir.Variable) -> None:
        """Local memory that no other function sees is a variable of this one, which the compiler can tell from all else."""
        if variable in self.statements.local_offsets:
            self.statements.print(ir.Declare(variable.pos, [(variable, None)]))
            return
        alignment = max(ITEM_ALIGNMENT, variable.aligned or 1)
        type = self.statements.types.declare(variable.type, variable.cxx_name, volatile=variable.volatile)
        self.lines.add(f"__attribute__((aligned({alignment}))) {type};", variable.pos)

    def _prologue(self, group: WorkGroup) -> None:
        if not group.arrays and not group.returns:
            return
        self.lines.add(f"const int {self.items} = {self._library('group_items')}();")
        for variable, place in self.places.items():
            type = without_const(variable.type)
            name = self.statements.types.declare(type, volatile=variable.volatile)
            if self._stricter(variable):
                name = f"{self._library('aligned_item')}<{name}, {variable.aligned}>"
            self.lines.add(f"auto *{place} = {self._library('item_array')}<{name}>({self.items});")
        if group.returns:
            self.lines.add(f"auto *{self.ended} = {self._library('item_flags')}({self.items});")
            self.lines.add(f"int {self.ends} = 0;")

    def _library(self, name: str) -> str:
        self.statements.types.use("item", name)
        return f"ocl::{name}" if name in self.declared else name

    def _head(self) -> str:
        id = self.expressions.item_id
        function, parameter = ("for_each_item_id", f", const {self._library('item_id')} &{id}") if id else ("for_each_item", "")
        return f"{self._library(function)}([&](size_t {self.item}{parameter}) __attribute__((always_inline)) {{"

    def _entry(self, loop: ItemLoop) -> list[str]:
        types = self.statements.types
        lines = [f"if ({self.ends} && {self.ended}[{self.item}]) return;"] if loop.guarded else []
        lines += [f"auto &{v.cxx_name} = {self._place(v)};" for v in loop.references]
        return lines + [f"{types.declare(v.type, v.cxx_name)} = {self._place(v)};" for v in loop.loads]

    def _exit(self, loop: ItemLoop) -> list[str]:
        return [f"{self._place(v)} = {v.cxx_name};" for v in loop.stores]

    def _place(self, variable: ir.Variable) -> str:
        return f"{self.places[variable]}[{self.item}]" + (".value" if self._stricter(variable) else "")

    def _stricter(self, variable: ir.Variable) -> bool:
        """Whether the variable is aligned more than its type, which is all that the elements of an array are."""
        return (variable.aligned or 1) > align_of(variable.type)

    def _loop(self, loop: ItemLoop) -> None:
        if not loop.body:
            return
        self.lines.add(self._head())
        self.lines.depth += 1
        for line in self._entry(loop):
            self.lines.add(line)
        self.statements.body(loop.body)
        for line in self._exit(loop):
            self.lines.add(line)
        self.lines.depth -= 1
        self.lines.add("});")
        if loop.ends:
            self.lines.add(f"if ({self.ends} == {self.items}) return;")

    def _expression(self, expression: ItemExpression) -> tuple[str, int]:
        body = self.statements.inline(expression.loop.body)
        loop = expression.loop
        return " ".join([self._head(), *self._entry(loop), body, *self._exit(loop), "})"]), POSTFIX

    def _end_item(self, statement: EndItem) -> None:
        self.lines.add(f"{{ {self.ended}[{self.item}] = true; {self.ends}++; return; }}", statement.pos)

    def _store(self, statement: Store) -> None:
        for text in self.statements.initialisers.stores(statement.variable.cxx_name, statement.init):
            self.lines.add(text + ";", statement.pos)
