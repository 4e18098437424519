"""Statements (C99 6.8, specification 6.11) and the declarations inside functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from pycparser import c_ast

from ...ir import nodes as ir
from ...ir.constants import folded_value
from ...ir.types import Array, BlockType, FunctionType, Record, Scalar, Void, is_integer
from ..parse import tree
from . import attributes
from .cases import CaseLabels
from .constants import constant_initialiser, constant_of
from .scope import Invalid, Qualified, Rules, Scope, Unit


class Statements:
    def __init__(self, unit: Unit):
        self.unit = unit
        self._rules = Rules({
            **{kind: partial(self._apart, rule) for kind, rule in (
                (c_ast.If, self._if), (c_ast.For, self._for), (c_ast.While, self._while), (c_ast.DoWhile, self._do),
                (c_ast.Switch, self._switch))},
            c_ast.Compound: self.block, c_ast.Case: self._case, c_ast.Default: self._case, c_ast.Break: self._break,
            c_ast.Continue: self._continue, c_ast.Return: self._return, c_ast.Goto: self._goto, c_ast.Label: self._label,
            c_ast.EmptyStatement: self._empty, c_ast.Decl: self._declaration, c_ast.DeclList: self._declarations,
            c_ast.Typedef: self._typedef, c_ast.Pragma: self._pragma, tree.AttributeStatement: self._attributed,
            tree.Asm: lambda node: unit.extensions.asm(node), c_ast.StaticAssert: self._static_assert,
            tree.StatementExpression: self._statement_expression,
        }, otherwise=self._expression)  # fmt: skip
        self._unroll: str | None = None
        self._breakable: list[str] = []
        self._labels: CaseLabels | None = None  # of the switch around

    def analyse(self, node: c_ast.Node) -> ir.Statement:
        """A statement; one that is in error has been reported and becomes empty."""
        try:
            before = self.unit.extensions.hoisted(node)
            if before is not None:
                return ir.Block(node.coord, [*before, *self._flattened(self.analyse(node))], -1)
            statement: ir.Statement = self._rules[type(node)](node)
            return statement
        except Invalid:
            return ir.Empty(node.coord)

    def _expression(self, node: c_ast.Node) -> ir.Statement:
        return ir.Evaluate(node.coord, self.unit.expressions.effect(node))

    def block(self, node: c_ast.Compound, scoped: bool = True) -> ir.Block:
        if scoped:
            self.unit.open_scope()
        statements = self.items(node.block_items or ())
        if scoped:
            self.unit.close_scope()
        return ir.Block(node.coord, statements, node.coord)

    def items(self, nodes: Iterable[c_ast.Node]) -> list[ir.Statement]:
        # What the head of a statement around this block has defined is declared before that statement.
        outer, self.unit.pending_items = self.unit.pending_items, []
        statements: list[ir.Statement] = []
        for item in nodes:
            statement = self.analyse(item)
            if self.unit.pending_items or type(statement) is ir.Block:
                statements += self._listed(statement, item.coord)
            else:
                statements.append(statement)
            if self._unroll is not None and not isinstance(item, c_ast.Pragma):
                self._unroll = None
        self.unit.pending_items = outer
        return statements

    def _listed(self, statement: ir.Statement, pos: int) -> list[ir.Statement]:
        """A statement of a list, behind the types that its expressions define: `((union { float f; uint u; }){x}).u`."""
        statements = self._flattened(statement)
        return [*self._types(pos), *statements] if self.unit.pending_items else statements

    def _types(self, pos: int) -> list[ir.Statement]:
        """The declarations of the types that have been defined on the way."""
        items = self.unit.declarations.take_items()
        self.unit.declarations.name_records(items)
        return [ir.DeclareType(pos, item) for item in items]

    def is_expression(self, node: c_ast.Node) -> bool:
        """Whether the node is an expression statement."""
        return self._rules[type(node)] == self._expression or isinstance(node, tree.StatementExpression)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Statements that control flow does not leave."""
        outer = self._breakable, self._labels, self._unroll
        self._breakable, self._labels, self._unroll = [], None, None
        try:
            yield
        finally:
            self._breakable, self._labels, self._unroll = outer

    def _flattened(self, statement: ir.Statement) -> list[ir.Statement]:
        """A declaration that defines types on its way, and a pragma, are several statements or none."""
        if isinstance(statement, ir.Block) and statement.end < 0:
            return statement.statements
        return [statement]

    # -- control flow ------------------------------------------------------------------------------------------------

    def _apart(self, rule: Callable[[c_ast.Node], ir.Statement], node: c_ast.Node) -> ir.Statement:
        """C99 6.8.4: "A selection statement is a block whose scope is a strict subset of the scope of its enclosing block. Each associated
        substatement is also a block"; 6.8.5 has the same for loops. What it defines on its way stays in it."""
        unit = self.unit
        outer = unit.scope, unit.pending_items
        unit.scope, unit.pending_items = Scope(unit.scope), []
        try:
            statement = rule(node)
            types = self._types(node.coord) if unit.pending_items else []
        finally:
            unit.scope, unit.pending_items = outer
        if types or (isinstance(statement, ir.Block) and statement.end < 0):
            return ir.Block(node.coord, [*types, *self._flattened(statement)], node.coord)
        return statement

    def _condition(self, node: c_ast.Node) -> ir.Expr:
        return self.unit.conversions.condition(self.unit.expressions.value(node), "statement")

    def _if(self, node: c_ast.If) -> ir.Statement:
        # else-if chains are walked in a loop: generated programs have thousands of links.
        links = [node]
        while isinstance(links[-1].iffalse, c_ast.If):
            links.append(links[-1].iffalse)
        arms = []
        for link in links:
            condition, types = self._condition(link.cond), self._types(link.coord) if self.unit.pending_items else []
            arms.append((link.coord, types, condition, self._body(link.iftrue)))
            if types:
                self.unit.open_scope()  # the next link is a block in this one
        last = self._body(links[-1].iffalse) if links[-1].iffalse is not None else None
        for coord, types, condition, yes in reversed(arms):
            last = ir.If(coord, condition, yes, last)
            last = ir.Block(coord, [*types, last], coord) if types else last
        assert last is not None
        return last

    def _body(self, node: c_ast.Node) -> ir.Statement:
        return self._apart(self.analyse, node)

    def _hint(self, node: c_ast.Node) -> str | None:
        """What `#pragma unroll N` before the loop or opencl_unroll_hint asks for: "" for no number."""
        hint, self._unroll = self._unroll, None
        attributes.check(self.unit, node)
        for attribute in getattr(node, "attributes", None) or ():
            if attribute.name == "opencl_unroll_hint":
                hint = self._unroll_factor(attribute)
        return hint

    def _unroll_factor(self, attribute: tree.Attribute) -> str:
        """6.13.5: "n [...] must be a positive integral compile time constant expression"."""
        if not attribute.args:
            return ""
        factor = folded_value(self.unit.expressions.analyse(attribute.args[0]))
        if factor is None or factor <= 0:
            raise self.unit.fail(attribute.coord, "'opencl_unroll_hint' attribute requires a positive integral compile time constant "
                                                  "expression")
        return str(factor)

    def _loop_body(self, node: c_ast.Node) -> ir.Statement:
        self._breakable.append("loop")
        body = self._body(node)
        self._breakable.pop()
        return body

    def _for(self, node: c_ast.For) -> ir.Statement:
        hint = self._hint(node)
        self.unit.scope.head = True
        *before, init = [None] if node.init is None else self._flattened(self.analyse(node.init))
        if not isinstance(init, (ir.Declare, ir.Evaluate, type(None))):
            before, init = [*before, init], None
        condition = None if node.cond is None else self._condition(node.cond)
        step = None if node.next is None else self.unit.expressions.effect(node.next)
        loop = ir.For(node.coord, init, condition, step, self._loop_body(node.stmt), hint)
        # A type that the first clause defines goes before the loop, and so does a statement expression.
        return ir.Block(node.coord, [*before, loop], node.coord) if before else loop

    def _while(self, node: c_ast.While) -> ir.Statement:
        hint = self._hint(node)
        return ir.While(node.coord, self._condition(node.cond), self._loop_body(node.stmt), hint)

    def _do(self, node: c_ast.DoWhile) -> ir.Statement:
        hint = self._hint(node)
        body = self._loop_body(node.stmt)
        return ir.DoWhile(node.coord, body, self._condition(node.cond), hint)

    def _switch(self, node: c_ast.Switch) -> ir.Statement:
        value = self.unit.expressions.value(node.cond)
        if not isinstance(value.type, Scalar) or not is_integer(value.type):
            raise self.unit.fail(value.pos, f"statement requires expression of integer type ('{value.type}' invalid)")
        value = self.unit.conversions.promote(value)
        self._breakable.append("switch")
        outer, self._labels = self._labels, CaseLabels(self.unit, value.type)  # type: ignore[arg-type]
        body = self._body(node.stmt)
        value = self._labels.folded(value)
        self._labels = outer
        self._breakable.pop()
        return ir.Switch(node.coord, value, body)

    def _case(self, node: c_ast.Case | c_ast.Default) -> ir.Statement:
        if "switch" not in self._breakable:
            raise self.unit.fail(node.coord, "'case' or 'default' statement not in switch statement")
        assert self._labels is not None
        low, high = self._labels.add(node)
        body: list[ir.Statement] = []
        for each in node.stmts or ():
            body += self._listed(self.analyse(each), each.coord)
        return ir.Case(node.coord, low, high, body)

    def _break(self, node: c_ast.Break) -> ir.Statement:
        if not self._breakable:
            raise self.unit.fail(node.coord, "'break' statement not in loop or switch statement")
        return ir.Break(node.coord)

    def _continue(self, node: c_ast.Continue) -> ir.Statement:
        if "loop" not in self._breakable:
            raise self.unit.fail(node.coord, "'continue' statement not in loop statement")
        return ir.Continue(node.coord)

    def _return(self, node: c_ast.Return) -> ir.Statement:
        function = self.unit.function
        assert function is not None
        if node.expr is None:
            if function.block:
                self.unit.blocks.returned(None, node.coord)
            if not isinstance(function.result, Void):
                self.unit.error(node.coord, f"non-void function '{function.name}' should return a value")
            return ir.Return(node.coord, None)
        value = self.unit.conversions.decay(self.unit.expressions.analyse(node.expr))
        if function.block:
            self.unit.blocks.returned(value, node.coord)
        if isinstance(function.result, Void):
            if not isinstance(value.type, Void):
                self.unit.error(node.coord, f"void function '{function.name}' should not return a value")
            return ir.Return(node.coord, value)
        return ir.Return(node.coord, self.unit.conversions.convert(value, function.result, "returning"))

    def _goto(self, node: c_ast.Goto) -> ir.Statement:
        assert self.unit.function is not None
        if self.unit.function.first_goto is None:
            self.unit.function.first_goto = node.coord
        goto = ir.Goto(node.coord, node.name)
        self.unit.function.gotos.append(goto)
        return goto

    def check_labels(self, function: ir.Function) -> None:
        for goto in function.gotos:
            if goto.label not in function.labels:
                self.unit.error(goto.pos, f"use of undeclared label '{goto.label}'")

    def _label(self, node: c_ast.Label) -> ir.Statement:
        assert self.unit.function is not None
        links = [node]
        while isinstance(links[-1].stmt, c_ast.Label):
            links.append(links[-1].stmt)
        labels = self.unit.function.labels
        for link in links:
            if link.name in labels:
                note = self.unit.note(labels[link.name], "previous definition is here")
                self.unit.error(link.coord, f"redefinition of label '{link.name}'", note)
            labels[link.name] = link.coord
        statement = self.analyse(links[-1].stmt)
        for link in reversed(links):
            statement = ir.Label(link.coord, link.name, statement)
        return statement

    def _empty(self, node: c_ast.EmptyStatement) -> ir.Statement:
        return ir.Empty(node.coord)

    def _pragma(self, node: c_ast.Pragma) -> ir.Statement:
        self.unit.pragmas.apply(node)
        words = node.string.replace("(", " ").replace(")", " ").split()
        if words[:1] == ["GCC"] or words[:1] == ["clang"]:
            words = words[1:]
        if words and words[0] in ("unroll", "nounroll"):
            self._unroll = "1" if words[0] == "nounroll" else self._unroll_number("".join(words[1:]), node.coord)
        return ir.Block(node.coord, [], -1)

    def _unroll_number(self, text: str, pos: int) -> str:
        """A name as its value, and 0 as the 1 that clang takes it for and nvcc does not."""
        if text.isidentifier():
            value = folded_value(self.unit.expressions.analyse(c_ast.ID(text, pos)))
            text = text if value is None else str(value)
        return "1" if text == "0" else text

    def _static_assert(self, node: c_ast.StaticAssert) -> ir.Statement:
        self.unit.extensions.static_assert(node)
        return ir.Block(node.coord, [], -1)

    def _statement_expression(self, node: tree.StatementExpression) -> ir.Statement:
        """({ … }); as a statement: a block."""
        return self.block(node.body)

    def _attributed(self, node: tree.AttributeStatement) -> ir.Statement:
        attributes.check(self.unit, node)
        for attribute in node.attributes:
            if attribute.name == "opencl_unroll_hint":
                raise self.unit.fail(attribute.coord, "'opencl_unroll_hint' attribute only applies to 'for', 'while', and 'do' statements")
        return ir.Empty(node.coord) if node.stmt is None else self.analyse(node.stmt)

    # -- declarations ------------------------------------------------------------------------------------------------

    def _typedef(self, node: c_ast.Typedef) -> ir.Statement:
        items = self.unit.declarations.typedef(node)
        self.unit.declarations.name_records(items)
        return ir.Block(node.coord, [ir.DeclareType(node.coord, item) for item in items], -1)

    def _declarations(self, node: c_ast.DeclList) -> ir.Statement:
        """for (int i = 0, j = 1; …): one statement with several variables."""
        for each in node.decls:
            if not isinstance(each, c_ast.Decl) or each.name is None or isinstance(each.type, c_ast.FuncDecl):  # C99 6.8.5
                raise self.unit.fail(each.coord, "non-variable declaration in 'for' loop")
        made = [s for each in node.decls for s in self._flattened(self._declaration(each))]
        declared = ir.Declare(node.coord, [v for s in made if isinstance(s, ir.Declare) for v in s.variables])
        types = [s for s in made if isinstance(s, ir.DeclareType)]
        return ir.Block(node.coord, [*types, declared], -1) if types else declared

    def _declaration(self, node: c_ast.Decl) -> ir.Statement:
        unit = self.unit
        unit.extensions.infer(node)
        q = unit.declarations.qualified(node.type)
        types = self._types(node.coord) if unit.pending_items else []
        if node.name is None:
            return ir.Block(node.coord, types, -1)
        if isinstance(q.type, FunctionType):
            unit.program.declare_function(node)
            return ir.Block(node.coord, types, -1)
        unit.restrictions.check_storage_class(node.storage, node.coord)
        if "extern" in node.storage:
            unit.program.declare_variable(node)
            return ir.Block(node.coord, types, -1)
        declare = self._variable(node, q)
        return ir.Block(node.coord, [*types, declare], -1) if types else declare

    def _variable(self, node: c_ast.Decl, q: Qualified) -> ir.Statement:
        unit, function = self.unit, self.unit.function
        assert function is not None
        attributes.check_variable(unit, node)
        static = "static" in node.storage
        space = q.space or ("global" if static and unit.dialect.program_scope_globals else "private")
        if isinstance(q.type, Void) or (isinstance(q.type, Record) and q.type.fields is None):
            raise unit.fail(node.coord, f"variable has incomplete type '{q.type}'")
        if isinstance(q.type, BlockType):
            unit.blocks.check_variable(node)
        if isinstance(q.type, Array) and q.type.length is None and node.init is None:
            raise unit.fail(node.coord, "definition of variable with array type needs an explicit size or an initializer")
        unit.restrictions.check_variable(q, space, node.coord, program_scope=False)
        if node.name in unit.scope.names:
            raise unit.fail(node.coord, f"redefinition of '{node.name}'")
        unit.restrictions.check_space(node, space)
        if space == "local" and node.init is not None:
            raise unit.fail(node.coord, "'__local' variable cannot have an initializer")
        variable = ir.Variable(node.name, q.type, space, node.coord, q.const or space == "constant", q.volatile, static,  # type: ignore[arg-type]
                               aligned=unit.declarations.alignment(node) or q.object_alignment)
        if isinstance(q.type, Array):
            variable.const = variable.const or q.type.const
        if space == "local":
            function.local_variables.append(variable)
        if node.init is None:
            if space == "constant":
                raise unit.fail(node.coord, "variable in constant address space must be initialized")
            unit.new_variable(variable)
            return ir.Declare(node.coord, [(variable, None)])
        unit.new_variable(variable)
        variable.type, init = unit.initialisers.analyse(node.init, q.type)
        variable.value = constant_of(variable, init)
        if isinstance(variable.type, BlockType):
            unit.blocks.bind(variable, init)
            variable.space, variable.static = "private", False  # it never changes, and a lambda of no function is CUDA's host's
        if static or space == "constant":
            init = constant_initialiser(unit, variable, init)
        return ir.Declare(node.coord, [(variable, init)])
