"""NVRTC's flags for build options: what OpenCL's options mean on CUDA."""

from __future__ import annotations

from ...translator.options import BuildOptions


def flags(options: BuildOptions, version: tuple[int, int]) -> list[str]:
    """The flags beside -arch. OpenCL allows 2.5 ulp for division and 3 ulp for sqrt in single precision, so the quick
    ones are the default; `version` is NVRTC's."""
    exact = "true" if options.correctly_rounded_divide_sqrt else "false"
    found = ["--minimal", "--std=c++20", f"--prec-div={exact}", f"--prec-sqrt={exact}", "--fmad=true", "-w"]
    if options.fast_relaxed_math:
        found.append("--use_fast_math")
    elif options.denorms_are_zero:
        found.append("--ftz=true")
    # -Ofc trades the code's quality for build time, which is all that -cl-opt-disable can ask for: -G costs both.
    if options.opt_disable and version >= (12, 9):
        found.append("-Ofc=max")
    if options.debug:
        found.append("-lineinfo")
    return found
