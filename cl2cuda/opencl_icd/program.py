"""Programs (5.8)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from ..runtime.commands import global_variable
from ..runtime.context.context import Context
from ..runtime.devices.device import Device
from ..runtime.process import debug_mode, trace
from ..runtime.program import link
from ..runtime.program import program as programs
from ..runtime.queue.event import Event
from ..runtime.queue.queue import CommandQueue
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from ..runtime.spec.status import STATUS
from . import application
from .handles import handle_of
from .packing import info

Devices = tuple[Device, ...] | None
Waits = tuple[Event, ...]


def clCreateProgramWithSource(context: Context, count: int, strings: int, lengths: int) -> programs.Program:
    # "CL_INVALID_VALUE if count is zero or if strings or any entry in strings is NULL"
    pointers = application.words(strings, count) if strings else ()
    if not pointers or 0 in pointers:
        raise CLError("clCreateProgramWithSource", "INVALID_VALUE", "there is no source, or a part of it is NULL")
    sizes = application.words(lengths, count) if lengths else (0,) * count
    # "If an element in lengths is zero, its accompanying string is null-terminated."
    parts = [application.read(pointer, size) if size else application.text(pointer)
             for pointer, size in zip(pointers, sizes, strict=True)]
    return program_of(context, b"".join(part.rstrip(b"\0") for part in parts))


def program_of(context: Context, source: bytes) -> programs.Program:
    """The program that the library has made of its source, when it is built or asked."""
    return programs.Program(context, source.decode(errors="replace"))


def clCreateProgramWithBinary(context: Context, devices: Devices, lengths: int, binaries: int, statuses: int) -> programs.Program:
    routine = "clCreateProgramWithBinary"
    if not devices or not lengths or not binaries:
        raise CLError(routine, "INVALID_VALUE", "devices, lengths and binaries must all be given")
    sizes, pointers = application.words(lengths, len(devices)), application.words(binaries, len(devices))
    given = [application.read(pointer, size) if pointer else b"" for pointer, size in zip(pointers, sizes, strict=True)]
    found: list[int] = []
    try:
        return programs.Program.from_binaries(context, devices, given, found)
    finally:
        if statuses:
            application.write(statuses, struct.pack(f"<{len(found)}i", *found))


def program_of_binary(context: Context, device: Device, binary: bytes) -> programs.Program:
    """One of a binary that the context has had a program of for the device."""
    return programs.Program.from_binaries(context, (device,), (binary,))


def returning_for(program: programs.Program) -> int:
    """The address of the only device of a program that may become another one of the same origin when it is released, since nothing can
    tell what it was used for; 0 of others."""
    device = program.only_device_if_repeatable()
    return 0 if device is None or debug_mode.active() or trace.recorder() is not None else handle_of(device)


def clCreateProgramWithBuiltInKernels(context: Context, devices: Devices, names: int) -> programs.Program:
    if not devices or not names:
        raise CLError("clCreateProgramWithBuiltInKernels", "INVALID_VALUE", "devices and names must be given")
    return link.program_with_built_in_kernels(context, devices, application.string(names) or "")


def clCreateProgramWithIL(context: Context, address: int, length: int) -> programs.Program:
    if not address or not length:
        raise CLError("clCreateProgramWithIL", "INVALID_VALUE", "there is no intermediate language")
    return programs.Program.from_il(context, application.read(address, length))


clCreateProgramWithILKHR = clCreateProgramWithIL


def clSetProgramReleaseCallback(program: programs.Program, notify: int, user_data: int) -> None:
    if not notify:
        raise CLError("clSetProgramReleaseCallback", "INVALID_VALUE", "the callback is NULL")
    address = handle_of(program)
    program.set_release_callback(lambda _: application.call(notify, address, user_data, 0, 0))


def clSetProgramSpecializationConstant(program: programs.Program, spec_id: int, size: int, value: int) -> None:
    if not value:
        raise CLError("clSetProgramSpecializationConstant", "INVALID_VALUE", "the value is NULL")
    program.set_specialization_constant(spec_id, application.read(value, size))


def _callback(routine: str, address: int, notify: int, user_data: int) -> Callable[..., None] | None:
    application.check_callback(routine, notify, user_data)
    return application.calling(notify, address, user_data) if notify else None


def clBuildProgram(address: int, devices: Devices, options: int, notify: int, user_data: int) -> None:
    callback = _callback("clBuildProgram", address, notify, user_data)
    _started(address, callback, lambda program: program.build(application.string(options), devices, callback))


def clCompileProgram(address: int, devices: Devices, options: int, headers: tuple[programs.Program, ...] | None, names: int,
                     notify: int, user_data: int) -> None:
    routine = "clCompileProgram"
    # "CL_INVALID_VALUE if num_input_headers is zero and header_include_names or input_headers are not NULL or if [it] is not zero and
    # [one of them is] NULL"
    if (not headers) != (not names):
        raise CLError(routine, "INVALID_VALUE", "headers and their names go together")
    texts = [application.string(name) or "" for name in application.words(names, len(headers))] if headers else []
    pairs = list(zip(texts, headers or (), strict=True))
    callback = _callback(routine, address, notify, user_data)
    _started(address, callback, lambda program: program.compile(application.string(options), devices, pairs, callback))


def _started(address: int, callback: Any, start: Callable[[programs.Program], None]) -> None:
    """What does not start calls nobody back."""
    try:
        start(application.core(address, "G"))
    except CLError:
        if callback is not None:
            application.drop(address)
        raise


def clLinkProgram(context: Context, devices: Devices, options: int, inputs: tuple[programs.Program, ...] | None, notify: int,
                  user_data: int) -> Any:
    """The error goes with a program that could not be linked."""
    application.check_callback("clLinkProgram", notify, user_data)

    def told(program: programs.Program) -> None:
        application.call(notify, handle_of(program), user_data, 0, 0)

    try:
        return link.link_program(context, devices, application.string(options), inputs or (), told if notify else None)
    except CLError as error:
        if error.program is None:
            raise
        return error.program, STATUS[error.status] & (2**64 - 1)




def clGetProgramInfo(program: programs.Program, param: int, room: int, address: int, size: int) -> None:
    if param == codes.PROGRAM_BINARIES:
        _give_binaries(program.binaries(), room, address, size)
        return
    answer = info(programs.QUERIES, program, param)
    _give("clGetProgramInfo", answer, room, address, size)


def _give(routine: str, answer: bytes, room: int, address: int, size: int) -> None:
    if address and room < len(answer):
        raise CLError(routine, "INVALID_VALUE", f"the answer has {len(answer)} bytes, there is room for {room}")
    if address:
        application.write(address, answer)
    application.put_words(size, (len(answer),))


def _give_binaries(binaries: list[bytes], room: int, address: int, size: int) -> None:
    """Writes to the places that the application's array tells; NULL is for those that are not wanted."""
    if address and room < 8 * len(binaries):
        raise CLError("clGetProgramInfo", "INVALID_VALUE", f"{len(binaries)} pointers do not fit into {room} bytes")
    for place, binary in zip(application.words(address, len(binaries)) if address else (), binaries, strict=False):
        if place:
            application.write(place, binary)
    application.put_words(size, (8 * len(binaries),))


