"""Which `__builtin_…` and `__sync_…` functions of GNU C's and clang's there are: what `__has_builtin` knows, and what a call may name.

What each one does is in analyse/gnu_builtins.py and analyse/sync_builtins.py, which have a row for each of the names here.
"""

from __future__ import annotations

from ...builtins import table

PREFIX = "__builtin_"
SYNC_PREFIX = "__sync_"
ATOMIC_PREFIX = "__opencl_atomic_"  # clang's own, which its header defines OpenCL's functions by

# Without the prefix.
OWN_MEANING = frozenset("""
    abs add_overflow addc addcb addcl addcll addcs assume assume_aligned astype bitreverse16 bitreverse32 bitreverse64 bitreverse8
    bswap16 bswap32 bswap64 bzero choose_expr clrsb clrsbl clrsbll clz clzl clzll constant_p convertvector ctz ctzl ctzll
    elementwise_abs elementwise_acos elementwise_add_sat elementwise_asin elementwise_atan elementwise_atan2 elementwise_bitreverse
    elementwise_ceil elementwise_copysign elementwise_cos elementwise_cosh elementwise_exp elementwise_exp10 elementwise_exp2
    elementwise_floor elementwise_fma elementwise_fmod elementwise_log elementwise_log10 elementwise_log2 elementwise_max
    elementwise_maxnum elementwise_min elementwise_minnum elementwise_nearbyint elementwise_popcount elementwise_pow elementwise_rint
    elementwise_round elementwise_roundeven elementwise_sin elementwise_sinh elementwise_sqrt elementwise_sub_sat elementwise_tan
    elementwise_tanh elementwise_trunc expect expect_with_probability ffs ffsl ffsll huge_val huge_valf inf inff labs llabs llrint
    llrintf llround llroundf lrint lrintf lround lroundf memcpy memcpy_inline memmove memset mul_overflow nan nanf nontemporal_load
    nontemporal_store offsetof parity parityl parityll popcount popcountl popcountll prefetch reduce_add reduce_and reduce_max
    reduce_min reduce_mul reduce_or reduce_xor rotateleft16 rotateleft32 rotateleft64 rotateleft8 rotateright16 rotateright32
    rotateright64 rotateright8 sadd_overflow saddl_overflow saddll_overflow shufflevector smul_overflow smull_overflow smulll_overflow
    ssub_overflow ssubl_overflow ssubll_overflow sub_overflow subc subcb subcl subcll subcs trap types_compatible_p uadd_overflow
    uaddl_overflow uaddll_overflow umul_overflow umull_overflow umulll_overflow unpredictable unreachable usub_overflow usubl_overflow
    usubll_overflow
""".split())
# Without the prefix and the size, which a name may end with (`__sync_fetch_and_add_4`).
SYNC = frozenset("""
    add_and_fetch and_and_fetch bool_compare_and_swap fetch_and_add fetch_and_and fetch_and_max fetch_and_min fetch_and_nand fetch_and_or
    fetch_and_sub fetch_and_umax fetch_and_umin fetch_and_xor lock_release lock_test_and_set nand_and_fetch or_and_fetch sub_and_fetch
    swap synchronize val_compare_and_swap xor_and_fetch
""".split())
_SIZES = ("_1", "_2", "_4", "_8", "_16")
# C's mathematics that OpenCL has under another name.
RENAMED = {"nearbyint": "rint", "powi": "pown", "roundeven": "rint", "scalbn": "ldexp"}
_PRECISIONS = {"f16": "half", "f": "float", "": "double"}


def library_function(name: str) -> tuple[str, str] | None:
    """The OpenCL built-in that a name without its prefix stands for, and the type it computes in (`sqrtf`: sqrt, float)."""
    for suffix, type in _PRECISIONS.items():
        plain = name.removesuffix(suffix)
        plain = RENAMED.get(plain, plain)
        if name.endswith(suffix) and table.overloads(plain):
            return plain, type
    return None


def atomic_function(name: str) -> str | None:
    """The OpenCL built-in that `__opencl_atomic_load` and its like stand for."""
    if not name.startswith(ATOMIC_PREFIX):
        return None
    plain = "atomic_" + name.removeprefix(ATOMIC_PREFIX)
    return next((each for each in (f"{plain}_explicit", plain) if table.overloads(each)), None)


def sync_function(name: str) -> str | None:
    """The name in SYNC that `__sync_fetch_and_add` or `__sync_fetch_and_add_4` has: the pointer says the size."""
    if not name.startswith(SYNC_PREFIX):
        return None
    plain = name.removeprefix(SYNC_PREFIX)
    size = next((each for each in _SIZES if plain.endswith(each)), "")
    plain = plain.removesuffix(size)
    return plain if plain in SYNC and not (size and plain == "synchronize") else None


def is_known(name: str) -> bool:
    """The answer to `__has_builtin(name)`."""
    plain = name.removeprefix(PREFIX)
    if atomic_function(name) is not None or sync_function(name) is not None:
        return True
    return plain != name and (plain in OWN_MEANING or library_function(plain) is not None)
