"""The entry points of the OpenCL API (3.0, chapters 4 and 5), one row each: documentation, tests and the C interface derive from it.

    prototype | section | since | target | errors

prototype   Khronos' own, as the headers have it; a test compares
since       the version that it came with, or the extension; "1.0-1.1" was deprecated after 1.1
target      what serves it: `module:function` or `module:Class.method` in cl2cuda.runtime; empty where no object of the runtime does:
            reference counts, older names of newer entry points, and what no device offers
errors      the codes that the text lists for it and that a caller with valid handles can provoke, without CL_

Three kinds of codes are not in the rows, since they say nothing of one entry point. A handle that is none (CL_INVALID_CONTEXT
and friends for a wild pointer) is for an interface that takes pointers to refuse: the runtime takes objects. CL_OUT_OF_RESOURCES
and CL_OUT_OF_HOST_MEMORY may come from all of them. Retaining and releasing handles is counting, which belongs to that interface
too; what happens at the last release is the `release` of each object.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class EntryPoint(NamedTuple):
    name: str
    returns: str
    parameters: tuple[str, ...]
    section: str
    since: str
    target: str
    errors: tuple[str, ...]

    @property
    def prototype(self) -> str:
        return f"{self.returns} {self.name}({', '.join(self.parameters) or 'void'})"

    @property
    def extension(self) -> str:
        """The extension that provides it; "" for the API's own."""
        return self.since if self.since.startswith("cl_") else ""


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
cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) | 4.1 | 1.0 |
    devices.platform:platforms |
cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size, void* param_value, size_t*
    param_value_size_ret) | 4.1 | 1.0 | devices.platform:Platform.get_info | INVALID_VALUE
void* clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* func_name) | 4.1 | 1.2 |  |
void* clGetExtensionFunctionAddress(const char* func_name) | 4.1 | 1.0-1.1 |  |
cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) | 4.1 | cl_khr_icd |  |
void* clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char* func_name) | 4.1 | cl_khr_icd |  |
cl_int clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void* dispatch_data) | 4.1 | cl_khr_icd |  |
cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries, cl_device_id* devices, cl_uint*
    num_devices) | 4.2 | 1.0 | devices.platform:Platform.devices | INVALID_DEVICE_TYPE
cl_int clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size, void* param_value, size_t*
    param_value_size_ret) | 4.2 | 1.0 | devices.device:Device.get_info | INVALID_VALUE
cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong* device_timestamp, cl_ulong* host_timestamp) | 4.2 | 2.1 |
    devices.device:Device.timers |
cl_int clGetHostTimer(cl_device_id device, cl_ulong* host_timestamp) | 4.2 | 2.1 | devices.device:Device.host_timer |
cl_int clCreateSubDevices(cl_device_id in_device, const cl_device_partition_property* properties, cl_uint num_devices, cl_device_id*
    out_devices, cl_uint* num_devices_ret) | 4.3 | 1.2 | devices.partition:create_sub_devices | INVALID_VALUE
    DEVICE_PARTITION_FAILED INVALID_DEVICE_PARTITION_COUNT
cl_int clRetainDevice(cl_device_id device) | 4.3 | 1.2 |  |
cl_int clReleaseDevice(cl_device_id device) | 4.3 | 1.2 |  |
cl_int clReleaseDeviceEXT(cl_device_id device) | 4.3 | cl_ext_device_fission |  |
cl_int clRetainDeviceEXT(cl_device_id device) | 4.3 | cl_ext_device_fission |  |
cl_int clCreateSubDevicesEXT(cl_device_id in_device, const cl_device_partition_property_ext* properties, cl_uint num_entries,
    cl_device_id* out_devices, cl_uint* num_devices) | 4.3 | cl_ext_device_fission |  |
cl_context clCreateContext(const cl_context_properties* properties, cl_uint num_devices, const cl_device_id* devices, void
    (*pfn_notify)(const char* errinfo, const void* private_info, size_t cb, void* user_data), void* user_data, cl_int* errcode_ret)
    | 4.4 | 1.0 | context.context:Context.__init__ | INVALID_PROPERTY INVALID_VALUE INVALID_DEVICE INVALID_PLATFORM
cl_context clCreateContextFromType(const cl_context_properties* properties, cl_device_type device_type, void (*pfn_notify)(const
    char* errinfo, const void* private_info, size_t cb, void* user_data), void* user_data, cl_int* errcode_ret) | 4.4 | 1.0 |  |
cl_int clRetainContext(cl_context context) | 4.4 | 1.0 |  |
cl_int clReleaseContext(cl_context context) | 4.4 | 1.0 |  |
cl_int clGetContextInfo(cl_context context, cl_context_info param_name, size_t param_value_size, void* param_value, size_t*
    param_value_size_ret) | 4.4 | 1.0 | context.context:Context.get_info | INVALID_VALUE
cl_int clSetContextDestructorCallback(cl_context context, void (*pfn_notify)(cl_context context, void* user_data), void* user_data)
    | 4.4 | 3.0 | context.context:Context.set_destructor_callback | INVALID_VALUE
cl_int clTerminateContextKHR(cl_context context) | 4.4 | cl_khr_terminate_context | context.context:Context.terminate |
    INVALID_OPERATION
cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue command_queue) | 5.1 | 2.1 |
    queue.device_queue:set_default_device_command_queue | INVALID_DEVICE INVALID_COMMAND_QUEUE
cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device, const cl_queue_properties* properties,
    cl_int* errcode_ret) | 5.1 | 2.0 | queue.create:create_command_queue | INVALID_DEVICE INVALID_VALUE INVALID_QUEUE_PROPERTIES
cl_int clRetainCommandQueue(cl_command_queue command_queue) | 5.1 | 1.0 |  |
cl_int clReleaseCommandQueue(cl_command_queue command_queue) | 5.1 | 1.0 |  |
cl_int clGetCommandQueueInfo(cl_command_queue command_queue, cl_command_queue_info param_name, size_t param_value_size, void*
    param_value, size_t* param_value_size_ret) | 5.1 | 1.0 | queue.queue:CommandQueue.get_info | INVALID_VALUE
cl_int clSetCommandQueueProperty(cl_command_queue command_queue, cl_command_queue_properties properties, cl_bool enable,
    cl_command_queue_properties* old_properties) | 5.1 | 1.0-1.0 |  |
cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int*
    errcode_ret) | 5.1 | 1.0-1.2 |  |
cl_command_queue clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device, const cl_queue_properties_khr*
    properties, cl_int* errcode_ret) | 5.1 | cl_khr_create_command_queue |  |
cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host_ptr, cl_int* errcode_ret) | 5.2.1 | 1.0 |
    memory.buffer:Buffer.__init__ | INVALID_VALUE INVALID_BUFFER_SIZE INVALID_HOST_PTR MEM_OBJECT_ALLOCATION_FAILURE
cl_mem clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type buffer_create_type, const void*
    buffer_create_info, cl_int* errcode_ret) | 5.2.1 | 1.1 | memory.buffer:Buffer.sub_buffer | INVALID_MEM_OBJECT INVALID_VALUE
    INVALID_BUFFER_SIZE MISALIGNED_SUB_BUFFER_OFFSET
cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags, size_t size, void*
    host_ptr, cl_int* errcode_ret) | 5.2.1 | 3.0 | memory.device_address:create_buffer_with_properties | INVALID_PROPERTY
    INVALID_DEVICE INVALID_VALUE INVALID_BUFFER_SIZE
cl_mem clCreateBufferWithPropertiesINTEL(cl_context context, const cl_mem_properties_intel* properties, cl_mem_flags flags, size_t
    size, void* host_ptr, cl_int* errcode_ret) | 5.2.1 | cl_intel_create_buffer_with_properties |  |
cl_int clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, size_t offset, size_t size, void*
    ptr, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.2.2 | 1.0 |
    commands.buffer:enqueue_read_buffer | {_BUFFER} {_BLOCKING}
cl_int clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, const size_t* buffer_origin,
    const size_t* host_origin, const size_t* region, size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
    size_t host_slice_pitch, void* ptr, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.2.2 |
    1.1 | commands.buffer_rect:enqueue_read_buffer_rect | {_BUFFER} {_BLOCKING}
cl_int clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, size_t offset, size_t size, const
    void* ptr, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.2.2 | 1.0 |
    commands.buffer:enqueue_write_buffer | {_BUFFER} {_BLOCKING}
cl_int clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, const size_t* buffer_origin,
    const size_t* host_origin, const size_t* region, size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
    size_t host_slice_pitch, const void* ptr, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) |
    5.2.2 | 1.1 | commands.buffer_rect:enqueue_write_buffer_rect | {_BUFFER} {_BLOCKING}
cl_int clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset, size_t
    dst_offset, size_t size, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.2.2 | 1.0 |
    commands.buffer:enqueue_copy_buffer | {_BUFFER} MEM_COPY_OVERLAP
cl_int clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, const size_t* src_origin, const
    size_t* dst_origin, const size_t* region, size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch, size_t
    dst_slice_pitch, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.2.2 | 1.1 |
    commands.buffer_rect:enqueue_copy_buffer_rect | {_BUFFER} MEM_COPY_OVERLAP
cl_int clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void* pattern, size_t pattern_size, size_t offset,
    size_t size, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.2.3 | 1.2 |
    commands.buffer:enqueue_fill_buffer | {_BUFFER}
void* clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map, cl_map_flags map_flags, size_t offset,
    size_t size, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event, cl_int* errcode_ret) | 5.2.4 |
    1.0 | commands.map:enqueue_map_buffer | {_BUFFER} {_BLOCKING} MAP_FAILURE
cl_mem clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj, cl_int* errcode_ret) | 5.2.6 |
    cl_khr_gl_sharing | graphics.buffer:create_from_gl_buffer | INVALID_CONTEXT INVALID_VALUE INVALID_GL_OBJECT
cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format* image_format, const cl_image_desc* image_desc,
    void* host_ptr, cl_int* errcode_ret) | 5.3.1 | 1.2 | image.image:Image.__init__ | INVALID_VALUE INVALID_IMAGE_FORMAT_DESCRIPTOR
    INVALID_IMAGE_DESCRIPTOR INVALID_IMAGE_SIZE INVALID_HOST_PTR IMAGE_FORMAT_NOT_SUPPORTED MEM_OBJECT_ALLOCATION_FAILURE
    INVALID_OPERATION
cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags, const
    cl_image_format* image_format, const cl_image_desc* image_desc, void* host_ptr, cl_int* errcode_ret) | 5.3.1 | 3.0 |  |
cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format* image_format, size_t image_width, size_t
    image_height, size_t image_row_pitch, void* host_ptr, cl_int* errcode_ret) | 5.3.1 | 1.0-1.1 |  |
cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format* image_format, size_t image_width, size_t
    image_height, size_t image_depth, size_t image_row_pitch, size_t image_slice_pitch, void* host_ptr, cl_int* errcode_ret) | 5.3.1
    | 1.0-1.1 |  |
cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type, cl_uint num_entries,
    cl_image_format* image_formats, cl_uint* num_image_formats) | 5.3.2 | 1.0 | image.formats:supported_image_formats |
    INVALID_VALUE
cl_int clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read, const size_t* origin, const size_t*
    region, size_t row_pitch, size_t slice_pitch, void* ptr, cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
    cl_event* event) | 5.3.4 | 1.0 | commands.image:enqueue_read_image | {_IMAGE} EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
cl_int clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write, const size_t* origin, const size_t*
    region, size_t input_row_pitch, size_t input_slice_pitch, const void* ptr, cl_uint num_events_in_wait_list, const cl_event*
    event_wait_list, cl_event* event) | 5.3.4 | 1.0 | commands.image:enqueue_write_image | {_IMAGE}
    EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
cl_int clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image, const size_t* src_origin, const
    size_t* dst_origin, const size_t* region, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) |
    5.3.4 | 1.0 | commands.image:enqueue_copy_image | {_IMAGE} IMAGE_FORMAT_MISMATCH MEM_COPY_OVERLAP
cl_int clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void* fill_color, const size_t* origin, const size_t*
    region, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.3.5 | 1.2 |
    commands.image:enqueue_fill_image | {_IMAGE}
cl_int clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer, const size_t* src_origin,
    const size_t* region, size_t dst_offset, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) |
    5.3.6 | 1.0 | commands.image:enqueue_copy_image_to_buffer | {_IMAGE} MISALIGNED_SUB_BUFFER_OFFSET
