/* Lines of c_further_calls.c: page-locked memory, maps, fills, rectangles, images, shared memory. */
#ifndef C_FURTHER_COPIES_H
#define C_FURTHER_COPIES_H

#include "c_further_bench.h"

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

#endif
