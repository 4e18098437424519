"""`cl2cuda translate --launchers`: what it writes compiles, and on a GPU gives what the same kernels give under OpenCL."""

import functools
import importlib.util
import re
import shutil
import subprocess
import sys
import types
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from support import launchers_runs, numbas_linker
from support.numbas_cuda import PROBE
from support.processes import environment

from cl2cuda.cli import main
from cl2cuda.porting.launchers import cuda, cupy, numba
from cl2cuda.porting.launchers.program import program
from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.translator import parse_options

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
CL = sorted(EXAMPLES.glob("*.cl"))
SUPPORT = ROOT / "tests" / "support"
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")

ODD = """
typedef struct { float factor; float2 shift; int counts[3]; } Change;
global int counter;
kernel void odd(global float4 *values, Change change, local float4 *tile, local int *b, float3 range, sampler_t stream,
                read_only image3d_t im, write_only image1d_buffer_t out, global float (*rows)[4], const int shared)
{
    tile[get_local_id(0)] = values[0] * range.x;
    b[0] = get_work_dim() + shared + counter;
    values[get_global_id(0)] = tile[0] + read_imagef(im, stream, (float4)(0)) + b[0] + change.shift.x + rows[1][2];
    write_imagef(out, 3, tile[0]);
}
kernel void nothing(void) {}
"""
LARGE = """
kernel void large(global int *out, local int *first, local int *second)
{
    local int own[16000];
    own[get_local_id(0)] = first[0] + second[0];
    out[0] = own[0];
}
"""


def made(text, options="-cl-std=CL3.0", stem="kernels"):
    return program(text, parse_options(options), stem, f"{stem}.cl", f"{stem}.cl")


def write(folder, kind, *words):
    """All examples and `ids`, in a folder."""
    (folder / "ids.cl").write_text(launchers_runs.IDS)
    return main(["translate", "--launchers", kind, "-cl-std=CL3.0", *map(str, EXAMPLES.glob("*.cl")), str(folder / "ids.cl"),
                 "-o", str(folder), *words])


class TestCommand:
    def test_writes_kernels_and_launchers(self, tmp_path, capsys):
        assert write(tmp_path, "cuda") == 0
        assert {path.stem for path in tmp_path.glob("*.cuh")} == {path.stem for path in tmp_path.glob("*.cu")} >= {"matmul", "ids"}
        assert capsys.readouterr().out == ""

    def test_what_has_no_launcher_is_told(self, tmp_path, capsys):
        assert write(tmp_path, "numba") == 1, "rotate has images alone, ids asks for the work dimension"
        err = capsys.readouterr().err
        assert "rotate.cl: error: there is no launcher for kernel 'rotate_picture'" in err and "get_work_dim" in err
        assert not (tmp_path / "rotate_numba.py").exists() and (tmp_path / "matmul_numba.py").exists()

    def test_a_pipe_leaves_out_its_kernel_alone(self, tmp_path, capsys):
        (tmp_path / "p.cl").write_text("kernel void p(read_only pipe int p) {} kernel void f(global int *a) { a[0] = 1; }")
        assert main(["translate", "--launchers", "cuda", "-cl-std=CL2.0", str(tmp_path / "p.cl"), "-o", str(tmp_path)]) == 0
        assert "warning: there is no launcher for kernel 'p': a pipe" in capsys.readouterr().err
        assert "not p: a pipe" in (tmp_path / "p.cuh").read_text()

    @pytest.mark.parametrize("words, said", [(["--standalone"], "--standalone"), (["-o", "k.cl"], "is a file")])
    def test_mistakes(self, tmp_path, words, said, capsys, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "k.cl").write_text("kernel void f(global int *a) { a[0] = 1; }")
        assert main(["translate", "--launchers", "cupy", "k.cl", *words]) == 2
        assert said in capsys.readouterr().err and list(tmp_path.iterdir()) == [tmp_path / "k.cl"]

    def test_nothing_is_written_where_two_programs_would_meet(self, tmp_path, capsys):
        for folder in "ab":
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "k.cl").write_text("kernel void f(global int *a) { a[0] = 1; }")
        words = ["translate", "--launchers", "cuda", str(tmp_path / "a" / "k.cl"), str(tmp_path / "b" / "k.cl"), "-o", str(tmp_path / "o")]
        assert main(words) == 2 and not (tmp_path / "o").exists()


