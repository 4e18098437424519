"""What may happen to the disk cache: it is damaged, cannot be written or read, its writers are killed. Programs are built all the same,
and are the right ones. (tests/runtime/test_disk_cache.py has what the cache does when nothing happens to it.)"""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from random import Random

import numpy as np
import pytest
from support.cached_builds import build, files

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.driver import unfinished_code
from cl2cuda.runtime.host import native
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.process import disk_cache
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("CL2CUDA_NO_CACHE", raising=False)
    monkeypatch.setattr(disk_cache, "_complaints", itertools.count())
    return tmp_path / "cache"


# A cache that cannot be written.

def file_in_its_place(folder, monkeypatch):
    folder.write_text("")


def nowhere(folder, monkeypatch):
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", "/proc/cl2cuda")


def may_only_be_read(folder, monkeypatch):
    def refuse(*arguments, **more):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "mkstemp", refuse)


def full(folder, monkeypatch):
    """What is written goes to a device that has no room, ever."""
    genuine = tempfile.mkstemp

    def on_a_full_disk(**more):
        handle, path = genuine(**more)
        os.close(handle)
        return os.open("/dev/full", os.O_WRONLY), path

    monkeypatch.setattr(tempfile, "mkstemp", on_a_full_disk)


@contextlib.contextmanager
def files_up_to(size):
    """Nor could a signal end the process: Python ignores the one that the system sends. pytest's own output may be a file, too."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


CONDITIONS = [file_in_its_place, nowhere, may_only_be_read, full]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_builds_go_on_and_say_once_that_nothing_is_kept(fake, folder, monkeypatch, condition):
    condition(folder, monkeypatch)
    nothing_is_kept(fake, folder)


def test_files_that_may_not_grow(fake, folder):
    with files_up_to(16):
        nothing_is_kept(fake, folder)


def nothing_is_kept(fake, folder):
    with pytest.warns(RuntimeWarning, match="cannot keep what it builds.*CL2CUDA_CACHE_DIR names another folder") as said:
        assert [build(fake), build(fake), build(fake, "other")] == [1, 1, 1]
    assert len(said) == 1
    assert not folder.is_dir() or files() == []  # nothing half written stays


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_warning_that_is_an_error_is_none(fake, folder, monkeypatch, condition):
    condition(folder, monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert build(fake) == 1


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_native_runtime_is_built_where_there_is_room(folder, tmp_path, monkeypatch, condition):
    with monkeypatch.context() as before:
        before.setenv("CL2CUDA_CACHE_DIR", str(tmp_path / "before"))
        native.runtime()  # Kernels are bound to the first that is loaded: it must be the one that has been told its settings.
    condition(folder, monkeypatch)
    with pytest.warns(RuntimeWarning, match="cannot keep what it builds"):
        assert native.built().ocl_host_barrier


def test_no_room_for_temporary_files_either(real_device, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    if real_device.is_cuda:  # It needs none.
        assert built_and_run(real_device, 1) == {1}
    else:
        with pytest.raises(CLError, match="a folder for temporary files, which TMPDIR names"):
            built_and_run(real_device, 1)


def test_a_user_without_a_home(fake, monkeypatch, tmp_path):
    def unknown(number):
        raise KeyError(number)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for name in ("CL2CUDA_CACHE_DIR", "HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert disk_cache.directory() is None and native.cache_folder() is None
    assert [build(fake), build(fake)] == [1, 1]
    assert list(tmp_path.iterdir()) == []


def test_an_entry_that_is_a_folder(fake):
    build(fake)
    (path,) = files()
    path.unlink()
    path.mkdir()
    with pytest.warns(RuntimeWarning):
        assert [build(fake), build(fake)] == [1, 1]


def test_an_intact_entry_that_is_no_program(fake):
    build(fake)
    (path,) = files()
    disk_cache.store(path.name, b"something else, with the right checksum")
    assert [build(fake), build(fake)] == [1, 0]


# Damage to true binaries, which must never be loaded.

SOURCE = "__kernel void put(__global int *x) { x[get_global_id(0)] = NUMBER; }"


def built_and_run(device, number):
    context = Context([device])
    program = Program(context, SOURCE)
    program.build(f"-DNUMBER={number}")
    kernel, queue, buffer = Kernel(program, "put"), CommandQueue(context, device), Buffer(context, codes.MEM_READ_WRITE, 256)
    kernel.set_arg(0, buffer)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (64,), None)
    found = np.zeros(64, np.int32)
    enqueue_read_buffer(queue, buffer, True, 0, found)
    unfinished_code.wait_for_all()  # The cache has it a little later.
    return set(found.tolist())


def test_damaged_binaries_are_built_anew_and_run_right(real_device):
    assert built_and_run(real_device, 1) == {1}
    (one,) = files()
    assert built_and_run(real_device, 2) == {2}
    (two,) = (path for path in files() if path != one)
    whole, other, random = one.read_bytes(), two.read_bytes(), Random(3)
    flipped = bytearray(whole)
    flipped[random.randrange(len(whole))] ^= 1 << random.randrange(8)
    for damaged in (other, bytes(flipped), whole[: len(whole) // 2], b"", b"\x7fELF" + random.randbytes(5000), other[:32] + whole[32:]):
        one.write_bytes(damaged)
        assert built_and_run(real_device, 1) == {1}
        assert disk_cache.load(one.name) is not None
    one.write_bytes(other)
    two.write_bytes(whole)
    assert built_and_run(real_device, 2) == {2}
    assert built_and_run(real_device, 1) == {1}


# Writers that are killed.

_STORE_FOREVER = """
import itertools, random, sys
from cl2cuda.runtime.process import disk_cache as cache
print("going", flush=True)
for number in itertools.count():
    one = str(random.randrange(5))
    found = cache.load(cache.key([one]))
    assert found in (None, one.encode() * 300_000)
    cache.store(cache.key([one]), one.encode() * 300_000)
