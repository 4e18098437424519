/* What steps of programs take, and calls that programs make now and then, in microseconds: objects with contents, programs and kernels
   made in all ways, loops of a launch and small copies, rectangles, images, shared memory, threads, queries. Run it once for each driver
   and compare (from_c.py). usage: c_further_calls [ROUNDS] */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "c_lines.h"

#include <pthread.h>

enum { SIDE = 256, BYTES = 4 << 20, FEW = 4 << 10, SOME = 64 << 10, MANY = 1 << 20, EVENTS = 16, LAUNCHES = 10, THREADS = 4 };

static cl_command_queue queue, other, unordered, timed;
static cl_program program;
static cl_kernel add, half_of, scale, tile, wide, draw, look, on_shared;
static cl_mem buffer, second, image, second_image, volume, locked;
static cl_event ended;
static void *shared, *few_shared;
static char *host, *locked_host;
static unsigned char *binaries[MOST_DEVICES]; /* the first device's, and none of the others */
static size_t binary_sizes[MOST_DEVICES];

static const size_t origin[3] = { 0 }, square[3] = { SIDE, SIDE, 1 }, region[3] = { 64, 64, 1 }, corner[3] = { 32, 32, 0 };
static const size_t cube[3] = { 32, 32, 16 }, group = 64, items = 4096, tiles[2] = { 16, 16 };
static const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
static const cl_image_desc flat = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE };
static const cl_image_desc small = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 32, .image_height = 32 };
static const cl_image_desc deep = { .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 32, .image_height = 32, .image_depth = 16 };
static const char *source =
    "typedef struct { float4 a, b, c, d; } constants;"
    "kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }"
    "kernel void half_of(global int *a) { a[get_global_id(0)] /= 2; }"
    "kernel void scale(global float4 *a, constants by) { size_t i = get_global_id(0) % 256; a[i] = a[i] * by.a + by.d; }"
    "kernel void tile(global int *a, local int *b) {"
    "    size_t i = get_local_id(0); b[i] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);"
    "    a[get_global_id(0)] = b[get_local_size(0) - 1 - i]; }"
    "kernel void wide(global int *a, global int *b, global int *c, global int *d, int e, int f, float g, float h, long i, long j,"
    "    uint k, uint l, int2 m, float4 n, char o, short p) {"
    "    a[get_global_id(0)] += b[0] + c[0] + d[0] + e + f + (int)(g + h) + (int)(i + j) + k + l + m.x + (int)n.x + o + p; }"
    "kernel void draw(write_only image2d_t image, float b) { write_imagef(image, (int2)(get_global_id(0), get_global_id(1)), b); }"
    "kernel void look(read_only image2d_t image, global float *out) {"
    "    out[get_global_id(0)] = read_imagef(image, (int2)(get_global_id(0) % 32, 1)).x; }"
    "kernel void on_shared(global int *a) { a[get_global_id(0)] += 1; }";

OBJECT(image_few, cl_mem, clReleaseMemObject, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &small, host, &status))
OBJECT(image_many, cl_mem, clReleaseMemObject, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &flat, host, &status))
OBJECT(image_deep, cl_mem, clReleaseMemObject, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &deep, host, &status))
OBJECT(buffer_some, cl_mem, clReleaseMemObject, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, SOME, host, &status))
OBJECT(buffer_many, cl_mem, clReleaseMemObject, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, MANY, host, &status))
OBJECT(buffer_locked, cl_mem, clReleaseMemObject, clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, SOME, NULL, &status))

static void image_of_buffer(void)
{
    cl_image_desc description = { .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 1024, .mem_object = buffer };
    cl_mem made = clCreateImage(context, 0, &format, &description, NULL, &status);
    NEED(status);
    clReleaseMemObject(made);
}

/* What programs of images do with each frame. */
static void frame(void)
{
    const size_t width = 1024;
    cl_mem made = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &flat, host, &status);
    NEED(status);
    NEED(clSetKernelArg(look, 0, sizeof made, &made));
    NEED(clEnqueueNDRangeKernel(queue, look, 1, NULL, &width, &group, 0, NULL, NULL));
    NEED(clFinish(queue));
    clReleaseMemObject(made);
}