class TestCuda:
    @pytest.mark.parametrize("source", [*(path.read_text() for path in CL), ODD, LARGE], ids=[*(path.stem for path in CL), "odd", "large"])
    @pytest.mark.parametrize("general", [False, True], ids=["plain", "general"])
    def test_nvrtc_compiles_both_variants(self, compiler, source, general):
        code = cuda.files(made(source))["kernels.cu"]
        nvrtc.compile("#define OCL_GENERAL_LAUNCH\n" * general + code, "sm_90", ["--std=c++20"])

    @pytest.mark.skipif(not NVCC, reason="nvcc is not installed")
    def test_nvcc_compiles_headers_alone_and_together(self, tmp_path):
        assert write(tmp_path, "cuda") == 0
        for name, text in cuda.files(made(ODD, stem="odd")).items():
            (tmp_path / name).write_text(text)
        main_text = (SUPPORT / "launchers_main.cu").read_text().replace('#include "ids.cuh"', '#include "ids.cuh"\n#include "odd.cuh"')
        (tmp_path / "main.cu").write_text(main_text)
        for file in ("main.cu", "odd.cuh"):
            done = subprocess.run([NVCC, "-std=c++20", "-arch=sm_90", "-x", "cu", "-c", file, "-o", "out.o"], cwd=tmp_path,
                                  capture_output=True, text=True)
            assert done.returncode == 0, done.stderr

    def test_launchers_are_typed(self):
        header = cuda.files(made(ODD))["kernels.cuh"]
        assert "inline cudaError_t odd(const cl2cuda::nd_range &range_, float4 *values, Change change, cl2cuda::local_bytes tile, " in header
        assert "const cl2cuda::image &im" in header and "float (*rows)[4], const int shared, cudaStream_t stream_ = 0)" in header

    def test_the_compilers_words_ask_for_no_report(self):
        words = re.search(r"^// Compile with: nvcc (.*)$", cuda.files(made(LARGE))["kernels.cuh"], re.MULTILINE)[1]
        assert words == "--std=c++20 --prec-div=false --prec-sqrt=false --fmad=true"

    def test_the_kernels_own_local_memory_comes_first(self):
        header = cuda.files(made(LARGE))["kernels.cuh"]
        assert "shared_layout shared{64000};" in header
        assert header.index("shared.place(first);") < header.index("second_place = shared.place(second);")


class FakeModule:
    """cupy.RawModule, whose kernels remember how they were launched."""

    def __init__(self, path):
        self.general = Path(path).read_bytes() == b"general"

    def get_function(self, symbol):
        name = symbol.removeprefix("symbol of ")
        kernel = types.SimpleNamespace(ptr=("general" if self.general else "plain", name))
        return types.SimpleNamespace(kernel=kernel, max_threads_per_block=1024, max_dynamic_shared_size_bytes=0)

    def get_global(self, name):
        return types.SimpleNamespace(ptr=4096)


def fake_compile(compiled, code, options, arch, name_expressions):
    """cupy.cuda.compiler.compile_using_nvrtc."""
    compiled.append((options, arch))
    made = b"general" if code.startswith("#define OCL_GENERAL_LAUNCH") else b"plain"
    return made, {name: f"symbol of {name}" for name in name_expressions}


