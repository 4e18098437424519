"""Device queues (API 5.1, OpenCL C 6.15.19): kernels that enqueue kernels, on both devices."""

from __future__ import annotations

import time

import numpy as np
import pytest
from support import image_model as model
from support.fails import fails
from support.image_model import Format

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.image import enqueue_read_image
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.sampler import Sampler, create_sampler
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.device_queue import DeviceQueue, set_default_device_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError
from cl2cuda.runtime.spec.status import STATUS

ON_DEVICE = codes.QUEUE_ON_DEVICE | codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
DEFAULT = ON_DEVICE | codes.QUEUE_ON_DEVICE_DEFAULT


def device_queue(context, bits=ON_DEVICE, size=None):
    properties = [(codes.QUEUE_PROPERTIES, bits)] + ([] if size is None else [(codes.QUEUE_SIZE, size)])
    return create_command_queue(context, context.devices[0], properties)


class Bench:
    """One program on a device with a default queue; kernels are run with arrays (read back), queues and numbers."""

    def __init__(self, device, source, options="-cl-std=CL3.0", size=None, bits=DEFAULT, host=0):
        self.context = Context([device])
        self.queue = create_command_queue(self.context, device, host)
        self.default = device_queue(self.context, bits, size) if bits else None
        self.program = Program(self.context, source)
        self.program.build(options)

    def start(self, name, *args, size=1, local=None, wait_for=()):
        kernel = Kernel(self.program, name)
        buffers = []
        for index, arg in enumerate(args):
            if isinstance(arg, np.ndarray):
                buffers.append((Buffer(self.context, codes.MEM_COPY_HOST_PTR, arg.nbytes, arg), arg))
                kernel.set_arg(index, buffers[-1][0])
            else:
                kernel.set_arg(index, arg if isinstance(arg, (DeviceQueue, Image, Sampler)) else np.int32(arg))
        return enqueue_nd_range_kernel(self.queue, kernel, 1, None, (size,), local and (local,), wait_for), buffers

    def run(self, name, *args, **more):
        event, buffers = self.start(name, *args, **more)
        for buffer, array in buffers:
            buffer_commands.enqueue_read_buffer(self.queue, buffer, True, 0, array, (event,))
        self.queue.finish()
        return event


@pytest.fixture
def bench(real_device):
    return lambda source, *args, **more: Bench(real_device, source, *args, **more)


def zeros(n, dtype=np.int32):
    return np.zeros(n, dtype)


def test_a_block_runs_with_what_it_has_captured(bench):
    on = bench("""
        typedef struct { int a; float4 b; } pair;
        kernel void k(global int *r) {
            int x = 3; pair p = {4, (float4)(1, 2, 3, 5)}; int list[3] = {7, 8, 9}; const ulong16 wide = (ulong16)(6);
            size_t id = get_global_id(0);
            void (^b)(void) = ^{ r[id] = x + p.a + (int)p.b.w + list[1] + (int)wide.sF; };
            x = 100; list[1] = 100;
            if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), b) != CLK_SUCCESS) r[id] = -1;
        }""")
    r = zeros(64)
    on.run("k", r, size=64)
    assert (r == 3 + 4 + 5 + 8 + 6).all()


def test_types_of_a_function(bench):
    """A block's kernel stands outside of the function that declares the types of what it captures."""
    on = bench("""
        typedef struct { int a; } item;
        kernel void other(global int *r) { typedef struct { char c; } item; item x = {1}; r[1] = x.c + (int)sizeof(item); }
        kernel void k(global int *r) {
            struct pair { int a, b; };
            typedef struct { struct pair p; short s; } item;
            typedef int number; typedef number list[2];
            enum { FIRST = 5, SECOND } which = SECOND;
            item x = {{1, 2}, 3}; number n = 4; list l = {10, 20};
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{
                enum { THIRD = 100 }; number m = n; item y = x; struct pair *q = (struct pair *)&y.p;
                r[0] = q->a + q->b + y.s + m + which + FIRST + THIRD + l[1];
            });
        }
        kernel void third(global int *r) { item x = {7}; r[2] = x.a + (int)sizeof(item); }""")
    r = zeros(3)
    for name in ("k", "other", "third"):
        on.run(name, r)
    assert list(r) == [1 + 2 + 3 + 4 + 6 + 5 + 100 + 20, 2, 11]


