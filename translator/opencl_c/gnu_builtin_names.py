"""Which `__builtin_…` functions of GNU C's and clang's there are: what `__has_builtin` knows, and what a call may name.

What each one does is in analyse/gnu_builtins.py, which has a row for each of the names here.
"""

from __future__ import annotations

from ...builtins import table

PREFIX = "__builtin_"
ATOMIC_PREFIX = "__opencl_atomic_"  # clang's own, which its header defines OpenCL's functions by

# Without the prefix.
OWN_MEANING = frozenset("""
    abs add_overflow addc addcb addcl addcll addcs assume assume_aligned astype bitreverse16 bitreverse32 bitreverse64 bitreverse8
    bswap16 bswap32 bswap64 bzero choose_expr clrsb clrsbl clrsbll clz clzl clzll constant_p convertvector ctz ctzl ctzll expect
    expect_with_probability ffs ffsl ffsll huge_val huge_valf inf inff labs llabs llrint llrintf llround llroundf lrint lrintf lround
    lroundf memcpy memcpy_inline memmove memset mul_overflow nan nanf nontemporal_load nontemporal_store offsetof parity parityl
    parityll popcount popcountl popcountll prefetch rotateleft16 rotateleft32 rotateleft64 rotateleft8 rotateright16 rotateright32
    rotateright64 rotateright8 sadd_overflow saddl_overflow saddll_overflow shufflevector smul_overflow smull_overflow smulll_overflow
    ssub_overflow ssubl_overflow ssubll_overflow sub_overflow subc subcb subcl subcll subcs trap types_compatible_p uadd_overflow
    uaddl_overflow uaddll_overflow umul_overflow umull_overflow umulll_overflow unpredictable unreachable usub_overflow usubl_overflow
    usubll_overflow
""".split())
# C's mathematics that OpenCL has under another name.
_RENAMED = {"nearbyint": "rint", "powi": "pown", "roundeven": "rint", "scalbn": "ldexp"}
_PRECISIONS = {"f16": "half", "f": "float", "": "double"}


def library_function(name: str) -> tuple[str, str] | None:
    """The OpenCL built-in that a name without its prefix stands for, and the type it computes in (`sqrtf`: sqrt, float)."""
    for suffix, type in _PRECISIONS.items():
        plain = name.removesuffix(suffix)
        plain = _RENAMED.get(plain, plain)
        if name.endswith(suffix) and table.overloads(plain):
            return plain, type
    return None


def atomic_function(name: str) -> str | None:
    """The OpenCL built-in that `__opencl_atomic_load` and its like stand for."""
    if not name.startswith(ATOMIC_PREFIX):
        return None
    plain = "atomic_" + name.removeprefix(ATOMIC_PREFIX)
    return next((each for each in (f"{plain}_explicit", plain) if table.overloads(each)), None)


def is_known(name: str) -> bool:
    """The answer to `__has_builtin(name)`."""
    plain = name.removeprefix(PREFIX)
    return atomic_function(name) is not None or (plain != name and (plain in OWN_MEANING or library_function(plain) is not None))
