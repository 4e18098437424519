"""What of a program its kernels reach.

A program is analysed whole, since it is valid or invalid whole; what is printed and compiled is what its kernels reach. Nothing is left
out before programs are linked: what no kernel of one object reaches, another object's may.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from . import nodes as ir
from .walk import expressions_of, reachable

# Imported variables, each with the one of another object that it is.
Definitions = Mapping[ir.Variable, ir.Variable]


def from_kernels(programs: Sequence[ir.Program], definitions: Definitions | None = None) -> list[ir.Program]:
    """The objects of one executable without the functions and constants that none of its kernels reaches. One without kernels is
    nothing but what others may take from it, and stays whole.

    Variables in the global address space stay: CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE (5.8.9) is "the total amount of storage,
    in bytes, used by program variables in the global address space".
    """
    kernels = [function for program in programs for function in program.functions if function.kernel]
    if not kernels:
        return list(programs)
    items = [item for program in programs for item in program.items if isinstance(item, ir.VariableItem)]
    kept = {item.variable for item in items if item.variable.space == "global"}
    return restricted(programs, reachable(*kernels, launches=True), kept, definitions or {})


def restricted(programs: Sequence[ir.Program], functions: set[ir.Function], variables: Iterable[ir.Variable] = (),
               definitions: Definitions | None = None) -> list[ir.Program]:
    """The programs with these functions and variables alone, what their variables need, and all types."""
    named = {variable for function in functions for variable in function.variables}.union(variables)
    kept = _with_initialisers(programs, named, definitions or {})

    def stays(item: ir.Item) -> bool:
        if isinstance(item, ir.FunctionItem):
            return item.function in functions
        return not isinstance(item, ir.VariableItem) or item.variable in kept

    return [_with(program, [item for item in program.items if stays(item)], [each for each in program.functions if each in functions])
            for program in programs]


def _with(program: ir.Program, items: list[ir.Item], functions: list[ir.Function]) -> ir.Program:
    """The program with these of its items and functions alone."""
    whole = len(items) == len(program.items) and len(functions) == len(program.functions)
    return program if whole else dataclasses.replace(program, items=items, functions=functions)


def _with_initialisers(programs: Sequence[ir.Program], named: set[ir.Variable], definitions: Definitions) -> set[ir.Variable]:
    """The variables, and those that their initialisers name."""
    initialisers = {item.variable: item.init for program in programs for item in program.items if isinstance(item, ir.VariableItem)}
    found: set[ir.Variable] = set()
    stack = list(named)
    while stack:
        each = stack.pop()
        variable = definitions.get(each, each)
        if variable not in found:
            found.add(variable)
            names = (e.symbol for e in expressions_of(initialisers.get(variable)) if isinstance(e, ir.Name))
            stack += [symbol for symbol in names if isinstance(symbol, ir.Variable)]
    return found
