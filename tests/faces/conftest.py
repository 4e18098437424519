"""Fixtures of the tests of calls in C: queues of a CUDA that notes what it is given, and what Python's own steps submit."""

from __future__ import annotations

import pytest
from support import c_library, driver_held, driver_lanes

from cl2cuda.runtime.devices.platform import platforms
from cl2cuda.runtime.queue import event as runtime_event
from cl2cuda.runtime.queue.queue import CommandQueue


@pytest.fixture(scope="session", autouse=True)
def _turns():
    """Where several processes test on one GPU, each has its turn: what code in C waits for by itself may take that long, too."""
    from cl2cuda.runtime.cuda import stream

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(stream._POLL_NS, "medium", 20 * stream.POLL_NS)
        yield


@pytest.fixture(scope="module")
def compiled_streams(tmp_path_factory):
    from support import noted_streams  # which finds the devices: its tests say first which

    return c_library.load(noted_streams.SOURCE, tmp_path_factory.mktemp("streams"))


@pytest.fixture
def imagined(compiled_streams):
    from support.noted_streams import NotedStreams

    return NotedStreams(compiled_streams)


@pytest.fixture
def kernel(imagined):
    """A kernel that each queue of `imagined` has launched once, which is Python's and makes the plan."""
    from cl2cuda import pyopencl as cl

    try:
        made = cl.Kernel(cl.Program(imagined.context, "kernel void f(global int *a) { a[0] = 1; }").build(), "f")
    except cl.RuntimeError as error:
        pytest.skip(f"no NVRTC: {error}")
    made.set_args(imagined.buffer)
    for queue in (imagined.first, imagined.second, imagined.unordered):
        cl.enqueue_nd_range_kernel(queue, made, (64,), (64,))
        queue.finish()
    imagined.logged.value = 0
    return made


@pytest.fixture
def image_cuda():
    """A CUDA whose arrays are memory of the host's."""
    from support.arrays_in_c import CudaOfArrays

    return CudaOfArrays()


@pytest.fixture
def image_bench(image_cuda):
    from support.image_bench import Bench
    from support.imagined_device import device_of

    from cl2cuda import pyopencl as cl

    return Bench(cl.Context([device_of(image_cuda)]))


@pytest.fixture
def prepared(image_bench, submitted, image_cuda):
    """The same where there is scratch memory for commands in C."""
    image_bench.prepare()
    submitted.clear()
    image_cuda.calls.clear()
    return image_bench


@pytest.fixture
def submitted(monkeypatch):
    """What Python's own steps have submitted. Kernels of earlier tests that print make waits Python's for as long as the process lives."""
    found, submit = [], CommandQueue.submit
    for platform in platforms():
        for device in platform.devices():
            if device.driver_name == "cuda":
                monkeypatch.setattr(device.driver_device.context.may_print, "value", 0)

    def noted(self, routine, *arguments, **named):
        found.append(routine)
        return submit(self, routine, *arguments, **named)

    monkeypatch.setattr(CommandQueue, "submit", noted)
    return found


@pytest.fixture
def waited(monkeypatch):
    """The events that Python's own steps have waited for."""
    found, genuine = [], runtime_event.Event.wait
    monkeypatch.setattr(runtime_event.Event, "wait", lambda self: found.append(self) or genuine(self))
    return found


@pytest.fixture
def run_lanes(compiled_streams):
    """Runs a program over CUDA's streams as they are imagined (driver_lanes), which says nothing on its standard error."""

    def run(text):
        assert driver_lanes.run(compiled_streams._name, text) == ""

    return run


@pytest.fixture(params=["0", "1"])
def run_held(compiled_streams, monkeypatch, request):
    """Has a program run behind driver_held's, without the compiled calls and with them."""
    monkeypatch.setenv("CL2CUDA_NATIVE_CALLS", request.param)

    def said(text):
        assert driver_lanes.run(compiled_streams._name, driver_held.HEAD + text, driver_held.EARLY) == ""

    return said
