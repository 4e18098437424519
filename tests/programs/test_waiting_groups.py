"""Work-groups of one launch that wait for each other, which OpenCL promises nothing of and GPUs do: on the host device, too. And kernels
that wait for the host."""

from __future__ import annotations

import os
import sys
import threading
import time

import numpy as np
import pytest
from support.devices import first

from cl2cuda.runtime.command_buffer import recording
from cl2cuda.runtime.command_buffer.command_buffer import CommandBuffer
from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.partition import create_sub_devices
from cl2cuda.runtime.host import native
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

SOURCE = """
// Each group waits for the one before it, as a scan in one pass does.
kernel void look_back(global volatile uint *flags, global uint *out, uint n) {
    local uint before;
    const uint g = get_group_id(0);
    if (get_local_id(0) == 0) {
        if (g > 0) while (flags[g - 1] == 0);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        before = g > 0 ? out[(g - 1) * get_local_size(0)] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = before + g;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) { mem_fence(CLK_GLOBAL_MEM_FENCE); flags[g] = 1; }
}
kernel void last_one(global volatile uint *flags, global uint *out, uint n) {
    local uint last;
    out[get_global_id(0)] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) last = atomic_inc(flags) == get_num_groups(0) - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last) for (uint i = get_local_id(0); i < get_global_size(0); i += get_local_size(0)) out[i] += 4;
}
// All groups meet n times.
kernel void meet(global atomic_uint *flags, global uint *out, uint n) {
    for (uint round = 1; round <= n; round++) {
        const uint size = get_global_size(0);
        out[round % 2 * size + get_global_id(0)] = 1 + out[(round + 1) % 2 * size + (get_global_id(0) + get_local_size(0)) % size];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0) {
            atomic_fetch_add_explicit(flags, 1, memory_order_acq_rel, memory_scope_device);
            while (atomic_load_explicit(flags, memory_order_acquire, memory_scope_device) < round * get_num_groups(0));
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
// Each work-item waits for the next one, in its group and in the later ones.
kernel void later(global volatile uint *flags, global uint *out, uint n) {
    const uint i = get_global_id(0);
    while (i + 1 < get_global_size(0) && flags[i + 1] == 0);
    out[i] = 5;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    flags[i] = 1;
}
kernel void for_the_host(global volatile uint *flags, global uint *out, uint n) { while (flags[n] == 0); out[0] = flags[n]; }
// The same by sub-groups, which meet after their first work-item has waited.
kernel void later_sub_groups(global volatile uint *flags, global uint *out, uint n) {
    const uint g = get_group_id(0) * get_num_sub_groups() + get_sub_group_id();
    uint seen = 1;
    if (get_sub_group_local_id() == 0 && g + 1 < n) while ((seen = flags[g + 1]) == 0);
    seen = sub_group_broadcast(seen, 0);
    out[get_global_id(0)] = seen + 4;
    if (get_sub_group_local_id() == 0) flags[g] = 1;
}
// A queue of tasks, of which each makes the next two.
kernel void tasks(global volatile uint *flags, global uint *out, uint n) {
    volatile global uint *taken = flags, *made = flags + 1, *done = flags + 2;
    if (get_global_id(0) == 0) atomic_xchg(made, 1);
    while (*done < n) {
        const uint mine = *taken;
        if (mine < *made && atomic_cmpxchg(taken, mine, mine + 1) == mine) {
            out[mine] = 5;
            for (uint i = 0; i < 2; i++) if (*made < n && atomic_inc(made) >= n) atomic_dec(made);
            atomic_inc(done);
        }
    }
}
kernel void partner(global volatile uint *flags, global uint *out, uint n) {
    flags[n] = 1;
    while (flags[1 - n] == 0);
    out[get_global_id(0)] = 5;
}
kernel void never(global volatile uint *flags, global uint *out, uint n) {
    if (n && get_global_id(0) == 1) out[-((long)n << 38)] = 1;
    while (flags[0] == 0) {}
}
kernel void never_in_group(global volatile uint *flags, global uint *out, uint n) {
    local uint x;
    if (get_local_id(0) == 3) while (flags[0] == 0) {}
    barrier(CLK_LOCAL_MEM_FENCE);
}
"""
WORDS = 1 << 15


@pytest.fixture(scope="module")
def host():
    return first("host")


@pytest.fixture(scope="module")
def program(host):
    made = Program(Context([host]), SOURCE)
    made.build("-cl-std=CL3.0")
    return made


class Run:
    def __init__(self, program, name, device=None, flags=None, properties=0):
        self.queue = create_command_queue(program.context, device or program.devices[0], properties)
        self.kernel = Kernel(program, name)
        self.flags, self.out = (flags or Buffer(program.context, 0, 4 * WORDS), Buffer(program.context, 0, 4 * WORDS))
        self.kernel.set_arg(0, self.flags)
        self.kernel.set_arg(1, self.out)

    def __call__(self, groups, local, n=0, clear=True):
        if clear:
            for buffer in (self.flags, self.out):
                enqueue_fill_buffer(self.queue, buffer, bytes(4), 0, 4 * WORDS)
        self.kernel.set_arg(2, np.uint32(n))
        enqueue_nd_range_kernel(self.queue, self.kernel, 1, None, (groups * local,), (local,)).wait()
        found = np.zeros(WORDS, np.uint32)
        enqueue_read_buffer(self.queue, self.out, True, 0, found)
        return found[: groups * local]


