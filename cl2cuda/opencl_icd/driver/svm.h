/* Commands on shared virtual memory without Python, once it has made one with the same allocation (sharing.h of runtime/native). */
#ifndef CL2CUDA_SVM_H
#define CL2CUDA_SVM_H

#include "calls.h"

/* The package's functions. */
extern PyObject *allocation_of, *note_shared_mapped;

/* See begin_objects_anew: no thread is at what the context knows of shared memory. */
void begin_sharing_anew(struct object *context);

int32_t copy_shared(struct entry *entry, struct object *queue, uint32_t blocking, const void *target, const void *source, size_t size,
                    uint32_t wait_count, const void *waits, const void *event);
int32_t fill_shared(struct entry *entry, struct object *queue, const void *address, const void *pattern, size_t width, size_t size,
                    uint32_t wait_count, const void *waits, const void *event);
int32_t map_shared(struct entry *entry, struct object *queue, uint32_t blocking, uint64_t flags, const void *address, size_t size,
                   uint32_t wait_count, const void *waits, const void *event);
int32_t unmap_shared(struct entry *entry, struct object *queue, const void *address, uint32_t wait_count, const void *waits,
                     const void *event);
int32_t migrate_shared(struct entry *entry, struct object *queue, uint32_t count, const void *pointers, const void *sizes, uint64_t flags,
                       uint32_t wait_count, const void *waits, const void *event);

#endif
