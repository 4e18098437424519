"""The entry points of the OpenCL API (3.0, chapters 4 and 5) that the runtime serves, one row each: the one list to test against.

    name | section | target | errors

target      what serves it: `module:function` or `module:Class.method` in cl2cuda.runtime; empty while nothing does
errors      the codes that the text lists for it and that a caller with valid handles can provoke, without CL_

Three kinds of codes are not in the rows, since they say nothing of one entry point. A handle that is none (CL_INVALID_CONTEXT
and friends for a wild pointer) is for an interface that takes pointers to refuse: the runtime takes objects. CL_OUT_OF_RESOURCES
and CL_OUT_OF_HOST_MEMORY may come from all of them: test_lost_device.py and test_out_of_memory.py provoke them. Retaining and releasing
handles is counting, which belongs to that interface too; what happens at the last release is the `release` of each object.
"""

from __future__ import annotations

from typing import NamedTuple


class EntryPoint(NamedTuple):
    name: str
    section: str
    target: str
    errors: tuple[str, ...]


_WAITS = "INVALID_CONTEXT INVALID_EVENT_WAIT_LIST"
_BUFFER = f"INVALID_VALUE {_WAITS} MISALIGNED_SUB_BUFFER_OFFSET MEM_OBJECT_ALLOCATION_FAILURE"
_BLOCKING = "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST INVALID_OPERATION"
# Every device takes every format that is offered, so no command meets CL_IMAGE_FORMAT_NOT_SUPPORTED: making such an image does.
# Every device has pipes: making one does not meet CL_INVALID_OPERATION.
_IMAGE = f"INVALID_VALUE {_WAITS} INVALID_IMAGE_SIZE INVALID_MIP_LEVEL MEM_OBJECT_ALLOCATION_FAILURE INVALID_OPERATION"
_LAUNCH = f"""INVALID_PROGRAM_EXECUTABLE INVALID_KERNEL_ARGS INVALID_WORK_DIMENSION INVALID_GLOBAL_WORK_SIZE INVALID_GLOBAL_OFFSET
    INVALID_WORK_GROUP_SIZE INVALID_WORK_ITEM_SIZE MISALIGNED_SUB_BUFFER_OFFSET INVALID_IMAGE_SIZE
    {_WAITS} INVALID_OPERATION MEM_OBJECT_ALLOCATION_FAILURE"""
_RECORDED = "INVALID_OPERATION INVALID_SYNC_POINT_WAIT_LIST_KHR INVALID_COMMAND_QUEUE INVALID_VALUE"