"""


def test_many_processes_that_are_killed_at_any_moment(folder):
    """Whatever a reader finds meanwhile is whole, and what they leave does not hinder anyone."""
    random, names = Random(5), [disk_cache.key([str(number)]) for number in range(5)]
    for _ in range(4):
        writers = [subprocess.Popen([sys.executable, "-c", _STORE_FOREVER], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                   for _ in range(3)]
        for writer in writers:
            assert writer.stdout.readline() == b"going\n"
        for writer in writers:
            end = time.monotonic() + random.uniform(0, 0.05)
            while time.monotonic() < end:
                number = random.randrange(5)
                assert disk_cache.load(names[number]) in (None, str(number).encode() * 300_000)
            writer.kill()
            said = writer.communicate()[1]
            assert (writer.returncode, said) == (-signal.SIGKILL, b"")
    for number, name in enumerate(names):
        disk_cache.store(name, str(number).encode() * 300_000)
        assert disk_cache.load(name) == str(number).encode() * 300_000
    assert sum(not path.name.startswith(disk_cache.UNFINISHED) for path in files()) == 5


_BUILD = """
import sys
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.platform import platforms
from cl2cuda.runtime.program.program import Program
context = Context(platforms()[0].devices()[:1])
print("going", flush=True)
for number in range(int(sys.argv[1]), 1000):
    Program(context, "__kernel void put(__global int *x) { x[get_global_id(0)] = NUMBER; }").build(f"-DNUMBER={number}")
"""


def test_processes_that_are_killed_while_they_build(real_device, monkeypatch):
    environment = {**os.environ, "CL2CUDA_DEVICE": real_device.driver_name}
    builders = [subprocess.Popen([sys.executable, "-c", _BUILD, str(start)], stdout=subprocess.PIPE, env=environment) for start in (1, 1, 2)]
    for builder in builders:
        assert builder.stdout.readline() == b"going\n"
    time.sleep(0.7)
    for builder in builders:
        builder.kill()
        builder.communicate()
    for number in (1, 2, 3):
        assert built_and_run(real_device, number) == {number}