class FakeStream:
    """cupy.cuda.Stream. As in CuPy, `with` gives back the stream of the `with` around it, which `use` does not change."""

    entered, current = [], None

    def __init__(self, ptr):
        self.ptr = ptr

    def __enter__(self):
        FakeStream.entered.append(self)
        FakeStream.current = self
        return self

    def __exit__(self, *_):
        FakeStream.entered.pop()
        FakeStream.current = FakeStream.entered[-1]

    def use(self):
        FakeStream.current = self

    def record(self):
        return "event"

    def wait_event(self, event):
        assert event == "event"


@pytest.fixture
def imported(tmp_path, monkeypatch):
    """Imports the module for CuPy of a program, over a CuPy that remembers launches; returns (module, launches, records)."""
    launches, records = [], []
    import ctypes

    def launch_kernel(handle, *numbers):
        launches.append((handle, numbers[:3], numbers[3:6], numbers[6]))
        fake_cuda.streams.append(numbers[7])

    def memcpy(to, address, size, kind, stream):
        fake_cuda.streams.append(stream)
        record = sys.modules["written"]._Record.from_buffer_copy(ctypes.string_at(address, size))
        records.append((tuple(record.offset), tuple(record.global_size), tuple(record.group_base), tuple(record.groups), record.work_dim))

    fake = types.ModuleType("cupy")
    fake.RawModule = FakeModule
    fake.ndarray = type("ndarray", (), {"dtype": np.dtype("float32"), "data": types.SimpleNamespace(ptr=256)})
    fake_cuda = types.ModuleType("cupy.cuda")
    fake_cuda.MemoryPointer = type("MemoryPointer", (), {})
    monkeypatch.setattr(FakeStream, "entered", [FakeStream(0)])
    monkeypatch.setattr(FakeStream, "current", FakeStream.entered[0])
    fake_cuda.Stream, fake_cuda.get_current_stream, fake_cuda.streams = FakeStream, lambda: FakeStream.current, []
    fake_cuda.Device = lambda: types.SimpleNamespace(id=0, compute_capability="90")
    fake.__version__, fake_cuda.compiled = "14.2.0", []
    fake_cuda.compiler = types.SimpleNamespace(compile_using_nvrtc=functools.partial(fake_compile, fake_cuda.compiled))
    fake_cuda.nvrtc = types.SimpleNamespace(getVersion=lambda: (13, 0))
    monkeypatch.setenv("CUPY_CACHE_DIR", str(tmp_path / "kernel_cache"))
    fake_cuda.driver = types.SimpleNamespace(launchKernel=launch_kernel)
    fake_cuda.runtime = types.SimpleNamespace(memcpyAsync=memcpy)
    fake_cuda.texture = types.SimpleNamespace()
    fake.cuda = fake_cuda
    monkeypatch.setitem(sys.modules, "cupy", fake)
    monkeypatch.setitem(sys.modules, "cupy.cuda", fake_cuda)

    def load(text):
        for name, content in cupy.files(made(text)).items():
            (tmp_path / name).write_text(content)
        spec = importlib.util.spec_from_file_location("written", tmp_path / "kernels.py")
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "written", module)
        spec.loader.exec_module(module)
        return module, launches, records

    return load


SCALE = "kernel void scale(global float *a, float4 by, local int *b, local int *c) { a[get_global_id(0)] *= by.x + b[0] + c[0]; }"


