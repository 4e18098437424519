/* Rectangles of one plane (commands/buffer_rect.py): where their rows lie, and copies of them, each one call of CUDA's, or rows that are copied
   one by one. */
#ifndef CL2CUDA_NATIVE_ROWS_H
#define CL2CUDA_NATIVE_ROWS_H

#include "stream.h"

/* CUDA_MEMCPY2D, with CUmemorytype. */
enum { ON_HOST = 1, ON_DEVICE = 2 };

struct rows_end {
    size_t x, y;
    int kind;
    uint64_t host, device, array;
    size_t pitch;
};
struct rows_copy {
    struct rows_end source, target;
    size_t width, rows;
};
typedef int copy_rectangle(const struct rows_copy *copy, void *stream);

/* The largest number of an origin, a region or a pitch: what is computed of three of them fits into 64 bits. */
enum { MOST_IN_ROWS = 1 << 20 };

struct rows {
    uint64_t start, pitch, end;
};

/* As `layout` in commands/buffer_rect.py; 0 where that says what is wrong. */
static inline int lay_out_rows(struct rows *rows, const uint64_t *origin, const uint64_t *pitches, const uint64_t *region)
{
    uint64_t pitch = pitches[0] ? pitches[0] : region[0], slice = pitches[1] ? pitches[1] : region[1] * pitch;
    rows->pitch = pitch;
    rows->start = origin[2] * slice + origin[1] * pitch + origin[0];
    rows->end = rows->start + (region[1] - 1) * pitch + region[0];
    return pitch >= region[0] && slice >= region[1] * pitch && !(slice % pitch);
}

/* Whether the stream copies rectangles of this region: memory without functions is the host's own. */
static inline int copies_rows(const struct native_stream *stream, const uint64_t *region)
{
    return (!stream->read || stream->copy_2d) && region[0] && region[1] && region[2] == 1;
}

static inline int give_rows(const struct native_stream *stream, struct rows_end target, struct rows_end source, const uint64_t *region)
{
    struct rows_copy copy = { source, target, region[0], region[1] };
    return !((copy_rectangle *)(uintptr_t)stream->copy_2d)(&copy, handle_of(stream));
}

static inline struct rows_end on_device(uint64_t memory, uint64_t pitch)
{
    return (struct rows_end){ .kind = ON_DEVICE, .device = memory, .pitch = pitch };
}

static inline struct rows_end on_host(const char *memory, uint64_t pitch)
{
    return (struct rows_end){ .kind = ON_HOST, .host = (uintptr_t)memory, .pitch = pitch };
}

static inline void move_rows(char *to, uint64_t to_pitch, const char *from, uint64_t from_pitch, const uint64_t *region)
{
    for (uint64_t y = 0; y < region[1]; y++)
        memmove(to + y * to_pitch, from + y * from_pitch, region[0]);
}

/* Whether the contents are there. In the stream's page-locked memory the rows lie close; as other reads, this one comes after what an earlier
   one has left there that was not waited for. */
static inline int read_rows(const struct native_stream *stream, char *host, uint64_t host_pitch, uint64_t memory, uint64_t pitch,
                            const uint64_t *region)
{
    if (!stream->read) {
        move_rows(host, host_pitch, (const char *)(uintptr_t)memory, pitch, region);
        return 1;
    }
    char *staged = take_staging(stream, host, region[0] * region[1]);
    int ended = give_rows(stream, staged ? on_host(staged, region[0]) : on_host(host, host_pitch), on_device(memory, pitch), region)
        && wait_for_given(stream);
    if (staged && ended)
        move_rows(host, host_pitch, staged, region[0], region);
    else if (staged)
        leave_staging(stream);
    if (staged)
        give_staging(stream);
    return ended;
}

/* The largest rectangle that `write_rows` takes. */
static inline uint64_t most_written_in_rows(const struct native_stream *stream, int waits)
{
    return !stream->write ? stream->most_written : waits && stream->most_staged > SCRATCH ? stream->most_staged : SCRATCH;
}

/* The host's memory has been read where it was given. What is waited for goes by the stream's page-locked memory, else by scratch memory, which
   CUDA has read when its call returns, since that is pageable; in both the rows lie close. */
static inline enum outcome write_rows(const struct native_stream *stream, uint64_t memory, uint64_t pitch, const char *host, uint64_t host_pitch,
                                      const uint64_t *region, int waits)
{
    uint64_t size = region[0] * region[1];
    if (!stream->read) {
        move_rows((char *)(uintptr_t)memory, pitch, host, host_pitch, region);
        return WAS_GIVEN;
    }
    char *staged = waits ? take_staging_to_fill(stream, host, size) : NULL, *close = staged ? staged : scratch_memory();
    if (!staged && size > SCRATCH)
        return LEFT_TO_PYTHON;
    move_rows(close, region[0], host, host_pitch, region);
    int given = give_rows(stream, on_device(memory, pitch), on_host(close, region[0]), region);
    if (!staged)
        return given ? WAS_GIVEN : LEFT_TO_PYTHON;
    enum outcome outcome = end_staged_write(stream, staged, given);
    give_staging(stream);
    return outcome;
}

/* Whether the copy was given. */
static inline int copy_rows(const struct native_stream *stream, uint64_t to, uint64_t to_pitch, uint64_t from, uint64_t from_pitch,
                            const uint64_t *region)
{
    if (stream->read)
        return give_rows(stream, on_device(to, to_pitch), on_device(from, from_pitch), region);
    move_rows((char *)(uintptr_t)to, to_pitch, (const char *)(uintptr_t)from, from_pitch, region);
    return 1;
}

#endif
