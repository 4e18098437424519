"""Kernel objects: a kernel of a built program, with its arguments and what is known about it."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cached_property
from typing import Any

from ...translator.ir.kernel_info import ArgInfo, KernelInfo
from ..devices.device import Device
from ..driver.device import Function
from ..memory import svm
from ..native import library as native
from ..program.program import Program
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import NotOffered, QueryTable
from . import exec_info
from .argument_values import Layout
from .arguments import ArgumentBlock, LocalMemory
from .launch import Launch, Plan

__all__ = ["Kernel", "LocalMemory"]

SIZE_MAX = 2**64 - 1
MOST_SIZES = 16  # of local memory, of which plans are kept
BETWEEN_DROPS = 1 << 16  # `Kernel.plans_number`, by this, is how often plans were dropped (driver/arguments.c)

# The plans, the checked launches, and the number of sizes of local memory that do not hold now.
PlansOfSizes = tuple[dict[tuple[object, ...], Plan], dict[tuple[object, ...], "Launch | None"], int]


@native.know_slots
class Kernel(native.Itself):
    """cl_kernel.

    setters     setters[index](value) is set_arg without the check of the index
    exec_info   what clSetKernelExecInfo was told last, by parameter
    plans       prepared launches by (queue's serial, dimensions, global size, local size, offset), and by stream, device and sizes for
                other queues: see commands/nd_range.py
    checked_launches    what was checked for them, by queue and sizes, and as above: plans for another stream or other arguments are made
                        from it
    last_launch         what code in C knows the last plan by, with the plans that it has made itself
    last_planned        the last plan that was made, behind the queue's serial and timeline, which is None where it is out of order and the
                        plan for any of its streams, global size, local size and offset
    sized_like          the last of these of another size of local memory, behind the bytes of dynamic local memory of now: where more sizes
                        have come than plans are kept of, launches in C are made like that one
    launch_limits       what code in C goes by where sizes come for the first time, once there is a plan in a context of one device
    plans_number        which plans hold, in memory that native code reads: its plans are of a number, too
    """

    # Where they are found soonest.
    __slots__ = ("__dict__", "__weakref__", "context", "last_launch", "name", "num_args", "plans", "program")

    def __init__(self, program: Program, name: str):
        if not isinstance(name, str):
            raise CLError("clCreateKernel", "INVALID_VALUE", f"{name!r} is not a kernel's name")
        found = program.definitions("clCreateKernel", name)
        if not any(found):
            known = ", ".join(sorted(program.kernel_names)) or "none"
            raise CLError("clCreateKernel", "INVALID_KERNEL_NAME", f"no kernel '{name}' in the program; it has: {known}")
        # "CL_INVALID_KERNEL_DEFINITION if the function definition [...] is not the same for all devices"
        info, *others = found
        if info is None or [other for other in others if other != info]:
            raise CLError("clCreateKernel", "INVALID_KERNEL_DEFINITION", f"kernel '{name}' differs between devices")
        self.name = name
        self.program = program
        self.context = program.context
        self.info = info
        self.num_args = len(self.info.args)
        self.plans: dict[tuple[object, ...], Plan] = {}
        self.last_launch: object = None
        self.last_planned: tuple[object, ...] | None = None
        self.sized_like: tuple[object, ...] | None = None
        self.launch_limits: bytes | None = None
        self.checked_launches: dict[tuple[object, ...], Launch | None] = {}
        self._other_plans: dict[tuple[int, ...], PlansOfSizes] = {}
        self._number = self._last_number = 0
        self._model: tuple[object, ...] | None = None  # the last that `last_planned` was
        self.plans_number = ctypes.c_uint64()
        self.arguments = ArgumentBlock(self.info, self.context, self, _layout(program, info))
        self.setters = self.arguments.new_setters()
        self.released = False
        self.exec_info: dict[int, Any] = {}
        self._functions: dict[Device, Function] = {}
        program.attach(self)
        if self.context.one_device and program.has_code:
            with suppress(CLError):  # What is wrong a launch says.
                self.function("clCreateKernel", self.context.devices[0])

    def drop_plans(self) -> None:
        self.plans.clear()
        self.last_launch = self.last_planned = self.sized_like = self._model = None
        self.checked_launches.clear()
        self._other_plans.clear()
        self._enter_number((self._number // BETWEEN_DROPS + 1) * BETWEEN_DROPS)

    def change_local_sizes(self, before: tuple[int, ...], after: tuple[int, ...]) -> None:
        """The arguments to local memory have other sizes: plans of the ones before hold again when these come back."""
        others, known = self._other_plans, self._other_plans.pop(after, None)
        if self._last_number % BETWEEN_DROPS == BETWEEN_DROPS - 1:
            self.drop_plans()
        if self.plans:
            others[before] = self.plans, self.checked_launches, self._number
        if len(others) > MOST_SIZES:
            others.pop(next(iter(others)))
        self._model = like = self.last_planned or self._model
        is_one_more = known is None and len(others) == MOST_SIZES
        self.sized_like = (self.arguments.dynamic_local, *like) if is_one_more and like is not None else None
        self.plans, self.checked_launches, number = known or ({}, {}, self._last_number + 1)
        self.last_launch = self.last_planned = None
        self._enter_number(number)

    def _enter_number(self, number: int) -> None:
        """Of the plans that hold now."""
        self._number = self.plans_number.value = number
        self._last_number = max(self._last_number, number)

    def set_arg(self, index: int, value: Any) -> None:
        """clSetKernelArg. The value: the bytes of a value argument (exactly its size), a Buffer or None for a pointer to global
        or constant memory, LocalMemory(size) for one to local memory."""
        if not 0 <= index < self.num_args:
            raise CLError("clSetKernelArg", "INVALID_ARG_INDEX",
                          f"kernel '{self.name}' has {self.num_args} arguments, counted from 0: there is no argument {index}")
        self.setters[index](value)

    def clone(self) -> Kernel:
        """clCloneKernel: "the latest call to clSetKernelArg or clSetKernelArgSVMPointer for each argument index applied to kernel
        and the last call to clSetKernelExecInfo for each value of the param name parameter are applied to the new kernel"."""
        if self.released:
            raise CLError("clCloneKernel", "INVALID_KERNEL", "the kernel has been released")
        copy = type(self)(self.program, self.name)
        copy.arguments.take_from(self.arguments)
        copy.exec_info.update(self.exec_info)
        copy._functions.update(self._functions)
        return copy

    def set_arg_svm_pointer(self, index: int, address: int) -> None:
        """clSetKernelArgSVMPointer: the address of shared virtual memory, or of any host memory where devices reach it."""
        self._check_svm("clSetKernelArgSVMPointer")
        if not 0 <= index < self.num_args:
            raise CLError("clSetKernelArgSVMPointer", "INVALID_ARG_INDEX", f"kernel '{self.name}' has no argument {index}")
        self.arguments.set_svm_pointer(index, address)

    def set_arg_mem_pointer(self, index: int, address: int) -> None:
        """clSetKernelArgMemPointerINTEL (cl_intel_unified_shared_memory): "any pointer value is valid and may be set"."""
        self._set_pointer("clSetKernelArgMemPointerINTEL", index, address, "INVALID_ARG_VALUE")

    def set_arg_device_pointer(self, index: int, address: int) -> None:
        """clSetKernelArgDevicePointerEXT (cl_ext_buffer_device_address): an address inside a buffer that has one."""
        # "CL_INVALID_ARG_INDEX if [...] the expected kernel argument is not a pointer to global memory"
        self._set_pointer("clSetKernelArgDevicePointerEXT", index, address, "INVALID_ARG_INDEX")

    def _set_pointer(self, routine: str, index: int, address: int, status: str) -> None:
        if self.released:
            raise CLError(routine, "INVALID_KERNEL", "the kernel has been released")
        if not 0 <= index < self.num_args:
            raise CLError(routine, "INVALID_ARG_INDEX", f"kernel '{self.name}' has no argument {index}")
        self.arguments.set_pointer(routine, index, address, status)

    def set_exec_info(self, param: int, value: Any) -> None:
        """clSetKernelExecInfo: a sequence of addresses for *_PTRS, a truth value for the others (`exec_info`)."""
        if self.released:
            raise CLError(exec_info.ROUTINE, "INVALID_KERNEL", "the kernel has been released")
        self.exec_info[param] = exec_info.checked(self.context, param, value)

    def _check_svm(self, routine: str) -> None:
        if self.released:
            raise CLError(routine, "INVALID_KERNEL", "the kernel has been released")
        # "CL_INVALID_OPERATION if no devices in the context associated with kernel support SVM"
        if not svm.capabilities(self.context):
            raise CLError(routine, "INVALID_OPERATION", "no device of the context supports shared virtual memory")

    def function(self, routine: str, device: Device) -> Function:
        """The loaded kernel on a device."""
        function = self._functions.get(device)
        if function is None:
            function = self._functions[device] = self.program.function(routine, device, self.name)
        return function

    def local_memory(self, function: Function) -> int:
        """Bytes of local memory of a work-group, with the arguments as they are: static and dynamic."""
        return function.local_size + self.arguments.dynamic_local

    @cached_property
    def images_and_samplers(self) -> tuple[int, int, int]:
        """How many images it reads, and writes, and how many samplers it takes."""
        writes = [arg.access_qualifier in ("write_only", "read_write") for arg in self.info.args if arg.kind == "image"]
        return len(writes) - sum(writes), sum(writes), sum(arg.kind == "sampler" for arg in self.info.args)

    def arg_info(self, index: int) -> ArgInfo:
        if not 0 <= index < self.num_args:
            raise CLError("clGetKernelArgInfo", "INVALID_ARG_INDEX", f"kernel '{self.name}' has no argument {index}")
        return self.info.args[index]

    def get_arg_info(self, index: int, param: int) -> Any:
        """clGetKernelArgInfo; here the information is always there, with or without -cl-kernel-arg-info."""
        return ARG_QUERIES.get(self.arg_info(index), param)

    def work_group_info(self, param: int, device: Device | None = None) -> Any:
        """clGetKernelWorkGroupInfo; the device may be left out where the program has only one."""
        routine = WORK_GROUP_QUERIES.routine
        if device is None:
            if len(self.program.devices) > 1:
                raise CLError(routine, "INVALID_DEVICE", "the kernel has several devices: say which one")
            device = self.program.devices[0]
        return WORK_GROUP_QUERIES.get((self, device, self.function(routine, device)), param)

    def get_info(self, param: int) -> Any:
        """clGetKernelInfo (5.9.4)."""
        return QUERIES.get(self, param)

    def release(self) -> None:
        """clReleaseKernel: the program can be built again."""
        self.released = True
        self.drop_plans()
        self.program.detach(self)


def _layout(program: Program, info: KernelInfo) -> Layout:
    """The same for all kernel objects of one build."""
    known = program.layouts.get(info.name)
    if known is None or known[0] is not info:
        program.layouts[info.name] = known = info, Layout.of(info)
    layout: Layout = known[1]
    return layout


def create_kernels_in_program(program: Program) -> list[Kernel]:
    """clCreateKernelsInProgram: "Kernel objects are not created for any __kernel functions in program that do not have the same
    function definition across all devices for which a program executable has been successfully built."."""
    return [Kernel(program, name) for name in names_in_program(program)]


def names_in_program(program: Program) -> list[str]:
    """Of the kernels that clCreateKernelsInProgram makes."""
    routine = "clCreateKernelsInProgram"
    program.check(routine)
    program.built(routine)
    found = {name: program.definitions(routine, name) for name in program.kernel_names}
    return [name for name, (first, *others) in found.items() if first and all(other == first for other in others)]


def _local_memory(of: tuple[Kernel, Device, Function]) -> int:
    """Static and dynamic local memory together: "if the local memory size, for any pointer argument [...], is not specified,
    its size is assumed to be 0"."""
    kernel, _, function = of
    return kernel.local_memory(function)


QUERIES = QueryTable[Kernel]("clGetKernelInfo", (
    ("KERNEL_FUNCTION_NAME", "string", lambda k: k.name),
    ("KERNEL_NUM_ARGS", "uint", lambda k: k.num_args),
    ("KERNEL_REFERENCE_COUNT", "uint", lambda k: 1),
    ("KERNEL_CONTEXT", "object", lambda k: k.context),
    ("KERNEL_PROGRAM", "object", lambda k: k.program),
    # "For kernels not created from OpenCL C source and the clCreateProgramWithSource API call the string [...] will be empty."
    ("KERNEL_ATTRIBUTES", "string", lambda k: k.info.attributes if k.program.origin == "source" else ""),
))


def _global_size(of: tuple[Kernel, Device, Function]) -> tuple[int, int, int]:
    """"CL_INVALID_VALUE if [...] device is not a custom device and kernel is not a built-in kernel"."""
    if of[0].program.origin != "built-in kernels":
        raise NotOffered
    return of[2].max_global_size or (SIZE_MAX, SIZE_MAX, SIZE_MAX)


WORK_GROUP_QUERIES = QueryTable[tuple[Kernel, Device, Function]]("clGetKernelWorkGroupInfo", (
    ("KERNEL_GLOBAL_WORK_SIZE", "size_t[]", _global_size),
    ("KERNEL_WORK_GROUP_SIZE", "size_t", lambda of: of[2].max_work_group_size),
    ("KERNEL_COMPILE_WORK_GROUP_SIZE", "size_t[]",
     lambda of: of[0].info.reqd_work_group_size or (0, 0, 0)),
    ("KERNEL_LOCAL_MEM_SIZE", "ulong", _local_memory),
    ("KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", "size_t",
     lambda of: of[1].properties.sub_group_size),
    ("KERNEL_PRIVATE_MEM_SIZE", "ulong", lambda of: of[2].private_size),
    # CUDA counts together what does not fit into registers: what is spilt, and arrays.
    ("KERNEL_SPILL_MEM_SIZE_INTEL", "ulong", lambda of: of[2].private_size),
))

_ADDRESS = {
    "global": codes.KERNEL_ARG_ADDRESS_GLOBAL, "local": codes.KERNEL_ARG_ADDRESS_LOCAL,
    "constant": codes.KERNEL_ARG_ADDRESS_CONSTANT, "private": codes.KERNEL_ARG_ADDRESS_PRIVATE,
}
_ACCESS = {
    "none": codes.KERNEL_ARG_ACCESS_NONE, "read_only": codes.KERNEL_ARG_ACCESS_READ_ONLY,
    "write_only": codes.KERNEL_ARG_ACCESS_WRITE_ONLY, "read_write": codes.KERNEL_ARG_ACCESS_READ_WRITE,
}
_TYPE_QUALIFIERS = {
    "const": codes.KERNEL_ARG_TYPE_CONST, "restrict": codes.KERNEL_ARG_TYPE_RESTRICT,
    "volatile": codes.KERNEL_ARG_TYPE_VOLATILE, "pipe": codes.KERNEL_ARG_TYPE_PIPE,
}

ARG_QUERIES = QueryTable[ArgInfo]("clGetKernelArgInfo", (
    ("KERNEL_ARG_ADDRESS_QUALIFIER", "enum", lambda a: _ADDRESS[a.address_qualifier]),
    ("KERNEL_ARG_ACCESS_QUALIFIER", "enum", lambda a: _ACCESS[a.access_qualifier]),
    ("KERNEL_ARG_TYPE_NAME", "string", lambda a: a.type_name),
    ("KERNEL_ARG_TYPE_QUALIFIER", "bitfield",
     lambda a: sum(_TYPE_QUALIFIERS[q] for q in set(a.type_qualifiers) & set(_TYPE_QUALIFIERS))),
    ("KERNEL_ARG_NAME", "string", lambda a: a.name),
))
