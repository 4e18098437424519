"""SPIR-V to the typed intermediate representation: the second front end.

    reader          bytes to instructions            grammar, grammar_table   what there is to read
    module          its parts                        offered       capabilities and extensions
    type_table      types       constants, fold      constants, specialization constants
    graph           blocks, dominators, loops        structure     statements from a graph
    uses            which value is a variable        body          a function     placement   where variables are declared
    arithmetic, memory, calls, synchronize …         what each instruction means (`rules` has them all)
    library         overloads of built-in functions  program       the whole
"""

from __future__ import annotations

from collections.abc import Mapping

from .. import ir
from ..options import BuildOptions
from .errors import InvalidModule, NotOffered
from .places import Places
from .program import ProgramScope
from .reader import is_spirv

__all__ = ["InvalidModule", "NotOffered", "Places", "analyse", "is_spirv"]


def analyse(data: bytes, options: BuildOptions, chosen: Mapping[int, bytes], name: str) -> tuple[ir.Program, Places]:
    """The program of a module. `chosen` are specialization constants' values, by SpecId. Raises InvalidModule."""
    scope = ProgramScope(data, chosen, options.zero_local, options.zero_private)
    return scope.program(), Places(name, scope.module)
