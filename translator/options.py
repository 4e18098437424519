"""Build options (OpenCL API 5.8.6): the text that clBuildProgram takes, parsed into fields."""

from __future__ import annotations

from dataclasses import dataclass


class OptionError(Exception):
    """The options string is not valid: CL_INVALID_BUILD_OPTIONS, or CL_INVALID_COMPILER_OPTIONS when compiling."""


@dataclass(frozen=True)
class BuildOptions:
    """What the options ask for. Every field's default is the behaviour without any option."""

    defines: tuple[tuple[str, str], ...] = ()  # (name or name(params), value) in order; "-D X" has the value "1"
    undefines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    cl_std: str = "CL1.2"
    single_precision_constant: bool = False
    denorms_are_zero: bool = False
    correctly_rounded_divide_sqrt: bool = False
    opt_disable: bool = False
    mad_enable: bool = False
    no_signed_zeros: bool = False
    unsafe_math: bool = False
    finite_math_only: bool = False
    fast_relaxed_math: bool = False
    uniform_work_group_size: bool = False
    no_subgroup_ifp: bool = False
    no_warnings: bool = False
    warnings_as_errors: bool = False
    kernel_arg_info: bool = False
    debug: bool = False

    @property
    def version(self) -> int:
        """The OpenCL C version as __OPENCL_C_VERSION__ counts it: 120 for CL1.2."""
        return int(self.cl_std[2:].replace(".", "")) * 10