_ROWS = f"""
clGetPlatformIDs | 4.1 | devices.platform:platforms |
clGetPlatformInfo | 4.1 | devices.platform:Platform.get_info | INVALID_VALUE
clGetDeviceIDs | 4.2 | devices.platform:Platform.devices | INVALID_DEVICE_TYPE
clGetDeviceInfo | 4.2 | devices.device:Device.get_info | INVALID_VALUE
clGetDeviceAndHostTimer | 4.2 | devices.device:Device.timers |
clGetHostTimer | 4.2 | devices.device:Device.host_timer |
clCreateSubDevices | 4.3 | devices.partition:create_sub_devices | INVALID_VALUE DEVICE_PARTITION_FAILED INVALID_DEVICE_PARTITION_COUNT
clCreateContext | 4.4 | context.context:Context.__init__ | INVALID_PROPERTY INVALID_VALUE INVALID_DEVICE INVALID_PLATFORM
clGetContextInfo | 4.4 | context.context:Context.get_info | INVALID_VALUE
clSetContextDestructorCallback | 4.4 | context.context:Context.set_destructor_callback | INVALID_VALUE
clTerminateContextKHR | 4.4 | context.context:Context.terminate | INVALID_OPERATION
clCreateCommandQueueWithProperties | 5.1 | queue.queue:CommandQueue.__init__ | INVALID_DEVICE INVALID_VALUE INVALID_QUEUE_PROPERTIES
clGetCommandQueueInfo | 5.1 | queue.queue:CommandQueue.get_info | INVALID_VALUE
clCreateBuffer | 5.2.1 | memory.buffer:Buffer.__init__ | INVALID_VALUE INVALID_BUFFER_SIZE INVALID_HOST_PTR MEM_OBJECT_ALLOCATION_FAILURE
clCreateBufferWithProperties | 5.2.1 | commands.external:imported_buffer | INVALID_PROPERTY INVALID_DEVICE INVALID_VALUE INVALID_BUFFER_SIZE
clCreateSubBuffer | 5.2.1 | memory.buffer:Buffer.sub_buffer | INVALID_MEM_OBJECT INVALID_VALUE INVALID_BUFFER_SIZE
    MISALIGNED_SUB_BUFFER_OFFSET
clEnqueueReadBuffer | 5.2.2 | commands.buffer:enqueue_read_buffer | {_BUFFER} {_BLOCKING}
clEnqueueWriteBuffer | 5.2.2 | commands.buffer:enqueue_write_buffer | {_BUFFER} {_BLOCKING}
clEnqueueReadBufferRect | 5.2.2 | commands.buffer_rect:enqueue_read_buffer_rect | {_BUFFER} {_BLOCKING}
clEnqueueWriteBufferRect | 5.2.2 | commands.buffer_rect:enqueue_write_buffer_rect | {_BUFFER} {_BLOCKING}
clEnqueueCopyBuffer | 5.2.2 | commands.buffer:enqueue_copy_buffer | {_BUFFER} MEM_COPY_OVERLAP
clEnqueueCopyBufferRect | 5.2.2 | commands.buffer_rect:enqueue_copy_buffer_rect | {_BUFFER} MEM_COPY_OVERLAP
clEnqueueFillBuffer | 5.2.3 | commands.buffer:enqueue_fill_buffer | {_BUFFER}
clEnqueueMapBuffer | 5.2.4 | commands.map:enqueue_map_buffer | {_BUFFER} {_BLOCKING} MAP_FAILURE
clCreateImage | 5.3.1 | image.image:Image.__init__ | INVALID_VALUE INVALID_IMAGE_FORMAT_DESCRIPTOR INVALID_IMAGE_DESCRIPTOR
    INVALID_IMAGE_SIZE INVALID_HOST_PTR IMAGE_FORMAT_NOT_SUPPORTED MEM_OBJECT_ALLOCATION_FAILURE INVALID_OPERATION
clGetSupportedImageFormats | 5.3.2 | driver.image_formats:supported_image_formats | INVALID_VALUE
clEnqueueReadImage | 5.3.4 | commands.image:enqueue_read_image | {_IMAGE} EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
clEnqueueWriteImage | 5.3.4 | commands.image:enqueue_write_image | {_IMAGE} EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
clEnqueueCopyImage | 5.3.4 | commands.image:enqueue_copy_image | {_IMAGE} IMAGE_FORMAT_MISMATCH MEM_COPY_OVERLAP
clEnqueueFillImage | 5.3.5 | commands.image:enqueue_fill_image | {_IMAGE}
clEnqueueCopyImageToBuffer | 5.3.6 | commands.image:enqueue_copy_image_to_buffer | {_IMAGE} MISALIGNED_SUB_BUFFER_OFFSET
clEnqueueCopyBufferToImage | 5.3.6 | commands.image:enqueue_copy_buffer_to_image | {_IMAGE} MISALIGNED_SUB_BUFFER_OFFSET
clEnqueueMapImage | 5.3.7 | commands.image_map:enqueue_map_image | {_IMAGE} MAP_FAILURE EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
clGetImageInfo | 5.3.9 | image.image:Image.get_image_info | INVALID_VALUE
clCreatePipe | 5.4.1 | memory.pipe:Pipe.__init__ | INVALID_VALUE INVALID_PIPE_SIZE MEM_OBJECT_ALLOCATION_FAILURE
clGetPipeInfo | 5.4.2 | memory.pipe:Pipe.get_pipe_info | INVALID_VALUE
clSetMemObjectDestructorCallback | 5.5.1 | context.destructors:Destructible.set_destructor_callback | INVALID_VALUE INVALID_MEM_OBJECT
clEnqueueAcquireExternalMemObjectsKHR | 5.5.1 | commands.external:enqueue_acquire_external_mem_objects | INVALID_VALUE
    INVALID_MEM_OBJECT EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
clEnqueueReleaseExternalMemObjectsKHR | 5.5.1 | commands.external:enqueue_release_external_mem_objects | INVALID_VALUE
    INVALID_MEM_OBJECT EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
clEnqueueUnmapMemObject | 5.5.3 | commands.map:enqueue_unmap | INVALID_VALUE {_WAITS}
clEnqueueMigrateMemObjects | 5.5.5 | commands.buffer:enqueue_migrate | INVALID_VALUE {_WAITS} MEM_OBJECT_ALLOCATION_FAILURE
clGetMemObjectInfo | 5.5.6 | memory.memory_object:MemoryObject.get_info | INVALID_VALUE
clSVMAlloc | 5.6.1 | memory.svm:svm_alloc | INVALID_VALUE INVALID_BUFFER_SIZE MEM_OBJECT_ALLOCATION_FAILURE INVALID_OPERATION
clSVMFree | 5.6.1 | memory.svm:svm_free |
clEnqueueSVMFree | 5.6.1 | commands.svm:enqueue_svm_free | INVALID_VALUE INVALID_OPERATION {_WAITS}
clEnqueueSVMMemcpy | 5.6.1 | commands.svm:enqueue_svm_memcpy | INVALID_VALUE INVALID_OPERATION MEM_COPY_OVERLAP
    EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
clEnqueueSVMMemFill | 5.6.1 | commands.svm:enqueue_svm_fill | INVALID_VALUE INVALID_OPERATION {_WAITS}
clEnqueueSVMMap | 5.6.1 | commands.svm:enqueue_svm_map | INVALID_VALUE INVALID_OPERATION
    EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
clEnqueueSVMUnmap | 5.6.1 | commands.svm:enqueue_svm_unmap | INVALID_VALUE INVALID_OPERATION {_WAITS}
clEnqueueSVMMigrateMem | 5.6.1 | commands.svm:enqueue_svm_migrate | INVALID_VALUE INVALID_OPERATION {_WAITS}
clCreateSamplerWithProperties | 5.7.1 | memory.sampler:Sampler.__init__ | INVALID_VALUE INVALID_OPERATION
clGetSamplerInfo | 5.7.2 | memory.sampler:Sampler.get_info | INVALID_VALUE
clCreateProgramWithSource | 5.8.1 | program.program:Program.__init__ | INVALID_VALUE
clCreateProgramWithIL | 5.8.1 | program.program:Program.from_il | INVALID_VALUE
clCreateProgramWithBinary | 5.8.1 | program.program:Program.from_binaries | INVALID_VALUE INVALID_DEVICE INVALID_BINARY
clCreateProgramWithBuiltInKernels | 5.8.1 | program.link:program_with_built_in_kernels | INVALID_VALUE INVALID_DEVICE
clSetProgramReleaseCallback | 5.8.2 | program.program:Program.set_release_callback | INVALID_OPERATION INVALID_VALUE
clSetProgramSpecializationConstant | 5.8.3 | program.program:Program.set_specialization_constant | INVALID_PROGRAM INVALID_SPEC_ID
    INVALID_VALUE
clBuildProgram | 5.8.4 | program.program:Program.build | INVALID_VALUE INVALID_DEVICE INVALID_BINARY INVALID_BUILD_OPTIONS
    COMPILER_NOT_AVAILABLE BUILD_PROGRAM_FAILURE INVALID_OPERATION
clCompileProgram | 5.8.5 | program.program:Program.compile | INVALID_VALUE INVALID_DEVICE INVALID_COMPILER_OPTIONS INVALID_OPERATION
    COMPILE_PROGRAM_FAILURE
clLinkProgram | 5.8.5 | program.link:link_program | INVALID_VALUE INVALID_DEVICE INVALID_LINKER_OPTIONS INVALID_OPERATION
    LINKER_NOT_AVAILABLE LINK_PROGRAM_FAILURE INVALID_PROGRAM
clUnloadPlatformCompiler | 5.8.8 | devices.platform:Platform.unload_compiler |
clGetProgramInfo | 5.8.9 | program.program:Program.get_info | INVALID_VALUE INVALID_PROGRAM_EXECUTABLE
clGetProgramBuildInfo | 5.8.9 | program.program:Program.get_build_info | INVALID_VALUE INVALID_DEVICE
clCreateKernel | 5.9.1 | kernel.kernel:Kernel.__init__ | INVALID_PROGRAM_EXECUTABLE INVALID_KERNEL_NAME INVALID_KERNEL_DEFINITION
    INVALID_VALUE
clCreateKernelsInProgram | 5.9.1 | program.program:Program.kernels | INVALID_PROGRAM_EXECUTABLE
clSetKernelArg | 5.9.2 | kernel.kernel:Kernel.set_arg | INVALID_ARG_INDEX INVALID_ARG_VALUE INVALID_MEM_OBJECT INVALID_SAMPLER
    INVALID_ARG_SIZE
clSetKernelArgSVMPointer | 5.9.2 | kernel.kernel:Kernel.set_arg_svm_pointer | INVALID_OPERATION INVALID_ARG_INDEX INVALID_ARG_VALUE
clSetKernelExecInfo | 5.9.2 | kernel.kernel:Kernel.set_exec_info | INVALID_VALUE INVALID_OPERATION
clCloneKernel | 5.9.3 | kernel.kernel:Kernel.clone |
clGetKernelInfo | 5.9.4 | kernel.kernel:Kernel.get_info | INVALID_VALUE
clGetKernelWorkGroupInfo | 5.9.4 | kernel.kernel:Kernel.work_group_info | INVALID_DEVICE INVALID_VALUE
clGetKernelSubGroupInfo | 5.9.4 | kernel.sub_groups:sub_group_info | INVALID_DEVICE INVALID_VALUE
clGetKernelArgInfo | 5.9.4 | kernel.kernel:Kernel.get_arg_info | INVALID_ARG_INDEX INVALID_VALUE
clGetKernelSuggestedLocalWorkSizeKHR | 5.9.4 | commands.nd_range:suggested_local_work_size | INVALID_PROGRAM_EXECUTABLE INVALID_KERNEL_ARGS
    INVALID_WORK_DIMENSION INVALID_GLOBAL_WORK_SIZE INVALID_GLOBAL_OFFSET INVALID_CONTEXT
clEnqueueNDRangeKernel | 5.10 | commands.nd_range:enqueue_nd_range_kernel | {_LAUNCH}
clEnqueueTask | 5.10 | commands.nd_range:enqueue_task | INVALID_KERNEL_ARGS INVALID_WORK_GROUP_SIZE
clEnqueueNativeKernel | 5.10 | commands.native_kernel:enqueue_native_kernel | INVALID_VALUE {_WAITS}
clCreateUserEvent | 5.11 | queue.event:UserEvent.__init__ |
clSetUserEventStatus | 5.11 | queue.event:UserEvent.set_status | INVALID_VALUE INVALID_OPERATION
clWaitForEvents | 5.11 | queue.event:wait_for_events | INVALID_VALUE INVALID_CONTEXT EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
clGetEventInfo | 5.11 | queue.event:Event.get_info | INVALID_VALUE
clSetEventCallback | 5.11 | queue.event:Event.set_callback | INVALID_VALUE
clEnqueueMarkerWithWaitList | 5.12 | commands.buffer:enqueue_marker | {_WAITS}
clEnqueueBarrierWithWaitList | 5.12 | commands.buffer:enqueue_barrier | {_WAITS}
clCreateSemaphoreWithPropertiesKHR | 5.13 | commands.semaphore:Semaphore.__init__ | INVALID_PROPERTY INVALID_VALUE INVALID_DEVICE
clEnqueueWaitSemaphoresKHR | 5.13 | commands.semaphore:enqueue_wait_semaphores | INVALID_VALUE INVALID_COMMAND_QUEUE INVALID_SEMAPHORE_KHR
    EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
clEnqueueSignalSemaphoresKHR | 5.13 | commands.semaphore:enqueue_signal_semaphores | INVALID_VALUE INVALID_COMMAND_QUEUE
    INVALID_SEMAPHORE_KHR EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
clGetSemaphoreInfoKHR | 5.13 | commands.semaphore:Semaphore.get_info | INVALID_VALUE
clGetSemaphoreHandleForTypeKHR | 5.13 | commands.semaphore:Semaphore.handle_for_type | INVALID_VALUE INVALID_DEVICE
clGetEventProfilingInfo | 5.15 | queue.event:Event.profile | PROFILING_INFO_NOT_AVAILABLE INVALID_VALUE
clFlush | 5.16 | queue.queue:CommandQueue.flush |
clFinish | 5.16 | queue.queue:CommandQueue.finish |
clCreateCommandBufferKHR | 5.17 | command_buffer.command_buffer:CommandBuffer.__init__ | INVALID_VALUE INVALID_PROPERTY
clFinalizeCommandBufferKHR | 5.17 | command_buffer.command_buffer:CommandBuffer.finalize | INVALID_OPERATION
clEnqueueCommandBufferKHR | 5.17 | command_buffer.command_buffer:CommandBuffer.enqueue | INVALID_OPERATION INVALID_VALUE
    INCOMPATIBLE_COMMAND_QUEUE_KHR {_WAITS}
clGetCommandBufferInfoKHR | 5.17 | command_buffer.command_buffer:CommandBuffer.get_info | INVALID_VALUE
clCommandBarrierWithWaitListKHR | 5.17.5 | command_buffer.recording:barrier | {_RECORDED}
clCommandCopyBufferKHR | 5.17.5 | command_buffer.recording:copy_buffer | {_RECORDED} INVALID_CONTEXT MEM_COPY_OVERLAP
clCommandCopyBufferRectKHR | 5.17.5 | command_buffer.recording:copy_buffer_rect | {_RECORDED} INVALID_CONTEXT MEM_COPY_OVERLAP
clCommandFillBufferKHR | 5.17.5 | command_buffer.recording:fill_buffer | {_RECORDED} INVALID_CONTEXT
clCommandCopyImageKHR | 5.17.5 | command_buffer.recording:copy_image | {_RECORDED} INVALID_CONTEXT IMAGE_FORMAT_MISMATCH MEM_COPY_OVERLAP
clCommandCopyImageToBufferKHR | 5.17.5 | command_buffer.recording:copy_image_to_buffer | {_RECORDED} INVALID_CONTEXT
clCommandCopyBufferToImageKHR | 5.17.5 | command_buffer.recording:copy_buffer_to_image | {_RECORDED} INVALID_CONTEXT
clCommandFillImageKHR | 5.17.5 | command_buffer.recording:fill_image | {_RECORDED} INVALID_CONTEXT
clCommandNDRangeKernelKHR | 5.17.5 | command_buffer.recording:nd_range_kernel | {_RECORDED} INVALID_CONTEXT INVALID_KERNEL
    INVALID_KERNEL_ARGS INVALID_WORK_DIMENSION INVALID_GLOBAL_WORK_SIZE INVALID_WORK_GROUP_SIZE
clCommandSVMMemcpyKHR | 5.17.5 | command_buffer.recording:svm_memcpy | {_RECORDED} MEM_COPY_OVERLAP
clCommandSVMMemFillKHR | 5.17.5 | command_buffer.recording:svm_fill | {_RECORDED}
clUpdateMutableCommandsKHR | 5.17.7 | command_buffer.mutable_dispatch:update_mutable_commands | INVALID_OPERATION INVALID_VALUE
    INVALID_MUTABLE_COMMAND_KHR INVALID_ARG_INDEX INVALID_ARG_SIZE INVALID_WORK_GROUP_SIZE
clGetMutableCommandInfoKHR | 5.17.8 | command_buffer.recording:Command.get_info | INVALID_VALUE
"""


def _parse(text: str) -> dict[str, EntryPoint]:
    rows = {}
    for line in text.strip().replace("\n    ", " ").splitlines():
        name, section, target, errors = (part.strip() for part in line.split("|"))
        rows[name] = EntryPoint(name, section, target, tuple(dict.fromkeys(errors.split())))
    return rows


ENTRY_POINTS = _parse(_ROWS)
