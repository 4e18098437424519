"""Semaphores that others exported, over an imagined CUDA that keeps their state by file; and the structures of the calls against
NVIDIA's header."""

import ctypes
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.fails import fails
from support.fake_cuda import FakeCuda

from cl2cuda.opencl_icd.build import compilers
from cl2cuda.runtime.commands.semaphore import Semaphore, enqueue_signal_semaphores, enqueue_wait_semaphores
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda import external
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.devices.platform import platforms
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

BINARY = (codes.SEMAPHORE_TYPE_KHR, codes.SEMAPHORE_TYPE_BINARY_KHR)
HANDLE = codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR
OPAQUE_FD, INVALID_HANDLE, NOT_READY = 1, 400, 600


class Imagined:
    """`signaled` has a semaphore's state by its file, which every import of it shares; `imports` are the files by handle."""

    def __init__(self):
        self.signaled = {}
        self.imports = {}
        self.log = []

    def library(self):
        def made(handle, described):
            given = described._obj
            if given.type != OPAQUE_FD or not os.path.exists(f"/proc/self/fd/{given.handle.fd}"):
                return INVALID_HANDLE
            file = os.fstat(given.handle.fd).st_ino
            os.close(given.handle.fd)  # CUDA owns what it imports
            handle._obj.value = len(self.imports) + 1
            self.imports[handle._obj.value] = file
            self.signaled.setdefault(file, False)
            return 0

        def signal(semaphores, parameters, count, stream):
            file = self.imports[semaphores._obj.value]
            assert count == 1 and not any(parameters) and not self.signaled[file]
            self.signaled[file] = True
            self.log.append(("signal", stream))
            return 0

        def wait(semaphores, parameters, count, stream):
            file = self.imports[semaphores._obj.value]
            if not self.signaled[file]:
                return NOT_READY  # a GPU would wait
            self.signaled[file] = False
            self.log.append(("wait", stream))
            return 0

        def destroy(semaphore):
            del self.imports[semaphore.value]
            return 0

        def never(*arguments):
            raise AssertionError("no memory is imported and no object of OpenGL is shared here")

        # Where NVIDIA's OpenGL is installed, the device makes these calls ready, too.
        graphics = ("cuGraphicsGLRegisterBuffer", "cuGraphicsGLRegisterImage", "cuGraphicsUnregisterResource", "cuGraphicsMapResources",
                    "cuGraphicsUnmapResources", "cuGraphicsResourceGetMappedPointer_v2", "cuGraphicsSubResourceGetMappedArray",
                    "cuGLGetDevices_v2")
        return SimpleNamespace(cuImportExternalSemaphore=made, cuSignalExternalSemaphoresAsync=signal, cuWaitExternalSemaphoresAsync=wait,
                               cuDestroyExternalSemaphore=destroy, cuImportExternalMemory=never, cuExternalMemoryGetMappedBuffer=never,
                               cuDestroyExternalMemory=never, **dict.fromkeys(graphics, never))


@pytest.fixture
def on():
    cuda = FakeCuda()
    driver = CudaDevice(cuda, 0)
    driver.properties.extra["semaphore_handles"] = ("opaque_fd",)
    imagined = Imagined()
    cuda.library, cuda.stream_addresses, cuda.staging_addresses = imagined.library(), None, None
    device = Device(platforms()[0], "cuda", driver)
    context = Context([device])
    return SimpleNamespace(imagined=imagined, device=device, context=context, queue=CommandQueue(context, device))


def test_semaphores_of_one_payload(on):
    """The same file imported twice is one semaphore: what one signals, the other waits for."""
    file = os.memfd_create("semaphore")
    first, second = (Semaphore(on.context, (BINARY, (HANDLE, os.dup(file)))) for _ in range(2))
    enqueue_signal_semaphores(on.queue, [first])
    enqueue_wait_semaphores(on.queue, [second]).wait()
    enqueue_signal_semaphores(on.queue, [second])
    enqueue_wait_semaphores(on.queue, [first]).wait()
    assert [what for what, _ in on.imagined.log] == ["signal", "wait", "signal", "wait"]
    assert {stream for _, stream in on.imagined.log} == {on.queue.stream.handle}
    for one in (first, second):
        one.release()
    on.queue.finish()
    assert on.imagined.imports == {}
    os.close(file)


def test_the_application_keeps_what_cannot_be_imported(on):
    closed = os.memfd_create("semaphore")
    os.close(closed)
    fails("INVALID_PROPERTY", Semaphore, on.context, (BINARY, (HANDLE, closed)))
    fails("INVALID_PROPERTY", Semaphore, on.context, (BINARY, (HANDLE, 2**64 - 64)))  # -64 of a program in C
    kept = os.memfd_create("semaphore")
    made = Semaphore(on.context, (BINARY, (HANDLE, kept)))
    assert not os.path.exists(f"/proc/self/fd/{kept}"), "it is the runtime's now"
    fails("INVALID_VALUE", made.get_info, codes.SEMAPHORE_PAYLOAD_KHR)
    made.release()


def test_what_a_device_that_imports_semaphores_offers(on):
    names = dict(on.device.extensions)
    assert {"cl_khr_external_semaphore", "cl_khr_external_semaphore_opaque_fd"} <= set(names)
    assert "cl_khr_external_semaphore_sync_fd" not in names
    assert on.device.get_info(codes.DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR) == (HANDLE,)
    assert on.device.get_info(codes.DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR) == ()


STRUCTURES = {
    "CUDA_EXTERNAL_MEMORY_HANDLE_DESC": (external._MemoryHandle, {"type": "type", "handle": "handle.fd", "size": "size", "flags": "flags"}),
    "CUDA_EXTERNAL_MEMORY_BUFFER_DESC": (external._BufferPart, {"offset": "offset", "size": "size", "flags": "flags"}),
    "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC": (external._SemaphoreHandle, {"type": "type", "handle": "handle.fd", "flags": "flags"}),
    "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS": (type(external._NO_PARAMETERS), {}),
    "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS": (type(external._NO_PARAMETERS), {}),
}


def test_structures_are_those_of_the_header(tmp_path):
    header = _header()
    if header is None or not compilers():
        pytest.skip("cuda.h or a C compiler is not installed")
    lines = ["#include <stddef.h>", f'#include "{header}"']
    for name, (ours, members) in STRUCTURES.items():
        lines.append(f'_Static_assert(sizeof({name}) == {ctypes.sizeof(ours)}, "{name}");')
        lines += [f'_Static_assert(offsetof({name}, {theirs}) == {getattr(ours, member).offset}, "{name}.{member}");'
                  for member, theirs in members.items()]
    place = tmp_path / "structures.c"
    place.write_text("\n".join(lines) + "\n")
    subprocess.run([*compilers()[0], "-fsyntax-only", str(place)], check=True)


def _header():
    try:
        import nvidia
    except ImportError:
        nvidia = None
    folders = [Path(folder) for folder in nvidia.__path__] if nvidia else []
    found = [path for folder in folders for path in sorted(folder.glob("*/include/cuda.h"))] + [Path("/usr/local/cuda/include/cuda.h")]
    return next((path for path in found if path.exists()), None)
