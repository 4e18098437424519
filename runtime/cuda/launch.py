"""How an ND-range becomes CUDA grids. Pure arithmetic over sizes, and the record that general launches read."""

from __future__ import annotations

import ctypes
import itertools

from ..driver import Triple

GRID_LIMITS: Triple = (2**31 - 1, 65535, 65535)


class LaunchRecord(ctypes.Structure):
    """`ocl::launch` of the general variant (builtins/cuda_workitem_general.cuh)."""

    _fields_ = [
        ("offset", ctypes.c_uint64 * 3), ("global_size", ctypes.c_uint64 * 3), ("group_base", ctypes.c_uint64 * 3),
        ("groups", ctypes.c_uint64 * 3), ("enqueued_local", ctypes.c_uint32 * 3), ("work_dim", ctypes.c_uint32),
    ]


def is_plain(global_size: Triple, local_size: Triple, offset: Triple) -> bool:
    """One grid does it, and ids fit into 32 bits."""
    return not any(offset) and all(
        size < 2**32 and size % block == 0 and size // block <= limit
        for size, block, limit in zip(global_size, local_size, GRID_LIMITS, strict=True)
    )


def pieces(work_dim: int, global_size: Triple, local_size: Triple, offset: Triple,
           limits: Triple) -> list[tuple[Triple, Triple, LaunchRecord]]:
    """(grid, block, record) of every launch that the ND-range takes, in order."""
    found = []
    groups = [-(-size // block) for size, block in zip(global_size, local_size, strict=True)]
    spans = [_spans(size, block, limit) for size, block, limit in zip(global_size, local_size, limits, strict=True)]
    for z, y, x in itertools.product(*reversed(spans)):
        bases, grid, block = zip(x, y, z, strict=True)
        found.append((grid, block, LaunchRecord(offset, global_size, bases, tuple(groups), local_size, work_dim)))
    return found


def _spans(size: int, block: int, limit: int) -> list[tuple[int, int, int]]:
    """(first group, groups, work-items in each) along one dimension: full groups as the grid allows, then the smaller last."""
    full = size // block
    spans = [(first, min(limit, full - first), block) for first in range(0, full, limit)]
    return [*spans, (full, 1, size % block)] if size % block else spans
