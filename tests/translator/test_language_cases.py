"""Every sentence of OpenCL C 6.3 to 6.14 that makes a program valid or invalid, as a small case (see language_cases).

Invalid ones are refused where and why they say; valid ones compute the values they say on every real device. Kernels are
built many at a time, one by one only where they cannot live in one program.
"""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from support.cuda_programs import compile_for_cuda
from support.language_cases import Case
from support.run_language_cases import CASES, Built, batches, numbers, run

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import BuildFailure, DriverMissing
from cl2cuda.translator import CompileError, parse_options, translate


def params(cases: list[Case], strict: bool = True):
    marked = [(case, [pytest.mark.xfail(reason=case.xfail, strict=strict)] if case.xfail else []) for case in cases]
    return [pytest.param(case, id=case.id, marks=marks) for case, marks in marked]


# -- verdicts --------------------------------------------------------------------------------------------------------


# A case that runs may translate and yet compute something else: its values are what must fail while it is marked so.
@pytest.mark.parametrize("case", params([c for c in CASES if c.error is None and not c.runs]) + params([c for c in CASES if c.runs], False))
def test_valid(case: Case):
    translation = translate(case.source, parse_options(case.options), filename=case.path.name, dialect=case.dialect)
    assert case.path.stem in [kernel.name for kernel in translation.kernels]


@pytest.mark.parametrize("case", params([case for case in CASES if case.error is not None]))
def test_invalid(case: Case):
    assert case.error is not None
    with pytest.raises(CompileError) as caught:
        translate(case.source, parse_options(case.options), filename=case.path.name, dialect=case.dialect)
    errors = [d for d in caught.value.diagnostics if d.severity == "error"]
    assert [d.position.line for d in errors] == [case.line], str(caught.value)
    assert case.error in errors[0].message


def test_there_is_a_case_for_every_section():
    sections = {case.path.parent.name for case in CASES}
    assert len(CASES) >= 600
    assert {section.split(".")[1] for section in sections} == {str(n) for n in range(3, 15)}


# -- values ----------------------------------------------------------------------------------------------------------


_BUILT: dict[Device, Built] = {}


@pytest.mark.parametrize("case", params([case for case in CASES if case.runs]))
def test_values(real_device: Device, case: Case):
    assert case.result is not None
    built = _BUILT.setdefault(real_device, Built(real_device))
    assert run(built, case) == numbers(case.result)


# -- CUDA ------------------------------------------------------------------------------------------------------------


@functools.cache
def refusal(paths: tuple[Path, ...], options: str) -> str:
    """What NVRTC has against the translation of these cases as one program."""
    parsed = parse_options(options)
    compiler = nvrtc.nvrtc()
    try:
        translation = translate("\n".join(path.read_text() for path in paths), parsed)
        compile_for_cuda(translation, "sm_90", flags(parsed, compiler.version), compiler)
    except (CompileError, BuildFailure) as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("case", params([case for case in CASES if case.runs and not case.xfail]))
def test_nvrtc_compiles(case: Case):
    """Without a GPU, where NVRTC is installed."""
    try:
        nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    together = tuple(each.path for each in batches()[case.id])
    assert not refusal(together, case.options) or not refusal((case.path,), case.options), refusal((case.path,), case.options)
