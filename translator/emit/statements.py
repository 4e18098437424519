"""Statements and local declarations as C++ spells them, one output line each, in the user's own order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..ir import nodes as ir
from ..ir.constants import integer_value
from ..ir.endings import lacks_return
from ..ir.names import cxx_name
from ..ir.packed import lies_packed
from ..ir.types import INT, UINT, ULONG, VOID, Array, Pointer, Type, is_class
from .block_expressions import BlockPrinter
from .expressions import ASSIGN, ExpressionPrinter
from .initialisers import InitialiserPrinter
from .lines import INDENT, InlineLines, Lines

if TYPE_CHECKING:
    from ..ir.item_loops.waiting import Loop, Waiting


class StatementPrinter:
    """`zeros`: private variables without an initialiser start as zeros. `waiting`: which loops wait, for a device that wants to know."""

    def __init__(self, lines: Lines, expressions: ExpressionPrinter, zeros: bool = False, waiting: Waiting | None = None):
        self.waiting = waiting
        self.zeros = zeros
        self.lines, self.expressions, self.types = lines, expressions, expressions.types
        self.function: ir.Function | None = None
        self.local_offsets: dict[ir.Variable, int] = {}  # local variables that live in dynamic shared memory
        self.hoisted: set[ir.Item] = set()  # types that are printed at program scope, before their function
        self.replaced: Mapping[ir.Statement, ir.Statement] = {}  # what is printed for some of the function's
        self._switches = 0
        self._jumped = False  # whether a jump may pass the statement being printed
        self._rules = {
            ir.Block: self._block, ir.Declare: self._declare, ir.DeclareType: self._declare_type, ir.Evaluate: self._evaluate,
            ir.If: self._if, ir.While: self._while, ir.DoWhile: self._do, ir.For: self._for, ir.Switch: self._switch,
            ir.Case: self._case, ir.Break: lambda s: self.lines.add("break;", s.pos),
            ir.Continue: lambda s: self.lines.add("continue;", s.pos), ir.Return: self._return,
            ir.Goto: lambda s: self.lines.add(f"goto {cxx_name(s.label)}_;", s.pos), ir.Label: self._label,
            ir.Empty: lambda s: self.lines.add(";", s.pos), ir.Asm: self._asm,
        }  # fmt: skip
        expressions.inline_statements, expressions.inline_function = self.inline, self.inline_function
        self.initialisers, self.block_expressions = InitialiserPrinter(expressions), BlockPrinter(expressions)

    def add_rules(self, rules: dict[type[ir.Statement], Callable[..., None]]) -> None:
        """Adds how statements are printed that the representation gets from others."""
        self._rules.update(rules)

    def print(self, statement: ir.Statement) -> None:
        statement = self.replaced.get(statement, statement)
        self._rules[type(statement)](statement)  # type: ignore[operator]

    def function_body(self, function: ir.Function) -> None:
        assert function.body is not None
        self.body(function.body.statements)
        if lacks_return(function):
            self.lines.add("return {};")

    def body(self, statements: list[ir.Statement], jumped: bool = False) -> None:
        """`jumped`: a jump may pass all of these on its way to a label behind them."""
        last_label = len(statements) if jumped else self._last_label(statements)
        for number, each in enumerate(statements):
            if number:
                self.lines.blank_like_source(each.pos, statements[number - 1].pos)
            self._jumped = number < last_label
            self.print(each)

    def _last_label(self, statements: list[ir.Statement]) -> int:
        """The index of the last statement that a jump may lead into, over those before it."""
        assert self.function is not None
        if self.function.first_goto is None and not self._switches:
            return -1
        numbers = range(len(statements) - 1, -1, -1)
        return next((n for n in numbers if holds_label(statements[n], self.function.first_goto is not None)), -1)

    def inline(self, statements: list[ir.Statement]) -> str:
        """The statements on one line, for the lambda that stands for a statement expression."""
        return self._on_one_line(lambda: self.body(statements))

    def _on_one_line(self, write: Callable[[], None]) -> str:
        outer, self.lines = self.lines, InlineLines()
        try:
            write()
            return self.lines.finish()
        finally:
            self.lines = outer

    def inline_function(self, function: ir.Function) -> str:
        """A block's body on one line."""
        outer, self.function = self.function, function
        try:
            body = self._on_one_line(lambda: self.function_body(function))
        finally:
            self.function = outer
        return " ".join([*self._lambda_start(function), body])

    def _lambda_start(self, function: ir.Function) -> list[str]:
        """A lambda is constexpr where it can be: GCC 12 crashes when it tries to compute one with a goto."""
        return [*['asm("");'] * (function.first_goto is not None), *self.temporaries(function)]

    def temporaries(self, function: ir.Function) -> list[str]:
        return [self.types.declare(t.type, t.cxx_name) + ";" for t in function.temporaries]

    # -- blocks and control flow -------------------------------------------------------------------------------------

    def _block(self, block: ir.Block) -> None:
        self.lines.add("{", block.pos)
        self._indented(block.statements)
        self.lines.add("}")

    def _indented(self, statements: list[ir.Statement]) -> None:
        self.lines.depth += 1
        self.body(statements)
        self.lines.depth -= 1

    def _controlled(self, head: str, statement: ir.Statement, pos: int | None, tail: str | None = None) -> None:
        """`head` and the statement it controls, in braces where the user put them."""
        if isinstance(statement, ir.Block):
            self.lines.add(head + " {", pos)
            self._indented(statement.statements)
            if tail is None:
                self.lines.add("}")
            return
        if isinstance(statement, ir.Empty):
            self.lines.add(head + ";", pos)
            return
        self.lines.add(head, pos)
        self._indented([statement])

    def _if(self, statement: ir.If) -> None:
        head, pos = "if", statement.pos
        while True:
            # A dangling else binds to the inner if: braces keep it with ours.
            yes = statement.yes
            if statement.no is not None and not isinstance(yes, ir.Block):
                yes = ir.Block(yes.pos, [yes], yes.pos) if isinstance(yes, (ir.If, ir.For, ir.While)) else yes
            braces = isinstance(yes, ir.Block)
            self._controlled(f"{head} ({self.expressions.value(statement.condition)})", yes, pos, "else" if statement.no else None)
            if statement.no is None:
                return
            lead = "} else" if braces else "else"
            if isinstance(statement.no, ir.If):
                head, statement = lead + " if", statement.no
                pos = statement.pos
                continue
            self._controlled(lead, statement.no, None)
            return

    def _unroll(self, hint: str | None) -> None:
        if hint is not None:
            self.lines.add(f"#pragma unroll {hint}".rstrip())

    def _loop(self, loop: Loop, write: Callable[[ir.Statement], None]) -> None:
        """Writes the loop with a body. Where it waits, that lets others run, and counts for it."""
        kind = self.waiting.kind(loop) if self.waiting is not None else ""
        if not kind:
            self._unroll(loop.unroll)
            write(loop.body)
            return
        rounds = ir.Variable("rounds", UINT, "private", loop.pos, cxx_name=self.expressions.unused("rounds"))
        call = ir.Intrinsic(VOID, loop.pos, "give_way" if kind == "idle" else "give_way_at_times", [ir.Name(UINT, loop.pos, rounds)])
        body = loop.body
        statements = body.statements if isinstance(body, ir.Block) else [] if isinstance(body, ir.Empty) else [body]
        self.lines.add("{", loop.pos)
        self.lines.depth += 1
        self.lines.add(self.types.declare(UINT, rounds.cxx_name) + ";")
        self.lines.add(f"{rounds.cxx_name} = 0;")  # no initialiser, which C++ lets no jump pass
        self._unroll(loop.unroll)
        write(ir.Block(body.pos, [ir.Evaluate(body.pos, call), *statements], body.pos))
        self.lines.depth -= 1
        self.lines.add("}")

    def _while(self, statement: ir.While) -> None:
        condition = f"while ({self.expressions.value(statement.condition)})"
        self._loop(statement, lambda body: self._controlled(condition, body, statement.pos))

    def _do(self, statement: ir.DoWhile) -> None:
        self._loop(statement, lambda body: self._do_body(statement, body))

    def _do_body(self, statement: ir.DoWhile, body: ir.Statement) -> None:
        self.lines.add("do {", statement.pos)
        self._indented(body.statements if isinstance(body, ir.Block) else [body])
        self.lines.add(f"}} while ({self.expressions.value(statement.condition)});", statement.condition.pos)

    def _for(self, statement: ir.For) -> None:
        init = ""
        if isinstance(statement.init, ir.Declare):
            init = self._declaration_text(statement.init)
        elif statement.init is not None:
            assert isinstance(statement.init, ir.Evaluate)
            init = self.expressions.value(statement.init.expression)
        condition = self.expressions.value(statement.condition) if statement.condition else ""
        step = self.expressions.effect(statement.step) if statement.step else ""
        parts = f"{init}; {condition}".rstrip() + f"; {step}".rstrip()
        self._loop(statement, lambda body: self._controlled(f"for ({parts})", body, statement.pos))

    def _switch(self, statement: ir.Switch) -> None:
        self._switches += 1
        self._controlled(f"switch ({self.expressions.value(statement.value)})", statement.body, statement.pos)
        self._switches -= 1

    def _case(self, case: ir.Case) -> None:
        *more, label = self._labels(case)
        braced = case.body[0] if case.body and isinstance(case.body[0], ir.Block) else None
        self.lines.depth -= 1
        for line in more:
            self.lines.add(line, case.pos)
        self.lines.add(f"{label} {{".lstrip() if braced else label, case.pos)
        jumped = self._jumped
        if braced:
            self._indented(braced.statements)
            self.lines.add("}")
        self.lines.depth += 1
        self.body(case.body[1:] if braced else case.body, jumped)

    def _labels(self, case: ir.Case) -> list[str]:
        """The lines of its labels: C++ has no ranges."""
        if case.low is None:
            return ["default:"]
        if case.high is None:
            return [f"case {self.expressions.value(case.low)}:"]
        first, last = integer_value(case.low), integer_value(case.high)
        assert first is not None and last is not None
        labels = [f"case {value}:" for value in range(first, last + 1)]
        return [" ".join(labels[i : i + 8]) for i in range(0, len(labels), 8)] or [";"]

    def _return(self, statement: ir.Return) -> None:
        value = "" if statement.value is None else " " + self.expressions.value(statement.value)
        self.lines.add(f"return{value};", statement.pos)

    def _label(self, statement: ir.Label) -> None:
        self.lines.depth -= 1
        body: ir.Statement = statement
        while isinstance(body, ir.Label):
            self.lines.add(f"{cxx_name(body.name)}_:", body.pos)
            body = body.body
        self.lines.depth += 1
        self.print(body)

    def _asm(self, statement: ir.Asm) -> None:
        self.types.use("asm")
        operands = [", ".join(f"{constraint}({self.expressions.value(expr)})" for constraint, expr in side)
                    for side in (statement.outputs, statement.inputs)]  # fmt: skip
        clobbers = [each for each in statement.clobbers if each != '"cc"']  # which NVRTC refuses, and is clobbered everywhere else
        sections = [statement.template, *operands, ", ".join(clobbers)]
        while len(sections) > 1 and not sections[-1]:
            sections.pop()
        self.lines.add(f"asm{' volatile' * statement.volatile}({' : '.join(sections)});", statement.pos)

    def _evaluate(self, statement: ir.Evaluate) -> None:
        self.lines.add(self.expressions.effect(statement.expression) + ";", statement.pos)

    # -- declarations ------------------------------------------------------------------------------------------------

    def _declare_type(self, statement: ir.DeclareType) -> None:
        if statement.item not in self.hoisted:
            for line, pos in type_item(statement.item, self.expressions):
                self.lines.add(line, pos)

    def _declare(self, statement: ir.Declare) -> None:
        for variable, init in statement.variables:
            self._variable(variable, init, statement.pos)

    def _variable(self, variable: ir.Variable, init: ir.Expr | None, pos: int) -> None:
        assert self.function is not None
        if variable.space == "local":
            self._local(variable, pos)
        elif variable.space in ("constant", "global"):
            return  # printed at program scope, before the function
        elif isinstance(init, ir.BlockLiteral) and not init.function.launched:
            self._block_variable(variable, init, pos)
        elif isinstance(init, ir.BlockLiteral) and self._jumped:
            self.lines.add(f"{self.expressions.blocks.struct(init.function)} {variable.cxx_name};", pos)
            self.lines.add(f"{variable.cxx_name} = {self.expressions.value(init, ASSIGN)};")
        elif init is not None and self._jumped:
            # C++ forbids jumping past an initialiser: declare, then assign.
            self.lines.add(self.types.declare(without_const(variable.type), variable.cxx_name) + ";", pos)
            for store in self.initialisers.stores(variable.cxx_name, init):
                self.lines.add(store + ";")
        elif init is None and self.zeros and self._jumped:
            self.lines.add(self.types.declare(with_room(without_const(variable.type)), variable.cxx_name) + ";", pos)
            self.lines.add(f"for (char &byte : *(char (*)[sizeof {variable.cxx_name}])&{variable.cxx_name}) byte = 0;")
        else:
            self.lines.add(self.variable_text(variable, init) + ";", pos)

    def _block_variable(self, variable: ir.Variable, literal: ir.BlockLiteral, pos: int) -> None:
        function = literal.function
        self.lines.add(f"auto {variable.cxx_name} = {self.block_expressions.head(literal)} {{", pos)
        outer, self.function = self.function, function
        self.lines.depth += 1
        for line in self._lambda_start(function):
            self.lines.add(line)
        self.function_body(function)
        self.lines.depth -= 1
        self.function = outer
        self.lines.add("};")

    def _local(self, variable: ir.Variable, pos: int) -> None:
        if variable not in self.local_offsets:
            self.lines.add(f"__shared__ {self._aligned(variable)}{self.types.declare(variable.type, variable.cxx_name)};", pos)
            return
        # More local memory than CUDA takes statically: a piece of the dynamic shared memory.
        self.types.use("local_memory")
        reference = self.types.declare(variable.type, f"(&{variable.cxx_name})") if isinstance(variable.type, Array) else (
            self.types.declare(variable.type, f"&{variable.cxx_name}"))
        pointer = self.types.declare(variable.type, "(*)") if isinstance(variable.type, Array) else self.types.name(variable.type) + " *"
        self.lines.add(f"{reference} = *({pointer})(local_memory + {self.local_offsets[variable]});", pos)

    def _aligned(self, variable: ir.Variable) -> str:
        return f"__attribute__((aligned({variable.aligned}))) " if variable.aligned else ""

    def variable_text(self, variable: ir.Variable, init: ir.Expr | None) -> str:
        const = variable.const and init is not None and not isinstance(variable.type, Array)
        text = self._aligned(variable) + self.types.declare(with_room(variable.type), variable.cxx_name, const, variable.volatile)
        if init is not None and variable.volatile and is_class(variable.type) and lies_packed(init):
            # Without a copy, NVRTC reads it as if it were aligned.
            return f"{text} = {self.types.name(variable.type)}({self.expressions.value(init, ASSIGN)})"
        return text + self._initialiser(init)

    def _initialiser(self, init: ir.Expr | None) -> str:
        if init is None:
            return " = {}" if self.zeros else ""
        return f" = {self.expressions.value(init, ASSIGN)}"

    def _declaration_text(self, declare: ir.Declare) -> str:
        """`int i = 0, j = 1`: the declaration in the head of a for."""
        first, *rest = declare.variables
        text = self.variable_text(*first)
        for variable, init in rest:
            stars = self.types.declare(variable.type, variable.cxx_name)[len(self.types.base(_base_type(variable.type))) :].strip()
            text += f", {stars}" + self._initialiser(init)
        return text