@pytest.mark.parametrize("groups", [1, 2, 64, 500])
def test_each_group_waits_for_the_one_before(program, groups):
    found = Run(program, "look_back")(groups, 32)
    assert (found == np.repeat(np.cumsum(np.arange(groups)), 32)).all()


def test_the_last_group_does_the_rest(program):
    assert (Run(program, "last_one")(64, 32) == 5).all()


@pytest.mark.parametrize("groups, local", [(1, 8), (2, 64), (64, 64), (64, 1), (150, 4)])
def test_all_groups_meet(program, groups, local):
    """Several times, with barriers within the groups."""
    run = Run(program, "meet")
    for n in (1, 10):
        run(groups, local, n)
        found = np.zeros(WORDS, np.uint32)
        enqueue_read_buffer(run.queue, run.out, True, 0, found)
        last = n % 2 * groups * local
        assert (found[last : last + groups * local] == n).all()


@pytest.mark.parametrize("groups, local", [(2, 1), (64, 1), (1, 64), (64, 16)])
def test_groups_and_work_items_wait_for_later_ones(program, groups, local):
    assert (Run(program, "later")(groups, local) == 5).all()


def test_sub_groups_wait_for_later_ones(program):
    assert (Run(program, "later_sub_groups")(16, 128, 16 * 4) == 5).all()


def test_a_queue_of_tasks(program):
    assert (Run(program, "tasks")(32, 1, 5000)[:32] == 5).all()


def test_more_groups_than_threads_can_be_and_none_waits_for_long(program):
    assert Run(program, "look_back")(900, 4)[-1] == 900 * 899 // 2


