"""NVRTC without a GPU: where it is found, what it compiles, what its flags are."""

import contextlib
import functools
import platform
import subprocess
import sys
import threading
import time

import pytest
from support.cuda_programs import compile_for_cuda
from support.cuda_text import SAXPY, CudaText
from support.devices import first
from support.fake_cuda import FakeCuda
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda import program as program_module
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.cuda.program import CudaProgram
from cl2cuda.runtime.driver import unfinished_code
from cl2cuda.runtime.driver.device import Spills
from cl2cuda.runtime.driver.interface import BuildFailure, DriverMissing
from cl2cuda.runtime.process import disk_cache, processors
from cl2cuda.runtime.process.workers import Workers
from cl2cuda.runtime.program.program import Program
from cl2cuda.translator import translate
from cl2cuda.translator.options import BuildOptions, parse_options

try:
    nvrtc.nvrtc()
except DriverMissing as missing:
    pytest.skip(str(missing), allow_module_level=True)

KERNEL = 'extern "C" __global__ void f(float *a, float b) { a[threadIdx.x] = a[threadIdx.x] / b; }'
FLAGS = ("--minimal", "--std=c++20")


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_cubins(arch):
    assert nvrtc.compile(KERNEL, arch, FLAGS).startswith(b"\x7fELF")


def test_ptx():
    assert b".target sm_80" in nvrtc.compile(KERNEL, "compute_80", FLAGS)


def test_errors_are_nvrtcs_log():
    with pytest.raises(BuildFailure, match=r'program\.cu\(1\): error: identifier "y" is undefined'):
        nvrtc.compile("__global__ void f(int *x) { *x = y; }", "sm_90", FLAGS)


def ptx(options):
    return nvrtc.compile(KERNEL, "compute_80", flags(options, nvrtc.nvrtc().version)).decode()


@pytest.mark.parametrize(("options", "division"), [
    ({}, "div.full.f32"),
    ({"correctly_rounded_divide_sqrt": True}, "div.rn.f32"),
    ({"denorms_are_zero": True}, "div.full.ftz.f32"),
    ({"fast_relaxed_math": True}, "div.approx.ftz.f32"),
])
def test_flags_decide_the_division(options, division):
    assert division in ptx(BuildOptions(**options))


def test_contraction_can_be_forbidden_whatever_else_is_allowed():
    kernel = 'extern "C" __global__ void f(float *x) { x[0] = x[0] * x[1] + x[2]; }'
    for options in (BuildOptions(), BuildOptions(mad_enable=True), BuildOptions(fast_relaxed_math=True)):
        for contract in (True, False):
            text = nvrtc.compile(kernel, "compute_80", flags(options, nvrtc.nvrtc().version, contract)).decode()
            assert ("fma.rn" in text) == contract


def test_every_option_has_flags_that_nvrtc_takes():
    assert ptx(BuildOptions(nv_max_registers=32, nv_opt_level=2))
    assert ".loc" in ptx(BuildOptions(debug=True))
    assert ptx(BuildOptions(opt_disable=True, mad_enable=True, unsafe_math=True))
    assert "-Ofc=max" not in flags(BuildOptions(opt_disable=True), (12, 4))
    assert "--minimal" in flags(BuildOptions(), (12, 4)) and "--minimal" not in flags(BuildOptions(), (12, 3))


def test_nvrtc_keeps_no_cache_of_its_own():
    """It does not tell what --ftz decides; a release before 12.9 has none, and no such option."""
    assert "--no-cache" in flags(BuildOptions(), (12, 9)) and "--no-cache" not in flags(BuildOptions(), (12, 8))
    assert ptx(BuildOptions())


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another library's malloc keeps what it keeps")
def test_a_compilation_takes_the_memory_that_the_one_before_has_left():
    """In a process of its own, which has freed nothing large: compilations had some 2,000 page faults each, and
    have a few."""
    text = """import resource
from cl2cuda.runtime.cuda import nvrtc
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
counts = [faults()]
for _ in range(4):
    nvrtc.apart(lambda begun: nvrtc.build("", "sm_90", ("--minimal",), (), begun))
    counts.append(faults())
print(*(after - before for before, after in zip(counts, counts[1:])))"""
    output = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True).stdout
    assert min(map(int, output.split())) < 500