class TestCupy:
    def test_one_grid(self, imported):
        module, launches, records = imported(SCALE)
        module.scale((64, 3), (16, 1), module.cupy.ndarray(), (1, 2, 3, 4), 100, 8)
        assert launches == [(("plain", "ocl::user::scale"), (4, 3, 1), (16, 1, 1), 136)] and records == []

    def test_a_size_is_chosen_that_divides(self, imported):
        module, launches, _ = imported(SCALE)
        module.scale((60,), None, None, (1, 2, 3, 4), 0, 0)
        [(_, grid, block, _)] = launches
        assert grid[0] * block[0] == 60

    def test_an_offset_and_smaller_groups_at_the_edges(self, imported):
        module, launches, records = imported(SCALE)
        module.scale((35, 9), (8, 4), None, (1, 2, 3, 4), 0, 0, global_offset=(3, 2))
        assert [(grid, block) for _, grid, block, _ in launches] == [
            ((4, 2, 1), (8, 4, 1)), ((1, 2, 1), (3, 4, 1)), ((4, 1, 1), (8, 1, 1)), ((1, 1, 1), (3, 1, 1))]
        assert {kind for (kind, _), *_ in launches} == {"general"}
        assert records[3] == ((3, 2, 0), (35, 9, 1), (4, 2, 0), (5, 3, 1), 2)

    def test_more_groups_than_a_grid_holds(self, imported):
        module, launches, _ = imported(SCALE)
        module.scale((1, 70000), (1, 1), None, (1, 2, 3, 4), 0, 0)
        assert [grid for _, grid, *_ in launches] == [(1, 65535, 1), (1, 4465, 1)]

    @pytest.mark.parametrize("offset", [None, (3,)], ids=["plain", "general"])
    def test_the_stream_in_use_takes_every_launch_and_stays(self, imported, offset):
        module, launches, _ = imported(SCALE)
        cuda = module.cupy.cuda
        used = cuda.Stream(7)
        used.use()
        for stream in (None, None, cuda.Stream(9), None):
            module.scale((64,), (16,), None, (1, 2, 3, 4), 0, 0, global_offset=offset, stream=stream)
        assert len(launches) == 4 and cuda.streams == [each for each in (7, 7, 9, 7) for _ in range(2 if offset else 1)]
        assert cuda.get_current_stream() is used

    def test_what_is_compiled_is_kept(self, imported):
        for _ in range(2):
            module, launches, _ = imported(SCALE)
            compiled = module.cupy.cuda.compiled
            for stream in (None, None):
                module.scale((64,), (16,), None, (1, 2, 3, 4), 0, 0, stream=stream)
        assert len(launches) == 4 and len(compiled) == 1
        (options, arch), = compiled
        assert arch == "90" and "--fmad=true" in options and not any("ftz" in each for each in options)

    def test_nothing_to_run(self, imported):
        module, launches, _ = imported(SCALE)
        module.scale((0,), None, None, (1, 2, 3, 4), 0, 0)
        assert launches == []

    def test_mistakes(self, imported):
        module, launches, _ = imported(SCALE)
        for size, local, array, by, said in [((4,), (2, 2), None, (1, 2, 3, 4), "dimensions"), ((4,), None, np.zeros(4), (1, 2, 3, 4), "cupy.ndarray"),
                                             ((4,), None, None, 3, "4 values"), ((-4,), None, None, (1, 2, 3, 4), "negative")]:
            with pytest.raises((TypeError, ValueError), match=said):
                module.scale(size, local, array, by, 0, 0)
        assert launches == []

    def test_a_required_size(self, imported):
        module, launches, _ = imported("kernel __attribute__((reqd_work_group_size(8, 2, 1))) void f(void) {}")
        module.f((16, 4), None)
        assert launches[0][1:3] == ((2, 2, 1), (8, 2, 1))
        with pytest.raises(ValueError, match="requires"):
            module.f((16, 4), (4, 4))

    def test_structures_lie_as_in_the_kernel(self, imported):
        text = ODD.replace("write_only image1d_buffer_t out, ", "").replace("write_imagef(out, 3, tile[0]);", "")
        module, *_ = imported(text)
        assert module.Change.itemsize == 32 and [module.Change.fields[name][1] for name in ("factor", "shift", "counts")] == [0, 8, 16]
        assert module._value("x", (1, 2, 3), "float32", 3, 4) == np.array([1, 2, 3, 0], np.float32).tobytes()

    def test_an_anonymous_members_fields_are_the_structures_own(self, imported):
        """C11 6.7.2.1p13; pyopencl-complex.h has such a union."""
        module, *_ = imported("""
            typedef union { struct { float x, y; }; struct { float real, imag; }; float2 pair; } Complex;
            typedef struct { int n; union { uint bits; struct { short low, high; }; }; struct { char a; double b; } inner; } Odd;
            kernel void f(global Complex *z, Odd odd) { z[0].real = odd.bits + odd.high + odd.inner.b; }""")
        places = {name: place for name, (_, place) in module.Complex.fields.items()}
        assert places == {"x": 0, "y": 4, "real": 0, "imag": 4, "pair": 0} and module.Complex.itemsize == 8
        places = {name: place for name, (_, place) in module.Odd.fields.items()}
        assert places == {"n": 0, "bits": 4, "low": 4, "high": 6, "inner": 8} and module.Odd.itemsize == 24

    def test_an_images_data_is_what_kernels_take(self, imported):
        module, *_ = imported((EXAMPLES / "rotate.cl").read_text())
        import ctypes
        assert ctypes.sizeof(module._ImageData) == 152

    def test_kernels_with_images_that_cupy_cannot_make_are_left_out(self):
        fitting = cupy.fitting(made(ODD))
        assert [name for name, _ in fitting.left_out] == ["odd"] and [kernel.name for kernel in fitting.kernels] == ["nothing"]


