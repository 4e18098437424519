"""Functions of OpenCL programs in Numba's kernels: what they become on any machine that has Numba, what they compute on CUDA."""


import numpy as np
import pytest
from support.numbas_cuda import CAPABILITY, DEVICES, NEEDS_CUDA, cuda_or_skip, needs_linking

from cl2cuda import numba as cl_numba
from cl2cuda import pyopencl as cl
from cl2cuda.numba import functions
from cl2cuda.numba.kernels import NumbaKernel

cuda = cuda_or_skip()

NEEDS_LINKING = needs_linking(cuda)
pytestmark = pytest.mark.usefixtures("compiler")

SOURCE = """
constant float table[3] = {10, 20, 30};
static float helper(float x) { return sqrt(x); }
float norm2(float x, float y) { return helper(x * x + y * y); }
float looked_up(int i) { return table[i % 3] + helper(i * i); }
half twice(half x) { return x * (half)2; }
char mixed(char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, double i) { return (char)(a + b + c + d + e + f + g + h + i); }
void put(global float *to, uint i, constant float *of, const global void *more) { to[i] = of[i] + ((const global float *)more)[0]; }
void add4(global float4 *a, const float4 *b) { a[get_global_id(0)] += b[0]; }
int first(void) { return get_local_id(0) == 0 && get_group_id(0) == 0; }
float from_local(local float *p) { return p[0]; }
float4 vector(float4 x) { return x; }
uint dimensions(void) { return get_work_dim(); }
global int counter = 0;
int count(void) { return counter++; }
kernel void k(global float *a) { a[get_global_id(0)] = norm2(a[0], a[1]); }
"""
OPTIONS = "-cl-std=CL3.0"


def function(name, options=OPTIONS):
    return functions.function(SOURCE, name, options, CAPABILITY)


