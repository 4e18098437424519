"""The language that a device and -cl-std make: versions, extensions, features, predefined macros and type names.

Owns facts only; what follows from them is each stage's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .options import BuildOptions

# What every build offers; a device that can do more lists more.
EXTENSIONS = (
    "cl_khr_byte_addressable_store",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
)


@dataclass(frozen=True)
class Dialect:
    """`version` is OpenCL C's as __OPENCL_C_VERSION__ counts it, `device_version` OpenCL's as __OPENCL_VERSION__ does.

    `features` are the names of OpenCL C 3.0's optional features ("__opencl_c_int64"), defined from version 300 on.
    """

    version: int = 120
    device_version: int = 300
    extensions: tuple[str, ...] = EXTENSIONS
    features: tuple[str, ...] = ("__opencl_c_int64", "__opencl_c_fp64")
    fp64: bool = True
    images: bool = False
    fast_relaxed_math: bool = False

    @classmethod
    def of(cls, options: BuildOptions) -> Dialect:
        """The dialect that build options ask for on a device with the default extensions and features."""
        return cls(version=options.version, fast_relaxed_math=options.fast_relaxed_math)

    def predefined_macros(self) -> dict[str, str]:
        """Name, or name(parameters), and replacement of every macro that OpenCL C 6.12 predefines."""
        return dict(_predefined_macros(self))

    def type_names(self) -> dict[str, bool]:
        """Every type name that is no keyword, and whether it names a vector."""
        return dict(_type_names(self.version))


@cache
def _predefined_macros(dialect: Dialect) -> dict[str, str]:
    hints = "__kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))"
    macros = {
        "__OPENCL_VERSION__": str(dialect.device_version),
        "__OPENCL_C_VERSION__": str(dialect.version),
        # All of them whatever the version is, as in clang: they are values to compare with.
        **{f"CL_VERSION_{v[0]}_{v[1]}": f"{v}0" for v in ("10", "11", "12", "20", "30")},
        "__ENDIAN_LITTLE__": "1",
        "__kernel_exec(X, typen)": hints,
        "kernel_exec(X, typen)": hints,
        "NULL": "((void*)0)",
        "true": "1",
        "false": "0",
    }
    if dialect.images:
        macros["__IMAGE_SUPPORT__"] = "1"
    if dialect.fast_relaxed_math:
        macros["__FAST_RELAXED_MATH__"] = "1"
    fp64 = ("cl_khr_fp64",) if dialect.fp64 else ()
    macros |= dict.fromkeys(dialect.extensions + fp64, "1")
    if dialect.version >= 300:
        macros |= dict.fromkeys((f for f in dialect.features if dialect.fp64 or f != "__opencl_c_fp64"), "1")
    return macros


_SCALARS = "char uchar short ushort int uint long ulong float double half"
_OTHERS = """
    uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t event_t sampler_t cl_mem_fence_flags __auto_type
    image1d_t image1d_array_t image1d_buffer_t image2d_t image2d_array_t image2d_depth_t image2d_array_depth_t
    image2d_msaa_t image2d_array_msaa_t image2d_msaa_depth_t image2d_array_msaa_depth_t image3d_t
"""
_OTHERS_20 = """
    queue_t ndrange_t clk_event_t reserve_id_t clk_profiling_info kernel_enqueue_flags_t memory_order memory_scope
    atomic_int atomic_uint atomic_long atomic_ulong atomic_half atomic_float atomic_double atomic_flag
    atomic_intptr_t atomic_uintptr_t atomic_size_t atomic_ptrdiff_t
"""


@cache
def _type_names(version: int) -> dict[str, bool]:
    names = dict.fromkeys(_OTHERS.split(), False)
    if version >= 200:
        names |= dict.fromkeys(_OTHERS_20.split(), False)
    return names | {f"{scalar}{n}": True for scalar in _SCALARS.split() for n in (2, 3, 4, 8, 16)}
