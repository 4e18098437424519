"""NVRTC's flags for build options: what OpenCL's options mean on CUDA.

Two that would shorten builds are not among them (measured on an H200, nine kernels): --split-compile gains nothing, whatever the
number of threads; -Ofc=min takes half of the time, but unrolls no loop, which the kernels would pay for at every launch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...translator.options import BuildOptions


def flags(options: BuildOptions, version: tuple[int, int], contract: bool = True) -> list[str]:
    """The flags beside -arch. OpenCL allows 2.5 ulp for division and 3 ulp for sqrt in single precision, so the quick
    ones are the default; `version` is NVRTC's. Without `contract` no product and sum become one fma: that flag prevails over
    what --use_fast_math implies. -cl-finite-math-only and -cl-no-signed-zeros are permissions that NVRTC has no use for."""
    exact, fused = ("true" if choice else "false" for choice in (options.correctly_rounded_divide_sqrt, contract))
    found = ["--std=c++20", f"--prec-div={exact}", f"--prec-sqrt={exact}", f"--fmad={fused}", "-w"]
    if version >= (12, 4):  # NVRTC's own built-in declarations, of which no translated program needs any, take a sixth of a small build.
        found.append("--minimal")
    if options.fast_relaxed_math:
        found.append("--use_fast_math")
    elif options.denorms_are_zero:
        found.append("--ftz=true")
    # -Ofc trades the code's quality for build time, which is all that -cl-opt-disable can ask for: -G costs both.
    if options.opt_disable and version >= (12, 9):
        found.append("-Ofc=max")
    # NVRTC keeps what it has compiled in the NVIDIA driver's cache by the intermediate code alone, which is the same with --ftz and
    # without: a program built with -cl-denorms-are-zero or -cl-fast-relaxed-math was given back for one built without, in other
    # processes too. Our own cache holds what it would.
    if version >= (12, 9):
        found.append("--no-cache")
    if options.debug:
        found.append("-lineinfo")
    if options.nv_max_registers is not None:
        found.append(f"--maxrregcount={options.nv_max_registers}")
    # Only this log says what a kernel spills; a program's own shows it with -cl-nv-verbose.
    found.append("--ptxas-options=-v")
    if options.nv_opt_level is not None:
        found.append(f"--ptxas-options=-O{min(options.nv_opt_level, 3)}")
    return found
