/* Buffers, and parts of them: where flags and sizes are right and nothing is left for Python to decide, bare ones. */
#ifndef CL2CUDA_BUFFERS_H
#define CL2CUDA_BUFFERS_H

#include "calls.h"

/* The package's function that tells of a context up to which size its buffers begin bare, and where sub-buffers may begin. */
extern PyObject *bare_buffers_of;

/* clCreateBuffer, clCreateSubBuffer */
void *create_buffer(struct entry *entry, struct object *context, uint64_t flags, size_t size, const void *host, const void *error);
void *create_part(struct entry *entry, struct object *buffer, uint64_t flags, uint32_t type, const void *place, const void *error);

/* clGetMemObjectInfo, of what is no fact (facts.h). */
int32_t tell_memory_object(struct entry *entry, struct object *memory, uint32_t query, size_t room, const void *value, const void *size);

#endif
