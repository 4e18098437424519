"""OpenCL C as kernels use it, executed: what the translated program computes on every real device (OpenCL C 6.3 to 6.11)."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.runtime.kernel.kernel import LocalMemory


def run(device, body: str, count: int, *args, dtype=np.float32, before: str = "", parameters: str = "", **more) -> np.ndarray:
    """Runs `body` in a kernel of `count` work-items; it writes to out[]. Returns out."""
    names = {"float32": "float", "int32": "int", "uint32": "uint", "int64": "long", "uint64": "ulong", "float64": "double",
             "int8": "char", "uint8": "uchar", "int16": "short", "uint16": "ushort"}  # fmt: skip
    out = np.zeros(count * 32, dtype)
    more.setdefault("size", count)
    source = f"{before}\nkernel void test(global {names[np.dtype(dtype).name]} *out{parameters}) {{\n{body}\n}}\n"
    execute(device, source, out, *args, kernel="test", **more)
    return out


def values(device, expressions: list[str], dtype=np.float32, setup: str = "", **more) -> list:
    """The values of several expressions, computed by one work-item."""
    body = setup + "\n" + "\n".join(f"out[{i}] = {e};" for i, e in enumerate(expressions))
    return run(device, body, 1, dtype=dtype, **more)[: len(expressions)].tolist()


def test_integer_arithmetic(real_device):
    table = {
        "7 / 2": 3, "-7 / 2": -3, "-7 % 3": -1, "x * x": 9, "x << 33": 6, "x << y": 3 << (40 & 31), "-8 >> 1": -4,
        "(uchar)300": 44, "(char)200": -56, "(short)70000": 4464, "x > 2": 1, "!x": 0, "x && 0": 0, "~x": -4,
        "x ? 5 : 6": 5, "(x, 9)": 9, "x++ + ++x": 8, "'a'": 97, "'\\n'": 10, "sizeof(float3)": 16, "sizeof(x)": 4,
        "0x7fffffff + 1": -(1 << 31), "012": 10, "0b101": 5, "(int)3.9f": 3, "(int)-3.9f": -3, "3 == 3u": 1,
    }  # fmt: skip
    assert values(real_device, list(table), np.int32, "int x = 3, y = 40;") == list(table.values())


def test_unsigned_and_long_arithmetic(real_device):
    table = {
        "u - 4": 2**32 - 1, "u / 2": 1, "(ulong)u << 40": 3 << 40, "0xffffffffu + 1u": 0, "0xffffffffffffffffUL": 2**64 - 1,
        "(uint)-1": 2**32 - 1, "(ulong)(long)-1": 2**64 - 1, "u > -1": 0, "1 << 31 >> 31 == -1": 1, "l >> 1": 2**64 - 2,
    }  # fmt: skip
    assert values(real_device, list(table), np.uint64, "uint u = 3; long l = -4;") == list(table.values())


def test_narrow_types_wrap(real_device):
    setup = "uchar a = 250; a += 10; char b = 127; b++; ushort c = 1; c -= 2; short d = -32768; d--; bool e = 5; e += 3;"
    assert values(real_device, ["a", "b", "c", "d", "e", "a * a", "c + c"], np.int32, setup) == [4, -128, 65535, 32767, 1, 16, 131070]


def test_division_by_zero_does_not_crash(real_device):
    body = "int i = get_global_id(0); out[i] = 7 / (in[i]) * 0 + in[i]; out[i + 4] = (in[i] ? 100 % in[i] : 5);"
    out = run(real_device, body, 4, np.array([0, 2, -1, 0], np.int32), dtype=np.int32, parameters=", global const int *in")
    assert out[:8].tolist() == [0, 2, -1, 0, 5, 0, 0, 5]


def test_the_same_structs_at_two_strides(real_device):
    # GCC 12 once took the second access for one by a null pointer, and left the work-items out.
    before = "typedef struct { int members[20]; } record;"
    body = """int i = get_global_id(0);
        if (i < n) {
            global const record *own = &records[i];
            vstore2((int2)(own->members[0], own[i].members[17]), i, out);
        }"""
    records = np.arange(200 * 20, dtype=np.int32)
    parameters = ", global const record *records, int n"
    out = run(real_device, body, 100, records, np.int32(90), dtype=np.int32, before=before, parameters=parameters)
    expected = np.zeros((100, 2), np.int32)
    expected[:90, 0], expected[:90, 1] = np.arange(90) * 20, np.arange(90) * 40 + 17
    assert (out[:200].reshape(100, 2) == expected).all()


@pytest.mark.parametrize("type_", ["char", "uchar", "short", "ushort"])
@pytest.mark.parametrize("operator", ["/", "%"])
@pytest.mark.parametrize("width", [2, 3, 8, 16])
def test_a_component_divided_by_zero_leaves_the_others_alone(real_device, type_, operator, width):
    a, b = [100 - i for i in range(width)], [0 if i % 3 == 0 else i for i in range(width)]
    source = f"""kernel void f(global const {type_}{width} *a, global const {type_}{width} *b, global {type_}{width} *o) {{
        int i = get_global_id(0);
        o[i] = a[i] {operator} b[i];
    }}"""
    dtype = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16}[type_]
    room = 4 if width == 3 else width
    dividends, divisors = (np.array([each + [1] * (room - width)] * 4, dtype) for each in (a, b))
    out = np.zeros((4, room), dtype)
    execute(real_device, source, dividends, divisors, out, size=4)
    expected = [None if not y else x // y if operator == "/" else x % y for x, y in zip(a, b, strict=True)]
    for row in out[:, :width].tolist():
        assert [x for x, y in zip(row, b, strict=True) if y] == [x for x in expected if x is not None]


def test_floating_arithmetic(real_device):
    table = {"1.5f * f": 3.0, "f / 4": 0.5, "1e-3f * 1000": 1.0, "0x1.8p1f": 3.0, "-f": -2.0, "f > 1 ? f : 0": 2.0, ".5f": 0.5, "1 / 3.0": 1 / 3}
    assert values(real_device, list(table), np.float64, "float f = 2;") == pytest.approx(list(table.values()), rel=1e-6)


def test_vector_literals_and_components(real_device):
    setup = """
    float4 a = (float4)(1, 2, 3, 4); float2 h = (float2)(5, 6); float4 b = (float4)(h, 7, 8); float4 c = (float4)(9);
    float8 e = (float8)(a, b); float16 w = (float16)(e, e); float3 t = (float3)(a.x, h);
    """
    table = {
        "a.x": 1, "a.s3": 4, "b.y": 6, "c.w": 9, "e.s7": 8, "w.sF": 8, "w.sa": 3, "t.z": 6, "a.wzyx.x": 4, "a.lo.y": 2, "a.hi.x": 3,
        "a.odd.x": 2, "a.even.y": 3, "e.hi.lo.x": 5, "w.s0f.y": 8, "a.xyz.z": 3, "a.xxyy.z": 2, "(a + b).y": 8, "a.rgba.w": 4,
    }  # fmt: skip
    assert values(real_device, list(table), setup=setup) == [float(v) for v in table.values()]


def test_components_as_targets(real_device):
    body = """
    float4 a = (float4)(1, 2, 3, 4);
    a.xy = a.yx; a.hi += a.lo; a.s3 *= 2;
    float8 e = (float8)(0); e.odd = a; e.s024 = (float3)(7); e.lo.x = 9;
    float4 many[2] = {(float4)(1), (float4)(2)}, *p = many;
    p++->yz = (float2)(5); p->xw -= 1; many[0].lo.y += 1;
    vstore4(a, 0, out); vstore8(e, 1, out); vstore4(many[0], 1, out); vstore4(many[1], 5, out);
    """
    out = run(real_device, body, 1)
    assert out[:4].tolist() == [2, 1, 5, 10]
    assert out[8:16].tolist() == [9, 2, 7, 1, 7, 5, 0, 10]
    assert out[4:8].tolist() == [1, 6, 5, 1]
    assert out[20:24].tolist() == [1, 2, 2, 1]


def test_vector_operators(real_device):
    body = """
    int4 a = (int4)(1, -2, 3, -4), b = (int4)(4, 3, 2, 1);
    vstore4(a + b * 2 - 1, 0, out); vstore4(a > b, 1, out); vstore4((a > 0) && (b > 2), 2, out); vstore4(!a, 3, out);
    vstore4(-a, 4, out); vstore4(a << b, 5, out); vstore4(b % 3 | 8, 6, out); a += b; a++; vstore4(a, 7, out);
    """
    out = run(real_device, body, 1, dtype=np.int32).reshape(-1, 4)
    assert out[0].tolist() == [8, 3, 6, -3]
    assert out[1].tolist() == [0, 0, -1, 0]
    assert out[2].tolist() == [-1, 0, 0, 0]
    assert out[3].tolist() == [0, 0, 0, 0]
    assert out[4].tolist() == [-1, 2, -3, 4]
    assert out[5].tolist() == [16, -16, 12, -8]
    assert out[6].tolist() == [9, 8, 10, 9]
    assert out[7].tolist() == [6, 2, 6, -2]


def test_vector_selection_and_conversion(real_device):
    body = """
    float4 a = (float4)(1, -2, 3, -4), z = 0;
    vstore4(a < z ? -a : a, 0, out);
    vstore4((int4)(1, 0, -1, 0x80000000) ? 5.0f : a, 1, out);
    vstore4(convert_float4(convert_uchar4_sat(a * 100)), 2, out);
    vstore4(as_float4(as_int4(a) & 0x7fffffff), 3, out);
    """
    out = run(real_device, body, 1).reshape(-1, 4)
    assert out[0].tolist() == [1, 2, 3, 4]
    assert out[1].tolist() == [1, -2, 5, 5]
    assert out[2].tolist() == [100, 0, 255, 0]
    assert out[3].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("type", ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"])
@pytest.mark.parametrize("width", [2, 3, 4, 8, 16])
def test_every_vector_type_adds(real_device, type, width):
    dtype = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
             "float": "f4", "double": "f8"}[type]  # fmt: skip
    lanes = 4 if width == 3 else width
    a, b = (np.arange(lanes * 2).reshape(2, lanes) * k % 120 for k in (3, 7))
    a, b = a.astype(dtype), b.astype(dtype)
    out = np.zeros_like(a)
    source = f"kernel void add(global {type}{width} *out, global {type}{width} *a, global {type}{width} *b) {{ int i = get_global_id(0); out[i] = a[i] + b[i] * ({type})2; }}"
    execute(real_device, source, out, a, b, size=2)
    assert (out[:, :width] == (a + b * np.array(2, dtype))[:, :width]).all()


def test_structs_unions_and_layout(real_device):
    before = """
    typedef struct { char tag; float3 v; int tail; } wide;
    typedef struct __attribute__((packed)) { char tag; int value; } tight;
    typedef struct { char a; } __attribute__((aligned(32))) spaced;
    typedef struct node { int value; struct { short a, b; } inner[2]; union { int i; float f; } either; } node_t;
    node_t make(int v) { node_t n = { v, {{1, 2}, {3, 4}} }; n.either.f = 1.0f; return n; }
    int total(const node_t *n) { return n->value + n->inner[1].b; }
    """
    setup = "node_t n = make(10); node_t m = n; m.value++; node_t list[3] = { [1] = { .value = 5, .inner[1] = {7, 8} } };"
    table = {
        "sizeof(wide)": 48, "sizeof(tight)": 5, "sizeof(spaced)": 32, "sizeof(node_t)": 16, "total(&n)": 14, "m.value": 11,
        "n.either.i": 0x3F800000, "total(list + 1)": 13, "list[0].value": 0, "list[1].inner[1].a": 7, "(&list[2])->either.i": 0,
    }  # fmt: skip
    assert values(real_device, list(table), np.int32, setup, before=before) == list(table.values())


def test_sizes_of_opaque_types(real_device):
    """6.5.11: implementation-defined. Khronos' conformance tests want powers of two."""
    table = {"image1d_t": 8, "image1d_array_t": 8, "image2d_t": 8, "image2d_array_t": 8, "image3d_t": 8, "sampler_t": 4, "event_t": 8}
    assert values(real_device, [f"sizeof({type})" for type in table], np.int32) == list(table.values())


