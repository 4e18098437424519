"""Built-in constants and limits (6.15.2, 6.15.3.2, 6.15.8): type, value in C++ and, for `#if`, the integer.

A pure table. Every value is a constant expression for both compilers, so that a constant can size an array.
"""

from __future__ import annotations

import math
import struct
from typing import NamedTuple

from .enqueue_rows import ENQUEUE_CONSTANTS
from .opaque import SAMPLER_BITS


class Constant(NamedTuple):
    """type and value as C++; `integer` is the value in `#if`, None where it is no integer; `number` is that of a floating-point
    constant, for constants of half: C++ does not know their arithmetic."""

    type: str
    value: str
    integer: int | None = None
    since: int = 100
    requires: str = ""
    number: float | None = None


def _float(value: float, since: int = 100) -> Constant:
    (rounded,) = struct.unpack("f", struct.pack("f", value))
    return Constant("float", f"{rounded:.9g}f", since=since, number=rounded)


def _half(value: float) -> Constant:
    (bits,) = struct.unpack("<H", struct.pack("<e", value))
    return Constant("half", f"{{{bits:#06x}}}", requires="cl_khr_fp16", number=value)


def _hexadecimal(text: str) -> Constant:
    """A constant of float, with an f behind it, or of double."""
    number = float.fromhex(text.rstrip("f"))
    return Constant("float", text, number=number) if text.endswith("f") else Constant("double", text, requires="cl_khr_fp64", number=number)


def _double(value: float) -> Constant:
    return Constant("double", repr(value), requires="cl_khr_fp64", number=value)


# 6.15.2: "The following constants are also available."
_MATH = {
    "E": "0x1.5bf0a8b145769p+1",
    "LOG2E": "0x1.71547652b82fep+0",
    "LOG10E": "0x1.bcb7b1526e50ep-2",
    "LN2": "0x1.62e42fefa39efp-1",
    "LN10": "0x1.26bb1bbb55516p+1",
    "PI": "0x1.921fb54442d18p+1",
    "PI_2": "0x1.921fb54442d18p+0",
    "PI_4": "0x1.921fb54442d18p-1",
    "1_PI": "0x1.45f306dc9c883p-2",
    "2_PI": "0x1.45f306dc9c883p-1",
    "2_SQRTPI": "0x1.20dd750429b6dp+0",
    "SQRT2": "0x1.6a09e667f3bcdp+0",
    "SQRT1_2": "0x1.6a09e667f3bcdp-1",
}

# (bits, exact in C++) of the integer limits.
_LIMITS = {
    "CHAR_BIT": ("int", "8", 8),
    "CHAR_MAX": ("int", "127", 127),
    "CHAR_MIN": ("int", "(-127 - 1)", -128),
    "SCHAR_MAX": ("int", "127", 127),
    "SCHAR_MIN": ("int", "(-127 - 1)", -128),
    "UCHAR_MAX": ("int", "255", 255),
    "SHRT_MAX": ("int", "32767", 32767),
    "SHRT_MIN": ("int", "(-32767 - 1)", -32768),
    "USHRT_MAX": ("int", "65535", 65535),
    "INT_MAX": ("int", "2147483647", 2**31 - 1),
    "INT_MIN": ("int", "(-2147483647 - 1)", -(2**31)),
    "UINT_MAX": ("uint", "0xffffffffu", 2**32 - 1),
    "LONG_MAX": ("long", "0x7fffffffffffffffL", 2**63 - 1),
    "LONG_MIN": ("long", "(-0x7fffffffffffffffL - 1)", -(2**63)),
    "ULONG_MAX": ("ulong", "0xffffffffffffffffUL", 2**64 - 1),
}

_FLOAT_LIMITS = {
    "FLT_DIG": 6,
    "FLT_MANT_DIG": 24,
    "FLT_MAX_10_EXP": 38,
    "FLT_MAX_EXP": 128,
    "FLT_MIN_10_EXP": -37,
    "FLT_MIN_EXP": -125,
    "FLT_RADIX": 2,
}
_DOUBLE_LIMITS = {
    "DBL_DIG": 15,
    "DBL_MANT_DIG": 53,
    "DBL_MAX_10_EXP": 308,
    "DBL_MAX_EXP": 1024,
    "DBL_MIN_10_EXP": -307,
    "DBL_MIN_EXP": -1021,
    "DBL_RADIX": 2,
}

_HALF_LIMITS = {
    "HALF_DIG": 3,
    "HALF_MANT_DIG": 11,
    "HALF_MAX_10_EXP": 4,
    "HALF_MAX_EXP": 16,
    "HALF_MIN_10_EXP": -4,
    "HALF_MIN_EXP": -13,
    "HALF_RADIX": 2,
}

# cl_mem_fence_flags (6.15.8), memory_scope and memory_order (6.15.12): the values of the OpenCL headers, so that a program's
# arithmetic on them means the same everywhere.
_FENCES = {"CLK_LOCAL_MEM_FENCE": 1, "CLK_GLOBAL_MEM_FENCE": 2}
_SCOPES = {
    "memory_scope_work_item": 0,
    "memory_scope_work_group": 1,
    "memory_scope_device": 2,
    "memory_scope_all_svm_devices": 3,
    "memory_scope_all_devices": 3,
    "memory_scope_sub_group": 4,
}
_ORDERS = {
    "memory_order_relaxed": 0,
    "memory_order_acquire": 2,
    "memory_order_release": 3,
    "memory_order_acq_rel": 4,
    "memory_order_seq_cst": 5,
}