def test_two_launches_wait_for_each_other(program):
    flags = Buffer(program.context, 0, 4 * WORDS)
    runs = [Run(program, "partner", flags=flags) for _ in range(2)]
    enqueue_fill_buffer(runs[0].queue, flags, bytes(4), 0, 4 * WORDS).wait()
    found = {}

    def launch(n):
        found[n] = runs[n](8, 2, n, clear=False)

    threads = [threading.Thread(target=launch, args=(n,)) for n in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (found[0] == 5).all() and (found[1] == 5).all()


def test_a_part_of_the_device(host):
    part, *_ = create_sub_devices(host, [codes.DEVICE_PARTITION_BY_COUNTS, 1, codes.DEVICE_PARTITION_BY_COUNTS_LIST_END])
    made = Program(Context([part]), SOURCE)
    made.build("-cl-std=CL3.0")
    assert (Run(made, "later")(32, 2) == 5).all()
    assert (Run(made, "look_back")(32, 2)[-1]) == 32 * 31 // 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_a_fork(program):
    run = Run(program, "later")
    assert (run(32, 1) == 5).all()
    child = os.fork()
    if child == 0:
        os._exit(0 if (run(32, 1) == 5).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (run(32, 1) == 5).all()


def words_of_the_host(context):
    """Memory that a buffer and the host have in common."""
    flags = np.zeros(4 * WORDS + 128, np.uint8)
    words = flags[-flags.ctypes.data % 128 :][: 4 * WORDS].view(np.uint32)
    return words, Buffer(context, codes.MEM_USE_HOST_PTR, words.nbytes, words)


def first_word(run):
    """Of what the kernels of the run have written."""
    found = np.zeros(1, np.uint32)
    enqueue_read_buffer(run.queue, run.out, True, 0, found)
    return found[0]


@pytest.mark.parametrize("properties", [0, codes.QUEUE_PROFILING_ENABLE, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE])
def test_a_launch_may_wait_for_the_host(program, properties):
    """Again and again with the same sizes, which have a plan otherwise."""
    run, n = Run(program, "for_the_host", properties=properties), 7
    words, buffer = words_of_the_host(program.context)
    run.kernel.set_arg(0, buffer)
    for answer in (3, 4, 5):
        words[:] = 0
        run.kernel.set_arg(2, np.uint32(n))
        event = enqueue_nd_range_kernel(run.queue, run.kernel, 1, None, (1,), (1,))
        run.kernel.set_arg(2, np.uint32(n + 1))  # what it is given is what was set then
        run.queue.flush()
        assert event.status > codes.COMPLETE
        words[n] = answer
        event.wait()
        assert first_word(run) == answer


@pytest.mark.parametrize("properties", [0, codes.QUEUE_PROFILING_ENABLE, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE])
@pytest.mark.parametrize("flags", [(), ((codes.COMMAND_BUFFER_FLAGS_KHR, codes.COMMAND_BUFFER_MUTABLE_KHR),)])
def test_a_recorded_launch_may_wait_for_the_host(program, properties, flags):
    run = Run(program, "for_the_host", properties=properties)
    words, buffer = words_of_the_host(program.context)
    run.kernel.set_arg(0, buffer)
    run.kernel.set_arg(2, np.uint32(7))
    record = CommandBuffer([run.queue], flags)
    recording.fill_buffer(record, run.out, bytes(4), 0, 4)
    recording.nd_range_kernel(record, run.kernel, 1, None, (1,), (1,), (1,))
    record.finalize()
    for answer in (3, 4, 5):
        words[:] = 0
        event = record.enqueue()
        assert event.status > codes.COMPLETE
        words[7] = answer
        event.wait()
        assert first_word(run) == answer


@pytest.mark.parametrize("name", ["parent", "waits_itself", "grandparent"])
def test_a_launch_that_a_kernel_enqueues_may_wait_for_the_host(host, name):
    made = Program(Context([host]), """
        void wait_for(global volatile uint *flags, global uint *out, uint n) { while (flags[n] == 0); out[0] = flags[n]; }
        void enqueues(global volatile uint *flags, global uint *out, uint n) {
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ wait_for(flags, out, n); });
        }
        kernel void parent(global volatile uint *flags, global uint *out, uint n) { enqueues(flags, out, n); }
        kernel void grandparent(global volatile uint *flags, global uint *out, uint n) {
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ enqueues(flags, out, n); });
        }
        kernel void waits_itself(global volatile uint *flags, global uint *out, uint n) {
            while (flags[n] == 0);
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[0] = flags[n]; });
        }""")
    made.build("-cl-std=CL3.0")
    on_device = codes.QUEUE_ON_DEVICE | codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_ON_DEVICE_DEFAULT
    default = create_command_queue(made.context, host, [(codes.QUEUE_PROPERTIES, on_device)])
    run = Run(made, name)
    words, buffer = words_of_the_host(made.context)
    run.kernel.set_arg(0, buffer)
    for answer in (3, 4, 5):
        words[:] = 0
        run.kernel.set_arg(2, np.uint32(answer))
        event = enqueue_nd_range_kernel(run.queue, run.kernel, 1, None, (1,), (1,))
        run.kernel.set_arg(2, np.uint32(9))  # what it is given is what was set then
        assert event.status > codes.COMPLETE
        words[answer] = answer
        event.wait()
        assert first_word(run) == answer
    default.release()


def test_groups_of_an_enqueued_launch_wait_for_later_ones(host):
    made = Program(Context([host]), """
        kernel void parent(global volatile uint *flags, global uint *out, uint n) {
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n, 2), ^{
                const uint i = get_global_id(0);
                while (i + 1 < n && flags[i + 1] == 0);
                out[i] = 5;
                mem_fence(CLK_GLOBAL_MEM_FENCE);
                flags[i] = 1;
            });
        }""")
    made.build("-cl-std=CL3.0")
    on_device = codes.QUEUE_ON_DEVICE | codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_ON_DEVICE_DEFAULT
    default = create_command_queue(made.context, host, [(codes.QUEUE_PROPERTIES, on_device)])
    run = Run(made, "parent")
    run(1, 1, 64)
    found = np.zeros(64, np.uint32)
    enqueue_read_buffer(run.queue, run.out, True, 0, found)
    assert (found == 5).all()
    default.release()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setenv("CL2CUDA_HOST_PATIENCE", "1")
    native.runtime().ocl_host_patience(1)
    yield
    native.runtime().ocl_host_patience(native.PATIENCE)


@pytest.mark.parametrize("name", ["never", "never_in_group"])
@pytest.mark.parametrize("groups", [1, 12])
def test_a_launch_that_waits_for_ever_ends(program, impatient, name, groups):
    run = Run(program, name)
    start = time.monotonic()
    with pytest.raises(CLError) as caught:
        run(groups, 8)
    assert caught.value.status == "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    assert f"kernel '{name}' has waited for 1 seconds (CL2CUDA_HOST_PATIENCE)" in caught.value.reason
    assert time.monotonic() - start >= 1
    assert (Run(program, "later")(16, 4) == 5).all()


def test_who_works_for_longer_than_one_has_patience_is_left_alone(host, impatient):
    text = """kernel void f(global volatile uint *flags, global uint *out, uint n) {
        if (get_group_id(0) == 1) { for (uint i = 0; i < n; i++) out[0] = out[0] * 1664525 + i; flags[0] = 1; }
        while (flags[0] == 0);
    }"""
    made = Program(Context([host]), text)
    made.build("")
    run = Run(made, "f")
    start, n = time.monotonic(), 1 << 26
    while time.monotonic() - start < 2:
        start, n = time.monotonic(), n * 4
        run(4, 2, n)


def test_who_waits_again_and_again_is_left_alone(program, impatient):
    """A launch whose groups meet for longer than one has patience."""
    run, n, took = Run(program, "meet"), 50, 0.0
    while took < 1.5:
        n *= 4
        start = time.monotonic()
        run(6, 2, n)
        took = time.monotonic() - start


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the handler knows Linux's registers only")
def test_a_fault_ends_those_that_wait(program):
    with pytest.raises(CLError) as caught:
        Run(program, "never")(16, 1, 1)
    assert "accessed memory at" in caught.value.reason
