"""Commands that the driver library gives to a stream without Python, of several threads."""

import subprocess

import pytest
from support import driver_commands

from cl2cuda.opencl_icd.build import compilers

# Copies that have been made when their calls return, in a stream that often says that it has not come to their end.
CUDA = """
#include <stdint.h>
#include <string.h>
static int asked;
int query(void *stream) { (void)stream; return __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) % 3 ? 600 : 0; }
int copy_to_host(void *host, uint64_t memory, size_t size, void *stream) { (void)stream; memcpy(host, (void *)memory, size); return 0; }
int copy_from_host(uint64_t memory, const void *host, size_t size, void *stream) { (void)stream; memcpy((void *)memory, host, size); return 0; }
"""


def test_eight_threads_in_one_queue(tmp_path):
    if not compilers():
        pytest.skip("no C compiler")
    (tmp_path / "cuda.c").write_text(CUDA)
    subprocess.run([*compilers()[0], "-shared", "-fPIC", str(tmp_path / "cuda.c"), "-o", str(tmp_path / "cuda.so")], check=True)
    assert driver_commands.run(f"""
import threading
cuda = ctypes.CDLL({str(tmp_path / "cuda.so")!r})
stream = NativeStream(address(cuda.query), 13, 10**12, address(cuda.copy_to_host), address(cuda.copy_from_host))
queue = handle("clCreateCommandQueueWithProperties", cl_context, device, None)
failed = []

def work(mine):
    try:
        kept, mark, copied = new_buffer(), P(), P()
        for number in range(300):
            fresh = new_buffer()
            buffer = fresh if number % 3 else kept
            text = bytes([mine, number % 251]) * 16
            given, found = ctypes.create_string_buffer(text, 32), ctypes.create_string_buffer(32)
            ok(cl.clEnqueueWriteBuffer(queue, buffer, number % 2, W(16), W(32), given, 0, None, ctypes.byref(copied)))
            ok(cl.clEnqueueMarkerWithWaitList(queue, 1, ctypes.byref(copied), ctypes.byref(mark)))
            if number % 4 == 0:
                ok(cl.clFinish(queue))
                assert status(mark) == status(copied) == 0
            elif number % 4 == 1:
                ok(cl.clWaitForEvents(1, ctypes.byref(mark)))
                assert status(copied) == 0
            elif number % 4 == 2:
                ok(cl.clEnqueueReadBuffer(queue, buffer, 0, W(16), W(32), found, 0, None, None))
                ok(cl.clFlush(queue))
            ok(cl.clEnqueueReadBuffer(queue, buffer, 1, W(16), W(32), found, 1, ctypes.byref(mark), None))
            assert found.raw == text and status(mark) == 0, (mine, number)
            for each in (mark, copied):
                ok(cl.clReleaseEvent(each))
            ok(cl.clReleaseMemObject(fresh))
        ok(cl.clReleaseMemObject(kept))
    except BaseException as error:
        failed.append(error)
        raise

threads = [threading.Thread(target=work, args=(mine,)) for mine in range(8)]
for each in threads: each.start()
for each in threads: each.join()
assert not failed
ok(cl.clFinish(queue))
""") == ""
