"""Mutable commands: what updates change, when, and what they refuse."""

import ctypes
import gc
from types import SimpleNamespace

import numpy as np
import pytest
from support.fails import fails
from support.kernel_facts import arg, kernel_info
from support.recorded import FLAGS, MUTABLE, Built, On, imagine_graphs

from cl2cuda.runtime.command_buffer import recording
from cl2cuda.runtime.command_buffer.mutable_dispatch import DispatchConfig, update_mutable_commands
from cl2cuda.runtime.commands import svm as svm_commands
from cl2cuda.runtime.driver.interface import DriverError
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.svm import svm_alloc, svm_free
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.spec import codes


@pytest.fixture
def built(real_device):
    return Built(real_device)


def test_kernels_change_between_enqueues(built):
    first, second = built.buffer(np.zeros(64, np.int32)), built.buffer(np.zeros(64, np.int32))
    kernel = built.kernel("add", first, np.int32(1))
    record = built.command_buffer(MUTABLE)
    command = recording.nd_range_kernel(record, kernel, 1, None, (64,), (16,))
    recording.nd_range_kernel(record, kernel, 1, None, (64,), None)
    record.finalize()
    record.enqueue().wait()
    assert (built.read(first) == 2).all()
    update_mutable_commands(record, (DispatchConfig(command, {0: second, 1: np.int32(5)}, global_size=(32,), local_size=(8,)),))
    record.enqueue().wait()
    assert (built.read(first) == 3).all() and (built.read(second) == np.repeat((5, 0), 32)).all()
    assert command.get_info(codes.MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR) == (32,)
    assert command.get_info(codes.MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR) == (8,)
    update_mutable_commands(record, (DispatchConfig(command, {1: np.int32(7)}, global_offset=(3,), work_dim=1),))
    record.enqueue().wait()
    expected = np.repeat((5, 0), 32)
    expected[3:35] += 7
    assert (built.read(second) == expected).all()
    # The kernel object knows nothing of it.
    record.release()
    from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel

    enqueue_nd_range_kernel(built.queue, kernel, 1, None, (64,), None)
    assert (built.read(first) == 5).all()


def test_svm_arguments_and_execution_information_change(built):
    address = svm_alloc(built.context, 0, 256)
    svm_commands.enqueue_svm_fill(built.queue, address, b"\0", 256)
    record = built.command_buffer(MUTABLE)
    command = recording.nd_range_kernel(record, built.kernel("add", None, np.int32(4)), 1, None, (64,), None)
    record.finalize()
    info = {codes.KERNEL_EXEC_INFO_SVM_PTRS: (address,)}
    update_mutable_commands(record, (DispatchConfig(command, svm_arguments={0: address}, exec_info=info),))
    record.enqueue()
    back = np.zeros(64, np.int32)
    svm_commands.enqueue_svm_memcpy(built.queue, True, back.ctypes.data, address, 256)
    assert (back == 4).all()
    svm_free(built.context, address)


def test_an_update_that_fails_changes_nothing(built):
    buffer = built.buffer(np.zeros(64, np.int32))
    record = built.command_buffer(MUTABLE)
    fields = ((codes.MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, codes.MUTABLE_DISPATCH_ARGUMENTS_KHR),)
    kernel = built.kernel("add", buffer, np.int32(1))
    command = recording.nd_range_kernel(record, kernel, 1, None, (64,), (8,), properties=fields)
    free = recording.nd_range_kernel(record, kernel, 1, None, (64,), (8,))
    fill = recording.barrier(record)
    fails("INVALID_OPERATION", update_mutable_commands, record, (DispatchConfig(command),))
    record.finalize()
    change = {1: np.int32(100)}
    for status, config in (
        ("INVALID_ARG_INDEX", DispatchConfig(free, {2: np.int32(1)})), ("INVALID_ARG_SIZE", DispatchConfig(free, {1: b"abc"})),
        ("INVALID_OPERATION", DispatchConfig(command, global_size=(8,))), ("INVALID_OPERATION", DispatchConfig(command, local_size=(8,))),
        ("INVALID_OPERATION", DispatchConfig(command, global_offset=(8,))),
        ("INVALID_OPERATION", DispatchConfig(command, exec_info={codes.KERNEL_EXEC_INFO_SVM_PTRS: ()})),
        ("INVALID_OPERATION", DispatchConfig(free, work_dim=2)), ("INVALID_VALUE", None),
        ("INVALID_WORK_GROUP_SIZE", DispatchConfig(free, local_size=(0,))), ("INVALID_MUTABLE_COMMAND_KHR", DispatchConfig(fill)),
        ("INVALID_MUTABLE_COMMAND_KHR", DispatchConfig(None)),
    ):
        fails(status, update_mutable_commands, record, (DispatchConfig(command, change), config))
    other = built.command_buffer(MUTABLE)
    other.finalize()
    fails("INVALID_MUTABLE_COMMAND_KHR", update_mutable_commands, other, (DispatchConfig(command, change),))
    fails("INVALID_COMMAND_BUFFER_KHR", update_mutable_commands, None, ())
    record.enqueue()
    assert (built.read(buffer) == 2).all()
    update_mutable_commands(record, (DispatchConfig(command, change),))
    record.enqueue()
    assert (built.read(buffer) == 103).all()