/* What programs do that keep nothing: input up, a launch, output back. */
static void whole_step(size_t size)
{
    cl_int one = 1;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, host, &status);
    NEED(status);
    NEED(clSetKernelArg(add, 0, sizeof made, &made));
    NEED(clSetKernelArg(add, 1, sizeof one, &one));
    size_t count = size / sizeof one;
    NEED(clEnqueueNDRangeKernel(queue, add, 1, NULL, &count, NULL, 0, NULL, NULL));
    NEED(clEnqueueReadBuffer(queue, made, CL_TRUE, 0, size, host, 0, NULL, NULL));
    clReleaseMemObject(made);
    NEED(clSetKernelArg(add, 0, sizeof buffer, &buffer));
}
LINE(whole_few, whole_step(FEW))
LINE(whole_many, whole_step(MANY))

static void CL_CALLBACK note_end(cl_mem object, void *data)
{
    (void)object;
    *(volatile int *)data = 1;
}

static void buffer_with_callback(void)
{
    volatile int is_called = 0;
    cl_mem made = clCreateBuffer(context, 0, FEW, NULL, &status);
    NEED(status);
    NEED(clSetMemObjectDestructorCallback(made, note_end, (void *)&is_called));
    clReleaseMemObject(made);
    while (!is_called)
        ;
}

/* The same of a buffer that has been used. */
static void used_with_callback(void)
{
    volatile int is_called = 0;
    cl_mem made = clCreateBuffer(context, 0, FEW, NULL, &status);
    NEED(status);
    NEED(clSetMemObjectDestructorCallback(made, note_end, (void *)&is_called));
    NEED(clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, 64, host, 0, NULL, NULL));
    clReleaseMemObject(made);
    NEED(clFinish(queue));
    while (!is_called)
        ;
}

/* As libraries ask what they are given. */
static void buffer_asked(void)
{
    size_t size;
    cl_context its;
    cl_mem made = clCreateBuffer(context, 0, FEW, NULL, &status);
    NEED(status);
    NEED(clGetMemObjectInfo(made, CL_MEM_SIZE, sizeof size, &size, NULL));
    NEED(clGetMemObjectInfo(made, CL_MEM_CONTEXT, sizeof its, &its, NULL));
    clReleaseMemObject(made);
}