def test_children_of_children_far_down(bench):
    on = bench("""
        void down(global int *r, int level) {
            atomic_inc(&r[level]);
            if (level < 40 && get_global_id(0) < 2)
                enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(get_global_id(0) ? 1 : 3),
                               ^{ if (get_global_id(0) == 0) down(r, level + 1); });
        }
        kernel void k(global int *r) { down(r, 0); }""")
    r = zeros(41)
    on.run("k", r)
    assert (r == 1).all()


def test_a_kernel_that_enqueues_itself(bench):
    """The specification's complete example (6.15.19.3) has a kernel that a block of its own calls again."""
    on = bench("""
        kernel void again(queue_t q, global int *r, int left) {
            r[left] += get_global_size(0);
            if (left > 0) {
                void (^next)(void) = ^{ again(q, r, left - 1); };
                enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(get_kernel_work_group_size(next) > 0), next);
            }
        }""")
    r = zeros(10)
    on.run("again", on.default, r, 9)
    assert (r == 1).all()


def test_blocks_of_all_kinds(bench):
    on = bench("""
        void (^const of_the_program)(local int *) = ^(local int *x) { x[0] = 5; };
        global int seen;
        void (^notes)(void) = ^{ atomic_add(&seen, 7); };
        kernel void k(global int *r) {
            queue_t q = get_default_queue(); const int n = 4;
            void (^both)(void) = ^{ atomic_add(&r[0], n); };
            void (^second)(void) = both;
            both(); second();
            enqueue_kernel(q, 0, ndrange_1D(3), both);
            enqueue_kernel(q, 0, ndrange_1D(3), second);
            enqueue_kernel(q, 0, ndrange_1D(2), notes);
            notes();
            enqueue_kernel(q, 0, ndrange_1D(1), of_the_program, 16);
            enqueue_kernel(q, 0, ndrange_1D(1), ^{
                int m = n + 1;
                void (^inner)(int) = ^(int times) { atomic_add(&r[1], m * times); };
                inner(2);
                enqueue_kernel(q, 0, ndrange_1D(2), ^{ inner(n); });
            });
        }
        kernel void look(global int *r) { r[0] = seen; }""".replace("^{ inner(n); }", "^{ atomic_add(&r[1], m * n); }"))
    r, s = zeros(2), zeros(1)
    on.run("k", r)
    on.run("look", s)
    assert list(r) == [4 * 2 + 4 * 6, 5 * 2 + 2 * 5 * 4]
    assert s[0] == 7 * 3


def test_images_and_samplers_that_are_captured(bench):
    """Between members of other sizes; a kernel reads through the sampler what its parent's image holds, and writes another one."""
    on = bench("""
        kernel void k(read_only image2d_t from, int given, sampler_t s, write_only image2d_t to, global float *r, int n) {
            double d = 0.5; char c = given;
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(n), ^{
                int i = get_global_id(0);
                float4 color = read_imagef(from, s, (float2)(i - 1 + 0.5f, 0.5f));
                write_imagef(to, (int2)(i, 0), color * c);
                r[i] = color.x + (float)d;
                if (i == 0) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
                    r[n] = get_image_width(from) + get_image_height(to) + n; });
            });
        }""")
    values = np.arange(1, 33, dtype=np.float32).reshape(1, 8, 4)
    descriptor = ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 8, 1)
    images = [Image(on.context, flags, (0x10B5, 0x10DE), descriptor, host) for flags, host in (
        (codes.MEM_READ_ONLY | codes.MEM_COPY_HOST_PTR, values), (codes.MEM_WRITE_ONLY, None))]
    sampler = create_sampler(on.context, False, codes.ADDRESS_CLAMP_TO_EDGE, codes.FILTER_NEAREST)
    result, found = zeros(9, np.float32), np.zeros_like(values)
    on.run("k", images[0], 3, sampler, images[1], result, 8)
    enqueue_read_image(on.queue, images[1], True, (0, 0, 0), (8, 1, 1), 0, 0, found)
    seen = values[0, [0, 0, 1, 2, 3, 4, 5, 6]]
    assert (found[0] == 3 * seen).all()
    assert (result[:8] == seen[:, 0] + 0.5).all() and result[8] == 8 + 1 + 8


