"""Pipes: the object (API 5.4) and the functions of kernels (OpenCL C 6.15.18), on both devices."""

from __future__ import annotations

import numpy as np
import pytest
from support.cuda_programs import compile_for_cuda

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.pipe import Pipe
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError
from cl2cuda.translator import CompileError, parse_options, translate

C3 = "-cl-std=CL3.0"
READ_WRITE = codes.MEM_READ_WRITE | codes.MEM_HOST_NO_ACCESS


class Bench:
    """One program on a device; kernels are run with pipes, arrays (read back) and numbers of type uint."""

    def __init__(self, device, source):
        self.context = Context([device])
        self.queue = CommandQueue(self.context, device)
        self.program = Program(self.context, source)
        self.program.build(C3)

    def pipe(self, packet_size, max_packets):
        return Pipe(self.context, 0, packet_size, max_packets)

    def run(self, name, *args, size=1, local=None):
        kernel = Kernel(self.program, name)
        buffers = []
        for index, arg in enumerate(args):
            if isinstance(arg, np.ndarray):
                buffers.append((Buffer(self.context, codes.MEM_COPY_HOST_PTR, arg.nbytes, arg), arg))
                kernel.set_arg(index, buffers[-1][0])
            else:
                kernel.set_arg(index, arg if isinstance(arg, Pipe) else np.uint32(arg))
        enqueue_nd_range_kernel(self.queue, kernel, 1, None, (size,), local and (local,))
        for buffer, array in buffers:
            buffer_commands.enqueue_read_buffer(self.queue, buffer, True, 0, array)
        self.queue.finish()


# -- the object ----------------------------------------------------------------------------------------------------------


def test_queries(device):
    context = Context([device])
    pipe = Pipe(context, 0, 16, 100)
    assert (pipe.get_pipe_info(codes.PIPE_PACKET_SIZE), pipe.get_pipe_info(codes.PIPE_MAX_PACKETS)) == (16, 100)
    assert pipe.get_pipe_info(codes.PIPE_PROPERTIES) == ()
    assert pipe.get_info(codes.MEM_TYPE) == codes.MEM_OBJECT_PIPE
    assert pipe.get_info(codes.MEM_FLAGS) == READ_WRITE
    assert pipe.get_info(codes.MEM_CONTEXT) is context
    assert pipe.get_info(codes.MEM_SIZE) >= 1600
    assert (pipe.get_info(codes.MEM_HOST_PTR), pipe.get_info(codes.MEM_MAP_COUNT), pipe.get_info(codes.MEM_OFFSET)) == (None, 0, 0)
    assert pipe.get_info(codes.MEM_ASSOCIATED_MEMOBJECT) is None
    with pytest.raises(CLError, match="clGetPipeInfo failed: INVALID_VALUE"):
        pipe.get_pipe_info(0x1234)
    pipe.release()
    pipe.release()
    with pytest.raises(CLError, match="INVALID_MEM_OBJECT"):
        _ = pipe.address


@pytest.mark.parametrize(("arguments", "status"), [
    ((codes.MEM_READ_ONLY, 4, 4), "INVALID_VALUE"), ((codes.MEM_COPY_HOST_PTR, 4, 4), "INVALID_VALUE"), ((0, 4, 4, (1, 2)), "INVALID_VALUE"),
    ((0, 0, 4), "INVALID_PIPE_SIZE"), ((0, 4, 0), "INVALID_PIPE_SIZE"), ((0, 1 << 20, 4), "INVALID_PIPE_SIZE"),
])
def test_creation_errors(device, arguments, status):
    with pytest.raises(CLError, match=f"clCreatePipe failed: {status}"):
        Pipe(Context([device]), *arguments)


def test_what_the_device_says(device):
    assert device.get_info(0x1071) is True and device.get_info(0x1069) is True
    assert device.get_info(0x1055) >= 16 and device.get_info(0x1056) >= 1 and device.get_info(0x1057) >= 1024


