/* Kernel objects: many programs make one for each call. One that was released is kept by its program, and is the next one of its name,
   without Python: as a new one but that its launches are known. */
#ifndef CL2CUDA_KERNELS_H
#define CL2CUDA_KERNELS_H

#include "calls.h"

/* clCreateKernel, clCreateKernelsInProgram, clCloneKernel */
void *create_kernel(struct entry *entry, struct object *program, const void *name, const void *error);
int32_t create_kernels(struct entry *entry, struct object *program, uint32_t room, const void *kernels, const void *count);
void *clone_kernel(struct entry *entry, struct object *kernel, const void *error);

/* clGetKernelWorkGroupInfo */
int32_t tell_work_group(struct entry *entry, struct object *kernel, struct object *device, uint32_t query, size_t room, const void *value,
                        const void *size);

/* At the last release of a kernel: the one that ends now, if any. */
struct object *kernel_to_end(struct object *kernel);

/* With Python's lock: ends the kernels that a program keeps, which is about to be built, or `for_good`: it keeps no more. */
void end_kernels(struct object *program, int for_good);

#endif
