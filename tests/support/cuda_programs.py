"""Translated programs compiled for CUDA, as the driver has them once NVRTC is done. No GPU is needed."""

from __future__ import annotations

from collections.abc import Sequence

from cl2cuda.runtime.cuda.nvrtc import Nvrtc
from cl2cuda.runtime.cuda.program import CudaProgram
from cl2cuda.translator import Translation


def compile_for_cuda(translation: Translation, arch: str, flags: Sequence[str], compiler: Nvrtc) -> CudaProgram:
    """BuildFailure, with NVRTC's words, where that refuses it."""
    return CudaProgram.unpack(CudaProgram.begin(translation, arch, flags, compiler).result())