def test_struct_and_vector_arguments(real_device):
    source = """
    typedef struct { float4 position; float mass; int ids[3]; } body;
    kernel void f(global float *out, body b, float3 v, char c, double d, ulong big, uchar4 bytes) {
        out[0] = b.position.z; out[1] = b.mass; out[2] = b.ids[2]; out[3] = v.z; out[4] = c; out[5] = d; out[6] = big; out[7] = bytes.w;
    }
    """
    body = np.zeros(1, np.dtype([("position", "f4", 4), ("mass", "f4"), ("ids", "i4", 3)], align=True))
    body["position"], body["mass"], body["ids"] = (1, 2, 3, 4), 5, (6, 7, 8)
    out = np.zeros(8, np.float32)
    execute(real_device, source, out, body[0], np.array([1, 2, 9, 0], np.float32).tobytes(), np.int8(-3), np.float64(0.5), np.uint64(1 << 33),
            np.array([1, 2, 3, 250], np.uint8).tobytes())  # fmt: skip
    assert out.tolist() == [3, 5, 8, 9, -3, 0.5, float(1 << 33), 250]


def test_control_flow(real_device):
    before = """
    int classify(int x) {
        switch (x) { case 0: case 1: { int y = x + 1; return y; } case 3: x = 50; case 4: x += 5; break; default: x = -1; }
        return x;
    }
    int collatz(int n) { int steps = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; } return steps; }
    int jump(int n) {
        int total = 0;
    again:
        total += n;
        if (--n > 0) goto again;
        if (total > 100) goto end;
        int extra = 1000; total += extra;
    end:
        return total;
    }
    int loops(int n) {
        int t = 0;
        for (int i = 0, j = n; i < j; i++, j--) { if (i == 2) continue; if (i == 5) break; t += i * j; }
        do t++; while (t < 3);
        return t;
    }
    """
    table = {"classify(0)": 1, "classify(1)": 2, "classify(3)": 55, "classify(4)": 9, "classify(7)": -1, "collatz(27)": 111,
             "jump(3)": 1006, "jump(20)": 210, "loops(20)": 19 + 3 * 17 + 4 * 16 + 1, "loops(0)": 3}  # fmt: skip
    assert values(real_device, list(table), np.int32, before=before) == list(table.values())


