/* Calls of which none is like the one before, in microseconds: sizes, offsets, regions, colours, images, kernels and queues that vary,
   since programs work on what there is. Run it once for each driver and compare (from_c.py). usage: c_varied_calls [ROUNDS] */
#define CL_TARGET_OPENCL_VERSION 300
#include "c_lines.h"

enum { BYTES = 4 << 20, PART = 4 << 10, SOME = 64 << 10, SIDE = 256, BUFFERS = 64, KERNELS = 48, QUEUES = 24, IMAGES = 24, STEPS = 10007 };

static cl_command_queue queue, unordered, timed, queues[QUEUES];
static cl_program program;
static cl_kernel add, both, tile, look, kernels[KERNELS];
static cl_mem buffer, second, image, second_image, buffers[BUFFERS], parts[BUFFERS], images[IMAGES];
static char *host, *shared;
static size_t turn;

static const size_t origin[3] = { 0 }, items = 1024, group = 64;
static const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
static const char *source =
    "kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }"
    "kernel void both(global int *a, global int *b) { a[get_global_id(0)] += b[get_global_id(0)]; }"
    "kernel void tile(global int *a, local int *b) {"
    "    size_t i = get_local_id(0); b[i] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);"
    "    a[get_global_id(0)] = b[get_local_size(0) - 1 - i]; }"
    "kernel void look(read_only image2d_t image, global float *out) {"
    "    out[get_global_id(0)] = read_imagef(image, (int2)(get_global_id(0) % 8, 1)).x; }";

/* From 1 on to so many, in an order in which neighbours are far from each other. */
static size_t varied(size_t most)
{
    enum { STRIDE = 7 };
    return 1 + turn++ * STRIDE % most;
}

static size_t varied_bytes(void)
{
    return sizeof(cl_int) * varied(STEPS);
}

static cl_mem varied_of(const cl_mem *some, size_t count)
{
    return some[varied(count) - 1];
}

static void launch(cl_command_queue on, cl_kernel kernel, cl_event *event)
{
    NEED(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, &group, 0, NULL, event));
}

static void set_and_launch(cl_kernel kernel, cl_uint index, cl_mem memory)
{
    NEED(clSetKernelArg(kernel, index, sizeof memory, &memory));
    launch(queue, kernel, NULL);
}

/* Buffers. */

LINE(write_sizes, NEED(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, varied_bytes(), host, 0, NULL, NULL)))
LINE(write_later, NEED(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, varied_bytes(), host, 0, NULL, NULL)))
LINE(write_offsets, NEED(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, varied_bytes(), 256, host, 0, NULL, NULL)))
LINE(read_sizes, NEED(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, varied_bytes(), host, 0, NULL, NULL)))
LINE(copy_sizes, NEED(clEnqueueCopyBuffer(queue, buffer, second, varied_bytes(), 0, varied_bytes(), 0, NULL, NULL)))
LINE(fill_values, cl_uint value = (cl_uint)varied(BYTES);
     NEED(clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, varied_bytes(), 0, NULL, NULL)))

static void map(cl_mem memory, cl_map_flags flags, size_t offset, size_t size)
{
    char *mapped = clEnqueueMapBuffer(queue, memory, CL_TRUE, flags, offset, size, 0, NULL, NULL, &status);
    NEED(status);
    if (flags != CL_MAP_READ)
        mapped[0] = 1;
    NEED(clEnqueueUnmapMemObject(queue, memory, mapped, 0, NULL, NULL));
}

LINE(map_read, map(buffer, CL_MAP_READ, varied_bytes(), varied_bytes()))
LINE(map_anew, map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, varied_bytes(), varied_bytes()))
LINE(map_buffers, map(varied_of(buffers, BUFFERS), CL_MAP_WRITE, 0, PART))

struct rectangle {
    size_t there[3], size[3];
};

static struct rectangle varied_rectangle(size_t unit)
{
    return (struct rectangle){ { unit * varied(13), varied(17), 0 }, { unit * varied(61), varied(59), 1 } };
}

