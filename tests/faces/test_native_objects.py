"""Memory objects in C (runtime/native/objects.c): they are those that Python's own steps make, errors and warnings are the same, and so is
what happens when they are asked and released. Without C, Python's steps are looked at alone."""

from __future__ import annotations

import gc
import inspect
import os
import subprocess
import sys
import threading
import types
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest
from support.leaks import leaves_nothing

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.processes import environment

from cl2cuda import opencl_icd
from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import memory as face
from cl2cuda.runtime.memory import buffer as runtime_buffer
from cl2cuda.runtime.native import library

FLAGS, INFO = cl.mem_flags, cl.mem_info
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]
NATIVE = library.calls() is not None
SIZE = 1024


def made(context, *arguments, **named):
    return cl.Buffer(context, *arguments, **named)


def made_in_python(context, *arguments, **named):
    handle = cl.Buffer.__new__(cl.Buffer)
    handle._make_in_python(context, *arguments, **named)
    return handle


WAYS = [made, made_in_python]


class Bench:
    def __init__(self, device):
        self.context = cl.Context([device])
        self.queue, self.other = cl.CommandQueue(self.context), cl.CommandQueue(self.context)
        self.data = np.arange(SIZE // 4, dtype=np.uint32)
        cl.Buffer(self.context, FLAGS.READ_WRITE, 1)  # from now on the context knows how large bare buffers may be

    def contents(self, buffer):
        found = np.zeros(buffer.size // 4, np.uint32)
        cl.enqueue_copy(self.queue, found, buffer)
        return found


@pytest.fixture(params=DEVICES, ids=lambda device: device.name)
def bench(request):
    return Bench(request.param)


def attributes(buffer):
    core = buffer._core
    names = ("context", "flags", "size", "offset", "parent", "host", "first", "properties", "known_address", "_life", "type", "released")
    return {name: getattr(core, name, "missing") for name in names} | {"handle": vars(buffer), "types": (type(buffer), type(core))}


PLAIN = [(FLAGS.READ_WRITE, 16), (FLAGS.READ_ONLY, 4096), (FLAGS.WRITE_ONLY | FLAGS.HOST_READ_ONLY, 1), (0, 64), (FLAGS.HOST_NO_ACCESS, 64),
         (FLAGS.READ_WRITE, 64 << 20), (np.int32(1), 64), (1, np.int64(64)), (True, 64)]


@pytest.mark.parametrize("arguments", PLAIN, ids=str)
def test_buffers_are_those_of_python(bench, arguments):
    found = [attributes(way(bench.context, *arguments)) for way in WAYS]
    assert found[0] == found[1]
    flags, size = arguments
    assert attributes(cl.Buffer(flags=flags, context=bench.context, size=size)) == found[0]


def test_first_contents(bench):
    data = bench.data
    for host, size in ((data, 0), (data, SIZE), (data, 8), (data.tobytes(), 0), (bytearray(data), 16), (np.asfortranarray(data.reshape(16, -1)), 0),
                       (memoryview(data.copy()), 0), (np.arange(1 << 16, dtype=np.uint32), 0)):
        expected = np.frombuffer(memoryview(host).tobytes("A"), np.uint32)[: size // 4 or None]
        buffers = [way(bench.context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, size, host) for way in WAYS]
        if not memoryview(host).readonly and host is not data:
            np.asarray(host)[...] = 9
        for buffer in buffers:
            assert buffer.size == expected.nbytes and buffer.flags == FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR and buffer.hostbuf is None
            assert (bench.contents(buffer) == expected).all()
    scalar = cl.Buffer(bench.context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=np.uint32(7))
    assert bench.contents(scalar) == [7]


def test_memory_comes_with_the_first_use(bench):
    buffer = made(bench.context, FLAGS.READ_WRITE, SIZE)
    assert "_storage" not in vars(buffer._core)
    cl.enqueue_fill_buffer(bench.queue, buffer, b"abcd", 0, SIZE)
    storage = vars(buffer._core)["_storage"]
    assert storage.has_memory and (bench.contents(buffer) == 0x64636261).all() and buffer._core._storage is storage


WRONG = [(), ("context",), (None, 1, 4), ("context", 1), ("context", 1, 0), ("context", 1, -1), ("context", 1, 1 << 70), ("context", 1, 1.5),
         ("context", "rw", 4), ("context", -1, 4), ("context", 1 << 70, 4), ("context", 3, 4), ("context", 1 << 20, 4), ("context", 0x180, 4),
         ("context", FLAGS.COPY_HOST_PTR, 4), ("context", FLAGS.USE_HOST_PTR, 4), ("context", 1, 1 << 62),
         ("context", FLAGS.COPY_HOST_PTR, SIZE + 1, "data"), ("context", FLAGS.COPY_HOST_PTR, 0, np.zeros(0)),
         ("context", FLAGS.COPY_HOST_PTR, 0, 3), ("context", FLAGS.COPY_HOST_PTR, 0, np.zeros((4, 4))[:, ::2]),
         ("context", FLAGS.COPY_HOST_PTR | FLAGS.USE_HOST_PTR, 0, "data"), ("context", 1, 4, None, 5), ("context", 1, {"sizes": 4}),
         ("context", 1, 4, {"context": 1}), ("queue", 1, 4)]


@pytest.mark.parametrize("arguments", WRONG, ids=str)
def test_errors_are_those_of_python(bench, arguments):
    named = arguments[-1] if arguments and isinstance(arguments[-1], dict) else {}
    plain = [getattr(bench, each, each) if isinstance(each, str) else each for each in arguments if not isinstance(each, dict)]
    found = []
    for way in ((lambda *a, **k: cl.Buffer(*a, **k)), lambda *a, **k: cl.Buffer.__new__(cl.Buffer)._make_in_python(*a, **k)):
        with pytest.raises(Exception) as failure:
            way(*plain, **named)
        found.append((failure.type, str(failure.value)))
    assert found[0] == found[1]


def test_warnings_name_the_caller(bench):
    for make in (lambda: cl.Buffer(bench.context, FLAGS.READ_WRITE, 4, bench.data),
                 lambda: cl.Buffer(bench.context, FLAGS.READ_WRITE, hostbuf=bench.data)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with pytest.raises(cl.LogicError, match="INVALID_HOST_PTR"):
                make()
        assert [each.filename for each in caught] == [__file__] and "no memory flags" in str(caught[0].message)


def test_a_class_of_the_programs(bench):
    class Named(cl.Buffer):
        def __init__(self, context, name, size):
            super().__init__(context, FLAGS.READ_WRITE, size)
            self.name = name

        def release(self):
            self.name = None
            super().release()

    class Plain(cl.Buffer):
        pass

    buffer, plain = Named(bench.context, "x", 64), Plain(bench.context, FLAGS.READ_WRITE, 32)
    assert (buffer.name, buffer.size, plain.size, type(plain)) == ("x", 64, 32, Plain)
    assert type(buffer.get_sub_region(0, 16)) is cl.Buffer
    buffer.release()
    assert buffer.name is None
    with pytest.raises(cl.LogicError, match="double-unref"):
        buffer.release()


def test_signatures():
    assert list(inspect.signature(cl.Buffer.__init__).parameters) == ["self", "context", "flags", "size", "hostbuf"]
    assert list(inspect.signature(cl.Buffer.get_sub_region).parameters) == ["self", "origin", "size", "flags"]
    assert cl.Buffer.release.__doc__ and cl.Buffer.get_info.__doc__


@pytest.mark.parametrize("kind, in_python, text", [
    (cl.Buffer, cl.Buffer._make_in_python, "(context: 'Context', flags: 'int', size: 'int' = 0, hostbuf: 'Any' = None) -> 'None'"),
    (cl.UserEvent, cl.UserEvent._begin_in_python, "(context: 'Context') -> 'None'"),
    (cl.SVM, cl.SVM._make_in_python, "(mem: 'Any') -> 'None'")])
def test_signatures_of_classes_are_those_of_python(kind, in_python, text):
    class Plain(kind):
        def __call__(self, number):
            pass

    class Named(kind):
        def __init__(self, context, name):
            pass

    class New(kind):
        def __new__(cls, name):
            pass

    class Both(Named):
        def __new__(cls, *arguments):
            pass

    expected = inspect.signature(types.MethodType(in_python, kind))
    assert inspect.signature(kind) == inspect.signature(Plain) == expected and str(expected) == text
    found = [str(inspect.signature(each)) for each in (Named, New, Both, Plain.__new__(Plain))]
    assert found == ["(context, name)", "(name)", "(*arguments)", "(number)"]
    assert not hasattr(Named, "__signature__") and not hasattr(kind.__new__(kind), "__signature__")


def test_signatures_are_not_made_at_start():
    """inspect takes long to import. Other packages import it, too: this looks who asks for it."""
    program = """
import builtins, sys
genuine, found = builtins.__import__, []
def watch(name, names=None, *more):
    if name == "inspect":
        found.append((names or {}).get("__name__", ""))
    return genuine(name, names, *more)
builtins.__import__ = watch
from cl2cuda import pyopencl as cl
assert not [each for each in found if each.startswith("cl2cuda")], found
import inspect
inspect.signature(cl.Buffer)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600, env=environment(CL2CUDA_DEVICE="host"))
    assert done.returncode == 0, done.stderr


QUERIES = [*[value for name, value in vars(INFO).items() if not name.startswith("_") and isinstance(value, int)], 0, -1, 1 << 70, 1.5, None, "x"]


@pytest.mark.parametrize("kind", ["buffer", "part", "image", "released"])
def test_answers_are_those_of_python(bench, kind):
    buffer = made(bench.context, FLAGS.READ_ONLY, 8192)
    rgba = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    subject = {"buffer": lambda: buffer, "part": lambda: buffer.get_sub_region(4096, 64), "released": lambda: buffer,
               "image": lambda: cl.create_image(bench.context, FLAGS.READ_ONLY, rgba, (4, 4))}[kind]()
    if kind == "released":
        subject.release()
    for query in QUERIES:
        found = []
        for ask in (subject.get_info, subject._query_in_python):
            try:
                found.append(ask(query))
            except Exception as failure:
                found.append((type(failure), str(failure)))
        assert found[0] == found[1] and type(found[0]) is type(found[1]), query
    for wrong in ((), (1, 2)):
        with pytest.raises(TypeError):
            subject.get_info(*wrong)


PARTS = [(0, 16), (4096, 16), (0, 8192), (4096, 4096), (0, 16, 0), (0, 16, FLAGS.READ_ONLY), (0, 16, FLAGS.READ_ONLY | FLAGS.HOST_READ_ONLY),
         (np.int64(0), 16), (0, 0), (1, 16), (-4096, 16), (0, -1), (0, 8193), (8192, 1), (1 << 70, 1), (0, 1 << 63), (0, 1.5), (0,), (0, 1, 2, 3),
         (0, 16, FLAGS.COPY_HOST_PTR), (0, 16, FLAGS.READ_WRITE), (0, 16, 1 << 20), (0, 16, "x")]


@pytest.mark.parametrize("arguments", PARTS, ids=str)
@pytest.mark.parametrize("flags", [FLAGS.READ_ONLY, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, FLAGS.READ_ONLY | FLAGS.USE_HOST_PTR])
def test_parts_are_those_of_python(bench, flags, arguments):
    host = None if flags == FLAGS.READ_ONLY else np.zeros(8192, np.uint8)
    whole = cl.Buffer(bench.context, flags, 0 if host is not None else 8192, host)
    found = []
    for cut in (whole.get_sub_region, whole._part_in_python):
        try:
            part = cut(*arguments)
            found.append(attributes(part) | {"storage": part._core._storage, "lives_in": part._core._parents_life})
            assert found[-1]["parent"] is whole._core and part._core._storage is whole._core._storage
        except Exception as failure:
            found.append((type(failure), str(failure)))
    if isinstance(found[0], dict):
        assert all((found[0][name] is found[1][name]) or found[0][name] == found[1][name] for name in found[1])
    else:
        assert found[0] == found[1]


def test_parts_of_what_has_none(bench):
    whole = made(bench.context, FLAGS.READ_WRITE, 8192)
    part = whole[4096:4160]
    assert (part.size, part.offset, part.associated_memobject == whole) == (64, 4096, True)
    whole.release()
    for subject in (part, whole):
        found = []
        for cut in (subject.get_sub_region, subject._part_in_python):
            with pytest.raises(cl.LogicError) as failure:
                cut(0, 16)
            found.append(str(failure.value))
        assert found[0] == found[1]


def in_python(subject):
    subject._release_in_python()


def by_call(subject):
    subject.release()


@pytest.mark.parametrize("release", [by_call, in_python])
def test_releasing(bench, release):
    called = []
    whole = cl.Buffer(bench.context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=bench.data)
    whole._core.set_destructor_callback(lambda: called.append("whole"))
    part = whole.get_sub_region(0, 16)
    release(whole)
    core = whole._core
    assert core.released and (core.first, core.parent, core._life, core.known_address) == (b"", None, None, None)
    with pytest.raises(cl.LogicError, match="double-unref"):
        release(whole)
    gc.collect()
    assert not called and (bench.contents(part) == bench.data[:4]).all()
    release(part)
    bench.queue.finish()
    bench.context._core.reclaim_all()
    assert called == ["whole"]
    with pytest.raises(TypeError):
        part.release(1)
    with pytest.raises(cl.LogicError):
        cl.enqueue_fill_buffer(bench.queue, part, b"a", 0, 4)


@pytest.mark.parametrize("release", [by_call, in_python])
def test_releasing_an_image(bench, release):
    rgba = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    images = [cl.create_image(bench.context, FLAGS.READ_WRITE, rgba, (8, 8)) for _ in range(2)]
    data = np.arange(64, dtype=np.uint32)
    for image in images:
        cl.enqueue_copy(bench.queue, image, data, origin=(0, 0), region=(8, 8))
        found = np.zeros_like(data)
        cl.enqueue_copy(bench.queue, found, image, origin=(0, 0), region=(8, 8))
        assert (found == data).all()
        release(image)
        assert image._core.released and not image._core.arguments
        with pytest.raises(cl.LogicError, match="double-unref"):
            release(image)
        with pytest.raises(cl.LogicError):
            cl.enqueue_copy(bench.queue, found, image, origin=(0, 0), region=(8, 8))


def test_images_of_known_kinds_are_like_the_first(bench):
    def create(order=cl.channel_order.RGBA, shape=(8, 4), flags=FLAGS.READ_ONLY, **more):
        return cl.create_image(bench.context, flags, cl.ImageFormat(order, cl.channel_type.UNORM_INT8), shape, **more)

    def facts(image):
        names = ("flags", "format", "descriptor", "layout", "type", "size", "host", "parent", "offset", "row_pitch", "slice_pitch", "arguments")
        return {name: getattr(image._core, name) for name in names}

    first, again = create(), create()
    assert facts(first) == facts(again) and first._core.arguments is not again._core.arguments and first != again
    assert create(shape=(4, 8)).shape != first.shape and create(shape=(8, 4, 2)).type == cl.mem_object_type.IMAGE3D
    assert create(shape=(8, 4), is_array=True).type == cl.mem_object_type.IMAGE1D_ARRAY
    assert create(flags=FLAGS.WRITE_ONLY).flags == FLAGS.WRITE_ONLY and create(cl.channel_order.R).size == 32
    for _ in range(2):
        with pytest.raises(cl.LogicError):
            create(shape=(0, 4))


def test_a_pool_a_weak_reference_and_a_pointer(bench):
    buffer = made(bench.context, FLAGS.READ_WRITE, 64)
    assert cl.Buffer.from_int_ptr(buffer.int_ptr) == buffer and hash(buffer) == id(buffer._core)
    gone = weakref.ref(buffer), weakref.ref(buffer._core)
    del buffer
    gc.collect()
    assert [each() for each in gone] == [None, None]
    pool = cl.tools.MemoryPool(cl.tools.ImmediateAllocator(bench.queue))
    block = pool.allocate(100)
    assert block.get_info(INFO.REFERENCE_COUNT) == 1 and block.size >= 100
    block.release()
    assert pool.held_blocks == 1


def test_an_argument_is_no_longer_taken_once_it_is_released(bench):
    program = cl.Program(bench.context, "kernel void set(global uint *x, uint n) { x[get_global_id(0)] = n; }").build()
    kernel = cl.Kernel(program, "set")
    buffer, second = made(bench.context, FLAGS.READ_WRITE, SIZE), made(bench.context, FLAGS.READ_WRITE, SIZE)
    for n, each in enumerate([buffer, second, buffer, second, buffer]):
        kernel.set_arg(0, each)
        kernel.set_arg(1, np.uint32(n))
        cl.enqueue_nd_range_kernel(bench.queue, kernel, (SIZE // 4,), None)
        assert (bench.contents(each) == n).all()
    elsewhere = cl.Context(bench.context.devices)
    other = cl.Kernel(cl.Program(elsewhere, "kernel void set(global uint *x, uint n) { x[0] = n; }").build(), "set")
    for _ in range(2):
        with pytest.raises(cl.LogicError, match="another context"):
            other.set_arg(0, buffer)
    buffer.release()
    second._release_in_python()
    for each in (buffer, second):
        with pytest.raises(cl.LogicError, match="released"):
            kernel.set_arg(0, each)


def test_memory_that_is_short_is_asked_for_again_after_a_collection(bench, monkeypatch):
    calls, genuine = [], runtime_buffer.Buffer.__init__

    def failing(self, *arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise runtime_buffer.CLError("clCreateBuffer", "MEM_OBJECT_ALLOCATION_FAILURE", "none")
        genuine(self, *arguments)

    monkeypatch.setattr(runtime_buffer.Buffer, "__init__", failing)
    assert cl.Buffer(bench.context, FLAGS.READ_WRITE | FLAGS.USE_HOST_PTR, hostbuf=np.zeros(16, np.uint32)).size == 64 and len(calls) == 2


def test_what_was_retired_is_freed_by_what_is_made_and_released(bench):
    """Where there is much of it: what waits for it is not to wait for an allocation."""
    context, spare, freed = bench.context._core, made(bench.context, FLAGS.READ_WRITE, 64), []
    for act in (lambda: made(bench.context, FLAGS.READ_WRITE, 64), spare.release):
        bench.queue.finish()
        context.retire(context.devices[0], lambda: freed.append(True))
        act()
        assert freed.pop()


@pytest.mark.skipif(not NATIVE, reason="the calls were not compiled")
def test_what_is_plain_takes_no_steps_of_pythons(bench, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a step of Python's")

    whole = made(bench.context, FLAGS.READ_WRITE, 8192)
    whole.get_sub_region(0, 16)
    for name in ("_make_in_python", "_part_in_python", "_release_in_python", "_query_in_python"):
        monkeypatch.setattr(face.Buffer, name, refuse)
    for flags in (FLAGS.READ_WRITE, FLAGS.READ_ONLY | FLAGS.HOST_WRITE_ONLY, 0):
        made(bench.context, flags, 64).release()
        made(bench.context, flags | FLAGS.COPY_HOST_PTR, hostbuf=bench.data).release()
    part = whole[0:4096]
    assert part.get_info(INFO.REFERENCE_COUNT) == 1 and part.size == 4096 and part.flags == FLAGS.READ_WRITE
    part.release()
    whole.release()


@pytest.mark.skipif(not NATIVE, reason="the calls were not compiled")
def test_nothing_is_lost(bench):
    """References are counted as Python counts them."""
    whole, data = made(bench.context, FLAGS.READ_WRITE, 8192), bench.data
    buffer_class = runtime_buffer.Buffer
    counted = (bench.context._core, whole._core, whole._core.life, whole._core._storage, data, buffer_class, cl.Buffer, type(bench.context._core))

    def everything():
        made(bench.context, FLAGS.READ_WRITE, 64).release()
        made(bench.context, 0, 7777777)
        made(bench.context, FLAGS.COPY_HOST_PTR, 0, data).release()
        whole.get_sub_region(0, 16).release()
        whole.get_sub_region(4096, 16, FLAGS.READ_WRITE)
        whole.get_info(INFO.SIZE)
        for call in (lambda: made(bench.context, 1, -1), lambda: whole.get_sub_region(1, 1), lambda: made(None, 1, 1)):
            with pytest.raises((cl.Error, TypeError)):
                call()

    leaves_nothing(everything, counted, turns=50)


def test_threads_that_meet_at_the_first_use(bench):
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            buffers = [cl.Buffer(bench.context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=bench.data) for _ in range(8)]
            found, start = [], threading.Barrier(4)

            def look(buffers=buffers, found=found, start=start):
                start.wait()
                found.append([(id(each._core._storage), each._core._storage.memory) for each in buffers])

            threads = [threading.Thread(target=look) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(found) == 4 and all(each == found[0] for each in found)
            assert all((bench.contents(each) == bench.data).all() for each in buffers)
    finally:
        sys.setswitchinterval(interval)


def test_the_sizes_in_c_are_those_of_python():
    text = (library.HERE / "objects.c").read_text()
    assert "FILLED_IN_ORDER = 64 << 10" in text and runtime_buffer.FILLED_IN_ORDER == 64 << 10
    of_programs_in_c = (Path(opencl_icd.__file__).parent / "driver" / "buffers.c").read_text()
    assert "MOST_COPIED = 64 << 10" in of_programs_in_c
