"""What GNU C's compilers and clang take in OpenCL C with a warning or without a word, executed on every real device."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.kernel.kernel import LocalMemory
from cl2cuda.translator import CompileError, parse_options, translate
from cl2cuda.translator.opencl_c import gnu_builtin_names


def run(device, body: str, before: str = "", options: str = "", count: int = 32) -> list[int]:
    """The ints that one work-item writes to out[]."""
    out = np.full(count, -1, np.int32)
    execute(device, f"{before}\nkernel void test(global int *out, int n) {{\n{body}\n}}\n", out, np.int32(3), kernel="test", options=options)
    return out.tolist()


def messages(source: str, options: str = "") -> list[str]:
    return [f"{d.position.line}: {d.severity}: {d.message}" for d in translate(source, parse_options(options)).diagnostics]


# -- types that are not written --------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", ["-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"])
def test_a_declaration_without_a_type_is_one_of_an_int(real_device, options):
    before = """
    static twice(int a) { return 2 * a; }
    thrice(const a) { return 3 * a; }
    inline half_of(const float x) { return x / 2; }
    constant four = 4;
    typedef const number;
    struct pair { const a; volatile b; };
    """
    body = """
    const x = 7; volatile y = 2; number z = 9; struct pair p = { 1, 2 }; const row[2] = { 5, 6 }; local l; l = 8;
    global *q = out; for (const i = 3; out[0] != i; ) q[0] = i;
    out[1] = twice(4); out[2] = thrice(4); out[3] = half_of(9); out[4] = four + x + y + z; out[5] = p.a + p.b; out[6] = row[1];
    out[7] = sizeof(const) + (const) 2.5f; out[8] = l;
    """
    assert run(real_device, body, before, options)[:9] == [3, 8, 12, 4, 22, 3, 6, 6, 8]


def test_each_missing_type_is_warned_of():
    source = "static f(int a) { return a; }\ng(int a) { return a; }\nkernel void k(global *o,\n const n) {\n const x = 1;\n o[0] = f(n) + g(x); }"
    assert messages(source) == [f"{line}: warning: type specifier missing, defaults to 'int'" for line in (1, 2, 3, 4, 5)]


def test_qualifiers_that_declare_nothing_are_warned_of():
    assert messages("const;\nkernel void k() {\n const; }") == [f"{line}: warning: declaration does not declare anything" for line in (1, 3)]


def test_old_designators(real_device):
    before = "typedef struct { int a, b; } S; constant S table[] = { [1] { b: 5 }, { a: 7, 8 } };"
    body = """
    S s = { b: 2, a: 3 }; int a[] = { [2] 5, [0] 3 }; int r[4] = { [0 ... 2] 4 };
    out[0] = s.a * 10 + s.b; out[1] = a[2] * 10 + a[0]; out[2] = r[2]; out[3] = table[1].b * 100 + table[2].a * 10 + table[2].b;
    """
    assert run(real_device, body, before)[:4] == [32, 53, 4, 578]


def test_old_designators_are_warned_of():
    assert messages("typedef struct { int a; } S;\nkernel void k() {\n S s = { a: 1 };\n int a[] = { [1] 2 }; }") == [
        "3: warning: use of GNU's old-style field designator", "4: warning: use of GNU's 'missing =' in a designator"]  # fmt: skip


@pytest.mark.parametrize("item", ["[0].x 3", ".x 3", "x: ", "[1]"])
def test_designators_that_are_wrong(item):
    with pytest.raises(CompileError, match="expected"):
        translate(f"typedef struct {{ int x; }} S;\nkernel void k() {{ S s[2] = {{ {item} }}; }}")


def test_selections_by_type(real_device):
    """What is not selected is not analysed."""
    before = """
    #define name(x) _Generic((x), int: 1, float: 2, uchar4: 3, global int *: 4, struct S *: x.a, default: 9)
    #define square(x) _Generic((x), float: square_f, int: square_i)(x)
    struct S { int a; }; float square_f(float x) { return x * x; } int square_i(int x) { return x * x + 1; } typedef float real;
    """
    body = """
    const int c = 1; real f = 2; volatile float v = 3; char small = 1; int i = 0; out[0] = name(c); out[1] = name(f); out[2] = name(v); out[3] = name((uchar4)1);
    out[4] = name(out); out[5] = name(small); out[6] = name(small + 1); out[7] = _Generic(i++, default: 7, float: 8) + i;
    int a[3]; out[8] = _Generic(a, private int *: 10, default: 11); out[9] = square(n); out[10] = square(f);
    """
    assert run(real_device, body, before, "-cl-std=CL1.2")[:11] == [1, 2, 2, 3, 4, 9, 1, 7, 10, 10, 4]


@pytest.mark.parametrize(("selection", "message"), [
    ("_Generic(n, float: 1)", "type 'int' not compatible with any generic association type"),
    ("_Generic(n, int: 1, signed: 2)", "compatible with an earlier one"),
    ("_Generic(n, default: 1, default: 2)", "duplicate default"),
    ("_Generic(n)", "expected ','"),
    ("_Generic(n, 1)", "expected a type"),
    ("_Generic(n, int 1)", "expected ':'"),
])  # fmt: skip
def test_selections_that_are_wrong(selection, message):
    with pytest.raises(CompileError, match=message):
        translate(f"kernel void k(int n) {{ {selection}; }}")


def test_names_of_the_function(real_device):
    body = "out[0] = sizeof(__FUNCTION__) + sizeof(__PRETTY_FUNCTION__); out[1] = __FUNCTION__[1]; out[2] = sizeof(__func__);"
    assert run(real_device, body, options="-cl-std=CL1.2")[:3] == [10, ord("e"), 5]


@pytest.mark.parametrize(("source", "message"), [
    ("const foo x;", "unknown type name 'foo'"),
    ("const foo *x;", "unknown type name 'foo'"),
    ("kernel void k(global int *o) { o[0] = (const foo)3; }", "unknown type name 'foo'"),
    ("kernel k(global int *o) { }", "kernel function must have a 'void' return type|void return type"),
    ("void f(foo, int b) { }", "unknown type name 'foo'"),
    ("kernel void k() { auto x = 3; }", "auto"),
])  # fmt: skip
def test_where_a_type_must_be_written(source, message):
    with pytest.raises(CompileError, match=message):
        translate(source)


def test_a_missing_type_may_be_made_an_error():
    with pytest.raises(CompileError, match="type specifier missing"):
        translate("static f(int a) { return a; }", parse_options("-Werror"))


# -- addresses that are numbers --------------------------------------------------------------------------------------


def test_addresses_of_members_are_constants(real_device):
    before = """
    struct S { int a; struct { float4 v; char c[3]; } m[4]; int *p; };
    typedef union { int a; struct { char b, c; }; } U;
    #define member(t, m) ((size_t)&((t *)0)->m)
    enum { E = (int)&((struct S *)0)->m[2].c[1], F = member(U, c) };
    constant int offsets[] = { E, F, member(struct S, m[1]), (char *)&((struct S *)16)->m - (char *)0, (int)(size_t)((struct S *)0)->m[1].c };
    constant size_t counted = (size_t)(&((global struct S *)0)->m + 1), moved = (size_t)((local int *)80 - 2 + 1);
    constant int between = &((global struct S *)0)->m[3] - &((global struct S *)0)->m[0];
    constant int within = __builtin_offsetof(struct S, m[1].c) + __builtin_offsetof(struct S, m);
    """
    body = """
    for (int i = 0; i < 5; i++) out[i] = offsets[i];
    int array[member(struct S, m)]; out[5] = sizeof(array); out[6] = counted; out[7] = moved; out[8] = between; out[9] = within;
    struct S s; s.m[2].c[1] = 5; out[10] = *((char *)&s + E); switch (n + 13) { case member(struct S, m): out[11] = 1; }
    """
    expected = [97, 1, 48, 32, 64, 64, 144, 76, 3, 80, 5, 1]
    assert run(real_device, body, before)[:12] == expected


def test_casts_of_floating_point_constants_are_constants(real_device):
    before = """
    #define SCALE 256
    enum { A = (int)(0.1 * SCALE), B = (uint)(1.0f / 3 * 10), C = (char)-1.5, D = (int)(float)16777217, E = (int)-(2.5f - 4), F = (int)3.9f + 1 };
    _Static_assert(A == 25 && B == 3 && C == -1 && D == 16777216 && E == 1 && F == 4, "values");
    """
    body = "int a[(int)(4 * 1.5)]; out[0] = sizeof(a); switch (n) { case (int)(1.5f * 2): out[1] = A + C; } out[2] = D;"
    assert run(real_device, body, before)[:3] == [24, 24, 16777216]


@pytest.mark.parametrize("value", ["(int)(1.0 / 0)", "(int)1e300f", "(int)(1e30f * 1e30f)", "(int)sqrt(4.0f)", "1.5"])
def test_what_is_no_integer_constant(value):
    with pytest.raises(CompileError, match="not an integer constant expression"):
        translate(f"enum {{ A = {value} }};")


@pytest.mark.parametrize("init", ["((struct S *)0)->b", "*(global int *)8", "(size_t)&((struct S *)0)->p[2]", "(size_t)&((struct S *)0)->p->b"])
def test_what_lies_at_an_address_is_no_constant(init):
    source = f"struct S {{ int a, b; struct S *p; }};\nconstant size_t x = {init};\nkernel void k(global int *o) {{ o[0] = x; }}"
    with pytest.raises(CompileError, match="not a compile-time constant"):
        translate(source)


def test_null_keeps_its_type_where_an_operator_needs_it(real_device):
    before = "struct S { int a; float b; };"
    body = """
    global int *null = (global int *)0; struct S s; struct S *at = &s; out[0] = (char *)&at->b - (char *)at;
    out[1] = (size_t)((global char *)null + 4); out[2] = (global char *)null - (global char *)0 == 0; out[3] = !(global int *)0;
    if (n == 4) { out[4] = ((global int *)0)[3] + *(global int *)0 + ((struct S *)0)->a; *(volatile global int *)0 = 1; }
    out[5] = null == 0 && 0 == null && null == NULL && null == (int)0; void *v = (int)0; out[6] = (char *)v - (char *)NULL;
    out[7] = *(n == 3 ? out : (global int *)0); out[8] = (global char *)0 + n > (global char *)null;
    """
    assert run(real_device, body, before)[:9] == [4, 4, 1, 1, -1, 1, 0, 4, 1]


# -- macros ----------------------------------------------------------------------------------------------------------


def test_types_and_limits_of_predefined_macros(real_device):
    before = """
    typedef __SIZE_TYPE__ word; typedef __UINT32_TYPE__ u32; typedef __INT8_TYPE__ i8; typedef __UINT64_TYPE__ u64; typedef __INTPTR_TYPE__ address;
    #if __INT_MAX__ != 2147483647 || __CHAR_BIT__ != 8 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || __SIZEOF_POINTER__ != 8
    #error
    #endif
    #if __UINT64_MAX__ != 18446744073709551615UL || !__LP64__ || __STDC_VERSION__ < 199901L || defined(__clang__) || defined(__GNUC__)
    #error
    #endif
    """
    body = """
    out[0] = sizeof(word) + sizeof(u32) + sizeof(i8) + sizeof(u64) + sizeof(address); out[1] = (i8)200; out[2] = (u32)-1 == __UINT32_MAX__;
    out[3] = __FLT_MAX__ == FLT_MAX && __FLT_MIN__ == FLT_MIN && __FLT_EPSILON__ == FLT_EPSILON; out[4] = __FLT_DIG__; out[5] = __DBL_MANT_DIG__;
    out[6] = __FLT_MIN_EXP__ - __FLT_MIN_EXP__; out[7] = __SHRT_MAX__; out[8] = __SIZE_MAX__ == ULONG_MAX && __LONG_MAX__ == LONG_MAX;
    out[9] = __DBL_MAX__ == DBL_MAX && __DBL_EPSILON__ == DBL_EPSILON; out[10] = __ATOMIC_SEQ_CST * 10 + __OPENCL_MEMORY_SCOPE_DEVICE;
    """
    assert run(real_device, body, before)[:11] == [29, -56, 1, 1, 6, 53, 0, 32767, 1, 1, 52]


def test_a_program_may_have_a_macro_of_such_a_name():
    assert translate("#ifndef __INT_MAX__\n#define __INT_MAX__ 1\n#endif\n#undef __CHAR_BIT__\n#define __CHAR_BIT__ 9\nkernel void k() {}").kernels


# -- built-ins -------------------------------------------------------------------------------------------------------


def test_functions_of_bits(real_device):
    body = """
    long m = -5; ulong u = 1ul << 40; int i = 0;
    out[0] = __builtin_ffsl(u); out[1] = __builtin_ffsll(u - u); out[2] = __builtin_parityl(u) + __builtin_parityll(u | 1);
    out[3] = __builtin_clrsb(n); out[4] = __builtin_clrsb(-1); out[5] = __builtin_clrsbl(m) + __builtin_clrsbll(5) - 60; out[6] = __builtin_clrsb(i++ - 1) + i;
    out[7] = __builtin_labs(m) + __builtin_llabs(-m); out[8] = __builtin_bitreverse32(1) == 0x80000000u; out[9] = __builtin_bitreverse8(3);
    out[10] = __builtin_bitreverse16(1); out[11] = __builtin_bitreverse64(1ul << 60); out[12] = __builtin_rotateleft32(0x80000001u, 4);
    out[13] = __builtin_rotateright32(0x12, 4) == 0x20000001u; out[14] = __builtin_rotateleft8(0x81, 1); out[15] = __builtin_rotateright16(1, n);
    out[16] = __builtin_rotateright64(1, 62) + __builtin_rotateleft64(1, 66); out[17] = __builtin_rotateright8(0x81, 0);
    """
    expected = [41, 0, 1, 29, 31, 60, 32, 10, 1, 0xC0, 0x8000, 8, 0x18, 1, 3, 0x2000, 8, 0x81]
    assert run(real_device, body)[:18] == expected


def test_arithmetic_says_whether_it_overflows(real_device):
    body = """
    int i; uint u; long l; ulong w; char c; uchar b; short s;
    out[0] = __builtin_add_overflow(INT_MAX, 1, &i) * 10 + (i == INT_MIN); out[1] = __builtin_add_overflow(n, 4, &i) * 100 + i;
    out[2] = __builtin_sub_overflow(n, 4u, &u) * 10 + (u == UINT_MAX); out[3] = __builtin_mul_overflow(INT_MIN, -1, &l) * 10 + (l == 1l << 31);
    out[4] = __builtin_mul_overflow(1ul << 32, 1ul << 31, &l) * 10 + (l == LONG_MIN); out[5] = __builtin_mul_overflow(-1l, 1ul << 63, &l) * 10 + (l == LONG_MIN);
    out[6] = __builtin_add_overflow(ULONG_MAX, -1, &w) * 10 + (w == ULONG_MAX - 1); out[7] = __builtin_add_overflow(100, 28, &c) * 1000 + c;
    out[8] = __builtin_sub_overflow((uchar)2, (uchar)3, &b) * 1000 + b; out[9] = __builtin_sub_overflow(LONG_MIN, 1, &l) * 10 + (l == LONG_MAX);
    out[10] = __builtin_sadd_overflow(n, INT_MAX, &i); out[11] = __builtin_uadd_overflow(-1, 1, &u) * 10 + u; out[12] = __builtin_usub_overflow(n, 3, &u) * 10 + u;
    out[13] = __builtin_umul_overflow(65536u, 65536u, &u) * 10 + u; out[14] = __builtin_smull_overflow(1l << 40, n, &l) * 10 + (l >> 40);
    out[15] = __builtin_usubll_overflow(0, 1, &w) * 10 + (w == ULONG_MAX); out[16] = __builtin_mul_overflow(200, 200, &s) * 100000 + s;
    out[17] = __builtin_addc(UINT_MAX, 0u, 1u, &u) * 10 + u; out[18] = __builtin_subcl(0ul, ULONG_MAX, 1ul, &w) * 10 + w;
    out[19] = __builtin_addcb(200, 100, 1, &b) * 10 + b; out[20] = __builtin_subcs(5, 3, 1, (ushort *)&s) * 10 + s;
    out[21] = __builtin_mul_overflow(-3, 5, &i) * 100 + i; out[22] = __builtin_add_overflow(-3, 2u, &c) * 100 + c; out[23] = __builtin_sub_overflow(-3, 0u, &l) * 100 + l;
    """
    expected = [11, 7, 11, 1, 11, 1, 1, 872, 1255, 11, 1, 10, 0, 10, 3, 11, 100000 - 25536, 1, 1, 451, 10, -15, -1, -3]
    assert run(real_device, body)[:24] == expected


def test_functions_of_mathematics(real_device):
    body = """
    float f = n - 0.5f; out[0] = __builtin_nearbyintf(f); out[1] = __builtin_roundevenf(f + 1); out[2] = __builtin_lrintf(f) + __builtin_llrint(3.5);
    out[3] = __builtin_lroundf(f) + __builtin_llround(-2.5); out[4] = __builtin_powif(f - 0.5f, 5); out[5] = __builtin_scalbnf(f, 2);
    out[6] = __builtin_isnan(__builtin_nan("")) + __builtin_isnan(__builtin_nanf("")); out[7] = sizeof(__builtin_nan("")); out[8] = __builtin_powi(2.0, n);
    """
    assert run(real_device, body)[:9] == [2, 4, 6, 0, 32, 10, 2, 8, 8]


def test_hints_and_memory(real_device):
    before = "int sum(const global int *p) { const global int *q = __builtin_assume_aligned(p, 16); return q[0] + q[1]; }"
    body = """
    int a[4] = { 1, 2, 3, 4 }; out[0] = 4; out[1] = 5; out[2] = sum(out); if (__builtin_unpredictable(n == 3)) out[3] = 7;
    __builtin_memcpy_inline(a, a + 2, 8); out[4] = a[0] * 10 + a[1]; __builtin_bzero(a + 1, sizeof(a) - 4); out[5] = a[0] + a[1] + a[2] + a[3];
    global float *p = __builtin_assume_aligned((global float *)out, 64, 0); out[6] = p == (global float *)out;
    """
    assert run(real_device, body, before)[:7] == [4, 5, 9, 7, 34, 3, 1]


def test_shuffled_vectors(real_device):
    body = """
    int4 a = (int4)(10, 11, 12, 13), b = a + 10; int8 w = __builtin_shufflevector(a, b, 0, 4, 1, 5, 2, 6, 3, 7); out[0] = w.s1; out[1] = w.s6;
    float3 f = (float3)(1, 2, 3), g = f + 3; float3 h = __builtin_shufflevector(f, g, 5, 0, 3); out[2] = h.x * 100 + h.y * 10 + h.z;
    uchar2 c = __builtin_shufflevector((uchar4)(1, 2, 3, 4), (uchar4)(5), 2, -1); out[3] = c.x; long2 l = (long2)(7, 8);
    out[4] = __builtin_shufflevector(l, l, 1, 0).x; double2 d = __builtin_shufflevector((double2)(1, 2), (double2)(3, 4), 3, 1); out[5] = d.x * 10 + d.y;
    """
    assert run(real_device, body)[:6] == [20, 13, 614, 3, 8, 42]


@pytest.mark.parametrize(("call", "message"), [
    ("__builtin_shufflevector(v, v, 0, 8)", "must be a constant of -1 to 7"),
    ("__builtin_shufflevector(v, v, 0, n)", "must be a constant"),
    ("__builtin_shufflevector(v, v.xy, 0, 1)", "must have the same vector type"),
    ("__builtin_shufflevector(v, v, 0, 1, 2, 3, 4)", "a vector of 5 elements"),
    ("__builtin_shufflevector(v, v)", "too few arguments"),
    ("__builtin_assume_aligned(out)", "takes 2 or 3 arguments"),
    ("__builtin_assume_aligned(out, 3)", "not a power of 2"),
    ("__builtin_add_overflow(n, 1.0f, out)", "operand of type 'float'"),
    ("__builtin_add_overflow(n, 1, n)", "operand of type"),
    ("__builtin_add_overflow(n, true, (global bool *)out)", "operand of type"),
    ("__builtin_mul_overflow(n, 1, (const global int *)out)", "operand of type"),
    ("__builtin_uadd_overflow(n, 1)", "too few arguments"),
    ("__builtin_rotateleft32(n)", "too few arguments"),
    ("__sync_fetch_and_add(out)", "expected at least 2, have 1"),
    ("__sync_fetch_and_add(n, 1)", "must be a pointer to an integer"),
    ("__sync_fetch_and_add((global float *)out, 1)", "must be a pointer to an integer"),
    ("__sync_fetch_and_add((const global int *)out, 1)", "must be a pointer to an integer"),
    ("__sync_fetch_and_add((global uchar *)out, 1)", "are of 32 and 64 bits"),
    ("__sync_fetch_and_add((global bool *)out, 1)", "must be a pointer to an integer"),
    ("__sync_fetch_and_add(&n, 1)", "on private memory"),
    ("__sync_no_such(out, 1)", "implicit declaration of function '__sync_no_such'"),
    ("__builtin_elementwise_max(v, n)", "different types"),
    ("__builtin_elementwise_ceil(v)", "must be of floating-point type"),
    ("__builtin_elementwise_popcount(1.5f)", "must be of integer type"),
    ("__builtin_elementwise_abs(3u)", "must be signed or"),
    ("__builtin_elementwise_abs(out)", "must be of arithmetic type"),
    ("__builtin_elementwise_max(n)", "too few arguments"),
    ("__builtin_reduce_add(n)", "must be a vector"),
    ("__builtin_reduce_add((float2)(1))", "must be of integer type"),
    ("__opencl_atomic_no_such(out, 0, 0)", "implicit declaration of function '__opencl_atomic_no_such'"),
])  # fmt: skip
def test_calls_that_are_wrong(call, message):
    with pytest.raises(CompileError, match=message):
        translate(f"kernel void k(global int *out, int4 v, int n) {{ {call}; }}", parse_options("-cl-std=CL2.0"))


@pytest.mark.parametrize("options", ["-cl-std=CL2.0", "-cl-std=CL3.0"])
def test_clang_s_own_atomics(real_device, options):
    before = "#define R memory_order_relaxed, memory_scope_device\n#define GIVEN __ATOMIC_ACQ_REL, __OPENCL_MEMORY_SCOPE_WORK_GROUP"
    body = """
    local atomic_int a; local atomic_uint u; int old = 9;
    __opencl_atomic_init(&a, 5); out[0] = __opencl_atomic_load(&a, R); __opencl_atomic_store(&a, 9, R);
    out[1] = __opencl_atomic_exchange(&a, 4, GIVEN); old = 4;
    out[2] = __opencl_atomic_compare_exchange_strong(&a, &old, 6, memory_order_acq_rel, memory_order_relaxed, memory_scope_work_group);
    out[3] = __opencl_atomic_compare_exchange_strong(&a, &old, 7, memory_order_acq_rel, memory_order_relaxed, memory_scope_work_group) * 10 + old;
    out[4] = __opencl_atomic_fetch_add(&a, 3, R); out[5] = __opencl_atomic_fetch_sub(&a, 1, R); out[6] = __opencl_atomic_fetch_max(&a, 20, GIVEN);
    out[7] = __opencl_atomic_fetch_min(&a, 2, GIVEN); out[8] = __opencl_atomic_load(&a, R); __opencl_atomic_init(&u, 12u);
    out[9] = __opencl_atomic_fetch_and(&u, 10u, R); out[10] = __opencl_atomic_fetch_or(&u, 3u, R); out[11] = __opencl_atomic_fetch_xor(&u, 1u, R);
    out[12] = __opencl_atomic_load(&u, R);
    #if !__has_builtin(__opencl_atomic_load) || __has_builtin(__opencl_atomic_no_such)
    #error
    #endif
    """
    assert run(real_device, body, before, options)[:13] == [5, 9, 1, 6, 6, 9, 8, 20, 2, 12, 8, 11, 10]


@pytest.mark.parametrize("options", ["-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"])
def test_gnu_s_atomics(real_device, options):
    body = """
    typedef unsigned word; local int a; local word u; local long l; volatile global int *o = out; a = 5; u = 12; l = 1L << 40;
    o[0] = __sync_fetch_and_add(&a, 3); o[1] = __sync_fetch_and_sub(&a, 1, u, l); o[2] = __sync_fetch_and_and(&a, 6); o[3] = __sync_fetch_and_or(&a, 9);
    o[4] = __sync_fetch_and_xor(&a, 5); o[5] = __sync_fetch_and_nand(&a, 6); o[6] = a; o[7] = __sync_nand_and_fetch(&a, 7); a = 4;
    o[8] = __sync_add_and_fetch(&a, a); o[9] = __sync_sub_and_fetch(&a, 3); o[10] = __sync_and_and_fetch(&a, 6); o[11] = __sync_or_and_fetch_4(&a, 9);
    o[12] = __sync_xor_and_fetch(&a, 5); o[13] = __sync_val_compare_and_swap(&a, 8, 20); o[14] = __sync_val_compare_and_swap(&a, 8, 30);
    o[15] = __sync_bool_compare_and_swap(&a, 20, 40.5f) * 10 + __sync_bool_compare_and_swap(&a, 20, 50); o[16] = __sync_lock_test_and_set(&a, 1);
    o[17] = __sync_swap(&a, 2) * 10 + a; __sync_lock_release(&a); o[18] = a; __sync_synchronize(); a = -1;
    o[19] = __sync_fetch_and_max(&a, 2); o[20] = __sync_fetch_and_umin(&a, -3); o[21] = __sync_fetch_and_umax(&a, -2); o[22] = a;
    o[23] = __sync_fetch_and_min(&u, -1) + __sync_fetch_and_max(&u, 5); o[24] = u; l = __sync_add_and_fetch_8(&l, 1L << 41) >> 40; o[25] = l;
    o[26] = __sync_fetch_and_add(o + 27, 1) + 1; o[28] = __sync_fetch_and_or(o + 28, 7);
    #if !__has_builtin(__sync_fetch_and_add) || !__has_builtin(__sync_swap_8) || __has_builtin(__sync_no_such) || __has_builtin(__sync_synchronize_4)
    #error
    #endif
    """
    expected = [5, 8, 7, 6, 15, 10, -3, -6, 8, 5, 4, 13, 8, 8, 20, 10, 40, 12, 0, -1, 2, 2, -2, 11, 5, 3, 0, 0, -1]
    assert run(real_device, body, options=options)[:29] == expected


def test_gnu_s_atomics_are_of_all_work_items(real_device):
    """A lock around what is no atomic, and a count that all of them make."""
    source = """
    kernel void test(global int *lock, volatile global int *sum) {
        __sync_add_and_fetch(sum + 1, 2);
        for (bool done = false; !done; )
            if (!__sync_lock_test_and_set(lock, 1)) { sum[0] += 3; __sync_synchronize(); __sync_lock_release(lock); done = true; }
    }
    """
    lock, found = np.zeros(1, np.int32), np.zeros(2, np.int32)
    execute(real_device, source, lock, found, kernel="test", size=512)
    assert found.tolist() == [3 * 512, 2 * 512]


@pytest.mark.parametrize("options", ["-cl-std=CL1.2", "-cl-std=CL3.0"])
def test_gnu_s_atomics_are_cuda_s(compiler, options):
    source = """
    kernel void k(global int *a, local uint *u, global long *l) {
        a[0] = __sync_fetch_and_add(a, 3) + __sync_nand_and_fetch(u, 3) + __sync_bool_compare_and_swap(l, 1, 2); __sync_synchronize();
    }
    """
    text = nvrtc.compile(translate(source, parse_options(options)).source("cuda"), "compute_90", ("--std=c++20", "-default-device")).decode()
    found = ("atom.acquire.gpu.global.add.u32", "atom.acquire.cta.shared.cas.b32", "atom.acquire.gpu.global.cas.b64", "fence.sc.gpu")
    assert [each for each in found if each not in text] == []


def test_clang_s_functions_of_elements(real_device):
    body = """
    int4 v = (int4)(-5, 7, -9, 3); uint2 u = (uint2)(3000000000u, 4); float4 f = (float4)(-1.5f, 2.5f, NAN, 4.0f); char2 c = (char2)(-128, 100);
    v = __builtin_elementwise_max(v, (int4)(-6, 8, -8, 3)); out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = __builtin_elementwise_abs(v).z;
    out[4] = __builtin_elementwise_min(n, (short)2); out[5] = __builtin_elementwise_max(f, (float4)(1)).z; out[6] = __builtin_elementwise_ceil(f).y;
    out[7] = __builtin_elementwise_roundeven(f).y; out[8] = __builtin_elementwise_abs(f.xy).x * 10; out[9] = __builtin_elementwise_add_sat(c, c).y;
    out[10] = __builtin_elementwise_abs(c).x; out[11] = __builtin_elementwise_fma(2.0f, 3.0f, 4.0f); out[12] = __builtin_elementwise_popcount(u).x;
    out[13] = __builtin_reduce_max(v); out[14] = __builtin_reduce_add(v.xyz); out[15] = __builtin_reduce_mul(v.xy + 1); out[16] = __builtin_reduce_xor(v);
    out[17] = __builtin_reduce_min(f.xyw) * 2; out[18] = __builtin_reduce_and(v) * 100 + __builtin_reduce_or(v.yw); out[19] = __builtin_reduce_max(u) == 3000000000u;
    out[20] = __builtin_elementwise_sqrt((double2)(9, 16)).y; out[21] = __builtin_reduce_add(c); int calls = 0; typedef int4 four; four w = v;
    out[25] = __builtin_elementwise_abs(w).z; out[22] = __builtin_reduce_add((int2)(++calls, 1)); out[23] = calls; out[24] = __builtin_elementwise_copysign(3.0f, f.x);
    #if !__has_builtin(__builtin_elementwise_max) || !__has_builtin(__builtin_reduce_add)
    #error
    #endif
    """
    expected = [-5, 8, -8, 8, 2, 1, 3, 2, 15, 127, -128, 10, 12, 8, -5, -36, -5 ^ 8 ^ -8 ^ 3, -3, 11, 1, 4, -28, 2, 1, -3, 8]
    assert run(real_device, body)[:26] == expected


def test_each_of_clang_s_functions_of_elements_is_opencl_s(real_device):
    """Those of floating-point numbers and of integers alone, one after the other."""
    renamed = dict(bitreverse="bit_reverse", maxnum="fmax", minnum="fmin", nearbyint="rint", roundeven="rint")
    floats = {1: """acos asin atan ceil cos cosh exp exp10 exp2 floor log log10 log2 nearbyint rint round roundeven sin sinh sqrt tan tanh trunc""",
              2: "atan2 copysign fmod maxnum minnum pow", 3: "fma"}
    integers = {1: "bitreverse popcount", 2: "add_sat sub_sat"}
    calls = [(name, ", ".join(variables[:count])) for of, variables in ((floats, "fgh"), (integers, "ijk")) for count, names in of.items()
             for name in names.split()]
    assert {f"elementwise_{name}" for name, _ in calls} | {f"elementwise_{name}" for name in ("abs", "max", "min")} == {
        name for name in gnu_builtin_names.OWN_MEANING if name.startswith("elementwise_")}
    body = "float4 f = (float4)(0.25f, 0.5f, 0.75f, 1.0f), g = f.wzyx + 0.3f, h = g * 2; int4 i = (int4)(3, -7, INT_MAX, INT_MIN), j = i.wzyx;\n"
    body += "\n".join(f"out[{number}] = all(as_int4(__builtin_elementwise_{name}({given})) == as_int4({renamed.get(name, name)}({given})));"
                      for number, (name, given) in enumerate(calls))
    found = run(real_device, body, count=len(calls), options="-cl-std=CL3.0")
    assert [name for (name, _), right in zip(calls, found, strict=True) if right != 1] == []


@pytest.mark.parametrize("value", ["__sync_add_and_fetch(&y, 1)", "__builtin_reduce_add((int2)(1, 2))"])
def test_what_needs_a_variable_is_no_constant(value):
    with pytest.raises(CompileError, match="not a compile-time constant"):
        translate(f"global int y; global int x = {value}; kernel void k() {{ }}", parse_options("-cl-std=CL3.0"))


# -- what needs care in C++ ------------------------------------------------------------------------------------------


def test_static_blocks_of_functions(real_device):
    body = """
    typedef int (^block)(int); constant block more = ^(int i) { return i + 1; }; static int (^const twice)(int) = ^(int i) { return i * 2; };
    out[0] = more(n); out[1] = twice(more(n));
    """
    assert run(real_device, body, options="-cl-std=CL2.0")[:2] == [4, 8]


@pytest.mark.parametrize("attribute", ["ext_vector_type(4)", "vector_size(4)"])
def test_there_are_no_vectors_of_bool(attribute):
    with pytest.raises(CompileError, match="not bool"):
        translate(f"typedef bool bool_vector __attribute__(({attribute}));")


# -- attributes of types ---------------------------------------------------------------------------------------------


def test_attributes_behind_a_typedef_s_name(real_device):
    """They are the name's, not the record's: its size stays, and it is not packed."""
    before = """
    typedef struct { char a; int b; } T __attribute__((packed)); typedef __attribute__((packed)) struct { char a; int b; } U;
    typedef struct { char a[9]; } V __attribute__((aligned(8))); typedef struct { float x, y; } W __attribute__((aligned(8)));
    typedef struct { char a[9]; } __attribute__((aligned(8))) X; struct S { char a; int b; }; typedef struct S Y __attribute__((packed));
    struct member { char c; V v; char d; W w; };
    """
    body = """
    out[0] = sizeof(T); out[1] = sizeof(U); out[2] = sizeof(V); out[3] = _Alignof(V); out[4] = sizeof(W); out[5] = _Alignof(W); out[6] = sizeof(X);
    out[7] = sizeof(struct S); out[8] = sizeof(struct member); out[9] = __builtin_offsetof(struct member, v); out[10] = __builtin_offsetof(struct member, d);
    struct member m = { 1, { { 2, 3 } }, 4, { 5, 6 } }; out[11] = *(char *)((char *)&m + 9); out[12] = *(float *)((char *)&m + 28);
    V alone = { { 7 } }; out[13] = (size_t)&alone % 8 + alone.a[0];
    """
    assert run(real_device, body, before)[:14] == [8, 8, 9, 8, 8, 8, 16, 8, 32, 8, 17, 3, 6, 7]


def test_packing_takes_the_alignment_of_a_typedef_away(real_device):
    before = """
    typedef int wide __attribute__((aligned(16))); struct __attribute__((packed)) P { char c; wide w; }; struct Q { char c; wide w __attribute__((packed)); };
    struct R { char c; wide w __attribute__((aligned(2))); }; struct __attribute__((packed)) O { char c; wide w __attribute__((aligned(4))); };
    """
    body = """
    out[0] = sizeof(struct P); out[1] = sizeof(struct Q); out[2] = sizeof(struct R); out[3] = sizeof(struct O);
    struct P p = { 1, 2 }; out[4] = *((char *)&p + 1); out[5] = __builtin_offsetof(struct R, w);
    """
    assert run(real_device, body, before)[:6] == [5, 5, 32, 8, 2, 16]


def test_a_typedef_may_take_alignment_away_from_a_struct(real_device):
    """As MMC's rays have it: what the typedef names lies closer as a member, and is the struct's own type elsewhere."""
    before = """
    typedef struct tagged { int4 a; int b; } T __attribute__((aligned(4))); typedef struct { double d; } U __attribute__((aligned(2)));
    struct S { char c; T t; }; struct V { char c; U u[2]; }; struct W { char c; struct tagged t; };
    int sum(T t) { return t.a.x + t.a.w + t.b; }
    """
    body = """
    out[0] = sizeof(T); out[1] = __alignof__(T); out[2] = sizeof(struct S); out[3] = __builtin_offsetof(struct S, t);
    out[4] = sizeof(struct V); out[5] = __builtin_offsetof(struct V, u); out[6] = sizeof(struct W); out[7] = __alignof__(struct S);
    T t = { (int4)(1, 2, 3, 4), 5 }; struct tagged *p = &t; out[8] = sum(*p); struct S s; s.t = t; s.t.b = 9; out[9] = sum(s.t);
    T many[2] = { t, t }; out[10] = sum(many[1]) + (int)sizeof(many);
    """
    assert run(real_device, body, before)[:11] == [32, 4, 36, 4, 18, 2, 48, 4, 10, 14, 74]


def test_packed_is_said_to_be_ignored_behind_a_name():
    source = "typedef struct { char a; int b; } T __attribute__((packed));\nkernel void k() { }"
    assert messages(source) == ["1: warning: 'packed' attribute ignored"]


def test_packed_enumerations_and_modes(real_device):
    before = """
    enum __attribute__((packed)) E { A, B = 255 }; typedef enum { C = -1, D = 128 } __attribute__((packed)) F; enum G { H };
    typedef int di __attribute__((mode(DI))); typedef unsigned qi __attribute__((__mode__(__QI__))); typedef double sf __attribute__((mode(SF)));
    struct both { enum E e; F f; };
    """
    body = """
    struct both b = { B, D }; out[0] = sizeof(enum E); out[1] = sizeof(F); out[2] = sizeof(enum G); out[3] = sizeof(struct both); out[4] = b.e + b.f;
    out[5] = sizeof(di); out[6] = (qi)300; out[7] = sizeof(sf); out[8] = (sf)1.5 * 2;
    """
    assert run(real_device, body, before)[:9] == [1, 2, 4, 4, 383, 8, 44, 4, 3]


@pytest.mark.parametrize(("source", "message"), [
    ("typedef float T __attribute__((mode(QI)));", "mode 'QI' is not one of type 'float'"),
    ("typedef int T __attribute__((mode));", "mode '' is not one"),
    ("kernel void k() { int x __attribute__((mode(DI))); }", "not supported yet"),
    ("struct S { int x __attribute__((mode(DI))); };", "not supported yet"),
])  # fmt: skip
def test_attributes_that_are_wrong(source, message):
    with pytest.raises(CompileError, match=message):
        translate(source)


# -- C before prototypes --------------------------------------------------------------------------------------------


def test_parameters_may_have_their_types_behind_the_parentheses(real_device):
    """C99 6.9.1, as clang takes it: what has no declaration there is an int."""
    before = """
    typedef struct { int v; } pair_t;
    int add(a, b) int a; float b; { return a + b; }
    static long pick(p, n, s, row) const global int *p; int n; pair_t s; int row[2]; { return p[n] + s.v + row[1]; }
    both(x, y) { return x * y; }
    int last(x, y, z) char z; { return x + y + z; }
    """
    body = """
    pair_t s = { 3 }; int row[2] = { 1, 20 };
    out[0] = add(1, 2.75f); out[1] = pick(out, 5, s, row); out[2] = both(4, 5); out[3] = last(1, 2, 'a' + 256);
    """
    assert run(real_device, body, before)[:4] == [3, 22, 20, 100]


@pytest.mark.parametrize(("source", "message"), [
    ("int f(a) int b; { return a; }", "parameter named 'b' is missing"),
    ("int f(a) int a; float a; { return a; }", "redefinition of parameter 'a'"),
    ("int f(a, b);", "unknown type name 'a'"),
    ("int f(int a, b) { return a; }", "unknown type name 'b'"),
])  # fmt: skip
def test_parameters_that_are_wrong(source, message):
    with pytest.raises(CompileError, match=message):
        translate(source)


# -- many work-items -------------------------------------------------------------------------------------------------


def test_each_work_item_has_results_and_records_of_its_own(real_device):
    """Around barriers, where the host runs a work-group's items in loops."""
    source = """
    #pragma pack(1)
    typedef struct { uchar tag; int value; } tight;
    kernel void test(global int *out, local tight *shared) {
        int i = get_local_id(0), sum, more; shared[i].tag = i; shared[i].value = i * 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        int failed = __builtin_add_overflow(INT_MAX - 7, shared[(i + 1) % 16].value, &sum); more = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        int chosen = _Generic(more, int: __builtin_clrsb(i), default: 0);
        out[i] = failed * 1000000 + (int)((uint)more - (uint)(INT_MAX - 7)) * 100 + chosen;
    }
    """
    out = np.zeros(16, np.int32)
    execute(real_device, source, out, LocalMemory(16 * 5), kernel="test", size=16, local=(16,))
    expected = [(3 * ((i + 1) % 16) > 7) * 1000000 + 300 * ((i + 1) % 16) + (31 - i.bit_length()) for i in range(16)]
    assert out.tolist() == expected