static void event_asked(void)
{
    cl_event event;
    cl_command_queue its;
    cl_command_type type;
    NEED(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
    NEED(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    NEED(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof its, &its, NULL));
    clReleaseEvent(event);
}

/* OpenCL 1.1. */
static void old_order(void)
{
    cl_event event;
    NEED(clEnqueueMarker(queue, &event));
    NEED(clEnqueueWaitForEvents(queue, 1, &event));
    NEED(clEnqueueBarrier(queue));
    clReleaseEvent(event);
}

/* Steps that work on less and less. */
static void less_and_less(void)
{
    static size_t left = 4096;
    left = left > 64 ? left - 64 : 4096;
    NEED(clEnqueueNDRangeKernel(queue, add, 1, NULL, &left, &group, 0, NULL, NULL));
}

/* As much as there is, and tiles of what is large. */
static void sizes_once(void)
{
    static size_t size;
    size = size % (MANY / 8) + 61;
    NEED(clEnqueueNDRangeKernel(queue, add, 1, NULL, &size, NULL, 0, NULL, NULL));
}

static void offsets_once(void)
{
    static size_t offset;
    const size_t size = 1024;
    offset = offset % (MANY / 8) + 64;
    NEED(clEnqueueNDRangeKernel(queue, add, 1, &offset, &size, &group, 0, NULL, NULL));
}

static void null_argument(void)
{
    const cl_mem none = NULL;
    NEED(clSetKernelArg(half_of, 0, sizeof none, &none));
    NEED(clSetKernelArg(half_of, 0, sizeof buffer, &buffer));
}

static void all_kernels(void)
{
    cl_kernel made[16];
    cl_uint count;
    NEED(clCreateKernelsInProgram(program, 16, made, &count));
    for (cl_uint i = 0; i < count; i++)
        clReleaseKernel(made[i]);
}

static void from_binary(void)
{
    cl_program made = clCreateProgramWithBinary(context, 1, &device, binary_sizes, (const unsigned char **)binaries, NULL, &status);
    NEED(status);
    NEED(clBuildProgram(made, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(made, "add", &status);
    NEED(status);
    clReleaseKernel(kernel);
    clReleaseProgram(made);
}

static void compile_and_link(void)
{
    cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    NEED(status);
    NEED(clCompileProgram(made, 1, &device, "", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 1, &device, "", 1, &made, NULL, NULL, &status);
    NEED(status);
    clReleaseProgram(linked);
    clReleaseProgram(made);
}

/* A launch of a program just built, as a process's first use of it is. */
static void build_and_launch(void)
{
    cl_int one = 1;
    cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    NEED(status);
    NEED(clBuildProgram(made, 1, &device, "-DAGAIN", NULL, NULL));
    cl_kernel kernel = clCreateKernel(made, "add", &status);
    NEED(status);
    NEED(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    NEED(clSetKernelArg(kernel, 1, sizeof one, &one));
    NEED(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    NEED(clFinish(queue));
    clReleaseKernel(kernel);
    clReleaseProgram(made);
}

static void launch(cl_command_queue where, cl_kernel kernel, cl_uint waits, const cl_event *events, cl_event *event)
{
    NEED(clEnqueueNDRangeKernel(where, kernel, 1, NULL, &items, &group, waits, events, event));
}

static void write_constants(void)
{
    static cl_float constants[16];
    constants[0]++;
    NEED(clSetKernelArg(scale, 1, sizeof constants, constants));
    launch(queue, scale, 0, NULL, NULL);
}

static void local_sizes(void)
{
    static size_t turn;
    NEED(clSetKernelArg(tile, 1, 256 << (turn++ & 3), NULL));
    launch(queue, tile, 0, NULL, NULL);
}

static void sixteen_arguments(void)
{
    static cl_int number;
    cl_int wider[4] = { ++number };
    for (cl_uint i = 0; i < 4; i++)
        NEED(clSetKernelArg(wide, i, sizeof buffer, i & 1 ? &second : &buffer));
    static const size_t sizes[] = { 4, 4, 4, 4, 8, 8, 4, 4, 8, 16, 1, 2 };
    for (cl_uint i = 0; i < 12; i++)
        NEED(clSetKernelArg(wide, 4 + i, sizes[i], wider));
    launch(queue, wide, 0, NULL, NULL);
}

/* Two kernels in turn, as solvers have them, to their end. */
static void ping_pong(void)
{
    for (int i = 0; i < LAUNCHES; i++) {
        launch(queue, add, 0, NULL, NULL);
        launch(queue, half_of, 0, NULL, NULL);
    }
    NEED(clFinish(queue));
}

/* A loop until it converges. */
static void launch_and_read(void)
{
    cl_int found;
    launch(queue, add, 0, NULL, NULL);
    NEED(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL));
}

static void write_launch_read(void)
{
    cl_int numbers[16] = { 1 };
    NEED(clEnqueueWriteBuffer(queue, second, CL_FALSE, 0, sizeof numbers, numbers, 0, NULL, NULL));
    launch(queue, add, 0, NULL, NULL);
    NEED(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL));
}

static void fill_launch_read(void)
{
    cl_int zero = 0;
    NEED(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL));
    launch_and_read();
}

/* Copies that wait for launches by events, over two queues. */
static void pipeline(void)
{
    cl_event written, run, read;
    NEED(clEnqueueWriteBuffer(other, buffer, CL_FALSE, 0, SOME, locked_host, 0, NULL, &written));
    launch(queue, add, 1, &written, &run);
    NEED(clEnqueueReadBuffer(other, buffer, CL_FALSE, 0, SOME, locked_host, 1, &run, &read));
    NEED(clWaitForEvents(1, &read));
    clReleaseEvent(written);
    clReleaseEvent(run);
    clReleaseEvent(read);
}

static void many_events(void)
{
    cl_event events[EVENTS];
    for (int i = 0; i < EVENTS; i++)
        launch(i & 1 ? queue : other, add, 0, NULL, &events[i]);
    NEED(clWaitForEvents(EVENTS, events));
    for (int i = 0; i < EVENTS; i++)
        clReleaseEvent(events[i]);
}

static void join_events(void)
{
    cl_event events[EVENTS], joined;
    for (int i = 0; i < EVENTS; i++)
        launch(unordered, add, 0, NULL, &events[i]);
    NEED(clEnqueueMarkerWithWaitList(unordered, EVENTS, events, &joined));
    launch(unordered, half_of, 1, &joined, NULL);
    NEED(clFinish(unordered));
    for (int i = 0; i < EVENTS; i++)
        clReleaseEvent(events[i]);
    clReleaseEvent(joined);
}

/* Asked again and again until it has ended, as event loops do. */
static void poll(void)
{
    cl_event event;
    launch(queue, add, 0, NULL, &event);
    NEED(clFlush(queue));
    for (cl_int state = CL_QUEUED; state != CL_COMPLETE;)
        NEED(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    clReleaseEvent(event);
}

static void time_of_launch(void)
{
    cl_event event;
    cl_ulong began, ends;
    launch(timed, add, 0, NULL, &event);
    NEED(clWaitForEvents(1, &event));
    NEED(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof began, &began, NULL));
    NEED(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ends, &ends, NULL));
    clReleaseEvent(event);
}

static void time_of_read(void)
{
    cl_event event;
    cl_ulong began;
    NEED(clEnqueueReadBuffer(timed, buffer, CL_TRUE, 0, SOME, host, 0, NULL, &event));
    NEED(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof began, &began, NULL));
    clReleaseEvent(event);
}

static void *launch_many(void *data)
{
    cl_command_queue own = data;
    cl_kernel kernel = clCreateKernel(program, "add", &status);
    cl_int one = 1;
    NEED(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    NEED(clSetKernelArg(kernel, 1, sizeof one, &one));
    for (int i = 0; i < 1000; i++)
        launch(own, kernel, 0, NULL, NULL);
    NEED(clFinish(own));
    clReleaseKernel(kernel);
    return NULL;
}

/* Each thread launches a thousand times into a queue of its own. */
static void threads(void)
{
    static cl_command_queue own[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        if (!own[i])
            own[i] = clCreateCommandQueueWithProperties(context, device, NULL, &status);
        pthread_create(&thread[i], NULL, launch_many, own[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

/* Page-locked memory, of which programs take a buffer that they keep mapped. */
#define LOCKED(name, size) \
    LINE(locked_read_##name, NEED(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, locked_host, 0, NULL, NULL))) \
    LINE(locked_write_##name, NEED(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, locked_host, 0, NULL, NULL))) \
    LINE(locked_later_##name, NEED(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, size, locked_host, 0, NULL, NULL)); \
         NEED(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, size, locked_host, 0, NULL, NULL)); NEED(clFinish(queue)))
LOCKED(few, FEW)
LOCKED(some, SOME)
LOCKED(many, MANY)
LOCKED(most, BYTES)

static void map_locked(cl_map_flags flags, size_t size)
{
    void *mapped = clEnqueueMapBuffer(queue, locked, CL_TRUE, flags, 0, size, 0, NULL, NULL, &status);
    NEED(status);
    NEED(clEnqueueUnmapMemObject(queue, locked, mapped, 0, NULL, NULL));
    NEED(clFinish(queue));
}
LINE(map_locked_read, map_locked(CL_MAP_READ, SOME))
LINE(map_locked_write, map_locked(CL_MAP_WRITE, SOME))

static void map_part_of_image(cl_mem what, cl_map_flags flags, const size_t *size)
{
    size_t row, slice;
    void *mapped = clEnqueueMapImage(queue, what, CL_TRUE, flags, origin, size, &row, &slice, 0, NULL, NULL, &status);
    NEED(status);
    NEED(clEnqueueUnmapMemObject(queue, what, mapped, 0, NULL, NULL));
    NEED(clFinish(queue));
}
LINE(map_image_write, map_part_of_image(image, CL_MAP_WRITE_INVALIDATE_REGION, region))
LINE(map_image_both, map_part_of_image(image, CL_MAP_READ | CL_MAP_WRITE, region))
LINE(map_volume, map_part_of_image(volume, CL_MAP_READ, cube))

static const cl_uchar byte = 7;
static const cl_double16 widest;
static const cl_float color[4] = { 0, 1, 0, 1 };
static const size_t bytes_of_region[3] = { 64 * 4, 64, 1 }, bytes_of_cube[3] = { 128, 32, 16 };
LINE(fill_bytes, NEED(clEnqueueFillBuffer(queue, buffer, &byte, 1, 0, MANY, 0, NULL, NULL)))
LINE(fill_widest, NEED(clEnqueueFillBuffer(queue, buffer, &widest, sizeof widest, 0, MANY, 0, NULL, NULL)))
LINE(fill_region, NEED(clEnqueueFillImage(queue, image, color, corner, region, 0, NULL, NULL)))
LINE(write_rectangle, NEED(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, origin, origin, bytes_of_region, 1024, 0, 256, 0, host, 0, NULL, NULL)))
LINE(write_cube, NEED(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, origin, origin, bytes_of_cube, 256, 16384, 128, 4096, host, 0, NULL, NULL)))
LINE(read_cube, NEED(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, bytes_of_cube, 256, 16384, 128, 4096, host, 0, NULL, NULL)))
LINE(copy_cube, NEED(clEnqueueCopyBufferRect(queue, buffer, second, origin, origin, bytes_of_cube, 256, 16384, 128, 4096, 0, NULL, NULL)))
LINE(write_region, NEED(clEnqueueWriteImage(queue, image, CL_TRUE, corner, region, 0, 0, host, 0, NULL, NULL)))
LINE(read_region, NEED(clEnqueueReadImage(queue, image, CL_TRUE, corner, region, 0, 0, host, 0, NULL, NULL)))
LINE(read_region_rows, NEED(clEnqueueReadImage(queue, image, CL_TRUE, corner, region, 1024, 0, host, 0, NULL, NULL)))
LINE(write_volume, NEED(clEnqueueWriteImage(queue, volume, CL_TRUE, origin, cube, 0, 0, host, 0, NULL, NULL)))
LINE(read_volume, NEED(clEnqueueReadImage(queue, volume, CL_TRUE, origin, cube, 0, 0, host, 0, NULL, NULL)))
LINE(write_image_locked, NEED(clEnqueueWriteImage(queue, image, CL_TRUE, origin, square, 0, 0, locked_host, 0, NULL, NULL)))
LINE(read_image_locked, NEED(clEnqueueReadImage(queue, image, CL_TRUE, origin, square, 0, 0, locked_host, 0, NULL, NULL)))
LINE(copy_region, NEED(clEnqueueCopyImage(queue, image, second_image, corner, origin, region, 0, NULL, NULL)))
LINE(copy_many, NEED(clEnqueueCopyBuffer(queue, buffer, second, 0, 0, MANY, 0, NULL, NULL)); NEED(clFinish(queue)))
LINE(finish_launch, launch(queue, add, 0, NULL, NULL); NEED(clFinish(queue)))
LINE(draw_image, NEED(clEnqueueNDRangeKernel(queue, draw, 2, NULL, square, tiles, 0, NULL, NULL)); NEED(clFinish(queue)))

static void draw_and_read(void)
{
    NEED(clEnqueueNDRangeKernel(queue, draw, 2, NULL, square, tiles, 0, NULL, NULL));
    NEED(clEnqueueReadImage(queue, image, CL_TRUE, origin, square, 0, 0, host, 0, NULL, NULL));
}

static void write_waits(void)
{
    cl_event run, written;
    launch(queue, add, 0, NULL, &run);
    NEED(clEnqueueWriteBuffer(other, second, CL_TRUE, 0, FEW, host, 1, &run, &written));
    clReleaseEvent(run);
    clReleaseEvent(written);
}

/* Shared virtual memory. */
static void make_shared(void)
{
    void *made = clSVMAlloc(context, CL_MEM_READ_WRITE, MANY, 0);
    need(!made, "clSVMAlloc");
    clSVMFree(context, made);
}

static void map_shared(void *where, size_t size, cl_map_flags flags)
{
    NEED(clEnqueueSVMMap(queue, CL_TRUE, flags, where, size, 0, NULL, NULL));
    memset(where, 1, size);
    NEED(clEnqueueSVMUnmap(queue, where, 0, NULL, NULL));
    NEED(clFinish(queue));
}

static void step_shared(void *where, size_t size)
{
    NEED(clSetKernelArgSVMPointer(on_shared, 0, where));
    NEED(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, where, size, 0, NULL, NULL));
    memset(where, 1, size);
    NEED(clEnqueueSVMUnmap(queue, where, 0, NULL, NULL));
    size_t count = size / sizeof(cl_int);
    NEED(clEnqueueNDRangeKernel(queue, on_shared, 1, NULL, &count, NULL, 0, NULL, NULL));
    NEED(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, where, size, 0, NULL, NULL));
    need(*(volatile cl_int *)where != 0x01010102, "a result in shared memory");
    NEED(clEnqueueSVMUnmap(queue, where, 0, NULL, NULL));
}
LINE(map_shared_few, map_shared(few_shared, FEW, CL_MAP_WRITE))
LINE(map_shared_some, map_shared(shared, SOME, CL_MAP_WRITE))
LINE(map_shared_many, map_shared(shared, MANY, CL_MAP_WRITE_INVALIDATE_REGION))
LINE(step_shared_few, step_shared(few_shared, FEW))
LINE(step_shared_some, step_shared(shared, SOME))
LINE(step_shared_many, step_shared(shared, MANY))
LINE(copy_shared, NEED(clEnqueueSVMMemcpy(queue, CL_TRUE, shared, host, MANY, 0, NULL, NULL)))
LINE(launch_shared, NEED(clSetKernelArgSVMPointer(on_shared, 0, shared)); launch(queue, on_shared, 0, NULL, NULL))
LINE(migrate_shared, NEED(clEnqueueSVMMigrateMem(queue, 1, (const void **)&shared, NULL, 0, 0, NULL, NULL)))

QUERY(ask_source, clGetProgramInfo, program, CL_PROGRAM_SOURCE)
QUERY(ask_kernels, clGetProgramInfo, program, CL_PROGRAM_NUM_KERNELS)
QUERY(ask_names, clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES)
QUERY(ask_binary_size, clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES)
QUERY(ask_log, clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_LOG)
QUERY(ask_binary_type, clGetProgramBuildInfo, program, device, CL_PROGRAM_BINARY_TYPE)
QUERY(ask_argument, clGetKernelArgInfo, add, 0, CL_KERNEL_ARG_TYPE_NAME)
QUERY(ask_attributes, clGetKernelInfo, add, CL_KERNEL_ATTRIBUTES)
QUERY(ask_compile_size, clGetKernelWorkGroupInfo, add, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE)
QUERY(ask_local, clGetKernelWorkGroupInfo, add, device, CL_KERNEL_LOCAL_MEM_SIZE)
QUERY(ask_private, clGetKernelWorkGroupInfo, add, device, CL_KERNEL_PRIVATE_MEM_SIZE)
QUERY(ask_image_format, clGetImageInfo, image, CL_IMAGE_FORMAT)
QUERY(ask_program_devices, clGetProgramInfo, program, CL_PROGRAM_DEVICES)
QUERY(ask_map_count, clGetMemObjectInfo, buffer, CL_MEM_MAP_COUNT)
QUERY(ask_memory_context, clGetMemObjectInfo, buffer, CL_MEM_CONTEXT)
QUERY(ask_memory_type, clGetMemObjectInfo, buffer, CL_MEM_TYPE)
QUERY(ask_event_context, clGetEventInfo, ended, CL_EVENT_CONTEXT)
QUERY(ask_queue_properties, clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES)
QUERY(ask_context_count, clGetContextInfo, context, CL_CONTEXT_NUM_DEVICES)
QUERY(ask_units, clGetDeviceInfo, device, CL_DEVICE_MAX_COMPUTE_UNITS)
QUERY(ask_version, clGetPlatformInfo, platform, CL_PLATFORM_VERSION)

static void ask_binary(void)
{
    unsigned char *places[MOST_DEVICES] = { (unsigned char *)answer };
    if (binary_sizes[0] <= sizeof answer)
        NEED(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof places, places, NULL));
}

static void ask_devices(void)
{
    cl_device_id found[16];
    NEED(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, found, NULL));
}

