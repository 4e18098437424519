"""clGetKernelSubGroupInfo (5.9.4): how a kernel's work-groups fall into sub-groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ...translator.ir.sub_group_sizes import SUB_GROUP_SIZES
from ..devices.device import Device
from ..spec import codes
from ..spec.errors import CLError
from .kernel import Kernel

ROUTINE = "clGetKernelSubGroupInfo"


def sub_group_info(kernel: Kernel, device: Device, param: int, given: Any = None) -> Any:
    """`given` is a local size for the *_FOR_NDRANGE queries, a number of sub-groups for LOCAL_SIZE_FOR_SUB_GROUP_COUNT, which
    answers with a local size of three dimensions (zeros where there is none)."""
    row = _ROWS.get(param)
    if row is None:
        raise CLError(ROUTINE, "INVALID_VALUE", f"no query has the code {param:#x} here")
    function = kernel.function(ROUTINE, device)
    size = kernel.info.reqd_sub_group_size or device.properties.sub_group_size
    return row(kernel, size, function.max_work_group_size, given)


def _items(given: Any) -> int:
    """The work-items of a local size."""
    sizes: Sequence[Any] = given if isinstance(given, Sequence) else (given,)
    if not 1 <= len(sizes) <= 3 or any(not isinstance(size, int) or size < 1 for size in sizes):
        raise CLError(ROUTINE, "INVALID_VALUE", f"the query needs a local size of one to three positive numbers, not {given!r}")
    return math.prod(sizes)


def _count(given: Any) -> int:
    if not isinstance(given, int) or given < 1:
        raise CLError(ROUTINE, "INVALID_VALUE", f"the query needs a positive number of sub-groups, not {given!r}")
    return given


def _max_size(size: int, items: int) -> int:
    """What get_max_sub_group_size gives: the required sizes that are smaller than a warp are what they say."""
    return size if size < max(SUB_GROUP_SIZES) else min(size, items)


def _local_size(kernel: Kernel, size: int, limit: int, given: Any) -> tuple[int, int, int]:
    items = _count(given) * size
    return (items, 1, 1) if items <= limit else (0, 0, 0)


_ROWS: dict[int, Callable[[Kernel, int, int, Any], Any]] = {
    codes.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: lambda kernel, size, limit, given: _max_size(size, _items(given)),
    codes.KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: lambda kernel, size, limit, given: -(-_items(given) // size),
    codes.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: _local_size,
    codes.KERNEL_MAX_NUM_SUB_GROUPS: lambda kernel, size, limit, given: -(-limit // size),
    # "If the number of sub-groups is not specified in the program, 0 is returned": OpenCL C has no way to say it.
    codes.KERNEL_COMPILE_NUM_SUB_GROUPS: lambda kernel, size, limit, given: 0,
    codes.KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: lambda kernel, size, limit, given: kernel.info.reqd_sub_group_size or 0,
}
