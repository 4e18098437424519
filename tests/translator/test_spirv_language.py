"""The oracle by construction: programs of OpenCL C that clang and llvm-spirv make modules of compute what they compute through our own
front end. A share of the language's cases here; all of them, optimised and not, with `-m full`. Skipped where the tools are missing."""

from __future__ import annotations

import functools

import pytest
from support.language_cases import Case
from support.run_language_cases import CASES, Built, batches, numbers, run
from support.spirv_modules import LEVELS, Refused, can_compile, compiled

from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.program.program import Program
from cl2cuda.translator import parse_options, translate, translate_il

# Where clang computes something else than the specification says, or than we do.
CLANG_DIFFERS = {
    "6.11-v_prototypes_of_builtins": "clang takes a built-in function that a program declares for the program's own",
    "6.12-feature_macros_are_of_3_0": "clang's macros are those of its own target",
    "6.14.5-block_captures_arrays_and_structs": "clang copies a captured array",
    "6.3.4-long_long": "clang's long long has 128 bits in OpenCL C",
    "6.4.2-bool_cast_to_float_vector": "clang makes -1.0 of true",
}
RUNNING = [case for case in CASES if case.runs and not case.xfail and case.id not in CLANG_DIFFERS]
SHARE = 6  # of the programs that cases share: every sixth in the suite

pytestmark = pytest.mark.skipif(not can_compile(), reason="clang or llvm-spirv is not installed")


def build(level: str, context: Context, batch: list[Case]) -> Program:
    program = Program.from_il(context, compiled("\n".join(case.source for case in batch), batch[0].options, level))
    program.build()
    return program


_BUILT: dict[tuple[Device, str], Built] = {}


def check(device: Device, level: str, case: Case) -> None:
    built = _BUILT.setdefault((device, level), Built(device, functools.partial(build, level)))
    kernels = {kernel.name: kernel for kernel in translate(case.source, parse_options(case.options)).kernels}
    try:
        found = run(built, case, kernels[case.path.stem])
    except Refused as refused:
        pytest.skip(f"clang or llvm-spirv does not take it: {str(refused)[:200]}")
    assert case.result is not None
    assert found == numbers(case.result)


def _some() -> list[Case]:
    programs = list(dict.fromkeys(id(batch) for batch in batches().values() if len(batch) > 1))[::SHARE]
    return [case for case in RUNNING if id(batches()[case.id]) in programs]


@pytest.mark.parametrize("case", _some() if can_compile() else [], ids=lambda case: case.id)
def test_a_share_has_the_same_values(real_device, case):
    check(real_device, "-O2", case)


@pytest.mark.full
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("case", RUNNING, ids=lambda case: case.id)
def test_values(real_device, level, case):
    check(real_device, level, case)


@pytest.mark.full
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("case", [case for case in CASES if case.error is None and not case.runs], ids=lambda case: case.id)
def test_valid(level, case):
    try:
        module = compiled(case.source, case.options, level)
    except Refused as refused:
        pytest.skip(f"clang or llvm-spirv does not take it: {str(refused)[:200]}")
    assert case.path.stem in [kernel.name for kernel in translate_il(module).kernels]