cl_int clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image, size_t src_offset, const
    size_t* dst_origin, const size_t* region, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) |
    5.3.6 | 1.0 | commands.image:enqueue_copy_buffer_to_image | {_IMAGE} MISALIGNED_SUB_BUFFER_OFFSET
void* clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map, cl_map_flags map_flags, const size_t*
    origin, const size_t* region, size_t* image_row_pitch, size_t* image_slice_pitch, cl_uint num_events_in_wait_list, const
    cl_event* event_wait_list, cl_event* event, cl_int* errcode_ret) | 5.3.7 | 1.0 | commands.image_map:enqueue_map_image | {_IMAGE}
    MAP_FAILURE EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
cl_int clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size, void* param_value, size_t*
    param_value_size_ret) | 5.3.9 | 1.0 | image.image:Image.get_image_info | INVALID_VALUE
cl_mem clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR egldisplay, CLeglImageKHR eglimage, cl_mem_flags flags, const
    cl_egl_image_properties_khr* properties, cl_int* errcode_ret) | 5.3.12 | cl_khr_egl_image |
    graphics.image:create_from_egl_image | INVALID_CONTEXT INVALID_VALUE INVALID_EGL_OBJECT_KHR
cl_mem clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel, cl_GLuint texture,
    cl_int* errcode_ret) | 5.3.13 | cl_khr_gl_sharing | graphics.image:create_from_gl_texture | INVALID_CONTEXT INVALID_VALUE
    INVALID_MIP_LEVEL INVALID_GL_OBJECT INVALID_IMAGE_FORMAT_DESCRIPTOR
cl_mem clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags, cl_GLuint renderbuffer, cl_int* errcode_ret) |
    5.3.13.2 | cl_khr_gl_sharing | graphics.image:create_from_gl_renderbuffer | INVALID_CONTEXT INVALID_VALUE INVALID_GL_OBJECT
    INVALID_IMAGE_FORMAT_DESCRIPTOR
cl_int clGetImageRequirementsInfoEXT(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags, const
    cl_image_format* image_format, const cl_image_desc* image_desc, cl_image_requirements_info_ext param_name, size_t
    param_value_size, void* param_value, size_t* param_value_size_ret) | 5.3.14 | cl_ext_image_requirements_info |
    image.requirements:image_requirements | INVALID_VALUE INVALID_IMAGE_FORMAT_DESCRIPTOR INVALID_IMAGE_DESCRIPTOR
    INVALID_OPERATION
cl_mem clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size, cl_uint pipe_max_packets, const
    cl_pipe_properties* properties, cl_int* errcode_ret) | 5.4.1 | 2.0 | memory.pipe:Pipe.__init__ | INVALID_VALUE INVALID_PIPE_SIZE
    MEM_OBJECT_ALLOCATION_FAILURE
cl_int clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size, void* param_value, size_t* param_value_size_ret)
    | 5.4.2 | 2.0 | memory.pipe:Pipe.get_pipe_info | INVALID_VALUE
cl_int clRetainMemObject(cl_mem memobj) | 5.5.1 | 1.0 |  |
cl_int clReleaseMemObject(cl_mem memobj) | 5.5.1 | 1.0 |  |
cl_int clSetMemObjectDestructorCallback(cl_mem memobj, void (*pfn_notify)(cl_mem memobj, void* user_data), void* user_data) | 5.5.1
    | 1.1 | context.destructors:Destructible.set_destructor_callback | INVALID_VALUE INVALID_MEM_OBJECT
cl_int clEnqueueAcquireExternalMemObjectsKHR(cl_command_queue command_queue, cl_uint num_mem_objects, const cl_mem* mem_objects,
    cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.5.1 | cl_khr_external_memory |
    commands.external:enqueue_acquire_external_mem_objects | INVALID_VALUE INVALID_MEM_OBJECT
    EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
cl_int clEnqueueReleaseExternalMemObjectsKHR(cl_command_queue command_queue, cl_uint num_mem_objects, const cl_mem* mem_objects,
    cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.5.1 | cl_khr_external_memory |
    commands.external:enqueue_release_external_mem_objects | INVALID_VALUE INVALID_MEM_OBJECT
    EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
cl_mem clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel, cl_GLuint texture,
    cl_int* errcode_ret) | 5.5.1 | cl_khr_gl_sharing |  |
cl_mem clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel, cl_GLuint texture,
    cl_int* errcode_ret) | 5.5.1 | cl_khr_gl_sharing |  |
cl_int clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void* mapped_ptr, cl_uint num_events_in_wait_list,
    const cl_event* event_wait_list, cl_event* event) | 5.5.3 | 1.0 | commands.map:enqueue_unmap | INVALID_VALUE {_WAITS}
cl_int clEnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects, const cl_mem* mem_objects,
    cl_mem_migration_flags flags, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.5.5 | 1.2 |
    commands.buffer:enqueue_migrate | INVALID_VALUE {_WAITS} MEM_OBJECT_ALLOCATION_FAILURE
cl_int clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name, size_t param_value_size, void* param_value, size_t*
    param_value_size_ret) | 5.5.6 | 1.0 | memory.memory_object:MemoryObject.get_info | INVALID_VALUE
cl_int clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type* gl_object_type, cl_GLuint* gl_object_name) | 5.5.9 |
    cl_khr_gl_sharing | graphics.source:gl_object_info | INVALID_MEM_OBJECT INVALID_GL_OBJECT
cl_int clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name, size_t param_value_size, void* param_value, size_t*
    param_value_size_ret) | 5.5.9 | cl_khr_gl_sharing | graphics.source:gl_texture_info | INVALID_MEM_OBJECT INVALID_GL_OBJECT
    INVALID_VALUE
cl_int clEnqueueAcquireEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects, const cl_mem* mem_objects, cl_uint
    num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.5.12 | cl_khr_egl_image |
    commands.graphics:enqueue_acquire_egl_objects | INVALID_VALUE INVALID_MEM_OBJECT INVALID_EGL_OBJECT_KHR
    INVALID_COMMAND_QUEUE INVALID_EVENT_WAIT_LIST
cl_int clEnqueueReleaseEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects, const cl_mem* mem_objects, cl_uint
    num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.5.12 | cl_khr_egl_image |
    commands.graphics:enqueue_release_egl_objects | INVALID_VALUE INVALID_MEM_OBJECT INVALID_EGL_OBJECT_KHR
    INVALID_COMMAND_QUEUE INVALID_EVENT_WAIT_LIST
