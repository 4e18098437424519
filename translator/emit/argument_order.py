"""The order in which the arguments of a call, the parts of a vector literal, and operands that are classes in C++, are evaluated.

C leaves it open. clang, NVIDIA's compilers and NVRTC go from left to right, and programs that take random numbers in arguments count on
it; g++ goes from right to left. In what the host device compiles, they are variables of a lambda where the order can be seen:

    three(next(&s), 7, next(&s))
    [&] { auto argument_0 = next(&s); auto argument_2 = next(&s); return three(argument_0, 7, argument_2); }()
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ..ir import nodes as ir
from ..ir.types import Array, Opaque, Pointer, Type, Void
from ..ir.walk import nodes_of, reachable


class ArgumentOrder:
    """`matters`: whether the compiler may take another order than from left to right."""

    def __init__(self, matters: bool):
        self.matters = matters
        self._acting: dict[ir.Function, bool] = {}
        self._changing: dict[ir.Function, bool] = {}  # by their own code

    def kept(self, arguments: Sequence[ir.Expr], texts: Sequence[str], call: Callable[[Sequence[str]], str]) -> str:
        """The call of the arguments, which are printed as `texts`."""
        if not self.matters or len(arguments) < 2:
            return call(texts)
        variables, given = self.named(arguments, texts, any(map(self.acts, arguments)))
        return in_lambda(variables, call(given))

    def named(self, operands: Sequence[ir.Expr], texts: Sequence[str], act: bool) -> tuple[str, Sequence[str]]:
        """The variables for those operands whose order can be seen, and the operands with these. `act`: whether any of them does."""
        seen = [i for i, operand in enumerate(operands) if not _is_constant(operand)] if act else []
        if len(seen) < 2:
            return "", texts
        given, variables, stem = list(texts), "", _unused_stem("".join(texts))
        for i in seen:
            given[i] = f"{stem}_{i}"
            variables += f"auto {given[i]} = {texts[i]}; "
        return variables, given

    def acts(self, operand: ir.Expr) -> bool:
        """Whether to evaluate it changes what others can see, where that matters."""
        return self.matters and any(
            self._is_acting(each.function) if isinstance(each, ir.Call) else _changes(each) for each in nodes_of(operand))

    def _is_acting(self, function: ir.Function) -> bool:
        if function not in self._acting:
            self._acting[function] = any(map(self._is_changing, reachable(function)))
        return self._acting[function]

    def _is_changing(self, function: ir.Function) -> bool:
        if function not in self._changing:
            self._changing[function] = _changes_others(function)
        return self._changing[function]


def in_lambda(variables: str, value: str) -> str:
    """The value, which may need variables."""
    return f"[&] {{ {variables}return {value}; }}()" if variables else value


def _unused_stem(text: str) -> str:
    stem = "argument"
    while re.search(rf"\b{stem}_\d", text):
        stem += "_"
    return stem


def _is_constant(argument: ir.Expr) -> bool:
    """Whether it is the same whenever it is evaluated: a constant; an image, a sampler, a queue."""
    while isinstance(argument, (ir.Cast, ir.Splat)):
        argument = argument.operand
    if isinstance(argument, ir.Name) and isinstance(argument.symbol, ir.Variable):
        return isinstance(argument.type, (Opaque, Array)) or argument.symbol.immediate
    return isinstance(argument, (ir.Number, ir.String, ir.BuiltinConstant, ir.SizeOf, ir.Name, ir.BlockLiteral, ir.BlockName))


def _changes(node: ir.Expr | ir.Statement, own: frozenset[ir.Variable] = frozenset()) -> bool:
    """Whether a node by itself may change anything but variables that are its function's own."""
    if isinstance(node, (ir.Assign, ir.StoreVolatile)):
        return not _is_in(own, node.target)
    if isinstance(node, (ir.Step, ir.SetSwizzle)):
        return not _is_in(own, node.operand if isinstance(node, ir.Step) else node.base)
    return isinstance(node, (ir.Asm, ir.CallBlock)) or (isinstance(node, (ir.BuiltinCall, ir.Intrinsic)) and _writes(node))


def _changes_others(function: ir.Function) -> bool:
    """Whether a function's own code may change what is not its own."""
    if function.body is None:
        return True
    own = frozenset((*function.parameters, *_declared(function.body)))
    return any(_changes(node, own) for node in nodes_of(function.body))


def _declared(body: ir.Statement) -> Iterable[ir.Variable]:
    for node in nodes_of(body):
        if isinstance(node, ir.Declare):
            yield from (variable for variable, _ in node.variables if variable.space == "private" and not variable.static)


def _is_in(variables: frozenset[ir.Variable], place: ir.Expr) -> bool:
    """Whether the place is one of the variables, or in one."""
    while isinstance(place, (ir.Component, ir.Swizzle, ir.Member, ir.Index)):
        if (isinstance(place, ir.Member) and place.arrow) or (isinstance(place, ir.Index) and isinstance(place.base.type, Pointer)):
            return False
        place = place.base
    return isinstance(place, ir.Name) and place.symbol in variables


def _writes(call: ir.BuiltinCall | ir.Intrinsic) -> bool:
    """Whether a function of the library may change memory, an image or a pipe, or print."""
    is_variadic = isinstance(call, ir.BuiltinCall) and call.overload.variadic
    return is_variadic or isinstance(call.type, Void) or any(map(_may_be_written, (argument.type for argument in call.arguments)))


def _may_be_written(type: Type) -> bool:
    if isinstance(type, Pointer):
        return not type.const and type.space != "constant"
    return isinstance(type, Opaque) and type.name in ("pipe", "queue_t", "reserve_id_t")
