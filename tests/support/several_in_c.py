"""The imagined CUDA of several devices as code in C calls it, and contexts of PyOpenCL's over it or over the host device.

CUDA refuses a call whose stream is of another device than the context that is current. What else is wrong is in `failures`."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl.handles import to_python
from cl2cuda.runtime.cuda.launching import HELD, LET_GO, WAITED_NS
from cl2cuda.runtime.native import library

from .asynchronous_cuda import SeveralCuda
from .fake_cuda import CudaError
from .several_devices import PLATFORM, devices_of

_LONG, _WORD, _INT, _POINTER = ctypes.c_int64, ctypes.c_uint, ctypes.c_int, ctypes.c_void_p
INVALID_CONTEXT, FAILED = 201, 999
SOURCE = """
kernel void add(global uint *x, uint by) { x[get_global_id(0)] += by; }
kernel void mix(global const uint *x, global uint *y, uint value) { y[get_global_id(0)] += x[get_global_id(0)] ^ value; }
kernel void spin(global uint *x, uint times) { uint v = x[0]; for (uint i = 0; i < times; i++) v = v * 1664525u + 1013904223u; x[0] = v; }
kernel void either(global uint *x, global const uint *y) { x[get_global_id(0)] = y ? y[get_global_id(0)] : 7; }
kernel void out(global uint *x, ulong far) { x[far] = 1; }
"""


class SeveralInC(SeveralCuda):
    """`launched` is called, if it is set, while code in C is in the call that launches."""

    def __init__(self, devices=2, seed=1, peers=True):
        super().__init__(devices, seed, peers)
        runtime, self.functions, self.failures, self.launched = self.several, [], [], None
        self.in_c = 0

        def copied(kind):
            return lambda to, of, size, stream: runtime.memcpyAsync(to, of, size, kind, stream)

        def filled(width):
            return lambda memory, value, count, stream: self.memset(memory, value & (1 << 8 * width) - 1, width, count, stream)

        def launch(*words):
            self.in_c += 1
            self.driver.launchKernel(*words)
            if self.launched is not None:
                called, self.launched = self.launched, None
                called()

        def current(place):
            _LONG.from_address(place).value = self.driver.ctxGetCurrent()

        def attributes(count, which, answers, address):
            _WORD.from_address(_POINTER.from_address(answers).value).value = not self.is_pageable(address)

        copies = [self._address(copied(kind), 3, *(_LONG,) * 4) for kind in (2, 1, 3)]
        fills = [self._address(filled(width), 3, _LONG, _WORD, _LONG, _LONG) for width in (1, 2, 4)]
        current_address = self._address(current, None, _LONG)
        self.stream_addresses = (
            current_address, self._address(runtime.streamQuery, 0, _LONG), *copies, *fills, self._address(runtime.eventRecord, 1, _LONG, _LONG),
            self._address(lambda stream, event, flags: runtime.streamWaitEvent(stream, event), 0, _LONG, _LONG, _WORD),
            self._address(self._refused, None, _LONG, _LONG), self._address(attributes, None, _WORD, _LONG, _LONG, _LONG))
        self.launch_addresses = (self._address(launch, 7 + 1, _LONG, *(_WORD,) * 7, _LONG, _LONG, _LONG), current_address, 0)
        self.set_current_address = self._address(self.driver.ctxSetCurrent, None, _LONG)
        self.event_query_address = self._address(runtime.eventQuery, None, _LONG)
        calls = library.calls()
        self.native_launching = None if calls is None else calls.launching((self.launch_addresses[0], 0), HELD, LET_GO, WAITED_NS, ())

    def run_late(self):
        """From here on a command runs when somebody asks for it, or for what comes after it, and not before."""
        self.several.random = SimpleNamespace(choice=lambda among: among[0], random=self.several.random.random)

    def _refused(self, *words):
        raise CudaError(FAILED)

    def _address(self, function, stream_at, *types):
        """Where C finds it. Of the words, the one at that place is the stream."""
        def called(*words):
            try:
                if stream_at is not None and self.several.streams[words[stream_at]].device != self.several.current:
                    return INVALID_CONTEXT
                return function(*words) or 0
            except CudaError as error:
                return error.status
            except BaseException as failure:
                self.failures.append(failure)
                return FAILED

        self.functions.append(ctypes.CFUNCTYPE(_INT, *types)(called))
        return ctypes.cast(self.functions[-1], _POINTER).value


def _add(parameter, count, device):
    x, by = parameter(0, ctypes.c_uint64), parameter(1, ctypes.c_uint32)
    return lambda: _write(x, [(word + by) & 0xFFFFFFFF for word in _words(x, count)])


def _mix(parameter, count, device):
    x, y, value = parameter(0, ctypes.c_uint64), parameter(1, ctypes.c_uint64), parameter(2, ctypes.c_uint32)
    return lambda: _write(y, [(b + (a ^ value)) & 0xFFFFFFFF for a, b in zip(_words(x, count), _words(y, count), strict=True)])


def _words(address, count):
    return (ctypes.c_uint32 * count).from_address(address)[:]


def _write(address, words):
    (ctypes.c_uint32 * len(words)).from_address(address)[:] = words


class SeveralWorld:
    """A context of two devices, of the host ("host") or of an imagined CUDA ("cuda"), and a queue of each."""

    def __init__(self, kind, seed=1, properties=0):
        self.cuda = SeveralInC(seed=seed) if kind == "cuda" else None
        if self.cuda is not None:
            self.cuda.driver.bodies.update(add=_add, mix=_mix)
        devices = self.cuda.devices_of(PLATFORM) if self.cuda is not None else devices_of("host")
        self.context = cl.Context([to_python(device) for device in devices])
        self.queues = [cl.CommandQueue(self.context, device, properties) for device in self.context.devices]
        self.program = cl.Program(self.context, SOURCE).build()

    def kernel(self, name, *arguments):
        made = cl.Kernel(self.program, name)
        if arguments:
            made.set_args(*arguments)
        return made

    def buffer(self, words, flags=cl.mem_flags.READ_WRITE):
        return cl.Buffer(self.context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=words)
