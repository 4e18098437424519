"""What real programs lean on beyond OpenCL C's text, and where C and C++ part, executed on every real device."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.runtime.spec.errors import CLError
from cl2cuda.translator import CompileError, parse_options, translate


def run(device, body: str, before: str = "", options: str = "", parameters: str = "", args=()) -> list[int]:
    """The ints that one work-item writes to out[]."""
    out = np.full(32, -1, np.int32)
    source = f"{before}\nkernel void test(global int *out, int n{parameters}) {{\n{body}\n}}\n"
    execute(device, source, out, np.int32(3), *args, kernel="test", options=options)
    return out.tolist()


def test_statement_expressions(real_device):
    before = """
    #define MAX(a, b) ({ typeof(a) _a = (a); typeof(b) _b = (b); _a > _b ? _a : _b; })
    int early(int n) { int x = ({ if (n > 2) return 7; n + 1; }); return x; }
    """
    body = """
    out[0] = MAX(n, 2); out[1] = MAX(MAX(n, 9), 4); out[2] = early(1); out[3] = early(5);
    for (int i = 0; i < 9; i++) out[4] = ({ if (i == n) break; i * 10; });
    ({ out[5] = 1; if (n == 3) goto done; out[5] = 2; });
    done: out[6] = ({ int s = 0; for (int i = 0; i < n; i++) { if (i == 1) continue; s += i; } s; });
    """
    assert run(real_device, body, before)[:7] == [3, 9, 2, 7, 20, 1, 2]


def test_statement_expressions_and_blocks_where_cpp_reads_brackets_its_own_way(real_device):
    """Two brackets in a row begin an attribute there."""
    before = "int at(global int *p, int i) { return p[({ int k = i; k; })]; }"
    body = """
    out[({ int k = n; k - 3; })] = 4; out[({ 1; }) + 0] = at(out, ({ 0; })) + 1; ({ 2; })[out] = out[({ out[({ 0; })] - 4; })] + 2;
    int m[2][2] = { { 1, 2 }, { 3, 4 } }; out[3] = m[({ 1; })][({ 0; })]; out[^{ return 4; }()] = 8; int4 v = (int4)(1, 2, 3, 4);
    v[({ 2; })] = 9; out[5] = v[({ 1; }) + 1]; out[(n, 6)] = 7; out[({ n == 3; }) ? 7 : 8] = 5;
    """
    assert run(real_device, body, before, "-cl-std=CL2.0")[:8] == [4, 5, 6, 3, 8, 9, 7, 5]


def test_statement_expressions_in_the_head_of_a_loop(real_device):
    body = """
    int k, s = 0; for (({ k = 1; s = 100; }); ({ k < n; }); ({ k++; })) s += k; out[0] = s; out[1] = k;
    for (int i = ({ int z = 2; z; }), j = i; ({ i < 4; }); ({ i++; j++; })) s += j; out[2] = s;
    """
    assert run(real_device, body)[:3] == [103, 3, 108]


def test_an_omitted_operand_is_evaluated_once(real_device):
    body = """
    out[0] = 5; out[1] = out[0]++ ?: 9; out[2] = (n - 3) ?: 4;
    int4 v = (int4)(1, 0, -2, 0) & -1; v = v + 0 ?: (int4)(8); out[3] = v.x; out[4] = v.y; out[5] = v.z;
    """
    assert run(real_device, body)[:6] == [6, 5, 4, 8, 8, -2]


def test_steps_of_components(real_device):
    body = """
    int4 v = (int4)(1, 2, 3, 4); int2 old = v.xy++; int2 now = --v.zw;
    out[0] = old.x; out[1] = old.y; out[2] = v.x; out[3] = v.y; out[4] = now.x; out[5] = v.w;
    """
    assert run(real_device, body)[:6] == [1, 2, 2, 3, 2, 3]


def test_compound_literals_are_objects(real_device):
    before = """
    typedef struct { int a; int b[3]; } S;
    int sum(const int *p) { return p[0] + p[1] + p[2]; }
    """
    body = """
    out[0] = sum((int[]){ n, 2, 3 }); S *s = &(S){ 1, { 2, n } }; s->b[2] = 5; out[1] = s->b[1] + s->b[2];
    out[2] = (S){ .b = { [1] = 5 } }.b[1]; int *q = &(int){ 4 }; *q += 1; out[3] = *q;
    int total = 0; for (int i = 0; i < 3; i++) { int *p = (int[2]){ i }; p[1]++; total += p[0] + p[1]; } out[4] = total;
    """
    assert run(real_device, body, before)[:5] == [8, 8, 5, 5, 6]


def test_compound_literals_of_types_of_several_words(real_device):
    before = "struct s { int a; }; union u { int a; float f; };"
    body = """
    int s = 3, u = 4; out[0] = (struct s){ 1 }.a + s; out[1] = (union u){ .f = 1.0f }.a + u; (void)(struct s){ 2 }; struct s t = (struct s){ 5 };
    out[2] = (unsigned){ n } + (unsigned char){ 5 } + (unsigned long){ 7 } + (const int){ 3 } + *(global int *){ out + 1 } - 0x3f800000;
    out[3] = t.a - (signed char){ -3 } * (float){ 2 }; out[4] = -(short){ n };
    """
    assert run(real_device, body, before)[:5] == [4, 0x3F800004, 22, 11, -3]


def test_steps_of_bool(real_device):
    """C99 6.5.2.4: as if 1 were added or subtracted, and any other value than 0 is true."""
    body = """
    bool b = n; out[0] = b++; out[1] = b; out[2] = b--; out[3] = b; out[4] = --b; out[5] = ++b; b--; out[6] = b; b++; out[7] = b;
    volatile bool v = 0; v++; out[8] = v--; out[9] = v;
    """
    assert run(real_device, body)[:10] == [1, 1, 1, 0, 1, 1, 0, 1, 1, 0]


def test_long_lines_break_outside_of_strings(real_device):
    body = """
    constant char *text = (n == '"' || n == '\\'' || n * 1000000 == 34567 || n == '"' * 2) ? "quoted, and, long - enough, to be, wrapped = here" : "a, b - c";
    out[0] = text[1]; out[1] = text[7];
    """
    assert run(real_device, body)[:2] == [ord(","), ord("c")]


def test_initialisers(real_device):
    before = """
    typedef struct { int a; struct { int b, c; } d; int e[2]; } S;
    typedef union { int i; float f; uchar c[4]; } U;
    constant S table[] = { [1] = { .e = { [1] = 5 } }, [0].d.b = 4 };
    constant U one = { .f = 1.0f };
    """
    body = """
    S s = { .d.b = 3, 7, 8, 9 }; S t = { 1, 2, 3, 4, 5 }; int m[2][2] = { [1] = 2, 3, [0][1] = 9 };
    S u[3] = { [1].e[0] = 4, 5, { 6 }, [0] = { 7 } }; int r[6] = { [0 ... 2] = 4, 5 };
    struct { union { int i; float g; }; int k; } w = { .g = 1.0f, 5 };
    out[0] = s.d.c * 100 + s.e[0] * 10 + s.e[1]; out[1] = t.d.c * 10 + t.e[1]; out[2] = m[1][1] * 10 + m[0][1];
    out[3] = u[1].e[1] * 100 + u[2].a * 10 + u[0].a; out[4] = r[2] * 10 + r[3]; out[5] = w.i; out[6] = w.k;
    out[7] = table[1].e[1] * 10 + table[0].d.b; out[8] = one.i; U v = { .c = { [3] = 0x3f } }; out[9] = v.i;
    """
    assert run(real_device, body, before)[:10] == [789, 35, 39, 567, 45, 0x3F800000, 5, 54, 0x3F800000, 0x3F000000]


def test_jumps_past_initialisers(real_device):
    body = """
    switch (n) { int a; case 0: a = 1; out[0] = a; case 3: ; int c = 3; const int d[2] = { 1, 2 }; char t[] = "ab"; out[1] = c + d[1] + t[0];
    case 4: if (n == 3) { int x = 6; out[2] = x; case 5: out[3] = 1; } break; default: ; const int e = 1; out[4] = e; }
    if (n) goto end; int z[2] = { 1, 2 }; const float w = 2; out[5] = z[0] + w; end: out[6] = 1;
    """
    assert run(real_device, body)[:7] == [-1, 102, 6, 1, -1, -1, 1]


def test_case_ranges_and_long_switches(real_device):
    before = """
    int f(int n) { switch (n) { case 0 ... 9: return 1; case 'a' ... 'z': case 300: return 2; case 1000 ... 100000: return 3;
                   case -100 ... -1: return 4; default: return 5; } }
    int g(long n) { switch (n) { case 0x100000000L: return 1; case -5: return 2; case 1L << 40 ... (1L << 40) + 100: return 3; } return 0; }
    """
    body = "out[0] = f(9); out[1] = f('q'); out[2] = f(300); out[3] = f(5000); out[4] = f(-7); out[5] = f(10); " \
           "out[6] = g(1L << 32); out[7] = g(-5); out[8] = g((1L << 40) + n); out[9] = g(n);"
    assert run(real_device, body, before)[:10] == [1, 2, 2, 3, 4, 5, 1, 2, 3, 0]


def test_duffs_device(real_device):
    body = """
    int count = 11, i = 0, k = (count + 3) / 4;
    switch (count % 4) { case 0: do { out[i++] = 1; case 3: out[i++] = 3; case 2: out[i++] = 2; case 1: out[i++] = 7; } while (--k > 0); }
    """
    assert run(real_device, body)[:12] == [3, 2, 7, 1, 3, 2, 7, 1, 3, 2, 7, -1]


def test_kernels_call_kernels(real_device):
    before = """
    kernel void inner(global int *o, local int *l, int n) { local int own[2]; own[0] = n; l[0] = own[0] + 1; o[n] = l[0]; }
    """
    assert run(real_device, "local int k[3]; inner(out, k, n); inner(out + 1, k, n + 1);", before)[3:6] == [4, -1, 5]


def test_overloads_by_address_space(real_device):
    before = """
    int __attribute__((overloadable)) g(global int *p) { return 1; }
    int __attribute__((overloadable)) g(local int *p) { return 2; }
    int __attribute__((overloadable)) g(private int *p) { return 3; }
    int __attribute__((overloadable)) g(float x) { return 4; }
    """
    body = "local int l[2]; int p; out[0] = g(out); out[1] = g(l); out[2] = g(&p); out[3] = g(1.0f);"
    assert run(real_device, body, before, "-cl-std=CL2.0")[:4] == [1, 2, 3, 4]


def test_names_that_cpp_keeps_less_apart(real_device):
    before = """
    struct s { int a; }; typedef struct node { int node; int2 int2; } node; struct point { int x; };
    int point(struct point p) { return p.x; } typedef int myint;
    """
    body = """
    struct s s = { 1 }; struct s t = s; node node; node.node = 3; node.int2 = (int2)(4); struct point pp = { 5 };
    out[0] = s.a + t.a; out[1] = node.node + node.int2.y; out[2] = point(pp); int float4 = 6, max = 7, splat = 8; out[3] = float4 + max + splat;
    for (int i = 0; i < 2; i++) { int i = 9; out[4] = i; } { int myint = 2; out[5] = myint; } out[6] = (myint)2.5f;
    """
    assert run(real_device, body, before)[:7] == [2, 7, 5, 21, 9, 2, 2]


def test_tentative_definitions(real_device):
    before = """
    global int g1; global int g1; global int g2; global int g2 = 4; extern global int g3; int early(void) { return g3; } global int g3 = 5;
    extern constant int ext[]; constant int ext[2] = { 1, 2 };
    int counter(void) { static int n = 3; return n++; }
    """
    body = "extern global int g2; int early(void); out[0] = g1; out[1] = g2; out[2] = early(); out[3] = ext[1]; out[4] = counter() + counter();"
    assert run(real_device, body, before, "-cl-std=CL2.0")[:5] == [0, 4, 5, 2, 7]


def test_zero_length_and_anonymous_members(real_device):
    before = """
    typedef struct { int n; long d[0]; } Z;
    typedef struct { int a; union { int b; float c; struct { short d, e; }; }; } A;
    """
    body = """
    global Z *z = (global Z *)out; z->d[1] = 6; out[8] = sizeof(Z); A a = { 1, { 0x20003 } }; out[9] = a.d; out[10] = a.e; A y = { .c = 1.0f };
    out[11] = y.b;
    """
    found = run(real_device, body, before)
    assert (found[4], found[8:12]) == (6, [8, 3, 2, 0x3F800000])


def test_gnu_builtins(real_device):
    before = "struct S { int a; struct { int b[4]; } c; };"
    body = """
    ulong u = 0x100ul << 32; int a[4] = { 1, 2, 3, 4 }, b[4];
    out[0] = __builtin_expect(n == 3, 1); out[1] = __builtin_popcount(255) + __builtin_popcountl(u); out[2] = __builtin_clz(n); out[3] = __builtin_ctzl(u);
    out[4] = __builtin_offsetof(struct S, c.b[2]); out[5] = __builtin_constant_p(3) * 2 + __builtin_constant_p(n);
    __builtin_memcpy(b, a, sizeof(a)); out[6] = b[3]; __builtin_memmove(a + 1, a, 12); out[7] = a[3]; __builtin_memset(a, 0, 16); out[8] = a[3];
    out[9] = __builtin_bswap32(0x01020304); out[10] = __builtin_ffs(8) + __builtin_ffs(0); out[11] = __builtin_abs(-n);
    out[12] = __builtin_choose_expr(1, n, 2.0f); out[13] = __builtin_types_compatible_p(int, uint); out[14] = __builtin_fabsf(-2.0f) + __builtin_sqrt(16.0);
    if (n == 4) __builtin_trap(); out[15] = __builtin_isinf(__builtin_inff());
    """
    expected = [1, 9, 30, 40, 12, 2, 4, 3, 0, 0x04030201, 4, 3, 3, 0, 6, 1]
    assert run(real_device, body, before)[:16] == expected


def test_auto_type_and_typeof(real_device):
    body = "__auto_type x = n * 2.5f; const __auto_type p = out + 1; typeof(x) y = x; typeof(int[2]) z = { 1, 2 }; p[0] = y + z[1]; out[0] = x * 2;"
    assert run(real_device, body)[:2] == [15, 9]


def test_volatile_structs(real_device):
    before = "typedef struct { int a; float b; } S;"
    body = "volatile S u = { 1, 2 }; S t = u; t.a += 4; u = t; volatile S *p = &u; S w = *p; out[0] = w.a; out[1] = u.b;"
    assert run(real_device, body, before)[:2] == [5, 2]


def test_blocks(real_device):
    before = "int (^const twice)(int) = ^(int x) { return 2 * x; };\nint apply(int (^f)(int), int x) { return f(x); }"
    body = """
    int m = 3; int (^b)(int) = ^(int x) { return x * m; }; m = 10; out[0] = b(2); out[1] = twice(4);
    struct { int arr[2]; } s = { { 0, 1 } }; int arr[2] = { 0, 1 };
    int (^from_struct)(void) = ^{ return s.arr[1]; }; int (^from_array)(void) = ^{ return arr[1]; }; s.arr[1] = arr[1] = 8;
    out[2] = from_struct(); out[3] = from_array(); out[4] = ^(int x, int y) { return x - y; }(9, n);
    int (^outer)(int) = ^(int k) { int (^inner)(int) = ^(int w) { return w + k + m; }; for (int i = 0; ; i++) if (i == k) return inner(i); return 0; };
    out[5] = outer(2); typedef int (^T)(int); const T t = ^ int (int y) { return y + 0.5f; }; out[6] = t(7); void (^v)(void) = ^{ out[7] = m; }; v();
    out[8] = apply(^(int x) { return x + n; }, 3);
    """
    assert run(real_device, body, before, "-cl-std=CL2.0")[:9] == [6, 8, 1, 8, 6, 14, 7, 10, 6]


def test_inline_assembly_is_ptx():
    source = """
    kernel void f(global uint *o, uint n) {
        uint r;
        asm volatile("add.u32 %0, %[left], %2;" : "=r"(r) : [left] "r"(n), "r"(3u) : "memory");
        o[0] = r;
    }"""
    text = 'asm volatile("add.u32 %0, %1, %2;" : "=r"(r) : "r"(n), "r"(3u) : "memory");'
    assert text in translate(source).source("cuda")


def test_inline_assembly_on_the_host_says_so(real_device):
    if real_device.driver_name != "host":
        pytest.skip("CUDA devices understand it")
    with pytest.raises(CLError, match="inline PTX assembly"):
        run(real_device, 'asm("mov.u32 %0, 1;" : "=r"(n));')


def test_ptx_behind_the_name_of_an_extension_of_nvidias(real_device):
    """As all programs have it that Futhark generates: who names cl_nv_pragma_unroll understands PTX."""
    before = """
        #ifdef cl_nv_pragma_unroll
        static inline void mem_fence_global() { asm("membar.gl;"); }
        #else
        static inline void mem_fence_global() { mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
        #endif"""
    assert run(real_device, "out[0] = 3; mem_fence_global(); out[1] = out[0] + 1;", before)[:2] == [3, 4]


def test_unknown_attributes_are_warned_of():
    source = "__attribute__((foobar)) int f(int x __attribute__((unused))) { return x; } kernel void k(global int *o) { o[0] = f(1); }"
    assert [d.message for d in translate(source).diagnostics] == ["unknown attribute 'foobar' ignored"]


LONG = {
    "sum": "out[0] = " + " + ".join(["n"] * 5000) + ";",
    "comma": ", ".join(["out[0] = n"] * 5000) + ";",
    "choice": "out[0] = " + " : ".join(f"n == {i} ? {i}" for i in range(5000)) + " : 0;",
    "assignment": "int a; out[0] = " + "a = " * 5000 + "n;",
    "prefixes": "out[0] = " + "!" * 5000 + "n;",
    "casts": "out[0] = " + "(int)" * 5000 + "n;",
    "else if": "if (n == 0) out[0] = 0; " + " ".join(f"else if (n == {i}) out[0] = {i};" for i in range(1, 5000)),
    "labels": " ".join(f"l{i}:" for i in range(5000)) + " out[0] = 1; if (n > 9) goto l3;",
    "constant": "int a[" + "+".join(["1"] * 5000) + "]; a[0] = 1;",
    "initialiser": "const int a[] = {" + ", ".join(map(str, range(20000))) + "}; out[0] = a[n];",
}


@pytest.mark.parametrize("name", LONG)
def test_chains_may_be_of_any_length(name):
    translate(f"kernel void test(global int *out, int n) {{ {LONG[name]} }}")


@pytest.mark.parametrize(("body", "message"), [
    ("int x = 1 + ({ if (n) return; 2; });", "control flow that leaves a statement expression"),
    ("out[0] = nowhere(n);", "undefined function 'nowhere'"),
    ("goto nowhere;", "use of undeclared label 'nowhere'"),
    ("a: ; a: ;", "redefinition of label 'a'"),
    ("switch (n) { case 1 ... 4: case 3: ; }", "duplicate case value '3'"),
    ("switch (n) { default: default: ; }", "multiple default labels"),
    ("_Static_assert(sizeof(int) == 5, \"size\");", 'static assertion failed "size"'),
    ("out[0] = __builtin_return_address(0) != 0;", "'__builtin_return_address' is not supported"),
])  # fmt: skip
def test_errors(body, message):
    with pytest.raises(CompileError, match=message.replace("(", r"\(")):
        translate(f"int nowhere(int);\nkernel void test(global int *out, int n) {{ {body} }}")


@pytest.mark.parametrize(("body", "message"), [
    ("int (^b)(void);", "must be initialized"),
    ("int (^b)(void) = ^{ return 1; }; b = ^{ return 2; };", "cannot assign to variable 'b'"),
    ("int (^b)(void) = ^{ return 1; }; int (^a[1])(void) = { b };", "array of"),
    ("int (^b)(void) = ^{ return 1; }; out[0] = (n ? b : b)();", "ternary"),
    ("int (^b)(void) = ^{ return 1; }; int (^c)(void) = ^{ return b(); };", "cannot refer to a block inside block"),
    ("int m = 1; void (^b)(void) = ^{ m = 2; };", "not assignable"),
    ("__block int m = 1;", "__block storage type is not permitted"),
    ("int (^b)(int) = ^(float x) { return 1; };", "incompatible block pointer types"),
    ("void *p = &^{ return 1; };", "invalid argument type"),
    ("struct { int (^b)(void); } s;", "structure or union field"),
])  # fmt: skip
def test_restrictions_of_blocks(body, message):
    with pytest.raises(CompileError, match=message):
        translate(f"kernel void test(global int *out, int n) {{ {body} }}", parse_options("-cl-std=CL2.0"))
