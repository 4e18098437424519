"""The environment variables that cl2cuda reads: one row each. Whoever reads one does it here; docs/environment.md is made of the rows."""

from __future__ import annotations

import os
from typing import NamedTuple


class Variable(NamedTuple):
    """value: what it takes; default: what holds where it is not set."""

    name: str
    value: str
    default: str
    meaning: str


_ROWS = (
    Variable("CL2CUDA_DEVICE", "`cuda`, `remote`, `host` or `all`",
             "the machine's GPUs and the cluster's devices; the host device where there are none", "The devices that programs see."),
    Variable("CL2CUDA_CLUSTER", "the address of a Dask scheduler, `tcp://scheduler:8786`", "no cluster",
             "Adds the devices of the cluster's workers to those that programs see."),
    Variable("CL2CUDA_CLUSTER_TIMEOUT", "seconds", "30",
             "How long the scheduler may take to answer, and a worker may say nothing until it is lost, and its commands end with "
             "CL_DEVICE_NOT_AVAILABLE."),
    Variable("CL2CUDA_CACHE_DIR", "a folder", "the user's cache folder, which `cl2cuda info` names",
             "Where built programs, and the host device's own code, are kept."),
    Variable("CL2CUDA_CACHE_SIZE", "MiB", "1024",
             "How large the cache of programs may grow. What was used longest ago goes first."),
    Variable("CL2CUDA_NO_CACHE", "`1`", "off", "Keeps nothing on disk, and reads nothing from there."),
    Variable("CL2CUDA_COMPILER_PROCESSES", "a number", "one for each core, up to 8",
             "How many compiler processes there may be for builds that overlap; 0: every build is done in the program's own process."),
    Variable("CL2CUDA_DEBUG", "`1`", "off", "The debug mode, as `cl2cuda run --debug`: launches are waited for, one that fails is named."),
    Variable("CL2CUDA_TRACE", "a file", "off",
             "The timeline, as `cl2cuda run --trace FILE`: what every queue did, for ui.perfetto.dev. `.%p` in the name is the process's "
             "number, so that several processes write several files."),
    Variable("CL2CUDA_NVTX", "`1`", "off",
             "Names commands and queues to NVIDIA's tools by NVTX ranges; needs the package `nvtx`."),
    Variable("CL2CUDA_LINE_INFO", "`1`", "off",
             "Builds every program as `-g` does: with the lines of its source, for debuggers, profilers and sanitizers."),
    Variable("CL2CUDA_INSTALL", "`1` or `0`", "set to `1` by `cl2cuda run` and `install()`",
             "A Python that starts with 1, and has cl2cuda among its installed packages, runs on it; 0 keeps the processes that a "
             "program starts on the machine's own OpenCL."),
    Variable("CL2CUDA_CXX", "a command", "`$CXX`, `g++`, `clang++`, `c++`, then the `ziglang` wheel",
             "The C++ compiler of the host device."),
    Variable("CL2CUDA_NATIVE_CALLS", "`1` or `0`", "`1` where a C compiler was at installation",
             "0: launches from Python take all their steps in Python, none in C."),
    Variable("CL2CUDA_HOST_DEVICES", "a number", "1",
             "As how many equal devices the host appears, which share its cores: for trying out programs for several devices."),
    Variable("CL2CUDA_HOST_THREADS", "a number", "every core that the process may use",
             "How many threads run a kernel on the host device."),
    Variable("CL2CUDA_HOST_STACK", "bytes", "262144",
             "The stack of each work-item on the host device, in kernels with barriers, sub-group functions, or loops that wait for "
             "others."),
    Variable("CL2CUDA_HOST_PATIENCE", "seconds", "60",
             "How long the work-groups of a launch on the host device may all do nothing but wait, in loops that read what others write, "
             "until it ends with CL_OUT_OF_RESOURCES; 0: for ever."),
    Variable("CL2CUDA_HOST_FIBERS", "`1`", "off",
             "Gives each work-item of every kernel with barriers a stack, also where loops over the work-items would do."),
)

VARIABLES = {each.name: each for each in _ROWS}


def text(name: str) -> str:
    """The variable's value, "" where it is not set. KeyError for one that has no row."""
    return os.environ.get(VARIABLES[name].name, "")


def flag(name: str) -> bool:
    """Whether it is set to anything but "" and "0"."""
    return text(name) not in ("", "0")