cl_int clEnqueueAcquireGLObjects(cl_command_queue command_queue, cl_uint num_objects, const cl_mem* mem_objects, cl_uint
    num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.5.13 | cl_khr_gl_sharing |
    commands.graphics:enqueue_acquire_gl_objects | INVALID_VALUE INVALID_MEM_OBJECT INVALID_COMMAND_QUEUE INVALID_GL_OBJECT
    {_WAITS}
cl_int clEnqueueReleaseGLObjects(cl_command_queue command_queue, cl_uint num_objects, const cl_mem* mem_objects, cl_uint
    num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.5.13 | cl_khr_gl_sharing |
    commands.graphics:enqueue_release_gl_objects | INVALID_VALUE INVALID_MEM_OBJECT INVALID_COMMAND_QUEUE INVALID_GL_OBJECT
    {_WAITS}
void* clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) | 5.6.1 | 2.0 | memory.svm:svm_alloc |
    INVALID_VALUE INVALID_BUFFER_SIZE MEM_OBJECT_ALLOCATION_FAILURE INVALID_OPERATION
void clSVMFree(cl_context context, void* svm_pointer) | 5.6.1 | 2.0 | memory.svm:svm_free |
cl_int clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers, void* svm_pointers[], void
    (*pfn_free_func)(cl_command_queue queue, cl_uint num_svm_pointers, void* svm_pointers[], void* user_data), void* user_data,
    cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.6.1 | 2.0 | commands.svm:enqueue_svm_free
    | INVALID_VALUE INVALID_OPERATION {_WAITS}
cl_int clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void* dst_ptr, const void* src_ptr, size_t size,
    cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.6.1 | 2.0 |
    commands.svm:enqueue_svm_memcpy | INVALID_VALUE INVALID_OPERATION MEM_COPY_OVERLAP EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    {_WAITS}
cl_int clEnqueueSVMMemFill(cl_command_queue command_queue, void* svm_ptr, const void* pattern, size_t pattern_size, size_t size,
    cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.6.1 | 2.0 | commands.svm:enqueue_svm_fill
    | INVALID_VALUE INVALID_OPERATION {_WAITS}
cl_int clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags, void* svm_ptr, size_t size, cl_uint
    num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.6.1 | 2.0 | commands.svm:enqueue_svm_map |
    INVALID_VALUE INVALID_OPERATION EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
cl_int clEnqueueSVMUnmap(cl_command_queue command_queue, void* svm_ptr, cl_uint num_events_in_wait_list, const cl_event*
    event_wait_list, cl_event* event) | 5.6.1 | 2.0 | commands.svm:enqueue_svm_unmap | INVALID_VALUE INVALID_OPERATION {_WAITS}
cl_int clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers, const void** svm_pointers, const size_t*
    sizes, cl_mem_migration_flags flags, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.6.1
    | 2.1 | commands.svm:enqueue_svm_migrate | INVALID_VALUE INVALID_OPERATION {_WAITS}
void* clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel* properties, size_t size, cl_uint alignment, cl_int*
    errcode_ret) | 5.6 | cl_intel_unified_shared_memory | memory.usm:host_mem_alloc | INVALID_VALUE INVALID_PROPERTY
    INVALID_BUFFER_SIZE
void* clDeviceMemAllocINTEL(cl_context context, cl_device_id device, const cl_mem_properties_intel* properties, size_t size, cl_uint
    alignment, cl_int* errcode_ret) | 5.6 | cl_intel_unified_shared_memory | memory.usm:device_mem_alloc | INVALID_DEVICE
    INVALID_VALUE INVALID_PROPERTY INVALID_BUFFER_SIZE
void* clSharedMemAllocINTEL(cl_context context, cl_device_id device, const cl_mem_properties_intel* properties, size_t size, cl_uint
    alignment, cl_int* errcode_ret) | 5.6 | cl_intel_unified_shared_memory | memory.usm:shared_mem_alloc | INVALID_DEVICE
    INVALID_OPERATION INVALID_VALUE INVALID_PROPERTY INVALID_BUFFER_SIZE
cl_int clMemFreeINTEL(cl_context context, void* ptr) | 5.6 | cl_intel_unified_shared_memory | memory.usm:mem_free | INVALID_VALUE
cl_int clMemBlockingFreeINTEL(cl_context context, void* ptr) | 5.6 | cl_intel_unified_shared_memory |
    memory.usm:mem_blocking_free | INVALID_VALUE
cl_int clGetMemAllocInfoINTEL(cl_context context, const void* ptr, cl_mem_info_intel param_name, size_t param_value_size, void*
    param_value, size_t* param_value_size_ret) | 5.6 | cl_intel_unified_shared_memory | memory.usm:get_mem_alloc_info | INVALID_VALUE
cl_int clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint arg_index, const void* arg_value) | 5.6 |
    cl_intel_unified_shared_memory | kernel.kernel:Kernel.set_arg_mem_pointer | INVALID_ARG_INDEX INVALID_ARG_VALUE
