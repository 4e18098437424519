"""The probes of docs/features.md: where the page says that cl2cuda builds one, its devices do."""

import re
import sys
from pathlib import Path

import pytest

from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.program.program import Program
from cl2cuda.translator import CompileError, parse_options, translate

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs" / "generate"))

from probes import PROBES

ONLY_CUDA = {"inline PTX"}


def test_what_translates():
    refused = set()
    for probe in PROBES:
        try:
            translate(probe.source, parse_options(f"-cl-std=CL{probe.std}"))
        except CompileError:
            refused.add(probe.what)
    assert not refused


@pytest.mark.parametrize("std", sorted({probe.std for probe in PROBES}))
def test_devices_build_them(real_device, std):
    left_out = set() if real_device.is_cuda else ONLY_CUDA
    chosen = [probe for probe in PROBES if probe.std == std and probe.what not in left_out]
    # Each has its kernels k and r, and its function f: together they are one program.
    source = "\n".join(re.sub(r"\b([krf])\(|\bkept\b", lambda found, n=number: found[0].replace(found[1] or "kept", f"{found[1] or 'kept'}{n}", 1),
                              probe.source) for number, probe in enumerate(chosen))
    program = Program(Context([real_device]), source)
    program.build(f"-cl-std=CL{std}")
    assert len(program.kernel_names) >= len(chosen)
