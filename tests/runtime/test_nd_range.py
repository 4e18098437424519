"""ND-ranges: sizes checked and chosen, plans reused, and what a grid is made of."""

import gc
import itertools
import time
import weakref

import pytest
from support.fails import fails
from support.fake_driver import FakeDevice, FakeFunction, FakeStream
from support.fake_kernels import make
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel, suggested_local_work_size
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda import launch as cuda_launch
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.kernel import work_size
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.event import Event, UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue


@pytest.fixture
def run(fake):
    """Launches a kernel and gives the sizes that the driver saw."""
    seen = []
    made = {}

    def call(size, local=None, offset=None, options="", dim=None, **info):
        key = (options, *info)
        if key not in made:
            made[key] = make(fake, kernel_info("f" + str(len(made)), **info), lambda p, s: seen.append(s), options)
        enqueue_nd_range_kernel(fake.queue, made[key], dim or len(size), offset, size, local)
        return seen.pop() if seen else None

    call.made = made
    return call


def test_sizes_are_padded(run):
    sizes = run((8, 6), (4, 3), (1, 2))
    assert (sizes.work_dim, sizes.global_size, sizes.local_size, sizes.offset) == (2, (8, 6, 1), (4, 3, 1), (1, 2, 0))


@pytest.mark.parametrize(("arguments", "status"), [
    (dict(size=(8,), dim=4), "INVALID_WORK_DIMENSION"),
    (dict(size=(8,), dim=2), "INVALID_GLOBAL_WORK_SIZE"),
    (dict(size=(8,), local=(3,)), "INVALID_WORK_GROUP_SIZE"),
    (dict(size=(8,), local=(0,)), "INVALID_WORK_GROUP_SIZE"),
    (dict(size=(8,), local=(2, 2)), "INVALID_WORK_GROUP_SIZE"),
    (dict(size=(1024,), local=(1024,)), "INVALID_WORK_GROUP_SIZE"),  # this kernel's limit is 512
    (dict(size=(4096,), local=(2048,)), "INVALID_WORK_ITEM_SIZE"),
    (dict(size=(1, 1, 128), local=(1, 1, 128)), "INVALID_WORK_ITEM_SIZE"),
    (dict(size=(8,), offset=(2**64 - 4,)), "INVALID_GLOBAL_OFFSET"),
    (dict(size=(8,), local=(4,), reqd_work_group_size=(8, 1, 1)), "INVALID_WORK_GROUP_SIZE"),
    (dict(size=(12,), reqd_work_group_size=(8, 1, 1)), "INVALID_WORK_GROUP_SIZE"),
    (dict(size=(7,), local=(3,), options="-cl-std=CL2.0 -cl-uniform-work-group-size"), "INVALID_WORK_GROUP_SIZE"),
])
def test_what_launches_refuse(run, arguments, status):
    fails(status, lambda: run(**arguments))


def test_the_required_size_is_taken(run):
    assert run((64,), reqd_work_group_size=(16, 1, 1)).local_size == (16, 1, 1)


def test_later_language_versions_allow_smaller_groups_at_the_edge(run):
    assert run((7,), (3,), options="-cl-std=CL2.0").local_size == (3, 1, 1)


def test_an_empty_range_runs_nothing_and_has_an_event(fake, run):
    assert run((0,)) is None
    assert run((4, 0)) is None
    assert run(None, dim=1) is None
    assert isinstance(enqueue_nd_range_kernel(fake.queue, next(iter(run.made.values())), 1, None, (0,), None), Event)


def test_lists_and_numpy_sizes_work_too(run):
    assert run([8, 2], [4, 1], [0, 0]).global_size == (8, 2, 1)


def test_plans_are_reused_and_dropped_with_local_memory(fake, run):
    for _ in range(3):
        run((64,), (32,))
    kernel = next(iter(run.made.values()))
    assert len(set(kernel.plans.values())) == 1
    run((32,), (32,))
    assert len(set(kernel.plans.values())) == 2
    kernel.release()
    fails("INVALID_KERNEL", lambda: run((64,), (32,)))


