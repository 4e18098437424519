"""Numba's kernels as kernels of OpenCL. What Numba compiles to is looked at on any machine that has it, and launched on CUDA."""

import ctypes

import numpy as np
import pytest
from support.numbas_cuda import CAPABILITY, DEVICES, NEEDS_CUDA, cuda_or_skip, needs_linking

from cl2cuda import numba as cl_numba
from cl2cuda import pyopencl as cl
from cl2cuda.numba.kernels import NumbaKernel
from cl2cuda.runtime.command_buffer import recording
from cl2cuda.runtime.command_buffer.command_buffer import CommandBuffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import built_in_kernels
from cl2cuda.runtime.kernel.array_argument import ArrayView
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.link import program_of_kernels
from cl2cuda.runtime.queue.queue import CommandQueue

import pyopencl.array as cla  # isort: skip
from pyopencl import cltypes  # isort: skip

cuda = cuda_or_skip()
from numba import from_dtype, types  # noqa: E402

NEEDS_LINKING = needs_linking(cuda)


@cuda.jit
def saxpy(y, x, a):
    i = cuda.grid(1)
    if i < y.size:
        y[i] += a * x[i]


@cuda.jit(fastmath=True)
def many(a, b, f, z, t, flag, p, v):
    i = cuda.grid(1)
    if flag and i < a.size:
        a[i] = b[i, 1] * f + z.real * z.imag + t[0] + t[3]
        p[i] = t[1]


MANY = "void(float32[::1], float64[:, :], float16, complex128, UniTuple(int16, 4), boolean, CPointer(int64), voidptr)"


@cuda.jit
def transpose(to, of):
    x, y = cuda.grid(2)
    if x < of.shape[0] and y < of.shape[1]:
        to[y, x] = of[x, y]


@cuda.jit
def reversed_groups(a):
    shared = cuda.shared.array(0, types.int32)
    i = cuda.threadIdx.x
    shared[i] = a[cuda.grid(1)]
    cuda.syncthreads()
    a[cuda.grid(1)] = shared[cuda.blockDim.x - 1 - i]


class TestTypes:
    def test_what_an_argument_is(self):
        kernel = NumbaKernel(None, many, MANY)
        found = [(arg.name, arg.type_name, arg.kind, arg.size, arg.parts) for arg in kernel.arguments]
        assert found == [
            ("a", "float*", "global", 56, 7), ("b", "double*", "global", 72, 9), ("f", "half", "value", 2, 1), ("z", "double2", "value", 16, 2),
            ("t", "short4", "value", 8, 4), ("flag", "uchar", "value", 1, 1), ("p", "long*", "global", 8, 1), ("v", "void*", "global", 8, 1)]
        assert [(arg.dimensions, arg.item_size, arg.layout) for arg in kernel.arguments[:3]] == [(1, 4, "C"), (2, 8, "A"), (0, 0, "")]

    @pytest.mark.parametrize("numba, opencl", [("int8", "char"), ("uint8", "uchar"), ("uint16", "ushort"), ("int32", "int"), ("uint32", "uint"),
                                               ("int64", "long"), ("uint64", "ulong"), ("float32", "float"), ("float64", "double"),
                                               ("complex64", "float2"), ("UniTuple(float32, 16)", "float16")])
    def test_values(self, numba, opencl):
        def kernel(x):
            pass

        (argument,) = NumbaKernel(None, kernel, f"void({numba})").arguments
        assert argument.type_name == opencl and argument.kind == "value"

    def test_records_and_read_only_arrays(self):
        def kernel(a, b):
            pass

        record = from_dtype(np.dtype([("x", np.int32), ("y", np.float64)], align=True))
        kernel = NumbaKernel(None, kernel, types.void(record[::1], types.Array(types.float32, 1, "C", readonly=True)))
        assert [(arg.type_name, arg.item_size, arg.type_qualifiers) for arg in kernel.arguments] == [("void*", 16, ()), ("float*", 4, ("const",))]

    @pytest.mark.parametrize("signature, reason", [
        ("void(unicode_type)", "OpenCL has nothing for Numba's unicode_type"),
        ("void(UniTuple(float32, 3))", "nothing for Numba's UniTuple"),
        ("void(Tuple((float32, int32)))", "nothing for Numba's Tuple"),
        ("void(Array(float32, 0, 'C'))", "nothing for Numba's "),
        ("void(ListType(int32))", "nothing for Numba's ListType"),
        ("int32(int32)", "a kernel returns nothing, its signature says int32"),
        ("void(int32, int32)", "has 1 arguments, its signature 2"),
    ])  # fmt: skip
    def test_signatures_that_are_refused(self, signature, reason):
        def kernel(x):
            pass

        with pytest.raises(TypeError, match="kernel") as caught:
            NumbaKernel(None, kernel, signature)
        assert reason in str(caught.value)

    def test_what_is_no_kernel(self):
        with pytest.raises(TypeError, match=r"no signature: say which, as in \"void\(float32"):
            NumbaKernel(None, saxpy)
        with pytest.raises(TypeError, match="is no kernel"):
            NumbaKernel("name", 5, "void()")
        with pytest.raises(TypeError, match="is a device function"):
            NumbaKernel(None, cuda.jit(device=True)(saxpy.py_func), "void()")
        with pytest.raises(ValueError, match="cannot be a kernel's name"):
            NumbaKernel("a;b", saxpy, "void(float32[::1], float32[::1], float32)")


