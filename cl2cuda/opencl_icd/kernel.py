"""Kernels and their execution (5.9, 5.10)."""

from __future__ import annotations

import struct
from typing import Any

from ..runtime.commands import nd_range
from ..runtime.commands.native_kernel import enqueue_native_kernel
from ..runtime.devices.device import Device
from ..runtime.kernel import kernel as kernels
from ..runtime.kernel.exec_info import INFORMATION
from ..runtime.kernel.sub_groups import sub_group_info
from ..runtime.program.program import Program
from ..runtime.queue.event import Event
from ..runtime.queue.queue import CommandQueue
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from . import application
from .application import Sizes
from .handles import new_handle
from .packing import info
from .plain import compiled
from .program import _give

Waits = tuple[Event, ...]

POINTER = 8


def clCreateKernel(program: Program, name: int) -> kernels.Kernel:
    if not name:
        raise CLError("clCreateKernel", "INVALID_VALUE", "the kernel's name is NULL")
    return kernels.Kernel(program, application.string(name) or "")


def clCreateKernelsInProgram(program: Program, room: int, address: int, count: int) -> None:
    names = kernels.names_in_program(program)
    # "CL_INVALID_VALUE if kernels is not NULL and num_kernels is less than the number of kernels in program"
    if address and room < len(names):
        raise CLError("clCreateKernelsInProgram", "INVALID_VALUE", f"{len(names)} kernels do not fit into an array of {room}")
    if address:
        application.put_words(address, [new_handle(kernels.Kernel(program, name), program) for name in names])
    application.put_uint(count, len(names))


def clCloneKernel(kernel: kernels.Kernel) -> kernels.Kernel:
    return kernel.clone()


def clSetKernelArg(kernel: kernels.Kernel, index: int, size: int, address: int) -> None:
    if index >= kernel.num_args:
        raise CLError("clSetKernelArg", "INVALID_ARG_INDEX", f"kernel '{kernel.name}' has {kernel.num_args} arguments")
    kernel.setters[index](argument("clSetKernelArg", kernel, index, size, address))


def argument(routine: str, kernel: kernels.Kernel, index: int, size: int, address: int) -> Any:
    """The value as `Kernel.set_arg` takes it."""
    arg = kernel.info.args[index]
    if arg.kind == "local":
        # "CL_INVALID_ARG_VALUE if the argument is declared with the local qualifier and arg_value is not NULL"
        if address:
            raise CLError(routine, "INVALID_ARG_VALUE", f"argument {index} is local memory: its value must be NULL")
        return kernels.LocalMemory(size)
    if arg.kind == "value":
        _check_size(routine, index, size, arg.size)
        if not address:
            raise CLError(routine, "INVALID_ARG_VALUE", f"argument {index} takes a value, not NULL")
        return application.read(address, size)
    _check_size(routine, index, size, POINTER)
    handle = application.words(address, 1)[0] if address else 0
    if not handle and arg.kind in ("global", "constant"):
        return None
    if not address and arg.kind not in ("sampler", "queue"):
        raise CLError(routine, "INVALID_ARG_VALUE", f"argument {index} takes an object, not NULL")
    kind, status = {"sampler": ("S", "INVALID_SAMPLER"), "queue": ("Q", "INVALID_DEVICE_QUEUE")}.get(arg.kind, ("M", "INVALID_MEM_OBJECT"))
    core = application.core(handle, kind)
    if core is None:
        raise CLError(routine, status, f"argument {index} is given {handle:#x}, which is no such object")
    return core


def _check_size(routine: str, index: int, size: int, wanted: int) -> None:
    if size != wanted:
        raise CLError(routine, "INVALID_ARG_SIZE", f"argument {index} has {wanted} bytes, not {size}")


def clSetKernelArgSVMPointer(kernel: kernels.Kernel, index: int, address: int) -> None:
    kernel.set_arg_svm_pointer(index, address)


def clSetKernelArgMemPointerINTEL(kernel: kernels.Kernel, index: int, address: int) -> None:
    kernel.set_arg_mem_pointer(index, address)


def clSetKernelArgDevicePointerEXT(kernel: kernels.Kernel, index: int, address: int) -> None:
    kernel.set_arg_device_pointer(index, address)


def clSetKernelExecInfo(kernel: kernels.Kernel, param: int, size: int, address: int) -> None:
    kernel.set_exec_info(param, exec_info("clSetKernelExecInfo", param, size, address))


