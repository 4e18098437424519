"""The nine kernels: which program each is in, how it is launched, and what NumPy says of the result.

Every one has two sizes. The small one has edges that no power of two hides, where the kernel allows that, and NumPy knows its result;
the big one keeps a GPU busy for some tenth of a millisecond or more, so that a launch's own cost does not count. The build options are
the same for both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from tools.corpus.build import text
from tools.corpus.programs import pyfai, silx
from tools.ported.made_by_pyopencl import bessel_jn, normal, sum_of_floats


@dataclass(frozen=True)
class Output:
    """A buffer that the kernel writes; `start` is what it holds before."""

    start: np.ndarray


@dataclass(frozen=True)
class Local:
    bytes: int


Argument = np.ndarray | Output | Local | np.generic


@dataclass(frozen=True)
class Launch:
    """arguments   the kernel's, in order: an array is a buffer that it reads
    expected    by NumPy: one array for each Output, in order
    """

    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    arguments: tuple[Argument, ...]
    expected: Callable[[], tuple[np.ndarray, ...]]


@dataclass(frozen=True)
class Case:
    """text        gives the program's OpenCL C, from the installed package; raises `tools.corpus.build.Missing` where there is none
    launch      of the big size (True) or the small one
    tolerance   relative and absolute, of OpenCL's results to NumPy's; 0 for results that are exact
    fused       absolute, of Numba's results to OpenCL's: of a difference of products, a * b - c * d, the compiler makes one product a
                part of an fma, and which one it is depends on what else the function does. They must still be equal bit by bit
                where neither fuses. 0 for kernels without such an expression.
    """

    package: str
    kernel: str
    text: Callable[[], str]
    launch: Callable[[bool], Launch]
    options: tuple[str, ...] = ()
    tolerance: tuple[float, float] = (0.0, 0.0)
    fused: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.package}_{self.kernel}".lower()


def floats(random: np.random.Generator, *shape: int) -> np.ndarray:
    return random.random(shape, np.float32)


def zeros(*shape: int) -> Output:
    return Output(np.zeros(shape, np.float32))


def up(size: int, group: int) -> int:
    """The next multiple."""
    return -(-size // group) * group


# silx: a median filter of one work-group a column, a convolution, a gradient.


def medfilt2d(big: bool) -> Launch:
    height, width = (256, 8192) if big else (23, 37)
    picture = floats(np.random.default_rng(1), height, width)

    def expected() -> tuple[np.ndarray, ...]:
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(picture, 2, "edge"), (5, 5))
        return (np.median(windows.reshape(height, width, 25), axis=2).astype(np.float32),)

    numbers = map(np.int32, (2, 2, height, width))
    return Launch((8, width), (8, 1), (picture, zeros(height, width), Local(8 * 32), *numbers), expected)


def convol_2d(big: bool) -> Launch:
    height, width = (4096, 4096) if big else (45, 61)
    random = np.random.default_rng(2)
    picture, weights = floats(random, height, width), floats(random, 9, 9)

    def expected() -> tuple[np.ndarray, ...]:
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(picture.astype(float), 4, "symmetric"), (9, 9))
        return (np.einsum("yxij,ij->yx", windows, weights[::-1, ::-1].astype(float)),)

    numbers = map(np.int32, (9, 9, width, height, 1))
    return Launch((up(width, 32), up(height, 8), 1), (32, 8, 1), (picture, zeros(height, width), weights, *numbers), expected)


def gradient(big: bool) -> Launch:
    rows, columns = (8192, 16384) if big else (45, 61)
    picture = floats(np.random.default_rng(3), rows, columns)

    def expected() -> tuple[np.ndarray, ...]:
        found = np.zeros((rows, columns, 2), np.float32)
        found[:-1, :, 0], found[:, :-1, 1] = np.diff(picture, axis=0), np.diff(picture, axis=1)
        return (found,)

    sizes = np.int32(columns), np.int32(rows)
    return Launch((up(columns, 32), up(rows, 8)), (32, 8), (picture, zeros(rows, columns, 2), *sizes), expected)


# pyFAI: the correction of a detector's picture, an azimuthal integration, means and deviations of columns.

PIXELS = 1 << 25
DUMMY = 65535


def corrections(big: bool) -> Launch:
    size = PIXELS if big else 20 * 256  # the kernel knows no other end than NIMAGE
    random = np.random.default_rng(4)
    raw = random.integers(0, 60000, size).astype(np.uint16)
    raw[:: 97] = DUMMY
    dark, dark_variance, flat, solid_angle, polarization, absorption = (floats(random, size) + np.float32(0.5) for _ in range(6))
    mask = (random.random(size) < 0.03).astype(np.int8)
    factor = np.float32(1.5)

    def expected() -> tuple[np.ndarray, ...]:
        value = raw.astype(float)
        norm = factor * flat.astype(float) * solid_angle * polarization * absorption
        good = (mask == 0) & (raw != DUMMY)
        found = np.stack([(value - dark) / norm, (np.maximum(value, 1) + dark_variance) / norm**2, np.ones(size), np.ones(size)], axis=1)
        return (np.where(good[:, None], found, 0),)

    yes, poisson, unsigned_short = np.int8(1), np.int8(2), np.int8(2)
    arguments = (raw.view(np.uint8), unsigned_short, poisson, dark, yes, dark, yes, dark_variance, yes, flat, yes, solid_angle, yes, polarization,
                 yes, absorption, yes, mask, yes, np.float32(DUMMY), np.float32(0.5), factor, yes, zeros(size, 4))
    return Launch((size,), (256,), arguments, expected)


def integration(big: bool) -> Launch:
    bins, pixels = (16384, 1 << 22) if big else (50, 3000)
    random = np.random.default_rng(5)
    lengths = random.integers(1, 4096 if big else 90, bins)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    coefficients = floats(random, starts[-1])
    # A bin's pixels lie near each other, as those of a ring do.
    steps = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    indices = ((np.repeat(random.integers(0, pixels, bins), lengths) + 3 * steps) % pixels).astype(np.int32)
    picture = floats(random, pixels) * 1000
    picture[:: 101] = -1

    def expected() -> tuple[np.ndarray, ...]:
        values = picture[indices].astype(float)
        weights = np.where(values == -1, 0.0, coefficients)
        sums, counts = np.add.reduceat(weights * values, starts[:-1]), np.add.reduceat(weights, starts[:-1])
        return sums, counts, np.where(counts > 0, sums / np.where(counts > 0, counts, 1), -1)

    arguments = (picture, coefficients, indices, starts, np.int32(bins), np.int8(1), np.float32(-1), np.int32(1), zeros(bins), zeros(bins),
                 zeros(bins), Local(32 * 16))
    return Launch((32 * bins,), (32,), arguments, expected)


def mean_std(big: bool) -> Launch:
    group, columns = (64, 32768) if big else (8, 75)
    random = np.random.default_rng(6)
    picture = floats(random, 8 * group, columns)
    picture[random.random(picture.shape) < 0.05] = -1

    def expected() -> tuple[np.ndarray, ...]:
        valid = np.where(picture == -1, np.nan, picture.astype(float))
        return np.nanmean(valid, axis=0), np.nanstd(valid, axis=0)

    arguments = picture, zeros(columns), zeros(columns), np.float32(-1), Local(20 * group)
    return Launch((group, columns), (group, 1), arguments, expected)


# pyopencl: the first step of a sum, normal random numbers, a Bessel function in double.


def reduction(big: bool) -> Launch:
    groups, rounds = (4096, 256) if big else (5, 3)
    size = groups * 256 * rounds - 100
    values = floats(np.random.default_rng(7), size)

    def expected() -> tuple[np.ndarray, ...]:
        return (np.add.reduceat(values.astype(float), np.arange(groups) * 256 * rounds),)

    none, one = np.int64(0), np.int64(1)
    arguments = zeros(groups), none, values, none, none, one, np.int64(size), np.uint32(rounds), np.int64(size)
    return Launch((groups * 256,), (256,), arguments, expected)


def philox(key: tuple[np.ndarray, int], counter: tuple[np.ndarray, int, int, int]) -> np.ndarray:
    """Philox 4x32 of ten rounds (Salmon et al., Parallel random numbers: as easy as 1, 2, 3), for each first word of key and counter."""
    low = np.uint64(0xFFFFFFFF)
    k, c = [np.asarray(each, np.uint64) for each in key], [np.asarray(each, np.uint64) for each in counter]
    for _ in range(10):
        first, second = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [second >> np.uint64(32) ^ c[1] ^ k[0], second & low, first >> np.uint64(32) ^ c[3] ^ k[1], first & low]
        k = [k[0] + np.uint64(0x9E3779B9) & low, k[1] + np.uint64(0xBB67AE85) & low]
    return np.stack(np.broadcast_arrays(*c), axis=1)


def normal_numbers(big: bool) -> Launch:
    items, size = (1 << 20, 1 << 27) if big else (256, 4 * 256 * 3 + 7)
    key, counter = 1234, (5, 6, 7, 8)

    def expected() -> tuple[np.ndarray, ...]:
        block = np.arange(-(-size // 4))
        bits = philox((block % items, key), (counter[0] + block // items, *counter[1:]))
        uniform = (bits.astype(np.float32) * np.float32(2**-32)).astype(float)
        radius, angle = np.sqrt(-2 * np.log(uniform[:, ::2])), 2 * np.pi * uniform[:, 1::2]
        pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=2)
        return (3 + 2 * pairs.reshape(-1)[:size],)

    arguments = (np.int32(key), *map(np.int32, counter), zeros(size), np.int64(size), np.float32(2), np.float32(3))
    return Launch((items,), (256,), arguments, expected)


def bessel(big: bool) -> Launch:
    items, size = (1 << 20, 1 << 24) if big else (512, 1300)
    x = np.random.default_rng(8).random(size) * 30

    def expected() -> tuple[np.ndarray, ...]:
        """DLMF 10.9.2; the trapezoidal rule converges faster than any power where the integrand is periodic."""
        angles = 2 * np.pi * np.arange(128) / 128
        return (np.cos(3 * angles - x[:, None] * np.sin(angles)).mean(axis=1),)

    none = np.int64(0)
    return Launch((items,), (256,), (Output(np.zeros(size)), none, np.int64(3), x, none, np.int64(size)), expected)


# J0 and J1 of more than 8 are 0.28 or less times a difference of products of numbers up to 1, each of which may be rounded or not; the
# recurrence makes twice of that.
BESSEL = 2.0**-52
_FP64 = "-Dcl_khr_fp64=1"
_IMAGE = f"-DNIMAGE={PIXELS}"
CASES = (
    Case("silx", "medfilt2d", lambda: text(silx("preprocess bitonic medfilt")), medfilt2d, ("-DNIMAGE=1024",)),
    Case("silx", "convol_2D_XY", lambda: text(silx("convolution")), convol_2d, ("-DUSED_CONV_MODE=0",), (1e-5, 0)),
    Case("silx", "kern_gradient2D", lambda: text(silx("linalg")), gradient),
    Case("pyFAI", "corrections4a", lambda: text(pyfai("preprocess")), corrections, (_IMAGE, _FP64), (1e-5, 0)),
    Case("pyFAI", "csr_integrate", lambda: text(pyfai("silx:doubleword preprocess memset ocl_azim_CSR collective/reduction collective/scan "
         "collective/comb_sort medfilt")), integration, (_FP64, "-DNBINS=16384", _IMAGE), (1e-5, 0)),
    Case("pyFAI", "mean_std_vertical", lambda: text(pyfai("silx:doubleword bitonic separate sigma_clip")), mean_std, (), (1e-4, 0)),
    Case("pyopencl", "reduce_kernel_stage1", sum_of_floats, reduction, (), (1e-5, 0)),
    Case("pyopencl", "rng_gen_philox4x32_normal", normal, normal_numbers, (), (1e-5, 1e-5)),
    Case("pyopencl", "bessel_jn_kernel", bessel_jn, bessel, (), (1e-12, 1e-12), BESSEL),
)  # fmt: skip