def test_images_of_many_formats_that_are_captured(bench):
    """One plan of the block serves them all."""
    on = bench("""
        kernel void k(read_only image2d_t from, write_only image2d_t to) {
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), ^{
                int2 place = (int2)(get_global_id(0), 0);
                write_imagef(to, place, read_imagef(from, place)); });
        }""")
    descriptor = ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 8, 1)
    formats = [Format(order, "UNORM_INT8") for order in ("RGBA", "BGRA", "sRGBA", "ABGR", "sBGRA")]
    elements = np.random.default_rng(3).integers(0, 256, (1, 8, 4), np.uint8)
    for source in formats:
        color = model.colors(elements, source).astype(np.float32)
        given = Image(on.context, codes.MEM_READ_ONLY | codes.MEM_COPY_HOST_PTR, source.codes, descriptor, elements)
        for target in formats:
            image, found = Image(on.context, codes.MEM_WRITE_ONLY, target.codes, descriptor), np.zeros_like(elements)
            on.run("k", given, image)
            enqueue_read_image(on.queue, image, True, (0, 0, 0), (8, 1, 1), 0, 0, found)
            # Hardware may err by half a step where it reads sRGB.
            np.testing.assert_allclose(found, model.elements_of(color, target), rtol=0,
                                       atol=1.5 if source.is_srgb or target.is_srgb else 0, err_msg=f"{source}, {target}")


def test_local_memory_of_blocks(bench):
    """cl_khr_device_enqueue_local_arg_types: of any type."""
    on = bench("""
        typedef struct { char c; double d; } pair;
        kernel void k(global int *r, int n) {
            void (^b)(local void *, local float4 *, local pair *) = ^(local void *a, local float4 *f, local pair *p) {
                size_t id = get_local_id(0);
                local int *x = (local int *)a;
                x[id] = n + id; f[id] = (float4)(id, 1, 2, 3); p[id].d = id * 0.5; p[id].c = 1;
                barrier(CLK_LOCAL_MEM_FENCE);
                size_t other = get_local_size(0) - 1 - id;
                r[get_global_id(0)] = x[other] + (int)f[other].x + (int)f[other].w + (int)(p[other].d * 2) + p[other].c;
            };
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(64, 16), b, 16 * sizeof(int), 16u * sizeof(float4), 16 * sizeof(pair));
        }""")
    r = zeros(64)
    on.run("k", r, 100)
    other = 15 - np.arange(64) % 16
    assert (r == 100 + 3 * other + 3 + 1).all()


def test_nd_ranges_of_all_forms(bench):
    on = bench("""
        #define NOTE(at) atomic_add(&r[at], 1 + (int)(get_global_id(0) + 10 * get_global_id(1) + 100 * get_global_id(2)));  \\
            if (get_global_linear_id() == 0) { r[at + 1] = get_work_dim(); r[at + 2] = get_enqueued_local_size(0) \\
            * get_enqueued_local_size(1) * get_enqueued_local_size(2); }
        kernel void k(global int *r) {
            queue_t q = get_default_queue();
            size_t o[3] = {1, 2, 3}, g[3] = {4, 3, 2}, l[3] = {2, 3, 1}, deep[3] = {1, 2, 150}, column[3] = {1, 1, 100};
            enqueue_kernel(q, 0, ndrange_1D(7), ^{ NOTE(0) });
            enqueue_kernel(q, 0, ndrange_1D(8, 4), ^{ NOTE(3) });
            enqueue_kernel(q, 0, ndrange_1D(5, 7, 3), ^{ NOTE(6) });
            enqueue_kernel(q, 0, ndrange_2D(g), ^{ NOTE(9) });
            enqueue_kernel(q, 0, ndrange_2D(g, l), ^{ NOTE(12) });
            enqueue_kernel(q, 0, ndrange_2D(o, g, l), ^{ NOTE(15) });
            enqueue_kernel(q, 0, ndrange_3D(g), ^{ NOTE(18) });
            enqueue_kernel(q, 0, ndrange_3D(g, l), ^{ NOTE(21) });
            enqueue_kernel(q, 0, ndrange_3D(o, g, l), ^{ NOTE(24) });
            enqueue_kernel(q, 0, ndrange_3D(deep, column), ^{ NOTE(27) });
            enqueue_kernel(q, 0, ndrange_3D(o, deep, column), ^{ NOTE(30) });
            enqueue_kernel(q, 0, ndrange_1D(0), ^{ NOTE(33) });
        }""")
    r = zeros(36)
    on.run("k", r)

    def total(offset, size):
        grids = np.meshgrid(*[np.arange(o, o + s) for o, s in zip(offset, size, strict=True)])
        return sum(1 + int(sum(10**d * g for d, g in enumerate(each))) for each in zip(*[g.ravel() for g in grids], strict=True))

    forms = [((0,), (7,)), ((0,), (8,)), ((5,), (7,)), ((0, 0), (4, 3)), ((0, 0), (4, 3)), ((1, 2), (4, 3)),
             ((0, 0, 0), (4, 3, 2)), ((0, 0, 0), (4, 3, 2)), ((1, 2, 3), (4, 3, 2)),
             ((0, 0, 0), (1, 2, 150)), ((1, 2, 3), (1, 2, 150))]
    assert list(r[:33:3]) == [total(*form) for form in forms]
    assert list(r[1:33:3]) == [len(size) for _, size in forms]
    assert [r[3 * n + 2] for n in (1, 2, 4, 5, 7, 8, 9, 10)] == [4, 3, 6, 6, 6, 6, 100, 100]
    assert not r[33:].any()