def exec_info(routine: str, param: int, size: int, address: int) -> Any:
    """The value as `Kernel.set_exec_info` takes it."""
    row = INFORMATION.get(param)
    if row is None:
        return None  # `set_exec_info` says so
    if row.value == "bool":
        if size != 4 or not address:
            raise CLError(routine, "INVALID_VALUE", "the value is no cl_bool")
        return bool(struct.unpack("<I", application.read(address, 4))[0])
    if size % POINTER or (not address and size):
        raise CLError(routine, "INVALID_VALUE", f"{size} bytes at {address:#x} are no array of pointers")
    return application.words(address, size // POINTER) if size else ()


def clGetKernelInfo(kernel: kernels.Kernel, param: int) -> bytes:
    return info(kernels.QUERIES, kernel, param)


def clGetKernelArgInfo(kernel: kernels.Kernel, index: int, param: int) -> bytes:
    return info(kernels.ARG_QUERIES, kernel.arg_info(index), param)


def clGetKernelWorkGroupInfo(kernel: kernels.Kernel, device: Device | None, param: int) -> bytes:
    routine = kernels.WORK_GROUP_QUERIES.routine
    chosen = _device(routine, kernel, device)
    return info(kernels.WORK_GROUP_QUERIES, (kernel, chosen, kernel.function(routine, chosen)), param)


def _device(routine: str, kernel: kernels.Kernel, device: Device | None) -> Device:
    """"CL_INVALID_DEVICE if device is not in the list of devices associated with kernel or if device is NULL but there is more than one
    device associated with kernel"."""
    devices = kernel.program.devices
    if device is None and len(devices) == 1:
        return devices[0]
    if device is None or device not in devices:
        raise CLError(routine, "INVALID_DEVICE", "the device is none of the kernel's, or it is not said which")
    return device


def clGetKernelSubGroupInfo(kernel: kernels.Kernel, device: Device | None, param: int, given_size: int, given: int, room: int,
                            address: int, size: int) -> None:
    routine = "clGetKernelSubGroupInfo"
    chosen = _device(routine, kernel, device)
    numbers = application.words(given, given_size // 8) if given else ()
    if param == codes.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        sizes = sub_group_info(kernel, chosen, param, numbers[0] if len(numbers) == 1 else None)
        if address and (room % 8 or not 1 <= room // 8 <= 3):
            raise CLError(routine, "INVALID_VALUE", f"{room} bytes are no local size of one to three dimensions")
        # As many dimensions as there is room for.
        answer = struct.pack("<3Q", *sizes)[: room if address else 24]
    else:
        answer = struct.pack("<Q", sub_group_info(kernel, chosen, param, numbers or None))
    _give(routine, answer, room, address, size)


clGetKernelSubGroupInfoKHR = clGetKernelSubGroupInfo


def clGetKernelSuggestedLocalWorkSizeKHR(queue: CommandQueue, kernel: kernels.Kernel, work_dim: int, offset: Sizes, size: Sizes,
                                         suggested: int) -> None:
    if not suggested:
        raise CLError("clGetKernelSuggestedLocalWorkSizeKHR", "INVALID_VALUE", "the place for the size is NULL")
    application.put_words(suggested, nd_range.suggested_local_work_size(queue, kernel, work_dim, offset, size))


@compiled(lambda calls, function: calls.enqueuer(function, None, codes.COMMAND_NDRANGE_KERNEL, nd_range.prepare, __name__))
def clEnqueueNDRangeKernel(queue: CommandQueue, kernel: kernels.Kernel, work_dim: int, offset: Sizes, size: Sizes, local: Sizes,
                           waits: Waits) -> Event:
    return nd_range.enqueue_nd_range_kernel(queue, kernel, work_dim, offset, size, local, waits)


def clEnqueueTask(queue: CommandQueue, kernel: kernels.Kernel, waits: Waits) -> Event:
    return nd_range.enqueue_task(queue, kernel, waits)


def clEnqueueNativeKernel(queue: CommandQueue, function: int, arguments: int, size: int, buffers: Any, places: int,
                          waits: Waits) -> Event:
    routine = "clEnqueueNativeKernel"
    # "CL_INVALID_VALUE if args is a NULL value and cb_args > 0, or if args is a NULL value and num_mem_objects > 0; if args is not NULL
    # and cb_args is 0; if num_mem_objects > 0 and mem_list or args_mem_loc are NULL, or num_mem_objects = 0 and [they] are not"
    if not function or bool(arguments) != bool(size) or bool(buffers) != bool(places) or (buffers and not arguments):
        raise CLError(routine, "INVALID_VALUE", "function, arguments and memory objects do not go together")
    offsets = [place - arguments for place in application.words(places, len(buffers))] if buffers else []
    return enqueue_native_kernel(queue, function, application.read(arguments, size) if arguments else b"", buffers or (), offsets, waits)
