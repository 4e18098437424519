"""Work-groups as native code chooses them for sizes that come for the first time (runtime/native/group_size.h): the same as Python's."""

import ctypes
import itertools
import math
import random
from pathlib import Path

import pytest
from support import c_library

from cl2cuda.runtime.commands.launch_checks import _LIMITS
from cl2cuda.runtime.cuda import rounded_launch
from cl2cuda.runtime.kernel import work_size
from cl2cuda.runtime.native import build, library

MOST_SIZES = 1024, 1024, 64
WORDS = ctypes.c_uint32 * 10  # of struct extent

try:
    COMPILERS = build.compilers()
except Exception:
    COMPILERS = ()
pytestmark = pytest.mark.skipif(library.calls() is None or not COMPILERS, reason="there is no C compiler")


@pytest.fixture(scope="module")
def find(tmp_path_factory):
    header = Path(build.__file__).resolve().parent / "group_size.h"
    found = c_library.load(f'#include "{header}"\n' + """
int find(struct extent *e, const void *limits, unsigned n, const size_t *global, const size_t *local, const unsigned *known)
{
    return find_extent(e, limits, n, global, local, known);
}
""", tmp_path_factory.mktemp("group_size"))

    def call(limits, size, local=None, known=(0, 0, 0)):
        """(size, group, blocks, surplus); None where Python is to look."""
        extent, triple = WORDS(), ctypes.c_size_t * 3
        given = found.find(extent, limits, len(size), triple(*size), triple(*local) if local else None, (ctypes.c_uint32 * 3)(*known))
        words = tuple(extent)
        return (words[:3], words[3:6], words[6:9], words[9]) if given else None

    return call


def limits(*, most=1024, gpu=True, uneven=True, rounds=True, uniform=True, required=(0, 0, 0)):
    return _LIMITS.pack(*((5, 6) if rounds else (0, 0)), most, 32, gpu, uneven, uniform, *MOST_SIZES, *required, 0)


def chosen(size, most, rounds):
    """Python's choice (launch_checks._chosen), on a GPU; None where it is left to Python."""
    full, dimensions = (*size, 1, 1)[:3], len(size)
    group = work_size.choose(full, dimensions, most, MOST_SIZES, warp=32, gpu=True)
    if math.prod(group) >= min(32, math.prod(full)):
        return group
    rounded = work_size.rounded(full, dimensions, most, 32)
    return rounded if rounds and work_size.is_better(rounded, group, full, 32) else None


def sizes():
    draws = random.Random(3)
    yield from itertools.product((1, 2, 31, 32, 33, 100, 257, 1009, 4096, 65_537, 1_000_003))
    yield from itertools.product((1, 5, 31, 64, 97, 1024, 4099), repeat=2)
    yield from itertools.product((1, 3, 17, 64, 127), repeat=3)
    for _ in range(2000):
        yield tuple(draws.randint(1, 10 ** draws.randint(1, 6 // dimensions + 1)) for dimensions in [draws.randint(1, 3)] for _ in range(dimensions))


@pytest.mark.parametrize("rounds", [True, False])
@pytest.mark.parametrize("most", [1024, 640, 256, 96])
def test_sizes_that_are_left_open(find, most, rounds):
    seen = 0
    for size in sizes():
        full, group, grid = (*size, 1, 1)[:3], chosen(size, most, rounds), None
        if group is not None:
            grid = rounded_launch.rounded(full, group)
        found = find(limits(most=most, rounds=rounds), size)
        assert (found and (*found[2], *found[1], found[3])) == grid, size
        seen += bool(grid and grid[6])
    assert bool(seen) == rounds


def test_sizes_that_are_given(find):
    other = limits(uniform=False)
    assert find(other, (1000,), (100,)) == ((1000, 1, 1), (100, 1, 1), (10, 1, 1), 0)
    assert find(other, (1001,), (100,)) == ((1001, 1, 1), (100, 1, 1), (11, 1, 1), 99)
    assert find(other, (30, 12, 6), (8, 4, 3)) == ((30, 12, 6), (8, 4, 3), (4, 3, 2), 2)
    assert find(other, (30, 11, 6), (8, 4, 3)) is find(other, (30, 12, 5), (8, 4, 3)) is None, "in the first dimension alone"
    # Where groups have to divide the size, or are not to be rounded up, Python looks at it; also at a group that is no good one.
    assert find(limits(), (1001,), (100,)) is None and find(limits(uniform=False, rounds=False), (1001,), (100,)) is None
    assert find(other, (1 << 32, 1), (64, 1)) is None and find(other, (2**32 - 1,), (64,)) is None
    assert find(other, (1001,), (2048,)) is None and find(other, (5000,), (1, )) is not None
    required = limits(uniform=False, required=(100, 1, 1))
    assert find(required, (1001,)) == find(required, (1001,), (100,)) == ((1001, 1, 1), (100, 1, 1), (11, 1, 1), 99)
    assert find(required, (1024,), (128,)) is None
    assert find(limits(required=(100, 1, 1)), (1001,)) is None


def test_what_rounded_grids_are():
    rounded = rounded_launch.rounded
    assert rounded((1009, 1, 1), (256, 1, 1)) == (4, 1, 1, 256, 1, 1, 15)
    assert rounded((13, 8, 4), (32, 4, 2)) == (1, 2, 2, 32, 4, 2, 19)
    assert rounded((13, 7, 4), (32, 4, 2)) is rounded((13, 8, 3), (32, 4, 2)) is rounded((13, 1, 128), (1, 1, 128)) is None
    assert rounded((5, 70_000, 1), (5, 1, 1)) is None, "more rows than a grid has"
    assert rounded((2**32 - 1, 1, 1), (256, 1, 1)) is None and rounded((2**32 - 257, 1, 1), (256, 1, 1)) is not None


@pytest.mark.parametrize(("size", "group"), [
    ((10_007,), (256, 1, 1)), ((1000,), (250, 1, 1)), ((37,), (37, 1, 1)), ((37 * 10_007,), (37, 1, 1)), ((10_000_000,), (160, 1, 1)),
    ((2741, 1021), (256, 1, 1)), ((2741, 1022), (1, 146, 1)), ((31, 1021), (32, 1, 1)), ((2741, 1021 * 5), (256, 1, 1)),
])
def test_sizes_for_kernels_that_may_be_rounded(size, group):
    assert chosen(size, 1024, True) == group