#define RECTANGLE(name, call, ...) \
    static void name(void) \
    { \
        const struct rectangle r = varied_rectangle(sizeof(cl_int)); \
        NEED(call(queue, buffer, __VA_ARGS__, 0, NULL, NULL)); \
    }
RECTANGLE(write_rectangles, clEnqueueWriteBufferRect, CL_TRUE, r.there, origin, r.size, 1024, 0, 0, 0, host)
RECTANGLE(write_rectangles_later, clEnqueueWriteBufferRect, CL_FALSE, r.there, origin, r.size, 1024, 0, 0, 0, host)
RECTANGLE(read_rectangles, clEnqueueReadBufferRect, CL_TRUE, r.there, origin, r.size, 1024, 0, 0, 0, host)
RECTANGLE(copy_rectangles, clEnqueueCopyBufferRect, second, r.there, origin, r.size, 1024, 0, 0, 0)

OBJECT(make_sizes, cl_mem, clReleaseMemObject, clCreateBuffer(context, CL_MEM_READ_WRITE, varied_bytes(), NULL, &status))
OBJECT(make_copies, cl_mem, clReleaseMemObject, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, varied_bytes(), host, &status))

/* A buffer of any size, a launch over all of it, and what that has left. */
static void whole_step(cl_mem_flags flags)
{
    const cl_int one = 1;
    const size_t count = 1024 * varied(37);
    cl_mem made = clCreateBuffer(context, flags, count * sizeof one, flags & CL_MEM_COPY_HOST_PTR ? host : NULL, &status);
    NEED(status);
    NEED(clSetKernelArg(add, 0, sizeof made, &made));
    NEED(clEnqueueNDRangeKernel(queue, add, 1, NULL, &count, NULL, 0, NULL, NULL));
    NEED(clEnqueueReadBuffer(queue, made, CL_TRUE, 0, count * sizeof one, host + BYTES / 2, 0, NULL, NULL));
    clReleaseMemObject(made);
}

LINE(step_of_new, whole_step(CL_MEM_READ_WRITE))
LINE(step_of_copies, whole_step(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR))

static void use_part(void)
{
    const cl_buffer_region region = { PART * varied(61), PART };
    cl_mem made = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    NEED(status);
    set_and_launch(add, 0, made);
    clReleaseMemObject(made);
}

/* Images. */

#define REGION(name, call, ...) \
    static void name(void) \
    { \
        const struct rectangle r = varied_rectangle(1); \
        NEED(call(queue, __VA_ARGS__, 0, NULL, NULL)); \
    }
REGION(write_regions, clEnqueueWriteImage, image, CL_TRUE, r.there, r.size, 0, 0, host)
REGION(read_regions, clEnqueueReadImage, image, CL_TRUE, r.there, r.size, 0, 0, host)
REGION(copy_regions, clEnqueueCopyImage, image, second_image, r.there, origin, r.size)
REGION(image_to_buffer, clEnqueueCopyImageToBuffer, image, buffer, r.there, r.size, 0)

static void fill_colors(void)
{
    const struct rectangle r = varied_rectangle(1);
    const cl_float color[4] = { varied(1000) * .001f, 1, 0, 1 };
    NEED(clEnqueueFillImage(queue, image, color, r.there, r.size, 0, NULL, NULL));
}

static cl_mem new_image(cl_mem_flags flags, const void *contents, size_t *region)
{
    const cl_image_desc varies = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8 + varied(131), .image_height = 8 + varied(137) };
    cl_mem made = clCreateImage(context, flags, &format, &varies, (void *)contents, &status);
    NEED(status);
    region[0] = varies.image_width;
    region[1] = varies.image_height;
    region[2] = 1;
    return made;
}

static void make_images(void)
{
    size_t region[3];
    clReleaseMemObject(new_image(CL_MEM_READ_WRITE, NULL, region));
}

