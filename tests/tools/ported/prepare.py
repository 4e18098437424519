"""Writes the launchers of one case, and compiles them as far as this machine goes. Needs no GPU.

Owns what lies in a case's folder: NAME.cl, what `cl2cuda translate --launchers` makes of it in cuda/, cupy/ and numba/, and cuda/NAME.so,
in which `run` launches the kernel by its header's function.
"""

from __future__ import annotations

import os
import py_compile
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

from support import numbas_linker
from tools.ported.cases import Argument, Case, Local, Output

from cl2cuda.cli import main as command_line
from cl2cuda.runtime.cuda import nvrtc

_C_TYPES = {"int8": "signed char", "int32": "int", "uint32": "unsigned", "int64": "long long", "float32": "float", "float64": "double"}
# Numba gives its compiler the same.
_RELOCATABLE = ["--relocatable-device-code=true"]


class NotBuilt(Exception):
    """Of one way; the text says why. `failed`: something that is there does not work, or else something is missing here."""

    def __init__(self, text: str, *, failed: bool) -> None:
        super().__init__(text)
        self.failed = failed


def prepare(case: Case, folder: Path, arch: str) -> dict[str, str]:
    """For each way what it compiled to, in words. What begins with "FAILED" is a fault; "no" stands before what is missing here.

    Raises tools.corpus.build.Missing where the case's package is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{case.name}.cl"
    source.write_text(case.text(), encoding="utf-8")
    states = {}
    for way, build in WAYS.items():
        try:
            _translate(case, source, way, folder / way)
            states[way] = build(case, folder / way, arch)
        except NotBuilt as why:
            states[way] = f"FAILED: {why}" if why.failed else str(why)
        except Exception as error:  # of whichever compiler: the other ways go on
            states[way] = f"FAILED: {type(error).__name__}: {error}"
    return states


def build_options(case: Case) -> list[str]:
    from tools.corpus.build import folder

    return [*case.options, "-I", str(folder("pyopencl"))]


def _translate(case: Case, source: Path, way: str, folder: Path) -> None:
    status = command_line(["translate", "--launchers", way, *build_options(case), str(source), "-o", str(folder)])
    written = folder / {"cuda": f"{case.name}.cuh", "cupy": f"{case.name}.py", "numba": f"{case.name}_numba.py"}[way]
    if status or not written.exists():
        raise NotBuilt("cl2cuda translate writes no launchers", failed=True)
    left_out = re.search(rf"(?:not |no function for ){case.kernel}: (.*)", written.read_text())
    if left_out:
        raise NotBuilt(f"no launcher: {left_out[1]}", failed=True)


def _cuda(case: Case, folder: Path, arch: str) -> str:
    """By nvcc into a library that ctypes loads; without nvcc by NVRTC, which knows no header of the host."""
    kernels = (folder / f"{case.name}.cu").read_text()
    compiler = nvcc()
    if compiler is None:
        for general in (False, True):
            nvrtc.compile("#define OCL_GENERAL_LAUNCH\n" * general + kernels, arch, ["--std=c++20"])
        return "no nvcc; the kernels compile with NVRTC"
    words = re.search(r"^// Compile with: nvcc (.*)$", (folder / f"{case.name}.cuh").read_text(), re.MULTILINE)
    assert words
    (folder / "run.cu").write_text(_run_function(case))
    command = [compiler, *words[1].split(), f"-arch={arch}", "-shared", "-Xcompiler", "-fPIC", "run.cu", "-o", f"{case.name}.so"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise NotBuilt(f"nvcc: {done.stderr.strip()[:2000]}", failed=True)
    return "compiled by nvcc"


def nvcc() -> str | None:
    """From the PATH, a toolkit, or the packages nvidia-cuda-nvcc, -crt and nvidia-nvvm."""
    installed = sorted(Path(sysconfig.get_paths()["purelib"], "nvidia").glob("cu*/bin/nvcc"))
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("nvcc") or shutil.which(f"{home}/bin/nvcc") or next((str(each) for each in installed if os.access(each, os.X_OK)), None)


def _run_function(case: Case) -> str:
    """`run` takes each argument's address: of a pointer, of a value, of the size of a `local` one."""
    passed = ", ".join(_passed(number, each) for number, each in enumerate(case.launch(False).arguments))
    return f"""#include "{case.name}.cuh"

struct pointer {{
    void *address;
    template<class T> operator T *() const {{ return (T *)address; }}
}};

extern "C" int run(int dimensions, const size_t *size, const size_t *group, void *const *arguments, void *stream) {{
    cl2cuda::nd_range range = dimensions == 1 ? cl2cuda::nd_range(size[0]) : dimensions == 2 ? cl2cuda::nd_range(size[0], size[1])
                                                                          : cl2cuda::nd_range(size[0], size[1], size[2]);
    range = range.in_groups(group[0], dimensions > 1 ? group[1] : 1, dimensions > 2 ? group[2] : 1);
    return {case.name}_kernels::{case.kernel}(range, {passed}, (cudaStream_t)stream);
}}

extern "C" const char *error_name(int error) {{ return cudaGetErrorName((cudaError_t)error); }}
"""


def _passed(number: int, argument: Argument) -> str:
    if isinstance(argument, Local):
        return f"cl2cuda::local_bytes(*(const size_t *)arguments[{number}])"
    if isinstance(argument, Output) or argument.ndim:
        return f"pointer{{*(void *const *)arguments[{number}]}}"
    return f"*(const {_C_TYPES[argument.dtype.name]} *)arguments[{number}]"


def _cupy(case: Case, folder: Path, arch: str) -> str:
    """By NVRTC, as CuPy does it when a kernel is first launched."""
    kernels = (folder / f"{case.name}.cu").read_text()
    module = folder / f"{case.name}.py"
    py_compile.compile(str(module), doraise=True)
    options = re.search(r'encoding="utf-8"\), (\(.*?\)),$', module.read_text(), re.MULTILINE)
    assert options
    for general in (False, True):
        nvrtc.compile("#define OCL_GENERAL_LAUNCH\n" * general + kernels, arch, re.findall(r"'(.*?)'", options[1]))
    done = subprocess.run([sys.executable, "-c", f"import {case.name}"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1]
        if "cupy" in last and last.startswith(("ModuleNotFoundError", "ImportError")):
            return "no cupy; the kernels compile with NVRTC"
        raise NotBuilt(f"importing {module.name}: {last}", failed=True)
    return "compiled by NVRTC"


def _numba(case: Case, folder: Path, arch: str) -> str:
    """To machine code by Numba's own compiler and linker; without them the C++ by NVRTC."""
    nvrtc.build((folder / f"{case.name}_numba.cu").read_text(), arch, _RELOCATABLE, ())
    module = folder / f"{case.name}_numba.py"
    py_compile.compile(str(module), doraise=True)
    why = numbas_linker.missing()
    if why:
        return f"no numba.cuda ({why}); the functions compile with NVRTC"
    size = numbas_linker.machine_code(module, case.kernel, arch)
    return f"compiled and linked by Numba, {size} bytes"


WAYS: dict[str, Callable[[Case, Path, str], str]] = {"cuda": _cuda, "cupy": _cupy, "numba": _numba}
