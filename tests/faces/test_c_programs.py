"""Programs in C of our own (tests/c), built with the machine's compiler: through a loader, and with our library as the loader."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import processes
from support.c_programs import FOLDER, environment, needs_compiler, python_path, run, sanitized
from support.gl_points import needs_right_draws

from cl2cuda.cli import main
from cl2cuda.opencl_icd import library, programs
from cl2cuda.opencl_icd.build import LOADER, compilers
from cl2cuda.profiling import profile
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.process import disk_cache
from cl2cuda.runtime.spec.entry_points import ENTRY_POINTS
from cl2cuda.runtime.spec.status import STATUS

PROGRAMS = sorted(FOLDER.glob("*.c"))

# What needs another API's objects, a device with queues of its own, or a dead interface; and what only loaders call.
UNCALLED = re.compile(r"EXT$|ExternalMem|^clIcd|^clTerminateContextKHR|SubGroupInfoKHR|WithILKHR|^clCreateCommandQueueWithPropertiesKHR"
                      r"|^clSetCommandQueueProperty|^clCommand(Copy(BufferRect|Image|BufferToImage)|FillImage|SVM)")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """From a program's name to its file."""
    needs_compiler()
    folder = tmp_path_factory.mktemp("c")

    def build(name, compiler=None, *flags):
        place = folder / "".join((name, *flags))
        if not place.exists():
            subprocess.run([*(compiler or compilers()[0]), "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", *flags, str(FOLDER / f"{name}.c"),
                            "-o", str(place), str(library.library(LOADER)), "-lpthread", "-lm"], check=True)
        return place

    return build


@pytest.mark.parametrize("through", ["loader", "alone"])
@pytest.mark.parametrize("name", [path.stem for path in PROGRAMS])
def test_a_program_finds_everything_right(built, name, through):
    if name == "opengl":
        needs_right_draws()
    done = run(built(name), through=through)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert ("after main" in done.stdout) == (name == "exit_open")


@pytest.mark.parametrize("way", ["round", "flush", "trap"])
@pytest.mark.parametrize("compiled_calls", ["1", "0"])
def test_a_program_has_its_own_way_to_compute(built, way, compiled_calls, tmp_path):
    done = run(built("floating_point"), way, through="alone", CL2CUDA_NATIVE_CALLS=compiled_calls, CL2CUDA_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_what_a_program_has_built_when_it_ends_is_in_the_cache(built, tmp_path):
    done = run(built("exit_open"), through="alone", CL2CUDA_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0 and done.stderr == "", done.stderr
    names = [path.name for path in (tmp_path / "programs").iterdir()]
    assert names and not any(name.startswith(disk_cache.UNFINISHED) for name in names)


def test_a_driver_that_two_variables_name_is_there_once(built):
    done = run(built("platform"), OCL_ICD_FILENAMES=str(library.library()))
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_loaders_that_put_nothing_between_folder_and_file_find_the_driver():
    """As that of the CUDA toolkits does, an early one of Khronos'."""
    try:
        found = programs.environment()[programs.VENDORS]
    except DriverMissing as missing:
        pytest.skip(str(missing))
    assert Path(found + "cl2cuda.icd").read_text() == f"{library.library()}\n"


def test_a_loader_that_cannot_be_told_is_not_used(built, tmp_path):
    """It knows no variable, and finds no driver: ours takes its place."""
    environment("alone")  # skips where programs have no Python
    (tmp_path / "loader.c").write_text("int clGetPlatformIDs(unsigned n, void *p, void *q) { return -1001 + 0 * (n + !p + !q); }\n")
    subprocess.run([*compilers()[0], "-shared", "-fPIC", "loader.c", "-o", "libOpenCL.so.1"], cwd=tmp_path, check=True)
    variables = processes.environment(LD_LIBRARY_PATH=os.pathsep.join([str(tmp_path), os.environ.get("LD_LIBRARY_PATH", "")]).rstrip(os.pathsep))
    cl2cuda = [sys.executable, "-m", "cl2cuda"]
    done = subprocess.run([*cl2cuda, "run", str(built("platform"))], env=variables, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    done = subprocess.run([*cl2cuda, "icd"], env=variables, capture_output=True, text=True, timeout=600)
    assert f"{tmp_path / 'libOpenCL.so.1'} lets no OCL_ICD_VENDORS name its drivers" in done.stdout


def test_what_loaders_see_is_told(tmp_path, monkeypatch, capsys):
    if library.libpython() is None or not compilers():
        pytest.skip("the driver library is not to be had here")
    (tmp_path / "other.icd").write_text("libother.so\n")
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path))
    monkeypatch.setenv("OCL_ICD_FILENAMES", "libmore.so")
    assert main(["icd"]) == 0
    said = capsys.readouterr().out
    assert f"instead {tmp_path}: other (libother.so)\n" in said and "Khronos' loader take, too: libmore.so\n" in said
    assert f"OCL_ICD_VENDORS={library.vendors()}/ PROGRAM\n" in said
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path / "other.icd"))
    assert main(["icd"]) == 0
    assert f"instead {tmp_path / 'other.icd'}, as ocl-icd takes it" in capsys.readouterr().out


