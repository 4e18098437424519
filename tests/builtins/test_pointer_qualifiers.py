"""Built-in functions given pointers whose const or volatile their parameters do not have: a warning, as for a user's function, and
code that compiles and runs (C99 6.5.16.1 forbids it, and every OpenCL compiler warns)."""

from __future__ import annotations

import dataclasses
import re
from itertools import groupby

import pytest
from support.cuda_programs import compile_for_cuda
from support.overload_calls import OPTIONS, Program, every_overload, is_offered, programs
from tools.every_overload import run

from cl2cuda.builtins.table import Overload
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.translator import parse_options, translate

SHARE = 17


def qualified(overload: Overload, words: tuple[str, ...]) -> Overload:
    """The overload as if its pointers had these qualifiers too."""
    parameters = (" ".join([w for w in words if w not in p.split()] + [p]) if p.endswith("*") else p for p in overload.parameters)
    return dataclasses.replace(overload, parameters=tuple(parameters))


def takes_memory(overload: Overload) -> bool:
    pointers = [p for p in overload.parameters if p.endswith("*")]
    return bool(pointers) and overload.name != "printf" and not any("event_t" in p or "named_barrier_t" in p for p in pointers)


FOUND = [o for o in every_overload() if is_offered(o) and takes_memory(o)]


def calls_of(found: list[Overload], *words: str) -> list[Program]:
    """Programs that give the functions pointers with these qualifiers; each still means the function that was meant."""
    changed = [qualified(o, words) for o in found]
    meant = {id(q): o for q, o in zip(changed, found, strict=True)}
    return [Program(p.source, tuple(meant[id(q)] for q in p.overloads), p.kernels) for p in programs(changed)]


def some(found: list[Overload]) -> list[Overload]:
    """One of every name, and a share of the rest."""
    first = [next(iter(group)) for _, group in groupby(found, key=lambda o: o.name)]
    return list(dict.fromkeys([*first, *found[::SHARE]]))


@pytest.mark.parametrize("words", [("const",), ("volatile",), ("const", "volatile")], ids=" ".join)
def test_each_call_means_the_same_function_and_warns_where_a_qualifier_is_lost(words):
    for program in calls_of(some(FOUND), *words):
        program.translation()
        warned = {d.position.line for d in translate(program.source, parse_options(OPTIONS)).diagnostics}
        calls = [n for n, line in enumerate(program.source.split("\n"), 1) if re.match(r"    \{ ", line)]
        lost = [n for n, o in zip(calls, program.overloads, strict=True)
                if any(p.endswith("*") and not {*words} <= {*p.split(), *["const"] * ("constant" in p)} for p in o.parameters)]
        assert sorted(warned) == lost, program.source.split("\n")[next(iter({*warned} ^ {*lost})) - 1]


def test_they_compile_for_cuda(compiler):
    options = flags(parse_options(OPTIONS), compiler.version)
    for program in calls_of(some(FOUND), "const", "volatile"):
        compile_for_cuda(program.translation(), "sm_90", options, compiler)


def test_they_run(real_device):
    for program in calls_of(some(FOUND)[::3], "const", "volatile"):
        run(real_device, program)