def test_events_order_commands(bench):
    on = bench("""
        kernel void k(global int *r) {
            queue_t q = get_default_queue();
            ndrange_t one = ndrange_1D(1);
            clk_event_t gate = create_user_event(), first, second, both;
            int ok = is_valid_event(gate) && !is_valid_event(CLK_NULL_EVENT) && gate != CLK_NULL_EVENT;
            ok &= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &gate, &first, ^{ r[1] = r[0] + 1;
                enqueue_kernel(q, 0, one, ^{ r[2] = 10; enqueue_kernel(q, 0, one, ^{ r[3] = 20; }); }); }) == CLK_SUCCESS;
            ok &= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &first, &second, ^{ r[4] = r[1] + r[2] + r[3]; }) == CLK_SUCCESS;
            clk_event_t list[2] = {first, second};
            ok &= enqueue_marker(q, 2, list, &both) == CLK_SUCCESS;
            ok &= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &both, NULL, ^(local int *x) { x[0] = r[4]; r[5] = x[0] + 1; }, 4)
                == CLK_SUCCESS;
            retain_event(first); release_event(first);
            ok &= is_valid_event(first);
            release_event(first); release_event(second); release_event(both);
            r[0] = 5;
            set_user_event_status(gate, CL_COMPLETE);
            release_event(gate);
            r[6] = ok + is_valid_event(gate);  // what waits for it keeps it
        }""")
    r = zeros(7)
    on.run("k", r)
    # A command is complete with its children: the second one has seen what the first one's grandchild did.
    assert list(r) == [5, 6, 10, 20, 36, 37, 2]


def test_events_are_used_again(bench):
    on = bench("""
        kernel void k(global int *r, int n) {
            int failed = 0;
            for (int i = 0; i < n; i++) {
                clk_event_t e = create_user_event();
                failed += !is_valid_event(e);
                set_user_event_status(e, CL_COMPLETE);
                release_event(e);
            }
            atomic_add(r, failed);
        }
        kernel void children(global int *r, int n) {
            for (int i = 0; i < n; i++) {
                clk_event_t e;
                if (enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, NULL, &e, ^{ atomic_inc(r); }) == CLK_SUCCESS) release_event(e);
            }
        }""")
    r = zeros(1)
    on.run("k", r, 3000, size=64)
    assert not r[0]
    for _ in range(3):
        on.run("children", r, 100, size=10)
    assert r[0] == 3000


ERRORS = """
    kernel void errors(global int *r, queue_t q) {
        size_t far[3] = {1, 1, 100000};
        clk_event_t none = CLK_NULL_EVENT, e;
        queue_t null = CLK_NULL_QUEUE;
        void (^b)(void) = ^{ r[30] = 1; };
        void (^l)(local void *) = ^(local void *x) { r[30] = 1; };
        r[0] = enqueue_kernel(null, 0, ndrange_1D(1), b);
        r[1] = enqueue_kernel(q, 0, ndrange_1D(1 << 20, 1 << 20), b);
        r[2] = enqueue_kernel(q, 0, ndrange_3D(far, far), b);
        r[3] = enqueue_kernel(q, 0, ndrange_1D(1), 1, NULL, NULL, b);
        r[4] = enqueue_kernel(q, 0, ndrange_1D(1), 0, &none, NULL, b);
        r[5] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &none, NULL, b);
        r[6] = enqueue_kernel(q, 0, ndrange_1D(1), l, 0);
        r[7] = enqueue_kernel(q, 0, ndrange_1D(1), l, 1 << 30);
        r[8] = enqueue_marker(null, 1, &none, &e);
        r[9] = enqueue_marker(q, 0, NULL, &e);
        r[10] = enqueue_marker(q, 1, &none, &e);
        r[11] = get_default_queue() == CLK_NULL_QUEUE;
        r[12] = enqueue_kernel(q, 0, ndrange_1D(~0ul, 2, 1), b);
        r[13] = enqueue_kernel(q, 0, ndrange_1D(5, 2), ^{ r[31] = 1; });
    }"""