def test_constant_tables(real_device):
    before = """
    __constant int table[2][3] = {{1, 2, 3}, {4, 5}};
    constant float4 colors[] = { (float4)(1, 0, 0, 1), {0.5f, 0.25f, 0, 1} };
    constant char text[] = "abc";
    enum { FIRST = 3, SECOND };
    constant int sizes[SECOND] = { [FIRST] = 9 };
    float weigh(constant float *w, int i) { return w[i]; }
    """
    body = """
    constant int offsets[2] = {1, 2};
    out[0] = table[1][1]; out[1] = table[1][2]; out[2] = colors[1].y; out[3] = text[1] + text[3]; out[4] = weigh(w, offsets[1]);
    out[5] = sizes[3] + sizes[0];
    """
    out = run(real_device, body, 1, np.array([1, 2, 30], np.float32), before=before, parameters=", constant float *w")
    assert out[:6].tolist() == [5, 0, 0.25, 98, 30, 9]


def test_large_constant_data(real_device):
    before = "constant int big[20000] = { 1, 2, 3, [19999] = 7 };\nconstant int small[3] = { 4, 5, 6 };"
    assert values(real_device, ["big[1] + big[19999]", "small[2]"], np.int32, before=before) == [9, 6]


def test_names_that_cxx_or_cuda_take(real_device):
    before = """
    float min(float a, float b) { return a < b ? a : b + 100; }
    float dot(float2 a, float2 b) { return a.x * b.x; }
    int sin(int x) { return x + 1; }
    typedef struct { int private_, class; } template;
    """
    body = """
    template this; this.class = 5; int new = 2, delete = sin(new), threadIdx = 3, blockIdx = 4;
    float2 float_ = (float2)(3, 4);
    out[0] = this.class + new + delete + threadIdx + blockIdx; out[1] = min(5.0f, 2.0f); out[2] = dot(float_, float_); out[3] = max(1, 7);
    out[4] = cos(0.0f); out[5] = get_global_id(0);
    """
    out = run(real_device, body, 1, before=before)
    assert out[:6].tolist() == [17, 102, 9, 7, 1, 0]


