/* What more calls of the C API take, in microseconds: objects made and released, commands of all kinds, queries. Run it once for each
   driver and compare. usage: c_more_calls [ROUNDS] */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateSampler */

#include "c_lines.h"

enum { SIDE = 256, BYTES = 1 << 20, FEW = 4 << 10, SOME = 64 << 10 };

static cl_command_queue queue, other, unordered, timed;
static cl_program program;
static cl_kernel kernel, drawing;
static cl_mem buffer, second, image, second_image;
static cl_event ended;
static void *shared;
static char *host;

static const size_t origin[3] = { 0 }, square[3] = { SIDE, SIDE, 1 }, group = 64, items = 4096;
static const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
static const cl_image_desc description = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE };
static const char *source =
    "kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }"
    "kernel void draw(write_only image2d_t image, float b) { write_imagef(image, (int2)(get_global_id(0), get_global_id(1)), b); }";

static const cl_buffer_region part = { 0, FEW };
OBJECT(make_sub, cl_mem, clReleaseMemObject, clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status))
OBJECT(make_copied, cl_mem, clReleaseMemObject, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, FEW, host, &status))
OBJECT(make_used, cl_mem, clReleaseMemObject, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, FEW, host, &status))
OBJECT(make_image, cl_mem, clReleaseMemObject, clCreateImage(context, 0, &format, &description, NULL, &status))
OBJECT(make_sampler, cl_sampler, clReleaseSampler, clCreateSampler(context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status))
OBJECT(make_kernel, cl_kernel, clReleaseKernel, clCreateKernel(program, "add", &status))
OBJECT(clone_kernel, cl_kernel, clReleaseKernel, clCloneKernel(kernel, &status))
OBJECT(make_queue, cl_command_queue, clReleaseCommandQueue, clCreateCommandQueueWithProperties(context, device, NULL, &status))
OBJECT(make_context, cl_context, clReleaseContext, clCreateContext(NULL, device_count, devices, NULL, NULL, &status))
OBJECT(make_program, cl_program, clReleaseProgram, clCreateProgramWithSource(context, 1, &source, NULL, &status))

static void build_program(void)
{
    cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    NEED(status);
    NEED(clBuildProgram(made, 1, &device, "", NULL, NULL));
    clReleaseProgram(made);
}

static void use_kernel(void)
{
    cl_int one = 1;
    cl_kernel made = clCreateKernel(program, "add", &status);
    NEED(status);
    NEED(clSetKernelArg(made, 0, sizeof buffer, &buffer));
    NEED(clSetKernelArg(made, 1, sizeof one, &one));
    NEED(clEnqueueNDRangeKernel(queue, made, 1, NULL, &items, &group, 0, NULL, NULL));
    clReleaseKernel(made);
}

static void make_user_event(void)
{
    cl_event made = clCreateUserEvent(context, &status);
    NEED(status);
    NEED(clSetUserEventStatus(made, CL_COMPLETE));
    clReleaseEvent(made);
}

static void make_shared(void)
{
    void *made = clSVMAlloc(context, CL_MEM_READ_WRITE, FEW, 0);
    need(!made, "clSVMAlloc");
    clSVMFree(context, made);
}

static void launch_behind(cl_command_queue where, const cl_event *event, cl_event *next)
{
    NEED(clEnqueueNDRangeKernel(where, kernel, 1, NULL, &items, &group, event != NULL, event, next));
}

static void launch_timed(void)
{
    cl_event event;
    launch_behind(timed, NULL, &event);
    clReleaseEvent(event);
}

/* A launch, and another one behind it. */
static void launch_both(cl_command_queue first, cl_command_queue last)
{
    cl_event event;
    launch_behind(first, NULL, &event);
    launch_behind(last, &event, NULL);
    clReleaseEvent(event);
}

static void launch_new_arguments(void)
{
    static cl_int turn;
    turn++;
    NEED(clSetKernelArg(kernel, 0, sizeof buffer, turn & 1 ? &buffer : &second));
    NEED(clSetKernelArg(kernel, 1, sizeof turn, &turn));
    launch_behind(queue, NULL, NULL);
}

static void launch_sizes(void)
{
    static size_t turn;
    size_t size = group * (turn++ % 16 + 1);
    NEED(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &group, 0, NULL, NULL));
}