@pytest.mark.parametrize("detailed", [True, False])
def test_results_of_enqueuing(bench, detailed):
    on = bench(ERRORS, "-cl-std=CL3.0 -cl-uniform-work-group-size" + " -g" * detailed, bits=0)
    r = zeros(32)
    on.run("errors", r, device_queue(on.context))
    names = {"queue": -102, "range": -160, "list": -57, "size": -51, "resources": -5}
    expected = [names[name] for name in "queue range range list list list size resources queue list list".split()]
    assert list(r[:11]) == (expected if detailed else [-101] * 11)
    assert r[11] == 1
    assert list(r[12:14]) == ([-160, -160] if detailed else [-101, -101])
    assert not r[30:].any()


FULL = """
    kernel void fill(global int *r, int each) {
        for (int i = 0; i < each; i++) {
            int done = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ atomic_inc(&r[1]); });
            atomic_inc(&r[done == CLK_SUCCESS ? 0 : done == CLK_DEVICE_QUEUE_FULL ? 2 : 3]);
        }
    }"""


def test_a_full_queue_loses_nothing(bench):
    on = bench(FULL, "-cl-std=CL3.0 -g", 32 << 10)
    r = zeros(4)
    on.run("fill", r, 3, size=256)
    assert r[0] == r[1] > 100
    assert r[2] == 3 * 256 - r[0] > 0
    assert not r[3]
    on.run("fill", r := zeros(4), 1, size=64)  # There is room again.
    assert list(r) == [64, 64, 0, 0]


def test_a_queue_without_room_for_an_event(bench):
    on = bench("""
        kernel void k(global int *r) {
            clk_event_t e;
            int done = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, NULL, &e, ^{ atomic_inc(&r[0]); });
            if (done == CLK_EVENT_ALLOCATION_FAILURE) atomic_inc(&r[1]);
        }""", "-cl-std=CL3.0 -g", 16 << 20)
    r = zeros(2)
    on.run("k", r, size=70000)
    assert list(r) == [1 << 16, 70000 - (1 << 16)]


def test_a_hundred_thousand_children(bench):
    on = bench(FULL, "-cl-std=CL3.0 -g", 32 << 20)
    r = zeros(4)
    on.run("fill", r, 10, size=10000)
    assert list(r) == [100000, 100000, 0, 0]


def test_a_million_children(cuda_device):
    on = Bench(cuda_device, FULL, "-cl-std=CL3.0 -g", 256 << 20)
    r = zeros(4)
    on.run("fill", r, 16, size=1 << 16)
    assert list(r) == [1 << 20, 1 << 20, 0, 0]


@pytest.mark.parametrize("host", [0, codes.QUEUE_PROFILING_ENABLE, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE])
def test_a_user_event_that_is_an_error(bench, host):
    on = bench(host=host, source="""
        kernel void k(global int *r, int status) {
            clk_event_t gate = create_user_event(), e;
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &gate, &e, ^{ r[0] = 1; });
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &e, NULL, ^{ r[1] = 1; });
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ r[2] = 1; });
            if (status <= 0) set_user_event_status(gate, status);
            release_event(gate); release_event(e);
        }""")
    for status, message in ((-7, "got the status -7"), (1, "no kernel has set")):
        r = zeros(3)
        buffer = Buffer(on.context, codes.MEM_COPY_HOST_PTR, r.nbytes, r)
        kernel = Kernel(on.program, "k")
        kernel.set_arg(0, buffer)
        kernel.set_arg(1, np.int32(status))
        event = enqueue_nd_range_kernel(on.queue, kernel, 1, None, (1,), None)  # It is well itself: its wait list is empty.
        ended = []
        event.set_callback(codes.COMPLETE, ended.append)
        behind = buffer_commands.enqueue_marker(on.queue, (event,))
        with pytest.raises(CLError, match=message) as caught:
            event.wait()
        assert caught.value.status == "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
        assert event.get_info(codes.EVENT_COMMAND_EXECUTION_STATUS) == STATUS["EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"]
        fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", behind.wait)
        while not ended:
            time.sleep(0.001)
        assert ended == [STATUS["EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"]]
        buffer_commands.enqueue_read_buffer(on.queue, buffer, True, 0, r)
        assert list(r) == [0, 0, 1]