def test_work_item_functions(real_device):
    body = """
    size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    out[i * 8 + 0] = get_global_id(0); out[i * 8 + 1] = get_local_id(1); out[i * 8 + 2] = get_group_id(2);
    out[i * 8 + 3] = get_num_groups(0); out[i * 8 + 4] = get_local_size(1); out[i * 8 + 5] = get_work_dim();
    out[i * 8 + 6] = get_global_size(3); out[i * 8 + 7] = get_global_id(3) + get_global_offset(1);
    """
    out = run(real_device, body, 48, dtype=np.int32, size=(8, 3, 2), local=(4, 3, 1))[: 48 * 8].reshape(2, 3, 8, 8)
    z, y, x = np.mgrid[:2, :3, :8]
    assert (out[..., 0] == x).all() and (out[..., 1] == y).all() and (out[..., 2] == z).all()
    assert (out[..., 3] == 2).all() and (out[..., 4] == 3).all() and (out[..., 5] == 3).all() and (out[..., 6] == 1).all()
    assert (out[..., 7] == 0).all()


def test_global_offset(real_device):
    body = "int i = get_global_id(0); out[i] = i - (int)get_global_offset(0); out[64 + i] = get_group_id(0) * get_local_size(0) + get_local_id(0);"
    out = run(real_device, body, 8, dtype=np.int32, size=(8,), local=(4,), offset=(16,))
    assert out[16:24].tolist() == list(range(8))
    assert out[80:88].tolist() == list(range(8))


