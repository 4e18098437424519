"""Numba's compiler for CUDA, for tests that need it. It may be installed and not work: beside a NumPy that it does not know, without NVVM."""

from __future__ import annotations

from typing import Any

import pytest

PROBE = "from numba import cuda; cuda.compile_ptx(lambda: None, (), cc=(9, 0))"


def cuda_or_skip() -> Any:
    """`numba.cuda`; the module that asks for it is skipped where it cannot compile."""
    try:
        names: dict[str, Any] = {}
        exec(PROBE, names)
    except Exception as error:
        pytest.skip(f"numba.cuda cannot compile here: {type(error).__name__}: {error}", allow_module_level=True)
    return names["cuda"]
