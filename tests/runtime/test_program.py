"""Programs: building, logs, binaries, queries. On the fake driver with a stand-in translator."""

import gc
import hashlib
import json
import struct
from random import Random

import pytest
from support.fails import fails
from support.fake_driver import FakeDevice
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.build.binary import Binary, Damaged
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel, suggested_local_work_size
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import BuildFailure, DriverMissing
from cl2cuda.runtime.kernel.kernel import Kernel, create_kernels_in_program
from cl2cuda.runtime.kernel.sub_groups import sub_group_info
from cl2cuda.runtime.program.link import link_program
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError
from cl2cuda.runtime.spec.status import STATUS
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
    assert [kernel.name for kernel in create_kernels_in_program(program)] == ["add", "scale"]


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


def test_a_kernel_is_loaded_once(fake, program, monkeypatch):
    """Until the program is built again."""
    program.build()
    loaded, genuine = [], Program._module
    monkeypatch.setattr(Program, "_module", lambda *words: loaded.append(words[2]) or genuine(*words))
    kernels = [Kernel(program, name) for name in ("add", "scale", "add", "add")]
    first = kernels[0].function("", fake.device)
    assert len(loaded) == 2 and kernels[3].function("", fake.device) is first
    kernels.clear()
    gc.collect()
    program.build()
    assert Kernel(program, "add").function("", fake.device) is not first and len(loaded) == 3


def test_unknown_kernels_are_named_with_those_there_are(program):
    program.build()
    with pytest.raises(CLError, match="no kernel 'sub' in the program; it has: add, scale"):
        Kernel(program, "sub")


def test_binaries_have_a_status_each(fake, program):
    program.build()
    (binary,) = program.binaries()
    other = Device(fake.device.platform, "fake", FakeDevice())
    context, statuses = Context([fake.device, other]), []
    fails("INVALID_BINARY", Program.from_binaries, context, [fake.device, other], [binary, b"nonsense"], statuses)
    assert statuses == [0, STATUS["INVALID_BINARY"]]
    statuses.clear()
    fails("INVALID_VALUE", Program.from_binaries, context, [fake.device, other], [b"", binary], statuses)
    assert statuses == [STATUS["INVALID_VALUE"], 0]
    fails("INVALID_DEVICE", Program.from_binaries, fake.context, [other], [binary])


def test_a_binary_that_was_unpacked_before_is_the_same_one(program):
    """A few of them; bytes that are not the same are looked at."""
    program.build()
    (binary,) = program.binaries()
    first = Binary.unpack(binary)
    assert Binary.unpack(bytearray(binary)) is first and first.pack() == binary
    with pytest.raises(Damaged):
        Binary.unpack(binary[:200] + bytes([binary[200] ^ 1]) + binary[201:])
    assert Binary.unpack(binary) is first
    others = [Binary("library", f"-D N={number}").pack() for number in range(5)]
    unpacked = [Binary.unpack(other) for other in others]
    assert [each.options for each in unpacked] == [f"-D N={number}" for number in range(5)]
    assert all(Binary.unpack(other) is known for other, known in list(zip(others, unpacked, strict=True))[1:])
    assert Binary.unpack(binary) is not first and Binary.unpack(binary) == first
    large = Binary("library", "", made=bytes(5 << 20)).pack()
    assert Binary.unpack(large) is not Binary.unpack(large)


def test_a_binary_for_another_target_is_refused(fake, program):
    program.build()
    (binary,) = program.binaries()
    fake.driver.target = "a later fake"
    assert "another device" in fails("INVALID_BINARY", Program.from_binaries, fake.context, [fake.device], [binary])


@pytest.mark.parametrize("change", [
    {"cl2cuda": "0.0.1"}, {"type": "poem"}, {"kernels": [{"name": "add"}]}, {"objects": [{}]}, {"objects": 5}, {"surplus": 1},
])
def test_intact_bytes_with_another_makers_header_are_refused(fake, program, change):
    program.build()
    (binary,) = program.binaries()
    (length,) = struct.unpack_from("<I", binary, 40)
    header = json.loads(binary[44 : 44 + length]) | change
    text = json.dumps(header).encode()
    body = struct.pack("<I", len(text)) + text + binary[44 + length :]
    with pytest.raises(Damaged):
        Binary.unpack(binary[:8] + hashlib.sha256(body).digest() + body)


