/* Copies between a stream's memory and the host's: which of them code in C makes, by which way, and what became of them. */
#ifndef CL2CUDA_NATIVE_STREAM_COPIES_H
#define CL2CUDA_NATIVE_STREAM_COPIES_H

#include "moves.h"
#include "stream_waits.h"

#include <string.h>

/* Memory of the stream's on the device, for one command after the other: runtime/cuda/scratch.py makes it and has its words. The first
   `filled` bytes are the element of so many bytes, again and again. Beside it page-locked memory of the host's, from byte STAGED on, for
   reads and writes of at most so many bytes: 0 where none was to be had. */
enum { LARGEST_ELEMENT = 16 };

struct device_scratch {
    uint64_t taken, memory, size, filled, width;
    char element[LARGEST_ELEMENT];
    uint64_t staging, staging_size;
};

/* The largest write by way of memory of ours (SCRATCH of runtime.cuda.copy_sizes); where the contents of staged reads are, and the largest
   of them that take less than asking whether the host's memory is page-locked. */
enum { SCRATCH = 16 << 10, STAGED = 64, STAGED_UNASKED = 16 << 10 };
/* The largest write of a buffer that goes by page-locked memory as a whole (STAGED_AS_A_WHOLE of runtime.cuda.scratch). */
enum { MOST_IN_PARTS = 1 << 20 };
/* The most page-locked memory of the host's whose copy is waited for here: of more, it takes long. */
enum { MOST_LOCKED = 16 << 20 };

/* Whether CUDA has allocated or page-locked the host's memory. */
static inline int is_page_locked(const struct native_stream *stream, const void *host)
{
    static const int memory_type = 2; /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE */
    unsigned type = 0;
    void *answer = &type;
    return ((get_attributes *)(uintptr_t)stream->attributes)(1, &memory_type, &answer, (uintptr_t)host) || type;
}

/* Whether any of the host's memory is not, as far as its ends tell. */
static inline int is_pageable(const struct native_stream *stream, const void *host, size_t size)
{
    return !is_page_locked(stream, host) || !is_page_locked(stream, (const char *)host + size - 1);
}

/* Whether one copy of so much, which CUDA makes by itself where the host's memory is page-locked, is waited for here. */
static inline int waits_for_locked(const struct native_stream *stream, size_t size)
{
    return stream->poll_ns && size <= MOST_LOCKED;
}

/* Whether it is such a copy. */
static inline int is_one_copy(const struct native_stream *stream, const void *host, size_t size)
{
    return waits_for_locked(stream, size) && !is_pageable(stream, host, size);
}

/* Whether a read that the caller waits for is made from here, or a write, of which the caller waits for nothing before it unless `waits`.
   All else is Python's, as is what is page-locked and much, of which CUDA makes one copy that takes long, or is not little and not waited
   for: CUDA reads it after its call has returned. */
static inline int can_read(const struct native_stream *stream, const void *host, size_t size)
{
    return size <= stream->most_read || size < stream->least_read
        || (stream->pool && (waits_for_locked(stream, size) || is_pageable(stream, host, size)));
}

static inline int can_write(const struct native_stream *stream, const void *host, size_t size, int waits)
{
    if (size <= stream->most_written)
        return 1;
    if (waits)
        return (stream->pool || size < stream->least_written) && (waits_for_locked(stream, size) || is_pageable(stream, host, size));
    return stream->pool && size <= stream->most_unwaited && is_pageable(stream, host, size);
}

/* Whether a little read that the caller need not wait for is made at once, where nothing else is to be waited for long. */
static inline int can_read_at_once(const struct native_stream *stream, size_t size)
{
    return size <= stream->most_read && (!stream->read || ends_soon(stream));
}

/* Likewise of more, and of images: Python's own steps, and a thread of its own for the copy, take longer than that. */
static inline size_t most_at_once(const struct native_stream *stream)
{
    return stream->read ? MOST_IN_PARTS : stream->most_read;
}

static inline int can_read_more_at_once(const struct native_stream *stream, size_t size)
{
    return size <= most_at_once(stream) && (!stream->read || ends_soon(stream));
}

/* What is page-locked, and the stream copies by itself, is given to it. */
static inline int can_read_image_at_once(const struct native_stream *stream, const void *host, size_t size)
{
    return stream->poll_ns && is_quiet(stream) && (size <= SCRATCH || is_pageable(stream, host, size)) && can_read_more_at_once(stream, size);
}

/* Whether a read comes by page-locked memory that the processor copies it from: it takes less than CUDA's copy to pageable memory, and no
   more than one by several threads. On an H200's machine 300,000 bytes took 34 us so, with their times, and 45 by CUDA's copy without. */
