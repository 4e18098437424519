"""Builds whose compiler is at work when clBuildProgram returns: what waits for it, what does not, and what becomes of its errors."""

import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from support.cached_builds import build
from support.fails import fails
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.driver import unfinished_code
from cl2cuda.runtime.driver.interface import BuildFailure, DriverError
from cl2cuda.runtime.driver.unfinished_code import UnfinishedCode
from cl2cuda.runtime.kernel.kernel import Kernel, create_kernels_in_program
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.process import disk_cache, ending
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes


class Compiler:
    """It goes on once it is let."""

    def __init__(self, fake):
        self.fake, self.begun, self.go_on, self.error, self.threads = fake, 0, threading.Event(), None, []

    def begin(self, translation, options):
        self.begun += 1
        code = UnfinishedCode()

        def make():
            assert self.go_on.wait(60)
            if self.error is not None:
                raise self.error
            return self.fake.driver.compile(translation, options)

        self.threads.append(threading.Thread(target=code.finish, args=(make,)))
        self.threads[-1].start()
        return code

    def end(self):
        self.go_on.set()
        for thread in self.threads:
            thread.join()


@pytest.fixture
def compiler(fake, monkeypatch):
    monkeypatch.setattr("cl2cuda.runtime.process.processors.count", lambda: 3)
    fake.kernels[:] = [kernel_info("add", arg("a", "value", 4))]
    fake.driver.bodies.update(add=lambda parameters, sizes: None)
    made = Compiler(fake)
    fake.driver.begin_compiling = made.begin
    yield made
    made.end()


@pytest.fixture
def program(fake, compiler):
    made = Program(fake.context, "source")
    made.build()
    return made


def test_what_the_translator_knows_waits_for_nobody(fake, compiler, program):
    assert program.build_status(fake.device) == codes.BUILD_SUCCESS
    assert program.build_log(fake.device) == "" and program.binary_type(fake.device) == codes.PROGRAM_BINARY_TYPE_EXECUTABLE
    assert program.kernel_names == ("add",)
    kernel, *_ = create_kernels_in_program(program)
    kernel.set_arg(0, b"1234")
    assert Kernel(program, "add").clone().info == kernel.info
    assert (compiler.begun, fake.driver.compiled) == (1, 0)


@pytest.mark.parametrize("ask", [
    lambda fake, program: program.binaries(),
    lambda fake, program: program.get_info(codes.PROGRAM_BINARY_SIZES),
    lambda fake, program: Kernel(program, "add").work_group_info(codes.KERNEL_WORK_GROUP_SIZE),
    lambda fake, program: launched(fake, Kernel(program, "add")),
    lambda fake, program: program.function("clEnqueueNDRangeKernel", fake.device, "add"),
])
def test_what_needs_the_code_waits(fake, compiler, program, ask):
    threading.Timer(0.05, compiler.go_on.set).start()
    assert ask(fake, program)
    assert fake.driver.compiled == 1


def launched(fake, kernel):
    kernel.set_arg(0, b"1234")
    return enqueue_nd_range_kernel(CommandQueue(fake.context, fake.device), kernel, 1, None, (1,), None)


def test_a_kernel_is_loaded_where_its_code_is_there(fake, compiler, program):
    Kernel(program, "add")
    assert not program._builds[fake.device].functions
    program_with_code = Program(fake.context, "another source")
    compiler.go_on.set()
    program_with_code.build()
    program_with_code.binaries()
    Kernel(program_with_code, "add")
    assert list(program_with_code._builds[fake.device].functions) == ["add"]


def test_threads_make_kernels_while_one_waits_for_the_code(fake, compiler, program):
    waiting = threading.Thread(target=launched, args=(fake, Kernel(program, "add")))
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    made = Kernel(program, "add")
    compiler.go_on.set()
    waiting.join(60)
    assert launched(fake, made) and fake.driver.compiled == 1


@pytest.mark.parametrize("error", [BuildFailure("line 3 is wrong"), DriverError("no memory", "OUT_OF_HOST_MEMORY")])
def test_what_the_compiler_refuses_later(fake, compiler, program, error):
    """A launch that waits for the code is told, and the status and the log say it from then on."""
    compiler.error = error
    kernel = Kernel(program, "add")
    compiler.go_on.set()
    status = "INVALID_PROGRAM_EXECUTABLE" if isinstance(error, BuildFailure) else "OUT_OF_HOST_MEMORY"
    assert str(error) in fails(status, launched, fake, kernel)
    assert program.build_status(fake.device) == codes.BUILD_ERROR and str(error) in program.build_log(fake.device)
    assert program.get_info(codes.PROGRAM_BINARY_SIZES) == (0,)
    assert str(error) in fails("INVALID_PROGRAM_EXECUTABLE", Kernel, program, "add")
    assert str(error) in fails("INVALID_PROGRAM_EXECUTABLE", create_kernels_in_program, program)
    assert str(error) in fails("INVALID_PROGRAM_EXECUTABLE", program.function, "clEnqueueNDRangeKernel", fake.device, "add")
    fails("INVALID_PROGRAM_EXECUTABLE", lambda: program.kernel_names)
    kernel.release()
    compiler.error = None
    program.build()
    assert program.build_status(fake.device) == codes.BUILD_SUCCESS and program.binaries() != [b""]