def test_random_damage_of_binaries(fake, program):
    program.build()
    (binary,) = program.binaries()
    random = Random(3)
    for _ in range(300):
        damaged = bytearray(binary)
        at = random.randrange(len(damaged))
        if random.random() < 0.5:
            damaged[at] ^= random.randrange(1, 256)
        else:
            del damaged[at : at + random.randint(1, 9)]
        with pytest.raises(Damaged):
            Binary.unpack(damaged)


def test_several_devices(fake, program):
    """Each has a build of its own; a kernel must be the same for all."""
    other = Device(fake.device.platform, "fake", FakeDevice(sub_group_size=1))
    other.driver_device.bodies["add"] = lambda p, s: None
    program = Program(Context([fake.device, other]), "source")
    program.build("", [other])
    assert program.build_status(fake.device) == codes.BUILD_NONE
    assert [bool(binary) for binary in program.binaries()] == [False, True]
    fails("INVALID_PROGRAM_EXECUTABLE", program.binary_for, "clEnqueueNDRangeKernel", fake.device)
    kernel = Kernel(program, "add")
    fails("INVALID_DEVICE", kernel.work_group_info, codes.KERNEL_WORK_GROUP_SIZE)
    fails("INVALID_DEVICE", sub_group_info, kernel, None, codes.KERNEL_MAX_NUM_SUB_GROUPS)
    fails("INVALID_VALUE", kernel.work_group_info, 0, other)
    fails("INVALID_VALUE", kernel.get_info, 0)
    fails("INVALID_VALUE", kernel.get_arg_info, 0, 0)
    kernel.set_arg(0, None)
    queue = CommandQueue(program.context, fake.device)
    fails("INVALID_PROGRAM_EXECUTABLE", suggested_local_work_size, queue, kernel, 1, None, (4,))
    kernel.release()
    fake.kernels[:] = [kernel_info("add", arg("a", "global"), arg("b", "global")), kernel_info("scale")]
    program.build("", [fake.device])
    fails("INVALID_KERNEL_DEFINITION", Kernel, program, "add")
    assert [kernel.name for kernel in create_kernels_in_program(program)] == ["scale"]


def test_without_a_compiler(fake, program, monkeypatch):
    def missing(*args):
        raise DriverMissing("install one")

    monkeypatch.setattr(fake.driver, "compile", missing)
    assert "install one" in fails("COMPILER_NOT_AVAILABLE", program.build)
    assert "install one" in program.build_log(fake.device)
    compiled = Program(fake.context, "kernel void k(void) { }")
    compiled.compile()
    assert "install one" in fails("LINKER_NOT_AVAILABLE", link_program, fake.context, None, "", [compiled])


def test_what_programs_are_refused(fake):
    fails("INVALID_VALUE", Program, fake.context, None)
    fails("INVALID_VALUE", Program.from_il, fake.context, b"SPIR-V")
    fails("INVALID_VALUE", Program.from_il, fake.context, b"")
    program = Program(fake.context, "source")
    fails("INVALID_PROGRAM", program.set_specialization_constant, 1, b"\1")
    fails("INVALID_OPERATION", program.set_release_callback, print)
    fails("INVALID_VALUE", program.set_release_callback, None)
    fails("INVALID_VALUE", program.build, "", [])
    fails("INVALID_PROGRAM_EXECUTABLE", create_kernels_in_program, program)
    fails("INVALID_PROGRAM_EXECUTABLE", program.get_info, codes.PROGRAM_NUM_KERNELS)
    fails("INVALID_VALUE", program.get_info, 0)
    fails("INVALID_VALUE", program.get_build_info, fake.device, 0)
    fails("INVALID_DEVICE", program.get_build_info, None, codes.PROGRAM_BUILD_STATUS)
    assert program.get_info(codes.PROGRAM_IL) == b""
    assert program.get_info(codes.PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT) is False
    assert program.get_info(codes.PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT) is False
    program.build()
    fails("INVALID_VALUE", Kernel, program, None)
    program.release()
    fails("INVALID_PROGRAM", program.build)


def test_a_program_of_binaries_has_its_options_back(fake, program):
    program.build("-cl-std=CL2.0")
    again = Program.from_binaries(fake.context, [fake.device], program.binaries())
    fails("INVALID_BUILD_OPTIONS", again.build, "-bad")
    again.build()
    assert again.build_options(fake.device) == "-cl-std=CL2.0"
    again.build("-cl-std=CL1.2")
    assert again.build_options(fake.device) == "-cl-std=CL1.2"


def test_the_compiler_may_be_unloaded_at_any_time(fake, program):
    program.build()
    fake.device.platform.unload_compiler()
    program.build()
