/* What programs here do with memory objects that begin bare, and with their parts. */
#ifndef MEMORY_OBJECTS_H
#define MEMORY_OBJECTS_H

#include "check.h"

#include <unistd.h>

static inline void CL_CALLBACK count_memory(cl_mem memory, void *data)
{
    (void)memory;
    __atomic_add_fetch((int *)data, 1, __ATOMIC_RELEASE);
}

static inline int comes_to(const int *told, int wanted)
{
    for (int i = 0; i < 5000 && __atomic_load_n(told, __ATOMIC_ACQUIRE) != wanted; i++)
        usleep(1000);
    return __atomic_load_n(told, __ATOMIC_ACQUIRE) == wanted;
}

static inline cl_ulong memory_info(cl_mem memory, cl_mem_info query)
{
    cl_ulong value = 0;
    OK(clGetMemObjectInfo(memory, query, sizeof value, &value, NULL));
    return value;
}

static inline void put(cl_command_queue to, cl_mem buffer, size_t offset, int value, cl_bool blocking)
{
    static _Thread_local int kept;
    kept = value;
    OK(clEnqueueWriteBuffer(to, buffer, blocking, offset, sizeof kept, &kept, 0, NULL, NULL));
}

static inline int got(cl_command_queue from, cl_mem buffer, size_t offset)
{
    int value;
    OK(clEnqueueReadBuffer(from, buffer, CL_TRUE, offset, sizeof value, &value, 0, NULL, NULL));
    return value;
}

static inline cl_mem part_of(cl_mem whole, cl_mem_flags flags, size_t start, size_t size)
{
    cl_int status;
    cl_buffer_region region = { start, size };
    cl_mem part = clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    OK(status);
    return part;
}

#endif
