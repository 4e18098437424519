"""Commands that read and write variables of program scope (cl_intel_global_variable_access), and their addresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..devices.device import Device
from ..driver.interface import CopyKind, Stream
from ..process import host_memory
from ..program.program import Program
from ..queue.command import ENDED, HOST_DONE, ISSUED, Outcome, Run
from ..queue.event import Event
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError


def enqueue_read_global_variable(queue: CommandTarget, program: Program, name: str, blocking: bool, offset: int, host: Any,
                                 wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueReadGlobalVariableINTEL: from byte `offset` of the variable, as many bytes as `host` has."""
    routine = "clEnqueueReadGlobalVariableINTEL"
    target, size = host_memory.extent(routine, host, writable=True)
    address = _checked(routine, queue, program, name, offset, size, "reads")

    def run(stream: Stream) -> Outcome:
        return ENDED if stream.copy("device_to_host", target, address, size) else ISSUED

    return _submit(queue, routine, codes.COMMAND_READ_GLOBAL_VARIABLE_INTEL, run, "device_to_host", target, size, blocking, host, wait_for)


def enqueue_write_global_variable(queue: CommandTarget, program: Program, name: str, blocking: bool, offset: int, host: Any,
                                  wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueWriteGlobalVariableINTEL: to byte `offset` of the variable, as many bytes as `host` has."""
    routine = "clEnqueueWriteGlobalVariableINTEL"
    source, size = host_memory.extent(routine, host)
    address = _checked(routine, queue, program, name, offset, size, "writes")

    def run(stream: Stream) -> Outcome:
        return HOST_DONE if stream.copy("host_to_device", address, source, size) else ISSUED

    return _submit(queue, routine, codes.COMMAND_WRITE_GLOBAL_VARIABLE_INTEL, run, "host_to_device", source, size, blocking, host, wait_for)


def get_device_global_variable_pointer(device: Device, program: Program, name: str) -> tuple[int, int]:
    """clGetDeviceGlobalVariablePointerINTEL: the variable's size in bytes, and its address on the device."""
    found, address = program.variable("clGetDeviceGlobalVariablePointerINTEL", device, name)
    return found.size, address


def _checked(routine: str, queue: CommandTarget, program: Program, name: str, offset: int, size: int, access: str) -> int:
    """The address of the byte at `offset`."""
    if not isinstance(queue, CommandTarget):
        raise CLError(routine, "INVALID_COMMAND_QUEUE", f"{queue!r} is not a command-queue")
    if not isinstance(program, Program):
        raise CLError(routine, "INVALID_PROGRAM", f"{program!r} is not a program")
    # "CL_INVALID_CONTEXT if the context associated with command_queue and program are not the same"
    if program.context is not queue.context:
        raise CLError(routine, "INVALID_CONTEXT", "the program and the queue belong to different contexts")
    found, address = program.variable(routine, queue.device, name)
    # "CL_INVALID_VALUE if the region being read or written specified by (offset, size) is not fully contained by the size of the
    # global variable"
    if offset < 0 or offset + size > found.size:
        raise CLError(routine, "INVALID_VALUE", f"{size} bytes from byte {offset} on go beyond '{name}', which has {found.size}")
    # "CL_INVALID_OPERATION [...] for a global variable that is not readable from the host", or not writable
    if not (found.reads if access == "reads" else found.writes):
        raise CLError(routine, "INVALID_OPERATION", f"the module does not let the host have its {access} of '{name}'")
    return address + offset


def _submit(queue: CommandTarget, routine: str, code: int, run: Run, kind: CopyKind, host_address: int, size: int, blocking: bool,
            host: Any, wait_for: Sequence[Event]) -> Event:
    offload = not blocking and queue.blocks_caller(kind, host_address, size, wait_for)
    return queue.submit(routine, code, run, wait_for, blocking=blocking, keep=None if blocking else host, offload=offload)
