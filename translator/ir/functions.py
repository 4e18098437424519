"""One function of a program, and of the program no more than it needs: for code of another kind that calls it."""

from __future__ import annotations

from dataclasses import dataclass

from . import nodes as ir
from . import reach
from .types import Type
from .walk import reachable


class NoSuchFunction(Exception):
    """The program does not have one function of that name that others may call."""


@dataclass(frozen=True)
class FunctionInfo:
    """A function that others may call.

    cxx_name     what the translated program calls it in namespace ocl::user
    parameters   (name, type) of each
    builtins     the names of all built-in functions that it reaches
    """

    name: str
    cxx_name: str
    result: Type
    parameters: tuple[tuple[str, Type], ...]
    builtins: frozenset[str]


def only(program: ir.Program, name: str) -> tuple[ir.Program, FunctionInfo]:
    """The program's function, with the functions and variables that it reaches and all types. Raises NoSuchFunction."""
    function = _find(program, name)
    functions = reachable(function)
    return reach.restricted([program], functions)[0], described(function)


def described(function: ir.Function) -> FunctionInfo:
    return FunctionInfo(function.name, function.cxx_name, function.result, tuple((p.name, p.type) for p in function.parameters),
                        frozenset(builtin for each in reachable(function) for builtin in each.builtins))


def _find(program: ir.Program, name: str) -> ir.Function:
    found = [each for each in program.functions if each.name == name and not each.block]
    if not found:
        known = ", ".join(dict.fromkeys(each.name for each in program.functions if not each.kernel and not each.block)) or "none"
        raise NoSuchFunction(f"the program has no function '{name}'; it has: {known}")
    if len(found) > 1:
        raise NoSuchFunction(f"the program has {len(found)} functions '{name}', which differ in their parameters")
    if found[0].kernel:
        raise NoSuchFunction(f"'{name}' is a kernel, which other code cannot call")
    return found[0]
