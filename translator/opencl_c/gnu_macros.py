"""The macros that GNU C's compilers and clang predefine and programs read types, limits and orders from, for a device of 64 bits.

None of them names a compiler (`__clang__`, `__GNUC__`): what a program does with its own compiler's name, it does for no other.
"""

from __future__ import annotations

_SIGNED = {8: "signed char", 16: "short", 32: "int", 64: "long int"}
_UNSIGNED = {8: "unsigned char", 16: "unsigned short", 32: "unsigned int", 64: "long unsigned int"}
_SUFFIXES = {8: "", 16: "", 32: "", 64: "L"}
# The types whose width depends on a compiler, which is what their macros are for: with a sign, and without.
_OF_A_WIDTH = {"INTPTR": "UINTPTR", "PTRDIFF": "SIZE", "INTMAX": "UINTMAX"}
_SIZES = {
    "SHORT": 2, "INT": 4, "LONG": 8, "LONG_LONG": 8, "FLOAT": 4, "DOUBLE": 8, "POINTER": 8, "SIZE_T": 8, "PTRDIFF_T": 8,
}  # fmt: skip
# By the macros' middle: the digits of a mantissa, those in decimal, the exponents in base 2 and 10, the largest, the least normal and
# subnormal numbers, and epsilon.
_FLOATS = {
    "FLT": (24, 6, 9, 128, -125, 38, -37, "3.40282347e+38F", "1.17549435e-38F", "1.40129846e-45F", "1.19209290e-7F"),
    "DBL": (53, 15, 17, 1024, -1021, 308, -307, "1.7976931348623157e+308", "2.2250738585072014e-308", "4.9406564584124654e-324",
            "2.2204460492503131e-16"),
}  # fmt: skip
_FACTS = ("MANT_DIG", "DIG", "DECIMAL_DIG", "MAX_EXP", "MIN_EXP", "MAX_10_EXP", "MIN_10_EXP", "MAX", "MIN", "DENORM_MIN", "EPSILON")
_ATOMIC_ORDERS = ("RELAXED", "CONSUME", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
_MEMORY_SCOPES = ("WORK_ITEM", "WORK_GROUP", "DEVICE", "ALL_SVM_DEVICES", "SUB_GROUP")


def gnu_macros() -> dict[str, str]:
    """Their replacements by name."""
    macros = {"__STDC__": "1", "__STDC_VERSION__": "199901L", "__STDC_HOSTED__": "1", "__LP64__": "1", "_LP64": "1"}
    macros["__NO_MATH_ERRNO__"] = "1"
    macros |= {"__ORDER_LITTLE_ENDIAN__": "1234", "__ORDER_BIG_ENDIAN__": "4321", "__ORDER_PDP_ENDIAN__": "3412"}
    macros |= {"__BYTE_ORDER__": "__ORDER_LITTLE_ENDIAN__", "__LITTLE_ENDIAN__": "1"}
    macros |= {"__CHAR_BIT__": "8", "__SCHAR_MAX__": "127", "__SHRT_MAX__": "32767", "__INT_MAX__": "2147483647"}
    macros |= {f"__{name}_MAX__": _most(64, True) for name in ("LONG", "LONG_LONG")}
    macros |= {"__BOOL_WIDTH__": "8", "__SHRT_WIDTH__": "16", "__INT_WIDTH__": "32", "__LONG_WIDTH__": "64", "__LLONG_WIDTH__": "64"}
    macros |= {"__POINTER_WIDTH__": "64"}
    macros |= {f"__SIZEOF_{name}__": str(size) for name, size in _SIZES.items()}
    for bits in _SIGNED:
        for middle in (f"INT{bits}", f"INT_LEAST{bits}", f"INT_FAST{bits}"):
            macros |= _integer(middle, bits, True) | _integer(f"U{middle}", bits, False)
        macros |= {f"__INT{bits}_C_SUFFIX__": _SUFFIXES[bits], f"__UINT{bits}_C_SUFFIX__": _suffix(bits)}
    for signed, unsigned in _OF_A_WIDTH.items():
        macros |= _integer(signed, 64, True) | _integer(unsigned, 64, False)
        macros |= {f"__{signed}_WIDTH__": "64", f"__{unsigned}_WIDTH__": "64"}
    for middle, facts in _FLOATS.items():
        macros |= {f"__{middle}_{fact}__": f"({value})" if str(value)[0] == "-" else str(value)
                   for fact, value in zip(_FACTS, facts, strict=True)}  # fmt: skip
        macros |= {f"__{middle}_HAS_{what}__": "1" for what in ("DENORM", "INFINITY", "QUIET_NAN")}
    macros |= {"__FLT_RADIX__": "2", "__FLT_EVAL_METHOD__": "0"}
    macros |= {f"__ATOMIC_{order}": str(value) for value, order in enumerate(_ATOMIC_ORDERS)}
    return macros | {f"__OPENCL_MEMORY_SCOPE_{scope}": str(value) for value, scope in enumerate(_MEMORY_SCOPES)}


def _integer(middle: str, bits: int, signed: bool) -> dict[str, str]:
    return {f"__{middle}_TYPE__": (_SIGNED if signed else _UNSIGNED)[bits], f"__{middle}_MAX__": _most(bits, signed)}


def _most(bits: int, signed: bool) -> str:
    return f"{(1 << (bits - signed)) - 1}{_SUFFIXES[bits] if signed else _suffix(bits)}"


def _suffix(bits: int) -> str:
    return ("U" if bits >= 32 else "") + _SUFFIXES[bits]