class TestCompilation:
    """Without a GPU: Numba makes PTX."""

    def test_what_the_kernel_is(self):
        kernel = NumbaKernel("any", many, MANY)
        made = kernel.compile(CAPABILITY)
        assert made.symbol.encode() in made.code[0] and b"sm_90" in made.code[0]
        assert made.info.cuda_code and made.info.name == "any" and not made.info.uses_printf and not made.info.uses_local_memory
        assert kernel.compile(CAPABILITY) is made and kernel.compile((8, 0)).info == made.info

    def test_dynamic_shared_memory_is_an_argument(self):
        info = NumbaKernel(None, reversed_groups, "void(int32[::1])").compile(CAPABILITY).info
        assert [(arg.name, arg.kind, arg.parameter) for arg in info.args] == [("a", "global", True), ("shared", "local", False)]
        assert info.uses_local_memory

    def test_printing_is_noticed(self):
        def kernel(x):
            print(x)

        assert NumbaKernel(None, kernel, "void(int32)").compile(CAPABILITY).info.uses_printf

    def test_numbas_errors_come_through(self):
        def kernel(x):
            x.no_such_thing()

        with pytest.raises(Exception, match="no_such_thing"):
            NumbaKernel(None, kernel, "void(int32)").compile(CAPABILITY)

    def test_a_value_that_is_returned(self):
        def kernel(x):
            return x

        with pytest.raises(TypeError, match="kernel"):
            NumbaKernel(None, kernel, "(int32,)").compile(CAPABILITY)

    def test_functions_that_nobody_links(self):
        missing = cuda.declare_device("missing", "int32(int32)")

        def kernel(a):
            a[0] = missing(a[1])

        with pytest.raises(TypeError, match="calls missing, which Numba links to nothing"):
            NumbaKernel(None, kernel, "void(int32[::1])").compile(CAPABILITY)

    @NEEDS_LINKING
    def test_linked_code_comes_along(self):
        text = 'extern "C" __device__ int twice(int *result, int x) { *result = 2 * x; return 0; }'
        twice = cuda.declare_device("twice", "int32(int32)", link=[cuda.PTXSource(text.encode())])

        def kernel(a):
            a[0] = twice(a[1])

        assert NumbaKernel(None, kernel, "void(int32[::1])").compile(CAPABILITY).code[1] == text.encode()

    def test_the_parameters_are_those_of_the_layout(self, foreign_device):
        """What a launch gives to CUDA, looked at on the imagined device."""
        if not hasattr(foreign_device.driver_device.cuda.driver, "launches"):
            pytest.skip("a GPU runs it")
        context = Context([foreign_device])
        kernel = Kernel(program_of_kernels(context, [foreign_device], [NumbaKernel(None, many, MANY).built_in()]), "many")
        buffer = Buffer(context, 0, 4096)
        values = (buffer, ArrayView(buffer, (3, 5), None, 8), np.float16(2), np.complex128(3 + 4j), np.arange(4, dtype=np.int16), b"\1",
                  buffer, None)
        for index, value in enumerate(values):
            kernel.set_arg(index, value)
        enqueue_nd_range_kernel(CommandQueue(context, foreign_device), kernel, 1, None, (1024,), (256,))
        symbol, (*sizes, _, _, parameters, _), _ = foreign_device.driver_device.cuda.driver.launches[-1]
        assert "many" in symbol and sizes == [4, 1, 1, 256, 1, 1]
        places = (ctypes.c_void_p * 26).from_address(parameters)
        address = buffer.address
        assert [ctypes.c_int64.from_address(place).value for place in places[:16]] == [
            0, 0, 1024, 4, address, 1024, 4, 0, 0, 15, 8, address + 8, 3, 5, 40, 8]
        assert [ctypes.string_at(place, 8) for place in places[17:19]] == [np.float64(3).tobytes(), np.float64(4).tobytes()]
        assert [ctypes.c_int16.from_address(place).value for place in (places[16], *places[19:23])] == [0x4000, 0, 1, 2, 3]
        assert [ctypes.c_int64.from_address(place).value for place in places[24:]] == [address, 0]