def test_the_architecture_is_the_devices_or_ptx_of_an_older_one():
    compiler = nvrtc.nvrtc()
    assert compiler.architecture((9, 0)) == "sm_90"
    assert compiler.architecture((99, 0)) == f"compute_{max(compiler.architectures())}"
    with pytest.raises(DriverMissing, match=r"cannot compile for compute capability 1\.0"):
        compiler.architecture((1, 0))


def test_a_missing_nvrtc_says_what_to_install(monkeypatch):
    monkeypatch.setattr(nvrtc, "_folders", lambda: iter(()))
    monkeypatch.setattr(nvrtc.ctypes, "CDLL", lambda name: (_ for _ in ()).throw(OSError()))
    nvrtc.find.cache_clear()
    with pytest.raises(DriverMissing, match=r"pip install 'cl2cuda\[cuda13\]'"):
        nvrtc.find()
    nvrtc.find.cache_clear()


def test_an_nvrtc_that_is_too_old_says_what_to_install(monkeypatch):
    monkeypatch.setattr(nvrtc, "OLDEST", (99, 1))
    with pytest.raises(DriverMissing, match=r"NVRTC \d+\.\d+ \(.*\) lacks what translated programs use: install 99\.1 or newer, pip install"):
        nvrtc.Nvrtc(nvrtc.find())


@pytest.mark.parametrize(("file", "version"), [
    ("libnvrtc.so.13", (13, 0)), ("libnvrtc.so.12.4.127", (12, 4)), ("nvrtc64_130_0.dll", (13, 0)), ("nvrtc64_120_0.dll", (12, 0)),
    ("libnvrtc-builtins.so.13.0", None), ("libnvrtc.so", None), ("nvrtc-builtins64_130.dll", None), ("libnvrtc_static.a", None),
])
def test_file_names(tmp_path, file, version):
    assert nvrtc._version(tmp_path / file) == version


PROGRAM = CudaText(SAXPY + "\n__global__ void sin() {}", (
    kernel_info("saxpy", arg("y", "global"), arg("x", "global"), arg("a", "value", 4)), kernel_info("sin"),
))


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_programs_compile_in_both_variants(arch):
    compiler = nvrtc.nvrtc()
    program = compile_for_cuda(PROGRAM, arch, flags(BuildOptions(), compiler.version), compiler)
    assert program.symbols == {"saxpy": "_ZN3ocl4user5saxpyEPfPKff", "sin": "_ZN3ocl4user3sinEv"}
    [plain] = program.plain
    assert plain.startswith(b"\x7fELF") and b"_ZN3ocl6launchE" not in plain
    again = CudaProgram.unpack(program.pack())
    assert again == program
    general = again.general(compiler)
    assert b"_ZN3ocl6launchE" in general and b"_ZN3ocl4user5saxpyEPfPKff" in general
    assert again.general(compiler) == general  # from the cache