def test_times(bench):
    on = bench("""
        void wait(global int *r) { for (int i = 0; i < 200000; i++) atomic_inc(&r[0]); }
        kernel void k(global int *r, global ulong *t) {
            clk_event_t gate = create_user_event(), e, f;
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &gate, &e, ^{
                wait(r); enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ wait(r); wait(r); }); });
            capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, t);
            set_user_event_status(gate, CL_COMPLETE);
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &e, NULL, ^{
                capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, t + 2); });
            wait(r);
        }""", bits=DEFAULT | codes.QUEUE_PROFILING_ENABLE, host=codes.QUEUE_PROFILING_ENABLE)
    r, t = zeros(1), zeros(4, np.uint64)
    event = on.run("k", r, t)
    assert 0 < t[0] < t[1]
    assert list(t[:2]) == list(t[2:])
    start, end, complete = (event.profile(each) for each in (codes.PROFILING_COMMAND_START, codes.PROFILING_COMMAND_END,
                                                             codes.PROFILING_COMMAND_COMPLETE))
    assert start < end < complete
    assert complete - start > t[1]


SET = "kernel void set(global int *r, queue_t q, int n) { r[1] = enqueue_kernel(q, 0, ndrange_1D(1), ^{ r[0] = n; }); }"


def test_queues_are_arguments(bench):
    on = bench(SET, "-cl-std=CL3.0 -g")
    own, r = device_queue(on.context, size=1 << 16), zeros(2)
    on.run("set", r, own, 8)
    assert list(r) == [8, 0]
    kernel = Kernel(on.program, "set")
    for wrong in (on.queue, None, 5):
        fails("INVALID_DEVICE_QUEUE", kernel.set_arg, 1, wrong)
    elsewhere = Bench(on.context.devices[0], SET)
    fails("INVALID_DEVICE_QUEUE", kernel.set_arg, 1, elsewhere.default)
    kernel.set_arg(1, own)
    buffer = Buffer(on.context, codes.MEM_COPY_HOST_PTR, 8, r)
    kernel.set_arg(0, buffer)
    kernel.set_arg(2, np.int32(9))
    own.release()
    fails("INVALID_DEVICE_QUEUE", kernel.set_arg, 1, own)
    on.context.reclaim_all()  # The buffer's first contents may have been on their way, with which nothing goes.
    device_queue(on.context)  # takes the released one's place
    enqueue_nd_range_kernel(on.queue, kernel, 1, None, (1,), None)
    buffer_commands.enqueue_read_buffer(on.queue, buffer, True, 0, r)
    assert list(r) == [8, -102]


def test_the_default_queue(bench):
    source = """kernel void k(global int *r, queue_t q) { r[0] = get_default_queue() == q; r[1] = get_default_queue() == CLK_NULL_QUEUE;
                                                               r[2] = 0 == get_default_queue(); r[3] = q != 0; }"""
    on = bench(source)
    device = on.context.devices[0]
    assert device_queue(on.context, DEFAULT) is on.default
    assert on.queue.get_info(codes.QUEUE_DEVICE_DEFAULT) is on.default
    assert on.default.get_info(codes.QUEUE_DEVICE_DEFAULT) is on.default
    other, r = device_queue(on.context), zeros(4)
    on.run("k", r, other)
    assert list(r) == [0, 0, 0, 1]
    set_default_device_command_queue(on.context, device, other)
    on.run("k", r, other)
    assert list(r) == [1, 0, 0, 1]
    other.release()
    assert on.queue.get_info(codes.QUEUE_DEVICE_DEFAULT) is None
    on.run("k", r, on.default)
    assert list(r) == [0, 1, 1, 1]
    fails("INVALID_COMMAND_QUEUE", set_default_device_command_queue, on.context, device, other)
    fails("INVALID_COMMAND_QUEUE", set_default_device_command_queue, on.context, device, on.queue)
    fails("INVALID_COMMAND_QUEUE", set_default_device_command_queue, Context([device]), device, on.default)
    fails("INVALID_DEVICE", set_default_device_command_queue, on.context, None, on.default)
    fails("INVALID_CONTEXT", set_default_device_command_queue, None, device, on.default)


