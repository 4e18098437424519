"""Which `__builtin_…` functions of GNU C's and clang's there are: what `__has_builtin` knows, and what a call may name.

What each one does is in analyse/gnu_builtins.py, which has a row for each of the names here.
"""

from __future__ import annotations

from ...builtins import table

PREFIX = "__builtin_"

# Without the prefix.
OWN_MEANING = frozenset("""
    abs assume astype bswap16 bswap32 bswap64 choose_expr clz clzl clzll constant_p convertvector ctz ctzl ctzll expect
    expect_with_probability ffs huge_val huge_valf inf inff memcpy memmove memset nanf nontemporal_load nontemporal_store offsetof
    parity popcount popcountl popcountll prefetch trap types_compatible_p unreachable
""".split())


def library_function(name: str) -> tuple[str, bool] | None:
    """The OpenCL built-in that a name without its prefix stands for, and whether it is the one of single precision (`sqrtf`: sqrt)."""
    if name.endswith("f") and table.overloads(name[:-1]):
        return name[:-1], True
    return (name, False) if table.overloads(name) else None


def is_known(name: str) -> bool:
    """The answer to `__has_builtin(name)`."""
    plain = name.removeprefix(PREFIX)
    return plain != name and (plain in OWN_MEANING or library_function(plain) is not None)