def clGetProgramBuildInfo(program: programs.Program, device: Device | None, param: int) -> bytes:
    if device is None or device not in program.devices:
        raise CLError("clGetProgramBuildInfo", "INVALID_DEVICE", "the device is none of the program's")
    return info(programs.BUILD_QUERIES, (program, device), param)


# -- cl_intel_global_variable_access -----------------------------------------------------------------------------------


def clEnqueueReadGlobalVariableINTEL(queue: CommandQueue, program: programs.Program, name: int, blocking: int, size: int, offset: int,
                                     address: int, waits: Waits) -> Event:
    routine = "clEnqueueReadGlobalVariableINTEL"
    target = application.host(routine, address, size)
    return global_variable.enqueue_read_global_variable(queue, program, _name(routine, name), bool(blocking), offset, target, waits)


def clEnqueueWriteGlobalVariableINTEL(queue: CommandQueue, program: programs.Program, name: int, blocking: int, size: int, offset: int,
                                      address: int, waits: Waits) -> Event:
    routine = "clEnqueueWriteGlobalVariableINTEL"
    source = application.host(routine, address, size)
    return global_variable.enqueue_write_global_variable(queue, program, _name(routine, name), bool(blocking), offset, source, waits)


def clGetDeviceGlobalVariablePointerINTEL(device: Device, program: programs.Program, name: int, size: int, pointer: int) -> None:
    routine = "clGetDeviceGlobalVariablePointerINTEL"
    bytes_, address = global_variable.get_device_global_variable_pointer(device, program, _name(routine, name))
    if size:
        application.put_words(size, [bytes_])
    if pointer:
        application.put_words(pointer, [address])


def _name(routine: str, address: int) -> str:
    # "CL_INVALID_VALUE if name or ptr are NULL"
    if not address:
        raise CLError(routine, "INVALID_VALUE", "the variable's name is NULL")
    return application.string(address) or ""
