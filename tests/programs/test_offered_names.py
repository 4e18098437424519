"""What every extension and every optional feature brings, by a small kernel each (tests/cases/extensions) or by tests of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.language_cases import Case
from support.run_language_cases import EXTENSION_CASES, Built, numbers, run

from cl2cuda.builtins.extensions import OFFERED_EXTENSIONS, OFFERED_FEATURES
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.spec.api_extensions import API_EXTENSIONS

TESTS = Path(__file__).resolve().parents[1]
OFFERED = [each.name for table in (OFFERED_EXTENSIONS, OFFERED_FEATURES, API_EXTENSIONS) for each in table]

_BUILT: dict[Device, Built] = {}


@pytest.mark.parametrize("case", [pytest.param(case, id=case.path.stem) for case in EXTENSION_CASES])
def test_values(real_device: Device, case: Case):
    assert case.result is not None
    built = _BUILT.setdefault(real_device, Built(real_device))
    assert run(built, case) == numbers(case.result)


def test_nothing_is_offered_that_no_test_names():
    tests = [folder for folder in TESTS.iterdir() if folder.name not in ("support", "tools")]  # which are no tests
    files = (path for suffix in ("py", "cl", "c", "cpp", "spvasm") for folder in tests for path in folder.rglob(f"*.{suffix}"))
    named = {name for path in files for name in re.findall(r"\b(?:cl_[a-z]+|__opencl_c)_\w+", path.read_text())}
    assert sorted(set(OFFERED) - named) == []