def test_kernel_arguments(real_device):
    bench = Bench(real_device, "kernel void f(read_only pipe int4 in, write_only pipe uchar out) { }")
    kernel = Kernel(bench.program, "f")
    read, write = codes.KERNEL_ARG_ACCESS_READ_ONLY, codes.KERNEL_ARG_ACCESS_WRITE_ONLY
    for index, access, name in ((0, read, "int4"), (1, write, "uchar")):
        assert kernel.get_arg_info(index, codes.KERNEL_ARG_TYPE_NAME) == name
        assert kernel.get_arg_info(index, codes.KERNEL_ARG_TYPE_QUALIFIER) == codes.KERNEL_ARG_TYPE_PIPE
        assert kernel.get_arg_info(index, codes.KERNEL_ARG_ACCESS_QUALIFIER) == access
    released = bench.pipe(16, 1)
    released.release()
    for value, status in ((None, "INVALID_ARG_VALUE"), (b"12345678", "INVALID_ARG_VALUE"), (bench.pipe(4, 4), "INVALID_ARG_VALUE"),
                          (Buffer(bench.context, 0, 64), "INVALID_ARG_VALUE"), (released, "INVALID_MEM_OBJECT"),
                          (Pipe(Context([real_device]), 0, 16, 4), "INVALID_MEM_OBJECT")):
        with pytest.raises(CLError, match=f"clSetKernelArg failed: {status}"):
            kernel.set_arg(0, value)


# -- read_pipe and write_pipe ----------------------------------------------------------------------------------------------

ONE_BY_ONE = """
kernel void put(write_only pipe int p, uint first, global int *result) {
    size_t i = get_global_id(0);
    int value = first + i;
    result[i] = write_pipe(p, &value);
}
kernel void get(read_only pipe int p, global int *value, global int *result) {
    size_t i = get_global_id(0);
    result[i] = read_pipe(p, value + i);
}
kernel void count(read_only pipe int p, write_only pipe int q, global uint *o) {
    o[0] = get_pipe_num_packets(p); o[1] = get_pipe_max_packets(p); o[2] = get_pipe_num_packets(q); o[3] = get_pipe_max_packets(q);
}
"""


def test_every_packet_comes_out_once(real_device):
    bench = Bench(real_device, ONE_BY_ONE)
    n = 5000
    pipe, other = bench.pipe(4, n), bench.pipe(4, 3)
    done = np.full(n, 9, np.int32)
    for first in (0, 10**6):  # twice, so that the ring comes round
        bench.run("put", pipe, first, done, size=n)
        assert not done.any()
        counts = np.zeros(4, np.uint32)
        bench.run("count", pipe, other, counts)
        assert counts.tolist() == [n, n, 0, 3]
        got = np.zeros(n, np.int32)
        bench.run("get", pipe, got, done, size=n)
        assert not done.any() and sorted(got) == list(range(first, first + n))


def test_full_and_empty(real_device):
    bench = Bench(real_device, ONE_BY_ONE)
    pipe = bench.pipe(4, 100)
    for _ in range(3):
        done = np.full(300, 9, np.int32)
        bench.run("put", pipe, 50, done, size=300)
        assert (done == 0).sum() == 100 and (done < 0).sum() == 200
        got, read = np.full(300, -1, np.int32), np.full(300, 9, np.int32)
        bench.run("get", pipe, got, read, size=300)
        assert (read == 0).sum() == 100 and (read < 0).sum() == 200
        assert sorted(got[read == 0] - 50) == np.flatnonzero(done == 0).tolist() and (got[read < 0] == -1).all()


def test_packets_of_other_types_in_order(real_device):
    types = {"uchar": 1, "short3": 8, "float4": 16, "double16": 128, "struct odd": 12}
    source = "struct odd { short a; int b; char c; };\n"
    for t, name in ((t, t.replace(" ", "_")) for t in types):
        source += f"""
        int put_one_{name}(write_only pipe {t} p, const {t} *value) {{ return write_pipe(p, value); }}
        kernel void put_{name}(write_only pipe {t} p, global const uchar *in, uint n) {{
            global const {t} *values = (global const {t} *)in;
            for (uint i = 0; i < n; i++) if (i % 2) write_pipe(p, values + i); else {{ {t} own = values[i]; put_one_{name}(p, &own); }}
        }}
        kernel void get_{name}(pipe {t} p, global uchar *o, uint n) {{
            local {t} shared_place;
            for (uint i = 0; i < n; i++) {{ read_pipe(p, &shared_place); ((global {t} *)o)[i] = shared_place; }}
        }}"""
    bench = Bench(real_device, source)
    for t, size in types.items():
        pipe = bench.pipe(size, 20)
        data = np.random.default_rng(1).integers(0, 256, (20, size)).astype(np.uint8)
        out = np.zeros_like(data)
        bench.run("put_" + t.replace(" ", "_"), pipe, data, 20)
        bench.run("get_" + t.replace(" ", "_"), pipe, out, 20)
        used = {"short3": 6, "struct odd": 9}.get(t, size)
        columns = [c for c in range(used) if not (t == "struct odd" and c in (2, 3))]
        assert (out[:, columns] == data[:, columns]).all(), t