cl_int clEnqueueMemFillINTEL(cl_command_queue command_queue, void* dst_ptr, const void* pattern, size_t pattern_size, size_t size,
    cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.6 | cl_intel_unified_shared_memory |
    commands.usm:enqueue_mem_fill | INVALID_VALUE {_WAITS}
cl_int clEnqueueMemcpyINTEL(cl_command_queue command_queue, cl_bool blocking, void* dst_ptr, const void* src_ptr, size_t size, cl_uint
    num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.6 | cl_intel_unified_shared_memory |
    commands.usm:enqueue_memcpy | INVALID_VALUE MEM_COPY_OVERLAP EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
cl_int clEnqueueMigrateMemINTEL(cl_command_queue command_queue, const void* ptr, size_t size, cl_mem_migration_flags flags, cl_uint
    num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.6 | cl_intel_unified_shared_memory |
    commands.usm:enqueue_migrate_mem | INVALID_VALUE {_WAITS}
cl_int clEnqueueMemAdviseINTEL(cl_command_queue command_queue, const void* ptr, size_t size, cl_mem_advice_intel advice, cl_uint
    num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.6 | cl_intel_unified_shared_memory |
    commands.usm:enqueue_mem_advise | INVALID_VALUE {_WAITS}
cl_sampler clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties* sampler_properties, cl_int* errcode_ret) |
    5.7.1 | 2.0 | memory.sampler:Sampler.__init__ | INVALID_VALUE INVALID_OPERATION
cl_int clRetainSampler(cl_sampler sampler) | 5.7.1 | 1.0 |  |
cl_int clReleaseSampler(cl_sampler sampler) | 5.7.1 | 1.0 |  |
cl_sampler clCreateSampler(cl_context context, cl_bool normalized_coords, cl_addressing_mode addressing_mode, cl_filter_mode
    filter_mode, cl_int* errcode_ret) | 5.7.1 | 1.0-1.2 |  |
cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size, void* param_value, size_t*
    param_value_size_ret) | 5.7.2 | 1.0 | memory.sampler:Sampler.get_info | INVALID_VALUE
cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char** strings, const size_t* lengths, cl_int*
    errcode_ret) | 5.8.1 | 1.0 | program.program:Program.__init__ | INVALID_VALUE
cl_program clCreateProgramWithBinary(cl_context context, cl_uint num_devices, const cl_device_id* device_list, const size_t*
    lengths, const unsigned char** binaries, cl_int* binary_status, cl_int* errcode_ret) | 5.8.1 | 1.0 |
    program.program:Program.from_binaries | INVALID_VALUE INVALID_DEVICE INVALID_BINARY
cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices, const cl_device_id* device_list, const char*
    kernel_names, cl_int* errcode_ret) | 5.8.1 | 1.2 | program.link:program_with_built_in_kernels | INVALID_VALUE INVALID_DEVICE
cl_program clCreateProgramWithIL(cl_context context, const void* il, size_t length, cl_int* errcode_ret) | 5.8.1 | 2.1 |
    program.program:Program.from_il | INVALID_VALUE
cl_program clCreateProgramWithILKHR(cl_context context, const void* il, size_t length, cl_int* errcode_ret) | 5.8.1 |
    cl_khr_il_program | program.program:Program.from_il | INVALID_VALUE
cl_int clRetainProgram(cl_program program) | 5.8.2 | 1.0 |  |
cl_int clReleaseProgram(cl_program program) | 5.8.2 | 1.0 |  |
cl_int clSetProgramReleaseCallback(cl_program program, void (*pfn_notify)(cl_program program, void* user_data), void* user_data) |
    5.8.2 | 2.2-2.2 | program.program:Program.set_release_callback | INVALID_OPERATION INVALID_VALUE
cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size, const void* spec_value) | 5.8.3 |
    2.2 | program.program:Program.set_specialization_constant | INVALID_PROGRAM INVALID_SPEC_ID INVALID_VALUE
cl_int clEnqueueReadGlobalVariableINTEL(cl_command_queue command_queue, cl_program program, const char* name, cl_bool blocking_read,
    size_t size, size_t offset, void* ptr, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.8.1 |
    cl_intel_global_variable_access | commands.global_variable:enqueue_read_global_variable | INVALID_PROGRAM_EXECUTABLE
    INVALID_ARG_VALUE INVALID_VALUE INVALID_OPERATION EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
cl_int clEnqueueWriteGlobalVariableINTEL(cl_command_queue command_queue, cl_program program, const char* name, cl_bool
    blocking_write, size_t size, size_t offset, const void* ptr, cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
    cl_event* event) | 5.8.1 | cl_intel_global_variable_access | commands.global_variable:enqueue_write_global_variable |
    INVALID_PROGRAM_EXECUTABLE INVALID_ARG_VALUE INVALID_VALUE INVALID_OPERATION EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
cl_int clGetDeviceGlobalVariablePointerINTEL(cl_device_id device, cl_program program, const char* name, size_t* size_ret, void**
    pointer_ret) | 5.8.1 | cl_intel_global_variable_access | commands.global_variable:get_device_global_variable_pointer |
    INVALID_PROGRAM_EXECUTABLE INVALID_ARG_VALUE
cl_int clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id* device_list, const char* options, void
    (*pfn_notify)(cl_program program, void* user_data), void* user_data) | 5.8.4 | 1.0 | program.program:Program.build |
    INVALID_VALUE INVALID_DEVICE INVALID_BINARY INVALID_BUILD_OPTIONS COMPILER_NOT_AVAILABLE BUILD_PROGRAM_FAILURE INVALID_OPERATION
cl_int clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id* device_list, const char* options, cl_uint
    num_input_headers, const cl_program* input_headers, const char** header_include_names, void (*pfn_notify)(cl_program program,
    void* user_data), void* user_data) | 5.8.5 | 1.2 | program.program:Program.compile | INVALID_VALUE INVALID_DEVICE
    INVALID_COMPILER_OPTIONS INVALID_OPERATION COMPILE_PROGRAM_FAILURE
cl_program clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id* device_list, const char* options, cl_uint
    num_input_programs, const cl_program* input_programs, void (*pfn_notify)(cl_program program, void* user_data), void* user_data,
    cl_int* errcode_ret) | 5.8.5 | 1.2 | program.link:link_program | INVALID_VALUE INVALID_DEVICE INVALID_LINKER_OPTIONS
    INVALID_OPERATION LINKER_NOT_AVAILABLE LINK_PROGRAM_FAILURE INVALID_PROGRAM
cl_int clUnloadPlatformCompiler(cl_platform_id platform) | 5.8.8 | 1.2 | devices.platform:Platform.unload_compiler |
cl_int clUnloadCompiler(void) | 5.8.8 | 1.0-1.1 |  |
cl_int clGetProgramInfo(cl_program program, cl_program_info param_name, size_t param_value_size, void* param_value, size_t*
    param_value_size_ret) | 5.8.9 | 1.0 | program.program:Program.get_info | INVALID_VALUE INVALID_PROGRAM_EXECUTABLE
cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info param_name, size_t param_value_size,
    void* param_value, size_t* param_value_size_ret) | 5.8.9 | 1.0 | program.program:Program.get_build_info | INVALID_VALUE
    INVALID_DEVICE
cl_kernel clCreateKernel(cl_program program, const char* kernel_name, cl_int* errcode_ret) | 5.9.1 | 1.0 |
    kernel.kernel:Kernel.__init__ | INVALID_PROGRAM_EXECUTABLE INVALID_KERNEL_NAME INVALID_KERNEL_DEFINITION INVALID_VALUE
