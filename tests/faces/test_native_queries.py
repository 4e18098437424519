"""What events and other objects answer in C (runtime/native/queries.c)."""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.image import image as runtime_image
from cl2cuda.runtime.native import library
from cl2cuda.runtime.queue import event as runtime_event

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS, INFO, STATUS = cl.mem_flags, cl.event_info, cl.command_execution_status


@pytest.fixture
def asked(monkeypatch):
    """The events whose status Python's own steps have found."""
    found, genuine = [], runtime_event.Event.status
    monkeypatch.setattr(runtime_event.Event, "status", property(lambda self: found.append(self) or genuine.fget(self)))
    return found


def answers(event):
    return [query(code) for query in (event.get_info, event._query_in_python)
            for code in (INFO.COMMAND_TYPE, INFO.REFERENCE_COUNT, INFO.COMMAND_EXECUTION_STATUS, INFO.CONTEXT, INFO.COMMAND_QUEUE)]


def test_an_end_that_is_known_is_told_at_once(imagined, kernel, asked):
    event = cl.enqueue_nd_range_kernel(imagined.first, kernel, (64,), (64,))
    imagined.make_busy(imagined.stream(imagined.first))
    imagined.cuda.runtime.eventQuery = lambda event: 600 if imagined.busy.value else 0
    assert event.command_execution_status == STATUS.SUBMITTED and asked == [event._core]
    imagined.make_busy()
    assert event.command_execution_status == STATUS.COMPLETE and len(asked) == 2
    imagined.make_busy(imagined.stream(imagined.first))
    assert event.command_execution_status == STATUS.COMPLETE and len(asked) == 2
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        event.get_info(1)
    for wrong in ((), (1, 2), ("x",), (1 << 70,)):
        with pytest.raises(TypeError):
            event.get_info(*wrong)


def test_events_of_every_kind_answer_as_in_python(imagined, kernel):
    gate, refused = cl.UserEvent(imagined.context), cl.UserEvent(imagined.context)
    timed = cl.CommandQueue(imagined.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    events = [gate, refused, cl.enqueue_marker(imagined.first), cl.enqueue_barrier(imagined.second), cl.enqueue_marker(timed),
              cl.enqueue_copy(imagined.first, imagined.buffer, np.zeros(4, np.uint8), is_blocking=False),
              cl.enqueue_marker(imagined.second, wait_for=[gate]), cl.enqueue_marker(imagined.unordered, wait_for=[refused])]
    for _ in range(2):
        for event in events:
            found = answers(event)
            assert found[:5] == found[5:]
        gate.set_status(STATUS.COMPLETE) if gate.command_execution_status else None
        refused.set_status(-7) if refused.command_execution_status > 0 else None
    assert [event.command_execution_status for event in events[:2]] == [0, -7] and events[-1].command_execution_status < 0
    failed = events[2]._core
    failed.timeline.any_failed = True
    failed.timeline._failures = ((0, failed.position, runtime_event.CommandFailed("it failed", "OUT_OF_RESOURCES")),)
    assert events[2].command_execution_status == -5


def told(query, code):
    """The answer, and its class; what an error says, else."""
    try:
        answer = query(code)
    except (cl.Error, TypeError) as failure:
        return type(failure), str(failure)
    if type(answer) is cl.Program:  # PyOpenCL's own, over ours
        answer = answer._prg
    if type(answer) is cl.ImageFormat:
        return type(answer), answer.channel_order, answer.channel_data_type
    return type(answer), answer


def codes_of(info):
    return [value for name, value in vars(info).items() if name.isupper()]


@pytest.fixture(scope="module")
def context():
    return cl.Context([next(device for platform in cl.get_platforms() for device in platform.get_devices()
                            if device.image_support)])


def test_memory_objects_answer_as_in_python(context):
    queue, form = cl.CommandQueue(context), cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    buffer = cl.Buffer(context, FLAGS.READ_WRITE, 8192)
    kinds = cl.mem_object_type
    images = [cl.create_image(context, FLAGS.READ_ONLY, form, shape) for shape in ((7, 5), (7, 5, 3))]
    images += [cl.create_image(context, FLAGS.READ_WRITE, form, (7, 5, 3), is_array=True), cl.create_image(context, 0, form, (2048,), buffer=buffer)]
    images.append(cl.create_image(context, FLAGS.COPY_HOST_PTR, form, (4, 4), (16,), hostbuf=np.zeros(64, np.uint8)))
    assert {image.type for image in images} == {kinds.IMAGE2D, kinds.IMAGE3D, kinds.IMAGE2D_ARRAY, kinds.IMAGE1D_BUFFER}
    mapped = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.READ, 0, 64, np.uint8)[0]
    assert buffer.map_count == 1
    for memory in (buffer, buffer.get_sub_region(4096, 64), *images, cl.Pipe(context, 0, 4, 16)):
        for code in codes_of(cl.mem_info) + codes_of(cl.image_info) + [0, 1 << 70]:
            assert told(memory.get_info, code) == told(memory._query_in_python, code)
    for image in images:
        for code in codes_of(cl.mem_info) + codes_of(cl.image_info) + [0, -1, 1 << 70, "WIDTH"]:
            assert told(image.get_image_info, code) == told(image._image_query_in_python, code)
        first, second = image.format, image.format
        first.channel_order = 0
        assert second.channel_order == cl.channel_order.RGBA == image.format.channel_order
        with pytest.raises(TypeError):
            image.get_image_info()
    assert [(image.width, image.height, image.depth) for image in images[:2]] == [(7, 5, 0), (7, 5, 3)]
    assert images[3].height == 0 and images[3].width == 2048 and images[2].array_size == 3
    del mapped