# -- reservations ----------------------------------------------------------------------------------------------------------


def test_reservations_in_the_order_of_the_program(real_device):
    source = """
    kernel void put(write_only pipe int p, global int *o) {
        int v[5] = {1, 2, 3, 4, 5}, extra = 9;
        reserve_id_t a = reserve_write_pipe(p, 3), b = reserve_write_pipe(p, 2), none = reserve_write_pipe(p, 100);
        o[0] = is_valid_reserve_id(a) && is_valid_reserve_id(b); o[1] = is_valid_reserve_id(none);
        o[2] = is_valid_reserve_id(CLK_NULL_RESERVE_ID) + is_valid_reserve_id(reserve_write_pipe(p, 0));
        for (uint i = 0; i < 2; i++) o[3] |= write_pipe(p, b, i, v + 3 + i);
        commit_write_pipe(p, b);
        write_pipe(p, &extra);
        write_pipe(p, a, 2, &extra);
        for (uint i = 3; i-- > 0;) o[3] |= write_pipe(p, a, i, &v[i]);
        commit_write_pipe(p, a);
    }
    kernel void get(read_only pipe int p, global int *o) {
        reserve_id_t a = reserve_read_pipe(p, 4), none = reserve_read_pipe(p, 3), b = reserve_read_pipe(p, 2);
        o[0] = is_valid_reserve_id(a); o[1] = is_valid_reserve_id(none); o[2] = is_valid_reserve_id(b);
        int at;
        for (uint i = 0; i < 4; i++) { o[9] |= read_pipe(p, a, i, &at); o[3 + i] = at; }
        for (uint i = 0; i < 2; i++) read_pipe(p, b, i, o + 7 + i);
        commit_read_pipe(p, b);
        commit_read_pipe(p, a);
    }
    """
    bench = Bench(real_device, source)
    pipe = bench.pipe(4, 8)
    for _ in range(4):  # the ring comes round in the middle of a reservation
        wrote, read = np.zeros(4, np.int32), np.zeros(10, np.int32)
        bench.run("put", pipe, wrote)
        assert wrote.tolist() == [1, 0, 0, 0]
        bench.run("get", pipe, read)
        assert read.tolist() == [1, 0, 1, 1, 2, 3, 4, 5, 9, 0]


def test_reservations_of_groups(real_device):
    """Every group moves its packets together: each comes out whole and in the order of its work-items."""
    source = "".join(f"""
    kernel void {g}_put(write_only pipe uint p, global int *valid) {{
        uint value = get_global_id(0), lane = {lane};
        reserve_id_t id = {g}_reserve_write_pipe(p, {size});
        valid[get_global_id(0)] = is_valid_reserve_id(id);
        if (is_valid_reserve_id(id)) {{
            write_pipe(p, id, lane, &value);
            {g}_commit_write_pipe(p, id);
        }}
    }}
    kernel void {g}_get(read_only pipe uint p, global uint *out) {{
        uint lane = {lane};
        reserve_id_t id = {g}_reserve_read_pipe(p, {size});
        if (is_valid_reserve_id(id)) {{
            read_pipe(p, id, {size} - 1 - lane, out + get_global_id(0));
            {g}_commit_read_pipe(p, id);
        }}
    }}""" for g, lane, size in (("work_group", "get_local_id(0)", "(uint)get_local_size(0)"),
                                ("sub_group", "get_sub_group_local_id()", "get_sub_group_size()")))
    tiles = "__attribute__((intel_reqd_sub_group_size(16))) kernel void "
    source += source[source.index("kernel void sub_group_put") :].replace("kernel void sub_group", tiles + "tile")
    bench = Bench(real_device, source)
    n, local = 64 * 40, 64
    for group, size in (("work_group", 64), ("sub_group", 32), ("tile", 16)):
        pipe = bench.pipe(4, n)
        for _ in range(2):
            valid, out = np.zeros(n, np.int32), np.zeros(n, np.uint32)
            bench.run(group + "_put", pipe, valid, size=n, local=local)
            bench.run(group + "_get", pipe, out, size=n, local=local)
            rows = out.reshape(-1, size)[:, ::-1]
            assert valid.all() and (rows == rows[:, :1] + np.arange(size)).all()
            assert sorted(rows[:, 0]) == list(range(0, n, size))
        small = bench.pipe(4, 3 * size + 1)
        valid = np.zeros(n, np.int32)
        bench.run(group + "_put", small, valid, size=n, local=local)
        assert valid.sum() == 3 * size and (valid.reshape(-1, size).sum(1) % size == 0).all()


