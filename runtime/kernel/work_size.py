"""Work-group sizes: what is chosen when the application gives none (5.10). Pure arithmetic, which runtime/native/group_size.h has for
launches of sizes that come for the first time."""

from __future__ import annotations

import math
from functools import lru_cache

from ..driver.interface import Triple

# Enough work-items for a GPU's compute unit to hide latency with, few enough to leave room for several groups.
GPU_TARGET = 256
# A row of a 2D group that reads whole cache lines without making the group a line.
GPU_ROW = 32
# Deeper groups take a slower variant of a program on NVIDIA's GPUs.
GPU_DEPTH = 64
BEST = 100  # of scores


@lru_cache(maxsize=1024)
def choose(global_size: Triple, work_dim: int, max_size: int, max_sizes: Triple, *, warp: int, gpu: bool) -> Triple:
    """The best group that divides the global size in every dimension."""
    target = min(GPU_TARGET, max_size) if gpu else max_size
    x = _best(global_size[0], min(max_sizes[0], target if work_dim == 1 or not gpu else min(target, GPU_ROW)), max_size, warp)
    y = _best_fill(global_size[1], min(max_sizes[1], target // x)) if work_dim > 1 else 1
    if gpu and work_dim > 1 and x * y < target:
        # The rows are few: make them longer.
        x = _best(global_size[0], min(max_sizes[0], target // y), max_size // y, warp)
    depth = min(max_sizes[2], GPU_DEPTH) if gpu else max_sizes[2]
    z = _best_fill(global_size[2], min(depth, target // (x * y))) if work_dim > 2 else 1
    return x, y, z


def _best(size: int, limit: int, max_size: int, warp: int) -> int:
    """The divisor that wastes fewest lanes of its warps; of equal ones the largest. Sizes without a good divisor up to the
    limit may go up to the kernel's own limit."""
    best, most = 1, -1
    for divisor in range(min(size, limit), 0, -1):
        if size % divisor == 0 and (score := _score(divisor, warp)) > most:
            best, most = divisor, score
            if score == BEST:
                break
    if best < warp:
        return next((divisor for divisor in range(limit + 1, min(size, max_size) + 1) if size % divisor == 0), best)
    return best


def _score(divisor: int, warp: int) -> int:
    """In hundredths: how much of its warps is used, and of two warps."""
    lanes = -(-divisor // warp) * warp
    return (BEST * divisor * min(divisor, 2 * warp) + lanes * warp) // (lanes * 2 * warp)


def _best_fill(size: int, limit: int) -> int:
    return next(divisor for divisor in range(max(1, min(size, limit)), 0, -1) if size % divisor == 0)


def rounded(global_size: Triple, work_dim: int, max_size: int, warp: int) -> Triple:
    """The group for a launch in which the last groups of each row may be smaller, as others cannot be: of whole warps along a row."""
    most = min(GPU_TARGET, max_size)
    depth = 2 if work_dim > 2 and global_size[2] % 2 == 0 and 2 * warp <= most else 1
    height = next(rows for rows in (8, 4, 2, 1) if rows == 1 or (work_dim > 1 and global_size[1] % rows == 0 and rows * depth * warp <= most
                                                                 and rows * depth <= 8))
    width = most // (height * depth) // warp * warp
    return min(width, -(-global_size[0] // warp) * warp), height, depth


def is_better(rounded: Triple, dividing: Triple, global_size: Triple, warp: int) -> bool:
    """Whether fewer lanes stay idle in the rounded groups than in those that divide the size, of which each is to have two warps, or they
    have rows of a warp where the others are narrower."""
    total = math.prod(dividing)
    if total == math.prod(global_size) or not rounded[0]:
        return False
    narrow = dividing[0] < min(warp, global_size[0])
    lanes = max(2 * warp, -(-total // warp) * warp) << narrow
    return -(-global_size[0] // rounded[0]) * rounded[0] * total < global_size[0] * lanes


def uneven(global_size: Triple, work_dim: int, max_size: int, max_sizes: Triple) -> Triple:
    """A group for sizes without good divisors, where groups at the edges may be smaller."""
    shape = {1: (GPU_TARGET, 1, 1), 2: (GPU_ROW, 8, 1), 3: (GPU_ROW, 4, 2)}[work_dim]
    size = [min(want, have, limit) for want, have, limit in zip(shape, global_size, max_sizes, strict=True)]
    while size[0] * size[1] * size[2] > max_size:
        widest = size.index(max(size))
        size[widest] = size[widest] // 2
    return size[0], size[1], size[2]
