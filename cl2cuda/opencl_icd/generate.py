"""The C text of the entry points: one function each, with Khronos' signature, that hands its words to `answer` (driver/calls.c); the
dispatch table; and the table of names. Made of runtime.spec.entry_points, whenever the library is built."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..runtime.spec import codes
from ..runtime.spec.entry_points import ENTRY_POINTS, EntryPoint
from .dispatch import ICD2_TAG, SLOTS, TAGGED

# The letters of driver/objects.h.
KINDS = {
    "cl_platform_id": "P", "cl_device_id": "D", "cl_context": "C", "cl_command_queue": "Q", "cl_mem": "M", "cl_program": "G",
    "cl_kernel": "K", "cl_event": "E", "cl_sampler": "S", "cl_semaphore_khr": "X", "cl_command_buffer_khr": "B",
    "cl_mutable_command_khr": "U",
}

# Types that are wider than cl_uint, as which every other scalar type is defined.
WIDE = frozenset("""
    cl_bitfield cl_ulong cl_device_type cl_command_queue_properties cl_mem_flags cl_svm_mem_flags cl_map_flags cl_mem_migration_flags
    cl_mem_device_address_ext
    """.split())
POINTERS = frozenset("cl_GLsync CLeglImageKHR CLeglDisplayKHR CLeglSyncKHR".split())

# Parameters that may be NULL where the specification says so, or leaves it to the implementation.
OPTIONAL = {
    ("clGetPlatformInfo", "platform"), ("clGetDeviceIDs", "platform"), ("clUnloadPlatformCompiler", "platform"),
    ("clGetProgramBuildInfo", "device"), ("clGetKernelWorkGroupInfo", "device"), ("clGetKernelSubGroupInfo", "device"),
    ("clGetKernelSubGroupInfoKHR", "in_device"), ("clSVMFree", "context"), ("clSetDefaultDeviceCommandQueue", "command_queue"),
    ("clSharedMemAllocINTEL", "device"),
}

# What a query asks for the number of references by, which only the library knows.
REFERENCE_COUNTS = {
    "clGetDeviceInfo": 0x1047, "clGetContextInfo": codes.CONTEXT_REFERENCE_COUNT, "clGetCommandQueueInfo": codes.QUEUE_REFERENCE_COUNT,
    "clGetMemObjectInfo": codes.MEM_REFERENCE_COUNT, "clGetSamplerInfo": codes.SAMPLER_REFERENCE_COUNT,
    "clGetProgramInfo": codes.PROGRAM_REFERENCE_COUNT, "clGetKernelInfo": codes.KERNEL_REFERENCE_COUNT,
    "clGetEventInfo": codes.EVENT_REFERENCE_COUNT, "clGetSemaphoreInfoKHR": codes.SEMAPHORE_REFERENCE_COUNT_KHR,
    "clGetCommandBufferInfoKHR": codes.COMMAND_BUFFER_REFERENCE_COUNT_KHR,
}

# Callbacks are given the application's own object: its address is passed.
WITH_ADDRESS = frozenset("""
    clSetEventCallback clSetMemObjectDestructorCallback clSetContextDestructorCallback clBuildProgram clCompileProgram
    clEnqueueSVMFree""".split())

# Queries whose answer depends on the application's memory: pointers into it, or how much there is.
WITH_OWN_ANSWER = frozenset("clGetProgramInfo clGetKernelSubGroupInfo clGetKernelSubGroupInfoKHR".split())

# Queries whose answers never change while the object lives, but for those that ask for something that does, or for an object that
# this one does not keep.
STAYING: dict[str, tuple[int, ...]] = {
    "clGetPlatformInfo": (), "clGetDeviceInfo": (), "clGetContextInfo": (), "clGetKernelInfo": (), "clGetKernelArgInfo": (),
    "clGetSamplerInfo": (),
    "clGetEventInfo": (), "clGetKernelWorkGroupInfo": (codes.KERNEL_LOCAL_MEM_SIZE,), "clGetImageInfo": (codes.IMAGE_BUFFER,),
    "clGetMemObjectInfo": (codes.MEM_MAP_COUNT, codes.MEM_ASSOCIATED_MEMOBJECT), "clGetCommandQueueInfo": (codes.QUEUE_DEVICE_DEFAULT,),
}
# The answer is devices: it stays if they are none that may be released.
OF_DEVICES = {"clGetContextInfo": codes.CONTEXT_DEVICES, "clGetCommandQueueInfo": codes.QUEUE_DEVICE}

# An event's status is what it will always be once the command has ended or failed.
SETTLING = {"clGetEventInfo": codes.EVENT_COMMAND_EXECUTION_STATUS}

# They give memory back: within another call, and where Python has ended, this is not for them to do at once (driver/calls.c). What a
# command frees or unmaps may wait for it, but not where Python has ended.
FREES = {"clMemFreeINTEL": "FREES_AT_ONCE", "clMemBlockingFreeINTEL": "FREES_AT_ONCE", "clEnqueueSVMFree": "FREES_BY_COMMAND",
         "clEnqueueUnmapMemObject": "UNMAPS"}

# Calls that leave nothing with a kernel or a program in Python but what the library knows of (driver/kernels.c).
LEAVING_NOTHING = frozenset("""
    clCreateKernel clCreateKernelsInProgram clGetProgramInfo clGetProgramBuildInfo clSetKernelArg clSetKernelArgSVMPointer
    clSetKernelArgMemPointerINTEL
    clSetKernelArgDevicePointerEXT clCloneKernel clEnqueueNDRangeKernel clEnqueueTask clGetKernelInfo clGetKernelArgInfo
    clGetKernelWorkGroupInfo""".split())
# The same with a queue (driver/spares.c).
LEAVING_NOTHING_IN_QUEUES = frozenset("clFlush clFinish clGetCommandQueueInfo".split())

# What they make begins bare like one that Python has made in the context (driver/descriptions.c).
DESCRIBED = frozenset("""
    clCreateImage clCreateImageWithProperties clCreateImage2D clCreateImage3D clCreateSampler clCreateSamplerWithProperties
    clCreateCommandQueue clCreateCommandQueueWithProperties clCreateCommandQueueWithPropertiesKHR clCreateUserEvent""".split())

# What objects tell of themselves, and where answers are looked for that are kept of them (driver/facts.h, answers.h): in the entry point's
# own code.
TOLD = {"clGetMemObjectInfo": ("fact_of_memory", "known_by"), "clGetEventInfo": ("fact_of_event", "known_by"),
        "clGetProgramBuildInfo": ("fact_of_build", "known_of_build"), "clGetKernelInfo": ("fact_of_kernel", "known_by")}

# Answered in C where nothing is left for Python to decide (driver/arguments.c, kernels.c, launches.c and others), with the parameters
# as they are.
HOT = {
    "clSetKernelArg": "set_argument", "clSetKernelArgSVMPointer": "set_shared_pointer", "clSetKernelArgMemPointerINTEL": "set_pointer",
    "clSetKernelArgDevicePointerEXT": "set_device_pointer", "clCreateKernel": "create_kernel",
    "clCreateKernelsInProgram": "create_kernels", "clCloneKernel": "clone_kernel",
    "clGetKernelWorkGroupInfo": "tell_work_group", "clSetKernelExecInfo": "set_information",
    "clCreateProgramWithSource": "create_program", "clCreateProgramWithBinary": "create_program_of_binary",
    "clBuildProgram": "build_program", "clCompileProgram": "compile_program",
    "clSetUserEventStatus": "set_user_event", "clGetProgramBuildInfo": "tell_build", "clGetProgramInfo": "tell_program",
    "clGetSupportedImageFormats": "tell_formats", "clGetDeviceIDs": "tell_devices",
    "clEnqueueNDRangeKernel": "launch_kernel", "clEnqueueTask": "launch_task", "clFlush": "flush_queue", "clFinish": "finish_queue",
    "clWaitForEvents": "wait_for_events", "clSetEventCallback": "set_event_callback",
    "clEnqueueMarkerWithWaitList": "place_marker", "clEnqueueBarrierWithWaitList": "place_barrier", "clGetEventInfo": "tell_event",
    "clEnqueueMarker": "place_old_marker", "clEnqueueBarrier": "place_old_barrier", "clEnqueueWaitForEvents": "place_after_events",
    "clEnqueueReadBuffer": "read_buffer", "clEnqueueWriteBuffer": "write_buffer", "clEnqueueCopyBuffer": "copy_buffer",
    "clEnqueueFillBuffer": "fill_buffer", "clEnqueueReadBufferRect": "read_rectangle", "clEnqueueWriteBufferRect": "write_rectangle",
    "clEnqueueCopyBufferRect": "copy_rectangle_between", "clEnqueueMigrateMemObjects": "migrate_objects",
    "clEnqueueReadImage": "read_image", "clEnqueueWriteImage": "write_image",
    "clEnqueueCopyImage": "copy_image", "clEnqueueCopyImageToBuffer": "copy_image_to_buffer",
    "clEnqueueCopyBufferToImage": "copy_buffer_to_image", "clEnqueueFillImage": "fill_image",
    "clEnqueueMapBuffer": "map_buffer", "clEnqueueMapImage": "map_image", "clEnqueueUnmapMemObject": "unmap_memory",
    "clEnqueueSVMMemcpy": "copy_shared", "clEnqueueSVMMemFill": "fill_shared", "clEnqueueSVMMap": "map_shared",
    "clEnqueueSVMUnmap": "unmap_shared", "clEnqueueSVMMigrateMem": "migrate_shared",
    "clCreateBuffer": "create_buffer", "clCreateSubBuffer": "create_part",
    "clGetMemObjectInfo": "tell_memory_object", "clSetMemObjectDestructorCallback": "set_destructor_callback",
    "clGetEventProfilingInfo": "tell_times",
}

# Answered in C alone (driver/exports.c).
BY_HAND = frozenset("""
    clGetPlatformIDs clGetExtensionFunctionAddressForPlatform clGetExtensionFunctionAddress clIcdGetPlatformIDsKHR
    clIcdGetFunctionAddressForPlatformKHR clIcdSetPlatformDispatchDataKHR clUnloadCompiler""".split())

# What every driver has under its own name, too (driver/exports.c).
EXPORTED = frozenset("""
    clGetPlatformInfo clGetExtensionFunctionAddress clIcdGetPlatformIDsKHR clIcdGetFunctionAddressForPlatformKHR
    clIcdSetPlatformDispatchDataKHR""".split())


class Parameter(NamedTuple):
    type: str
    name: str

    @property
    def c_type(self) -> str:
        """Without the headers' names, which need not be installed."""
        if "*" in self.type or self.type in POINTERS:
            return "const void *"
        if self.type in KINDS:
            return "struct object *"
        if self.type == "size_t":
            return "size_t"
        if self.type in ("cl_int", "cl_GLint"):
            return "int32_t"
        return "uint64_t" if self.type in WIDE else "uint32_t"

    @property
    def word(self) -> str:
        return f"(word)(int64_t){self.name}" if self.c_type == "int32_t" else f"(word){self.name}"


