/* What the lines of c_further_calls.c are measured with: queues, programs, kernels and memory. */
#ifndef C_FURTHER_BENCH_H
#define C_FURTHER_BENCH_H

#include "c_lines.h"

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

static void launch(cl_command_queue where, cl_kernel kernel, cl_uint waits, const cl_event *events, cl_event *event)
{
    NEED(clEnqueueNDRangeKernel(where, kernel, 1, NULL, &items, &group, waits, events, event));
}

static void finish(void)
{
    NEED(clFinish(queue));
    NEED(clFinish(other));
    NEED(clFinish(unordered));
    NEED(clFinish(timed));
}

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

#endif