def test_a_program_of_several_kernels_is_compiled_in_parts(monkeypatch):
    """Each in a thread of its own, and never in the application's, whose locale some releases of NVRTC change."""
    compiler, threads, build = nvrtc.nvrtc(), set(), nvrtc.build

    def seen(*arguments, **more):
        threads.add(threading.get_ident())
        return build(*arguments, **more)

    monkeypatch.setattr(nvrtc, "build", seen)
    monkeypatch.setattr(program_module, "PART_LINES", 1)
    monkeypatch.setattr(processors, "count", lambda: 3)
    text = "".join(f"kernel void k{n}(global int *x, image2d_t i, sampler_t s) {{ x[{n}] = read_imagei(i, s, (float2)0).x; }}" for n in range(7))
    program = compile_for_cuda(translate(text), "sm_90", flags(BuildOptions(), compiler.version), compiler)
    assert len(program.plain) == 3 and threads and threading.get_ident() not in threads
    for number, code in enumerate(program.plain):
        assert {name for name, part in program.parts.items() if part == number} == {f"k{n}" for n in range(7) if f"4user2k{n}E".encode() in code}
    assert sorted(program.parts) == sorted(program.symbols) == [f"k{n}" for n in range(7)]
    assert CudaProgram.unpack(program.pack()) == program
    assert all(program.spills(f"k{n}") == Spills(0, 0) for n in range(7))
    assert all(f"4user2k{n}E".encode() in variant(compiler) for n in range(7) for variant in (program.general, program.swapped))
    monkeypatch.setattr(processors, "count", lambda: 1)
    assert len(compile_for_cuda(translate(text), "sm_90", flags(BuildOptions(), compiler.version), compiler).plain) == 1


def joined(compiled):
    return b"".join(each.code for each in compiled)


def test_parts_that_fail():
    def part(number, begun):
        if number % 2:
            raise BuildFailure(f"part {number}")
        return nvrtc.Compiled(b"", {}, "")

    with nvrtc.side_by_side([functools.partial(part, number) for number in range(4)], joined) as code:
        pass
    with pytest.raises(BuildFailure, match="part 1"):
        code.result()


def test_builds_where_no_thread_can_be_started(monkeypatch):
    """As when Python ends, and a function that was registered for that builds."""
    def refuse(thread):
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    made = [nvrtc.Compiled(bytes([number]), {}, "") for number in range(3)]
    monkeypatch.setattr(nvrtc, "_THREADS", Workers(3))
    with nvrtc.side_by_side([lambda begun, each=each: each for each in made], joined) as code:
        pass
    assert code.result() == b"\0\1\2" and nvrtc.apart(lambda begun: made[0]) is made[0]


def test_what_goes_on_beside_a_build():
    """The code is made when the builds and the block have ended, whichever is last."""
    others, ended = threading.Event(), []

    def build(begun):
        begun()
        assert others.wait(60)
        ended.append(True)
        return nvrtc.Compiled(b"", {}, "")

    def made(compiled):
        return bytes([len(compiled), len(ended), *noted])

    noted = []
    with nvrtc.side_by_side([build], made) as code:
        others.set()
        while not ended:
            time.sleep(0.001)
        noted.append(7)
    assert code.result() == b"\1\1\7"
    others.clear()
    with nvrtc.side_by_side([build], made) as code:
        pass
    assert len(ended) == 1
    others.set()
    assert code.result() == b"\1\2\7"
    with pytest.raises(KeyError), nvrtc.side_by_side([build], made) as code:
        raise KeyError
    assert code.result() == b"\1\3\7"


def test_nothing_goes_on_beside_a_build_before_all_have_begun():
    """Who began first would get Python back only when the block lets go of it."""
    noted, last = [], threading.Event()

    def build(number, begun):
        if number:
            assert last.wait(60)
        else:
            last.set()
        noted.append(number)
        begun()
        return nvrtc.Compiled(b"", {}, "")

    with nvrtc.side_by_side([functools.partial(build, number) for number in (1, 0, 2)], joined):
        noted.append("block")
    assert noted[-1] == "block" and sorted(noted[:-1]) == [0, 1, 2]


def test_a_build_has_begun_when_nvrtc_has_all_it_takes():
    class Handle:
        def __getattr__(self, name):
            calls.append(name)
            return getattr(genuine, name)

    noted, calls = nvrtc.Nvrtc(nvrtc.find()), []
    genuine, noted.handle = noted.handle, Handle()
    made = nvrtc.build(KERNEL, "sm_90", FLAGS, ["f"], lambda: calls.append("begun"), library=noted)
    assert made.names == {"f": "f"} and made.code == nvrtc.compile(KERNEL, "sm_90", FLAGS)
    assert calls[:4] == ["nvrtcCreateProgram", "nvrtcAddNameExpression", "begun", "nvrtcCompileProgram"]