def test_sizes_that_no_work_group_divides(real_device):
    """Without a local size any global size goes, primes as well (API 5.8)."""
    out = run(real_device, "int i = get_global_id(0); out[i] = i + 1;", 1009, dtype=np.int32)
    assert (out[:1009] == np.arange(1, 1010)).all() and not out[1009:].any()
    out = run(real_device, "out[get_global_id(1) * 13 + get_global_id(0)] = 1;", 13 * 7, dtype=np.int32, size=(13, 7))
    assert out.sum() == 13 * 7


def test_more_rows_than_a_cuda_grid(real_device):
    out = run(real_device, "int i = get_global_id(1); out[i] = i;", 70000, dtype=np.int32, size=(1, 70000), local=(1, 1))
    assert (out[:70000] == np.arange(70000)).all()


def test_local_memory_and_barriers(real_device):
    source = """
    kernel void reverse(global int *out, global const int *in, local int *scratch, local int *second) {
        local int total;
        int l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
        if (l == 0) total = 0;
        scratch[l] = in[i];
        second[l] = in[i] * 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(&total, in[i]);
        int mine = scratch[n - 1 - l] + second[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = mine + total * 1000;
    }
    """
    data = np.arange(64, dtype=np.int32)
    out = np.zeros_like(data)
    execute(real_device, source, out, data, LocalMemory(64), LocalMemory(64), size=64, local=(16,))
    groups = data.reshape(4, 16)
    assert (out.reshape(4, 16) == groups[:, ::-1] + 2 * groups + 1000 * groups.sum(1, keepdims=True)).all()


