"""Objects that go while the process exits: CUDA may have gone before them, and crashes where it is called then."""

from __future__ import annotations

import gc

import pytest
from support.fake_cuda import FakeCuda

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.process import ending
from cl2cuda.runtime.queue.queue import CommandQueue


class Gone:
    """CUDA's modules after its part of the exit."""

    def __init__(self, calls):
        self._calls = calls

    def __getattr__(self, name):
        self._calls.append(name)
        raise AssertionError(f"CUDA has gone: {name}")


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("exits", [True, False])
def test_what_goes_while_the_process_exits_gives_nothing_back(exits, monkeypatch):
    cuda, calls = FakeCuda(), []
    context = Context([Device(platforms.Platform(), "cuda", CudaDevice(cuda, 0))])
    queue, buffer = CommandQueue(context, context.devices[0]), Buffer(context, 0, 64)
    event = enqueue_fill_buffer(queue, buffer, b"a", 0, 64)
    queue.finish()
    if exits:
        monkeypatch.setattr(ending._State, "begun", True)
        monkeypatch.setattr(cuda, "runtime", Gone(calls))
        monkeypatch.setattr(cuda, "driver", Gone(calls))
    else:
        made = cuda.runtime.streamQuery
        monkeypatch.setattr(cuda.runtime, "streamQuery", lambda handle: calls.append("streamQuery") or made(handle))
    del queue, buffer, event, context
    gc.collect()
    assert bool(calls) != exits, calls