def test_a_program_is_profiled(built, tmp_path):
    """Eight threads with a queue each, 25 rounds, twice."""
    words = [sys.executable, "-m", "cl2cuda", "profile", "--json", str(tmp_path / "p.json"), str(built("threads"))]
    done = subprocess.run(words, env=processes.environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = profile.from_json((tmp_path / "p.json").read_text(), "p.json")
    [device] = found.devices
    [kernel], [copy] = device.kernels, device.copies
    assert (kernel.name, kernel.times.calls, kernel.sizes[0][0], kernel.argument_bytes) == ("put", 400, (256,), 1024), found.notes
    assert (copy.name, copy.times.calls, copy.bytes) == ("read_buffer", 400, 400 * 1024)


def test_a_trace_is_written_while_devices_tell_times(built, tmp_path):
    """CUDA's part of the exit was once before ours: what had not been asked for its times by then was lost."""
    done = run(built("traced"), CL2CUDA_TRACE=str(tmp_path / "trace.json"))
    assert done.returncode == 0 and done.stderr == "", done.stderr
    records = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert [each["name"] for each in records if "error" not in each["args"] and each["ph"] == "X"] == ["marker"] * 2


@pytest.mark.parametrize("name", ["exit_open", "fork"])
def test_the_package_is_told_of_the_exit_once_in_each_process(built, tmp_path, name):
    """What Python's threads drop from then on calls no driver, which may have gone."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nfrom cl2cuda.runtime.process import ending\nbegin = ending.begin\n"
        "ending.begin = lambda: (begin(), os.write(2, b'told %d\\n' % os.getpid()))\n")
    done = run(built(name), PYTHONPATH=python_path(tmp_path))
    told = done.stderr.splitlines()
    assert done.returncode == 0 and told and all(line.startswith("told ") for line in told) and len(set(told)) == len(told), done.stderr


@pytest.mark.full
def test_a_hundred_thousand_cycles_leave_memory_as_it_is(built):
    done = run(built("cycles"), "100000")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def watched_memory(tmp_path_factory):
    """The environment in which AddressSanitizer and UBSan watch the library."""
    found = sanitized(tmp_path_factory.mktemp("sanitized"), "libasan.so", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
    return {**found, "ASAN_OPTIONS": "detect_leaks=0"}  # Python frees little at its end.


@pytest.fixture(scope="module")
def watched_threads(tmp_path_factory):
    """The environment in which ThreadSanitizer does, of a program that has it."""
    found = sanitized(tmp_path_factory.mktemp("watched"), "libtsan.so", "-fsanitize=thread", "-Wno-tsan")  # which does not see fences
    del found["LD_PRELOAD"]
    return {**found, "TSAN_OPTIONS": "ignore_noninstrumented_modules=1 report_signal_unsafe=0"}


# Of all programs but the one that measures memory: AddressSanitizer keeps what is freed for a while.
WATCHED = ("asked_often", "bare_objects", "bare_parts", "changing_sizes", "destructors", "events", "exit_open", "floating_point",
           "images", "kept_answers", "large_copies", "launches", "local_sizes", "memory", "memory_queries", "one_queue",
           "overlapping_maps", "profiling", "queries", "repeated_maps", "returning_buffers", "returning_kernels",
           "returning_programs", "returning_while_used", "shared_memory", "shared_objects", "signals", "small_commands", "stress", "threads")


@pytest.mark.parametrize("name", [
    path.stem if path.stem in WATCHED else pytest.param(path.stem, marks=pytest.mark.full) for path in PROGRAMS
    if path.stem != "cycles"])
def test_the_library_touches_no_memory_that_is_not_its_own(built, watched_memory, name):
    done = run(built(name), **watched_memory)
    assert done.returncode == 0 and "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr


# Of programs that do as much as they are told: with words of theirs.
SHARE = {"stress": ["5"], "shared_objects": ["300"]}


@pytest.mark.parametrize("name", ["changing_sizes", *(pytest.param(name, marks=pytest.mark.full) for name in (
    "bare_objects", "destructors", "events", "programs_and_kernels", "returning_programs", "returning_while_used", "shared_objects", "stress",
    "threads"))])
def test_threads_share_nothing_of_the_librarys_that_is_not_meant_for_it(built, watched_threads, name):
    done = run(built(name, ["gcc"], "-fsanitize=thread"), *SHARE.get(name, ()), **watched_threads)
    if "unexpected memory mapping" in done.stderr:
        pytest.skip("ThreadSanitizer does not run here")
    assert done.returncode == 0 and "ThreadSanitizer" not in done.stderr, done.stderr


@pytest.mark.parametrize("row", [row for row in ENTRY_POINTS.values() if not UNCALLED.search(row.name)], ids=lambda row: row.name)
def test_a_program_calls_the_entry_point(row):
    assert any(re.search(rf"\b{row.name}\b", path.read_text()) for path in [*PROGRAMS, FOLDER / "check.h"])


def test_clinfo_tells_all_through_a_loader():
    if not shutil.which("clinfo"):
        pytest.skip("clinfo is not installed")
    done = subprocess.run(["clinfo"], env=environment("loader"), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    assert "cl2cuda" in done.stdout and "CL_INVALID" not in done.stdout and "<printDeviceInfo" not in done.stdout + done.stderr


def test_no_name_of_the_api_is_exported_that_a_loader_has():
    try:
        place = library.library()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    if not shutil.which("nm"):
        pytest.skip("nm is not installed")
    text = subprocess.run(["nm", "-D", "--defined-only", str(place)], capture_output=True, text=True, check=True).stdout
    assert {line.split()[-1] for line in text.splitlines()} == {
        "clGetExtensionFunctionAddress", "clGetPlatformInfo", "clIcdGetPlatformIDsKHR", "clIcdGetFunctionAddressForPlatformKHR",
        "clIcdSetPlatformDispatchDataKHR"}
    needed = subprocess.run(["objdump", "-p", str(place)], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"NEEDED\s+(\S+)", needed)
    assert [name for name in libraries if not name.startswith("ld-linux")] == ["libc.so.6"]


def test_stock_pyopencl_runs_over_the_driver(tmp_path):
    """In a process that holds a Python, the library keeps to that one."""
    program = tmp_path / "stock.py"
    program.write_text("""
import numpy as np, pyopencl as cl, pyopencl.array
assert "cl2cuda" not in cl._cl.__file__
(platform,) = cl.get_platforms()
assert platform.name.startswith("cl2cuda")
context = cl.Context(platform.get_devices()[:1])
queue = cl.CommandQueue(context)
program = cl.Program(context, "kernel void put(global int *a, int b) { a[get_global_id(0)] = b; }").build()
buffer, out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64), np.empty(16, np.int32)
program.put(queue, (16,), None, buffer, np.int32(7))
cl.enqueue_copy(queue, out, buffer)
assert (out == 7).all()
try:
    cl.Buffer(context, 0, 0)
