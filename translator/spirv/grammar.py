"""SPIR-V's grammar as the reader wants it: what operands an instruction has, and what enumerants are called.

Owns how `grammar_table` is read; the table itself is Khronos'.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from .grammar_table import ENUMERANTS, INSTRUCTIONS, OPENCL_STD

IDS = frozenset(("IdRef", "IdScope", "IdMemorySemantics"))
# Bits that may be combined; every other enumeration has one value.
MASKS = frozenset("ImageOperands FPFastMathMode SelectionControl LoopControl FunctionControl MemorySemantics MemoryAccess "
                  "KernelProfilingInfo".split())


class Grammar(NamedTuple):
    """An instruction: `operands` are (kind, quantifier) without the result and its type; `takes_ids` how many there are at least and at
    most, where all are ids."""

    opcode: int
    name: str
    has_type: bool
    has_result: bool
    operands: tuple[tuple[str, str], ...]
    takes_ids: tuple[int, int] | None = None


class Enumerant(NamedTuple):
    """One value of an enumeration, and the kinds and names of the operands that follow it."""

    value: int
    name: str
    parameters: tuple[tuple[str, str], ...]


def _count_of_ids(operands: tuple[tuple[str, str], ...]) -> tuple[int, int] | None:
    if any(kind not in IDS for kind, _ in operands):
        return None
    return sum(not quantifier for _, quantifier in operands), 1 << 16 if any(q == "*" for _, q in operands) else len(operands)


def _kinds(words: list[str]) -> tuple[tuple[str, str], ...]:
    return tuple((word.rstrip("?*"), word[-1] if word[-1] in "?*" else "") for word in words)


@cache
def instructions() -> dict[int, Grammar]:
    """The instructions by opcode."""
    found = {}
    for line in INSTRUCTIONS.strip().splitlines():
        code, name, *operands = line.split()
        rest = [word for word in operands if word not in ("IdResultType", "IdResult")]
        found[int(code)] = Grammar(int(code), name, "IdResultType" in operands, "IdResult" in operands, _kinds(rest),
                                   _count_of_ids(_kinds(rest)))
    return found


@cache
def enumerants(kind: str) -> dict[int, Enumerant]:
    """The enumerants of one enumeration, by value."""
    return _all_enumerants()[kind]


@cache
def _all_enumerants() -> dict[str, dict[int, Enumerant]]:
    found: dict[str, dict[int, Enumerant]] = {}
    for line in ENUMERANTS.strip().splitlines():
        kind, value, name, *parameters = line.split()
        found.setdefault(kind, {})[int(value)] = Enumerant(int(value), name, _kinds(parameters))
    return found


@cache
def is_enumeration(kind: str) -> bool:
    return kind in _all_enumerants()


def enumerant_name(kind: str, value: int) -> str:
    """The name, or the number of one that the table lacks."""
    known = enumerants(kind).get(value)
    return known.name if known else str(value)


@cache
def opencl_std() -> dict[int, tuple[str, tuple[tuple[str, str], ...]]]:
    """Name and operands of OpenCL.std's functions by number."""
    found = {}
    for line in OPENCL_STD.strip().splitlines():
        number, name, *operands = line.split()
        found[int(number)] = (name, _kinds(operands))
    return found