def test_what_the_compiler_may_refuse_is_waited_for(fake, compiler):
    """Assembly, which the translator does not read, and parameters that not every CUDA has room for."""
    compiler.error = BuildFailure("line 3 is wrong")
    fake.driver.compile = lambda translation, options: compiler.begin(translation, options).result()
    compiler.go_on.set()
    for uses, size in (((("asm",),), 4), ((), 4097)):
        fake.uses, fake.kernels[:] = uses, [kernel_info("add", arg("a", "value", size))]
        assert "line 3 is wrong" in fails("BUILD_PROGRAM_FAILURE", Program(fake.context, f"source {size}").build)


def test_a_program_in_c_waits(fake, compiler, monkeypatch):
    """Its end calls the exit handlers of NVRTC before Python hears of it."""
    monkeypatch.setattr(ending, "is_pythons", False)
    Program(fake.context, "source").build()
    assert (compiler.begun, fake.driver.compiled) == (0, 1)


def test_a_callback_is_called_when_the_code_is_there(fake, compiler):
    called = threading.Event()
    program = Program(fake.context, "source")
    program.build(callback=lambda program: called.set())
    assert called.wait(60)
    assert (compiler.begun, fake.driver.compiled) == (0, 1)


def test_no_more_is_under_way_than_there_are_processors(fake, compiler):
    programs = [Program(fake.context, f"source {number}") for number in range(4)]
    for each in programs:
        each.build()
    assert (compiler.begun, fake.driver.compiled) == (3, 1)
    compiler.end()
    assert unfinished_code.count() == 0 and all(map(Program.binaries, programs))


def stored():
    folder = disk_cache.directory()
    return [path for path in folder.iterdir() if not path.name.startswith(disk_cache.UNFINISHED)] if folder.is_dir() else []


def test_the_cache_gets_it_when_it_is_there(fake, compiler):
    assert build(fake) == 0
    assert stored() == []
    compiler.end()
    assert len(stored()) == 1
    build(fake)
    assert compiler.begun == 1


def test_the_same_program_again_while_it_is_under_way(fake, compiler):
    """It is not compiled twice, unless the first time fails."""
    build(fake)
    build(fake)
    build(fake, "another source")
    assert compiler.begun == 2
    compiler.error = BuildFailure("line 3 is wrong")
    compiler.end()
    compiler.error = None
    build(fake)
    assert compiler.begun == 3


def test_the_cache_gets_nothing_of_a_failure(fake, compiler):
    compiler.error = BuildFailure("line 3 is wrong")
    build(fake)
    compiler.end()
    assert stored() == []
    compiler.error = None
    build(fake)
    assert compiler.begun == 2


SOURCE = "kernel void add{0}(global int *a) {{ a[get_global_id(0)] += {0}; }}"


def test_programs_that_were_built_one_after_the_other(real_device):
    context = Context([real_device])
    queue, programs = CommandQueue(context, real_device), [Program(context, SOURCE.format(number)) for number in range(1, 6)]
    for each in programs:
        each.build()
    found = np.zeros(8, np.int32)
    buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, host=found)
    for each in programs:
        kernel = Kernel(each, each.kernel_names[0])
        kernel.set_arg(0, buffer)
        enqueue_nd_range_kernel(queue, kernel, 1, None, (8,), None)
    enqueue_read_buffer(queue, buffer, True, 0, found)
    assert found.tolist() == [15] * 8


PROGRAM = """
import os, sys
os.environ["CL2CUDA_DEVICE"] = "host"
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.driver import unfinished_code
device = platforms.platforms()[0].devices()[0]
program = Program(Context([device]), sys.argv[1])
program.build()
under_way = unfinished_code.count()
"""


def run(folder, *lines, **environment):
    program = "\n".join([PROGRAM, *lines])
    done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", program, SOURCE.format(1)], capture_output=True, text=True,
                          timeout=100, env={**os.environ, "CL2CUDA_CACHE_DIR": str(folder), **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_process_that_only_builds_fills_the_cache(tmp_path):
    assert run(tmp_path, "print(under_way)") == "1\n"
    assert run(tmp_path, "print(under_way)") == "0\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_process_is_forked_with_whole_programs(tmp_path):
    assert run(tmp_path, "child = os.fork()", "if not child: os._exit(len(program.binaries()[0]) > 100)",
               "print(under_way, os.waitpid(child, 0)[1] >> 8)") == "1 1\n"


def test_threads_that_make_code_may_be_forked():
    """While others do, too: where what starts a compiler is a fork, none of them waits for another one, nor for itself."""
    both, made = threading.Barrier(2), [UnfinishedCode() for _ in range(2)]

    def make():
        both.wait(60)
        unfinished_code.wait_for_all()
        return b"code"

    threads = [threading.Thread(target=code.finish, args=(make,), daemon=True) for code in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert [code.result() for code in made] == [b"code"] * 2
    unfinished_code.wait_for_all()


def test_what_is_under_way_in_the_parent_is_lost(monkeypatch):
    """What another thread has begun after the wait for all."""
    monkeypatch.setattr(unfinished_code, "_under_way", set())
    monkeypatch.setattr(unfinished_code, "_changed", threading.Condition())
    code = UnfinishedCode()
    unfinished_code._changed.acquire()
    unfinished_code._forked()
    with pytest.raises(DriverError, match="build it again"):
        code.result()
    unfinished_code.wait_for_all()
    UnfinishedCode().finish(lambda: b"")
    assert unfinished_code.count() == 0


def test_a_trace_tells_how_long_it_took(tmp_path):
    run(tmp_path, "program.binaries()", CL2CUDA_TRACE=str(tmp_path / "trace"))
    with open(tmp_path / "trace") as file:
        spans = {each["name"]: each["dur"] for each in json.load(file)["traceEvents"] if each["ph"] == "X"}
    assert spans["compilation"] > 10_000
