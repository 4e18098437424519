"""A driver in memory, for tests of the object model: device memory is ctypes memory, kernels are Python functions.

Streams are lazy: a command runs when someone waits for it or for a later one. So a test sees whether the object model waits
where it must, keeps alive what must live, and orders what must be ordered.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any

from cl2cuda.builtins.opaque import ARGUMENTS
from cl2cuda.runtime.driver.device import Spills
from cl2cuda.runtime.driver.image_layout import ImageLayout
from cl2cuda.runtime.driver.interface import DEFAULT_HINTS, DriverError, ImagePart, Linear, StreamHints
from cl2cuda.runtime.driver.properties import DeviceProperties, ImageLimits
from cl2cuda.runtime.driver.whole_failures import FailsAsWhole

PROPERTIES: dict[str, Any] = dict(
    name="fake", vendor="tests", vendor_id=0x10000, is_gpu=True, compute_units=4, clock_mhz=1000, global_memory=1 << 26,
    max_allocation=1 << 24, local_memory=48 << 10, constant_memory=64 << 10, global_cache=1 << 20, global_cacheline=128,
    max_work_group_size=1024, max_work_item_sizes=(1024, 1024, 64), sub_group_size=32, max_parameter_size=4096,
    base_address_align=256, unified_memory=False, driver_version="1", extensions=(), shared_memory=1,
    images=ImageLimits(plane=(2048, 1024), volume=(512, 256, 128), layers=64, buffer=1 << 16, pitch_align=8, base_align=1),
)


class FakeFence:
    def __init__(self, stream: FakeStream):
        self.stream = stream
        self.at: int | None = None

    def done(self) -> bool:
        return self.at is not None

    def wait(self) -> None:
        while not self.done():
            self.stream.step()

    def time_ns(self) -> int:
        assert self.at is not None
        return self.at


class FakeImage:
    """Elements in the device's memory, of which it does not tell, as a GPU does not of its arrays."""

    array = 0

    def __init__(self, device: FakeDevice, layout: ImageLayout, memory: Linear | None):
        self.device = device
        self.layout = layout
        self.memory = memory
        self.own = 0 if memory else device.allocate(layout.bytes_before(layout.levels))

    def linear(self, level: int) -> Linear | None:
        return self.memory

    def rows(self, level: int) -> Linear:
        return self.memory or self.layout.tight(self.own + self.layout.bytes_before(level), level)

    def argument(self, view: Any, sampled: bool) -> bytes:
        return f"{view} {sampled}".encode().ljust(ARGUMENTS["image"][0])

    def close(self) -> None:
        if self.own:
            self.device.free(self.own)


