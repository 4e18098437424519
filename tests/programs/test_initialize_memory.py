"""cl_khr_initialize_memory: local and private memory of a context's kernels starts as zeros, where the context asked for it."""

import numpy as np
import pytest
from support.fails import fails

from cl2cuda import translator
from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.translator.diagnostics import CompileError
from cl2cuda.translator.options import BuildOptions

LOCAL, PRIVATE = codes.CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR, codes.CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR

SOURCE = """
typedef struct { int a; float4 b; char c[3]; } Mixed;

// Dirties the local memory and the stack for the next kernel.
kernel void dirty(global int *out, local int *given) {
    local int own[1000];
    int mine[64];
    int l = get_local_id(0);
    for (int i = l; i < 1000; i += get_local_size(0)) own[i] = -1;
    for (int i = l; i < 500; i += get_local_size(0)) given[i] = -1;
    for (int i = 0; i < 64; i++) mine[i] = out[i] - i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = own[l] + given[l] + mine[l % 64];
}

// With and without a barrier: a sum of all that local memory holds at the start.
kernel void local_sum(global int *out, local int *given, local char *more) {
    local int own[1000];
    local int counter;
    int l = get_local_id(0), sum = 0;
    for (int i = l; i < 1000; i += get_local_size(0)) sum |= own[i];
    for (int i = l; i < 500; i += get_local_size(0)) sum |= given[i];
    for (int i = l; i < 77; i += get_local_size(0)) sum |= more[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 1000; i += get_local_size(0)) own[i] = -1;
    out[get_global_id(0)] = sum | atomic_inc(&counter) / (int)get_local_size(0);
}
kernel void count(global int *out) {
    local int counter;
    out[get_global_id(0)] = atomic_inc(&counter);
}

kernel void private_sum(global int *out, int n) {
    int i;
    for (int j, k = 1; j + k < 4; j++) i += j;
    float4 v;
    int grid[4][8];
    Mixed m;
    union { int i; float f; } u;
    global int *p;
    const double d;
    if (n > 1000) goto end;
    int late[5];
    short8 s;
    out[get_global_id(0)] = i - 3 + (int)(v.x + v.w) + grid[n % 4][n % 8] + m.a + (int)m.b.z + m.c[n % 3] + u.i + (p ? 1 : 0) + (int)d
        + late[n % 5] + s.s7;
    return;
end:
    out[0] = -1;
}
"""


def test_memory_starts_as_zeros(real_device):
    context = Context([real_device], ((codes.CONTEXT_MEMORY_INITIALIZE_KHR, LOCAL | PRIVATE),))
    queue = CommandQueue(context, real_device)
    program = Program(context, SOURCE)
    program.build("-cl-std=CL3.0")
    dirty = Kernel(program, "dirty")
    scratch = Buffer(context, codes.MEM_COPY_HOST_PTR, host=np.full(1024, 77, np.int32))
    dirty.set_arg(0, scratch)
    dirty.set_arg(1, LocalMemory(8000))

    def result(name, size, local, *values):
        enqueue_nd_range_kernel(queue, dirty, 1, None, (1024,), (64,))
        kernel = Kernel(program, name)
        out = Buffer(context, codes.MEM_COPY_HOST_PTR, host=np.full(size, 5, np.int32))
        for index, value in enumerate((out, *values)):
            kernel.set_arg(index, value)
        enqueue_nd_range_kernel(queue, kernel, 1, None, (size,), (local,))
        back = np.zeros(size, np.int32)
        enqueue_read_buffer(queue, out, True, 0, back)
        return back

    assert (result("local_sum", 1024, 64, LocalMemory(2000), LocalMemory(77)) == 0).all()
    assert (np.sort(result("count", 640, 64).reshape(-1, 64)) == np.arange(64)).all()
    assert (result("private_sum", 256, 32, np.int32(7)) == 0).all()


def test_only_what_was_asked_for():
    source = "kernel void f(global int *p) { local int l[4]; int i; p[0] = l[0] + i; }"

    def text(**options):
        return translator.translate(source, BuildOptions(**options)).user_source

    assert "= {}" not in text() and "zero_local_memory" not in text() and "__shared__" in text()
    assert "int i = {};" in text(zero_private=True) and "zero_local_memory" not in text(zero_private=True)
    assert "int i;" in text(zero_local=True) and "ocl::zero_local_memory();" in text(zero_local=True)


def test_kernels_that_call_such_kernels_are_refused():
    source = "kernel void f(global int *p) { local int l[4]; p[0] = l[0]; } kernel void g(global int *p) { f(p); }"
    translator.translate(source)
    with pytest.raises(CompileError, match="start as zeros"):
        translator.translate(source, BuildOptions(zero_local=True))


def test_values_of_the_property(fake):
    for value in (0, LOCAL, PRIVATE, LOCAL | PRIVATE):
        properties = ((codes.CONTEXT_MEMORY_INITIALIZE_KHR, value),)
        assert Context([fake.device], properties).get_info(codes.CONTEXT_PROPERTIES) == properties
    fails("INVALID_PROPERTY", Context, [fake.device], ((codes.CONTEXT_MEMORY_INITIALIZE_KHR, 4),))
    assert "cl_khr_initialize_memory" in dict(fake.device.extensions)
