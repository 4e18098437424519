/* Fills of a stream's memory with a pattern: by CUDA's own, by a kernel of ours, or by copies. */
#ifndef CL2CUDA_NATIVE_STREAM_FILLS_H
#define CL2CUDA_NATIVE_STREAM_FILLS_H

#include "own_kernels.h"
#include "stream_copies.h"

#include <string.h>

/* How much of a pattern comes from the host, which CUDA has read when its call returns (DIRECT of runtime.cuda.copy_sizes). */
enum { MOST_PATTERN = 64 << 10 };

/* The width of what a pattern repeats. */
static inline size_t least_width(const char *pattern, size_t width)
{
    while (width > 1 && !memcmp(pattern, pattern + width / 2, width / 2))
        width /= 2;
    return width;
}

/* The widest pattern, and up to how many bytes a fill with a wide one is one copy. */
enum { WIDEST = 128, FILLED_BY_COPY = 4 << 10 };

/* Whether Python is to be asked for the kernel, by a fill of its own. */
static inline int wants_fill_kernel(const struct native_stream *stream, size_t width, size_t size)
{
    return width >= UNIT && size > FILLED_BY_COPY && own_kernel(stream, stream->fill_kernel) == NOT_ASKED_FOR;
}

/* Whether the kernel was launched. */
static inline int fill_by_kernel(const struct native_stream *stream, uint64_t memory, const char *pattern, size_t width, size_t size)
{
    uint64_t count = size / UNIT, mask = width / UNIT - 1;
    char unit[WIDEST] = { 0 };
    if (size <= FILLED_BY_COPY)
        return 0;
    memcpy(unit, pattern, width);
    return launch_own_kernel(stream, own_kernel(stream, stream->fill_kernel), size, (void *[]){ &memory, &count, &mask, unit });
}

/* Whether a pattern has one of OpenCL's widths and fills the part of a buffer, and the stream has what does so: memory without functions is
   the host's own. */
static inline int can_fill(const struct native_stream *stream, size_t width, size_t start, size_t size)
{
    return width && width <= WIDEST && !(width & (width - 1)) && !(start % width) && !(size % width)
        && !wants_fill_kernel(stream, width, size)
        && (!stream->read || (stream->fill_1 && stream->write && stream->copy));
}

/* What is filled already is copied on, in pieces that stay in the processor's cache. */
static inline void repeat_pattern(char *memory, const char *pattern, size_t width, size_t size)
{
    enum { PIECE = 16 << 10 };
    size_t piece;
    if (width == 1) {
        memset(memory, *pattern, size);
        return;
    }
    memcpy(memory, pattern, width);
    for (size_t filled = width; filled < size; filled += piece) {
        piece = filled < PIECE ? filled : PIECE;
        if (piece > size - filled)
            piece = size - filled;
        memcpy(memory + filled, memory, piece);
    }
}

/* The thread's pageable memory that has a pattern again and again, in so many bytes at least. The next fill has mostly the same one. */
static inline const char *repeated_pattern(const char *pattern, size_t width, size_t size)
{
    static __thread struct {
        size_t width, filled;
        char pattern[WIDEST], memory[MOST_PATTERN];
    } kept;
    if (kept.width != width || memcmp(kept.pattern, pattern, width)) {
        kept.width = width;
        kept.filled = 0;
        memcpy(kept.pattern, pattern, width);
    }
    if (kept.filled < size)
        repeat_pattern(kept.memory, pattern, width, kept.filled = size);
    return kept.memory;
}

/* Of what is wider than the numbers that CUDA fills with, a piece comes from the host, and is doubled on the device: CUDA takes longer
   for two copies than for what it reads at once. */
static inline int fill_by_copies(const struct native_stream *stream, uint64_t memory, const char *pattern, size_t width, size_t size)
{
    size_t filled = size < MOST_PATTERN ? size : MOST_PATTERN, more;
    int status = ((copy_from_host *)(uintptr_t)stream->write)(memory, repeated_pattern(pattern, width, filled), filled, handle_of(stream));
    for (; !status && filled < size; filled += more) {
        more = filled < size - filled ? filled : size - filled;
        status = ((copy_on_device *)(uintptr_t)stream->copy)(memory + filled, memory, more, handle_of(stream));
    }
    return !status;
}

/* Fills as `can_fill` says; 0 where CUDA does not. */
static inline int fill_now(const struct native_stream *stream, uint64_t memory, const char *pattern, size_t width, size_t size)
{
    void *handle = handle_of(stream);
    uint32_t word = 0;
    width = least_width(pattern, width);
    if (!stream->read) {
        repeat_pattern((char *)(uintptr_t)memory, pattern, width, size);
        return 1;
    }
    if (width > sizeof word)
        return fill_by_kernel(stream, memory, pattern, width, size) || fill_by_copies(stream, memory, pattern, width, size);
    memcpy(&word, pattern, width);
    return !(width == 1 ? ((fill_with_bytes *)(uintptr_t)stream->fill_1)(memory, (unsigned char)word, size, handle)
             : width == 2 ? ((fill_with_shorts *)(uintptr_t)stream->fill_2)(memory, (unsigned short)word, size / 2, handle)
                          : ((fill_with_words *)(uintptr_t)stream->fill_4)(memory, word, size / 4, handle));
}

#endif
