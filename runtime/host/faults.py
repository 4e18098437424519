"""What a work-item failed of, in words; faults.cpp catches it."""

from __future__ import annotations

import ctypes
import signal

from ..driver.interface import DriverError
from ..process import debug_mode
from . import native


class Fault(ctypes.Structure):
    """`fault` of pool.cpp."""

    _fields_ = [("signal", ctypes.c_size_t), ("address", ctypes.c_size_t), ("overrun", ctypes.c_size_t),
                ("no_address", ctypes.c_size_t), ("known", ctypes.c_size_t), ("global_ids", ctypes.c_size_t * 3)]


def last_fault(kernel: str, work_dim: int) -> DriverError:
    """The fault of the launch that has just failed on the calling thread."""
    fault = Fault()
    native.runtime().ocl_host_last_fault(ctypes.byref(fault))
    if fault.signal == 0:
        return DriverError(f"kernel '{kernel}' has waited for {native.setting('CL2CUDA_HOST_PATIENCE', native.PATIENCE)} seconds "
                           "(CL2CUDA_HOST_PATIENCE) in loops that read what others write: all its work-groups that have begun wait, or "
                           "those that others wait for are too many to run side by side")
    ids = list(fault.global_ids)[:work_dim]
    if fault.known:
        where = f"in the work-item with global id {ids[0] if work_dim == 1 else tuple(ids)}"
    else:
        where = f"in a work-item: in debug mode ({debug_mode.VARIABLE}=1) programs are built such that it is known"
    return DriverError(f"kernel '{kernel}' {_what(fault)}, {where}. Other work-items have run or not, and what they wrote is there")


def _what(fault: Fault) -> str:
    if fault.signal == signal.SIGILL:
        return "met a trap"
    if fault.overrun:
        return "overran its stack (CL2CUDA_HOST_STACK makes those of kernels with barriers larger)"
    if fault.no_address:
        return ("accessed a vector at an address that is no multiple of its alignment (vloadn and vstoren take any that its elements may "
                "have), or an address that no memory can have")
    return f"accessed memory at {fault.address:#x}, where there is none for it: an index out of range, most likely"
