"""Answers to queries that stay with their objects, in C and in Python."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl.handles import Answering


@pytest.fixture(params=["get_info", "_query_in_python"])
def ask(request):
    return lambda handle, code: getattr(handle, request.param)(code)


@pytest.fixture
def context():
    return cl.Context([cl.get_platforms()[0].get_devices()[0]])


@pytest.fixture
def program(context):
    return cl._cl._Program(context, "#ifdef MORE\nkernel void g(void) {}\n#endif\nkernel void f(void) {}")


def plain(answer):
    """What can be compared."""
    if isinstance(answer, list):
        return [plain(each) for each in answer]
    return (answer.name, answer.version) if type(answer) is cl._cl.NameVersion else answer


def outcome(query, *arguments):
    try:
        return plain(query(*arguments))
    except cl.Error as failure:
        return str(failure)


def test_answers_are_those_that_are_computed(ask, context, program):
    device = context.devices[0]
    program._build()
    for handle, info in ((device, cl.device_info), (device.platform, cl.platform_info), (context, cl.context_info), (program, cl.program_info)):
        handle._core.answers.clear()
        for code in [value for name, value in vars(info).items() if name.isupper()] * 2:
            assert outcome(ask, handle, code) == outcome(handle._answer, code), (handle, code)


def test_an_answer_is_computed_once(ask, context, monkeypatch):
    device, computed, genuine = context.devices[0], [], Answering._answer
    monkeypatch.setattr(Answering, "_answer", lambda self, arg: computed.append(arg) or genuine(self, arg))
    for handle in (device, context, device.platform):
        handle._core.answers.clear()
    asked = [(device, cl.device_info.MAX_WORK_ITEM_SIZES), (device, cl.device_info.EXTENSIONS), (context, cl.context_info.DEVICES),
             (device.platform, cl.platform_info.EXTENSIONS)]
    for handle, code in asked * 3:
        ask(handle, code)
    assert computed[-4:] == [code for _, code in asked]


def test_lists_are_the_callers_own(ask, context):
    device = context.devices[0]
    for handle, code in ((device, cl.device_info.MAX_WORK_ITEM_SIZES), (context, cl.context_info.DEVICES)):
        handle._core.answers.clear()
        for _ in range(3):
            found = ask(handle, code)
            assert found
            found.clear()
    assert ask(context, cl.context_info.DEVICES)[0] is ask(context, cl.context_info.DEVICES)[0]  # It keeps what PyOpenCL asked it.


def test_a_device_that_is_lost_is_not_available(ask, context, monkeypatch):
    device = context.devices[0]
    assert ask(device, cl.device_info.AVAILABLE) == 1
    monkeypatch.setattr(device._core.driver_device, "lost", True)
    assert ask(device, cl.device_info.AVAILABLE) == 0


def test_a_program_that_is_built_again_has_other_answers(ask, program):
    info = cl.program_info
    with pytest.raises(cl.LogicError, match="INVALID_PROGRAM_EXECUTABLE"):
        ask(program, info.KERNEL_NAMES)
    assert ask(program, info.BINARY_SIZES) == [0]
    for options, names in ((b"", "f"), (b"-DMORE", "g;f"), (b"", "f")):
        program._build(options)
        for _ in range(2):
            assert ask(program, info.KERNEL_NAMES) == names and ask(program, info.NUM_KERNELS) == len(names.split(";"))
            assert ask(program, info.BINARY_SIZES) == [len(ask(program, info.BINARIES)[0])] != [0]
    with pytest.raises(cl.RuntimeError):
        program._build(b"-Df=+")
    with pytest.raises(cl.LogicError, match="INVALID_PROGRAM_EXECUTABLE"):
        ask(program, info.KERNEL_NAMES)


def test_codes_that_are_none(ask, context):
    for wrong in ("x", 1 << 70, -1, None, [1]):
        with pytest.raises(TypeError):
            ask(context, wrong)
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        ask(context, 1)
    for wrong in ((), (1, 2)):
        with pytest.raises(TypeError):
            context.get_info(*wrong)