static void launch_image(void)
{
    const size_t tile[2] = { 16, 16 };
    NEED(clEnqueueNDRangeKernel(queue, drawing, 2, NULL, square, tile, 0, NULL, NULL));
}

static void draw_another(void)
{
    static int turn;
    NEED(clSetKernelArg(drawing, 0, sizeof image, turn++ & 1 ? &image : &second_image));
    launch_image();
}

static void launch_behind_gate(cl_command_queue where)
{
    cl_event gate = clCreateUserEvent(context, &status);
    NEED(status);
    launch_behind(where, &gate, NULL);
    NEED(clSetUserEventStatus(gate, CL_COMPLETE));
    NEED(clFinish(where));
    clReleaseEvent(gate);
}

static void CL_CALLBACK note_call(cl_event event, cl_int state, void *data)
{
    (void)event;
    (void)state;
    *(volatile int *)data = 1;
}

static void call_back(void)
{
    volatile int is_called = 0;
    cl_event event;
    launch_behind(queue, NULL, &event);
    NEED(clSetEventCallback(event, CL_COMPLETE, note_call, (void *)&is_called));
    clFlush(queue);
    while (!is_called)
        ;
    clReleaseEvent(event);
}

static void marker_after(void)
{
    cl_event event;
    NEED(clEnqueueMarkerWithWaitList(queue, 1, &ended, &event));
    clReleaseEvent(event);
}

LINE(launch_open, NEED(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL)))
LINE(launch_offset, NEED(clEnqueueNDRangeKernel(queue, kernel, 1, &group, &items, &group, 0, NULL, NULL)))
LINE(launch_unordered, launch_behind(unordered, NULL, NULL))
LINE(launch_gated, launch_behind_gate(queue))
LINE(launch_gated_unordered, launch_behind_gate(unordered))
LINE(launch_chain, launch_both(unordered, unordered))
LINE(launch_after, launch_both(queue, queue))
LINE(launch_across, launch_both(queue, other))
LINE(launch_flush, launch_behind(queue, NULL, NULL); clFlush(queue))
LINE(barrier, NEED(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL)))
LINE(barrier_unordered, NEED(clEnqueueBarrierWithWaitList(unordered, 0, NULL, NULL)))
LINE(launch_barrier, launch_unordered(); launch_unordered(); barrier_unordered())
LINE(wait_ended, NEED(clWaitForEvents(1, &ended)))
LINE(migrate, NEED(clEnqueueMigrateMemObjects(queue, 1, &buffer, 0, 0, NULL, NULL)))

static void read_with_event(size_t size)
{
    cl_event event;
    NEED(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, size, host, 0, NULL, &event));
    NEED(clWaitForEvents(1, &event));
    clReleaseEvent(event);
}

static void map(size_t size, cl_map_flags flags)
{
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, 0, size, 0, NULL, NULL, &status);
    NEED(status);
    NEED(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    NEED(clFinish(queue));
}

/* Nobody waits for the map, but for its event. */
static void map_later(size_t size, cl_map_flags flags)
{
    cl_event event;
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_FALSE, flags, 0, size, 0, NULL, &event, &status);
    NEED(status);
    NEED(clWaitForEvents(1, &event));
    NEED(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    NEED(clFinish(queue));
    clReleaseEvent(event);
}