def test_what_images_of_a_kind_answer_alike_is_asked_once(context, monkeypatch):
    form, asked, genuine = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8), [], runtime_image.Image.get_image_info
    monkeypatch.setattr(runtime_image.Image, "get_image_info", lambda self, code: asked.append(code) or genuine(self, code))

    def made(*shape, **how):
        return cl.create_image(context, FLAGS.READ_WRITE, form, shape, **how)

    def facts(image):
        return image.width, image.height, image.depth, image.array_size, image.element_size, image.format.channel_order

    first, taller = made(37, 5), made(37, 6)
    assert facts(first) == (37, 5, 0, 0, 4, form.channel_order) and len(asked) == 6
    assert facts(first) == facts(made(37, 5)) and len(asked) == 6
    assert facts(taller)[:2] == (37, 6) and len(asked) == 12
    assert facts(made(37, 5, 6, is_array=True)) == (37, 5, 0, 6, 4, form.channel_order)
    # Each has a format of its own to change.
    changed, again = made(37, 5).format, made(37, 5)
    changed.channel_data_type = cl.channel_type.FLOAT
    assert again.format.channel_data_type == form.channel_data_type == again._image_query_in_python(cl.image_info.FORMAT).channel_data_type
    # Pitches are the image's own.
    host = np.zeros((5, 64), np.uint8)
    wide = cl.create_image(context, FLAGS.READ_WRITE | FLAGS.USE_HOST_PTR, form, (13, 5), (64,), hostbuf=host)
    assert (wide.row_pitch, made(13, 5).row_pitch, wide.width) == (64, 52, 13)


def test_kernels_and_programs_answer_as_in_python(context):
    own = cl._cl._Program(context, "#ifdef MORE\nkernel void h(void) {}\n#endif\nkernel void g(int a) {} kernel void f(global int *a, int b) {}")

    def compare():
        for handle, info in ((own, cl.program_info), *((kernel, cl.kernel_info) for kernel in (own.all_kernels() if built else ()))):
            computed = handle._answer if handle is own else handle._query_in_python
            for code in [*codes_of(info), 0, -1, 1 << 70] * 2:
                assert told(handle.get_info, code) == told(computed, code), (handle, code)

    built = False
    compare()
    assert told(own.get_info, cl.program_info.NUM_KERNELS)[1].startswith("clGetProgramInfo failed: INVALID_PROGRAM_EXECUTABLE")
    for options, names in ((b"", "g;f"), (b"-DMORE", "h;g;f"), (b"", "g;f")):
        own._build(options)
        built = True
        compare()
        assert own.get_info(cl.program_info.KERNEL_NAMES) == names and own.get_info(cl.program_info.NUM_KERNELS) == names.count(";") + 1
    with pytest.raises(cl.RuntimeError):
        own._build(b"-DMORE=( -Dkernel=(")
    with pytest.raises(cl.LogicError, match="INVALID_PROGRAM_EXECUTABLE"):
        own.get_info(cl.program_info.KERNEL_NAMES)
    own._build()
    kernel = cl.Kernel(own, "f")
    assert kernel.context == context and kernel.program._prg == own and (kernel.num_args, kernel.function_name) == (2, "f")

    class Own(cl.Kernel):
        pass

    assert Own(own, "g").num_args == 1 and type(Own(own, "g").context) is cl.Context


def test_queues_answer_as_in_python(context):
    profiling = cl.command_queue_properties.PROFILING_ENABLE
    for queue in (cl.CommandQueue(context), cl.CommandQueue(context, properties=profiling),
                  cl.CommandQueue(context, properties=[cl.queue_properties.PROPERTIES, profiling, 0])):
        for code in [*codes_of(cl.command_queue_info), 0, -1, 1 << 70]:
            assert told(queue.get_info, code) == told(queue._query_in_python, code)
    assert (queue.context, queue.device, queue.properties) == (context, context.devices[0], profiling)


def test_integers_that_stand_for_objects(imagined):
    event, other = cl.enqueue_marker(imagined.first), cl.enqueue_marker(imagined.first)
    for handle in (imagined.context, imagined.context.devices[0], imagined.first, imagined.buffer, event):
        pointer = handle.int_ptr
        assert pointer == handle.int_ptr == handle._pointer_in_python and type(handle).from_int_ptr(pointer) == handle
        with pytest.raises(AttributeError):
            handle.int_ptr = 1
    event._core = other._core
    assert event.int_ptr == other.int_ptr == id(other._core)
    assert cl.Event.int_ptr.__doc__ == cl.Event._pointer_in_python.__doc__


def test_a_queue_that_was_left_says_where_it_is_asked(imagined):
    with imagined.first as queue:
        pass
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert queue.int_ptr
        assert queue.get_info(cl.command_queue_info.PROPERTIES) == 0
    assert len(caught) >= 2 and {os.path.basename(each.filename) for each in caught} == {"test_native_queries.py"}