class TestNumba:
    def test_what_must_not_be_contracted_is_left_out(self):
        """Numba's compiler makes fmas of products and sums, and takes no option."""
        text = "#pragma OPENCL FP_CONTRACT OFF\nkernel void f(global float *a) { a[0] = a[1] * a[2] + a[3]; }"
        fitting = numba.fitting(made(text))
        assert not fitting.kernels and [name for name, _ in fitting.left_out] == ["f"] and "FP_CONTRACT" in fitting.left_out[0][1]
        assert "--fmad=false" in cuda.files(made(text))["kernels.cuh"] and "--fmad=false" in cupy.files(made(text))["kernels.py"]

    @pytest.mark.parametrize("name", ["blur_sobel", "histogram", "mandelbrot", "matmul", "nbody"])
    def test_nvrtc_compiles_the_functions_as_numba_asks_for(self, compiler, name):
        text = numba.files(numba.fitting(made((EXAMPLES / f"{name}.cl").read_text())))["kernels_numba.cu"]
        built = nvrtc.build(text, "sm_90", ["--relocatable-device-code=true"], ())
        assert built.log == "", "Numba shows what NVRTC says as a warning"

    def test_what_a_program_does_not_use_gives_no_warning(self, compiler):
        """As in pyFAI's peak finder."""
        text = "kernel void f(global int *a) { int declared; int set; if (a[0]) set = 1; a[1] = 2; }"
        built = nvrtc.build(numba.files(made(text))["kernels_numba.cu"], "sm_90", ["--relocatable-device-code=true"], ())
        assert built.log == ""

    @pytest.mark.parametrize("name", ["blur_sobel", "histogram", "mandelbrot", "matmul", "nbody"])
    def test_numba_compiles_and_links_its_kernels(self, name, tmp_path):
        """As far as it goes without a GPU: to machine code."""
        if why := numbas_linker.missing():
            pytest.skip(f"Numba cannot compile and link here: {why}")
        for file, text in numba.files(numba.fitting(made((EXAMPLES / f"{name}.cl").read_text(), stem=name))).items():
            (tmp_path / file).write_text(text)
        module = tmp_path / f"{name}_numba.py"
        kernels = re.findall(r"^def (\w+)_kernel\(", module.read_text(), re.MULTILINE)
        assert kernels and all(numbas_linker.machine_code(module, kernel, "sm_90") for kernel in kernels)

    def test_declarations(self):
        text = numba.files(numba.fitting(made((EXAMPLES / "mandelbrot.cl").read_text())))["kernels_numba.py"]
        compile(text, "kernels_numba.py", "exec")
        assert "types.void(types.CPointer(types.uint8), types.float32, types.float32, types.float32, types.int32, types.int32)" in text