def parameters(row: EntryPoint) -> list[Parameter]:
    found = []
    for text in row.parameters:
        function = re.fullmatch(r"(.+?) ?\(\*(\w+)\)\((.*)\)", text)
        array = re.fullmatch(r"(.+) (\w+)\[\]", text)
        plain = re.fullmatch(r"(.+) (\w+)", text)
        if function:
            found.append(Parameter("void*", function[2]))
        elif array:
            found.append(Parameter(f"{array[1]}*", array[2]))
        else:
            assert plain is not None, text
            found.append(Parameter(plain[1], plain[2]))
    return found


def code_of(row: EntryPoint) -> str:
    """The codes of driver/calls.h."""
    given, code, place = parameters(row), "", 0
    while place < len(given):
        names = [each.name for each in given[place : place + 3]]
        step, letter = _group(row, given, place, names) or (1, _letter(row, given[place]))
        code, place = code + letter, place + step
    return code


def _group(row: EntryPoint, given: list[Parameter], place: int, names: list[str]) -> tuple[int, str] | None:
    """Parameters that belong together: how many, and their code."""
    one = given[place]
    if one.name == "num_events_in_wait_list":
        return 2, "w"
    if (one.type == "cl_event*" and place == len(given) - 1) or names == ["event", "errcode_ret"]:
        return 1, "e"
    if one.name == "errcode_ret":
        return 1, "r"
    if names[:1] + names[2:] in (["param_value_size", "param_value_size_ret"], ["handle_size", "handle_size_ret"]):
        return None if row.name in WITH_OWN_ANSWER else (3, "I")
    if one.type == "cl_uint" and len(names) > 1:
        listed = re.fullmatch(r"(?:const )?(cl_\w+)\*", given[place + 1].type)
        is_input = given[place + 1].type.startswith("const ") or names[1] == "queues"
        if listed and listed[1] in KINDS and is_input:
            return 2, "l" + KINDS[listed[1]]
    return None


