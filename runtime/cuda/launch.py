"""How an ND-range becomes CUDA grids. Pure arithmetic over sizes, and the record that general launches read."""

from __future__ import annotations

import ctypes
import itertools
import math

from ..driver.interface import Triple

GRID_LIMITS: Triple = (2**31 - 1, 65535, 65535)
# CUDA's blocks are no deeper, while OpenCL's work-groups may have all their items along any dimension.
BLOCK_DEPTH = 64


class LaunchRecord(ctypes.Structure):
    """`ocl::launch` of the general variant (builtins/library/cuda/workitem_general.cuh)."""

    _fields_ = [
        ("offset", ctypes.c_uint64 * 3), ("global_size", ctypes.c_uint64 * 3), ("group_base", ctypes.c_uint64 * 3),
        ("groups", ctypes.c_uint64 * 3), ("enqueued_local", ctypes.c_uint32 * 3), ("work_dim", ctypes.c_uint32),
        ("folded", ctypes.c_uint32 * 3),
    ]


def is_plain(global_size: Triple, local_size: Triple, offset: Triple) -> bool:
    """One grid does it, and ids fit into 32 bits."""
    return (offset == (0, 0, 0) and max(global_size) < 2**32 and local_size[2] <= BLOCK_DEPTH
            and is_one_grid(global_size, local_size))


def is_one_grid(global_size: Triple, local_size: Triple) -> bool:
    (x, y, z), (width, height, depth), (columns, rows, slices) = global_size, local_size, GRID_LIMITS
    return (not (x % width or y % height or z % depth)
            and x // width <= columns and y // height <= rows and z // depth <= slices)


def limits_for(global_size: Triple, local_size: Triple, most: int) -> Triple:
    """Grid limits that cut an ND-range into at most about `most` pieces, of single work-groups where that is enough."""
    x, y, z = (-(-size // block) for size, block in zip(global_size, local_size, strict=True))
    groups = -(-x * y * z // most)
    rows = -(-groups // x)
    return min(groups, x), min(rows, y), -(-rows // y)


def pieces(work_dim: int, global_size: Triple, local_size: Triple, offset: Triple,
           limits: Triple) -> list[tuple[Triple, Triple, LaunchRecord]]:
    """(grid, size of the work-groups, record) of every launch that the ND-range takes, in order."""
    found = []
    groups = [-(-size // block) for size, block in zip(global_size, local_size, strict=True)]
    spans = [_spans(size, block, limit) for size, block, limit in zip(global_size, local_size, limits, strict=True)]
    for z, y, x in itertools.product(*reversed(spans)):
        bases, grid, block = zip(x, y, z, strict=True)
        folded = block if block[2] > BLOCK_DEPTH else (0, 0, 0)
        found.append((grid, block, LaunchRecord(offset, global_size, bases, tuple(groups), local_size, work_dim, folded)))
    return found


def block_of(work_group: Triple) -> Triple:
    """CUDA's block for work-groups of this size: a deeper one than CUDA has is folded into a row, in the order of linear local ids."""
    return work_group if work_group[2] <= BLOCK_DEPTH else (math.prod(work_group), 1, 1)


def unfolded(record: LaunchRecord, thread: Triple) -> Triple:
    """The local id of a thread."""
    x, y, _ = record.folded
    return (thread[0] % x, thread[0] // x % y, thread[0] // (x * y)) if x else thread


def _spans(size: int, block: int, limit: int) -> list[tuple[int, int, int]]:
    """(first group, groups, work-items in each) along one dimension: full groups as the grid allows, then the smaller last."""
    full = size // block
    spans = [(first, min(limit, full - first), block) for first in range(0, full, limit)]
    return [*spans, (full, 1, size % block)] if size % block else spans


def extent(work_dim: int, grid: Triple, block: Triple, record: LaunchRecord) -> str:
    """The work-groups of a piece, and the global ids of their work-items, for people."""
    first = tuple(record.group_base)
    last = tuple(base + count - 1 for base, count in zip(first, grid, strict=True))
    low = tuple(base * local + offset for base, local, offset in zip(first, record.enqueued_local, record.offset, strict=True))
    high = tuple(base * local + offset + size - 1
                 for base, local, offset, size in zip(last, record.enqueued_local, record.offset, block, strict=True))

    def shown(numbers: tuple[int, ...]) -> str:
        return str(numbers[:work_dim]) if work_dim > 1 else str(numbers[0])

    groups = f"work-group {shown(first)}" if first == last else f"work-groups {shown(first)} to {shown(last)}"
    return f"at {groups}: work-items with global ids from {shown(low)} to {shown(high)}"
