"""Functions that extensions bring, run against models: extended bit operations, integer dot products, clocks, 2D and 3D copies."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support.builtin_functions import DTYPES
from support.execute import execute

from cl2cuda import translator
from cl2cuda.builtins.typenames import INTEGERS, SIZES, signed, unsigned
from cl2cuda.runtime.spec import codes

C3 = "-cl-std=CL3.0"


# -- 6.15.3.1 ----------------------------------------------------------------------------------------------------------


def inserted(bits: int, base: int, insert: int, offset: int, count: int) -> int:
    field = ((1 << count) - 1) << offset
    return (base & ~field | insert << offset & field) & ((1 << bits) - 1)


def extracted(bits: int, base: int, offset: int, count: int) -> int:
    return base >> offset & ((1 << count) - 1)


def sign_extended(bits: int, base: int, offset: int, count: int) -> int:
    field = extracted(bits, base, offset, count)
    return (field | -(field >> (count - 1) << count if count else 0)) & ((1 << bits) - 1)


def reversed_bits(bits: int, base: int) -> int:
    return int(f"{base:0{bits}b}"[::-1], 2)


@pytest.fixture(scope="module")
def rows_of_bits() -> dict[int, np.ndarray]:
    """For each width all offsets and counts that are defined (some, of the wide ones), with two values each."""
    random = np.random.default_rng(3)
    found = {}
    for bits in (8, 16, 32, 64):
        some = sorted({*range(0, bits + 1, max(1, bits // 16)), 1, bits - 1, bits})
        places = [(o, c) for o, c in itertools.product(some, some) if o + c <= bits]
        values = [[int(x) for x in random.integers(0, 2**bits, 2, np.uint64, endpoint=False)] if bits < 64 else
                  [int(x) for x in random.integers(0, 2**64, 2, np.uint64)] for _ in places]
        found[bits] = np.array([[b, i, o, c] for (b, i), (o, c) in zip(values, places, strict=True)], object)
    return found


def test_bit_operations(real_device, rows_of_bits):
    kernels = ""
    for t in INTEGERS:
        declared = f"global {t} *inserted, global {signed(t)} *sign, global {unsigned(t)} *zero, global {t} *reversed, " \
                   f"global {t} *base, global {t} *insert, global uint *offset, global uint *count"
        kernels += f"""kernel void f_{t}({declared}) {{
            size_t i = get_global_id(0);
            inserted[i] = bitfield_insert(base[i], insert[i], offset[i], count[i]);
            sign[i] = bitfield_extract_signed(base[i], offset[i], count[i]);
            zero[i] = bitfield_extract_unsigned(base[i], offset[i], count[i]);
            reversed[i] = bit_reverse(base[i]);
            // Every component of a vector takes the same field.
            {t}2 two = bitfield_insert(({t}2)(base[i], insert[i]), ({t}2)(insert[i], base[i]), offset[i], count[i]);
            if (two.x != inserted[i] || two.y != bitfield_insert(insert[i], base[i], offset[i], count[i])) inserted[i] = ~inserted[i];
            if (bitfield_extract_signed(({t}3)(base[i]), offset[i], count[i]).z != sign[i]) sign[i] = ~sign[i];
            if (bitfield_extract_unsigned(({t}8)(base[i]), offset[i], count[i]).s7 != zero[i]) zero[i] = ~zero[i];
            if (bit_reverse(({t}16)(base[i])).sf != reversed[i]) reversed[i] = ~reversed[i];
        }}
        """
    for t in INTEGERS:
        bits = 8 * SIZES[t]
        rows = rows_of_bits[bits]
        given = [rows[:, k].astype(np.uint64).astype(DTYPES[unsigned(t)]) for k in (0, 1)]
        results = [np.zeros(len(rows), DTYPES[unsigned(t)]) for _ in range(4)]
        execute(real_device, kernels, *results, *given, *(rows[:, k].astype(np.uint32) for k in (2, 3)), size=len(rows), kernel=f"f_{t}")
        models = (inserted, lambda n, b, i, *p: sign_extended(n, b, *p), lambda n, b, i, *p: extracted(n, b, *p),
                  lambda n, b, *_: reversed_bits(n, b))
        for k, model in enumerate(models):
            expected = [model(bits, *row) for row in rows.tolist()]
            assert results[k].tolist() == expected, (t, k)


# -- 6.15.3, cl_khr_integer_dot_product -----------------------------------------------------------------------------------


def test_dot_products(real_device):
    source = ""
    signs = {"uu": ("uchar4", "uchar4", "uint"), "ss": ("char4", "char4", "int"), "us": ("uchar4", "char4", "int"),
             "su": ("char4", "uchar4", "int")}
    for name, (a, b, r) in signs.items():
        source += f"""kernel void {name}(global {r} *o, global const uint *a, global const uint *b, global const {r} *c) {{
            size_t i = get_global_id(0), n = get_global_size(0);
            o[i] = dot(as_{a}(a[i]), as_{b}(b[i]));
            o[n + i] = dot_4x8packed_{name}_{r}(a[i], b[i]);
            o[2 * n + i] = dot_acc_sat(as_{a}(a[i]), as_{b}(b[i]), c[i]);
            o[3 * n + i] = dot_acc_sat_4x8packed_{name}_{r}(a[i], b[i], c[i]);
        }}
        """
    random = np.random.default_rng(1)
    a, b = (np.append(random.integers(0, 256, (400, 4)), np.full((200, 4), edge), 0).astype(np.uint8) for edge in (255, 128))
    for name, (_, _, r) in signs.items():
        limits = np.iinfo(DTYPES[r])
        c = random.choice(np.array([0, 1, limits.min, limits.max, limits.max - 60000, limits.min + 60000 if limits.min else 7]), len(a))
        wide = [x.view(np.int8 if s == "s" else np.uint8).astype(np.int64) for x, s in zip((a, b), name, strict=True)]
        product = (wide[0] * wide[1]).sum(1)
        out = np.zeros((4, len(a)), DTYPES[r])
        execute(real_device, source, out, a.view(np.uint32), b.view(np.uint32), c.astype(DTYPES[r]), size=len(a), kernel=name)
        assert (out[:2] == product).all()
        assert (out[2:] == np.clip(product + c, limits.min, limits.max)).all()


def test_what_the_device_says_of_dot_products_and_clocks(device):
    both = codes.DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR | codes.DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR
    assert device.get_info(0x1073) == both
    for code in (0x1074, 0x1075):
        assert device.get_info(code) == (device.properties.is_gpu,) * 6
    assert device.get_info(0x1076) == 7


# -- 6.15.21 -------------------------------------------------------------------------------------------------------------


def test_clocks_run_on(real_device):
    source = """kernel void f(global ulong *o, global uint2 *h) {
        size_t i = get_local_id(0) * 6;
        volatile int work = 0;
        o[i] = clock_read_device(); o[i + 2] = clock_read_work_group(); o[i + 4] = clock_read_sub_group();
        for (int k = 0; k < 20000; k++) work += k;
        o[i + 1] = clock_read_device(); o[i + 3] = clock_read_work_group(); o[i + 5] = clock_read_sub_group();
        h[0] = clock_read_hilo_device(); h[1] = clock_read_hilo_work_group(); h[2] = clock_read_hilo_sub_group();
        barrier(CLK_GLOBAL_MEM_FENCE);
    }"""
    clocks, halves = np.zeros((4, 3, 2), np.uint64), np.zeros((3, 2), np.uint32)
    execute(real_device, source, clocks, halves, size=4, local=(4,), options=C3)
    assert (clocks[..., 1] > clocks[..., 0]).all()
    whole = halves.view(np.uint64)[:, 0]
    assert (whole >= clocks[:, :, 0].min(0)).all() and (whole - clocks[:, :, 0].min(0) < 10**10).all()


# -- cl_khr_expect_assume ------------------------------------------------------------------------------------------------


def test_hints(real_device):
    source = """
    #ifndef __has_builtin
    #error "the sample of the extension falls back"
    #endif
    kernel void f(global int *o, global const int *in, int n) {
        int i = get_global_id(0), value = in[i];
    #if __has_builtin(__builtin_expect) && !__has_builtin(__builtin_no_such)
        value = __builtin_expect(value, 0);
    #endif
    #if __has_builtin(__builtin_assume)
        __builtin_assume(value >= 0);
        __builtin_assume(n++ > 100);
    #endif
        if (__builtin_expect(i == 3, 1)) value += n;
        o[i] = value % 4;
    }"""
    out, given = np.zeros(8, np.int32), np.arange(8, dtype=np.int32) * 3
    execute(real_device, source, out, given, np.int32(5), size=8)
    expected = given.copy()
    expected[3] += 5
    assert (out == expected % 4).all()
    assert "assume(value >= 0)" in translator.translate(source).user_source


# -- 6.15.11, 6.15.11.1 --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 4, 8, 12, 16, 32])
def test_copies_of_lines_and_planes(real_device, size):
    """Through local memory and back, with gaps between lines and planes that must stay as they are."""
    source = """kernel void planes(global char *out, global const char *in, ulong size, ulong n, ulong lines, ulong planes) {
        local char tile[8192];
        for (int i = get_local_id(0); i < 8192; i += get_local_size(0)) tile[i] = 7;
        barrier(CLK_LOCAL_MEM_FENCE);
        event_t e = async_work_group_copy_3D3D(tile, 1, in, 2, size, n, lines, planes, n + 3, (n + 3) * (lines + 1), n + 1,
                                               (n + 1) * lines, 0);
        async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        e = async_work_group_copy_3D3D(out, 3, tile, 1, size, n, lines, planes, n + 1, (n + 1) * lines, n + 2, (n + 2) * lines, e);
        wait_group_events(1, &e);
    }
    kernel void lines(global char *out, global const char *in, ulong size, ulong n, ulong lines, ulong planes) {
        local char tile[8192];
        event_t e = async_work_group_copy_2D2D(tile, 0, in, 1, size, n, lines * planes, n + 5, n, 0);
        wait_group_events(1, &e);
        e = async_work_group_copy_2D2D(out, 2, tile, 0, size, n, lines * planes, n, n + 4, 0);
        wait_group_events(1, &e);
    }"""
    n, lines, planes = 5, 4, 3
    data = np.random.default_rng(2).integers(0, 256, (4096 // size, size)).astype(np.uint8)
    for name in ("planes", "lines"):
        out = np.full_like(data, 9)
        expected = out.copy()
        for z, y, x in itertools.product(range(planes), range(lines), range(n)):
            if name == "planes":
                to, of = 3 + z * (n + 2) * lines + y * (n + 2) + x, 2 + z * (n + 3) * (lines + 1) + y * (n + 3) + x
            else:
                to, of = 2 + (z * lines + y) * (n + 4) + x, 1 + (z * lines + y) * (n + 5) + x
            expected[to] = data[of]
        execute(real_device, source, out, data, *map(np.uint64, (size, n, lines, planes)), size=40, local=(40,), kernel=name)
        assert (out == expected).all(), name
