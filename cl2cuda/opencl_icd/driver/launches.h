/* Launches of kernels without Python, where nothing is left for it to decide. Python makes each launch once. */
#ifndef CL2CUDA_LAUNCHES_H
#define CL2CUDA_LAUNCHES_H

#include "calls.h"

/* When a kernel's object goes. */
void drop_plans(struct object *kernel);

/* clEnqueueNDRangeKernel: a launch like one that Python has made before is one call of the driver. */
int32_t launch_kernel(struct entry *entry, struct object *queue, struct object *kernel, uint32_t dimensions, const size_t *offset,
                      const size_t *global, const size_t *local, uint32_t wait_count, const void *waits, const void *event);

#endif