def test_a_queue_has_the_plans_of_the_one_that_had_its_stream(fake, monkeypatch):
    """On CUDA a queue's stream becomes another's. What is wrong with a launch is said all the same."""
    resting = []

    class Resting(FakeStream):
        def close(self):
            resting.append(self)

    monkeypatch.setattr(fake.driver, "open_stream", lambda hints=None: resting.pop() if resting else Resting(fake.driver))
    seen, prepared = [], []
    kernel = make(fake, kernel_info("f", arg("x", "value", 4)), lambda p, s: seen.append(s))
    function = kernel.function("", fake.device)
    prepare = function.prepare
    monkeypatch.setattr(function, "prepare", lambda *given: prepared.append(given) or prepare(*given))

    def launch(queue):
        enqueue_nd_range_kernel(queue, kernel, 1, None, (64,), (32,))
        queue.finish()

    def launch_in_new_queue():
        queue = CommandQueue(fake.context, fake.device)
        launch(queue)
        launch(queue)
        queue.release()

    for number in range(4):
        if number:
            kernel.arguments.unset.add(0)
        fails("INVALID_KERNEL_ARGS", launch_in_new_queue)
        gc.collect()
        kernel.set_arg(0, bytes(4))
        launch_in_new_queue()
        assert len(prepared) == 1 and len(seen) == 2 * (number + 1)
    first, second = CommandQueue(fake.context, fake.device), CommandQueue(fake.context, fake.device)
    launch(first), launch(second)
    assert len(prepared) == 2
    kernel.drop_plans()
    launch(first)
    assert len(prepared) == 3


def test_plans_come_back_with_the_size_of_local_memory(fake):
    launched = []
    kernel = make(fake, kernel_info("tiles", arg("a", "local")), lambda p, s: launched.append(s))
    numbers, plans = {}, {}

    def launch(size):
        kernel.set_arg(0, LocalMemory(size))
        enqueue_nd_range_kernel(fake.queue, kernel, 1, None, (64,), (32,))
        assert launched.pop().dynamic_local == size
        (plan,) = set(kernel.plans.values())
        return kernel.plans_number.value, plan

    for size in (1024, 2048, 4096):
        numbers[size], plans[size] = launch(size)
    assert len(set(numbers.values())) == 3
    for size in (2048, 1024, 4096, 4096):
        assert launch(size) == (numbers[size], plans[size])

    for size in range(100, 130):  # more than are kept
        launch(size)
    number, plan = launch(1024)
    assert number not in numbers.values() and plan is not plans[1024]
    kernel.drop_plans()
    assert launch(4096)[0] > number


@pytest.mark.parametrize(("size", "expected"), [
    ((1 << 20,), (256, 1, 1)),
    ((10_000_000,), (160, 1, 1)),
    ((1000,), (250, 1, 1)),
    ((96,), (96, 1, 1)),
    ((1,), (1, 1, 1)),
    ((1024, 768), (32, 8, 1)),
    ((4, 4096), (4, 64, 1)),
    ((64, 64, 64), (32, 8, 1)),
])
def test_chosen_sizes_on_a_gpu(size, expected):
    full = (*size, 1, 1)[:3]
    chosen = work_size.choose(full, len(size), 1024, (1024, 1024, 64), warp=32, gpu=True)
    assert chosen == expected


def test_chosen_sizes_are_as_deep_as_is_quick():
    assert work_size.choose((1, 1, 1024), 3, 1024, (1024, 1024, 1024), warp=32, gpu=True) == (1, 1, 64)
    assert work_size.choose((1, 1, 1024), 3, 1024, (1024, 1024, 1024), warp=8, gpu=False) == (1, 1, 1024)


def test_chosen_sizes_always_divide_and_fit():
    for x, y, limit, gpu in itertools.product((1, 7, 30, 33, 64, 257, 1000, 1021), (1, 5, 64, 509), (32, 64, 1024), (True, False)):
        size = (x, y, 6)
        group = work_size.choose(size, 3, limit, (1024, 1024, 64), warp=32, gpu=gpu)
        assert all(s % g == 0 for s, g in zip(size, group, strict=True))
        assert group[0] * group[1] * group[2] <= limit


