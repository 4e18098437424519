"""Programs: building, logs, binaries, queries. On the fake driver with a stand-in translator."""

import gc

import pytest
from conftest import arg, kernel_info
from test_buffer import fails

from cl2cuda.runtime import codes
from cl2cuda.runtime.driver import BuildFailure
from cl2cuda.runtime.errors import CLError
from cl2cuda.runtime.kernel import Kernel
from cl2cuda.runtime.launch import enqueue_nd_range_kernel
from cl2cuda.runtime.program import Program
from cl2cuda.translator.diagnostics import Diagnostic


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    monkeypatch.setenv("CL2CUDA_NO_CACHE", "1")


@pytest.fixture
def program(fake):
    fake.kernels[:] = [kernel_info("add", arg("a", "global")), kernel_info("scale")]
    fake.driver.bodies.update(add=lambda p, s: None, scale=lambda p, s: None)
    return Program(fake.context, "source")


def test_build(fake, program):
    assert program.build_status(fake.device) == codes.BUILD_NONE
    assert program.build_log(fake.device) == ""
    program.build("-cl-std=CL1.2")
    assert program.build_status(fake.device) == codes.BUILD_SUCCESS
    assert program.build_log(fake.device) == ""
    assert program.build_options(fake.device) == "-cl-std=CL1.2"
    assert program.kernel_names == ("add", "scale")
    assert program.get_info(codes.PROGRAM_KERNEL_NAMES) == "add;scale"
    assert program.get_info(codes.PROGRAM_NUM_KERNELS) == 2
    assert program.get_info(codes.PROGRAM_SOURCE) == "source"
    assert program.get_build_info(fake.device, codes.PROGRAM_BINARY_TYPE) == codes.PROGRAM_BINARY_TYPE_EXECUTABLE
    assert [kernel.name for kernel in program.kernels()] == ["add", "scale"]


def test_warnings_are_the_log_of_a_good_build(fake, program):
    fake.warnings = (Diagnostic("warning", "odd"),)
    program.build()
    assert program.build_log(fake.device) == "warning: odd\n"


def test_errors_are_the_log_of_a_bad_one(fake):
    program = Program(fake.context, "an error")
    message = fails("BUILD_PROGRAM_FAILURE", program.build)
    assert "error: the source says so" in message
    assert program.build_status(fake.device) == codes.BUILD_ERROR
    assert "the source says so" in program.build_log(fake.device)
    fails("INVALID_PROGRAM_EXECUTABLE", Kernel, program, "add")


def test_the_drivers_compiler_may_refuse(fake, program, monkeypatch):
    def refuse(translation, options):
        raise BuildFailure("line 3 is wrong")

    monkeypatch.setattr(fake.driver, "compile", refuse)
    assert "line 3 is wrong" in fails("BUILD_PROGRAM_FAILURE", program.build)


def test_what_build_refuses(fake, program):
    assert "unknown option -bad" in fails("INVALID_BUILD_OPTIONS", program.build, "-bad")
    fails("INVALID_DEVICE", program.build, "", ["device"])
    fails("INVALID_PROGRAM_EXECUTABLE", lambda: program.kernel_names)
    program.build()
    kernel = Kernel(program, "add")
    fails("INVALID_OPERATION", program.build)
    kernel.release()
    program.build()


def test_binaries_make_the_same_program(fake, program):
    program.build("-cl-std=CL2.0")
    (binary,) = program.binaries()
    assert program.get_info(codes.PROGRAM_BINARY_SIZES) == (len(binary),)
    again = Program.from_binaries(fake.context, [fake.device], [binary])
    assert again.build_status(fake.device) == codes.BUILD_NONE
    again.build()
    assert again.kernel_names == ("add", "scale")
    assert Kernel(again, "add").info == Kernel(program, "add").info
    assert fake.translated == fake.driver.compiled == 1
    assert again.binaries() == [binary]


def test_what_binaries_are_refused(fake, program):
    program.build()
    (binary,) = program.binaries()
    create = Program.from_binaries
    for damaged in (b"nonsense", binary[:-1], binary[:200] + bytes([binary[200] ^ 1]) + binary[201:]):
        fails("INVALID_BINARY", create, fake.context, [fake.device], [damaged])
    fails("INVALID_VALUE", create, fake.context, [fake.device], [b""])
    fails("INVALID_VALUE", create, fake.context, [fake.device], [])
    fake.device.driver_name = "other"
    fails("INVALID_BINARY", create, fake.context, [fake.device], [binary])


def test_a_module_is_unloaded_when_its_kernels_have_gone_and_run(fake):
    fake.kernels[:] = [kernel_info("scale")]
    fake.driver.bodies.update(scale=lambda p, s: None)
    program = Program(fake.context, "source")
    program.build()
    kernel = Kernel(program, "scale")
    del program
    enqueue_nd_range_kernel(fake.queue, kernel, 1, None, (4,), None)
    del kernel
    gc.collect()
    assert len(fake.driver.modules) == 1  # the command may be running
    fake.queue.finish()
    assert not fake.driver.modules


def test_unknown_kernels_are_named_with_those_there_are(program):
    program.build()
    with pytest.raises(CLError, match="no kernel 'sub' in the program; it has: add, scale"):
        Kernel(program, "sub")
