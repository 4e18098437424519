"""SPIR-V to the typed intermediate representation: the second front end.

    reader          bytes to instructions            grammar, grammar_table   what there is to read
    module          its parts                        offered       capabilities and extensions
    type_table      types       constants, fold      constants, specialization constants
    graph           blocks, dominators, loops        structure     statements from a graph
    uses            which value is a variable        body          a function     placement   where variables are declared
    phis            what an edge sets                turns         what a loop's next turn starts with
    packets         bytes as values                 addresses     pointers in constants
    arithmetic, memory, calls, synchronize …         what each instruction means (`rules` has them all)
    library         overloads of built-in functions  program       the whole
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .errors import InvalidModule, NotOffered
from .grammar import enumerants
from .offered import EXTENSIONS, INSTRUCTION_SETS, OFFERED_CAPABILITIES
from .reader import SPIRV_VERSIONS, is_spirv

if TYPE_CHECKING:
    from ..ir import nodes as ir
    from ..options import BuildOptions
    from .places import Places

__all__ = ["EXTENSIONS", "INSTRUCTION_SETS", "SPIRV_VERSIONS", "InvalidModule", "NotOffered", "analyse", "capabilities", "is_spirv",
           "specialization_constants"]


def analyse(data: bytes, options: BuildOptions, chosen: Mapping[int, bytes], name: str, *, whole: bool) -> tuple[ir.Program, Places]:
    """The program of a module. `chosen` are specialization constants' values, by SpecId. A module that is not `whole` may use what
    another one defines. Raises InvalidModule."""
    # Here, since few processes read SPIR-V and all of them would wait.
    from .places import Places
    from .program import ProgramScope

    scope = ProgramScope(data, chosen, options, whole)
    return scope.program(), Places(name, scope.module)


def specialization_constants(data: bytes) -> dict[int, int]:
    """The bytes of each specialization constant, by its SpecId. Raises InvalidModule."""
    from .module import Module

    module = Module(data)
    found: dict[int, int] = {}
    for each in module.globals:
        spec_id = module.decoration(each.result, "SpecId")
        if spec_id is not None and each.name in ("OpSpecConstant", "OpSpecConstantTrue", "OpSpecConstantFalse"):
            type = module.definition(each.type, each)
            found[spec_id[0]] = max(type.operands[0] // 8, 1) if type.name in ("OpTypeInt", "OpTypeFloat") else 1
    return found


def capabilities() -> tuple[int, ...]:
    """The numbers of the capabilities that modules may declare."""
    return tuple(sorted(number for number, each in enumerants("Capability").items() if each.name in OFFERED_CAPABILITIES))