#define COPIES(name, size) \
    LINE(write_##name, NEED(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, host, 0, NULL, NULL))) \
    LINE(read_##name, NEED(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, host, 0, NULL, NULL))) \
    LINE(write_later_##name, NEED(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, size, host, 0, NULL, NULL)); NEED(clFinish(queue))) \
    LINE(read_event_##name, read_with_event(size)) \
    LINE(map_read_##name, map(size, CL_MAP_READ)) \
    LINE(map_write_##name, map(size, CL_MAP_WRITE_INVALIDATE_REGION)) \
    LINE(map_read_later_##name, map_later(size, CL_MAP_READ)) \
    LINE(map_write_later_##name, map_later(size, CL_MAP_WRITE_INVALIDATE_REGION))
COPIES(few, FEW)
COPIES(some, SOME)
COPIES(many, BYTES)

static void copy_event(void)
{
    cl_event event;
    NEED(clEnqueueCopyBuffer(queue, buffer, second, 0, 0, SOME, 0, NULL, &event));
    clReleaseEvent(event);
}

static const size_t rectangle[3] = { 64, 64, 1 };
static const cl_float4 wide = { { 1, 2, 3, 4 } }, color = { { 0, 1, 0, 1 } };

static void map_image(void)
{
    size_t row;
    void *mapped = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, square, &row, NULL, 0, NULL, NULL, &status);
    NEED(status);
    NEED(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
    NEED(clFinish(queue));
}

LINE(copy, NEED(clEnqueueCopyBuffer(queue, buffer, second, 0, 0, SOME, 0, NULL, NULL)))
LINE(copy_rectangle, NEED(clEnqueueCopyBufferRect(queue, buffer, second, origin, origin, rectangle, 256, 0, 256, 0, 0, NULL, NULL)))
LINE(read_rectangle, NEED(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, rectangle, 256, 0, 64, 0, host, 0, NULL, NULL)))
LINE(fill, NEED(clEnqueueFillBuffer(queue, buffer, &wide, sizeof wide, 0, SOME, 0, NULL, NULL)))
LINE(write_image, NEED(clEnqueueWriteImage(queue, image, CL_TRUE, origin, square, 0, 0, host, 0, NULL, NULL)))
LINE(read_image, NEED(clEnqueueReadImage(queue, image, CL_TRUE, origin, square, 0, 0, host, 0, NULL, NULL)))
LINE(copy_image, NEED(clEnqueueCopyImage(queue, image, second_image, origin, origin, square, 0, NULL, NULL)))
LINE(image_to_buffer, NEED(clEnqueueCopyImageToBuffer(queue, image, buffer, origin, square, 0, 0, NULL, NULL)))
LINE(buffer_to_image, NEED(clEnqueueCopyBufferToImage(queue, buffer, image, 0, origin, square, 0, NULL, NULL)))
LINE(fill_image, NEED(clEnqueueFillImage(queue, image, &color, origin, square, 0, NULL, NULL)))
LINE(argument_shared, NEED(clSetKernelArgSVMPointer(kernel, 0, shared)))
LINE(use_shared, NEED(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof shared, &shared)))
LINE(copy_shared, NEED(clEnqueueSVMMemcpy(queue, CL_TRUE, shared, host, FEW, 0, NULL, NULL)))
LINE(fill_shared, NEED(clEnqueueSVMMemFill(queue, shared, &status, sizeof status, FEW, 0, NULL, NULL)))
LINE(map_shared, NEED(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, shared, FEW, 0, NULL, NULL));
     NEED(clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL)))

QUERY(ask_platform, clGetPlatformInfo, platform, CL_PLATFORM_NAME)
QUERY(ask_name, clGetDeviceInfo, device, CL_DEVICE_NAME)
QUERY(ask_extensions, clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS)
QUERY(ask_sizes, clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_ITEM_SIZES)
QUERY(ask_context, clGetContextInfo, context, CL_CONTEXT_DEVICES)
QUERY(ask_queue, clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT)
QUERY(ask_queue_device, clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE)
QUERY(ask_size, clGetMemObjectInfo, buffer, CL_MEM_SIZE)
QUERY(ask_flags, clGetMemObjectInfo, buffer, CL_MEM_FLAGS)
QUERY(ask_references, clGetMemObjectInfo, buffer, CL_MEM_REFERENCE_COUNT)
QUERY(ask_width, clGetImageInfo, image, CL_IMAGE_WIDTH)
QUERY(ask_function, clGetKernelInfo, kernel, CL_KERNEL_FUNCTION_NAME)
QUERY(ask_arguments, clGetKernelInfo, kernel, CL_KERNEL_NUM_ARGS)
QUERY(ask_group, clGetKernelWorkGroupInfo, kernel, device, CL_KERNEL_WORK_GROUP_SIZE)
QUERY(ask_multiple, clGetKernelWorkGroupInfo, kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)
QUERY(ask_build, clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_STATUS)
QUERY(ask_event_type, clGetEventInfo, ended, CL_EVENT_COMMAND_TYPE)
QUERY(ask_event_queue, clGetEventInfo, ended, CL_EVENT_COMMAND_QUEUE)

static void ask_formats(void)
{
    cl_uint count;
    NEED(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
}

static void finish(void)
{
    NEED(clFinish(queue));
    NEED(clFinish(other));
    NEED(clFinish(unordered));
    NEED(clFinish(timed));
}

static const struct line lines[] = {
    { "sub-buffer made, released", make_sub, 0 },
    { "COPY_HOST_PTR buffer of 4 KiB made, released", make_copied, 0 },
    { "USE_HOST_PTR buffer of 4 KiB made, released", make_used, 0 },
    { "image of 256 x 256 made, released", make_image, 0 },
    { "sampler made, released", make_sampler, 0 },
    { "kernel made, released", make_kernel, 0 },
    { "kernel made, two arguments, launched, released", use_kernel, 0 },
    { "kernel cloned, released", clone_kernel, 0 },
    { "queue made, released", make_queue, LONG },
    { "context made, released", make_context, LONG },
    { "user event made, set, released", make_user_event, 0 },
    { "clSVMAlloc, clSVMFree, 4 KiB", make_shared, 0 },
    { "program made, released", make_program, 0 },
    { "program made, built anew, released", build_program, LONG },
    { "launch with two new arguments", launch_new_arguments, 0 },
    { "launch, the size of its groups left open", launch_open, 0 },
    { "launch with an offset", launch_offset, 0 },
    { "launches of sixteen sizes", launch_sizes, 0 },
    { "launch of a kernel that writes an image", launch_image, 0 },
    { "the same with another image each time", draw_another, 0 },
    { "launch out of order", launch_unordered, 0 },
    { "launch out of order with times, event", launch_timed, 0 },
    { "two launches out of order, in a chain", launch_chain, 0 },
    { "two launches, one after the other's event", launch_after, 0 },
    { "the same over two queues", launch_across, 0 },
    { "user event that gates a launch, clFinish", launch_gated, LONG },
    { "the same out of order", launch_gated_unordered, LONG },
    { "launch, clFlush", launch_flush, 0 },
    { "marker after an event that has ended", marker_after, 0 },
    { "barrier", barrier, 0 },
    { "barrier out of order", barrier_unordered, 0 },
    { "two launches and a barrier out of order", launch_barrier, 0 },
    { "clWaitForEvents, ended", wait_ended, 0 },
    { "launch with a callback, until it is called", call_back, LONG },
    { "clEnqueueMigrateMemObjects", migrate, 0 },
    { "write 4 KiB", write_few, 0 },
    { "write 64 KiB", write_some, 0 },
    { "write 1 MiB", write_many, LONG },
    { "read 4 KiB", read_few, 0 },
    { "read 64 KiB", read_some, 0 },
    { "read 1 MiB", read_many, LONG },
    { "write 4 KiB, not blocking, clFinish", write_later_few, 0 },
    { "write 64 KiB, not blocking, clFinish", write_later_some, 0 },
    { "write 1 MiB, not blocking, clFinish", write_later_many, LONG },
    { "read 4 KiB, not blocking, clWaitForEvents", read_event_few, 0 },
    { "read 64 KiB, not blocking, clWaitForEvents", read_event_some, 0 },
    { "read 1 MiB, not blocking, clWaitForEvents", read_event_many, LONG },
    { "map 4 KiB to read, unmap, clFinish", map_read_few, 0 },
    { "map 64 KiB to read, unmap, clFinish", map_read_some, 0 },
    { "map 1 MiB to read, unmap, clFinish", map_read_many, LONG },
    { "map 4 KiB to write, unmap, clFinish", map_write_few, 0 },
    { "map 4 KiB to read, not blocking, unmap, clFinish", map_read_later_few, 0 },
    { "map 4 KiB to write, not blocking, unmap, clFinish", map_write_later_few, 0 },
    { "map 64 KiB to write, unmap, clFinish", map_write_some, 0 },
    { "map 64 KiB to read, not blocking, unmap, clFinish", map_read_later_some, 0 },
    { "map 64 KiB to write, not blocking, unmap, clFinish", map_write_later_some, 0 },
    { "map 1 MiB to write, unmap, clFinish", map_write_many, LONG },
    { "map 1 MiB to read, not blocking, unmap, clFinish", map_read_later_many, LONG },
    { "map 1 MiB to write, not blocking, unmap, clFinish", map_write_later_many, LONG },
    { "copy 64 KiB on the device", copy, 0 },
    { "copy 64 KiB on the device, event", copy_event, 0 },
    { "copy a rectangle of 64 x 64", copy_rectangle, 0 },
    { "fill 64 KiB with a float4", fill, 0 },
    { "read a rectangle of 64 x 64", read_rectangle, 0 },
    { "write an image of 256 KiB", write_image, 0 },
    { "read an image of 256 KiB", read_image, 0 },
    { "copy it", copy_image, 0 },
    { "copy it into a buffer", image_to_buffer, 0 },
    { "copy the buffer into an image", buffer_to_image, 0 },
    { "fill the image", fill_image, 0 },
    { "map it to read, unmap, clFinish", map_image, 0 },
    { "clSetKernelArgSVMPointer", argument_shared, 0 },
    { "copy 4 KiB from the host to shared memory", copy_shared, 0 },
    { "fill 4 KiB of shared memory", fill_shared, 0 },
    { "map 4 KiB of shared memory to read, unmap", map_shared, 0 },
    { "clSetKernelExecInfo", use_shared, 0 },
    { "clGetPlatformInfo, name", ask_platform, 0 },
    { "clGetDeviceInfo, name", ask_name, 0 },
    { "clGetDeviceInfo, extensions", ask_extensions, 0 },
    { "clGetDeviceInfo, work-item sizes", ask_sizes, 0 },
    { "clGetContextInfo, devices", ask_context, 0 },
    { "clGetCommandQueueInfo, context", ask_queue, 0 },
    { "clGetCommandQueueInfo, device", ask_queue_device, 0 },
    { "clGetMemObjectInfo, size", ask_size, 0 },
    { "clGetMemObjectInfo, flags", ask_flags, 0 },
    { "clGetImageInfo, width", ask_width, 0 },
    { "clGetKernelInfo, name", ask_function, 0 },
    { "clGetKernelInfo, arguments", ask_arguments, 0 },
    { "clGetKernelWorkGroupInfo, size", ask_group, 0 },
    { "clGetKernelWorkGroupInfo, multiple", ask_multiple, 0 },
    { "clGetProgramBuildInfo, status", ask_build, 0 },
    { "clGetMemObjectInfo, references", ask_references, 0 },
    { "clGetEventInfo, type", ask_event_type, 0 },
    { "clGetEventInfo, queue", ask_event_queue, 0 },
    { "clGetSupportedImageFormats, number", ask_formats, 0 },
};

static void prepare(int argc, char **argv)
{
    begin(argc, argv);
    queue = new_queue(0);
    other = new_queue(0);
    unordered = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    timed = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    NEED(clBuildProgram(program, 1, &device, "", NULL, NULL));
    kernel = clCreateKernel(program, "add", &status);
    drawing = clCreateKernel(program, "draw", &status);
    buffer = clCreateBuffer(context, 0, BYTES, NULL, &status);
    second = clCreateBuffer(context, 0, BYTES, NULL, &status);
    image = clCreateImage(context, 0, &format, &description, NULL, &status);
    second_image = clCreateImage(context, 0, &format, &description, NULL, &status);
    shared = clSVMAlloc(context, CL_MEM_READ_WRITE, SOME, 0);
    host = malloc(BYTES);
    need(!kernel || !drawing || !buffer || !second || !image || !second_image || !shared || !host, "objects");
    memset(host, 1, BYTES);
    const cl_int one = 1;
    const cl_float half = 0.5f;
    NEED(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    NEED(clSetKernelArg(kernel, 1, sizeof one, &one));
    NEED(clSetKernelArg(drawing, 0, sizeof image, &image));
    NEED(clSetKernelArg(drawing, 1, sizeof half, &half));
    NEED(clEnqueueMarkerWithWaitList(queue, 0, NULL, &ended));
    finish();
}

static void restore(void) { NEED(clSetKernelArg(kernel, 0, sizeof buffer, &buffer)); }

int main(int argc, char **argv)
{
    prepare(argc, argv);
    launch_behind(queue, NULL, NULL);
    warm_up(finish);
    measure_lines(lines, sizeof lines / sizeof *lines, argc > 1 ? atoi(argv[1]) : 1000, finish, restore);
    return 0;
}