static void make_images_copied(void)
{
    size_t region[3];
    clReleaseMemObject(new_image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, host, region));
}

/* What programs do with each of many pictures. */
static void picture(void)
{
    size_t region[3];
    cl_mem made = new_image(CL_MEM_READ_ONLY, NULL, region);
    NEED(clEnqueueWriteImage(queue, made, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL));
    set_and_launch(look, 0, made);
    NEED(clFinish(queue));
    clReleaseMemObject(made);
}

/* Arguments, sizes, kernels and queues. */

LINE(other_buffers, set_and_launch(add, 0, varied_of(buffers, BUFFERS)))
LINE(other_parts, set_and_launch(add, 0, varied_of(parts, BUFFERS)))
LINE(other_images, set_and_launch(look, 0, varied_of(images, IMAGES)))
LINE(other_numbers, const cl_int number = (cl_int)varied(STEPS); NEED(clSetKernelArg(add, 1, sizeof number, &number)); launch(queue, add, NULL))
LINE(other_local_memory, NEED(clSetKernelArg(tile, 1, 256 + varied_bytes() % (32 << 10), NULL)); launch(queue, tile, NULL))
LINE(other_shared, NEED(clSetKernelArgSVMPointer(both, 1, shared + PART * varied(61))); launch(queue, both, NULL))
LINE(other_sizes, const size_t size = varied(STEPS); NEED(clEnqueueNDRangeKernel(queue, add, 1, NULL, &size, NULL, 0, NULL, NULL)))
LINE(odd_sizes, const size_t size = 100001 + 2 * varied(STEPS); NEED(clEnqueueNDRangeKernel(queue, add, 1, NULL, &size, NULL, 0, NULL, NULL)))
LINE(other_boxes, const size_t sizes[] = { varied(31), varied(7), varied(5) };
     NEED(clEnqueueNDRangeKernel(queue, add, 3, NULL, sizes, NULL, 0, NULL, NULL)))
LINE(other_groups, const size_t size = (size_t)1 << varied(9); NEED(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, &size, 0, NULL, NULL)))
LINE(other_kernels, launch(queue, kernels[varied(KERNELS) - 1], NULL))
LINE(other_queues, launch(queues[varied(QUEUES) - 1], add, NULL))

static void use_new_queue(cl_command_queue_properties properties)
{
    cl_command_queue made = new_queue(properties);
    launch(made, add, NULL);
    NEED(clFinish(made));
    clReleaseCommandQueue(made);
}

LINE(new_queues, use_new_queue(0))
LINE(new_timed_queues, use_new_queue(CL_QUEUE_PROFILING_ENABLE))

/* Events. */

