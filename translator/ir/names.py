"""Words and letters that OpenCL C leaves to the user and C++ or CUDA does not."""

from __future__ import annotations

import re

_DOLLAR = re.compile("(_dollars*)(?=[_$])")

# C++20's keywords that are no keywords of OpenCL C, CUDA's qualifiers and macros that NVRTC predefines, and C's macros.
RESERVED = frozenset(
    """
    alignas alignof and and_eq asm bitand bitor catch char8_t char16_t char32_t class compl concept const_cast consteval
    constexpr constinit co_await co_return co_yield decltype delete dynamic_cast explicit export false friend mutable
    namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires
    static_assert static_cast template this thread_local throw true try typeid typename using virtual wchar_t xor xor_eq
    __global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__ __noinline__
    __forceinline__ __grid_constant__ __align__ __inline__ NULL NAN INFINITY assert unix linux
    ocl user local_memory std
    """.split()
)


def cxx_name(name: str) -> str:
    """The name under which the output declares the user's `name`: NVRTC takes no dollar sign for a letter. Different names have different
    ones: those that look like one that is made here get one more letter."""
    if name in RESERVED or name.rstrip("_") in RESERVED:
        return name + "_"
    return _DOLLAR.sub(r"\1s", name).replace("$", "_dollar_") if "$" in name or "_dollar" in name else name