static inline int reads_by_locked(const struct native_stream *stream, const void *host, size_t size)
{
    return size > stream->most_read && size < stream->least_read && size <= MOST_IN_PARTS && stream->write_parts
        && is_pageable(stream, host, size);
}

/* Whether such a read is one of several threads, and whether that has been made. What is page-locked CUDA copies by itself. */
static inline int reads_staged(const struct native_stream *stream, const void *host, size_t size)
{
    return stream->pool && size >= stream->least_read && !is_one_copy(stream, host, size);
}

static inline int read_staged(const struct native_stream *stream, void *host, uint64_t memory, size_t size)
{
    return !((staged_read *)(uintptr_t)stream->read_staged)((void *)(uintptr_t)stream->pool, host, memory, size, handle_of(stream),
                                                            stream->poll_ns);
}

/* What became of a copy between the host's memory and the device's: Python is to make it, whatever of it was given; the stream was given
   it, and of a write the host's memory has been read; or it has ended. */
enum outcome { LEFT_TO_PYTHON, WAS_GIVEN, HAS_ENDED };

/* The stream's page-locked memory, for one copy; NULL where another thread has it, or a read gains nothing by it. */
static inline char *take_staging(const struct native_stream *stream, const void *host, size_t size)
{
    uint64_t *taken = (uint64_t *)(uintptr_t)stream->staging;
    if (!taken || size > stream->most_staged || (size > STAGED_UNASKED && is_page_locked(stream, host))
        || __atomic_exchange_n(taken, 1, __ATOMIC_ACQUIRE))
        return NULL;
    return (char *)taken + STAGED;
}

/* Whether a copy that was not waited for may still come there, or go from there, which all that the stream is given comes after, but not
   what the processor writes there. Of such memory the second word says so. */
static inline int is_left(const char *staged)
{
    return ((const uint64_t *)(const void *)(staged - STAGED))[1] != 0;
}

static inline void set_left(char *staged, uint64_t left)
{
    ((uint64_t *)(void *)(staged - STAGED))[1] = left;
}

/* Whether the processor may write there: what was left under way has ended when the stream has. */
static inline int may_fill(const struct native_stream *stream, char *staged)
{
    if (is_left(staged) && !ask_stream(stream))
        set_left(staged, 0);
    return !is_left(staged);
}

static inline void leave_staging(const struct native_stream *stream)
{
    set_left((char *)(uintptr_t)stream->staging + STAGED, 1);
}

static inline void give_staging(const struct native_stream *stream)
{
    __atomic_store_n((uint64_t *)(uintptr_t)stream->staging, 0, __ATOMIC_RELEASE);
}

/* The same memory, for a write. Page-locked memory the processor must not read: commands before this one may still write there. */
static inline char *take_staging_to_fill(const struct native_stream *stream, const void *host, size_t size)
{
    char *staged = size <= STAGED_UNASKED && is_page_locked(stream, host) ? NULL : take_staging(stream, host, size);
    if (!staged || may_fill(stream, staged))
        return staged;
    give_staging(stream);
    return NULL;
}

/* What became of a write from there, which was `given` to the stream or not, and is waited for as long as that is polled. */
static inline enum outcome end_staged_write(const struct native_stream *stream, char *staged, int given)
{
    int ended = given && wait_for_given(stream);
    set_left(staged, !ended);
    return ended ? HAS_ENDED : given ? WAS_GIVEN : LEFT_TO_PYTHON;
}

/* A read: CUDA copies into page-locked memory sooner than into other memory, and what is little the processor moves on. What a read has
   left there that was not waited for, the next one of the stream comes after. */
struct reading {
    char *staged; /* NULL where the contents come to the host's memory by themselves */
    void *host;
    size_t size;
};

/* Where CUDA is to copy to. */
static inline void *take_reading(struct reading *reading, const struct native_stream *stream, void *host, size_t size)
{
    *reading = (struct reading){ take_staging(stream, host, size), host, size };
    return reading->staged ? reading->staged : host;
}

static inline void leave_reading(const struct reading *reading, const struct native_stream *stream)
{
    if (reading->staged)
        give_staging(stream);
}

/* CUDA's status for the contents' way to the host, where they are when the stream has ended and `end_reading` was called. */
static inline int begin_reading(struct reading *reading, const struct native_stream *stream, void *host, uint64_t memory, size_t size)
{
    void *to = take_reading(reading, stream, host, size);
    int status = ((copy_to_host *)(uintptr_t)stream->read)(to, memory, size, handle_of(stream));
    if (status)
        leave_reading(reading, stream);
    return status;
}

