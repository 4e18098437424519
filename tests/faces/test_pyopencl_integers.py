"""Whatever has `__index__` is an integer, wherever PyOpenCL takes one; what has not is refused as PyOpenCL refuses it."""

import os
import subprocess
import sys
import warnings
from operator import index

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

import cl2cuda.pyopencl.array as cl_array
from support.integer_parameters import CAST, ELSEWHERE, PARAMETERS, Objects
from support.processes import environment

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl.integers import cl_int, cl_uint, ptrdiff_t, size_t

DEVICES = cl.get_platforms()[0].get_devices()
NUMPY = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


class Index:
    """A number for `__index__` and nothing else."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Int:
    """A number for `int` alone: PyOpenCL does not take it."""

    def __init__(self, value):
        self.value = value

    def __int__(self):
        return self.value


def _is_index(value):
    try:
        index(value)
    except TypeError:
        return False
    return True


with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    BOOLS = [] if _is_index(np.bool_(True)) else [np.bool_]  # Older releases of NumPy say it is an integer.
WRONG = [float, np.float32, np.float64, *BOOLS, Int, str, lambda value: np.array([value]), lambda value: b"16"]


@pytest.fixture(scope="module", params=DEVICES, ids=lambda device: device.name)
def objects(request):
    return Objects(request.param)


def plain(answer):
    return [(each.channel_order, each.channel_data_type) for each in answer] if isinstance(answer, list) and isinstance(
        answer[0], cl.ImageFormat) else answer


@pytest.mark.parametrize("entry", [*PARAMETERS.items(), *CAST.items()], ids=lambda entry: entry[0])
def test_every_integer_may_be_numpys(objects, entry):
    _, call = entry
    expected = plain(call(objects, int))
    for kind in [*NUMPY, Index]:
        given = []

        def number(value, kind=kind, given=given):
            if kind in NUMPY and value > np.iinfo(kind).max:
                return value
            given.append(value)
            return kind(value)

        assert plain(call(objects, number)) == expected, kind
        assert given or (kind in NUMPY and np.iinfo(kind).max < 2**15), "the call does not ask for the number"


@pytest.mark.parametrize(("entry", "error"), [(entry, TypeError) for entry in PARAMETERS.items()]
                         + [(entry, RuntimeError) for entry in CAST.items()],
                         ids=lambda value: value[0] if isinstance(value, tuple) else value.__name__)
def test_what_is_no_integer_is_refused_as_pyopencl_refuses_it(objects, entry, error):
    name, call = entry
    several = (name, call) in [(each, PARAMETERS[each]) for each in ("CommandQueue.__init__ properties", "enqueue_map_buffer shape")]
    for kind in WRONG[:-3] if several else WRONG:  # These two take a sequence, too, as which they take a string, bytes and an array.
        with pytest.raises(error):
            call(objects, kind)


# Of the interface in Python: functions in C have no annotations.
FOUND = """
import inspect, re
from pathlib import Path
from cl2cuda.pyopencl_cl import module_contents

for name, value in module_contents().items():
    for method, function in (vars(value).items() if isinstance(value, type) else [(None, value)]):
        function = getattr(function, "__func__", function)
        function = function.fset if isinstance(function, property) else function
        if not inspect.isfunction(function) or Path(function.__code__.co_filename).parent.name != "pyopencl_cl":
            continue  # PyOpenCL's own, which it adds to the classes.
        if re.match("_[a-z]", method or "") and not method.startswith(("_set_arg", "_custom")):
            continue
        for parameter in inspect.signature(function).parameters.values():
            if re.search(r"\\b(int|Sizes)\\b", str(parameter.annotation)):
                print(f"{name}.{method} {parameter.name}" if method else f"{name} {parameter.name}")
"""


def test_every_parameter_is_in_the_table():
    known = {*PARAMETERS, *CAST, *ELSEWHERE}
    done = subprocess.run([sys.executable, "-c", FOUND], capture_output=True, text=True, env=environment(CL2CUDA_NATIVE_CALLS="0"))
    found = done.stdout.splitlines()
    assert len(found) > 100 and set(found) - known == set(), done.stderr


def test_int32_does_not_overflow():
    """As `a[numpy.int32(3)].get()`: the offset in bytes is NumPy's product, the address a sum with it."""
    for device in DEVICES:
        queue = cl.CommandQueue(cl.Context([device]))
        array = cl_array.to_device(queue, np.arange(64, dtype=np.int32).reshape(8, 8))
        for kind in NUMPY[2:]:  # PyOpenCL's own product of a stride and an index does not fit into 8 bits.
            assert array[kind(3), kind(4)].get() == 28
            np.testing.assert_array_equal(array[kind(3)].get(), np.arange(24, 32))
            np.testing.assert_array_equal(array[kind(2):kind(4)].get(), np.arange(16, 32).reshape(2, 8))
            array[kind(7)].fill(kind(5))
            assert (array[7].get() == 5).all()


def test_an_array_with_an_offset_of_numpys_goes_to_other_libraries():
    (device,) = [each for each in DEVICES if each.type == cl.device_type.CPU][:1] or [None]
    if device is None:
        pytest.skip("NumPy takes the host's memory alone")
    queue = cl.CommandQueue(cl.Context([device]))
    array = cl_array.to_device(queue, np.arange(64, dtype=np.int32))
    np.testing.assert_array_equal(np.from_dlpack(array[np.int32(60):np.int32(63)]), [60, 61, 62])


@pytest.mark.parametrize(("c_type", "least", "most"), [
    (size_t, 0, 2**64 - 1), (ptrdiff_t, -(2**63), 2**63 - 1), (cl_uint, 0, 2**32 - 1), (cl_int, -(2**31), 2**31 - 1)])
def test_numbers_that_the_c_type_does_not_hold(c_type, least, most):
    assert c_type(least, "n") == least and c_type(most, "n") == most and type(c_type(np.int8(1), "n")) is int
    for number in (least - 1, most + 1):
        with pytest.raises(TypeError, match=r"n is -?[0-9]+, which does not fit"):
            c_type(number, "n")


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
@pytest.mark.parametrize("properties", [0, cl.command_queue_properties.PROFILING_ENABLE])
def test_sizes_are_integers_whatever_was_launched_before(device, properties):
    """Plans are found by sizes that are equal."""
    context = cl.Context([device])
    queue, buffer = cl.CommandQueue(context, properties=properties), cl.Buffer(context, cl.mem_flags.READ_WRITE, 400)
    kernel = cl.Kernel(cl.Program(context, "kernel void f(global int *a) { a[get_global_id(0)] = 1; }").build(), "f")
    kernel.set_args(buffer)
    wrong = [((4.0,), None, None), ((np.float64(4),), None, None), ((4,), (2.0,), None), ((4.0,), (2,), None), ((4,), None, (0.0,)),
             ((4,), (2,), (1.0,))]
    right = [((4,), None, None), ((4,), (2,), None), ((4,), None, (0,)), ((4,), (2,), (1,)), ((np.int64(4),), None, None),
             ((True,), None, None), ([4], [2], None)]
    for _ in range(3):
        for sizes in wrong:
            with pytest.raises(RuntimeError, match="must be an integer"):
                cl.enqueue_nd_range_kernel(queue, kernel, *sizes)
            if sizes[2] is None:
                with pytest.raises(RuntimeError, match="must be an integer"):
                    kernel(queue, *sizes[:2], buffer)
        for sizes in right:
            cl.enqueue_nd_range_kernel(queue, kernel, *sizes)
            kernel(queue, *sizes[:2], buffer)
    queue.finish()
