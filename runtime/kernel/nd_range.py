"""An index space (3.2.1): what a kernel is launched over, as the application said it, unchecked."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import NamedTuple

Sizes = Sequence[int]

_INTS = frozenset((int,))


class NDRange(NamedTuple):
    """Offset and sizes have one number of work-items for each of the `work_dim` dimensions, 1 to 3. No offset is zeros; no local size
    leaves the choice to us; no global size, or a 0 in it, is nothing to run."""

    work_dim: int
    global_offset: Sizes | None
    global_size: Sizes | None
    local_size: Sizes | None

    def in_tuples(self) -> NDRange:
        """The same with tuples of ints, which dictionaries take for keys."""
        return NDRange(self.work_dim, _tuple(self.global_offset), _tuple(self.global_size), _tuple(self.local_size))


def _tuple(sizes: Sizes | None) -> tuple[int, ...] | None:
    if sizes is None or (type(sizes) is tuple and _INTS.issuperset(map(type, sizes))):
        return sizes
    return tuple(index(size) for size in sizes)