cl_int clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel* kernels, cl_uint* num_kernels_ret) | 5.9.1 | 1.0
    | kernel.kernel:create_kernels_in_program | INVALID_PROGRAM_EXECUTABLE
cl_int clRetainKernel(cl_kernel kernel) | 5.9.1 | 1.0 |  |
cl_int clReleaseKernel(cl_kernel kernel) | 5.9.1 | 1.0 |  |
cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void* arg_value) | 5.9.2 | 1.0 |
    kernel.kernel:Kernel.set_arg | INVALID_ARG_INDEX INVALID_ARG_VALUE INVALID_MEM_OBJECT INVALID_SAMPLER INVALID_ARG_SIZE
cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void* arg_value) | 5.9.2 | 2.0 |
    kernel.kernel:Kernel.set_arg_svm_pointer | INVALID_OPERATION INVALID_ARG_INDEX INVALID_ARG_VALUE
cl_int clSetKernelArgDevicePointerEXT(cl_kernel kernel, cl_uint arg_index, cl_mem_device_address_ext arg_value) | 5.9.2 |
    cl_ext_buffer_device_address | kernel.kernel:Kernel.set_arg_device_pointer | INVALID_ARG_INDEX
cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name, size_t param_value_size, const void* param_value) |
    5.9.2 | 2.0 | kernel.kernel:Kernel.set_exec_info | INVALID_VALUE INVALID_OPERATION
cl_kernel clCloneKernel(cl_kernel source_kernel, cl_int* errcode_ret) | 5.9.3 | 2.1 | kernel.kernel:Kernel.clone |
cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size, void* param_value, size_t*
    param_value_size_ret) | 5.9.4 | 1.0 | kernel.kernel:Kernel.get_info | INVALID_VALUE
cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_indx, cl_kernel_arg_info param_name, size_t param_value_size, void*
    param_value, size_t* param_value_size_ret) | 5.9.4 | 1.2 | kernel.kernel:Kernel.get_arg_info | INVALID_ARG_INDEX INVALID_VALUE
cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name, size_t
    param_value_size, void* param_value, size_t* param_value_size_ret) | 5.9.4 | 1.0 | kernel.kernel:Kernel.work_group_info |
    INVALID_DEVICE INVALID_VALUE
cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name, size_t input_value_size,
    const void* input_value, size_t param_value_size, void* param_value, size_t* param_value_size_ret) | 5.9.4 | 2.1 |
    kernel.sub_groups:sub_group_info | INVALID_DEVICE INVALID_VALUE
cl_int clGetKernelSubGroupInfoKHR(cl_kernel in_kernel, cl_device_id in_device, cl_kernel_sub_group_info param_name, size_t
    input_value_size, const void* input_value, size_t param_value_size, void* param_value, size_t* param_value_size_ret) | 5.9.4 |
    cl_khr_subgroups |  |
cl_int clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim, const size_t*
    global_work_offset, const size_t* global_work_size, size_t* suggested_local_work_size) | 5.9.4 |
    cl_khr_suggested_local_work_size | commands.nd_range:suggested_local_work_size | INVALID_PROGRAM_EXECUTABLE INVALID_KERNEL_ARGS
    INVALID_WORK_DIMENSION INVALID_GLOBAL_WORK_SIZE INVALID_GLOBAL_OFFSET INVALID_CONTEXT
cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim, const size_t* global_work_offset,
    const size_t* global_work_size, const size_t* local_work_size, cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
    cl_event* event) | 5.10 | 1.0 | commands.nd_range:enqueue_nd_range_kernel | {_LAUNCH}
cl_int clEnqueueNativeKernel(cl_command_queue command_queue, void (*user_func)(void*), void* args, size_t cb_args, cl_uint
    num_mem_objects, const cl_mem* mem_list, const void** args_mem_loc, cl_uint num_events_in_wait_list, const cl_event*
    event_wait_list, cl_event* event) | 5.10 | 1.0 | commands.native_kernel:enqueue_native_kernel | INVALID_VALUE {_WAITS}
cl_int clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel, cl_uint num_events_in_wait_list, const cl_event*
    event_wait_list, cl_event* event) | 5.10 | 1.0-1.2 | commands.nd_range:enqueue_task | INVALID_KERNEL_ARGS
    INVALID_WORK_GROUP_SIZE
cl_int clWaitForEvents(cl_uint num_events, const cl_event* event_list) | 5.11 | 1.0 | queue.event:wait_for_events | INVALID_VALUE
    INVALID_CONTEXT EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
cl_int clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size, void* param_value, size_t*
    param_value_size_ret) | 5.11 | 1.0 | queue.event:Event.get_info | INVALID_VALUE
cl_event clCreateUserEvent(cl_context context, cl_int* errcode_ret) | 5.11 | 1.1 | queue.event:UserEvent.__init__ |
cl_int clRetainEvent(cl_event event) | 5.11 | 1.0 |  |
cl_int clReleaseEvent(cl_event event) | 5.11 | 1.0 |  |
cl_int clSetUserEventStatus(cl_event event, cl_int execution_status) | 5.11 | 1.1 | queue.event:UserEvent.set_status | INVALID_VALUE
    INVALID_OPERATION
cl_int clSetEventCallback(cl_event event, cl_int command_exec_callback_type, void (*pfn_notify)(cl_event event, cl_int
    event_command_status, void* user_data), void* user_data) | 5.11 | 1.1 | queue.event:Event.set_callback | INVALID_VALUE
cl_event clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int* errcode_ret) | 5.11 | cl_khr_gl_event |
    graphics.sync:event_from_gl_sync | INVALID_CONTEXT INVALID_GL_OBJECT
cl_event clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display, cl_int* errcode_ret) | 5.11
    | cl_khr_egl_event | graphics.sync:event_from_egl_sync | INVALID_CONTEXT INVALID_EGL_OBJECT_KHR
cl_int clEnqueueMarkerWithWaitList(cl_command_queue command_queue, cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
    cl_event* event) | 5.12 | 1.2 | commands.buffer:enqueue_marker | {_WAITS}
cl_int clEnqueueBarrierWithWaitList(cl_command_queue command_queue, cl_uint num_events_in_wait_list, const cl_event*
    event_wait_list, cl_event* event) | 5.12 | 1.2 | commands.buffer:enqueue_barrier | {_WAITS}
