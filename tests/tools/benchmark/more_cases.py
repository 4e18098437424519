"""Launches and checks of the kernels of many kinds (more_kernels.cl), and of a long one that is written here. Plain PyOpenCL."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyopencl as cl
from cases import Case, Data

LONG_LINES = 2000


def fft(queue: cl.CommandQueue, big: bool) -> Case:
    data, rows = Data(queue), 1 << (16 if big else 8)
    x = (data.floats(rows, 512) + 1j * data.floats(rows, 512)).astype(np.complex64)
    reversed_bits = np.array([int(f"{i:09b}"[::-1], 2) for i in range(512)])
    out = data.empty(x.nbytes)
    return Case("fft", (256 * rows,), (256,), (data.to_device(np.ascontiguousarray(x[:, reversed_bits])), out), 16e-9 * x.size, "GB",
                lambda: np.allclose(data.fetch(out, x.shape, np.complex64)[::64], np.fft.fft(x[::64]), rtol=1e-3, atol=1e-2))


def sparse_product(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 1 << (20 if big else 13)
    rows = np.concatenate([[0], np.cumsum(data.rng.integers(0, 33, n))]).astype(np.int32)
    columns, x = data.rng.integers(0, n, rows[-1]).astype(np.int32), data.floats(n)
    values, y = data.floats(rows[-1]), data.empty(4 * n)

    def check() -> bool:
        sums = np.concatenate([[0], np.cumsum(values.astype(float) * x[columns])])
        return np.allclose(data.fetch(y, n), sums[rows[1:]] - sums[rows[:-1]], rtol=1e-3, atol=1e-3)

    return Case("sparse_product", (n,), (128,), (*map(data.to_device, (rows, columns, values, x)), y), 12e-9 * len(values), "GB", check)


def register_product(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 2048 if big else 256
    a, b, c = data.floats(n, n), data.floats(n, n), data.empty(4 * n * n)
    return Case("register_product", (n // 4, n // 4), (16, 8), (np.int32(n), data.to_device(a), data.to_device(b), c), 2e-9 * n**3,
                "GFLOP", lambda: np.allclose(data.fetch(c, (n, n)), a.T @ b, rtol=1e-3))


def bitonic_sort(queue: cl.CommandQueue, big: bool) -> Case:
    data, rows = Data(queue), 1 << (16 if big else 7)
    x = data.rng.integers(0, 1 << 32, (rows, 512), dtype=np.uint32)
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    return Case("bitonic_sort", (256 * rows,), (256,), (buffer,), 1e-9 * x.size, "G numbers",
                lambda: np.array_equal(data.fetch(buffer, x.shape, np.uint32), np.sort(x)),
                reset=lambda: cl.enqueue_copy(queue, buffer, x) and None)


def digits(queue: cl.CommandQueue, big: bool) -> Case:
    data, groups, each = Data(queue), 4096 if big else 32, 8192
    x, counts = data.rng.integers(0, 1 << 32, (groups, each), dtype=np.uint32), data.empty(64 * groups)

    def check() -> bool:
        expected = [np.bincount(row >> 8 & 15, minlength=16) for row in x[::16]]
        return np.array_equal(data.fetch(counts, (groups, 16), np.uint32)[::16], expected)

    return Case("digits", (256 * groups,), (256,), (data.to_device(x), counts, np.uint32(8), np.uint32(each)), 4e-9 * x.size, "GB", check)


def scan(queue: cl.CommandQueue, big: bool) -> Case:
    data, rows = Data(queue), 1 << (18 if big else 9)
    x, out = data.rng.integers(0, 1 << 20, (rows, 256), dtype=np.uint32), data.empty(1024 * rows)
    return Case("scan", (256 * rows,), (256,), (data.to_device(x), out), 8e-9 * x.size, "GB", lambda: np.array_equal(
        data.fetch(out, x.shape, np.uint32), np.cumsum(x, axis=1, dtype=np.uint32) - x))


def stencil_2d(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 8192 if big else 256
    x, out = data.floats(n, n), data.empty(4 * n * n)

    def check() -> bool:
        expected = x.copy()
        expected[1:-1, 1:-1] = sum(x[1 + dy:n - 1 + dy, 1 + dx:n - 1 + dx].astype(float) for dy in (-1, 0, 1) for dx in (-1, 0, 1)) / 9
        return np.allclose(data.fetch(out, x.shape), expected, rtol=1e-4)

    return Case("stencil_2d", (n, n), (16, 16), (data.to_device(x), out, np.int32(n), np.int32(n)), 8e-9 * n * n, "GB", check)


def image_filter(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 4096 if big else 128
    image_format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    pixels, weights = data.floats(n, n, 4), data.floats(25)
    source = cl.Image(queue.context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, image_format, (n, n), hostbuf=pixels)
    out = cl.Image(queue.context, cl.mem_flags.READ_WRITE, image_format, (n, n))

    def check() -> bool:
        found = np.empty_like(pixels)
        cl.enqueue_copy(queue, found, out, origin=(0, 0), region=(n, n))
        wide = np.pad(pixels.astype(float), ((2, 2), (2, 2), (0, 0)), mode="edge")
        expected = sum(weights[dy * 5 + dx] * wide[dy:dy + n, dx:dx + n] for dy in range(5) for dx in range(5))
        return np.allclose(found, expected, rtol=1e-4)

    return Case("image_filter", (n, n), (16, 8), (source, out, data.to_device(weights)), 1e-6 * n * n, "Mpixel", check)


def hash_strings(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 1 << (23 if big else 14)
    text, lengths = data.rng.integers(32, 127, (n, 32), dtype=np.uint8), data.rng.integers(0, 33, n, dtype=np.uint8)
    hashes = data.empty(4 * n)

    def check() -> bool:
        expected = np.full(n, 2166136261, np.uint32)
        for i in range(32):
            expected = np.where(i < lengths, (expected ^ text[:, i]) * np.uint32(16777619), expected)
        return np.array_equal(data.fetch(hashes, n, np.uint32), expected)

    return Case("hash_strings", (n,), (128,), (data.to_device(text), data.to_device(lengths), hashes), 1e-6 * n, "M strings", check)


def chacha(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 1 << (21 if big else 12)
    key, out = data.rng.integers(0, 1 << 32, 8, dtype=np.uint32), data.empty(64 * n)

    def check() -> bool:
        start = np.zeros((16, n), np.uint32)
        start[:4] = np.array([[0x61707865], [0x3320646E], [0x79622D32], [0x6B206574]], np.uint32)
        start[4:12], start[12] = key[:, None], np.arange(n, dtype=np.uint32)
        x = start.copy()
        for _ in range(10):
            for shift in range(0, 4):
                _quarter(x, shift, 4 + shift, 8 + shift, 12 + shift)
            for shift in range(0, 4):
                _quarter(x, shift, 4 + (shift + 1) % 4, 8 + (shift + 2) % 4, 12 + (shift + 3) % 4)
        return np.array_equal(data.fetch(out, (n, 16), np.uint32), (x + start).T)

    return Case("chacha", (n,), (128,), (data.to_device(key), out), 64e-9 * n, "GB", check)


def _quarter(x: np.ndarray, a: int, b: int, c: int, d: int) -> None:
    for first, second, third, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[first] += x[second]
        x[third] ^= x[first]
        x[third] = x[third] << np.uint32(bits) | x[third] >> np.uint32(32 - bits)


def modular_power(queue: cl.CommandQueue, big: bool) -> Case:
    data, n, modulus, exponent = Data(queue), 1 << (21 if big else 12), 2147483647, 1234567891
    bases, out = data.rng.integers(1, 1 << 62, n, dtype=np.uint64), data.empty(8 * n)
    return Case("modular_power", (n,), (128,), (data.to_device(bases), out, np.uint64(modulus), np.uint64(exponent)), 1e-6 * n, "M powers",
                lambda: data.fetch(out, n, np.uint64)[::97].tolist() == [pow(int(base), exponent, modulus) for base in bases[::97]])


def wide_integers(queue: cl.CommandQueue, big: bool) -> Case:
    data, n, factor, step, mask = Data(queue), 1 << (23 if big else 12), 6364136223846793005, 1442695040888963407, (1 << 64) - 1
    a, b = (data.rng.integers(0, 1 << 64, n, dtype=np.uint64) for _ in range(2))
    out = data.empty(8 * n)

    def expected(high: int, low: int) -> int:
        for _ in range(32):
            carried = (low * factor >> 64) + high * factor
            low = (low * factor + step) & mask
            high = (carried + (low < step)) & mask
            low ^= (high << 7 | high >> 57) & mask
        return high ^ low

    return Case("wide_integers", (n,), (128,), (data.to_device(a), data.to_device(b), out), 1e-6 * n, "M numbers", lambda: data.fetch(
        out, n, np.uint64)[:: n // 64].tolist() == [expected(int(x), int(y)) for x, y in zip(a[:: n // 64], b[:: n // 64], strict=True)])


def polynomial(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 1 << (24 if big else 14)
    x, coefficients, out = data.rng.uniform(-0.9, 0.9, n), data.rng.uniform(-1, 1, 16), data.empty(8 * n)
    return Case("polynomial", (n,), (128,), (data.to_device(x), out, data.to_device(coefficients)), 128e-9 * n, "GFLOP", lambda: np.allclose(
        data.fetch(out, n, np.float64)[::64], np.polyval(np.tile(coefficients[::-1], 4), x[::64]), rtol=1e-9, atol=1e-12))


def double_product(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 2048 if big else 192
    a, b, c = data.rng.random((n, n)), data.rng.random((n, n)), data.empty(8 * n * n)
    return Case("double_product", (n, n), (16, 16), (data.to_device(a), data.to_device(b), c, np.int32(n)), 2e-9 * n**3, "GFLOP",
                lambda: np.allclose(data.fetch(c, (n, n), np.float64), a @ b, rtol=1e-9))


def vectors_of_8(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 1 << (26 if big else 16)
    x, y = data.floats(n), data.floats(n)
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=y)
    return Case("vectors_of_8", (n // 8,), (128,), (np.float32(0.5), data.to_device(x), buffer), 12e-9 * n, "GB",
                lambda: np.allclose(data.fetch(buffer, n), np.float32(0.5) * x + y, rtol=1e-6),
                reset=lambda: cl.enqueue_copy(queue, buffer, y) and None)


def vectors_of_16(queue: cl.CommandQueue, big: bool) -> Case:
    data, n, part = Data(queue), 1 << (27 if big else 18), 77
    a, b = (data.rng.integers(0, 256, n, dtype=np.uint8) for _ in range(2))
    out = data.empty(n)
    return Case("vectors_of_16", (n // 16,), (128,), (data.to_device(a), data.to_device(b), out, np.uint16(part)), 3e-9 * n, "GB",
                lambda: np.array_equal(data.fetch(out, n, np.uint8), (a.astype(np.uint16) * part + b.astype(np.uint16) * (256 - part)) >> 8))


def queens(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 12 if big else 9
    counts = data.empty(4 * n * n)
    return Case("queens", (n * n,), (n,), (counts, np.int32(n)), 1e-3 * n * n, "K boards",
                lambda: int(data.fetch(counts, n * n, np.uint32).sum()) == {9: 352, 12: 14200}[n])


def append(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 1 << (25 if big else 14)
    x = data.rng.integers(0, 1 << 32, n, dtype=np.uint32)
    out, none = data.empty(4 * n), np.zeros(1, np.uint32)
    count = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=none)

    def check() -> bool:
        chosen = np.sort(x[x % 3 == 0])
        return data.fetch(count, 1, np.uint32)[0] == len(chosen) and np.array_equal(np.sort(data.fetch(out, n, np.uint32)[: len(chosen)]), chosen)

    # Without it, later launches would write behind the end: room for one launch is all that there is.
    def reset() -> None:
        cl.enqueue_copy(queue, count, none)

    return Case("append", (n,), (256,), (data.to_device(x), count, out), 4e-9 * n, "GB", check, reset=reset, before_each=True)


def nearest_centre(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 1 << (24 if big else 14)
    points, centres, out = data.floats(n, 4), data.floats(16, 4), data.empty(n)

    def check() -> bool:
        some = points[::37, None, :3].astype(float) - centres[None, :, :3]
        distances, found = (some * some).sum(axis=2), data.fetch(out, n, np.uint8)[::37]
        return np.allclose(np.take_along_axis(distances, found[:, None].astype(int), 1)[:, 0], distances.min(axis=1), rtol=1e-5)

    return Case("nearest_centre", (n,), (128,), (data.to_device(points), data.to_device(centres), out), 17e-9 * n, "GB", check)


def shortest_paths(queue: cl.CommandQueue, big: bool) -> Case:
    data, n, by = Data(queue), 4096 if big else 256, 100
    x = data.rng.integers(1, 1000, (n, n), dtype=np.int32)
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    return Case("shortest_paths", (n, n), (32, 8), (buffer, np.int32(n), np.int32(by)), 8e-9 * n * n, "GB",
                lambda: np.array_equal(data.fetch(buffer, x.shape, np.int32), np.minimum(x, x[:, by:by + 1] + x[by:by + 1])),
                reset=lambda: cl.enqueue_copy(queue, buffer, x) and None)


def softmax(queue: cl.CommandQueue, big: bool) -> Case:
    data, rows = Data(queue), 1 << (18 if big else 8)
    x, out = data.floats(rows, 256) * 8, data.empty(1024 * rows)

    def check() -> bool:
        powers = np.exp(x[::16].astype(float) - x[::16].max(axis=1, keepdims=True))
        return np.allclose(data.fetch(out, x.shape)[::16], powers / powers.sum(axis=1, keepdims=True), rtol=1e-4)

    return Case("softmax", (256 * rows,), (256,), (data.to_device(x), out), 8e-9 * x.size, "GB", check)


def _long_steps() -> list[tuple[int, int, str, int]]:
    """Of the long kernel: which of eight numbers changes, by which other one, how, and a constant."""
    random = np.random.default_rng(LONG_LINES)
    return [(int(random.integers(8)), int(random.integers(8)), "+^*-"[random.integers(4)], int(random.integers(1, 1 << 31)) | 1)
            for _ in range(LONG_LINES)]


def long_source() -> str:
    lines = "".join(f"    x{a} = (x{a} {operator} {constant}u) + (x{b} >> {constant % 31 + 1});\n" for a, b, operator, constant in _long_steps())
    start = "".join(f"    uint x{i} = start * {2 * i + 1}u;\n" for i in range(8))
    return (f"__kernel void long_kernel(__global uint *out)\n{{\n    const uint start = get_global_id(0);\n{start}{lines}"
            f"    out[start] = {' ^ '.join(f'x{i}' for i in range(8))};\n}}\n")


def long_kernel(queue: cl.CommandQueue, big: bool) -> Case:
    data, n = Data(queue), 1 << (20 if big else 12)
    out = data.empty(4 * n)

    def check() -> bool:
        x = [np.arange(n, dtype=np.uint32) * np.uint32(2 * i + 1) for i in range(8)]
        apply = {"+": np.add, "^": np.bitwise_xor, "*": np.multiply, "-": np.subtract}
        for a, b, operator, constant in _long_steps():
            x[a] = apply[operator](x[a], np.uint32(constant)) + (x[b] >> np.uint32(constant % 31 + 1))
        return np.array_equal(data.fetch(out, n, np.uint32), np.bitwise_xor.reduce(x))

    return Case("long_kernel", (n,), (128,), (out,), 2e-9 * LONG_LINES * n, "G operations", check)


CASES: dict[str, Callable[[cl.CommandQueue, bool], Case]] = {
    "Fourier transform": fft, "sparse product": sparse_product, "product in registers, vload4": register_product,
    "bitonic sort": bitonic_sort, "digits of a radix sort": digits, "scan": scan, "2D stencil, local memory": stencil_2d,
    "convolution of an image": image_filter, "hashes of strings": hash_strings, "ChaCha20": chacha,
    "modular powers, 64 bits": modular_power, "products of 128 bits": wide_integers, "polynomial, double": polynomial,
    "tiled matmul, double": double_product, "vectors of 8": vectors_of_8, "vectors of 16 bytes": vectors_of_16,
    "queens by a stack": queens, "appending by an atomic": append, "nearest of 16 centres": nearest_centre,
    "shortest paths": shortest_paths, "softmax": softmax, "a kernel of 2,000 lines": long_kernel,
}