except cl.LogicError as error:
    assert error.code == cl.status_code.INVALID_BUFFER_SIZE
assert float(cl.array.sum(cl.array.arange(queue, 100, dtype=np.float32)).get()) == 4950

class Other:  # An error's way is one on which objects go.
    def __eq__(self, other):
        return False

for make in (lambda: cl.array.zeros(queue, (10,), np.float32), lambda: cl.Buffer(context, cl.mem_flags.READ_WRITE, 64),
             lambda: cl.CommandQueue(context), lambda: cl.enqueue_marker(queue), lambda: cl.Kernel(program, "put"), lambda: cl.Context()):
    try:
        Other() + make()
    except TypeError as error:
        assert "Other" in str(error)
    else:
        raise AssertionError(make)
""")
    done = run_stock(program)
    assert done.returncode == 0 and "SystemError" not in done.stderr, done.stderr


def run_stock(program, *words):
    """A program of stock PyOpenCL."""
    found = programs.environment()
    return subprocess.run([sys.executable, str(program), *words], capture_output=True, text=True, timeout=600, env={
        **found, "PYTHONPATH": processes.environment()["PYTHONPATH"], "CL2CUDA_INSTALL": "0", "OPENCL_VENDOR_PATH": found[programs.VENDORS]})


@pytest.mark.parametrize("kind", ["copies", "held"])
def test_what_stock_pyopencl_leaves_ends_with_python(tmp_path, kind):
    """It waits for copies, and unmaps, in destructors: the last ones run while Python ends. What waits for the program waits in vain."""
    program = tmp_path / "left.py"
    program.write_text("""
