"""Address spaces where they show: variables of program scope and static ones, generic pointers, pointers in every place (6.7)."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.translator import CompileError, parse_options, translate

CL2 = "-cl-std=CL2.0"


def run(device, source, *launches, count=16):
    """Runs kernels one after the other on one program, all on one array of int, which is returned."""
    context = Context([device])
    queue = CommandQueue(context, device)
    program = Program(context, source)
    program.build(CL2)
    out = np.zeros(count, np.int32)
    buffer = Buffer(context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, out.nbytes, out)
    for name, size, offset in launches:
        kernel = Kernel(program, name)
        kernel.set_arg(0, buffer)
        enqueue_nd_range_kernel(queue, kernel, 1, offset, (size,), None)
    buffer_commands.enqueue_read_buffer(queue, buffer, True, 0, out)
    return out


def test_variables_of_program_scope_last_as_long_as_the_program(real_device):
    source = """
    int counter;
    global int table[4] = {1, 2, 3, 4};
    static global int *global place = &table[1];
    int *anywhere = &counter;
    constant int step = 10;
    global const int *constant fixed = &table[3];
    void add(int *p, int n) { *p += n; }
    kernel void count(global int *out) { add(&counter, step); table[get_global_id(0)] += 5; }
    kernel void advance(global int *out) { static int calls = 7; calls++; place++; out[4] = calls; }
    kernel void read(global int *out) { out[0] = counter; out[1] = table[0]; out[2] = *place; out[3] = *anywhere + *fixed; }
    """
    out = run(real_device, source, ("count", 1, None), ("count", 1, (0,)), ("advance", 1, None), ("advance", 1, None), ("read", 1, None))
    assert out[:5].tolist() == [20, 11, 4, 24, 9]


def test_the_same_variables_whatever_the_launch(real_device):
    """A launch that needs CUDA's other variant of the program sees the variables that the first one has changed."""
    source = """
    int counter;
    kernel void f(global int *out) { counter += get_global_id(0) + 1; out[0] = counter; }
    """
    out = run(real_device, source, ("f", 1, None), ("f", 1, (1 << 33,)), ("f", 1, None))
    assert out[0] == np.int64(1 + (1 << 33) + 1 + 1).astype(np.int32)


def test_variables_need_no_later_version_than_3(real_device):
    source = "int counter; static global int other = 4; kernel void f(global int *out) { counter++; other++; out[0] = counter * 10 + other; }"
    out = np.zeros(1, np.int32)
    execute(real_device, source, out, options="-cl-std=CL3.0")
    assert out[0] == 15
    translation = translate(source, parse_options("-cl-std=CL3.0"))
    assert translation.global_size == 8


def test_build_info_tells_how_much(real_device):
    program = Program(Context([real_device]), "int a[10]; global char b; constant int c = 1; kernel void f(global int *o) { o[0] = a[0] + b + c; }")
    program.build(CL2)
    assert program.get_build_info(real_device, codes.PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE) == 41


def test_generic_pointers(real_device):
    source = """
    int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
    void twice(int *p) { *p *= 2; }
    struct view { int *data; int count; };
    int total(struct view v) { return sum(v.data, v.count); }
    kernel void f(global int *out) {
        local int l[4];
        int p[3] = {1, 2, 3};
        for (int i = 0; i < 4; i++) l[i] = 10 * i;
        out[8] = 5;
        int *any = out[8] == 5 ? (int *)l : p;
        out[0] = sum(any, 4);
        any = p;
        out[1] = sum(any, 3);
        any = &out[8];
        twice(any); twice(p); twice(&l[1]);
        out[2] = *any + p[0] + l[1];
        global int *back = (global int *)any;
        out[3] = back == any && back == &out[8];
        struct view views[2] = {{p, 3}, {l, 2}};
        out[4] = total(views[0]) * 100 + total(views[1]);
        int **pp = &any;
        **pp = 42;
        out[5] = out[8];
        int *list[2] = {p, l};
        out[6] = *list[1] + list[0][2];
        out[7] = any != 0 ? 1 : 2;
    }"""
    assert run(real_device, source, ("f", 1, None))[:9].tolist() == [60, 6, 10 + 2 + 20, 1, 720, 42, 3, 1, 42]


def test_pointers_to_pointers_and_in_structs_in_each_space(real_device):
    source = """
    constant int table[3] = {4, 5, 6};
    constant int *constant entries[2] = {&table[2], table};
    struct spaces { global int *g; local int *l; constant int *c; int *p; };
    int sum(struct spaces *s) { return *s->g + *s->l + *s->c + *s->p; }
    kernel void f(global int *out) {
        local int l;
        local int *local shared_place;
        int p = 4;
        l = 3;
        shared_place = &l;
        out[1] = 1;
        struct spaces s = {out + 1, shared_place, entries[0], &p};
        out[0] = sum(&s);
        global int *rows[2] = {out, out + 4};
        global int **row = rows + 1;
        (*row)[0] = 7;
        row[-1][5] = 8;
        constant char *text = "hello", *own = __func__;
        out[2] = text[1]; out[6] = own[0];
        const volatile global int *cv = out;
        out[3] = cv[4] + *entries[1];
    }"""
    out = np.zeros(8, np.int32)
    execute(real_device, source, out)
    assert out.tolist() == [14, 1, ord("e"), 11, 7, 8, ord("f"), 0]