# -- the translator's rules --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("call", "message"), [
    ("read_pipe(out, &x)", "invalid pipe access modifier (expecting read_only)"),
    ("write_pipe(in, &x)", "invalid pipe access modifier (expecting write_only)"),
    ("read_pipe(in, &f)", "invalid argument type to function 'read_pipe' (expecting 'int *' having '__private float *')"),
    ("read_pipe(in, x)", "invalid argument type to function 'read_pipe'"),
    ("read_pipe(&x, &x)", "first argument to 'read_pipe' must be a pipe type"),
    ("read_pipe(in)", "too few arguments to function call, expected 2, have 1"),
    ("read_pipe(in, id, &x)", "too many arguments to function call"),
    ("read_pipe(in, x, 0u, &x)", "passing to parameter of type 'reserve_id_t' from an expression of incompatible type 'int'"),
    ("commit_read_pipe(in, x)", "passing to parameter of type 'reserve_id_t'"),
    ("get_pipe_num_packets(x)", "first argument to 'get_pipe_num_packets' must be a pipe type"),
    ("in = in", "an object of type '__read_only pipe int' cannot be modified"),
    ("pipe int inner", "type '__read_only pipe int' can only be used as a function parameter in OpenCL"),
])
def test_what_is_refused(call, message):
    source = f"kernel void f(read_only pipe int in, write_only pipe int out) {{ int x; float f; reserve_id_t id; {call}; }}"
    with pytest.raises(CompileError) as caught:
        translate(source, parse_options(C3))
    assert message in str(caught.value)


@pytest.mark.parametrize("call", ["read_pipe(in, &c)", "read_pipe(in, &v)", "write_pipe(out, &v)"])
def test_qualifiers_are_lost_with_a_warning(call, compiler):
    source = f"kernel void f(read_only pipe int in, write_only pipe int out) {{ const int c = 1; volatile int v; {call}; }}"
    translation = translate(source, parse_options(C3))
    assert "discards qualifiers" in str(translation.diagnostics[0])
    compile_for_cuda(translation, "sm_90", flags(parse_options(C3), compiler.version), compiler)


def test_who_has_pipes():
    source = "kernel void f(read_only pipe int in) { int x; read_pipe(in, &x); }"
    for options in (C3, "-cl-std=CL2.0"):
        assert translate(source, parse_options(options)).kernels[0].args[0].packet_size == 4
    with pytest.raises(CompileError):
        translate(source, parse_options("-cl-std=CL1.2"))


def test_reservations_lie_in_local_and_in_global_memory(real_device):
    """A work-group's reservation in a variable that all share; an array of reservations that live at the same time."""
    source = """
    kernel void shared(write_only pipe int p, global int *valid) {
        local reserve_id_t id;
        id = work_group_reserve_write_pipe(p, (uint)get_local_size(0));
        int value = get_global_id(0);
        valid[value] = is_valid_reserve_id(id);
        write_pipe(p, id, (uint)get_local_id(0), &value);
        work_group_commit_write_pipe(p, id);
    }
    kernel void many(read_only pipe int p, global int *out, global char *room) {
        for (int i = 0; i < 8; i++) {
            global reserve_id_t *id = (global reserve_id_t *)(room + i * 64);
            *id = reserve_read_pipe(p, 1);
            if (is_valid_reserve_id(id[0]))
                read_pipe(p, id[0], 0, out + i);
        }
        for (int i = 0; i < 8; i++)
            commit_read_pipe(p, *(global reserve_id_t *)(room + i * 64));
    }
    """
    bench = Bench(real_device, source)
    pipe = bench.pipe(4, 8)
    valid, out, room = np.zeros(8, np.int32), np.zeros(8, np.int32), np.zeros(512, np.int8)
    bench.run("shared", pipe, valid, size=8, local=8)
    bench.run("many", pipe, out, room)
    assert valid.tolist() == [1] * 8 and out.tolist() == list(range(8))