cl_int clEnqueueMarker(cl_command_queue command_queue, cl_event* event) | 5.12 | 1.0-1.1 |  |
cl_int clEnqueueWaitForEvents(cl_command_queue command_queue, cl_uint num_events, const cl_event* event_list) | 5.12 | 1.0-1.1 |  |
cl_int clEnqueueBarrier(cl_command_queue command_queue) | 5.12 | 1.0-1.1 |  |
cl_int clGetSemaphoreHandleForTypeKHR(cl_semaphore_khr sema_object, cl_device_id device, cl_external_semaphore_handle_type_khr
    handle_type, size_t handle_size, void* handle_ptr, size_t* handle_size_ret) | 5.13 | cl_khr_external_semaphore |
    commands.semaphore:Semaphore.handle_for_type | INVALID_VALUE INVALID_DEVICE
cl_semaphore_khr clCreateSemaphoreWithPropertiesKHR(cl_context context, const cl_semaphore_properties_khr* sema_props, cl_int*
    errcode_ret) | 5.13 | cl_khr_semaphore | commands.semaphore:Semaphore.__init__ | INVALID_PROPERTY INVALID_VALUE INVALID_DEVICE
    INVALID_OPERATION
cl_int clEnqueueWaitSemaphoresKHR(cl_command_queue command_queue, cl_uint num_sema_objects, const cl_semaphore_khr* sema_objects,
    const cl_semaphore_payload_khr* sema_payload_list, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event*
    event) | 5.13 | cl_khr_semaphore | commands.semaphore:enqueue_wait_semaphores | INVALID_VALUE INVALID_COMMAND_QUEUE
    INVALID_SEMAPHORE_KHR EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
cl_int clEnqueueSignalSemaphoresKHR(cl_command_queue command_queue, cl_uint num_sema_objects, const cl_semaphore_khr* sema_objects,
    const cl_semaphore_payload_khr* sema_payload_list, cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event*
    event) | 5.13 | cl_khr_semaphore | commands.semaphore:enqueue_signal_semaphores | INVALID_VALUE INVALID_COMMAND_QUEUE
    INVALID_SEMAPHORE_KHR EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {_WAITS}
cl_int clGetSemaphoreInfoKHR(cl_semaphore_khr sema_object, cl_semaphore_info_khr param_name, size_t param_value_size, void*
    param_value, size_t* param_value_size_ret) | 5.13 | cl_khr_semaphore | commands.semaphore:Semaphore.get_info | INVALID_VALUE
cl_int clReleaseSemaphoreKHR(cl_semaphore_khr sema_object) | 5.13 | cl_khr_semaphore |  |
cl_int clRetainSemaphoreKHR(cl_semaphore_khr sema_object) | 5.13 | cl_khr_semaphore |  |
cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name, size_t param_value_size, void* param_value, size_t*
    param_value_size_ret) | 5.15 | 1.0 | queue.event:Event.profile | PROFILING_INFO_NOT_AVAILABLE INVALID_VALUE
cl_int clFlush(cl_command_queue command_queue) | 5.16 | 1.0 | queue.queue:CommandQueue.flush |
cl_int clFinish(cl_command_queue command_queue) | 5.16 | 1.0 | queue.queue:CommandQueue.finish |
cl_command_buffer_khr clCreateCommandBufferKHR(cl_uint num_queues, const cl_command_queue* queues, const
    cl_command_buffer_properties_khr* properties, cl_int* errcode_ret) | 5.17 | cl_khr_command_buffer |
    command_buffer.command_buffer:CommandBuffer.__init__ | INVALID_VALUE INVALID_PROPERTY
cl_int clFinalizeCommandBufferKHR(cl_command_buffer_khr command_buffer) | 5.17 | cl_khr_command_buffer |
    command_buffer.command_buffer:CommandBuffer.finalize | INVALID_OPERATION
cl_int clRetainCommandBufferKHR(cl_command_buffer_khr command_buffer) | 5.17 | cl_khr_command_buffer |  |
cl_int clReleaseCommandBufferKHR(cl_command_buffer_khr command_buffer) | 5.17 | cl_khr_command_buffer |  |
cl_int clEnqueueCommandBufferKHR(cl_uint num_queues, cl_command_queue* queues, cl_command_buffer_khr command_buffer, cl_uint
    num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) | 5.17 | cl_khr_command_buffer |
    command_buffer.command_buffer:CommandBuffer.enqueue | INVALID_OPERATION INVALID_VALUE INVALID_DEVICE
    INCOMPATIBLE_COMMAND_QUEUE_KHR {_WAITS}
cl_int clGetCommandBufferInfoKHR(cl_command_buffer_khr command_buffer, cl_command_buffer_info_khr param_name, size_t
    param_value_size, void* param_value, size_t* param_value_size_ret) | 5.17 | cl_khr_command_buffer |
    command_buffer.command_buffer:CommandBuffer.get_info | INVALID_VALUE
cl_int clCommandBarrierWithWaitListKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, const
    cl_command_properties_khr* properties, cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr* sync_point_wait_list,
    cl_sync_point_khr* sync_point, cl_mutable_command_khr* mutable_handle) | 5.17.5 | cl_khr_command_buffer |
    command_buffer.recording:barrier | {_RECORDED}
cl_int clCommandCopyBufferKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, const cl_command_properties_khr*
    properties, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset, size_t dst_offset, size_t size, cl_uint
    num_sync_points_in_wait_list, const cl_sync_point_khr* sync_point_wait_list, cl_sync_point_khr* sync_point,
    cl_mutable_command_khr* mutable_handle) | 5.17.5 | cl_khr_command_buffer | command_buffer.recording:copy_buffer | {_RECORDED}
    INVALID_CONTEXT MEM_COPY_OVERLAP
cl_int clCommandCopyBufferRectKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, const
    cl_command_properties_khr* properties, cl_mem src_buffer, cl_mem dst_buffer, const size_t* src_origin, const size_t* dst_origin,
    const size_t* region, size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch, size_t dst_slice_pitch, cl_uint
    num_sync_points_in_wait_list, const cl_sync_point_khr* sync_point_wait_list, cl_sync_point_khr* sync_point,
    cl_mutable_command_khr* mutable_handle) | 5.17.5 | cl_khr_command_buffer | command_buffer.recording:copy_buffer_rect |
    {_RECORDED} INVALID_CONTEXT MEM_COPY_OVERLAP
cl_int clCommandCopyBufferToImageKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, const
    cl_command_properties_khr* properties, cl_mem src_buffer, cl_mem dst_image, size_t src_offset, const size_t* dst_origin, const
    size_t* region, cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr* sync_point_wait_list, cl_sync_point_khr*
    sync_point, cl_mutable_command_khr* mutable_handle) | 5.17.5 | cl_khr_command_buffer |
    command_buffer.recording:copy_buffer_to_image | {_RECORDED} INVALID_CONTEXT
cl_int clCommandCopyImageKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, const cl_command_properties_khr*
    properties, cl_mem src_image, cl_mem dst_image, const size_t* src_origin, const size_t* dst_origin, const size_t* region,
    cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr* sync_point_wait_list, cl_sync_point_khr* sync_point,
    cl_mutable_command_khr* mutable_handle) | 5.17.5 | cl_khr_command_buffer | command_buffer.recording:copy_image | {_RECORDED}
    INVALID_CONTEXT IMAGE_FORMAT_MISMATCH MEM_COPY_OVERLAP
cl_int clCommandCopyImageToBufferKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, const
    cl_command_properties_khr* properties, cl_mem src_image, cl_mem dst_buffer, const size_t* src_origin, const size_t* region,
    size_t dst_offset, cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr* sync_point_wait_list, cl_sync_point_khr*
    sync_point, cl_mutable_command_khr* mutable_handle) | 5.17.5 | cl_khr_command_buffer |
    command_buffer.recording:copy_image_to_buffer | {_RECORDED} INVALID_CONTEXT
cl_int clCommandFillBufferKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, const cl_command_properties_khr*
    properties, cl_mem buffer, const void* pattern, size_t pattern_size, size_t offset, size_t size, cl_uint
    num_sync_points_in_wait_list, const cl_sync_point_khr* sync_point_wait_list, cl_sync_point_khr* sync_point,
    cl_mutable_command_khr* mutable_handle) | 5.17.5 | cl_khr_command_buffer | command_buffer.recording:fill_buffer | {_RECORDED}
    INVALID_CONTEXT
cl_int clCommandFillImageKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, const cl_command_properties_khr*
    properties, cl_mem image, const void* fill_color, const size_t* origin, const size_t* region, cl_uint
    num_sync_points_in_wait_list, const cl_sync_point_khr* sync_point_wait_list, cl_sync_point_khr* sync_point,
    cl_mutable_command_khr* mutable_handle) | 5.17.5 | cl_khr_command_buffer | command_buffer.recording:fill_image | {_RECORDED}
    INVALID_CONTEXT
cl_int clCommandNDRangeKernelKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, const
    cl_command_properties_khr* properties, cl_kernel kernel, cl_uint work_dim, const size_t* global_work_offset, const size_t*
    global_work_size, const size_t* local_work_size, cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr*
    sync_point_wait_list, cl_sync_point_khr* sync_point, cl_mutable_command_khr* mutable_handle) | 5.17.5 | cl_khr_command_buffer |
    command_buffer.recording:nd_range_kernel | {_RECORDED} INVALID_CONTEXT INVALID_KERNEL INVALID_KERNEL_ARGS INVALID_WORK_DIMENSION
    INVALID_GLOBAL_WORK_SIZE INVALID_WORK_GROUP_SIZE
cl_int clCommandSVMMemcpyKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, const cl_command_properties_khr*
    properties, void* dst_ptr, const void* src_ptr, size_t size, cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr*
    sync_point_wait_list, cl_sync_point_khr* sync_point, cl_mutable_command_khr* mutable_handle) | 5.17.5 | cl_khr_command_buffer |
    command_buffer.recording:svm_memcpy | {_RECORDED} MEM_COPY_OVERLAP
cl_int clCommandSVMMemFillKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, const cl_command_properties_khr*
    properties, void* svm_ptr, const void* pattern, size_t pattern_size, size_t size, cl_uint num_sync_points_in_wait_list, const
    cl_sync_point_khr* sync_point_wait_list, cl_sync_point_khr* sync_point, cl_mutable_command_khr* mutable_handle) | 5.17.5 |
    cl_khr_command_buffer | command_buffer.recording:svm_fill | {_RECORDED}
cl_int clUpdateMutableCommandsKHR(cl_command_buffer_khr command_buffer, cl_uint num_configs, const
    cl_command_buffer_update_type_khr* config_types, const void** configs) | 5.17.7 | cl_khr_command_buffer_mutable_dispatch |
    command_buffer.mutable_dispatch:update_mutable_commands | INVALID_OPERATION INVALID_VALUE INVALID_MUTABLE_COMMAND_KHR
    INVALID_ARG_INDEX INVALID_ARG_SIZE INVALID_WORK_GROUP_SIZE
cl_int clGetMutableCommandInfoKHR(cl_mutable_command_khr command, cl_mutable_command_info_khr param_name, size_t param_value_size,
    void* param_value, size_t* param_value_size_ret) | 5.17.8 | cl_khr_command_buffer_mutable_dispatch |
    command_buffer.command:Command.get_info | INVALID_VALUE
cl_int clGetGLContextInfoKHR(const cl_context_properties* properties, cl_gl_context_info param_name, size_t param_value_size,
    void* param_value, size_t* param_value_size_ret) | 5.18 | cl_khr_gl_sharing | graphics.context_info:gl_context_info |
    INVALID_GL_SHAREGROUP_REFERENCE_KHR INVALID_OPERATION INVALID_VALUE
"""


def _parse(text: str) -> dict[str, EntryPoint]:
    rows = {}
    for line in text.strip().replace("\n    ", " ").splitlines():
        prototype, section, since, target, errors = (part.strip() for part in line.split("|"))
        returns, name, parameters = re.fullmatch(r"(.+?) (cl\w+)\((.*)\)", prototype).groups()  # type: ignore[union-attr]
        rows[name] = EntryPoint(name, returns, _parameters(parameters), section, since, target, tuple(dict.fromkeys(errors.split())))
    return rows


def _parameters(text: str) -> tuple[str, ...]:
    """The text split at the commas that stand in no parentheses."""
    return () if text == "void" else tuple(re.findall(r"\s*((?:[^,()]|\([^()]*\))+)", text))


ENTRY_POINTS = _parse(_ROWS)
# Those that an object of the runtime serves.
SERVED = {name: row for name, row in ENTRY_POINTS.items() if row.target}
