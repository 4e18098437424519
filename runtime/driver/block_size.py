"""How many bytes a block of device memory has: sizes are rounded, so that blocks of nearly the same size can stand for each other.

`runtime/native/block_size.h` is the same in C.
"""

from __future__ import annotations

import functools

# From here on CUDA itself counts in pages of this size.
PAGE = 2 << 20
SMALLEST = 512


@functools.lru_cache(4096)
def rounded(size: int) -> int:
    """The size of the block: at most an eighth more than asked for, or the pages that CUDA would give anyway."""
    if size >= PAGE:
        return -(-size // PAGE) * PAGE
    step = max(SMALLEST, 1 << max((size - 1).bit_length() - 4, 0))
    return max(SMALLEST, -(-size // step) * step)