/* `ended`: the stream has. */
static inline void end_reading(const struct reading *reading, const struct native_stream *stream, int ended)
{
    if (!reading->staged)
        return;
    if (ended)
        memcpy(reading->host, reading->staged, reading->size);
    else
        leave_staging(stream);
    give_staging(stream);
}

/* A read that is waited for here, as `can_read` says: whether the contents are there. */
static inline int read_and_wait(const struct native_stream *stream, void *host, uint64_t memory, size_t size)
{
    struct reading reading;
    if (reads_staged(stream, host, size))
        return read_staged(stream, host, memory, size);
    if (begin_reading(&reading, stream, host, memory, size))
        return 0;
    int ended = wait_for_given(stream);
    end_reading(&reading, stream, ended);
    return ended;
}

/* CUDA's copy to the device: whether it was given. */
static inline int copy_to_device(const struct native_stream *stream, uint64_t memory, const void *host, size_t size)
{
    return !((copy_from_host *)(uintptr_t)stream->write)(memory, host, size, handle_of(stream));
}

/* The same to the host, without memory between. */
static inline int copy_from_device(const struct native_stream *stream, void *host, uint64_t memory, size_t size)
{
    return !((copy_to_host *)(uintptr_t)stream->read)(host, memory, size, handle_of(stream));
}

/* Whether CUDA was given the copy. Pageable memory it has read before its call returns, page-locked memory when the stream comes to it:
   what the stream was given before, or another one that it waits for, may still write there, so that the processor must not read it now.
   What is little is given either way; more of page-locked memory, which is not waited for, is not. */
static inline int write_at_once(const struct native_stream *stream, uint64_t memory, const void *host, size_t size, int waits)
{
    if (size > SCRATCH && !(waits && stream->poll_ns) && is_page_locked(stream, host))
        return 0;
    return copy_to_device(stream, memory, host, size);
}

/* Whether a write that is waited for goes by the stream's page-locked memory, from where the device copies it by itself: what is less
   CUDA puts among its commands. Much goes by the memory beside its scratch memory: Python is to make that as large first. */
static inline int goes_as_a_whole(const struct native_stream *stream, size_t size)
{
    return stream->write_parts && size <= MOST_IN_PARTS;
}

static inline int goes_by_staging(const struct native_stream *stream, size_t size)
{
    return size > SCRATCH && (size <= stream->most_staged || goes_as_a_whole(stream, size));
}

static inline int wants_staging(const struct native_stream *stream, const void *host, size_t size)
{
    const struct device_scratch *scratch = (const struct device_scratch *)(uintptr_t)stream->scratch;
    return size > stream->most_staged && __atomic_load_n(&scratch->staging_size, __ATOMIC_RELAXED) < size
        && is_pageable(stream, host, size);
}

static inline enum outcome write_by_staging(const struct native_stream *stream, uint64_t memory, const void *host, size_t size)
{
    if (size > stream->most_staged)
        return is_pageable(stream, host, size)
            ? (enum outcome)((write_by_parts *)(uintptr_t)stream->write_parts)(stream, memory, host, size) : LEFT_TO_PYTHON;
    char *staged = take_staging_to_fill(stream, host, size);
    if (!staged)
        return LEFT_TO_PYTHON;
    move_for_device(staged, host, size);
    enum outcome outcome = end_staged_write(stream, staged, copy_to_device(stream, memory, staged, size));
    give_staging(stream);
    return outcome;
}

/* Whether a copy that nobody waits for is made by CUDA alone, while the program leaves the host's memory alone, which is page-locked
   then. What is little is written so without a question, and read sooner in another way where the stream has nothing to do. */
static inline int goes_by_itself(const struct native_stream *stream, const void *host, size_t size)
{
    return stream->attributes && size > SCRATCH && !is_pageable(stream, host, size);
}

static inline int reads_by_itself(const struct native_stream *stream, const void *host, size_t size)
{
    return stream->attributes && (size > SCRATCH || ask_stream(stream) == NOT_READY) && !is_pageable(stream, host, size);
}

/* A write as `can_write` says: whether it was given. */
static inline int write_now(const struct native_stream *stream, uint64_t memory, const void *host, size_t size, int waits)
{
    void *pool = (void *)(uintptr_t)stream->pool, *handle = handle_of(stream);
    if (!waits && size > stream->most_written && !ends_soon(stream))
        return !((unwaited_write *)(uintptr_t)stream->write_unwaited)(pool, memory, host, size, handle);
    if (pool && size >= stream->least_written && !is_one_copy(stream, host, size))
        return !((staged_write *)(uintptr_t)stream->write_staged)(pool, memory, host, size, handle, stream->poll_ns);
    return write_at_once(stream, memory, host, size, waits);
}

#endif