def holds_label(statement: ir.Statement, gotos: bool) -> bool:
    """Whether a jump may lead into the statement: to a case, unless of a switch inside it, or to the label of a goto."""
    stack: list[tuple[ir.Statement, bool]] = [(statement, True)]
    while stack:
        each, cases = stack.pop()
        if (cases and isinstance(each, ir.Case)) or (gotos and isinstance(each, ir.Label)):
            return True
        cases = cases and not isinstance(each, ir.Switch)
        for name in ("statements", "body", "yes", "no"):
            inner = getattr(each, name, None)
            if inner is not None:
                stack += [(s, cases) for s in (inner if isinstance(inner, list) else [inner])]
    return False


def _base_type(type: Type) -> Type:
    while isinstance(type, (Pointer, Array)):
        if type.alias is not None:
            break
        type = type.element if isinstance(type, Array) else type.pointee
    return type


def with_room(type: Type) -> Type:
    """The type of a variable: CUDA takes arrays of no elements in structs only."""
    if not isinstance(type, Array) or type.alias is not None:
        return type
    return Array(with_room(type.element), type.length or 1, type.const, type.volatile)


def without_const(type: Type) -> Type:
    """An array type whose elements may be assigned one by one."""
    return Array(without_const(type.element), type.length) if isinstance(type, Array) else type