def test_barriers_in_loops_and_helper_functions(real_device):
    source = """
    void reduce(local float *tile, int l) {
        for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l < step) tile[l] += tile[l + step];
        }
    }
    kernel void sum(global float *out, global const float *in) {
        local float tile[64];
        int l = get_local_id(0);
        tile[l] = in[get_global_id(0)];
        reduce(tile, l);
        if (l == 0) out[get_group_id(0)] = tile[0];
    }
    """
    data = np.random.default_rng(1).random(256, np.float32)
    out = np.zeros(4, np.float32)
    execute(real_device, source, out, data, size=256, local=(64,))
    assert np.allclose(out, data.reshape(4, 64).sum(1), rtol=1e-6)


def test_more_than_48_kb_of_local_memory(real_device):
    source = """
    kernel void big(global int *out, local int *more) {
        local int a[8192];
        local int b[6000];
        int l = get_local_id(0);
        for (int k = l; k < 8192; k += get_local_size(0)) a[k] = k;
        for (int k = l; k < 6000; k += get_local_size(0)) b[k] = 2 * k;
        more[l] = 5;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = a[8191 - l] + b[5999 - l] + more[(l + 1) % get_local_size(0)];
    }
    """
    if real_device.properties.local_memory < 60000:
        pytest.skip("the device has less local memory")
    out = np.zeros(64, np.int32)
    execute(real_device, source, out, LocalMemory(4 * 32), size=64, local=(32,))
    l = np.tile(np.arange(32), 2)
    assert (out == 8191 - l + 2 * (5999 - l) + 5).all()


def test_required_work_group_size(real_device):
    source = """
    kernel __attribute__((reqd_work_group_size(8, 2, 1))) void f(global int *out) {
        out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_size(0) * 10 + get_local_size(1);
    }
    """
    out = np.zeros(64, np.int32)
    execute(real_device, source, out, size=(16, 4))
    assert (out == 82).all()


def test_pointers(real_device):
    before = """
    void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
    int sum(const int *p, const int *end) { int s = 0; while (p != end) s += *p++; return s; }
    int from_global(global const int *p, int n) { return n > 0 ? p[n - 1] : 0; }
    """
    body = """
    int a[4] = {1, 2, 3, 4}, *p = a + 1, **pp = &p;
    swap(&a[0], p); (*pp)++; *p += 10; int (*row)[2] = (int (*)[2])a;
    out[0] = a[0]; out[1] = a[1]; out[2] = a[2]; out[3] = sum(a, a + 4); out[4] = p - a; out[5] = from_global(in + 1, 2);
    out[6] = row[1][1]; out[7] = p > a; global int *q = 0; out[8] = q == 0; out[9] = ((global short *)in)[1]; out[10] = *(in + 1);
    out[11] = ((global const uchar4 *)in)[2].y; out[12] = 3[a];
    """
    out = run(real_device, body, 1, np.array([1 << 16, 2, 0x0300], np.int32), dtype=np.int32, before=before, parameters=", global int *in")
    assert out[:13].tolist() == [2, 1, 13, 20, 2, 0x300, 4, 1, 1, 1, 2, 3, 4]


def test_preprocessor_options_and_pragmas(real_device):
    body = """
    #if defined(SCALE) && SCALE > 2
        int s = SCALE;
    #else
        int s = 0;
    #endif
        #pragma unroll 4
        for (int i = 0; i < TWICE(4); i++) s += i;
        out[0] = s; out[1] = __OPENCL_C_VERSION__; out[2] = __LINE__ > 1; out[3] = ADD(2);
    """
    out = run(real_device, body, 1, dtype=np.int32, options="-DSCALE=5 -D ADD(x)=(x+40)", before="#define TWICE(x) (2*(x))")
    assert out[:4].tolist() == [33, 120, 1, 42]


