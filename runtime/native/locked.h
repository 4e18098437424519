/* Page-locked memory of a stream's for copies that take times: what CUDA copies by itself, between the two events. */
#ifndef CL2CUDA_NATIVE_LOCKED_H
#define CL2CUDA_NATIVE_LOCKED_H

#include "boxes.h"

/* Of a little write's own, or what is beside the stream's `scratch` memory. */
struct locked {
    char *memory;
    struct device_scratch *scratch;
};

/* Whether a write of pageable memory may go by it. */
static inline int goes_by_locked(const struct native_stream *stream, const void *host, size_t size)
{
    return is_pageable(stream, host, size) && (size <= stream->most_staged || goes_as_a_whole(stream, size));
}

/* Takes it, with the contents; 0 where another thread has it, something is still under way there, or Python is to make it larger. */
static inline int fill_locked(struct locked *locked, const struct native_stream *stream, const void *host, size_t size)
{
    const int is_little = size <= stream->most_staged;
    struct device_scratch *scratch = locked->scratch = is_little ? NULL : take_scratch(stream, 0);
    locked->memory = is_little ? take_staging_to_fill(stream, host, size)
        : scratch && scratch->staging && scratch->staging_size >= size ? (char *)(uintptr_t)scratch->staging + STAGED : NULL;
    if (locked->memory && (is_little || may_fill(stream, locked->memory))) {
        move_for_device(locked->memory, host, size);
        return 1;
    }
    give_scratch(scratch);
    return 0;
}

/* Takes it for more than a little read; 0 likewise. What another copy has left under way there, this one comes after. */
static inline int take_locked(struct locked *locked, const struct native_stream *stream, size_t size)
{
    struct device_scratch *scratch = locked->scratch = take_scratch(stream, 0);
    locked->memory = scratch && scratch->staging && scratch->staging_size >= size ? (char *)(uintptr_t)scratch->staging + STAGED : NULL;
    if (!locked->memory)
        give_scratch(scratch);
    return locked->memory != NULL;
}

/* Gives it back behind the read; if that has not `ended`, something may still come there. */
static inline void end_locked_read(const struct locked *locked, int ended)
{
    set_left(locked->memory, !ended);
    give_scratch(locked->scratch);
}

/* What became of the write from there, which was `given` to the stream or not, and is waited for as long as that is polled if it `waits`. */
static inline enum outcome end_locked(const struct locked *locked, const struct native_stream *stream, int given, int waits)
{
    enum outcome outcome = given ? WAS_GIVEN : LEFT_TO_PYTHON;
    if (waits)
        outcome = end_staged_write(stream, locked->memory, given);
    else
        set_left(locked->memory, 1);
    if (locked->scratch)
        give_scratch(locked->scratch);
    else
        give_staging(stream);
    return outcome;
}

#endif
