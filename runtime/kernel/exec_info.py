"""clSetKernelExecInfo (5.9.2): what a kernel may access beside its arguments. Devices reach all of a context's memory at any time, so
nothing but the checks depends on it. One row an information."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from ..context.context import Context
from ..devices import usm_capabilities
from ..driver.properties import DeviceProperties
from ..memory import svm
from ..spec import codes
from ..spec.errors import CLError

ROUTINE = "clSetKernelExecInfo"


class Information(NamedTuple):
    """value: "pointers" for a sequence of addresses, "bool" for a truth value; check(context, value) raises CLError."""

    value: Literal["pointers", "bool"]
    check: Callable[[Context, Any], None]


def _check_svm(context: Context) -> None:
    # "CL_INVALID_OPERATION if no devices in the context associated with kernel support SVM"
    if not svm.capabilities(context):
        raise CLError(ROUTINE, "INVALID_OPERATION", "no device of the context supports shared virtual memory")


def _svm_pointers(context: Context, value: Any) -> None:
    _check_svm(context)
    for address in value:
        if context.svm.find(address) is None:
            raise CLError(ROUTINE, "INVALID_VALUE", f"{address:#x} is in no allocation of clSVMAlloc in this context")


def _fine_grain_system(context: Context, value: Any) -> None:
    _check_svm(context)
    # "CL_INVALID_OPERATION if param_name is CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM and param_value is CL_TRUE but no
    # devices in context associated with kernel support fine-grain system SVM allocations"
    system = codes.DEVICE_SVM_FINE_GRAIN_SYSTEM
    if value and not any(device.properties.shared_memory & system for device in context.devices):
        raise CLError(ROUTINE, "INVALID_OPERATION", "no device of the context shares all of the host's memory")


def _indirect(what: str, can: Callable[[DeviceProperties], int]) -> Callable[[Context, Any], None]:
    def check(context: Context, value: Any) -> None:
        # "CL_INVALID_OPERATION if [...] no devices in the context associated with kernel support [such] allocations"
        if not any(can(device.properties) for device in context.devices):
            raise CLError(ROUTINE, "INVALID_OPERATION", f"no device of the context supports {what} allocations")

    return check


def _any(context: Context, value: Any) -> None:
    """cl_intel_unified_shared_memory since 1.1.0: "any pointer value is valid"; device pointers likewise."""


INFORMATION = {
    codes.KERNEL_EXEC_INFO_SVM_PTRS: Information("pointers", _svm_pointers),
    codes.KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM: Information("bool", _fine_grain_system),
    codes.KERNEL_EXEC_INFO_USM_PTRS_INTEL: Information("pointers", _any),
    codes.KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL: Information("bool", _indirect("host", usm_capabilities.host)),
    codes.KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL: Information("bool", _indirect("device", usm_capabilities.device)),
    codes.KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL: Information("bool", _indirect("shared", usm_capabilities.shared)),
    codes.KERNEL_EXEC_INFO_DEVICE_PTRS_EXT: Information("pointers", _any),
}


def checked(context: Context, param: int, value: Any) -> Any:
    """The value as it is kept. Raises CLError: INVALID_VALUE, INVALID_OPERATION."""
    if param not in INFORMATION:
        raise CLError(ROUTINE, "INVALID_VALUE", f"no execution information has the code {param:#x}")
    row = INFORMATION[param]
    row.check(context, value)
    return tuple(value) if row.value == "pointers" else bool(value)