static void ask_formats(void)
{
    static cl_image_format formats[512];
    cl_uint count;
    NEED(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 512, formats, &count));
}

LINE(retain_all, clRetainMemObject(buffer); clRetainKernel(add); clRetainProgram(program); clRetainCommandQueue(queue); clRetainContext(context);
     clReleaseMemObject(buffer); clReleaseKernel(add); clReleaseProgram(program); clReleaseCommandQueue(queue); clReleaseContext(context))

static void finish(void)
{
    NEED(clFinish(queue));
    NEED(clFinish(other));
    NEED(clFinish(unordered));
    NEED(clFinish(timed));
}

static const struct line lines[] = {
    { "image of 32 x 32 with contents", image_few, 0 },
    { "image of 256 x 256 with contents", image_many, LONG },
    { "image of 32 x 32 x 16 with contents", image_deep, 0 },
    { "buffer of 64 KiB with contents", buffer_some, 0 },
    { "buffer of 1 MiB with contents", buffer_many, LONG },
    { "ALLOC_HOST_PTR buffer of 64 KiB", buffer_locked, 0 },
    { "image of a buffer", image_of_buffer, 0 },
    { "image with contents, launch, clFinish", frame, LONG },
    { "buffer with contents, launch, read: 4 KiB", whole_few, LONG },
    { "the same with 1 MiB", whole_many, LONG },
    { "buffer with a destructor callback", buffer_with_callback, LONG },
    { "the same, written before", used_with_callback, LONG },
    { "buffer made, its size and context, released", buffer_asked, 0 },
    { "clCreateKernelsInProgram, released", all_kernels, LONG },
    { "program of a binary, a kernel, released", from_binary, LONG },
    { "clCompileProgram, clLinkProgram", compile_and_link, LONG },
    { "built again, launched, clFinish", build_and_launch, LONG },
    { "a new struct of 64 B, launch", write_constants, 0 },
    { "local memory of another size, launch", local_sizes, 0 },
    { "sixteen arguments, launch", sixteen_arguments, 0 },
    { "clSetKernelArg, NULL and a buffer", null_argument, 0 },
    { "launches of less and less work-groups", less_and_less, 0 },
    { "launches of sizes that come once, groups left open", sizes_once, 0 },
    { "launches from offsets that come once", offsets_once, 0 },
    { "clEnqueueMarker, clEnqueueWaitForEvents, Barrier", old_order, 0 },
    { "marker, its event's type and queue", event_asked, 0 },
    { "twenty launches of two kernels, clFinish", ping_pong, LONG },
    { "launch, read 4 B", launch_and_read, 0 },
    { "write 64 B, launch, read 64 B", write_launch_read, 0 },
    { "fill 4 B, launch, read 4 B", fill_launch_read, 0 },
    { "write, launch, read by events, two queues", pipeline, 0 },
    { "sixteen launches over two queues, their events", many_events, LONG },
    { "sixteen out of order, marker, launch", join_events, LONG },
    { "launch, its status until it has ended", poll, 0 },
    { "launch with times, wait, times", time_of_launch, 0 },
    { "read 64 KiB with times, time", time_of_read, 0 },
    { "four threads, a thousand launches each", threads, LONGEST },
    { "page-locked: read 4 KiB", locked_read_few, 0 },
    { "page-locked: write 4 KiB", locked_write_few, 0 },
    { "page-locked: write, read, 4 KiB, clFinish", locked_later_few, 0 },
    { "page-locked: read 64 KiB", locked_read_some, 0 },
    { "page-locked: write 64 KiB", locked_write_some, 0 },
    { "page-locked: write, read, 64 KiB, clFinish", locked_later_some, 0 },
    { "page-locked: read 1 MiB", locked_read_many, LONG },
    { "page-locked: write 1 MiB", locked_write_many, LONG },
    { "page-locked: write, read, 1 MiB, clFinish", locked_later_many, LONG },
    { "page-locked: read 4 MiB", locked_read_most, LONG },
    { "page-locked: write 4 MiB", locked_write_most, LONG },
    { "page-locked: write, read, 4 MiB, clFinish", locked_later_most, LONG },
    { "ALLOC_HOST_PTR, 64 KiB: map to read, unmap", map_locked_read, 0 },
    { "ALLOC_HOST_PTR, 64 KiB: map to write, unmap", map_locked_write, 0 },
    { "part of an image: map to write, unmap", map_image_write, 0 },
    { "part of an image: map for both, unmap", map_image_both, 0 },
    { "image of three dimensions: map, unmap", map_volume, 0 },
    { "fill 1 MiB with a byte", fill_bytes, 0 },
    { "fill 1 MiB with a double16", fill_widest, 0 },
    { "fill a part of an image", fill_region, 0 },
    { "write a rectangle of 16 KiB", write_rectangle, 0 },
    { "write a box of 64 KiB", write_cube, 0 },
    { "read a box of 64 KiB", read_cube, 0 },
    { "copy a box of 64 KiB", copy_cube, 0 },
    { "write a part of an image", write_region, 0 },
    { "read a part of an image", read_region, 0 },
    { "read a part of an image, longer rows", read_region_rows, 0 },
    { "write an image of three dimensions", write_volume, 0 },
    { "read an image of three dimensions", read_volume, 0 },
    { "page-locked: write an image of 256 KiB", write_image_locked, LONG },
    { "page-locked: read an image of 256 KiB", read_image_locked, LONG },
    { "copy a part of an image", copy_region, 0 },
    { "copy 1 MiB on the device, clFinish", copy_many, 0 },
    { "launch, clFinish", finish_launch, 0 },
    { "launch that writes an image, clFinish", draw_image, 0 },
    { "launch that writes an image, read", draw_and_read, LONG },
    { "write that waits for another queue's launch", write_waits, 0 },
    { "clRetain and clRelease of five objects", retain_all, 0 },
    { "clGetProgramInfo, source", ask_source, 0 },
    { "clGetProgramInfo, number of kernels", ask_kernels, 0 },
    { "clGetProgramInfo, names of kernels", ask_names, 0 },
    { "clGetProgramInfo, size of the binary", ask_binary_size, 0 },
    { "clGetProgramInfo, binary", ask_binary, 0 },
    { "clGetProgramBuildInfo, log", ask_log, 0 },
    { "clGetProgramBuildInfo, kind of binary", ask_binary_type, 0 },
    { "clGetKernelArgInfo, type", ask_argument, 0 },
    { "clGetKernelInfo, attributes", ask_attributes, 0 },
    { "clGetKernelWorkGroupInfo, size at compilation", ask_compile_size, 0 },
    { "clGetKernelWorkGroupInfo, local memory", ask_local, 0 },
    { "clGetKernelWorkGroupInfo, private memory", ask_private, 0 },
    { "clGetImageInfo, format", ask_image_format, 0 },
    { "clGetProgramInfo, devices", ask_program_devices, 0 },
    { "clGetMemObjectInfo, maps", ask_map_count, 0 },
    { "clGetMemObjectInfo, context", ask_memory_context, 0 },
    { "clGetMemObjectInfo, type", ask_memory_type, 0 },
    { "clGetEventInfo, context", ask_event_context, 0 },
    { "clGetCommandQueueInfo, properties", ask_queue_properties, 0 },
    { "clGetContextInfo, number of devices", ask_context_count, 0 },
    { "clGetDeviceInfo, compute units", ask_units, 0 },
    { "clGetPlatformInfo, version", ask_version, 0 },
    { "clGetDeviceIDs", ask_devices, 0 },
    { "clGetSupportedImageFormats", ask_formats, 0 },
    { "shared memory of 1 MiB made, freed", make_shared, LONG },
    { "shared, 4 KiB: map, write, unmap", map_shared_few, 0 },
    { "shared, 64 KiB: map, write, unmap", map_shared_some, 0 },
    { "shared, 1 MiB: map, write, unmap", map_shared_many, LONG },
    { "shared, 4 KiB: written, launch, read", step_shared_few, 0 },
    { "shared, 64 KiB: written, launch, read", step_shared_some, 0 },
    { "shared, 1 MiB: written, launch, read", step_shared_many, LONG },
    { "shared: write 1 MiB", copy_shared, LONG },
    { "shared: argument, launch", launch_shared, 0 },
    { "shared: migrate to the device", migrate_shared, 0 },
};

