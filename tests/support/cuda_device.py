"""The driver's device of an imagined CUDA."""

from __future__ import annotations

from typing import Any

from cl2cuda.runtime.cuda.device import CudaDevice


def cuda_device(cuda: Any) -> CudaDevice:
    """The first one. It leaves none of the pages that it shares to CUDA, as the runtime leaves those of little memory, of which tests have no
    other."""
    made = CudaDevice(cuda, 0)
    if made.shared_memory.due is not None:
        made.shared_memory.due.few_bytes = 0
    return made
