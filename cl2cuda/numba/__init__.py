"""Numba's kernels in OpenCL, and OpenCL's functions in Numba's kernels. For CUDA devices; needs `numba.cuda` (numba-cuda).

    from numba import cuda
    from cl2cuda import numba as cl_numba

    @cuda.jit
    def scale(a, factor):
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= factor

    program = cl_numba.program(context, {"scale": (scale, "void(float32[::1], float32)")})
    program.scale(queue, (1024,), (256,), buffer, np.float32(2))

A kernel of Numba is a built-in kernel of OpenCL (5.8.1): a program has it without source. The other way round, `device_function` makes
a function of an OpenCL program one that Numba's kernels call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..pyopencl_cl.errors import guarded, make_error
from ..pyopencl_cl.handles import core_of
from ..pyopencl_cl.program import _Program
from ..runtime.devices import built_in_kernels
from ..runtime.devices.platform import platforms
from ..runtime.program import link
from . import functions
from .arrays import ArrayArgument, array
from .kernels import NumbaKernel

if TYPE_CHECKING:
    import pyopencl as cl
else:
    from .. import pyopencl as cl

__all__ = ["ArrayArgument", "array", "device_function", "program", "register"]


def program(context: cl.Context, kernels: Mapping[str, Any] | Iterable[Any], devices: Sequence[cl.Device] | None = None) -> cl.Program:
    """A program of Numba's kernels, ready to run: built-in kernels that no device lists.

    kernels  by the names that they get, or a sequence of kernels with names of their own. Each is what `numba.cuda.jit` made, or
             (that, its signature): a text such as "void(float32[::1], int32)", types, or Numba's signature. Without a signature the
             kernel has been compiled for one.
    devices  those of the context unless given; at least one is a CUDA device.
    Raises LogicError INVALID_VALUE where there is no CUDA device, TypeError for types that OpenCL has nothing for, and Numba's own
    errors for kernels that it cannot compile.
    """
    pairs = kernels.items() if isinstance(kernels, Mapping) else [(None, each) for each in kernels]
    made = [_kernel(name, given).built_in() for name, given in pairs]
    core = core_of(context, cl.Context, "context")
    chosen = core.devices if devices is None else [core_of(device, cl.Device, "every element of 'devices'") for device in devices]
    return cl.Program(_Program._of(guarded(link.program_of_kernels)(core, chosen, made)))


def register(kernel: Any, signature: Any = None, name: str | None = None) -> str:
    """Makes the kernel one that every CUDA device lists (CL_DEVICE_BUILT_IN_KERNELS), for
    `pyopencl.create_program_with_built_in_kernels(context, devices, [name])`; `signature` as in `program`. Returns the name.

    It is compiled when a program asks for it. A name that is registered again means the new kernel from then on.
    """
    made = NumbaKernel(name, kernel, signature).built_in()
    built_in_kernels.register(made)
    return made.name


def device_function(program: cl.Program | str, name: str, options: str | None = None, device: cl.Device | None = None) -> Any:
    """A function of an OpenCL program as one that Numba's kernels call: `norm = device_function(program, "norm")`.

    program  made from source, or the source itself
    options  of the translation; those that the program has been built with unless given
    device   of CUDA's, whose code it becomes: the program's first one, or the first of all, unless given
    The function takes and returns scalars; for a pointer to global or constant memory the kernel gives an array of the same scalars,
    or a pointer. Work-item functions tell the ids of Numba's grid.
    Raises ValueError where the program has no such function, TypeError for what Numba's kernels cannot call,
    `translator.CompileError` for an invalid program, LogicError INVALID_VALUE where there is no CUDA device.
    """
    core = None if isinstance(program, str) else core_of(program._get_prg(), _Program, "program")
    of = _cuda_device(core, None if device is None else core_of(device, cl.Device, "device"))
    if core is not None and not core.source:
        raise ValueError("the program has no source to translate a function of")
    source = program if isinstance(program, str) else core.source  # type: ignore[union-attr]
    text = core.build_options(of) if core is not None and options is None else options or ""
    driver = of.driver_device.cuda_code
    if "printf" in source:
        driver.expect_printf()  # CUDA gives room for much output only before the first kernel that prints.
    return functions.function(source, name, text, driver.capability, driver.newest_compiler)


def _cuda_device(program: Any, wanted: Any) -> Any:
    devices = program.devices if program else platforms()[0].devices()
    found = [device for device in devices if device.is_cuda and wanted in (None, device)]
    if not found:
        raise make_error("device_function", "INVALID_VALUE", f"there is no CUDA device among {wanted or list(devices)!r}")
    return found[0]


def _kernel(name: str | None, given: Any) -> NumbaKernel:
    return NumbaKernel(name, *given) if isinstance(given, tuple) else NumbaKernel(name, given)