import sys
import numpy as np, pyopencl as cl
context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
kinds = cl.command_queue_properties
queues = [cl.CommandQueue(context, properties=each) for each in (0, kinds.PROFILING_ENABLE, kinds.OUT_OF_ORDER_EXEC_MODE_ENABLE)]
buffer, host = cl.Buffer(context, cl.mem_flags.READ_WRITE, 1 << 20), np.zeros(1 << 20, np.uint8)

def copies(*waits):
    return [cl.enqueue_copy(queue, *ends, is_blocking=False, wait_for=waits)
            for queue in queues for ends in ((buffer, host), (host, buffer), (host[:8], buffer)) for _ in range(3)]

class Cycle:
    pass

cycle, sys.kept, np.kept = Cycle(), copies(), copies()
cycle.kept = cycle, copies()
mapped = [cl.enqueue_map_buffer(queue, buffer, cl.map_flags.READ, 0, (8,), np.uint8)[0] for queue in queues for _ in range(3)]
events = copies()
if "held" in sys.argv:
    never = cl.UserEvent(context)
    held = copies(never)
print("through")
""")
    done = run_stock(program, kind)
    assert (done.returncode, done.stdout) == (0, "through\n"), done.stderr
    assert (done.stderr == "") == (kind == "copies"), done.stderr


BY_CTYPES = """
import ctypes, ctypes.util, os, sys
assert "OCL_ICD_VENDORS" not in os.environ
ctypes.CDLL(None)
cl, count, text = ctypes.CDLL("libOpenCL.so.1"), ctypes.c_uint(), ctypes.create_string_buffer(100)
platform, device = ctypes.c_void_p(), ctypes.c_void_p()
assert cl.clGetPlatformIDs(1, ctypes.byref(platform), ctypes.byref(count)) == 0 and count.value == 1
assert cl.clGetPlatformInfo(platform, 0x0902, 100, text, None) == 0
assert cl.clGetDeviceIDs(platform, 0xFFFFFFFF, 1, ctypes.byref(device), None) == 0
import pyopencl
assert ctypes.CDLL("libOpenCL.so.1").clGetPlatformIDs(0, None, ctypes.byref(count)) == 0
print(text.value.decode() == pyopencl.get_platforms()[0].name)
"""


@pytest.mark.parametrize("loader", ["the machine's", "none"])
@pytest.mark.parametrize("as_module", [False, True])
def test_a_script_loads_the_loader_by_ctypes(tmp_path, loader, as_module):
    try:
        library.library()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    (tmp_path / "by_ctypes.py").write_text(BY_CTYPES)
    words = [sys.executable, "-m", "cl2cuda", "run", *(["-m", "by_ctypes"] if as_module else ["by_ctypes.py"])]
    if loader == "none":
        (tmp_path / "none.py").write_text("from cl2cuda.opencl_icd import programs\nprograms.loader = lambda: None\n"
                                          "from cl2cuda.__main__ import main\nimport sys\nsys.exit(main())\n")
        words[1:3] = [str(tmp_path / "none.py")]
    given = {name: value for name, value in processes.environment().items() if not name.startswith(("OCL_ICD", "OPENCL_VENDOR"))}
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, cwd=tmp_path, env=given)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


@pytest.mark.parametrize("name", ["cl2cuda (NVIDIA CUDA)", "cl2cuda (NVIDIA through CUDA)"])
def test_sycls_runtime_is_told_another_name(tmp_path, name):
    """It passes over platforms with "NVIDIA CUDA" in their name. Here it is a library of the same name, with nothing in it."""
    if not compilers():
        pytest.skip("no C compiler")
    (tmp_path / "empty.c").write_text("int nothing;\n")
    runtime = tmp_path / "libsycl.so.9"
    subprocess.run([*compilers()[0], "-shared", "-fPIC", str(tmp_path / "empty.c"), "-o", str(runtime)], check=True)
    program = tmp_path / "name.py"
    program.write_text("""