def test_a_prime_size_runs_in_full_groups_where_nobody_can_tell(fake, run):
    assert run((1_000_003,)).local_size == (256, 1, 1)
    assert run((1_000_003,), observes_groups=True).local_size == (1, 1, 1)
    assert run((1_000_003,), options="-cl-std=CL2.0", observes_groups=True).local_size == (256, 1, 1)


def test_sizes_without_good_divisors_are_rounded_up_where_that_is_one_launch(run, monkeypatch):
    size = 2741, 1021
    assert run(size).local_size == run(size, offset=(1, 0)).local_size == (32, 8, 1)
    monkeypatch.setattr(FakeFunction, "rounds", True)
    again = {"options": "-D again"}
    assert run(size, **again).local_size == (256, 1, 1) and run(size, offset=(1, 0), **again).local_size == (32, 8, 1)
    assert run((1000,), **again).local_size == (250, 1, 1) and run((37 * 10_007,), **again).local_size == (37, 1, 1)


def test_what_is_suggested_may_be_given(run, fake):
    """clGetKernelSuggestedLocalWorkSizeKHR: where groups have to divide the size, it is one that does."""
    run((64,)), run((64,), options="-cl-std=CL2.0")
    uniform, other = run.made.values()
    assert suggested_local_work_size(fake.queue, uniform, 1, None, (1_000_003,)) == (1,)
    assert suggested_local_work_size(fake.queue, other, 1, None, (1_000_003,)) == (256,)


# CUDA grids.


def covered(work_dim, size, local, offset, limits):
    """Every global id, computed as the general variant does."""
    ids = []
    for grid, block, record in cuda_launch.pieces(work_dim, size, local, offset, limits):
        assert all(g <= limit for g, limit in zip(grid, limits, strict=True))
        threads = cuda_launch.block_of(block)
        assert max(threads) <= 1024 and threads[2] <= 64
        for group in itertools.product(*map(range, grid)):
            for thread in itertools.product(*map(range, threads)):
                item = cuda_launch.unfolded(record, thread)
                ids.append(tuple(record.offset[d] + (record.group_base[d] + group[d]) * record.enqueued_local[d] + item[d] for d in range(3)))
    return ids


@pytest.mark.parametrize(("size", "local"), [
    ((10, 1, 1), (4, 1, 1)), ((3, 1, 1), (4, 1, 1)), ((9, 7, 5), (4, 3, 2)), ((8, 8, 8), (4, 4, 4)), ((3, 2, 140), (3, 2, 70)),
    ((3, 3, 150), (2, 2, 80)),
])
def test_pieces_cover_every_id_once(size, local):
    for limits, offset in itertools.product([(2, 2, 2), (1, 1, 1), (100, 100, 100)], [(0, 0, 0), (5, 2**40, 1)]):
        ids = covered(3, size, local, offset, limits)
        expected = itertools.product(*(range(o, o + s) for s, o in zip(size, offset, strict=True)))
        assert sorted(ids) == sorted(expected)


def test_what_is_plain():
    plain = cuda_launch.is_plain
    assert plain((1 << 31, 1, 1), (256, 1, 1), (0, 0, 0))
    assert not plain((1 << 32, 1, 1), (256, 1, 1), (0, 0, 0))
    assert not plain((64, 1, 1), (48, 1, 1), (0, 0, 0))
    assert not plain((64, 65536, 1), (32, 1, 1), (0, 0, 0))
    assert plain((64, 65536, 1), (32, 2, 1), (0, 0, 0))
    assert plain((2, 2, 640), (2, 2, 64), (0, 0, 0))
    assert not plain((2, 2, 650), (2, 2, 65), (0, 0, 0))
    assert not plain((64, 1, 1), (32, 1, 1), (1, 0, 0))