@pytest.mark.parametrize("name, result, parameters", [
    ("norm2", "float32", ["float32", "float32"]),
    ("twice", "float16", ["float16"]),
    ("mixed", "int8", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float64"]),
    ("put", "void", ["CPointer(float32)", "uint32", "CPointer(float32)", "voidptr"]),
    ("add4", "void", ["CPointer(float32)", "CPointer(float32)"]),
    ("first", "int32", []),
])  # fmt: skip
def test_numbas_types_are_those_of_the_declaration(name, result, parameters):
    code = functions.compiled(SOURCE, name, OPTIONS, CAPABILITY)
    assert code.result == result and [each.numba for each in code.parameters] == parameters
    assert code.symbol.startswith(f"cl2cuda_{name}_") and code.symbol.encode() in code.data and code.data.startswith(b"\x7fELF")


@pytest.mark.parametrize("name, error, reason", [
    ("from_local", TypeError, "parameter 'p' of 'from_local' is of type __local float *"),
    ("vector", TypeError, "parameter 'x' of 'vector' is of type float4: Numba's kernels give scalars, and pointers"),
    ("dimensions", TypeError, "'dimensions' calls get_work_dim, and so needs the launch's dimensions"),
    ("count", TypeError, "variables of the program in the global address space"),
    ("k", ValueError, "'k' is a kernel"),
    ("nothing", ValueError, "no function 'nothing'; it has: helper, norm2"),
])  # fmt: skip
def test_what_cannot_be_called(name, error, reason):
    with pytest.raises(error) as caught:
        functions.compiled(SOURCE, name, OPTIONS, CAPABILITY)
    assert reason in str(caught.value)


def test_private_pointers_and_vector_results_are_refused():
    with pytest.raises(TypeError, match="is of type __private float"):
        functions.compiled("float f(float *p) { return *p; }", "f", "-cl-std=CL1.2", CAPABILITY)
    with pytest.raises(TypeError, match="'f' returns float4"):
        functions.compiled("float4 f(float p) { return p; }", "f", "", CAPABILITY)


def test_programs_without_source_or_cuda():
    program = cl.Program(cl.Context([DEVICES["host"]]), SOURCE).build(OPTIONS)
    with pytest.raises(cl.LogicError, match="no CUDA device"):
        cl_numba.device_function(program, "norm2")


@NEEDS_LINKING
class TestInKernels:
    """Without a GPU: Numba types, lowers and finds what is to be linked."""

    def compile(self, kernel, signature):
        return NumbaKernel(None, kernel, signature).compile(CAPABILITY).code

    def test_each_function_is_linked_once(self):
        norm2, looked_up = function("norm2"), function("looked_up")
        assert function("norm2") is norm2

        def kernel(a, i):
            a[0] = norm2(a[1], 2) + norm2(a[2], i)
            a[1] = looked_up(i)

        ptx, *linked = self.compile(kernel, "void(float32[::1], int32)")
        assert len(linked) == 2 and ptx.count(b"call.uni") >= 3
        assert {each.data for each in (functions.compiled(SOURCE, name, OPTIONS, CAPABILITY) for name in ("norm2", "looked_up"))} == set(linked)

    def test_arrays_are_pointers(self):
        put = function("put")

        def kernel(a, b, i):
            put(a, i, a[2:], b)

        assert len(self.compile(kernel, "void(float32[::1], int64[:, :], int32)")) == 2

    @pytest.mark.parametrize("signature, reason", [
        ("void(float64[::1], int64)", "argument 1 is array(float64, 1d, C), the function of OpenCL takes float32"),
        ("void(float32, int64)", "argument 1 is float32"),
    ])  # fmt: skip
    def test_arguments_of_other_types(self, signature, reason):
        put = function("put")

        def kernel(a, i):
            put(a, i, a, a)

        with pytest.raises(Exception, match="put") as caught:
            self.compile(kernel, signature)
        assert reason in str(caught.value)

    def test_the_number_of_arguments(self):
        norm2 = function("norm2")

        def kernel(a):
            a[0] = norm2(a[1])

        with pytest.raises(Exception, match="norm2 takes 2 arguments, 1 are given"):
            self.compile(kernel, "void(float32[::1])")


@NEEDS_LINKING
@NEEDS_CUDA
class TestOnCuda:
    N = 1000

    @pytest.fixture(autouse=True)
    def _program(self):
        self.context = cl.Context([DEVICES["cuda"]])
        self.queue = cl.CommandQueue(self.context)
        self.program = cl.Program(self.context, SOURCE).build(OPTIONS)

    def function(self, name):
        return cl_numba.device_function(self.program, name)

    def test_scalars(self):
        norm2, looked_up, twice, mixed, first = map(self.function, ("norm2", "looked_up", "twice", "mixed", "first"))

        @cuda.jit
        def kernel(a, h, c):
            i = cuda.grid(1)
            if i < a.size:
                a[i] = norm2(a[i], 2) + looked_up(i)
                h[i] = twice(h[i])
                c[i] = mixed(1, 2, -3, 4, -5, 6, 7, 8, 2.5) + first()

        a = np.arange(self.N, dtype=np.float32)
        h, c = np.arange(self.N, dtype=np.float16), np.zeros(self.N, np.int8)
        kernel[4, 256](a, h, c)
        i = np.arange(self.N)
        assert np.allclose(a, np.hypot(i, 2) + np.array([10, 20, 30])[i % 3] + i, rtol=1e-5)
        assert (h == 2 * np.arange(self.N, dtype=np.float16)).all()
        assert c.tolist() == [23] + [22] * (self.N - 1)

    def test_pointers(self):
        put, add4 = self.function("put"), self.function("add4")

        @cuda.jit
        def kernel(a, b, c):
            i = cuda.grid(1)
            if i < b.size:
                put(a, i, b, c[1:])

        @cuda.jit
        def fours(a, b):
            if cuda.grid(1) < a.size // 4:
                add4(a, b)

        b = np.arange(self.N, dtype=np.float32)
        a, c = cuda.to_device(np.zeros_like(b)), np.array([3, 4, 5], np.float32)
        kernel[4, 256](a, b, c)
        assert (a.copy_to_host() == b + 4).all()
        fours[1, 256](a, cuda.to_device(np.arange(4, dtype=np.float32)))
        assert (a.copy_to_host() == b + 4 + np.arange(self.N) % 4).all()

    def test_from_source_and_other_options(self):
        tripled = cl_numba.device_function("int f(int x) { return x * FACTOR; }", "f", "-DFACTOR=3")
        printing = cl_numba.device_function('void f(int x) { printf("<%d>", x); }', "f")

        @cuda.jit
        def kernel(a):
            a[0] = tripled(a[0])
            if a[0] < 0:
                printing(a[0])

        a = np.array([5])
        kernel[1, 1](a)
        assert a[0] == 15

    def test_room_for_what_they_print(self, monkeypatch):
        driver, asked = self.context.devices[0]._core.driver_device, []
        monkeypatch.setattr(driver, "expect_printf", lambda: asked.append(True))
        cl_numba.device_function('void f(int x) { printf("[%d]", x); }', "f")
        cl_numba.device_function("void f(int x) { }", "f")
        assert asked == [True]

    def test_round_trip(self):
        """A function of OpenCL, in a kernel of Numba, which is a kernel of OpenCL."""
        norm2, put = self.function("norm2"), self.function("put")

        def kernel(a, b):
            i = cuda.grid(1)
            if i < a.size:
                put(a, i, b, b)
                a[i] = norm2(a[i], 0)

        program = cl_numba.program(self.context, {"k": (kernel, "void(float32[::1], float32[::1])")})
        values = np.arange(1, self.N + 1, dtype=np.float32)
        a, b = (cl.Buffer(self.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=values) for _ in range(2))
        program.k(self.queue, (1024,), (256,), a, b)
        cl.enqueue_copy(self.queue, found := np.empty_like(values), a)
        assert (found == values + 1).all()

    def test_programs_from_binaries_have_no_source(self):
        binary = cl.Program(self.context, self.context.devices, self.program.get_info(cl.program_info.BINARIES)).build()
        with pytest.raises(ValueError, match="no source"):
            cl_numba.device_function(binary, "norm2")
