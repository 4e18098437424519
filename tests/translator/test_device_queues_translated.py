"""Blocks that are enqueued, as they are printed; and that programs without device queues pay nothing for them."""

from __future__ import annotations

import pytest

from cl2cuda.translator import CompileError, parse_options, translate

OPTIONS = parse_options("-cl-std=CL3.0")
# Blocks that are called and never enqueued, among all else.
WITHOUT = """
kernel void f(global int *x, local int *l) {
    int n = x[0];
    int (^twice)(int) = ^(int a) { return 2 * a + n; };
    void (^set)(void) = ^{ x[1] = twice_of(n); };
    set();
    l[get_local_id(0)] = twice(x[1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    x[2] = l[0];
}""".replace("twice_of(n)", "n")
EXPECTED = """__global__ void f(int *x) {
    int *l = (int *)local_memory;
    int n = x[0];
    auto twice = [=](int a) -> int {
        return 2 * a + n;
    };
    auto set = [=]() -> void {
        x[1] = n;
    };
    set();
    l[get_local_id(0)] = twice(x[1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    x[2] = l[0];
}"""


@pytest.mark.parametrize("port", ["cuda", "host"])
def test_programs_without_device_queues_are_what_they_were(port):
    translation = translate(WITHOUT, OPTIONS)
    assert translation.user_source.strip() == EXPECTED
    text = translation.source(port)
    assert not any(word in text for word in ("enqueu", "queue_", "event_slot", "ndrange"))
    assert [(kernel.enqueues, kernel.block) for kernel in translation.kernels] == [(False, -1)]


def test_a_block_is_a_struct_a_function_and_a_kernel():
    translation = translate("""
kernel void f(global int *x, const float4 v) {
    void (^b)(local int *) = ^(local int *l) { l[0] = x[0]; x[1] = l[0] + (int)v.x; };
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), b, 16);
}""", OPTIONS)
    assert translation.user_source.strip() == """struct f_block_captures : ocl::enqueued_block<0> {
    int *x;
    float4 v;
};

__global__ void f(int *x, const float4 v, const __grid_constant__ ocl::enqueuing launch) {
    ocl::begin_enqueuing(launch);
    auto b = f_block_captures{{}, x, v};
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), b, 16);
}

__device__ void f_block(const f_block_captures &captures, int *l) {
    int *const x = captures.x;
    const float4 v = captures.v;
    l[0] = x[0];
    x[1] = l[0] + (int)v.x;
}

__global__ void f_block_kernel(const __grid_constant__ f_block_captures captures, unsigned int offset0) {
    f_block(captures, (int *)(local_memory + offset0));
}"""
    kernel, block = sorted(translation.kernels, key=lambda each: each.block)
    assert (kernel.name, kernel.enqueues, kernel.block) == ("f", True, -1)
    assert (block.name, block.enqueues, block.block) == ("f_block_kernel", False, 0)
    assert [(arg.kind, arg.size, arg.align) for arg in block.args] == [("value", 32, 16), ("local", 8, 8)]


def test_names_of_the_users_own_are_left_alone():
    translation = translate("""
int f_block; int launch;
kernel void f(global int *captures, int offset0) {
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^(local void *l) { captures[0] = offset0 + launch; }, 4);
}""".replace("int f_block; int launch;", "constant int f_block = 1, launch = 2;"), OPTIONS)
    assert "struct f_block2_captures" in translation.user_source
    assert "int *const captures = captures_.captures;" in translation.user_source
    assert "unsigned int offset0_" in translation.user_source


def test_enqueuing_itself_is_no_recursion():
    translation = translate("""
void g(global int *x, int n) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ g(x, n - 1); }); }
kernel void f(global int *x) { g(x, 3); enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ f(x); }); }
""", OPTIONS)
    assert not translation.diagnostics


@pytest.mark.parametrize(("body", "message"), [
    ("enqueue_kernel(q, 0, r, ^{ l[0] = 1; });", "'l', a pointer to local memory"),
    ("int n = 0; int *p = &n; enqueue_kernel(q, 0, r, ^{ x[0] = *(private int *)p; });", None),
    ("int n = 0; private int *p = &n; enqueue_kernel(q, 0, r, ^{ x[0] = *p; });", "'p', a pointer to private memory"),
    ("event_t e = 0; enqueue_kernel(q, 0, r, ^{ wait_group_events(1, &e); });", "cannot use 'e' of type 'event_t'"),
    ("enqueue_kernel(q, 0, r, ^{ x[0] = read_imagei(i, (int2)(0)).x; });", None),
    ("enqueue_kernel(q, 0, r, ^{ return 1; });", "return nothing, this one 'int'"),
    ("enqueue_kernel(q, 0, r, ^(int a) { });", "parameters of type 'local void \\*', not 'int'"),
    ("enqueue_kernel(q, 0, r, ^(global int *a) { }, 4);", "parameters of type 'local void \\*'"),
    ("enqueue_kernel(q, 0, r, ^(local int **a) { }, 4);", "parameters of type 'local void \\*'"),
    ("enqueue_kernel(q, 0, r, ^(local int *a) { });", "the block has 1, 0 sizes are given"),
    ("enqueue_kernel(q, 0, r, ^(local int *a) { }, 4, 4);", "the block has 1, 2 sizes are given"),
    ("enqueue_kernel(q, 0, r, ^(local int *a) { }, 4.0f);", "local memory sizes need to be specified as uint"),
    ("enqueue_kernel(q, 0, ^{ });", "illegal call to enqueue_kernel"),
    ("enqueue_kernel(q, r, 0, ^{ });", "incompatible type"),
    ("enqueue_kernel(q, 0, r, 1, ^{ });", "illegal call to enqueue_kernel"),
    ("enqueue_kernel(q, 0, r, x);", "illegal call to enqueue_kernel"),
    ("get_kernel_work_group_size(x);", "expected block argument"),
    ("get_kernel_work_group_size(^{ }, ^{ });", "too many arguments"),
    ("get_kernel_sub_group_count_for_ndrange(^{ });", "too few arguments"),
    ("retain_event(q);", "no matching function"),
    ("if (q < q) x[0] = 1;", "invalid operands"),
])
def test_what_cannot_be_enqueued(body, message):
    source = f"kernel void f(global int *x, local int *l, read_only image2d_t i, queue_t q) {{ ndrange_t r = ndrange_1D(1); {body} }}"
    if message is None:
        translate(source, OPTIONS)
        return
    with pytest.raises(CompileError, match=message):
        translate(source, OPTIONS)


def test_without_the_feature_there_are_no_queues():
    with pytest.raises(CompileError):
        translate("kernel void f(queue_t q) { }", parse_options("-cl-std=CL1.2"))