def _letter(row: EntryPoint, one: Parameter) -> str:
    if one.type in KINDS:
        recorded = row.name.startswith("clCommand") and one.name == "command_queue"
        first = row.name in WITH_ADDRESS and one == parameters(row)[0]
        leaves_nothing = row.name in (LEAVING_NOTHING_IN_QUEUES if KINDS[one.type] == "Q" else LEAVING_NOTHING) and KINDS[one.type] in "GKQ"
        return "?" * (recorded or (row.name, one.name) in OPTIONAL) + "&" * first + "=" * leaves_nothing + KINDS[one.type]
    if one.name == "work_dim":
        return "n"
    if one.name in ("global_work_offset", "global_work_size", "local_work_size"):
        return "t"
    if one.type == "const size_t*" and re.search("(origin|region)$", one.name):
        return "o"
    if one.c_type == "const void *":
        return "p"
    return "i" if one.c_type == "int32_t" else "u"


def description_of(row: EntryPoint) -> str:
    """The codes of `described` in driver/calls.h: all parameters but the context and the error's."""
    return "".join(map(_described, parameters(row)[1:-1])) if row.name in DESCRIBED else ""


def _described(one: Parameter) -> str:
    if one.name == "host_ptr":
        return "h"
    if one.type.endswith("_properties*"):
        return "q"
    if one.name in _SIZES:
        return _SIZES[one.name]
    return {"cl_device_id": "d", "const cl_image_format*": "f", "const cl_image_desc*": "m"}.get(one.type, "u")


