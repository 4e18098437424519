/* Launches of kernels without Python, where nothing is left for it to decide. Python makes each launch once. */
#ifndef CL2CUDA_LAUNCHES_H
#define CL2CUDA_LAUNCHES_H

#include "calls.h"

/* A launch (runtime.driver.device.NativeLaunch). */
struct launch {
    uint64_t kind; /* of enum launch_kind */
    uint64_t address, current, context;
    uint64_t words[13];
};

/* Which of the words is the address of the parameters' addresses; how many parameters there are, and where their values are. */
enum { PARAMETERS = 9 };
struct parameters {
    uint64_t count, values, size;
};

/* A launch that Python has made, by all that decides it beside the arguments' values. */
struct plan_key {
    uint64_t number, serial;
    uint32_t dimensions, has_offset, has_local;
    size_t offset[3], global[3], local[3];
};

/* With Python's lock: the answer of a function of the package that is told of a launch, and of what else is told with it, unless that is
   NULL. */
PyObject *ask_of(PyObject *function, struct object *queue, struct object *kernel, const struct plan_key *key, PyObject *more);

/* Gives a grid that reads no record to the stream of the queue, or the lane; 0 where that is Python's. */
int give_grid(const struct launch *launch, const struct object *where);

/* What launches of a kernel and of one size are known by among those of a queue. */
static inline const void *launch_name(const struct object *kernel, const size_t *global)
{
    return (const void *)((uintptr_t)kernel + global[0]);
}

/* When a kernel's object goes. */
void drop_plans(struct object *kernel);

/* See begin_objects_anew: no thread is at the kernel's plans. */
void begin_plans_anew(struct object *kernel);

/* clEnqueueNDRangeKernel: a launch like one that Python has made before is one call of the driver. */
int32_t launch_kernel(struct entry *entry, struct object *queue, struct object *kernel, uint32_t dimensions, const size_t *offset,
                      const size_t *global, const size_t *local, uint32_t wait_count, const void *waits, const void *event);

/* clEnqueueTask */
int32_t launch_task(struct entry *entry, struct object *queue, struct object *kernel, uint32_t wait_count, const void *waits,
                    const void *event);

#endif
