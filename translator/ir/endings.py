"""Whether a function may end at its closing brace.

C99 6.9.1: "If the } that terminates a function is reached, and the value of the function call is used by the caller, the behavior is
undefined": where nobody uses the value, the program is valid. In C++ it is not (9.6.3: "flowing off the end of a function with a non-void
return type results in undefined behavior"), and compilers take it that such an end is never reached.
"""

from __future__ import annotations

from . import nodes as ir
from .constants import integer_value
from .types import Void


def lacks_return(function: ir.Function) -> bool:
    """Whether a call of the function, which has a result, may end without one. True also where that cannot be told."""
    return function.body is not None and not isinstance(function.result, Void) and _passes(function.body)


def _passes(statement: ir.Statement) -> bool:
    """Whether control may come to what follows the statement."""
    while isinstance(statement, ir.If):  # a chain of thousands is no deep recursion
        if statement.no is None or _passes(statement.yes):
            return True
        statement = statement.no
    if isinstance(statement, (ir.Block, ir.Case)):
        return _list_passes(statement.statements if isinstance(statement, ir.Block) else statement.body)
    if isinstance(statement, ir.Label):
        return _passes(statement.body)
    if isinstance(statement, (ir.While, ir.DoWhile, ir.For)):
        forever = statement.condition is None or integer_value(statement.condition)
        return not forever or _breaks(statement.body)
    if isinstance(statement, ir.Switch):
        return not _has_default(statement.body) or _breaks(statement.body) or _passes(statement.body)
    return not isinstance(statement, (ir.Return, ir.Goto, ir.Break, ir.Continue))


def _list_passes(statements: list[ir.Statement]) -> bool:
    last = next((each for each in reversed(statements) if not isinstance(each, ir.Empty)), None)
    return last is None or _passes(last)


def _has_default(body: ir.Statement) -> bool:
    return any(isinstance(each, ir.Case) and each.low is None for each in _own(body, ir.Switch))


def _breaks(body: ir.Statement) -> bool:
    """Whether the body of a loop or switch has a break of its own."""
    return any(isinstance(each, ir.Break) for each in _own(body, ir.Switch, ir.While, ir.DoWhile, ir.For))


def _own(body: ir.Statement, *others: type[ir.Statement]) -> list[ir.Statement]:
    """The statements in it, but not those in statements of the other kinds."""
    found, stack = [], [body]
    while stack:
        each = stack.pop()
        found.append(each)
        if not isinstance(each, others):
            for name in ("statements", "body", "yes", "no"):
                inner = getattr(each, name, None)
                stack += inner if isinstance(inner, list) else [inner] if inner is not None else []
    return found