def test_constant_data_of_more_than_64_kb(real_device):
    numbers = ", ".join(str(i) for i in range(20000))
    source = f"constant int big[20000] = {{{numbers}}};\nconstant int small[2] = {{1, 2}};\n"
    source += "kernel void f(global int *out) { int i = get_global_id(0); out[i] = big[i * 1000] + small[i & 1]; }"
    assert "__device__ const int big" in translate(source).user_source
    out = np.zeros(16, np.int32)
    execute(real_device, source, out, size=16)
    assert out.tolist() == [i * 1000 + 1 + (i & 1) for i in range(16)]


@pytest.mark.parametrize(("statement", "message"), [
    ("global int *p = any;", "initializing '__global int *' from '__generic int *' changes address space of pointer"),
    ("any = c;", "changes address space of pointer"),
    ("char *s = \"text\";", "changes address space of pointer"),
    ("int *p = (int *)c;", "casting '__constant const int *' to type '__generic int *' changes address space of pointer"),
    ("local int *l = (local int *)out;", "casting '__global int *' to type '__local int *' changes address space of pointer"),
    ("global int *global *p = &out;", "changes address space of pointer"),
    ("int x = out == c;", "pointers to non-overlapping address spaces"),
    ("out = any ? out : any;", "changes address space of pointer"),
])
def test_generic_conversions_that_are_not(statement, message):
    source = f"kernel void f(global int *out, constant int *c) {{ int *any = out; {statement} }}"
    with pytest.raises(CompileError) as caught:
        translate(source, parse_options(CL2))
    assert [d.message for d in caught.value.diagnostics if message in d.message], caught.value


@pytest.mark.parametrize(("options", "valid"), [("", False), (CL2, True), ("-cl-std=CL3.0", True), ("-cl-std=CL1.0", False)])
def test_who_has_a_generic_address_space(options, valid):
    source = "void g(int *p) { } kernel void f(global int *out) { g(out); }"
    if valid:
        translate(source, parse_options(options))
        return
    with pytest.raises(CompileError, match="from '__global int \\*' changes address space of pointer"):
        translate(source, parse_options(options))


WHERE = """
int where(const volatile void *p) { return to_global(p) ? 1 : to_local(p) ? 2 : to_private(p) ? 3 : 4; }
struct pair { int a, b; };
int counter;
kernel void f(global int *out, local int *more, struct pair by_value, local float *last) {
    local int own[3];
    local struct pair l;
    int p[4] = {1, 2, 3, 4};
    struct pair s = {5, 6};
    static int kept;
    out[0] = where(out) * 10 + where(&counter); out[1] = where(own + 1) * 10 + where(&l.b); out[2] = where(p + 3) * 10 + where(&s.b);
    out[3] = where(more) * 10 + where(last); out[4] = where(&by_value.b) * 10 + where(&kept); out[5] = where(0);
    BARRIER
    const volatile int *any = out;
    const volatile global int *named = to_global(any);
    out[6] = named[0] == out[0] && named == any;
    int *q = own;
    *to_local(q) = 77;
    q = p;
    *to_private(q) += 4;
    out[7] = own[0] + p[0];
    out[8] = (get_fence(own) == CLK_LOCAL_MEM_FENCE) * 10 + (get_fence(out) == CLK_GLOBAL_MEM_FENCE);
    work(get_fence(q));
}
"""


@pytest.mark.parametrize("barrier", ["", "barrier(CLK_LOCAL_MEM_FENCE);"])
@pytest.mark.parametrize("options", [CL2, "-cl-std=CL3.0"])
def test_where_a_pointer_points(real_device, options, barrier):
    """In loops over work-items, and, where there is a barrier, on stacks of their own."""
    source = WHERE.replace("BARRIER", barrier).replace("work(get_fence(q));", "mem_fence(get_fence(q));")
    out = np.zeros(16, np.int32)
    execute(real_device, source, out, LocalMemory(64), np.array([1, 2], np.int32).tobytes(), LocalMemory(16), size=70, local=(70,),
            options=options)
    assert out[:5].tolist() == [11, 22, 33, 22, 31]
    assert out[6:9].tolist() == [1, 82, 11]


@pytest.mark.parametrize(("call", "message"), [
    ("to_global(1)", "invalid argument of type 'int' to function 'to_global': expecting a generic pointer"),
    ("to_local(c)", "expecting a generic pointer"),
    ("get_fence(out, out)", "too many arguments to function call, expected 1, have 2"),
    ("to_private()", "too few arguments to function call, expected 1, have 0"),
])
def test_what_the_functions_of_address_spaces_refuse(call, message):
    source = f"kernel void f(global int *out, constant int *c) {{ {call}; }}"
    with pytest.raises(CompileError) as caught:
        translate(source, parse_options(CL2))
    assert message in str(caught.value)
    with pytest.raises(CompileError, match=r"requires OpenCL C 2\.0"):
        translate(source.replace(call, "to_global(out)"), parse_options("-cl-std=CL1.2"))