def test_the_hot_path_is_short(fake):
    """A launch through the object model costs a few microseconds at most; generous, since machines are shared."""
    kernel = make(fake, kernel_info("hot", arg("a", "value", 4)))
    kernel.set_arg(0, bytes(4))
    size, local = (1024,), (64,)
    enqueue_nd_range_kernel(fake.queue, kernel, 1, None, size, local)
    kernel.plans.update(dict.fromkeys(kernel.plans, lambda: None))
    best = min(_time(lambda: enqueue_nd_range_kernel(fake.queue, kernel, 1, None, size, local)) for _ in range(5))
    assert best < 20e-6


def _time(call, count=2000):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def test_a_sub_buffer_that_one_device_aligns_and_another_does_not(fake):
    fake.kernels[:] = [kernel_info("f", arg("x", "global"))]
    devices = [Device(fake.device.platform, "fake", FakeDevice(base_address_align=align)) for align in (256, 512)]
    for device in devices:
        device.driver_device.bodies["f"] = lambda parameters, sizes: None
    context = Context(devices)
    queues = [CommandQueue(context, device) for device in devices]
    program = Program(context, "")
    program.build()
    kernel, whole = Kernel(program, "f"), Buffer(context, 0, 1024)
    launches = [lambda queue=queue: enqueue_nd_range_kernel(queue, kernel, 1, None, (4,), None) for queue in queues]
    parts = [whole.sub_buffer(0, origin, 256) for origin in (512, 256)]  # kernels keep no buffer alive
    kernel.set_arg(0, parts[0])
    for launch in launches:
        launch()
    kernel.set_arg(0, parts[1])
    launches[0]()
    fails("MISALIGNED_SUB_BUFFER_OFFSET", launches[1])
    start = UserEvent(context)
    fails("MISALIGNED_SUB_BUFFER_OFFSET", enqueue_nd_range_kernel, queues[1], kernel, 1, None, (4,), None, [start])


def test_a_buffer_that_one_device_has_no_room_for(fake):
    fake.kernels[:] = [kernel_info("f", arg("x", "global"))]
    devices = [Device(fake.device.platform, "fake", FakeDevice(**more)) for more in ({}, {"global_memory": 1023})]
    for device in devices:
        device.driver_device.bodies["f"] = lambda parameters, sizes: None
    context = Context(devices)
    program = Program(context, "")
    program.build()
    kernel, buffer = Kernel(program, "f"), Buffer(context, 0, 1024)
    kernel.set_arg(0, buffer)
    enqueue_nd_range_kernel(CommandQueue(context, devices[0]), kernel, 1, None, (4,), None)
    fails("MEM_OBJECT_ALLOCATION_FAILURE", enqueue_nd_range_kernel, CommandQueue(context, devices[1]), kernel, 1, None, (4,), None)


def test_wait_lists_are_of_events_of_the_context(fake):
    kernel = make(fake, kernel_info("f"))
    fails("INVALID_EVENT_WAIT_LIST", enqueue_nd_range_kernel, fake.queue, kernel, 1, None, (4,), None, [None])
    fails("INVALID_CONTEXT", enqueue_nd_range_kernel, fake.queue, kernel, 1, None, (4,), None, [UserEvent(Context([fake.device]))])


def test_a_kernel_goes_when_nobody_has_it(fake):
    """Programs that ask their program for a kernel at each launch would else have garbage searched for all the time."""
    kernel = make(fake, kernel_info("goes", arg("x", "global"), arg("n", "value", 4), arg("a", "local")), lambda p, s: None)
    kernel.set_arg(0, Buffer(fake.context, 0, 64))
    kernel.set_arg(1, bytes(4))
    kernel.set_arg(2, LocalMemory(64))
    enqueue_nd_range_kernel(fake.queue, kernel, 1, None, (64,), (32,))
    arguments, gone = kernel.arguments, weakref.ref(kernel)
    gc.disable()
    try:
        del kernel
        assert gone() is None
    finally:
        gc.enable()
    arguments.set_local_size(2, 128)  # as whoever still has them may
    arguments.drop_plans()
