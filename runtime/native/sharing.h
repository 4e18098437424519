/* Copies of shared virtual memory, and its pages on the device, as a stream makes them. */
#ifndef CL2CUDA_NATIVE_SHARING_H
#define CL2CUDA_NATIVE_SHARING_H

#include "due_pages.h"
#include "own_kernels.h"
#include "stream_copies.h"

/* Whether the stream does so with shared memory, or the memory is the host's own. */
static inline int can_share(const struct native_stream *stream)
{
    return !stream->read || stream->copy_any;
}

/* One end of a copy: an address, and whether it is shared memory or other memory of the host's. */
struct shared_end {
    uint64_t at;
    int is_shared;
};

struct shared_copy {
    struct shared_end to, from;
    size_t size;
    char *staged; /* NULL where the contents go by no memory between */
};

/* Up to how many bytes a kernel copies them sooner than CUDA does. */
enum { COPIED_BY_KERNEL = 8 << 10 };

/* Whether the copy, one of whose ends is the stream's page-locked memory, is one for the kernel. */
static inline int suits_kernel(const struct shared_copy *copy)
{
    uint64_t shared = copy->to.is_shared ? copy->to.at : copy->from.at;
    return copy->size <= COPIED_BY_KERNEL && !(copy->size % UNIT) && !(shared % UNIT);
}

static inline int copy_shared_now(const struct native_stream *stream, const struct shared_copy *copy, const void *to, const void *from)
{
    uint64_t target = (uintptr_t)to, source = (uintptr_t)from, count = copy->size / UNIT;
    if (copy->staged && suits_kernel(copy)
        && launch_own_kernel(stream, own_kernel(stream, stream->copy_kernel), copy->size, (void *[]){ &target, &source, &count }))
        return 1;
    return !((copy_anywhere *)(uintptr_t)stream->copy_any)(target, source, copy->size, handle_of(stream));
}

/* Whether the copy was given, or made where memory is the host's own; 0 where Python is to make it, and be asked for the kernel. Between
   shared memory and other memory of the host's little that the caller waits for goes by the stream's page-locked memory: CUDA takes
   longer for other memory, to shared one 2 us. */
static inline int begin_shared_copy(struct shared_copy *copy, const struct native_stream *stream, int waits)
{
    void *to = (void *)(uintptr_t)copy->to.at, *from = (void *)(uintptr_t)copy->from.at;
    copy->staged = NULL;
    bring_due_pages_to(stream);
    if (!stream->read) {
        memmove(to, from, copy->size);
        return 1;
    }
    if (waits && !(copy->to.is_shared && copy->from.is_shared)) {
        if (stream->staging && suits_kernel(copy) && own_kernel(stream, stream->copy_kernel) == NOT_ASKED_FOR)
            return 0;
        copy->staged = copy->to.is_shared ? take_staging_to_fill(stream, from, copy->size) : take_staging(stream, to, copy->size);
    }
    if (copy->staged && copy->to.is_shared)
        from = memcpy(copy->staged, from, copy->size);
    else if (copy->staged)
        to = copy->staged;
    return copy_shared_now(stream, copy, to, from);
}

/* `given`: it was; `ended`: the stream has. */
static inline void end_shared_copy(const struct shared_copy *copy, const struct native_stream *stream, int given, int ended)
{
    if (!copy->staged)
        return;
    if (ended && !copy->to.is_shared)
        memcpy((void *)(uintptr_t)copy->to.at, copy->staged, copy->size);
    if (given && !ended)
        leave_staging(stream);
    give_staging(stream);
}

/* Has pages come to the host that are to be mapped, or to be migrated there, where they are not there, nor so few that they come by
   themselves: `was_given`. 0 where CUDA refuses. */
static inline int bring_to_host(const struct native_stream *stream, uint64_t address, uint64_t bytes, int *was_given)
{
    enum { HOST = -1 }; /* CU_DEVICE_CPU */
    int are_there = forget_due_pages(due_pages_of(stream), address, bytes);
    *was_given = stream->prefetch && !are_there && bytes >= stream->few_pages;
    return !*was_given || !((fetch_pages *)(uintptr_t)stream->prefetch)(address, bytes, HOST, handle_of(stream));
}

/* Whether the device gets the pages back, where they may be at the host, or the host is known to have them all (`are_at_host`): when the
   device needs them, if they are not many. */
static inline int give_pages_back(const struct native_stream *stream, uint64_t address, uint64_t bytes, int are_at_host)
{
    return !stream->prefetch || note_due_pages(due_pages_of(stream), (struct due_region){ address, bytes, (uint64_t)are_at_host })
        || !((fetch_pages *)(uintptr_t)stream->prefetch)(address, bytes, (int)stream->device, handle_of(stream));
}

/* Whether a region goes to the host, or to the device, as a migration asks for it. */
static inline int migrate_pages(const struct native_stream *stream, uint64_t address, uint64_t bytes, int to_host)
{
    int was_given;
    return to_host ? bring_to_host(stream, address, bytes, &was_given) : give_pages_back(stream, address, bytes, 0);
}

#endif