class FakeStream(FailsAsWhole):
    immediate = False
    handle = 0

    def __init__(self, device: FakeDevice):
        self.device = device
        self.commands: deque[Callable[[], None]] = deque()
        self.closed = False
        self.stepping = threading.RLock()  # several threads may wait
        _streams.add(self)

    def add(self, command: Callable[[], None]) -> None:
        assert not self.closed
        self.commands.append(command)

    def step(self) -> None:
        with self.stepping:
            if self.commands:
                self.commands.popleft()()

    def copy(self, kind: str, destination: int, source: int, size: int) -> None:
        self.device.check(destination if kind != "device_to_host" else source, size)
        self.add(lambda: ctypes.memmove(destination, source, size) and None)

    def copy_shared(self, destination: int, source: int, size: int) -> bool:
        self.add(lambda: ctypes.memmove(destination, source, size) and None)
        return False

    def prefetch(self, address: int, size: int, to_host: bool) -> None:
        self.device.check(address, size)
        self.add(lambda: self.device.prefetches.append((address, size, to_host)))

    def copy_rect(self, kind: str, destination: int, destination_pitches: tuple[int, int], source: int,
                  source_pitches: tuple[int, int], region: tuple[int, int, int]) -> None:
        def run() -> None:
            for z in range(region[2]):
                for y in range(region[1]):
                    ctypes.memmove(destination + z * destination_pitches[1] + y * destination_pitches[0],
                                   source + z * source_pitches[1] + y * source_pitches[0], region[0])

        self.add(run)

    def copy_image(self, kind: str, destination: Linear | ImagePart, source: Linear | ImagePart, region: tuple[int, int, int]) -> None:
        to, of = ((end if isinstance(end, Linear) else end.image.rows(end.level).at(end.offset)) for end in (destination, source))
        self.copy_rect(kind, to.address, to[1:], of.address, of[1:], region)

    def fill_image(self, destination: ImagePart, element: bytes, region: tuple[int, int, int]) -> None:
        row = element * (region[0] // len(element)) * region[1] * region[2]
        keep = (ctypes.c_char * len(row)).from_buffer_copy(row)
        self.copy_image("host_to_device", destination, Linear(ctypes.addressof(keep), region[0], region[0] * region[1]), region)
        self.add(lambda: keep and None)

    def fill(self, destination: int, pattern: bytes, size: int) -> None:
        self.device.check(destination, size)
        self.add(lambda: ctypes.memmove(destination, pattern * (size // len(pattern)), size) and None)

    def fence(self, timing: bool) -> FakeFence:
        fence = FakeFence(self)
        self.add(lambda: setattr(fence, "at", time.perf_counter_ns()))
        self.device.fences += 1
        return fence

    def after(self, fence: FakeFence, *, even_failed: bool = False) -> None:
        self.add(fence.wait)

    def blocks_caller(self, kind: str, host: int, size: int) -> bool:
        return False

    def idle(self) -> bool:
        return not self.commands

    def native(self) -> None:
        """Commands are Python's."""

    def rests(self) -> bool:
        return self.idle()

    def poll_completed(self) -> bool:
        return False

    def flush(self) -> None:
        pass

    def synchronize(self) -> None:
        with self.stepping:
            while self.commands:
                self.step()

    def close(self) -> None:
        self.synchronize()
        self.closed = True


_streams: weakref.WeakSet[FakeStream] = weakref.WeakSet()


def run_what_is_left() -> None:
    """Devices go on without those who gave them commands: nobody waits for what a test has left."""
    for stream in list(_streams):
        with contextlib.suppress(DriverError):  # of one that is lost
            stream.synchronize()


class FakeFunction:
    """`body(parameters, launch)` gets the address of the array of pointers, and the launch's sizes."""

    max_work_group_size = 512
    max_global_size = None
    private_size = 0
    rounds, handles_by_surplus = False, (0, 0)
    max_plain_dynamic_local = 0
    registers = 8
    spills = Spills(4, 12)

    def occupancy(self, local_size: Any, dynamic_local: int) -> float:
        return min(1.0, local_size[0] / 64)

    def __init__(self, body: Callable[[Any, Any], None], local_size: int):
        self.body = body
        self.local_size = local_size

    def prepare(self, *arguments: Any) -> Callable[[], None]:
        return functools.partial(self.launch, *arguments)

    def native_launch(self, *arguments: Any) -> None:
        """Bodies are Python's."""

    def launch(self, stream: FakeStream, work_dim: int, global_size: Any, local_size: Any, offset: Any, dynamic_local: int,
               parameters: int) -> None:
        sizes = SimpleNamespace(work_dim=work_dim, global_size=global_size, local_size=local_size, offset=offset,
                                dynamic_local=dynamic_local)
        run = self.body(parameters, sizes)
        stream.add(run if callable(run) else lambda: None)


class FakeModule:
    def __init__(self, device: FakeDevice, names: list[str]):
        self.device = device
        self.names = names
        device.modules.append(self)

    def function(self, kernel: Any) -> FakeFunction:
        assert kernel.name in self.names
        bodies = self.device.bodies  # which tests may add when the kernel is launched
        return FakeFunction(lambda parameters, sizes: bodies[kernel.name](parameters, sizes), 0 if kernel.local_in_dynamic else kernel.local_size)

    def variable(self, variable: Any) -> int:
        return 0

    def unload(self) -> None:
        self.device.modules.remove(self)


class FakeDevice:
    """bodies: for each kernel's name the function(parameters, sizes) that reads the parameters and returns the work."""

    lost = False
    native_images = None
    partition = record = borrow_stream = make_ready = import_memory = import_semaphore = cuda_code = announce = peer_copies = graphics = None
    keeping_current = None
    rounds_sizes = False

    def __init__(self, **changes: Any):
        self.properties = DeviceProperties(**{**PROPERTIES, **changes})
        self.memory: dict[int, Any] = {}
        self.host_memory: dict[int, Any] = {}
        self.bodies: dict[str, Callable[[Any, Any], Any]] = {}
        self.modules: list[FakeModule] = []
        self.prefetches: list[tuple[int, int, bool]] = []
        self.registered: list[int] = []
        self.compiled = 0
        self.fences = 0
        self.identity = "fake compiler 1"
        self.target = "fake"
        self.compiler_spec = self.begin_compiling = None

    def check(self, address: int, size: int) -> None:
        reached = (*self.memory.items(), *self.host_memory.items())
        assert any(start <= address and address + size <= start + len(block) for start, block in reached)

    def allocate(self, size: int) -> int:
        if sum(map(len, self.memory.values())) + size > self.properties.global_memory:
            raise DriverError("no memory", "MEM_OBJECT_ALLOCATION_FAILURE")
        return self._keep(self.memory, size)

    def _keep(self, where: dict[int, Any], size: int) -> int:
        block = (ctypes.c_ubyte * size)(*b"\xcd" * min(size, 16))
        where[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    def free(self, address: int) -> None:
        del self.memory[address]

    def create_image(self, layout: ImageLayout, memory: Linear | None = None) -> FakeImage:
        return FakeImage(self, layout, memory)

    def allocate_host(self, size: int) -> int:
        return self._keep(self.host_memory, size)

    def free_host(self, address: int) -> None:
        del self.host_memory[address]

    allocate_shared = allocate
    free_shared = free

    def register_host(self, address: int, size: int) -> bool:
        self.registered.append(address)
        return True

    def unregister_host(self, address: int) -> None:
        self.registered.remove(address)

    def open_stream(self, hints: StreamHints = DEFAULT_HINTS) -> FakeStream:
        return FakeStream(self)

    def compiler_identity(self, options: Any) -> str:
        return self.identity

    def compiler_start(self) -> AbstractContextManager[object]:
        return nullcontext()

    def compile(self, translation: Any, options: Any) -> bytes:
        self.compiled += 1
        return json.dumps([info.name for info in translation.kernels]).encode()

    def compiler_log(self, binary: bytes) -> str:
        return ""

    def load(self, binary: bytes) -> FakeModule:
        return FakeModule(self, json.loads(binary))


def pointers(parameters: int, count: int) -> list[int]:
    """The addresses in an array of pointers to parameters."""
    return list((ctypes.c_void_p * count).from_address(parameters))


def words(parameters: int, count: int) -> list[int]:
    """The parameters, each read as a 64-bit word."""
    return [ctypes.c_uint64.from_address(address).value for address in pointers(parameters, count)]