def _int(value: int, since: int = 100, requires: str = "") -> Constant:
    return Constant("int", str(value) if value >= 0 else f"({value})", value, since, requires)


# 6.15.15.5: "the CLK_ prefixes correspond to the CL_ prefixes used to describe the image channel order and data type".
_CHANNEL_ORDERS = {
    100: "CLK_R=10B0 CLK_A=10B1 CLK_RG=10B2 CLK_RA=10B3 CLK_RGB=10B4 CLK_RGBA=10B5 CLK_BGRA=10B6 CLK_ARGB=10B7 CLK_INTENSITY=10B8 "
    "CLK_LUMINANCE=10B9",
    110: "CLK_Rx=10BA CLK_RGx=10BB CLK_RGBx=10BC",
    200: "CLK_DEPTH=10BD CLK_DEPTH_STENCIL=10BE CLK_sRGB=10BF CLK_sRGBx=10C0 CLK_sRGBA=10C1 CLK_sBGRA=10C2 CLK_ABGR=10C3",
}
_CHANNEL_TYPES = {
    100: "CLK_SNORM_INT8=10D0 CLK_SNORM_INT16=10D1 CLK_UNORM_INT8=10D2 CLK_UNORM_INT16=10D3 CLK_UNORM_SHORT_565=10D4 "
    "CLK_UNORM_SHORT_555=10D5 CLK_UNORM_INT_101010=10D6 CLK_SIGNED_INT8=10D7 CLK_SIGNED_INT16=10D8 CLK_SIGNED_INT32=10D9 "
    "CLK_UNSIGNED_INT8=10DA CLK_UNSIGNED_INT16=10DB CLK_UNSIGNED_INT32=10DC CLK_HALF_FLOAT=10DD CLK_FLOAT=10DE",
    200: "CLK_UNORM_INT24=10DF",
    300: "CLK_UNORM_INT_101010_2=10E0",
}


def _codes(table: dict[int, str]) -> dict[str, Constant]:
    pairs = [(since, pair.partition("=")) for since, text in table.items() for pair in text.split()]
    return {name: _int(int(code, 16), since) for since, (name, _, code) in pairs}


_ENQUEUE = "__opencl_c_device_enqueue"
_LARGEST = _hexadecimal("0x1.fffffep127f")
_INFINITY = Constant("float", "__builtin_bit_cast(float, 0x7f800000)", number=math.inf)

constants: dict[str, Constant] = {
    **{name: Constant(type_, value, integer) for name, (type_, value, integer) in _LIMITS.items()},
    **{f"M_{name}_F": _float(float.fromhex(value)) for name, value in _MATH.items()},
    **{f"M_{name}": _double(float.fromhex(value)) for name, value in _MATH.items()},
    **{f"M_{name}_H": _half(float.fromhex(value)) for name, value in _MATH.items()},
    "MAXFLOAT": _LARGEST,
    "HUGE_VALF": _INFINITY,
    "INFINITY": _INFINITY,
    "NAN": Constant("float", "__builtin_bit_cast(float, 0x7fc00000)", number=math.nan),
    "HUGE_VAL": Constant("double", "__builtin_bit_cast(double, 0x7ff0000000000000)", requires="cl_khr_fp64", number=math.inf),
    "FLT_MAX": _LARGEST,
    "FLT_MIN": _hexadecimal("0x1.0p-126f"),
    "FLT_EPSILON": _hexadecimal("0x1.0p-23f"),
    "DBL_MAX": _hexadecimal("0x1.fffffffffffffp1023"),
    "DBL_MIN": _hexadecimal("0x1.0p-1022"),
    "DBL_EPSILON": _hexadecimal("0x1.0p-52"),
    "HALF_MAX": _half(65504.0),
    "HALF_MIN": _half(2.0**-14),
    "HALF_EPSILON": _half(2.0**-10),
    **{name: _int(value) for name, value in _FLOAT_LIMITS.items()},
    **{name: _int(value, requires="cl_khr_fp64") for name, value in _DOUBLE_LIMITS.items()},
    **{name: _int(value, requires="cl_khr_fp16") for name, value in _HALF_LIMITS.items()},
    # ilogb(0) and ilogb(NaN), as CUDA has them.
    "FP_ILOGB0": Constant("int", "(-2147483647 - 1)", -(2**31)),
    "FP_ILOGBNAN": Constant("int", "(-2147483647 - 1)", -(2**31)),
    **{name: Constant("uint", f"{value}u", value) for name, value in _FENCES.items()},
    "CLK_NULL_RESERVE_ID": Constant("reserve_id_t", "0", since=200, requires="__opencl_c_pipes"),
    "CLK_NULL_EVENT": Constant("clk_event_t", "0", since=200, requires=_ENQUEUE),
    "CLK_NULL_QUEUE": Constant("queue_t", "0", since=200, requires=_ENQUEUE),
    **{name: _int(value, since=200, requires=_ENQUEUE) for name, value in ENQUEUE_CONSTANTS.items()},
    "CLK_IMAGE_MEM_FENCE": Constant("uint", "4u", 4, since=200),
    **{name: _int(value, since=200) for name, value in (_SCOPES | _ORDERS).items()},
    **_codes(_CHANNEL_ORDERS),
    **_codes(_CHANNEL_TYPES),
    **{name: _int(value, since=110 if "MIRRORED" in name else 100) for name, value in SAMPLER_BITS.items()},
}


def is_c_macro(name: str) -> bool:
    """Whether C's headers define a macro of that name too."""
    return name.isupper() and not name.endswith(("_F", "_H")) and not name.startswith(("CLK_", "HALF_"))
