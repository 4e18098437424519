/* Launches of kernels without Python, where nothing is left for it to decide. Python makes each launch once. */
#ifndef CL2CUDA_LAUNCHES_H
#define CL2CUDA_LAUNCHES_H

#include "plans.h"

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

/* clEnqueueNDRangeKernel: a launch like one that Python has made before is one call of the driver. */
int32_t launch_kernel(struct entry *entry, struct object *queue, struct object *kernel, uint32_t dimensions, const size_t *offset,
                      const size_t *global, const size_t *local, uint32_t wait_count, const void *waits, const void *event);

/* clEnqueueTask */
int32_t launch_task(struct entry *entry, struct object *queue, struct object *kernel, uint32_t wait_count, const void *waits,
                    const void *event);

#endif