def test_the_next_build_is_made_by_the_same_thread(monkeypatch):
    """Its memory is there. (Of several that rest, one after the other has its turn.)"""
    monkeypatch.setattr(nvrtc, "_THREADS", Workers(3))

    def build(begun):
        return nvrtc.Compiled(b"", {}, str(threading.get_ident()))

    nvrtc.warm_up(1 << 30, (9, 0))
    assert len({nvrtc.apart(build).log for _ in range(3)}) == 1


def test_builds_after_a_fork():
    """The threads of the process before are not there, and what they had begun is nobody's."""
    found = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", """
import os, threading
from cl2cuda.runtime.cuda import nvrtc
forked = threading.Event()

def build(begun):
    begun()
    assert forked.wait(60)
    return nvrtc.Compiled(b"code", {}, "")

thread = threading.Thread(target=nvrtc.apart, args=(build,))
thread.start()
while not nvrtc._under_way:
    pass
child = os.fork()
forked.set()
if not child:
    assert nvrtc.apart(lambda begun: nvrtc.Compiled(b"child's", {}, "")).code == b"child's"
else:
    thread.join()
    print(os.waitpid(child, 0)[1], nvrtc.apart(build).code)
"""], capture_output=True, text=True, timeout=100)
    assert (found.stdout, found.stderr) == ("0 b'code'\n", "")


def test_a_process_ends_when_its_builds_have():
    found = subprocess.run([sys.executable, "-c", """
import threading, time
from cl2cuda.runtime.cuda import nvrtc
at_work = threading.Event()

def build(begun):
    begun()
    at_work.set()
    time.sleep(0.3)
    print("made", flush=True)
    return nvrtc.Compiled(b"", {}, "")

