"""A plugin of pytest: programs in OpenCL C go to the runtime as modules that clang and llvm-spirv make of them.

    python -m pytest -p support.through_spirv tests/programs/test_pipe.py

So the tests that check what programs compute check it of SPIR-V, too. A program that the tools do not take skips its test. SPIRV_LEVEL
is clang's level of optimisation, -O2 without it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pytest
from support.spirv_modules import Refused, compiled

from cl2cuda.builtins.extensions import OFFERED_EXTENSIONS, OFFERED_FEATURES
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.program.program import Program

EXTENSIONS = ("--spirv-ext=+SPV_INTEL_subgroups,+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,"
              "+SPV_KHR_linkonce_odr,+SPV_KHR_no_integer_wrap_decoration",)
# What the device offers, for clang's own header.
FEATURES = "".join(f" -D{each.name}=1" for each in (*OFFERED_EXTENSIONS, *OFFERED_FEATURES)
                   if each.name.startswith(("cl_khr_subgroup", "cl_intel_subgroups", "__opencl_c_", "cl_khr_3d", "cl_khr_depth", "cl_khr_mipmap")))

# What optimises takes calls that meet others of the sub-group for the same where clang's header does not say that they are convergent.
LEVEL = os.environ.get("SPIRV_LEVEL", "-O2")

_build = Program.build


def _through_spirv(self: Program, options: str | None = None, devices: Sequence[Device] | None = None, *more: Any) -> None:
    if self.origin == "source":
        try:
            module = compiled(f"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{self.source}", f"{options or ''}{FEATURES}", LEVEL, EXTENSIONS)
        except Refused as refused:
            pytest.skip(f"clang or llvm-spirv does not take it: {str(refused)[:300]}")
        self.il, self.origin = module, "IL"
    _build(self, options, devices, *more)


Program.build = _through_spirv  # type: ignore[method-assign]
