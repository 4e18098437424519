"""A share of what `python tests/tools/every_overload.py` does with the whole table: compiled for each architecture, compiled and run on each
device. And: every function that the specification describes has a row."""

from __future__ import annotations

import pytest
from support.overload_calls import ANY_TYPE_PROGRAM, Program, every_overload, is_offered, programs
from support.specification_functions import FUNCTIONS, WITHOUT_ROW
from tools.every_overload import ARCHITECTURES, compile_for_cuda, functions_without_row, nvrtc, run, share_of

from cl2cuda.builtins.any_type_rows import ANY_TYPE_ROWS
from cl2cuda.builtins.table import names
from cl2cuda.builtins.typenames import ARITHMETIC, INTEGERS

SHARE = 53  # prime, so that every section, type and width is among them


@pytest.fixture(scope="module")
def some() -> list[Program]:
    return list(programs(share_of(filter(is_offered, every_overload()), SHARE)))


def test_every_function_of_the_specification_has_a_row():
    assert tuple(functions_without_row()) == WITHOUT_ROW


def test_the_table_has_no_function_that_the_specification_has_not():
    listed = {name for found in FUNCTIONS.values() for name in found}
    of_extensions = {name for name in names() if name.startswith(("intel_", "atom_")) or "named_barrier" in name}
    of_version_1_2 = {"vloada_half", *(f"vstorea_half{r}" for r in ("", "_rte", "_rtz", "_rtp", "_rtn"))}  # 6.12.7 there, with n = 1
    assert {*names(), *ANY_TYPE_ROWS} - listed - of_extensions == of_version_1_2


def test_conversions_are_all_there():
    """6.4.3: every pair of types, in every width, with and without saturation, in every rounding mode."""
    converts = [o for o in every_overload() if o.name.startswith("convert_")]
    to_integer, to_float = len(INTEGERS) * 2 * 5, (len(ARITHMETIC) + 1 - len(INTEGERS)) * 5
    assert len(converts) == (to_integer + to_float) * (len(ARITHMETIC) + 1) * 6


def test_a_share_runs(real_device, some):
    for program in some:
        run(real_device, program)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_share_compiles(architecture, some):
    if nvrtc() is None:
        pytest.skip("NVRTC cannot be loaded")
    for program in (ANY_TYPE_PROGRAM, *some):
        compile_for_cuda(program, architecture)


def test_functions_of_any_type_compile(real_device):
    run(real_device, ANY_TYPE_PROGRAM)


def test_calls_are_those_of_the_table(some):
    for program in some:
        program.translation()
