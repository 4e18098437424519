"""Numba's compiler for CUDA, for tests that need it, and the devices that its kernels are for. It may be installed and not work: beside
a NumPy that it does not know, without NVVM. What is missing in NumPy 2.5 alone, `numbas_numpy` gives it."""

from __future__ import annotations

import os
from typing import Any

import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support import numbas_numpy  # noqa: F401

from cl2cuda import pyopencl as cl

# The first of each kind, which is also what Numba takes.
DEVICES = {"cuda" if device.type == cl.device_type.GPU else "host": device for device in reversed(cl.get_platforms()[0].get_devices())}
NEEDS_CUDA = pytest.mark.skipif("cuda" not in DEVICES, reason="no cuda device")
CAPABILITY = (9, 0)

PROBE = "from numba import cuda; cuda.compile_ptx(lambda: None, (), cc=(9, 0))"


def cuda_or_skip() -> Any:
    """`numba.cuda`; the test, or the module, that asks for it is skipped where it cannot compile."""
    try:
        names: dict[str, Any] = {}
        exec(PROBE, names)
    except Exception as error:
        pytest.skip(f"numba.cuda cannot compile here: {type(error).__name__}: {error}", allow_module_level=True)
    return names["cuda"]


def needs_linking(cuda: Any) -> Any:
    """The mark of tests that have Numba link code."""
    return pytest.mark.skipif(not hasattr(cuda, "compile_all"), reason="this Numba tells nothing of what it links")