def test_what_was_not_created_mutable_does_not_change(built):
    fixed = built.command_buffer()
    command = recording.nd_range_kernel(fixed, built.kernel("add", None, np.int32(1)), 1, None, (64,), None)
    fixed.finalize()
    fails("INVALID_OPERATION", update_mutable_commands, fixed, (DispatchConfig(command),))


@pytest.mark.parametrize("flags", [codes.COMMAND_BUFFER_MUTABLE_KHR,
                                   codes.COMMAND_BUFFER_MUTABLE_KHR | codes.COMMAND_BUFFER_SIMULTANEOUS_USE_KHR])
@pytest.mark.parametrize("out_of_order", [False, True])
def test_an_update_leaves_what_is_enqueued_alone(built, flags, out_of_order):
    """Neither what waits for its turn nor what runs is changed by it, only "future enqueues"."""
    if out_of_order:
        built.queue = create_command_queue(built.context, built.device, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    buffer = built.buffer(np.zeros(64, np.int32))
    record = built.command_buffer(((FLAGS, flags),))
    command = recording.nd_range_kernel(record, built.kernel("twice_and", buffer, np.int32(1)), 1, None, (64,), None)
    record.finalize()
    gate = UserEvent(built.context)
    event = record.enqueue(None, (gate,))
    for value in (2, 3):
        update_mutable_commands(record, (DispatchConfig(command, {1: np.int32(value)}),))
        event = record.enqueue(None, (event,))
    gate.set_status(0)
    event.wait()
    assert (built.read(buffer) == (1 * 2 + 2) * 2 + 3).all()


def test_the_last_of_several_changes_counts(built):
    buffer = built.buffer(np.zeros(64, np.int32))
    record = built.command_buffer(MUTABLE)
    command = recording.nd_range_kernel(record, built.kernel("add", None, np.int32(1)), 1, None, (64,), (8,))
    record.finalize()
    update_mutable_commands(record, ())
    update_mutable_commands(record, (DispatchConfig(command, {0: buffer, 1: np.int32(7)}), DispatchConfig(command, {1: np.int32(9)})))
    update_mutable_commands(record, (DispatchConfig(command, global_size=(32,)),))
    record.enqueue()
    assert (built.read(buffer) == np.repeat((9, 0), 32)).all()


def test_work_groups_stay_uniform_or_not(built):
    buffer = built.buffer(np.zeros(100, np.int32))
    record = built.command_buffer(MUTABLE)
    kernel = built.kernel("add", buffer, np.int32(1))
    even = recording.nd_range_kernel(record, kernel, 1, None, (64,), (8,))
    uneven = recording.nd_range_kernel(record, kernel, 1, None, (60,), (8,))
    free = recording.nd_range_kernel(record, kernel, 1, None, (60,), None)
    record.finalize()
    for config in (DispatchConfig(even, global_size=(65,)), DispatchConfig(even, local_size=(7,)), DispatchConfig(uneven, global_size=(64,)),
                   DispatchConfig(uneven, local_size=(10,))):
        fails("INVALID_OPERATION", update_mutable_commands, record, (config,))
    update_mutable_commands(record, (
        DispatchConfig(even, global_size=(63,), local_size=(9,)), DispatchConfig(uneven, global_size=(50,)), DispatchConfig(free, global_size=(97,))))
    record.enqueue()
    assert (built.read(buffer) == np.repeat((3, 2, 1, 0), (50, 13, 34, 3))).all()


# Arguments that an update sets first

WAITS = ((codes.MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, codes.MUTABLE_DISPATCH_ARGUMENTS_KHR | codes.MUTABLE_DISPATCH_GLOBAL_SIZE_KHR),)


def test_arguments_may_be_set_after_recording(built):
    buffer = built.buffer(np.zeros(64, np.int32))
    record = built.command_buffer(MUTABLE)
    kernel = built.kernel("add")
    kernel.set_arg(1, np.int32(5))
    ask = lambda: record.get_info(codes.COMMAND_BUFFER_STATE_KHR)  # noqa: E731
    recording.fill_buffer(record, buffer, b"\1\0\0\0", 0, 64)
    first, second = (recording.nd_range_kernel(record, kernel, 1, None, (64,), None, properties=WAITS) for _ in range(2))
    assert first.get_info(codes.MUTABLE_COMMAND_COMMAND_TYPE_KHR) == codes.COMMAND_NDRANGE_KERNEL
    record.finalize()
    assert ask() == codes.COMMAND_BUFFER_STATE_FINALIZED_KHR
    fails("INVALID_OPERATION", record.enqueue)
    fails("INVALID_OPERATION", record.finalize)
    fails("INVALID_OPERATION", recording.barrier, record)
    update_mutable_commands(record, (DispatchConfig(first, {0: buffer}), DispatchConfig(second, {1: np.int32(30)})))
    assert ask() == codes.COMMAND_BUFFER_STATE_FINALIZED_KHR
    update_mutable_commands(record, (DispatchConfig(second, {0: buffer}, global_size=(32,)),))
    assert ask() == codes.COMMAND_BUFFER_STATE_EXECUTABLE_KHR
    record.enqueue()
    expected = np.repeat((5, 5), 32)
    expected[:16] += 1
    expected[:32] += 30
    assert (built.read(buffer) == expected).all()
    assert kernel.arguments.unset == {0}


def test_where_arguments_must_be_set_at_once(built):
    """Only a mutable command-buffer waits for them, and only for commands whose properties name arguments."""
    kernel = built.kernel("add", None)
    nd_range = recording.nd_range_kernel
    only_sizes = ((codes.MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, codes.MUTABLE_DISPATCH_GLOBAL_SIZE_KHR),)
    for of, properties in ((MUTABLE, ()), (MUTABLE, only_sizes), ((), WAITS)):
        fails("INVALID_KERNEL_ARGS", lambda: nd_range(
            built.command_buffer(of), kernel, 1, None, (64,), None, properties=properties))  # noqa: B023


def test_what_else_is_wrong_is_said_while_arguments_are_missing(built):
    record, kernel = built.command_buffer(MUTABLE), built.kernel("add")
    sized = lambda dimensions, size, group: recording.nd_range_kernel(  # noqa: E731
        record, kernel, dimensions, None, size, group, properties=WAITS)
    fails("INVALID_WORK_DIMENSION", sized, 4, (1,), None)
    fails("INVALID_GLOBAL_WORK_SIZE", sized, 1, (1, 1), None)
    fails("INVALID_WORK_GROUP_SIZE", sized, 1, (64,), (0,))
    command = sized(1, (64,), (8,))
    record.finalize()
    fails("INVALID_OPERATION", update_mutable_commands, record, (DispatchConfig(command, local_size=(16,)),))
    fails("INVALID_ARG_INDEX", update_mutable_commands, record, (DispatchConfig(command, {0: None, 2: None}),))
    fails("INVALID_OPERATION", record.enqueue)


def test_a_size_may_be_set_after_recording(built):
    """A launch without a global size runs nothing; an update gives it one."""
    buffer = built.buffer(np.zeros(64, np.int32))
    record = built.command_buffer(MUTABLE)
    command = recording.nd_range_kernel(record, built.kernel("add", buffer, np.int32(1)), 1, None, None, (8,))
    record.finalize()
    record.enqueue()
    assert (built.read(buffer) == 0).all()
    update_mutable_commands(record, (DispatchConfig(command, global_size=(36,)),))
    record.enqueue()
    assert (built.read(buffer) == np.repeat((1, 0), (36, 28))).all()


@pytest.fixture
def noted(fake):
    """A mutable command-buffer of two kernels over imagined graphs, and the arguments that were launched."""
    graphs, seen = imagine_graphs(fake.driver), []
    fake.kernels[:] = [kernel_info("k", arg("n", "value", 4, parameter=True))]
    fake.driver.bodies["k"] = lambda parameters, sizes: seen.append(ctypes.string_at(ctypes.c_void_p.from_address(parameters).value, 4))
    on = On(fake.device)
    program = Program(on.context, "")
    program.build()
    kernel = Kernel(program, "k")
    record = on.command_buffer(MUTABLE)
    commands = []
    for value in (b"aaaa", b"AAAA"):
        kernel.set_arg(0, value)
        commands.append(recording.nd_range_kernel(record, kernel, 1, None, (1,), None))
    record.finalize()
    return SimpleNamespace(on=on, graphs=graphs, seen=seen, record=record, commands=commands, driver=fake.driver)


def launched(noted):
    """What an enqueue launches."""
    noted.seen.clear()
    noted.record.enqueue()
    noted.on.queue.finish()
    return b" ".join(noted.seen).decode()


def change(noted, **values):
    update_mutable_commands(noted.record, [DispatchConfig(noted.commands["first last".split().index(which)], {0: value.encode()})
                                           for which, value in values.items()])


def test_the_graph_is_told_of_changes(noted):
    assert launched(noted) == "aaaa AAAA"
    change(noted, last="BBBB")
    assert launched(noted) == "aaaa BBBB"
    change(noted, first="cccc", last="CCCC")
    change(noted, first="dddd")
    assert launched(noted) == "dddd CCCC"
    noted.on.context.reclaim()
    assert [(graph.changes, graph.closed) for graph in noted.graphs] == [(3, False)]
    noted.record.release()
    noted.on.context.reclaim()
    assert noted.graphs[0].closed


def test_no_change_reaches_what_waits(noted):
    gate = UserEvent(noted.on.context)
    noted.record.enqueue(None, (gate,))
    change(noted, first="bbbb")
    change(noted, last="BBBB")  # Nothing waits for this graph.
    gate.set_status(0)
    noted.on.queue.finish()
    assert b" ".join(noted.seen) == b"aaaa AAAA" and launched(noted) == "bbbb BBBB"
    assert [graph.changes for graph in noted.graphs] == [0, 1]
    failed = UserEvent(noted.on.context)
    noted.record.enqueue(None, (failed,))
    failed.set_status(-5)
    change(noted, last="CCCC")
    assert launched(noted) == "bbbb CCCC"


def test_an_enqueue_that_is_refused_waits_for_nothing(noted):
    fails("INVALID_CONTEXT", noted.record.enqueue, None, (UserEvent(On(noted.on.device).context),))
    gc.collect()  # The error had it.
    change(noted, last="BBBB")
    assert launched(noted) == "aaaa BBBB" and [graph.changes for graph in noted.graphs] == [1]


def test_what_a_graph_cannot_be_told_is_recorded_anew(noted):
    noted.graphs[0].can_change = False
    change(noted, first="bbbb")
    assert launched(noted) == "bbbb AAAA" and [graph.changes for graph in noted.graphs] == [0, 0]


def test_a_change_that_fails_is_no_change(noted):
    """The graph may be anything by then: nothing launches it any more."""
    noted.graphs[0].fails = True
    change(noted, first="bbbb")
    assert launched(noted) == "bbbb AAAA" and [graph.launches for graph in noted.graphs] == [0, 1]
    noted.graphs[1].fails = True

    def refuse(stream, commands):
        raise DriverError("no memory", "OUT_OF_RESOURCES")

    noted.driver.record = refuse
    fails("OUT_OF_RESOURCES", change, noted, first="cccc")
    assert launched(noted) == "bbbb AAAA" and [graph.launches for graph in noted.graphs] == [0, 1]


def test_graphs_go_when_nothing_needs_them(fake):
    """One for each state of the commands, until the enqueues of that state have ended."""
    graphs = imagine_graphs(fake.driver)
    fake.kernels[:] = [kernel_info("k", arg("n", "value", 4, parameter=True))]
    fake.driver.bodies["k"] = lambda parameters, sizes: None
    on = On(fake.device)
    program = Program(on.context, "")
    program.build()
    kernel = Kernel(program, "k")
    kernel.set_arg(0, b"aaaa")
    record = on.command_buffer(MUTABLE)
    command = recording.nd_range_kernel(record, kernel, 1, None, (1,), None)
    record.finalize()
    gate = UserEvent(on.context)
    record.enqueue(None, (gate,))
    update_mutable_commands(record, (DispatchConfig(command, {0: b"bbbb"}),))
    on.context.reclaim()
    assert [graph.closed for graph in graphs] == [False, False]
    record.enqueue()
    gate.set_status(0)
    on.queue.finish()
    on.context.reclaim()
    assert [(graph.launches, graph.closed) for graph in graphs] == [(1, True), (1, False)]
    record.release()
    assert graphs[1].closed
