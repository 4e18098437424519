"""Expressions as C++ spells them: parentheses where precedence asks for them, conversions where C++ would not make them.

`value` prints an expression where C++ converts as C does. `exact` prints it where C++ must see just this type: arguments of
the device library's templates, the scalar beside a vector, what stands in braces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ...builtins import table
from ...builtins.concurrency import OF_ITEM
from ...builtins.prelude import function_names
from ..ir import nodes as ir
from ..ir.alignment import is_parameter
from ..ir.constants import integer_value
from ..ir.packed import lies_packed
from ..ir.speculation import speculated
from ..ir.types import BOOL, HALF, UCHAR, Array, Pointer, Record, Scalar, Type, Vector, Void, is_zero_length, offset_of
from .argument_order import ArgumentOrder, in_lambda
from .blocks import BlockNames
from .numbers import EXACT, converted_number, float_quotient, number_text
from .sub_groups import SubGroups
from .types import TypePrinter

if TYPE_CHECKING:
    from ..ir.alignment import Condition
    from ..ir.contraction import Contraction
    from ..ir.item_loops.subscripts import Subscripts

SEQUENCE, ASSIGN, CONDITIONAL, UNARY, POSTFIX, PRIMARY = 1, 2, 3, 14, 15, 16
_BINARY = {
    "||": 4, "&&": 5, "|": 6, "^": 7, "&": 8, "==": 9, "!=": 9, "<": 10, ">": 10, "<=": 10, ">=": 10, "<<": 11, ">>": 11,
    "+": 12, "-": 12, "*": 13, "/": 13, "%": 13,
}  # fmt: skip
_UNCLEAR = frozenset(("&", "|", "^", "&&", "||", "<<", ">>"))  # operators beside which others want parentheses, as `needs_clarity` says
_BOOLEAN = ("<", ">", "<=", ">=", "==", "!=", "&&", "||")


class ExpressionPrinter:
    def __init__(self, types: TypePrinter, declared: set[str], sub_groups: SubGroups, blocks: BlockNames, order: ArgumentOrder):
        self.types, self.declared, self.sub_groups, self.blocks, self.order = types, declared, sub_groups, blocks, order
        self.namespace, self.linked = "user", False  # of the user's functions, and whether there are others
        self.without_braces = 0  # how many of the expressions around have vectors' braces forbidden
        self.at_program_scope = False
        self.name_text: Callable[[ir.String], str] | None = None  # of an array of bytes that a string literal is put into
        self.subscripts: Subscripts | None = None  # how they are computed in another type
        self.item_id = ""  # where the functions that tell a work-item's ids find them, if not in the thread's state
        self.parameters: Sequence[ir.Variable] = ()  # of the function that is being printed
        self.aligned: Mapping[ir.BuiltinCall, Condition] = {}  # of its vloads and vstores, when memory is aligned for them
        self.contracted: Mapping[ir.Binary, Contraction] = {}  # of its sums, those that are `mad`
        self.speculates = True  # whether operands of && and || may be evaluated in vain, as is right where a branch costs more
        # Set by the printer of statements.
        self.inline_statements: Callable[[list[ir.Statement]], str]
        self.inline_function: Callable[[ir.Function], str]
        self._rules = {
            ir.Number: self._number, ir.String: lambda e: (e.text, PRIMARY), ir.Name: self._name,
            ir.BuiltinConstant: self._builtin_constant, ir.Unary: self._prefixed, ir.Step: self._step, ir.Binary: self._binary,
            ir.Conditional: self._conditional, ir.Assign: self._assign, ir.Sequence: self._sequence, ir.Cast: self._cast,
            ir.Splat: self._splat, ir.MakeVector: self._make_vector, ir.Member: self._member, ir.Index: self._index,
            ir.Component: self._component, ir.Swizzle: self._swizzle, ir.SetSwizzle: self._set_swizzle, ir.Call: self._call,
            ir.BuiltinCall: self._builtin_call, ir.SizeOf: self._size_of, ir.StatementExpression: self._statement_expression,
            ir.Intrinsic: self._intrinsic, ir.VolatileObject: self._volatile_object, ir.StoreVolatile: self._store_volatile,
        }  # fmt: skip

    def add_rule(self, kind: type[ir.Expr], rule: Callable[..., tuple[str, int]]) -> None:
        """Adds how expressions are printed that the representation gets from others: text and precedence."""
        self._rules[kind] = rule

    def value(self, expr: ir.Expr, precedence: int = SEQUENCE) -> str:
        text, own = self._rules[type(expr)](expr)  # type: ignore[operator]
        return f"({text})" if own < precedence else text

    def exact(self, expr: ir.Expr, precedence: int = ASSIGN) -> str:
        literal = self._converted_literal(expr)
        if literal is not None:
            return f"({literal})" if literal[0] == "-" and precedence > UNARY else literal
        if self._has_own_type(expr) or self._through_half(expr):
            return self.value(expr, precedence)
        operand = expr.operand if isinstance(expr, ir.Cast) else expr
        text = f"{self.types.cast(expr.type)}{self.value(operand, UNARY)}"
        return f"({text})" if precedence > UNARY else text

    def _has_own_type(self, expr: ir.Expr) -> bool:
        """Whether the C++ expression that `value` prints has the type that C gives it."""
        while isinstance(expr, ir.Conditional):
            if not self._has_own_type(expr.yes):
                return False
            expr = expr.no
        if isinstance(expr, ir.Cast):
            return not (expr.implicit and isinstance(expr.type, Scalar))
        if isinstance(expr, ir.Binary):
            return expr.op not in _BOOLEAN or isinstance(expr.type, Vector)
        if isinstance(expr, ir.Unary):
            return expr.op != "!" or isinstance(expr.type, Vector)
        if isinstance(expr, ir.Sequence):
            return self._has_own_type(expr.right)
        if isinstance(expr, ir.Number):
            return not expr.text.startswith("'")
        return not (isinstance(expr, ir.Name) and isinstance(expr.symbol, ir.Enumerator))

    def _converted_literal(self, expr: ir.Expr) -> str | None:
        """An implicitly converted number, spelled as one of the target type: 2 as 2.0f."""
        if not (isinstance(expr, ir.Cast) and expr.implicit and isinstance(expr.type, Scalar)):
            return None
        operand, sign = expr.operand, ""
        if isinstance(operand, ir.Unary) and operand.op == "-":
            operand, sign = operand.operand, "-"
        if not isinstance(operand, ir.Number) or operand.text.startswith("'") or operand.type == HALF:
            return None
        return converted_number(operand, expr.type, sign)

    # -- rules: each gives text and precedence -----------------------------------------------------------------------

    def _number(self, expr: ir.Number) -> tuple[str, int]:
        return (expr.text if -EXACT < expr.value < EXACT else number_text(expr)), PRIMARY

    def _name(self, expr: ir.Name) -> tuple[str, int]:
        symbol = expr.symbol
        return (f"{symbol.cxx_name}.value", POSTFIX) if symbol.immediate else (symbol.cxx_name, PRIMARY)

    def _builtin_constant(self, expr: ir.BuiltinConstant) -> tuple[str, int]:
        self.types.use("const", expr.name)
        return self.library(expr.name), PRIMARY

    def unused(self, name: str) -> str:
        """A name that the program does not declare."""
        while name in self.declared:
            name += "_"
        return name

    def library(self, name: str) -> str:
        return f"ocl::{name}" if name in self.declared else name

    def _prefixed(self, expr: ir.Expr) -> tuple[str, int]:
        """Operators and casts before an expression, in a loop: there may be thousands."""
        prefixes: list[str] = []
        while True:
            expr = self._plain(expr)
            if isinstance(expr, ir.Unary):
                self._use_operator(expr)
                prefixes.append(expr.op)
            elif isinstance(expr, ir.Cast) and not self._has_own_spelling(expr):
                # C++ narrows no pointer at once.
                target, pointer = expr.type, isinstance(expr.operand.type, Pointer)
                narrows = pointer and isinstance(target, Scalar) and target.kind == "int" and target.size < 8
                prefixes.append(self.types.cast(expr.type) + "(long)" * narrows)
            else:
                break
            expr = expr.operand
        texts = [self.value(expr, UNARY)]
        for prefix in reversed(prefixes):
            # - -x and & &x must not run together.
            space = " " if texts[-1][:1] == prefix and prefix in "+-&" else ""
            texts.append(prefix + space)
        return "".join(reversed(texts)), UNARY

    def _use_operator(self, expr: ir.Unary) -> None:
        if expr.type.is_plain:
            return
        if isinstance(expr.type, Vector) and expr.op not in ("*", "&"):
            assert isinstance(expr.operand.type, Vector)
            self.types.use("op", expr.op, str(expr.operand.type))
        elif expr.type == HALF and expr.op in "+-":
            self.types.use("op", expr.op, "half")

    def _plain(self, expr: ir.Expr) -> ir.Expr:
        """What is printed for the expression: conversions that C++ makes by itself are not."""
        while isinstance(expr, ir.Cast) and expr.implicit and not self._has_own_spelling(expr):
            expr = expr.operand
        return expr

    def _has_own_spelling(self, expr: ir.Cast) -> bool:
        """Whether a conversion is spelled as neither a cast nor nothing."""
        return self._through_half(expr) or self._is_null(expr) or self._quotient(expr) is not None

    def _quotient(self, expr: ir.Cast) -> ir.Intrinsic | None:
        return None if self.at_program_scope else float_quotient(expr)

    def _step(self, expr: ir.Step) -> tuple[str, int]:
        if not expr.type.is_plain:
            self.types.use("op", ("p" if expr.postfix else "") + expr.op, str(expr.type))
        if self._narrow(expr.type):
            # NVRTC takes overflow in ++ and -- of these for undefined; C computes in int and converts back. C++ steps no bool.
            if not expr.postfix:
                return f"{self.value(expr.operand, UNARY)} {expr.op[0]}= 1", ASSIGN
            self.types.use("item", "post_step")
            by = "1" if expr.op == "++" else "-1"
            return f"{self.library('post_step')}({self.value(expr.operand, ASSIGN)}, {by})", POSTFIX
        if expr.postfix:
            return f"{self.value(expr.operand, POSTFIX)}{expr.op}", POSTFIX
        return f"{expr.op}{self.value(expr.operand, UNARY)}", UNARY

    def _narrow(self, type: Type) -> bool:
        return isinstance(type, Scalar) and (type == BOOL or (type.kind == "int" and type.signed and type.size < 4))

    def effect(self, expr: ir.Expr) -> str:
        """An expression whose value is not used."""
        if isinstance(expr, ir.Step) and self._narrow(expr.type):
            return f"{self.value(expr.operand, UNARY)} {expr.op[0]}= 1"
        return self.value(expr)

    def _binary(self, expr: ir.Binary) -> tuple[str, int]:
        if expr in self.contracted:
            return self._mad(expr, self.contracted[expr])
        # Left-leaning chains are printed in a loop.
        chain: list[ir.Binary] = []
        inner: ir.Expr = expr
        while isinstance(inner, ir.Binary) and inner not in self.contracted:
            if inner.op in ("&&", "||") and self.speculates and not (chain and chain[-1].op == inner.op):
                inner = speculated(inner)
                assert isinstance(inner, ir.Binary)
            chain.append(inner)
            inner = inner.left
        text, own, first, act = "", PRIMARY, True, self.order.matters and self.order.acts(inner)
        operand = inner
        for link in reversed(chain):
            op, right_operand = link.op, speculated(link.right) if self.speculates else link.right
            level, unclear = _BINARY[op], op in _UNCLEAR
            plain = operand.type.is_plain and right_operand.type.is_plain
            vector = not plain and (isinstance(operand.type, Vector) or isinstance(right_operand.type, Vector))
            show = self.exact if vector else self.value
            if first:
                left, first = show(operand, level), False
            else:
                left = f"({text})" if own < level or (unclear and needs_clarity(op, operand)) else text
            if self.subscripts is not None and ir.is_offset(link):
                right_operand = self.subscripts.wide(right_operand)
            right = show(right_operand, PRIMARY if unclear and needs_clarity(op, right_operand) else level + 1)
            act = act or (self.order.matters and self.order.acts(link.right))
            text, own = f"{left} {op} {right}", level
            if not plain and (vector or HALF in (operand.type, link.right.type)):
                self.types.use("op", op, str(operand.type), str(link.right.type))
                variables, (left, right) = self.order.named((operand, link.right), (left, right), act)
                if variables:
                    text, own = in_lambda(variables, f"{left} {op} {right}"), POSTFIX
            operand = link
        return text, own

    def _mad(self, expr: ir.Binary, contraction: Contraction) -> tuple[str, int]:
        name = str(expr.type)
        self.types.use("fn", "mad", name, name, name, name)
        texts = [self.exact(each) for each in contraction]
        return self.order.kept(contraction, texts, lambda given: f"{self.library('mad')}({', '.join(given)})"), POSTFIX

    def _conditional(self, expr: ir.Conditional) -> tuple[str, int]:
        # A class type on one side only of a null pointer does not occur: both sides have been converted.
        show = self.exact if isinstance(expr.type, Vector) else self.value
        texts, last = [], expr
        while True:
            texts.append(f"{self.value(last.condition, CONDITIONAL + 1)} ? {show(last.yes, CONDITIONAL)} : ")
            no = self._plain(last.no)
            if show is self.exact or not isinstance(no, ir.Conditional) or isinstance(no.type, Vector):
                return "".join(texts) + show(last.no, CONDITIONAL), CONDITIONAL
            last = no

    def _assign(self, expr: ir.Assign) -> tuple[str, int]:
        texts = []
        while True:
            texts.append(f"{self.value(expr.target, UNARY)} {expr.op} ")
            plain = expr.op == "=" or (expr.target.type.is_plain and expr.value.type.is_plain)
            if not plain and (isinstance(expr.target.type, Vector) or HALF in (expr.target.type, expr.value.type)):
                self.types.use("op", expr.op, str(expr.target.type), str(expr.value.type))
                return "".join(texts) + self.exact(expr.value, ASSIGN), ASSIGN
            value = self._plain(expr.value)
            if not isinstance(value, ir.Assign):
                return "".join(texts) + self.value(value, ASSIGN), ASSIGN
            expr = value

    def _sequence(self, expr: ir.Sequence) -> tuple[str, int]:
        parts: list[ir.Expr] = [expr]
        while isinstance(parts[-1], ir.Sequence):
            last = parts.pop()
            assert isinstance(last, ir.Sequence)
            parts += [last.right, last.left]
        return ", ".join(self.value(part, ASSIGN) for part in reversed(parts)), SEQUENCE

    def _cast(self, expr: ir.Cast) -> tuple[str, int]:
        if self._is_null(expr):
            return "nullptr", PRIMARY
        if self.at_program_scope and self.name_text is not None and (text := _text_of_bytes(expr)):
            return self.name_text(text), PRIMARY
        if self._through_half(expr):
            # Our half has no conversions of its own in C++.
            name = f"convert_{expr.type}"
            self.types.use("fn", name, str(expr.type), str(expr.operand.type))
            return f"{self.library(name)}({self.value(expr.operand, ASSIGN)})", POSTFIX
        if quotient := self._quotient(expr):
            return self._intrinsic(quotient)
        if expr.implicit:
            plain = self._plain(expr)
            return self._rules[type(plain)](plain)  # type: ignore[operator]
        return self._prefixed(expr)

    def _through_half(self, expr: ir.Expr) -> bool:
        if not isinstance(expr, ir.Cast):
            return False
        target, source = expr.type, expr.operand.type
        if target.is_plain and source.is_plain:
            return False
        return isinstance(target, Scalar) and isinstance(source, Scalar) and HALF.name in (target.name, source.name)

    def _is_null(self, expr: ir.Expr) -> bool:
        """Whether it is `nullptr`. The type that a cast names may be needed around it, `*(int *)0`, except that of a pointer to void."""
        if not isinstance(expr, ir.Cast) or not isinstance(expr.type, Pointer):
            return False
        zero = integer_value(expr.operand) == 0 or self._is_null(expr.operand)
        return zero and (expr.implicit or isinstance(expr.type.pointee, Void))

    def _splat(self, expr: ir.Splat) -> tuple[str, int]:
        vector = expr.type
        assert isinstance(vector, Vector)
        name, operand = self.types.name(vector), self.exact(expr.operand)
        number = expr.operand.operand if isinstance(expr.operand, ir.Cast) else expr.operand
        if isinstance(number, ir.Number) and not self.without_braces:
            if number.value == 0 and not str(number.value).startswith("-"):
                return f"{name}{{}}", PRIMARY
            if vector.width <= 4:
                return f"{name}{{{', '.join([operand] * vector.width)}}}", PRIMARY
        self.types.use("splat", str(vector))
        return f"{self.library('splat')}<{name}>({operand})", PRIMARY

    def _make_vector(self, expr: ir.MakeVector) -> tuple[str, int]:
        vector = expr.type
        assert isinstance(vector, Vector)
        name = self.types.name(vector)
        if all(isinstance(p.type, Scalar) or isinstance(p, ir.Name) for p in expr.parts) and not self.without_braces:
            return f"{name}{{{', '.join(text for p in expr.parts for text in self._scalars(p))}}}", PRIMARY
        self.types.use("join", str(vector), ",".join(str(p.type) for p in expr.parts))
        texts = [self.exact(p) for p in expr.parts]
        return self.order.kept(expr.parts, texts, lambda given: f"{self.library('join')}<{name}>({', '.join(given)})"), PRIMARY

    def _scalars(self, part: ir.Expr) -> list[str]:
        if not isinstance(part.type, Vector):
            return [self.exact(part)]
        return [f"{self.value(part)}.{ir.swizzle_name(part.type, (i,))}" for i in range(part.type.width)]

    def _volatile_object(self, expr: ir.VolatileObject) -> tuple[str, int]:
        place = self._volatile_place(expr.operand)
        if not expr.place:
            return self.load_volatile(expr.type, place), POSTFIX
        self.types.use("volatile", "nonvolatile")
        return f"{self.library('nonvolatile')}({place})", POSTFIX

    def load_volatile(self, type: Type, place: str) -> str:
        name = "load_volatile" if isinstance(type, Vector) else "load_volatile_object"
        self.types.use("volatile", name)
        return f"{self.library(name)}({place})"

    def _store_volatile(self, expr: ir.StoreVolatile) -> tuple[str, int]:
        name = "store_volatile" if isinstance(expr.type, Vector) else "store_volatile_object"
        self.types.use("volatile", name)
        return f"{self.library(name)}({self._volatile_place(expr.target)}, {self.exact(expr.value)})", POSTFIX

    def _dot(self, base: ir.Expr) -> str:
        """The base of a member access with its dot or arrow."""
        if isinstance(base, ir.Unary) and base.op == "*":
            return self.value(base.operand, POSTFIX) + "->"
        return self.value(base, POSTFIX) + "."

    def _component(self, expr: ir.Component) -> tuple[str, int]:
        assert isinstance(expr.base.type, Vector)
        return self._dot(expr.base) + ir.swizzle_name(expr.base.type, (expr.index,)), POSTFIX

    def _swizzle(self, expr: ir.Swizzle) -> tuple[str, int]:
        self.types.use("get", str(expr.base.type), expr.name)
        if lies_packed(expr.base):  # a member function would take its vector for aligned
            return f"(({self.types.name(expr.base.type)}){self.value(expr.base, UNARY)}).{expr.name}()", POSTFIX
        return f"{self._dot(expr.base)}{expr.name}()", POSTFIX

    def _set_swizzle(self, expr: ir.SetSwizzle) -> tuple[str, int]:
        self.types.use("set", str(expr.base.type), expr.name)
        return f"{self._dot(expr.base)}set_{expr.name}({self.exact(expr.value)})", POSTFIX

    # -- postfix -----------------------------------------------------------------------------------------------------

    def _member(self, expr: ir.Member) -> tuple[str, int]:
        if is_zero_length(expr.type):
            return self._zero_length(expr), PRIMARY
        text = self._member_itself(expr)
        if expr.volatile:
            self.types.use("volatile", "as_volatile")
            text = f"{self.library('as_volatile')}({text})"
        return text, POSTFIX

    def _member_itself(self, expr: ir.Member) -> str:
        """The member as it is declared."""
        return (f"{self.value(expr.base, POSTFIX)}->" if expr.arrow else self._dot(expr.base)) + expr.name

    def _volatile_place(self, expr: ir.Expr) -> str:
        """The argument of a function whose parameter is volatile already."""
        return self._member_itself(expr) if isinstance(expr, ir.Member) else self.value(expr, ASSIGN)

    def _zero_length(self, expr: ir.Member) -> str:
        """A zero-length or flexible array, which C++ does not have, as a pointer to where it begins."""
        assert isinstance(expr.type, Array)
        base = self.value(expr.base, UNARY) if expr.arrow else "&" + self.value(expr.base, UNARY)
        record = expr.base.type.pointee if isinstance(expr.base.type, Pointer) else expr.base.type
        assert isinstance(record, Record)
        return f"(({self.types.name(Pointer(expr.type.element, 'private'))})((char *){base} + {offset_of(record, expr.name)}))"

    def _index(self, expr: ir.Index) -> tuple[str, int]:
        if isinstance(expr.base.type, Vector) and lies_packed(expr.base):
            self.types.use("item", "packed_at")
            found = f"{self.library('packed_at')}<{self.types.name(expr.type)}>"
            return f"{found}(&{self.value(expr.base, UNARY)}, {self.value(expr.index, ASSIGN)}).value", POSTFIX
        if isinstance(expr.base.type, Vector):
            self.types.use("index", str(expr.base.type))
            return f"{self.library('at')}({self.value(expr.base, ASSIGN)}, {self.value(expr.index, ASSIGN)})", POSTFIX
        index = self.value(self._subscript(expr.index), ASSIGN)
        # C++ reads [[ as the start of an attribute.
        return f"{self.value(expr.base, POSTFIX)}" + (f"[({index})]" if index.startswith("[") else f"[{index}]"), POSTFIX

    def _subscript(self, index: ir.Expr) -> ir.Expr:
        return index if self.subscripts is None else self.subscripts.wide(index)

    def _call(self, expr: ir.Call) -> tuple[str, int]:
        function = expr.function
        name = function.body_name or function.cxx_name
        # Else C++ would also look among the library's functions of that name, and where the types of arguments come from.
        ambiguous = self.linked or table.overloads(function.name) or function.name in function_names()
        if ambiguous and "::" not in name:
            name = f"{self.namespace}::{name}"
        show = self.exact if function.overloaded else self.value
        arguments = [show(a, ASSIGN) for a in expr.arguments]
        for index, parameter in enumerate(function.parameters):
            if parameter.immediate:
                arguments[index] = self._immediate(expr.arguments[index], parameter.type)
        if function.defined_as is not None:
            arguments = [self._reread(text, p.type) for text, p in zip(arguments, function.defined_as.parameters, strict=False)]
        more = self.sub_groups.argument(function)
        text = self.order.kept(expr.arguments, arguments, lambda given: f"{name}({', '.join([*given, *more])})")
        return (text if function.defined_as is None else self._reread(text, expr.type)), POSTFIX

    def _reread(self, text: str, type: Type) -> str:
        """An integer, or a vector or pointer to such, with the other sign, as a function has it that another front end declares."""
        if isinstance(type, Vector):
            return f"__builtin_bit_cast({self.types.name(type)}, {text})"
        innermost: Type = type
        while isinstance(innermost, (Pointer, Array)):
            innermost = innermost.pointee if isinstance(innermost, Pointer) else innermost.element
        return f"({self.types.name(type)})({text})" if isinstance(type, (Scalar, Pointer)) and not isinstance(innermost, Record) else text

    def _immediate(self, argument: ir.Expr, type: Type) -> str:
        self.types.use("item", "immediate")
        return f"{self.library('immediate')}<{self.types.name(type)}, {self.exact(argument, PRIMARY)}>{{}}"

    def _builtin_call(self, expr: ir.BuiltinCall) -> tuple[str, int]:
        overload = expr.overload
        if self.item_id and overload.name in OF_ITEM:
            self.types.use("item", "item_id")
            return f"{self.library(overload.code)}({', '.join([*(self.value(a, ASSIGN) for a in expr.arguments), self.item_id])})", POSTFIX
        aligned = self.aligned.get(expr)
        code = overload.parameter_code if expr.arguments and is_parameter(expr.arguments[-1], self.parameters) else overload.code
        if aligned is not None:
            code = overload.aligned_code
        self.types.use("fn", code, overload.result, *(("bool",) if aligned else ()), *overload.parameters)
        fixed = fixed_parameters(overload.name)
        arguments = [
            self.value(a, ASSIGN) if i in fixed or i >= len(overload.parameters) or isinstance(a.type, (Pointer, Array)) else self.exact(a)
            for i, a in enumerate(expr.arguments)
        ]  # fmt: skip
        name, more = self.library(code), self.sub_groups.argument(overload)
        first = [self._aligned(aligned)] if aligned is not None else []
        return self.order.kept(expr.arguments, arguments, lambda given: f"{name}({', '.join([*first, *given, *more])})"), POSTFIX

    def _aligned(self, condition: Condition) -> str:
        self.types.use("item", "aligned")
        return f"{self.library('aligned')}<{condition.unit}>({', '.join(each.cxx_name for each in condition.parameters)})"

    def _intrinsic(self, expr: ir.Intrinsic) -> tuple[str, int]:
        if not expr.name.startswith("__"):
            self.types.use("item", expr.name)
        arguments = [*(self.value(a, ASSIGN) for a in expr.arguments), *self.sub_groups.argument(expr.name)]
        return f"{self.library(expr.name)}({', '.join(arguments)})", POSTFIX

    def _size_of(self, expr: ir.SizeOf) -> tuple[str, int]:
        if expr.value == 0:
            return "0ul", PRIMARY
        return f"sizeof({self.types.name(expr.of)})", PRIMARY

    def _statement_expression(self, expr: ir.StatementExpression) -> tuple[str, int]:
        """C++ has no ({ … }): a lambda, called at once."""
        result = "" if isinstance(expr.type, Void) else f"() -> {self.types.name(expr.type)}"
        return f"[&]{result} {{ {self.inline_statements(expr.body)} }}()", POSTFIX



def needs_clarity(op: str, operand: ir.Expr) -> bool:
    """Whether parentheses that C++ could do without keep a reader, and a compiler's warnings, from stumbling."""
    while isinstance(operand, ir.Cast) and operand.implicit:
        operand = operand.operand
    if not isinstance(operand, ir.Binary) or operand.op == op:
        return False
    if op in "&|^":  # of one letter
        return True
    if op in ("&&", "||") and operand.op in "&|^":
        return True
    return (op == "||" and operand.op == "&&") or (op in ("<<", ">>") and operand.op in "+-*/%<<>>")


@cache
def fixed_parameters(name: str) -> frozenset[int]:
    """The parameters of a library function that have one type in all its overloads: C++ converts to them by itself."""
    columns = zip(*(overload.parameters for overload in table.overloads(name)), strict=False)
    return frozenset(i for i, types in enumerate(columns) if len(set(types)) == 1)


def _text_of_bytes(expr: ir.Cast) -> ir.String | None:
    """The string literal that a pointer to unsigned bytes is made of."""
    operand: ir.Expr = expr
    while isinstance(operand, ir.Cast):
        operand = operand.operand
    return operand if isinstance(operand, ir.String) and isinstance(expr.type, Pointer) and expr.type.pointee == UCHAR else None