_SIZES = {"image_width": "x", "image_height": "y", "image_depth": "z", "image_row_pitch": "r", "image_slice_pitch": "s"}


def source(with_api: bool = False) -> str:
    """The whole file; `with_api` makes every function of the API visible by its own name, as a loader's are."""
    rows = [row for row in ENTRY_POINTS.values() if row.name not in BY_HAND]
    names = [_visible(row) for row in _api() if row in rows and row.name not in EXPORTED] if with_api else []
    return "\n".join(['#include "exports.h"\n', *(_function(row) for row in rows), *_tables(rows), *names, ""])


def _api() -> list[EntryPoint]:
    """What a loader has under its own name: the API's functions, and those for OpenGL."""
    return [row for row in ENTRY_POINTS.values()
            if not row.extension or (row.extension == "cl_khr_gl_sharing" and row.name != "clGetGLContextInfoKHR")]


def _visible(row: EntryPoint) -> str:
    return f'extern __typeof({row.name}_) {row.name} __attribute__((alias("{row.name}_"), visibility("default")));'


def symbol_versions() -> str:
    """A version script with the names that loaders give: programs ask for them."""
    versions: dict[str, list[str]] = {}
    for row in _api():
        since = ("1.2" if row.name == "clCreateFromGLTexture" else "1.0") if row.extension else row.since.partition("-")[0]
        versions.setdefault(since, []).append(row.name)
    parts = []
    before = ""
    for number in sorted(versions):
        names = "".join(f" {name};" for name in versions[number])
        hidden = "" if before else " local: *;"
        parts.append(f"OPENCL_{number} {{ global:{names}{hidden} }}{before};")
        before = f" OPENCL_{number}"
    return "\n".join(parts) + "\n"


