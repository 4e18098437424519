/* Arguments and launches of kernels without Python, where nothing is left for it to decide. Python makes each launch once. */
#ifndef CL2CUDA_LAUNCHES_H
#define CL2CUDA_LAUNCHES_H

#include "calls.h"

/* With Python's lock, for a new kernel: what Python lets us do with it. */
void find_places(struct object *kernel);

/* When a kernel's object goes. */
void drop_plans(struct object *kernel);

/* clSetKernelArg: a new value of an argument that Python has set before is written to its place. */
int32_t set_argument(struct entry *entry, struct object *kernel, uint32_t index, size_t size, const void *value);

/* clEnqueueNDRangeKernel: a launch like one that Python has made before is one call of the driver. */
int32_t launch_kernel(struct entry *entry, struct object *queue, struct object *kernel, uint32_t dimensions, const size_t *offset,
                      const size_t *global, const size_t *local, uint32_t wait_count, const void *waits, const void *event);

#endif