import ctypes, sys
cl, platform, text = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), ctypes.create_string_buffer(100)
sycl = [ctypes.CDLL(each) for each in sys.argv[2:]]
assert cl.clGetPlatformIDs(1, ctypes.byref(platform), None) == 0
assert cl.clGetPlatformInfo(platform, 0x0902, 100, text, None) == 0
print(text.value.decode())
""")
    words = [sys.executable, str(program), LOADER, *([str(runtime)] if "through" in name else [])]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, env={
        **programs.environment(), "PYTHONPATH": processes.environment()["PYTHONPATH"]})
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{name}\n", "")


def test_destructors_free_anywhere_and_to_the_very_end(tmp_path):
    """In a process that holds a Python, its search for garbage runs within calls of ours, and the last destructors after it has ended."""
    program = tmp_path / "destructors.py"
    program.write_text("""
import ctypes, gc, sys
from ctypes import byref, c_void_p as pointer
cl = ctypes.CDLL(sys.argv[1])
cl.clGetExtensionFunctionAddressForPlatform.restype = cl.clCreateContext.restype = cl.clCreateCommandQueueWithProperties.restype = pointer
cl.clCreateUserEvent.restype = pointer
platform, device, error = pointer(), pointer(), ctypes.c_int()
assert cl.clGetPlatformIDs(1, byref(platform), None) == 0
assert cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xffffffff), 1, byref(device), None) == 0
context = pointer(cl.clCreateContext(None, 1, byref(device), None, None, byref(error)))
queue = pointer(cl.clCreateCommandQueueWithProperties(context, device, None, byref(error)))
gate = pointer(cl.clCreateUserEvent(context, byref(error)))

def function(name, result, *types):
    return ctypes.CFUNCTYPE(result, *types)(cl.clGetExtensionFunctionAddressForPlatform(platform, name))

size, uint, enum = ctypes.c_size_t, ctypes.c_uint, ctypes.c_int
alloc = function(b"clDeviceMemAllocINTEL", pointer, pointer, pointer, pointer, size, uint, pointer)
free = function(b"clMemBlockingFreeINTEL", enum, pointer, pointer)
fill = function(b"clEnqueueMemFillINTEL", enum, pointer, pointer, pointer, size, size, uint, pointer, pointer)

class Memory:
    freed = 0
    def __init__(self):
        self.address, self.itself = alloc(context, device, None, 4096, 0, None), self
    def __del__(self, free=free, context=context):
        assert free(context, self.address) == 0
        Memory.freed += 1