def test_devices_without_cuda():
    context = cl.Context([DEVICES["host"]])
    with pytest.raises(cl.LogicError, match="INVALID_VALUE") as caught:
        cl_numba.program(context, [(saxpy, "void(float32[::1], float32[::1], float32)")])
    assert "is made for CUDA devices" in str(caught.value)


@pytest.fixture
def no_kernels(monkeypatch):
    monkeypatch.setattr(built_in_kernels, "BUILT_IN", {})


def test_devices_list_what_is_registered(no_kernels):
    cl_numba.register(saxpy, "void(float32[::1], float32[::1], float32)", "numba_saxpy")
    assert {name: device.built_in_kernels for name, device in DEVICES.items()} == {
        name: "numba_saxpy" if name == "cuda" else "" for name in DEVICES}
    context = cl.Context([DEVICES["host"]])
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        cl.create_program_with_built_in_kernels(context, context.devices, ["numba_saxpy"])


@NEEDS_CUDA
class TestOnCuda:
    N = 1000
    SAXPY = "void(float32[::1], float32[::1], float32)"

    @pytest.fixture(autouse=True)
    def _queue(self):
        self.context = cl.Context([DEVICES["cuda"]])
        self.queue = cl.CommandQueue(self.context)

    def buffer(self, values):
        return cl.Buffer(self.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(values))

    def read(self, buffer, dtype):
        values = np.empty(buffer.size // np.dtype(dtype).itemsize, dtype)
        cl.enqueue_copy(self.queue, values, buffer)
        return values

    def test_saxpy(self):
        program = cl_numba.program(self.context, {"saxpy": (saxpy, self.SAXPY)})
        x, y = np.arange(self.N, dtype=np.float32), np.ones(self.N, np.float32)
        there = self.buffer(y)
        program.saxpy(self.queue, (1024,), (256,), there, self.buffer(x), np.float32(2))
        assert (self.read(there, np.float32) == 1 + 2 * x).all()
        kernel = program.saxpy
        assert program.get_info(cl.program_info.KERNEL_NAMES) == "saxpy" and kernel.num_args == 3
        assert [kernel.get_arg_info(i, cl.kernel_arg_info.TYPE_NAME) for i in range(3)] == ["float*", "float*", "float"]
        assert [kernel.get_arg_info(i, cl.kernel_arg_info.NAME) for i in range(3)] == ["y", "x", "a"]
        assert kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, self.queue.device) >= 256

    def test_arguments_that_are_refused(self):
        kernel = cl_numba.program(self.context, {"saxpy": (saxpy, self.SAXPY)}).saxpy
        odd = cl.Buffer(self.context, 0, 1001)
        for index, value, status in ((0, odd, "INVALID_ARG_VALUE"), (0, np.float32(1), "INVALID_ARG_VALUE"), (2, odd, "INVALID_ARG_VALUE"),
                                     (2, np.float64(1), "INVALID_ARG_SIZE"), (3, np.float32(1), "INVALID_ARG_INDEX")):
            with pytest.raises(cl.LogicError, match=status):
                kernel.set_arg(index, value)
        with pytest.raises(cl.LogicError, match="INVALID_KERNEL_ARGS"):
            cl.enqueue_nd_range_kernel(self.queue, kernel, (64,), (64,))

    def test_by_the_registered_name(self, no_kernels):
        name = cl_numba.register(saxpy, self.SAXPY)
        program = cl.create_program_with_built_in_kernels(self.context, self.context.devices, [name])
        there = self.buffer(np.ones(self.N, np.float32))
        program.saxpy(self.queue, (1024,), None, there, there, np.float32(2))
        assert (self.read(there, np.float32) == 3).all()
        again = cl.Program(self.context, self.context.devices, program.get_info(cl.program_info.BINARIES)).build()
        again.saxpy(self.queue, (1024,), None, there, there, np.float32(2))
        assert (self.read(there, np.float32) == 9).all()

    def test_arrays_of_two_dimensions(self):
        program = cl_numba.program(self.context, {"t": (transpose, "void(float32[:, ::1], float32[:, :])")})
        values = np.random.default_rng(5).random((30, 50), np.float32)
        of, to = self.buffer(values), cl.Buffer(self.context, 0, values.nbytes)
        program.t(self.queue, (32, 64), (8, 8), cl_numba.array(to, (50, 30)), cl_numba.array(of, (30, 50)))
        assert (self.read(to, np.float32).reshape(50, 30) == values.T).all()
        ours = cla.to_device(self.queue, values)
        part, there = ours[3:20, 10:21], cla.zeros(self.queue, (11, 17), np.float32)
        program.t(self.queue, (32, 64), (8, 8), cl_numba.array(there), cl_numba.array(part))
        assert (there.get() == values[3:20, 10:21].T).all()
        with pytest.raises(cl.LogicError, match="does not say its shape"):
            program.t.set_arg(0, to)
        with pytest.raises(cl.LogicError, match="without gaps in C order"):
            program.t.set_arg(0, cl_numba.array(part))

    def test_values_of_every_kind(self):
        program = cl_numba.program(self.context, {"many": (many, MANY)})
        a, p = self.buffer(np.zeros(8, np.float32)), self.buffer(np.zeros(8, np.int64))
        b = self.buffer(np.arange(16, dtype=np.float64))
        program.many(self.queue, (64,), (64,), a, cl_numba.array(b, (8, 2)), np.float16(0.5), np.complex128(2 + 3j),
                     cltypes.make_short4(1, 2, 3, 4), np.uint8(1), p, None)
        assert self.read(a, np.float32).tolist() == [(2 * i + 1) * 0.5 + 6 + 5 for i in range(8)]
        assert self.read(p, np.int64).tolist() == [2] * 8

    def test_dynamic_shared_memory(self):
        program = cl_numba.program(self.context, {"k": (reversed_groups, "void(int32[::1])")})
        a = self.buffer(np.arange(128, dtype=np.int32))
        program.k(self.queue, (128,), (64,), a, cl.LocalMemory(256))
        assert self.read(a, np.int32).tolist() == [*range(63, -1, -1), *range(127, 63, -1)]

    def test_shared_virtual_memory(self):
        program = cl_numba.program(self.context, [(saxpy, self.SAXPY)])
        memory = cl.csvm_empty(self.context, self.N, np.float32)
        with cl.SVM(memory).map_rw(self.queue) as host:
            host[:] = 1
        program.saxpy(self.queue, (1024,), (256,), cl.SVM(memory), cl.SVM(memory), np.float32(4))
        with cl.SVM(memory).map_ro(self.queue) as host:
            assert (host == 5).all()

    def test_a_kernel_of_one_signature(self):
        eager = cuda.jit(self.SAXPY)(saxpy.py_func)
        program = cl_numba.program(self.context, [eager])
        there = self.buffer(np.ones(self.N, np.float32))
        program.saxpy(self.queue, (1024,), (256,), there, there, np.float32(2))
        assert (self.read(there, np.float32) == 3).all()

    @NEEDS_LINKING
    def test_numbas_own_device_functions_and_linked_code(self):
        text = 'extern "C" __device__ int three_times(float *result, float x) { *result = 3 * x; return 0; }'
        three_times = cuda.declare_device("three_times", "float32(float32)", link=[cuda.CUSource(text)])

        @cuda.jit(device=True)
        def plus_one(x):
            return x + 1

        def kernel(a):
            i = cuda.grid(1)
            if i < a.size:
                a[i] = plus_one(three_times(a[i]))

        program = cl_numba.program(self.context, {"k": (kernel, "void(float32[::1])")})
        there = self.buffer(np.arange(self.N, dtype=np.float32))
        program.k(self.queue, (1024,), (256,), there)
        assert (self.read(there, np.float32) == 3 * np.arange(self.N) + 1).all()

    def test_kernels_that_wait_for_their_grid(self):
        def kernel(a):
            cuda.cg.this_grid().sync()
            a[0] = 1

        with pytest.raises(TypeError, match="waits for its whole grid"):
            cl_numba.program(self.context, [(kernel, "void(int32[::1])")])

    def test_in_a_command_buffer(self):
        """Recorded with the arguments of then, launched as a graph."""
        kernel = cl_numba.program(self.context, [(saxpy, self.SAXPY)]).saxpy
        x, there = self.buffer(np.ones(self.N, np.float32)), self.buffer(np.zeros(self.N, np.float32))
        kernel.set_args(there, x, np.float32(2))
        recorded = CommandBuffer([self.queue._core])
        recording.nd_range_kernel(recorded, kernel._core, 1, None, (1024,), (256,))
        recorded.finalize()
        kernel.set_args(x, x, np.float32(100))
        for _ in range(3):
            recorded.enqueue().wait()
        assert (self.read(there, np.float32) == 6).all()

    def test_the_host_device_beside_it(self):
        context = cl.Context([DEVICES["host"], DEVICES["cuda"]])
        program = cl_numba.program(context, [(saxpy, self.SAXPY)])
        there = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ones(self.N, np.float32))
        program.saxpy(cl.CommandQueue(context, DEVICES["cuda"]), (1024,), (256,), there, there, np.float32(2))
        with pytest.raises(cl.LogicError, match="INVALID_PROGRAM_EXECUTABLE"):
            program.saxpy(cl.CommandQueue(context, DEVICES["host"]), (1024,), (256,), there, there, np.float32(2))
        values = np.empty(self.N, np.float32)
        cl.enqueue_copy(cl.CommandQueue(context, DEVICES["host"]), values, there)
        assert (values == 3).all()