def _function(row: EntryPoint) -> str:
    given = parameters(row)
    counting = re.fullmatch(r"cl(Retain|Release)\w+", row.name)
    declared = ", ".join(f"{each.c_type}{'' if each.c_type.endswith('*') else ' '}{each.name}" for each in given) or "void"
    returns = {"cl_int": "int32_t", "void": "void"}.get(row.returns, "void *")
    if counting:
        kind = KINDS[given[0].type]
        return (f"static int32_t {row.name}_({declared})\n{{\n"
                f"    return {counting[1].lower()}_object({given[0].name}, '{kind}') ? invalid('{kind}') : SUCCESS;\n}}\n")
    letter = {"cl_int": "i", "void": "v", "void*": "p"}.get(row.returns) or KINDS[row.returns]
    changes = ", ".join(map(hex, STAYING.get(row.name, ()))) or "0"
    query = next((place for place, each in enumerate(given) if each.name == "param_name"), 0)
    words = ", ".join(each.word for each in given) or "0"
    answered = f"answer(&{row.name}_entry, words)"
    if row.name in DESCRIBED:
        answered = f"make_described(&{row.name}_entry, words)"
    if row.name in HOT:
        answered = f"{HOT[row.name]}(&{row.name}_entry, {', '.join(each.name for each in given)})"
        words = ""
    result = {"i": f"return (int32_t){answered};", "v": f"{answered};"}.get(letter, f"return (void *){answered};")
    known = row.name in STAYING or row.name in REFERENCE_COUNTS or row.name in TOLD
    return (f'static struct entry {row.name}_entry = {{ "{row.name}", "{code_of(row)}", \'{letter}\', {int(row.name in STAYING)}, {query}, '
            f"{{ {changes} }}, {SETTLING.get(row.name, 0):#x}, {OF_DEVICES.get(row.name, 0):#x}, {FREES.get(row.name, 'FREES_NOTHING')}, "
            f'"{description_of(row)}", NULL, 0 }};\n'
            f"static {'NOINLINE ' * known}{returns}{'' if returns.endswith('*') else ' '}{row.name}_{'asked' * known}({declared})\n{{\n"
            + (f"    const word words[] = {{ {words} }};\n" if words else "") + f"    {result}\n}}\n"
            + (_with_known_answers(row, given, declared) if known else ""))


def _with_known_answers(row: EntryPoint, given: list[Parameter], declared: str) -> str:
    """What is known needs neither the words nor a place on the stack for them: those are another function's."""
    names = [each.name for each in given]
    asked_of = f"(const void *){given[1].word}" if names[1] != "param_name" else f"&{row.name}_entry"
    is_one, info = f"is_object({names[0]}, '{KINDS[given[0].type]}')", ", ".join(names[-3:])
    references = REFERENCE_COUNTS.get(row.name)
    counted = (f"    if ({is_one} && param_name == {references:#x}) {{\n"
               f"        const uint32_t count = __atomic_load_n(&{names[0]}->references, __ATOMIC_RELAXED);\n"
               f"        return give_sized(&count, sizeof count, {info});\n    }}\n") if references else ""
    fact, known_by = TOLD.get(row.name, ("", "known_by"))
    told = (f"    const struct fact fact = {is_one} ? {fact}({names[0]}, param_name, {asked_of}) : NO_FACT;\n"
            f"    if (fact.size)\n        return give_fact(&fact, {info});\n") if fact else ""
    return (f"static int32_t {row.name}_({declared})\n{{\n{counted}{told}"
            f"    const struct known *known = {is_one} ? {known_by}({names[0]}, param_name, {asked_of}) : NULL;\n"
            f"    return known ? give_info(known->answer, known->size, {info}) : {row.name}_asked({', '.join(names)});\n}}\n")


def _tables(rows: list[EntryPoint]) -> Iterator[str]:
    yield "struct entry *const entries[] = {"
    for row in rows:
        if not re.match(r"cl(Retain|Release)", row.name):
            yield f"    &{row.name}_entry,"
    yield "    NULL,\n};\n\nconst void *const dispatch_table[] = {"
    for slot in SLOTS:
        if slot in TAGGED:
            yield f"    (const void *){ICD2_TAG:#x},"
        elif slot in ENTRY_POINTS:
            yield f"    (const void *){slot}_,"
        else:
            yield f"    (const void *)unsupported{'_object' * slot.startswith('clCreate')},"
    yield "};\n\n/* By name: every function, and the entry that says whether anything answers it. */\nconst struct name names[] = {"
    for row in sorted(ENTRY_POINTS.values()):
        answered = row.name not in BY_HAND and not re.match(r"cl(Retain|Release)", row.name)
        entry = f"&{row.name}_entry" if answered else "NULL"
        yield f'    {{ "{row.name}", (const void *){row.name}_, {entry}, {int(bool(row.extension))} }},'
    yield "    { NULL, NULL, NULL, 0 },\n};"
