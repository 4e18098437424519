"""Launches over a global size that the work-groups do not divide along x, as one grid of full blocks (`is_past_range` of
builtins/library/cuda/workitem.cuh).

A kernel that cannot tell how its work-items are grouped may run in any blocks. In the rounded variant it begins by ending the threads past
the global size: then a prime size is one grid as others are, where the general variant takes up to eight grids, each with a record to be
written before it. That is five instructions, but nothing is loaded before them: a kernel of the benchmark's took 10 % longer so on an H200,
and therefore sizes which are divided have the plain variant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..driver.interface import Triple
from .launch import BLOCK_DEPTH, GRID_LIMITS

if TYPE_CHECKING:
    from ...translator import Translation

# What those kernels begin with, and what it takes of the device library.
CHECK, USE = "if (ocl::is_past_range()) return;", ("item", "is_past_range")


def rounded_kernels(translation: Translation) -> frozenset[str]:
    """The kernels that may be launched so, by their names in C++."""
    if ("asm",) in translation.used_builtins:  # which may tell anything
        return frozenset()
    told = tells_sizes(translation)
    return frozenset(kernel.cxx_name for kernel in translation.kernels
                     if not kernel.observes_groups and (told or not kernel.uses_global_size))


def tells_sizes(translation: Translation) -> bool:
    """Whether the device library's rounded variant serves: it takes for the surplus what other kernels have as dynamic local memory."""
    return ("local_memory",) not in translation.used_builtins


def rounded(global_size: Triple, local_size: Triple) -> tuple[int, ...] | None:
    """The ND-range without an offset as three numbers of blocks, the work-groups' size, and the bytes of dynamic shared memory, which tell
    the surplus; None where it is no such grid. As `find_extent` of runtime/native/group_size.h."""
    (x, y, z), (width, height, depth) = global_size, local_size
    blocks = -(-x // width), y // height, z // depth
    if (y % height or z % depth or depth > BLOCK_DEPTH or any(count > limit for count, limit in zip(blocks, GRID_LIMITS, strict=True))
            or max(blocks[0] * width, y, z) >= 2**32):
        return None
    return *blocks, *local_size, blocks[0] * width - x