def test_printf(real_device, capfd):
    source = r"""
    kernel void talk(int n, float f, ulong big) {
        if (get_global_id(0) == 1) printf("%d items of %5.2f, %lu, %x, %c, %s\n", n, f, big, 255, 'z', "done");
    }
    """
    execute(real_device, source, np.int32(3), np.float32(1.5), np.uint64(1 << 40), size=4)
    assert capfd.readouterr().out == f"3 items of  1.50, {1 << 40}, ff, z, done\n"


def test_atomics(real_device):
    source = """
    kernel void count(global int *out, global uint *u, global float *f, volatile global int *v) {
        int i = get_global_id(0);
        atomic_add(&out[0], 2); atomic_inc(&out[1]); atomic_sub(&out[2], i); atomic_dec(out + 3); atomic_max(&out[4], i);
        atomic_min(&out[5], -i); atomic_or(&u[0], 1u << (i % 32)); atomic_and(&u[1], ~(1u << (i % 32))); atomic_xor(&u[2], i);
        if (i == 77) { atomic_xchg(&f[0], 2.5f); atomic_xchg(v, 9); }
        int old;
        do { old = out[6]; } while (atomic_cmpxchg(&out[6], old, old + i) != old);
        atom_add(v + 1, 1);
    }
    """
    n = 1024
    out, u, f, v = np.zeros(8, np.int32), np.array([0, 2**32 - 1, 0], np.uint32), np.zeros(1, np.float32), np.zeros(2, np.int32)
    execute(real_device, source, out, u, f, v, size=n, local=(64,))
    total = n * (n - 1) // 2
    assert out[:7].tolist() == [2 * n, n, -total, -n, n - 1, -(n - 1), total]
    assert u.tolist() == [2**32 - 1, 0, np.bitwise_xor.reduce(np.arange(n))]
    assert f[0] == 2.5 and v.tolist() == [9, n]


@pytest.mark.parametrize("name", ["new", "class", "sin", "printf", "min", "norm", "ocl", "user", "local_memory", "launch", "threadIdx"])
def test_kernels_of_any_name(real_device, name):
    out = np.zeros(4, np.int32)
    execute(real_device, f"kernel void {name}(global int *out) {{ out[get_global_id(0)] = 7; }}", out, size=4, kernel=name)
    assert (out == 7).all()


@pytest.mark.parametrize("source", [
    "int g(int n) { return n < 2 ? n : g(n - 1) + g(n - 2); }",
    "int h(int n);\nint g(int n) { return n < 2 ? n : h(n - 1) + h(n - 2); }\nint h(int n) { return g(n); }",
], ids=["itself", "by way of another"])
def test_functions_that_call_themselves(real_device, source):
    """OpenCL C has none (6.11.i), and warns of it; CUDA and programs that ship do."""
    found = np.zeros(12, np.int32)
    execute(real_device, source + "\nkernel void f(global int *o) { int i = get_global_id(0); o[i] = g(i); }", found, size=12)
    assert list(found) == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]


def test_quotients_in_double_that_become_floats_are_rounded_once(real_device):
    """As the division in double rounds them, bit for bit, whatever a division of floats may do (7.4)."""
    random = np.random.default_rng(3)
    bits = random.integers(0, 1 << 32, (2, 20_000), dtype=np.uint32)
    bits[:, :2000] &= 0x807fffff  # zeros and subnormals
    bits[1, 1000:3000] |= 0x7f000000
    x, y = bits.view(np.float32)
    body = "int i = get_global_id(0); out[3 * i] = 1.0 / x[i]; out[3 * i + 1] = x[i] / 3.0; out[3 * i + 2] = (float)((double)x[i] / y[i]);"
    out = run(real_device, body, len(x), x, y, parameters=", global const float *x, global const float *y")[:3 * len(x)].reshape(-1, 3)
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        expected = np.stack([1 / wide, wide / 3, wide / y.astype(np.float64)], axis=1).astype(np.float32)
    numbers = ~np.isnan(expected)
    assert np.isnan(out[~numbers]).all() and np.array_equal(out[numbers].view(np.uint32), expected[numbers].view(np.uint32))