threading.Thread(target=nvrtc.apart, args=(build,), daemon=True).start()
at_work.wait()
"""], capture_output=True, text=True, timeout=100)
    assert (found.returncode, found.stdout, found.stderr) == (0, "made\n", "")


def test_sources_of_other_variants_are_composed_while_nvrtc_is_at_work(monkeypatch):
    compiler, composed, build, source = nvrtc.nvrtc(), threading.Event(), nvrtc.build, CudaText.source

    def noted(translation, port, *, variant="plain"):
        if variant == "general":
            composed.set()
        return source(translation, port, variant=variant)

    def waits(*arguments, **more):
        *others, begun = arguments
        begun()
        assert composed.wait(60)
        return build(*others, **more)

    monkeypatch.setattr(nvrtc, "build", waits)
    monkeypatch.setattr(CudaText, "source", noted)
    program = compile_for_cuda(PROGRAM, "sm_90", flags(BuildOptions(), compiler.version), compiler)
    assert "launch" in program.general_source and program.swapped_source == ""


def test_the_library_is_loaded_once_while_a_program_is_translated(monkeypatch):
    newest, loaded, translates = nvrtc.nvrtc().version[0], [], threading.Event()

    def load(newest):
        assert translates.wait(60)
        loaded.append((newest, threading.get_ident() == own))

    own, device = threading.get_ident(), CudaDevice(FakeCuda(), 0)
    monkeypatch.setattr(CudaDevice, "newest_compiler", newest)
    with device.compiler_start():
        pass
    assert loaded == []
    monkeypatch.setattr(nvrtc, "_loaded", {})
    monkeypatch.setattr(nvrtc, "nvrtc", load)
    with device.compiler_start():
        assert loaded == []
        translates.set()
    assert loaded == [(newest, False)]


def test_a_program_that_asks_for_its_work_dimension_is_general_from_the_start():
    compiler = nvrtc.nvrtc()
    text = CudaText("__global__ void f(unsigned *x) { *x = get_work_dim(); }", (kernel_info("f", arg("x", "global")),),
                    (("fn", "get_work_dim", "uint"),))
    program = compile_for_cuda(text, "sm_90", FLAGS, compiler)
    assert program.plain == () and program.symbols["f"] == "_ZN3ocl4user1fEPj"


def test_what_nvrtc_refuses_is_a_build_failure():
    compiler = nvrtc.nvrtc()
    with pytest.raises(BuildFailure, match=r"(?s)NVRTC refused the translated program.*undefined"):
        compile_for_cuda(CudaText("__global__ void f() { g(); }", (kernel_info("f"),)), "sm_90", FLAGS, compiler)


def test_the_log_says_what_each_kernel_takes():
    options = parse_options("-cl-nv-verbose")
    translation = translate("kernel void add(global int *x) { x[0]++; } kernel void twice(global int *x) { x[0] *= 2; }", options)
    compiler = nvrtc.nvrtc()
    program = compile_for_cuda(translation, "sm_90", flags(options, compiler.version), compiler)
    log = CudaProgram.unpack(program.pack()).log
    assert "entry function 'add'" in log and "entry function 'twice'" in log and "registers" in log and "spill" in log
    assert compile_for_cuda(translation, "sm_90", flags(options, compiler.version), compiler).pack() == program.pack()
    assert log.count("registers") == 2 and (program.spills("add"), program.spills("missing")) == (Spills(0, 0), None)
    assert compile_for_cuda(translation, "compute_90", flags(options, compiler.version), compiler).spills("add") is None


def test_programs_are_told_of_registers_where_they_ask():
    device = first("imagined cuda")
    program = Program(Context([device]), "kernel void add(global int *x) { x[0]++; }")
    program.build("-cl-nv-verbose")
    assert "entry function 'add'" in program.build_log(device) and "registers" in program.build_log(device)
    program.build("")
    assert program.build_log(device) == ""


def test_the_file_for_a_program_is_made_while_nvrtc_is_at_work(monkeypatch, tmp_path):
    """And nothing is left of one that NVRTC refuses."""
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("CL2CUDA_NO_CACHE", raising=False)
    compiler, build, begun_file, found = nvrtc.nvrtc(), nvrtc.build, disk_cache.begin, []
    there = threading.Event()

    def waits(*arguments, **more):
        *others, begun = arguments
        begun()
        assert there.wait(60)
        found.append([path.name[: len(disk_cache.UNFINISHED)] for path in disk_cache.directory().iterdir()])
        return build(*others, **more)

    monkeypatch.setattr(nvrtc, "build", waits)
    monkeypatch.setattr(disk_cache, "begin", lambda: (begun_file(), there.set()))
    for text, stays in (("__global__ void f() { g(); }", False), ("__global__ void f() {}", True)):
        there.clear()
        with contextlib.suppress(BuildFailure), disk_cache.making("name") as entry:
            entry.store(compile_for_cuda(CudaText(text, (kernel_info("f"),)), "sm_90", FLAGS, compiler).pack())
        assert [path.name for path in disk_cache.directory().iterdir()] == ["name"] * stays
    assert found == [[disk_cache.UNFINISHED]] * 2


def test_what_is_interrupted_before_all_builds_have_begun_is_not_waited_for(monkeypatch):
    """The process would never end."""
    genuine, begun = nvrtc._THREADS.make, []

    def make(call):
        begun.append(call)
        if len(begun) == 2:
            raise KeyboardInterrupt
        genuine(call)

    monkeypatch.setattr(nvrtc._THREADS, "make", make)
    before = unfinished_code.count()
    with pytest.raises(KeyboardInterrupt), nvrtc.side_by_side([lambda begun: begun()] * 3, lambda made: b""):
        raise AssertionError("they have not begun")
    nvrtc._wait_for_builds()
    assert len(begun) == 2 and not nvrtc._under_way and unfinished_code.count() == before
