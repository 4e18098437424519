"""What a device's queries promise, tried as far as they promise: the largest that each maximum allows works, one more is refused with
the specification's error, and facts about the device's arithmetic and data are what kernels see."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute
from support.fails import fails

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.pipe import Pipe
from cl2cuda.runtime.program.link import link_program
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

C3 = "-cl-std=CL3.0"


def fact(device, name: str):
    return device.get_info(getattr(codes, f"DEVICE_{name}"))


def built(device, source: str, options: str = C3) -> tuple[CommandQueue, Kernel]:
    context = Context([device])
    program = Program(context, source)
    program.build(options)
    return CommandQueue(context, device), Kernel(program, program.kernel_names[0])


def test_work_groups(real_device):
    most, sizes = fact(real_device, "MAX_WORK_GROUP_SIZE"), fact(real_device, "MAX_WORK_ITEM_SIZES")
    source = "kernel void f(global uint *out) { barrier(CLK_GLOBAL_MEM_FENCE); out[get_local_linear_id()] = get_local_linear_id(); }"
    for dimension, limit in enumerate(sizes):
        size = tuple(min(most, limit) if each == dimension else 1 for each in range(3))
        out = np.zeros(max(size), np.uint32)
        execute(real_device, source, out, size=size, local=size, options=C3)
        assert out.tolist() == list(range(max(size)))
        queue, kernel = built(real_device, source)
        kernel.set_arg(0, Buffer(queue.context, 0, 4 * most + 4))
        beyond = tuple(limit + 1 if each == dimension else 1 for each in range(3))
        with pytest.raises(CLError) as caught:
            enqueue_nd_range_kernel(queue, kernel, 3, None, beyond, beyond)
        assert caught.value.status in ("INVALID_WORK_ITEM_SIZE", "INVALID_WORK_GROUP_SIZE")


def test_sub_groups(real_device):
    most, size = fact(real_device, "MAX_NUM_SUB_GROUPS"), fact(real_device, "PREFERRED_WORK_GROUP_SIZE_MULTIPLE")
    for each in fact(real_device, "SUB_GROUP_SIZES_INTEL"):
        local = min(fact(real_device, "MAX_WORK_GROUP_SIZE"), each * most)
        out = np.zeros((2, local), np.uint32)
        execute(real_device, f"""__attribute__((intel_reqd_sub_group_size({each}))) kernel void f(global uint *out) {{
            out[get_local_id(0)] = get_num_sub_groups();
            out[get_local_size(0) + get_local_id(0)] = get_sub_group_size();
        }}""", out, size=local, local=(local,), options=C3)
        assert (out[0] == local // each).all() and (out[1] == each).all()
    _, kernel = built(real_device, "kernel void f(global int *out) { out[get_global_id(0)] = 1; }")
    assert kernel.work_group_info(codes.KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) == size


def test_arguments(real_device):
    """A pointer and a structure that fills what is left."""
    most = fact(real_device, "MAX_PARAMETER_SIZE")
    words = (most - 8) // 4
    source = """typedef struct { uint word[WORDS]; } All;
    kernel void f(global uint *out, All all) { uint sum = 0; for (int i = 0; i < WORDS; i++) sum += all.word[i] * (i + 1); *out = sum; }"""
    values, out = np.arange(words, dtype=np.uint32), np.zeros(1, np.uint32)
    execute(real_device, source, out, values.tobytes(), options=f"-DWORDS={words}")
    assert out[0] == np.sum(values * np.arange(1, words + 1, dtype=np.uint32), dtype=np.uint32)


def test_local_memory(real_device):
    """All of it in a variable, and all of it in an argument; a byte more of either is refused."""
    most = fact(real_device, "LOCAL_MEM_SIZE")
    variable = """kernel void f(global uint *out) { local uchar all[BYTES]; int i = get_local_id(0);
        for (int at = i; at < BYTES; at += 64) all[at] = at * 7;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint sum = 0; for (int at = i; at < BYTES; at += 64) sum += all[BYTES - 1 - at]; out[i] = sum; }"""
    argument = variable.replace("out)", "out, local uchar *all)").replace("local uchar all[BYTES]; ", "")
    expected = [int(((most - 1 - np.arange(i, most, 64)) * 7 % 256).sum()) for i in range(64)]
    out = np.zeros(64, np.uint32)
    execute(real_device, variable, out, size=64, local=(64,), options=f"-DBYTES={most}")
    assert out.tolist() == expected
    out[:] = 0
    execute(real_device, argument, out, LocalMemory(most), size=64, local=(64,), options=f"-DBYTES={most}")
    assert out.tolist() == expected
    with pytest.raises(CLError) as caught:
        execute(real_device, argument, out, LocalMemory(most + 1), size=64, local=(64,), options=f"-DBYTES={most}")
    assert caught.value.status in ("OUT_OF_RESOURCES", "INVALID_WORK_GROUP_SIZE", "INVALID_ARG_SIZE")


def test_variables_of_program_scope(real_device):
    most = fact(real_device, "MAX_GLOBAL_VARIABLE_SIZE")
    assert fact(real_device, "GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE") == most
    source = f"""global uint all[{most // 4}];
    kernel void f(global uint *out) {{
        size_t last = {most // 4 - 1}, i = get_global_id(0);
        all[i == 0 ? last : i] += (uint)i + 5; *out = last; if (i == 0) out[1] = all[last]; else out[2] = all[i] + all[1000];
    }}"""
    out = np.zeros(3, np.uint32)
    execute(real_device, source, out, size=2, options=C3)
    assert out.tolist() == [most // 4 - 1, 5, 6]


def test_constant_memory(real_device):
    """As many arguments as there may be, and the last word of as much as one may have (5 GiB at most: machines have so much)."""
    count, most = fact(real_device, "MAX_CONSTANT_ARGS"), min(5 << 30, fact(real_device, "MAX_CONSTANT_BUFFER_SIZE")) // 4 * 4
    parameters = "".join(f", constant uint *c{i}" for i in range(count - 1))
    queue, kernel = built(real_device, f"""kernel void f(global uint *out{parameters}) {{
        uint sum = 0; {"".join(f"sum += c{i}[{i % 7}] * {i + 1};" for i in range(count - 1))} *out = sum; }}""", "")
    words = np.arange(1, 8, dtype=np.uint32)
    out, given = Buffer(queue.context, 0, 4), Buffer(queue.context, codes.MEM_COPY_HOST_PTR, words.nbytes, words)
    for index, buffer in enumerate([out] + [given] * (count - 1)):
        kernel.set_arg(index, buffer)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), None)
    found = np.zeros(1, np.uint32)
    enqueue_read_buffer(queue, out, True, 0, found)
    assert found[0] == sum((i % 7 + 1) * (i + 1) for i in range(count - 1))
    queue, kernel = built(real_device, "kernel void f(global uint *out, constant uint *c, ulong last) { *out = c[last] + 1; }")
    out, large = Buffer(queue.context, 0, 4), Buffer(queue.context, codes.MEM_READ_ONLY, most)
    enqueue_write_buffer(queue, large, True, most - 4, words[4:5])
    for index, value in enumerate((out, large, np.uint64(most // 4 - 1).tobytes())):
        kernel.set_arg(index, value)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), None)
    enqueue_read_buffer(queue, out, True, 0, found)
    assert found[0] == 6


def test_buffers_and_their_parts(real_device):
    """A byte more than the largest buffer, and parts of one where they may begin and where they may not."""
    most, bits = fact(real_device, "MAX_MEM_ALLOC_SIZE"), fact(real_device, "MEM_BASE_ADDR_ALIGN")
    context = Context([real_device])
    fails("INVALID_BUFFER_SIZE", Buffer, context, 0, most + 1)
    assert bits % 8 == 0 and most <= fact(real_device, "GLOBAL_MEM_SIZE")
    align = bits // 8
    whole = Buffer(context, 0, 4 * align)
    assert [whole.sub_buffer(0, at, align).offset for at in range(0, 4 * align, align)] == list(range(0, 4 * align, align))
    for at in (1, align // 2, align - 1, align + 1, 3 * align + 4):
        fails("MISALIGNED_SUB_BUFFER_OFFSET", whole.sub_buffer, 0, at, 1)


def test_queues_have_the_properties_that_the_device_lists(real_device):
    context, known = Context([real_device]), codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_PROFILING_ENABLE
    on_host, on_device = fact(real_device, "QUEUE_ON_HOST_PROPERTIES"), fact(real_device, "QUEUE_ON_DEVICE_PROPERTIES")
    assert (on_host | on_device) & ~known == 0 and on_host & codes.QUEUE_PROFILING_ENABLE and on_device == known
    for bits in range(known + 1):
        if bits & ~on_host:
            fails("INVALID_QUEUE_PROPERTIES", create_command_queue, context, real_device, bits)
        else:
            assert create_command_queue(context, real_device, bits).get_info(codes.QUEUE_PROPERTIES) == bits


def test_what_the_device_can_do_at_all(real_device):
    """Each truth value by doing it: compiling, linking, work-groups that do not divide the range."""
    assert all(fact(real_device, name) for name in ("AVAILABLE", "COMPILER_AVAILABLE", "LINKER_AVAILABLE", "NON_UNIFORM_WORK_GROUP_SUPPORT"))
    context = Context([real_device])
    parts = [Program(context, text) for text in ("int seven(void) { return 7; }", """int seven(void);
        kernel void f(global int *out) { out[get_global_id(0)] = seven() * 10 + get_local_size(0); }""")]
    for each in parts:
        each.compile(C3)
    kernel, queue = Kernel(link_program(context, None, "", parts), "f"), CommandQueue(context, real_device)
    out, found = Buffer(context, 0, 20), np.zeros(5, np.int32)
    kernel.set_arg(0, out)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (5,), (3,))
    enqueue_read_buffer(queue, out, True, 0, found)
    assert found.tolist() == [73, 73, 73, 72, 72]


def test_pipes(real_device):
    """A packet of the largest size, and as many pipes of a kernel as there may be."""
    size, pipes = fact(real_device, "PIPE_MAX_PACKET_SIZE"), fact(real_device, "MAX_PIPE_ARGS")
    assert fact(real_device, "PIPE_SUPPORT") and fact(real_device, "PIPE_MAX_ACTIVE_RESERVATIONS") >= 1
    queue, kernel = built(real_device, f"""typedef struct {{ uint word[{size // 4}]; }} packet;
    kernel void f(global packet *all, write_only pipe packet p) {{ write_pipe(p, all); }}""")
    kernel.set_arg(1, Pipe(queue.context, 0, size, 1))
    with pytest.raises(CLError) as caught:
        Pipe(queue.context, 0, size + 1, 1)
    assert caught.value.status == "INVALID_PIPE_SIZE"
    parameters = ", ".join(f"read_only pipe int p{i}" for i in range(pipes))
    queue, kernel = built(real_device, f"kernel void f(global int *out, {parameters}) {{ *out = get_pipe_max_packets(p{pipes - 1}); }}")
    out = Buffer(queue.context, 0, 4)
    kernel.set_arg(0, out)
    for i in range(pipes):
        kernel.set_arg(1 + i, Pipe(queue.context, 0, 4, i + 1))
    enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), None)
    host = np.zeros(1, np.int32)
    enqueue_read_buffer(queue, out, True, 0, host)
    assert host[0] == pipes


def test_facts_of_data_and_arithmetic(real_device):
    """Each bit of the configurations, by what it says of arithmetic: denormal numbers, infinities, rounding to nearest, fma, division."""
    out = np.zeros(16, np.uint32)
    execute(real_device, """kernel void f(global uint *out, float denormal, float one, float largest, double denormal_double) {
        uint word = 0x01020304;
        out[0] = sizeof(global void *) * 8;
        out[1] = *(uchar *)&word == 4;
        out[2] = __alignof__(long16) * 8;
        out[3] = as_uint(denormal * 0.5f) == 0x200000u && denormal + denormal == 0x1p-126f;
        out[4] = isinf(largest * 2.0f) && isnan(largest * 2.0f - largest * 2.0f);
        out[5] = as_uint(one + 0x1.8p-24f) == 0x3f800001u && as_uint(one + 0x1p-24f) == 0x3f800000u;
        out[6] = fma(one + 0x1p-12f, one - 0x1p-12f, -one) == -0x1p-24f;
        out[7] = denormal_double * 0.5 > 0.0;
        out[8] = fma((double)one + 0x1p-30, (double)one - 0x1p-30, -(double)one) == -0x1p-60;
        out[9] = as_uint(one / 3.0f) == 0x3eaaaaabu && as_uint(sqrt(one * 2.0f)) == 0x3fb504f3u;
        out[10] = convert_double_rtz(0x20000000000001L) == 0x1p53 && convert_double_rtp(0x20000000000001L) == 0x1p53 + 2.0;
    }""", out, np.float32(2.0**-127), np.float32(1), np.float32(3.4028235e38), np.float64(1e-323),
            options="-cl-fp32-correctly-rounded-divide-sqrt")
    single, double = fact(real_device, "SINGLE_FP_CONFIG"), fact(real_device, "DOUBLE_FP_CONFIG")
    assert out[0] == fact(real_device, "ADDRESS_BITS") and out[1] == fact(real_device, "ENDIAN_LITTLE")
    assert out[2] <= 8 * fact(real_device, "MIN_DATA_TYPE_ALIGN_SIZE") and out[2] <= fact(real_device, "MEM_BASE_ADDR_ALIGN")
    for place, bit in ((3, codes.FP_DENORM), (4, codes.FP_INF_NAN), (5, codes.FP_ROUND_TO_NEAREST), (6, codes.FP_FMA),
                       (9, codes.FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)):
        assert bool(out[place]) == bool(single & bit), place
    for place, bit in ((7, codes.FP_DENORM), (8, codes.FP_FMA), (10, codes.FP_ROUND_TO_ZERO | codes.FP_ROUND_TO_INF)):
        assert bool(out[place]) == bool(double & bit), place


def test_halves(real_device):
    config, out = fact(real_device, "HALF_FP_CONFIG"), np.zeros(4, np.uint16)
    execute(real_device, """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
    kernel void f(global ushort *out, half one, half denormal) {
        out[0] = as_ushort((half)(denormal * 0.5h)) == 0x100; out[1] = isinf(one * 65504.0h * 2.0h);
        out[2] = as_ushort((half)(one + 0x1.8p-11h)) == 0x3c01 && as_ushort((half)(one + 0x1p-11h)) == 0x3c00;
        out[3] = fma(one + 0x1p-5h, one - 0x1p-5h, -one) == -0x1p-10h;
    }""", out, np.float16(1), np.float16(2.0**-15))
    for place, bit in enumerate((codes.FP_DENORM, codes.FP_INF_NAN, codes.FP_ROUND_TO_NEAREST, codes.FP_FMA)):
        assert bool(out[place]) == bool(config & bit), place