def test_children_belong_to_their_parents_command(bench):
    """What comes after the parent's command comes after its children, in queues of both kinds and behind a user event."""
    source = """
        kernel void slow(global int *r) {
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),
                           ^{ for (int i = 0; i < 1000000; i++) atomic_inc(&r[0]); r[1] = 1; });
        }
        kernel void after(global int *r) { r[2] = r[1]; }"""
    for host in (0, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE):
        on = bench(source, host=host)
        r, gate = zeros(3), UserEvent(on.context)
        event, [(buffer, _)] = on.start("slow", r, wait_for=(gate,))
        after = Kernel(on.program, "after")
        after.set_arg(0, buffer)
        last = enqueue_nd_range_kernel(on.queue, after, 1, None, (1,), None, (event,))
        assert event.status == codes.QUEUED
        gate.set_status(codes.COMPLETE)
        last.wait()
        assert event.status == codes.COMPLETE
        buffer_commands.enqueue_read_buffer(on.queue, buffer, True, 0, r)
        assert list(r) == [1000000, 1, 1]
        on.queue.finish()


def test_arguments_are_those_of_the_enqueuing(bench):
    on = bench(SET)
    r, gate = zeros(2), UserEvent(on.context)
    buffer, kernel = Buffer(on.context, codes.MEM_COPY_HOST_PTR, 8, r), Kernel(on.program, "set")
    kernel.set_arg(0, buffer)
    kernel.set_arg(1, on.default)
    kernel.set_arg(2, np.int32(3))
    enqueue_nd_range_kernel(on.queue, kernel, 1, None, (1,), None, (gate,))
    kernel.set_arg(2, np.int32(4))
    gate.set_status(codes.COMPLETE)
    buffer_commands.enqueue_read_buffer(on.queue, buffer, True, 0, r)
    assert r[0] == 3


def test_what_is_told_of_blocks(bench):
    on = bench("""
        kernel void k(global uint *r) {
            void (^b)(void) = ^{ r[9] = 1; };
            r[0] = get_kernel_work_group_size(b);
            r[1] = get_kernel_work_group_size(^(local int *x) { x[0] = 1; });
            r[2] = get_kernel_preferred_work_group_size_multiple(b);
            r[3] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(100, 100), b);
            r[4] = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(100, 100), b);
        }""")
    r = zeros(10, np.uint32)
    on.run("k", r)
    most = on.context.devices[0].properties.max_work_group_size
    assert 0 < r[0] <= most and 0 < r[1] <= most
    assert list(r[2:5]) == [32, 4, 32] and not r[9]


def test_linked_programs_and_binaries(bench, real_device):
    on = bench("kernel void unused() { }")
    parts = ["""extern void deeper(global int *r);
                kernel void k(global int *r) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ r[0] = 1; deeper(r); }); }""",
             """void deeper(global int *r) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(2), ^{ atomic_inc(&r[1]); }); }"""]
    compiled = [Program(on.context, source) for source in parts]
    for each in compiled:
        each.compile("-cl-std=CL3.0")
    from cl2cuda.runtime.program.link import link_program

    on.program = link_program(on.context, [real_device], "", compiled)
    assert on.program.kernel_names == ("k",)
    r = zeros(2)
    on.run("k", r)
    assert list(r) == [1, 2]
    on.program = Program.from_binaries(on.context, [real_device], on.program.binaries())
    on.program.build()
    on.run("k", r := zeros(2))
    assert list(r) == [1, 2]


def test_parents_cannot_be_recorded(bench):
    from cl2cuda.runtime.command_buffer.command_buffer import CommandBuffer
    from cl2cuda.runtime.command_buffer.recording import nd_range_kernel

    on = bench(SET)
    kernel = Kernel(on.program, "set")
    for index, value in enumerate((Buffer(on.context, 0, 8), on.default, np.int32(1))):
        kernel.set_arg(index, value)
    fails("INVALID_OPERATION", nd_range_kernel, CommandBuffer([on.queue]), kernel, 1, None, (1,), None)
