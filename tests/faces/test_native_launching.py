"""How code in C calls cuLaunchKernel (runtime/native/launch_plans.c; cuda/launching.py has the same in Python), which is imagined: what CUDA
is given, what becomes of its status, and when Python's lock is let go."""

from __future__ import annotations

import ctypes
import threading
import time

import pytest
from support import c_library
from support.fake_cuda import FakeCuda
from support.imagined_device import device_of
from support.launch_bench import Launches
from support.threads import turns_of_another_thread

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.launching import HELD, LET_GO, WAITED_NS
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

LAUNCHES = r"""
#include <unistd.h>
long launches, words[16];
int status, sleeps_us, asleep;
static int launch(void *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned s, void *t, void **p, void **x)
{
    long w[] = { (long)f, a, b, c, d, e, g, s, (long)t, (long)p, (long)x };
    for (int i = 0; i < 11; i++)
        words[i] = w[i];
    if (sleeps_us) {
        asleep = 1;
        usleep(sleeps_us);
        asleep = 0;
    }
    if (!status)
        __atomic_add_fetch(&launches, 1, __ATOMIC_SEQ_CST);
    return status;
}
int cuLaunchKernel(void *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned s, void *t, void **p, void **x)
{
    return launch(f, a, b, c, d, e, g, s, t, p, x);
}
struct attribute { int id; char unused[4]; int value; char rest[60]; };
struct config { unsigned blocks[3], threads[3], shared; void *stream; const struct attribute *attributes; unsigned count; };
long given_attribute[4];
int cuLaunchKernelEx(const struct config *c, void *f, void **p, void **x)
{
    long w[] = { c->count, c->attributes->id, c->attributes->value, sizeof *c->attributes };
    for (int i = 0; i < 4; i++)
        given_attribute[i] = w[i];
    return launch(f, c->blocks[0], c->blocks[1], c->blocks[2], c->threads[0], c->threads[1], c->threads[2], c->shared, c->stream, p, x);
}
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    return c_library.load(LAUNCHES, tmp_path_factory.mktemp("launches"))


@pytest.fixture
def imagined(compiled):
    """What `compiled` holds, zeroed."""
    for name in ("launches", "status", "sleeps_us"):
        number(compiled, name).value = 0
    return compiled


def number(compiled, name):
    return (ctypes.c_long if name == "launches" else ctypes.c_int).in_dll(compiled, name)


def launching(compiled):
    addresses = (ctypes.cast(function, ctypes.c_void_p).value for function in (compiled.cuLaunchKernel, compiled.cuLaunchKernelEx))
    return library.calls().launching(tuple(addresses), HELD, LET_GO, WAITED_NS, ())


def prepared(compiled, failed=None, is_dependent=False):
    return launching(compiled).prepared((1 << 40, 2, 3, 4, 5, 6, 7, 8, 9 << 40, 10 << 40), is_dependent, failed, 0)


@pytest.mark.parametrize("is_dependent", [False, True])
def test_cuda_is_given_its_words(imagined, is_dependent):
    (ctypes.c_long * 4).in_dll(imagined, "given_attribute")[:] = [0] * 4
    prepared(imagined, is_dependent=is_dependent)()
    assert (ctypes.c_long * 11).in_dll(imagined, "words")[:] == [1 << 40, 2, 3, 4, 5, 6, 7, 8, 9 << 40, 10 << 40, 0]
    # One attribute of CUDA's 72 bytes: CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION is allowed.
    assert (ctypes.c_long * 4).in_dll(imagined, "given_attribute")[:] == ([1, 6, 1, 72] if is_dependent else [0] * 4)


def test_a_status_goes_to_python(imagined):
    statuses = []
    launch = prepared(imagined, statuses.append)
    number(imagined, "status").value = 700
    launch()
    assert statuses == [700]

    def fail(status):
        raise ValueError(status)

    with pytest.raises(ValueError, match="700"):
        prepared(imagined, fail)()
    with pytest.raises(TypeError, match="no arguments"):
        launch(1)


def test_other_threads_run_while_a_launch_waits(imagined):
    launch = prepared(imagined)
    launch()
    number(imagined, "sleeps_us").value = 100_000
    assert turns_of_another_thread(launch) > 5


def test_threads_that_meet_keep_the_lock_until_a_launch_waits(imagined):
    """As cuda/launching.py has it: while one thread is in a launch, another comes; the next launches are held. One that waits longer ends
    that."""
    launch = prepared(imagined)
    number(imagined, "sleeps_us").value = 200_000
    first = threading.Thread(target=launch)
    first.start()
    while not number(imagined, "asleep").value and first.is_alive():
        time.sleep(0.001)
    number(imagined, "sleeps_us").value = 0
    launch()
    first.join()
    number(imagined, "sleeps_us").value = 60_000
    assert turns_of_another_thread(launch) <= 2
    assert turns_of_another_thread(launch) > 5


class OtherContext(FakeCuda):
    """Its launches are C's; `current` is the context that it says is current."""

    def __init__(self, compiled):
        super().__init__()
        self.current = self.driver.ctxGetCurrent()
        self.driver.ctxGetCurrent = lambda: self.current
        self.native_launching = launching(compiled)


def test_cuda_refuses_a_launch(imagined):
    """Which Python makes again where another context is current, and explains where it is this one."""
    try:
        nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    cuda = OtherContext(imagined)
    launches = Launches(device_of(cuda))
    before = number(imagined, "launches").value
    launches.run()
    assert number(imagined, "launches").value == before + 1 and not cuda.driver.launches
    number(imagined, "status").value = 400
    with pytest.raises(cl.RuntimeError, match="OUT_OF_RESOURCES"):
        launches.run()
    cuda.current = 0
    event = launches.run()
    assert len(cuda.driver.launches) == 1 and event._core.position