def results(way, folder, options="", **variables):
    done = subprocess.run([sys.executable, str(SUPPORT / "launchers_runs.py"), way, str(folder), str(EXAMPLES), options],
                          capture_output=True, text=True, env=environment(**variables))
    assert done.returncode == 0, f"{way} fails with {versions()}; it had done\n{done.stdout}\n{done.stderr}"
    return done.stdout.split("\n")


def versions():
    """Of what launchers may stand on."""
    names = ("numba", "numba-cuda", "llvmlite", "cffi", "cupy-cuda13x", "cupy-cuda12x", "cuda-bindings", "cuda-core", "nvidia-nvvm",
             "nvidia-nvjitlink", "nvidia-cuda-nvrtc", "numpy")
    return ", ".join(f"{each.name} {each.version}" for each in metadata.distributions() if each.name in names)


def differences(folder, way):
    """In words, where the results differ from OpenCL's."""
    ours, theirs = np.load(folder / f"{way}.npz"), np.load(folder / "opencl.npz")
    return [f"{name}: {np.count_nonzero(ours[name] != theirs[name])} of {ours[name].size} elements differ, by at most "
            f"{np.abs(ours[name].astype(float) - theirs[name]).max()}" for name in ours.files if not np.array_equal(ours[name], theirs[name])]


def opencl(folder, options=""):
    return results("opencl", folder, options, CL2CUDA_DEVICE="cuda", CL2CUDA_CACHE_DIR=str(folder / "cache"))


class TestOnAGpu:
    """The same kernels on the same inputs, bit by bit."""

    @pytest.fixture
    def expected(self, cuda_device, tmp_path):
        return opencl(tmp_path)

    def test_cupy(self, expected, tmp_path):
        assert write(tmp_path, "cupy") == 0
        found = results("cupy", tmp_path)
        assert differences(tmp_path, "cupy") == [] and found == expected

    def test_cupy_keeps_subnormal_numbers(self, cuda_device, tmp_path):
        (tmp_path / "halve.cl").write_text("kernel void halve(global float *x) { x[get_global_id(0)] *= 0.5f; }")
        assert main(["translate", "--launchers", "cupy", str(tmp_path / "halve.cl"), "-o", str(tmp_path)]) == 0
        words = "import cupy, halve; x = cupy.full(64, 2.0**-126, 'f4'); halve.halve((64,), (32,), x); print(set(x.get().tolist()) == {2.0**-127})"
        for _ in range(2):  # compiled, and from the folder
            done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, cwd=tmp_path,
                                  env=environment(CUPY_CACHE_DIR=str(tmp_path / "kernels")))
            assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr
        assert len(list((tmp_path / "kernels").glob("*.json"))) == 1  # CuPy keeps what it compiles itself without such a file

    def test_numba(self, cuda_device, tmp_path):
        for name in ("numba_cuda", "cffi", "cupy"):
            pytest.importorskip(name)
        words = f"import sys; sys.path.append({str(SUPPORT)!r}); import numbas_numpy; {PROBE}"
        probe = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True)
        if probe.returncode:
            pytest.skip(f"numba.cuda cannot compile here, with {versions()}: {probe.stderr.strip().splitlines()[-1]}")
        # Numba's NVRTC rounds quotients and square roots correctly, which nothing in a source can change.
        expected = opencl(tmp_path, "-cl-fp32-correctly-rounded-divide-sqrt")
        assert write(tmp_path, "numba") == 1
        found = results("numba", tmp_path)
        assert differences(tmp_path, "numba") == [] and found[:5] == expected[:5]

    def test_cuda(self, expected, tmp_path):
        if not NVCC:
            pytest.skip("nvcc is not installed")
        assert write(tmp_path, "cuda") == 0
        flags = "-std=c++20 --prec-div=false --prec-sqrt=false --fmad=true -arch=native".split()
        shutil.copy(SUPPORT / "launchers_main.cu", tmp_path)
        subprocess.run([NVCC, *flags, "launchers_main.cu", "-o", "main"], cwd=tmp_path, check=True)
        assert subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout.split("\n") == expected