class Shared:
    # As stock PyOpenCL frees its own: by a command that nobody waits for.
    def __init__(self, free=cl.clEnqueueSVMFree, size=size):
        self.address, self.free = pointer(cl.clSVMAlloc(context, ctypes.c_uint64(1), size(4096), uint(0))), free
    def __del__(self, byref=byref, queue=queue):
        assert self.free(queue, 1, byref(self.address), None, None, 0, None, None) == 0

cl.clSVMAlloc.restype = pointer
shared = Shared()
Shared()
last = Memory()
def search(frame, event, argument):
    if event == "call" and frame.f_code.co_name == "_defer":
        gc.collect()

gc.disable()
sys.setprofile(search)
for _ in range(3):
    assert fill(queue, Memory().address, b"late", 4, 4096, 1, byref(gate), None) == 0
sys.setprofile(None)
print(Memory.freed)
cl.clSetUserEventStatus(gate, 0)
assert cl.clFinish(queue) == 0
""")
    done = subprocess.run([sys.executable, str(program), LOADER], capture_output=True, text=True, timeout=120, env={
        **programs.environment(), "PYTHONPATH": processes.environment()["PYTHONPATH"]})
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")


def test_a_python_that_is_part_of_the_program_is_the_one(built, tmp_path):
    """As in Debian's /usr/bin/python3, which needs no libpython. This one has nothing of Python but a name: no other one is started."""
    environment("alone")  # skips where programs have no Python
    loader = library.library(LOADER)
    (tmp_path / "program.c").write_text("""#include <stdio.h>
int clGetPlatformIDs(unsigned, void *, unsigned *);
int Py_IsInitialized(void) { return 1; }
int main(void) { printf("%d\\n", clGetPlatformIDs(0, NULL, &(unsigned){ 0 })); return 0; }
""")
    subprocess.run([*compilers()[0], "-rdynamic", "program.c", "-o", "program", str(loader)], cwd=tmp_path, check=True)
    done = subprocess.run([str(tmp_path / "program")], env=environment("alone"), capture_output=True, text=True, timeout=60)
    assert done.stderr == "cl2cuda: its OpenCL driver cannot start: Python lacks: Py_InitializeEx\n"
    assert int(done.stdout) == STATUS["PLATFORM_NOT_FOUND_KHR"]


def test_the_driver_without_its_python_is_no_platform(built, tmp_path):
    """What is missing is said once, and the program goes on without a platform."""
    place = tmp_path / "libcl2cuda.so"
    shutil.copyfile(library.library(), place)
    place.with_name(f"{place.name}.python").write_text("/no/such/libpython.so\n/no/such/python\n")
    (tmp_path / "cl2cuda.icd").write_text(f"{place}\n")
    done = subprocess.run([str(built("platform"))], capture_output=True, text=True, timeout=60,
                          env={**environment("loader"), programs.VENDORS: programs.vendors(tmp_path)})
    assert done.returncode == 1 and done.stderr.count("cl2cuda: its OpenCL driver cannot start") == 1


CUDA = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int cuInit(unsigned flags)
{
    int (*is_initialized)(void) = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    FILE *log = fopen(getenv("CUDA_LOG"), "a");
    fprintf(log, "%s\n", is_initialized && is_initialized() ? "Python is there" : "before Python");
    fclose(log);
    return 100 + flags; /* CUDA_ERROR_NO_DEVICE */
}
"""


def test_cuda_begins_before_python_where_its_devices_are_wanted(built, tmp_path):
    (tmp_path / "cuda.c").write_text(CUDA)
    subprocess.run([*compilers()[0], "-shared", "-fPIC", str(tmp_path / "cuda.c"), "-o", str(tmp_path / "libcuda.so.1"), "-ldl"], check=True)
    path = os.pathsep.join([str(tmp_path), environment("alone")["LD_LIBRARY_PATH"]])

    def log(chosen):
        place = tmp_path / f"log-{chosen}"
        run(built("platform"), through="alone", LD_LIBRARY_PATH=path, CUDA_LOG=str(place), CL2CUDA_DEVICE=chosen)
        return place.read_text().splitlines() if place.exists() else []

    assert log("")[:2] == log("all")[:2] == ["before Python", "Python is there"]
    assert not log("host")