def type_item(item: ir.Item, expressions: ExpressionPrinter) -> list[tuple[str, int | None]]:
    """The lines of a typedef, struct, union or enum, at program scope or in a block, each with its place."""
    types = expressions.types
    if isinstance(item, ir.TypedefItem):
        line = f"typedef {types.declare(item.type, item.name)};"
        types.typedefs.add(item.name)
        return [(line, item.pos)]
    if isinstance(item, ir.RecordItem):
        if not item.defined:
            return [(f"{item.record.kind} {item.record.name};", item.pos)]
        (head, _), *rest = types.record(item.record)
        return [(head, item.pos), *rest]
    assert isinstance(item, ir.EnumItem)
    # In C++ one constant that int does not hold gives all of its enumeration another type: each type has an enumeration.
    lines: list[tuple[str, int | None]] = []
    for type in dict.fromkeys(each.type for each in item.enumerators):
        tag = [cxx_name(item.tag)] if item.tag and not lines else []
        head = " ".join(["enum", *tag, *([] if type == INT else [":", types.name(type)]), "{"])
        lines += _enumeration(head, [each for each in item.enumerators if each.type == type], item.pos)
    return lines


def _enumeration(head: str, enumerators: list[ir.Enumerator], pos: int) -> list[tuple[str, int | None]]:
    previous, texts = -1, []
    for each in enumerators:
        least = each.value == -(1 << 63)  # C++ has no literal of it
        number = f"{each.value + least}{'ul' * (each.type == ULONG)}{' - 1' * least}"
        texts.append(each.cxx_name if each.value == previous + 1 else f"{each.cxx_name} = {number}")
        previous = each.value
    line = f"{head} {', '.join(texts)} }};"
    if len(line) <= 110:
        return [(line, pos)]
    return [(head, pos), *((f"{INDENT}{text},", None) for text in texts), ("};", None)]