static void wait_and_drop(cl_event event, int has_times)
{
    cl_ulong start, end;
    NEED(clWaitForEvents(1, &event));
    if (has_times) {
        NEED(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
        NEED(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    }
    clReleaseEvent(event);
}

#define EVENT(name, where, call, ...) \
    static void name(void) \
    { \
        cl_event event; \
        const struct rectangle r = varied_rectangle(sizeof(cl_int)); \
        const size_t size = varied_bytes(); \
        (void)r, (void)size; \
        NEED(call(where, __VA_ARGS__, 0, NULL, &event)); \
        wait_and_drop(event, where == timed); \
    }
EVENT(time_launches, timed, clEnqueueNDRangeKernel, add, 1, NULL, &size, NULL)
EVENT(time_writes, timed, clEnqueueWriteBuffer, buffer, CL_FALSE, 0, size, host)
EVENT(time_reads, timed, clEnqueueReadBuffer, buffer, CL_FALSE, 0, size, host)
EVENT(time_rectangles, timed, clEnqueueWriteBufferRect, buffer, CL_FALSE, r.there, origin, r.size, 1024, 0, 0, 0, host)
EVENT(time_regions, timed, clEnqueueWriteImage, image, CL_FALSE, origin, r.size, 0, 0, host)
EVENT(order_launches, unordered, clEnqueueNDRangeKernel, add, 1, NULL, &size, NULL)
EVENT(order_writes, unordered, clEnqueueWriteBuffer, buffer, CL_FALSE, 0, size, host)
EVENT(order_rectangles, unordered, clEnqueueWriteBufferRect, buffer, CL_FALSE, r.there, origin, r.size, 1024, 0, 0, 0, host)

static void CL_CALLBACK note(cl_event event, cl_int state, void *called)
{
    (void)event, (void)state;
    __atomic_fetch_add((int *)called, 1, __ATOMIC_RELEASE);
}

static void call_back(void)
{
    int called = 0;
    cl_event event;
    launch(queue, add, &event);
    for (cl_int state = CL_SUBMITTED; state >= CL_COMPLETE; state--)
        NEED(clSetEventCallback(event, state, note, &called));
    NEED(clFlush(queue));
    while (__atomic_load_n(&called, __ATOMIC_ACQUIRE) < 3)
        ;
    clReleaseEvent(event);
}

/* Shared memory. */

LINE(make_shared, void *made = clSVMAlloc(context, CL_MEM_READ_WRITE, varied_bytes(), 0); need(!made, "clSVMAlloc"); clSVMFree(context, made))
LINE(fill_shared, const cl_uint value = (cl_uint)varied(STEPS);
     NEED(clEnqueueSVMMemFill(queue, shared, &value, sizeof value, varied_bytes(), 0, NULL, NULL)))
LINE(copy_shared, NEED(clEnqueueSVMMemcpy(queue, CL_FALSE, shared, shared + BYTES / 2, varied_bytes(), 0, NULL, NULL)))

static const struct line lines[] = {
    { "write sizes that vary", write_sizes, 0 },
    { "write sizes that vary, without waiting", write_later, 0 },
    { "write 256 B at places that vary", write_offsets, 0 },
    { "read sizes that vary", read_sizes, 0 },
    { "copy sizes from places that vary", copy_sizes, 0 },
    { "fill sizes with values that vary", fill_values, 0 },
    { "map places to read, unmap", map_read, 0 },
    { "map places to write anew, unmap", map_anew, 0 },
    { "map one buffer of many to write, unmap", map_buffers, 0 },
    { "write rectangles that vary", write_rectangles, 0 },
    { "the same without waiting", write_rectangles_later, 0 },
    { "read rectangles that vary", read_rectangles, 0 },
    { "copy rectangles that vary", copy_rectangles, 0 },
    { "buffers of sizes that vary", make_sizes, 0 },
    { "buffers with contents of sizes that vary", make_copies, 0 },
    { "buffer of any size, launch, read", step_of_new, LONG },
    { "buffer with contents of any size, launch, read", step_of_copies, LONG },
    { "part of a buffer made, launch", use_part, 0 },
    { "write regions of an image", write_regions, 0 },
    { "read regions of an image", read_regions, 0 },
    { "copy regions between images", copy_regions, 0 },
    { "copy regions of an image to a buffer", image_to_buffer, 0 },
    { "fill regions with colours that vary", fill_colors, 0 },
    { "images of sizes that vary", make_images, 0 },
    { "images with contents of sizes that vary", make_images_copied, 0 },
    { "image of any size, write, launch, clFinish", picture, LONG },
    { "one buffer of many, launch", other_buffers, 0 },
    { "one part of many, launch", other_parts, 0 },
    { "one image of many, launch", other_images, 0 },
    { "a number that varies, launch", other_numbers, 0 },
    { "local memory of sizes that vary, launch", other_local_memory, 0 },
    { "a place in shared memory, launch", other_shared, 0 },
    { "launches of sizes that vary", other_sizes, 0 },
    { "launches of odd sizes above 100,000", odd_sizes, 0 },
    { "launches of boxes that vary", other_boxes, 0 },
    { "launches in groups that vary", other_groups, 0 },
    { "launches of one kernel of many", other_kernels, 0 },
    { "launches in one queue of many", other_queues, 0 },
    { "queue made, launch, clFinish", new_queues, LONG },
    { "the same with times", new_timed_queues, LONG },
    { "launch of any size with times, wait, times", time_launches, 0 },
    { "write of any size with times, wait, times", time_writes, 0 },
    { "read of any size with times, wait, times", time_reads, 0 },
    { "rectangle with times, wait, times", time_rectangles, 0 },
    { "region of an image with times, wait, times", time_regions, 0 },
    { "out of order: launch of any size, wait", order_launches, 0 },
    { "out of order: write of any size, wait", order_writes, 0 },
    { "out of order: rectangle, wait", order_rectangles, 0 },
    { "launch, its three callbacks", call_back, 0 },
    { "shared memory of sizes that vary", make_shared, 0 },
    { "shared: fill sizes with values that vary", fill_shared, 0 },
    { "shared: copy sizes that vary", copy_shared, 0 },
};

static cl_kernel new_kernel(const char *name, cl_mem first)
{
    cl_kernel made = clCreateKernel(program, name, &status);
    NEED(status);
    NEED(clSetKernelArg(made, 0, sizeof first, &first));
    return made;
}

static void finish(void)
{
    NEED(clFinish(queue));
    NEED(clFinish(unordered));
    NEED(clFinish(timed));
    for (int i = 0; i < QUEUES; i++)
        NEED(clFinish(queues[i]));
}

/* The arguments that lines have changed. */
static void restore(void)
{
    const cl_int one = 1;
    NEED(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    NEED(clSetKernelArg(add, 1, sizeof one, &one));
    finish();
}

static void make_program(void)
{
    static char text[16 << 10];
    char *end = text + sprintf(text, "%s", source), name[16];
    for (int i = 0; i < KERNELS; i++)
        end += sprintf(end, "kernel void k%d(global int *a) { a[get_global_id(0)] += %d; }", i, i);
    const char *whole = text;
    program = clCreateProgramWithSource(context, 1, &whole, NULL, &status);
    NEED(status);
    NEED(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    for (int i = 0; i < KERNELS; i++) {
        sprintf(name, "k%d", i);
        kernels[i] = new_kernel(name, buffers[i]);
    }
    add = new_kernel("add", buffer);
    both = new_kernel("both", buffer);
    tile = new_kernel("tile", buffer);
    look = new_kernel("look", image);
    NEED(clSetKernelArg(look, 1, sizeof buffer, &buffer));
}

static void make_memory(void)
{
    cl_image_desc flat = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE };
    size_t region[3];
    host = calloc(1, BYTES);
    shared = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    need(!host || !shared, "memory");
    buffer = clCreateBuffer(context, 0, BYTES, NULL, &status);
    second = clCreateBuffer(context, 0, BYTES, NULL, &status);
    image = clCreateImage(context, 0, &format, &flat, NULL, &status);
    second_image = clCreateImage(context, 0, &format, &flat, NULL, &status);
    NEED(status);
    for (size_t i = 0; i < BUFFERS; i++) {
        const cl_buffer_region place = { PART * i, PART };
        buffers[i] = clCreateBuffer(context, 0, SOME, NULL, &status);
        parts[i] = clCreateSubBuffer(second, 0, CL_BUFFER_CREATE_TYPE_REGION, &place, &status);
        NEED(status);
    }
    for (int i = 0; i < IMAGES; i++)
        images[i] = new_image(CL_MEM_READ_WRITE, NULL, region);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    queue = new_queue(0);
    unordered = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    timed = new_queue(CL_QUEUE_PROFILING_ENABLE);
    for (int i = 0; i < QUEUES; i++)
        queues[i] = new_queue(0);
    make_memory();
    make_program();
    restore();
    launch(queue, add, NULL);
    warm_up(finish);
    measure_lines(lines, sizeof lines / sizeof *lines, argc > 1 ? atoi(argv[1]) : 1000, finish, restore);
    return 0;
}