static cl_kernel new_kernel(const char *name, cl_mem first)
{
    cl_kernel made = clCreateKernel(program, name, &status);
    NEED(status);
    NEED(clSetKernelArg(made, 0, sizeof first, &first));
    return made;
}

static cl_mem new_image(const cl_image_desc *description)
{
    cl_mem made = clCreateImage(context, 0, &format, description, NULL, &status);
    NEED(status);
    return made;
}

static cl_mem new_buffer(cl_mem_flags flags)
{
    cl_mem made = clCreateBuffer(context, flags, BYTES, NULL, &status);
    NEED(status);
    return made;
}

static void prepare(int argc, char **argv)
{
    begin(argc, argv);
    queue = new_queue(0);
    other = new_queue(0);
    unordered = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    timed = new_queue(CL_QUEUE_PROFILING_ENABLE);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    NEED(clBuildProgram(program, 1, &device, "-cl-kernel-arg-info", NULL, NULL));
    buffer = new_buffer(0);
    second = new_buffer(0);
    locked = new_buffer(CL_MEM_ALLOC_HOST_PTR);
    image = new_image(&flat);
    second_image = new_image(&flat);
    volume = new_image(&deep);
    host = malloc(BYTES);
    shared = clSVMAlloc(context, CL_MEM_READ_WRITE, MANY, 0);
    few_shared = clSVMAlloc(context, CL_MEM_READ_WRITE, FEW, 0);
    need(!host || !shared || !few_shared, "memory");
    memset(host, 1, BYTES);
    const cl_int one = 1;
    const cl_float half = 0.5f;
    add = new_kernel("add", buffer);
    half_of = new_kernel("half_of", buffer);
    scale = new_kernel("scale", buffer);
    tile = new_kernel("tile", buffer);
    wide = new_kernel("wide", buffer);
    draw = new_kernel("draw", image);
    look = new_kernel("look", image);
    on_shared = new_kernel("on_shared", buffer);
    NEED(clSetKernelArg(add, 1, sizeof one, &one));
    NEED(clSetKernelArg(draw, 1, sizeof half, &half));
    NEED(clSetKernelArg(look, 1, sizeof buffer, &buffer));
    NEED(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof binary_sizes, binary_sizes, NULL));
    binaries[0] = malloc(binary_sizes[0]);
    need(!binaries[0], "memory");
    NEED(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
    NEED(clEnqueueMarkerWithWaitList(queue, 0, NULL, &ended));
    cl_mem kept = new_buffer(CL_MEM_ALLOC_HOST_PTR);
    locked_host = clEnqueueMapBuffer(queue, kept, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &status);
    NEED(status);
    finish();
}

int main(int argc, char **argv)
{
    prepare(argc, argv);
    launch(queue, add, 0, NULL, NULL);
    warm_up(finish);
    measure_lines(lines, sizeof lines / sizeof *lines, argc > 1 ? atoi(argv[1]) : 1000, finish, finish);
    return 0;
}
