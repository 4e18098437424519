/* Rectangles and boxes in buffers (commands/buffer_rect.py): where their rows lie, and copies of them, each one call of CUDA's, or rows
   that are copied one by one. */
#ifndef CL2CUDA_NATIVE_ROWS_H
#define CL2CUDA_NATIVE_ROWS_H

#include "boxes.h"
#include "moves.h"
#include "stream.h"

/* CUDA_MEMCPY2D */
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

/* `slice` is from one plane to the next. */
struct rows {
    uint64_t start, pitch, slice, end;
};

/* As `layout` in commands/buffer_rect.py; 0 where that says what is wrong. */
static inline int lay_out_rows(struct rows *rows, const uint64_t *origin, const uint64_t *pitches, const uint64_t *region)
{
    uint64_t pitch = pitches[0] ? pitches[0] : region[0], slice = pitches[1] ? pitches[1] : region[1] * pitch;
    rows->pitch = pitch;
    rows->slice = slice;
    rows->start = origin[2] * slice + origin[1] * pitch + origin[0];
    rows->end = rows->start + (region[2] - 1) * slice + (region[1] - 1) * pitch + region[0];
    return pitch >= region[0] && slice >= region[1] * pitch && !(slice % pitch);
}

/* Whether the stream copies rows of this region: memory without functions is the host's own. */
static inline int copies_rows(const struct native_stream *stream, const uint64_t *region)
{
    return (!stream->read || (stream->copy_2d && (region[1] == 1 || region[2] == 1 || stream->copy_3d))) && region[0] && region[1] && region[2];
}

static inline uint64_t bytes_in_rows(const uint64_t *region)
{
    return region[0] * region[1] * region[2];
}

/* One end of a copy: rows at an address, of the kind (CUmemorytype). */
struct rows_at {
    unsigned kind;
    uint64_t address, pitch, slice;
};

static inline struct rows_at on_device(uint64_t memory, const struct rows *rows)
{
    return (struct rows_at){ IN_DEVICE, memory + rows->start, rows->pitch, rows->slice };
}

static inline struct rows_at on_host(const char *memory, const struct rows *rows)
{
    return (struct rows_at){ IN_HOST, (uintptr_t)memory + rows->start, rows->pitch, rows->slice };
}

/* Where they lie close. */
static inline struct rows_at close_on_host(const char *memory, const uint64_t *region)
{
    return (struct rows_at){ IN_HOST, (uintptr_t)memory, region[0], region[0] * region[1] };
}

static inline uint64_t address_if(const struct rows_at *at, unsigned kind)
{
    return at->kind == kind ? at->address : 0;
}

/* Rows of one plane, or one row of each. */
static inline struct rows_end end_of_rows(const struct rows_at *at, int has_planes)
{
    return (struct rows_end){ .kind = (int)at->kind, .host = address_if(at, IN_HOST), .device = address_if(at, IN_DEVICE),
                              .pitch = has_planes ? at->slice : at->pitch };
}

static inline struct copy_end end_of_planes(const struct rows_at *at)
{
    return (struct copy_end){ .memory_type = at->kind, .host = address_if(at, IN_HOST), .device = address_if(at, IN_DEVICE),
                              .pitch = at->pitch, .height = at->slice / at->pitch };
}

static inline int give_rows(const struct native_stream *stream, struct rows_at target, struct rows_at source, const uint64_t *region)
{
    int has_planes = region[2] > 1;
    if (has_planes && region[1] > 1) {
        struct copy copy = { end_of_planes(&source), end_of_planes(&target), region[0], region[1], region[2] };
        return !((copy_3d *)(uintptr_t)stream->copy_3d)(&copy, handle_of(stream));
    }
    struct rows_copy copy = { end_of_rows(&source, has_planes), end_of_rows(&target, has_planes), region[0], region[1] * region[2] };
    return !((copy_rectangle *)(uintptr_t)stream->copy_2d)(&copy, handle_of(stream));
}

static inline int lie_close(const struct rows_at *at, const uint64_t *region)
{
    return at->pitch == region[0] && (region[2] == 1 || at->slice == region[0] * region[1]);
}

static inline void move_rows(struct rows_at to, struct rows_at from, const uint64_t *region)
{
    if (lie_close(&to, region) && lie_close(&from, region)) {
        memmove((void *)(uintptr_t)to.address, (const void *)(uintptr_t)from.address, bytes_in_rows(region));
        return;
    }
    for (uint64_t z = 0; z < region[2]; z++)
        for (uint64_t y = 0; y < region[1]; y++)
            memmove((char *)(uintptr_t)to.address + z * to.slice + y * to.pitch,
                    (const char *)(uintptr_t)from.address + z * from.slice + y * from.pitch, region[0]);
}

/* Where a copy's rows are on the host's side: close in the stream's page-locked memory, which is `staged` then, or elsewhere. */
struct rows_here {
    char *staged;
    struct rows_at rows;
};

/* A read comes, as other reads, after what an earlier one has left there that was not waited for. */
static inline struct rows_here take_rows(const struct native_stream *stream, struct rows_at host, const uint64_t *region)
{
    char *staged = take_staging(stream, (const void *)(uintptr_t)host.address, bytes_in_rows(region));
    return (struct rows_here){ staged, staged ? close_on_host(staged, region) : host };
}

static inline void end_rows_read(const struct rows_here *here, const struct native_stream *stream, struct rows_at host, const uint64_t *region,
                                 int ended)
{
    if (!here->staged)
        return;
    if (ended)
        move_rows(host, here->rows, region);
    else
        leave_staging(stream);
    give_staging(stream);
}

/* The thread's own pageable memory, of as many bytes as CUDA has read when its call returns without a wait for the device ("up to 64
   KB"). */
enum { ROWS_SCRATCH = 64 << 10 };
static inline char *scratch_memory(void)
{
    static __thread char scratch[ROWS_SCRATCH];
    return scratch;
}

/* The most bytes of a write. */
static inline uint64_t most_written_in_rows(const struct native_stream *stream, int waits)
{
    return !stream->write ? stream->most_written : waits && stream->most_staged > ROWS_SCRATCH ? stream->most_staged : ROWS_SCRATCH;
}

/* What is waited for goes by the stream's page-locked memory, else by scratch memory, which CUDA has read when its call returns, since
   that is pageable; in both the rows lie close. What is page-locked itself the processor must not read: commands before this one may
   write there. 0 where the write is Python's. */
static inline int fill_rows(struct rows_here *here, const struct native_stream *stream, struct rows_at host, const uint64_t *region, int waits)
{
    uint64_t size = bytes_in_rows(region);
    *here = (struct rows_here){ NULL, host };
    if (is_page_locked(stream, (const void *)(uintptr_t)host.address))
        return 1;
    here->staged = waits ? take_staging_to_fill(stream, (const void *)(uintptr_t)host.address, size) : NULL;
    if (!here->staged && size > ROWS_SCRATCH)
        return 0;
    here->rows = close_on_host(here->staged ? here->staged : scratch_memory(), region);
    if (here->staged && lie_close(&host, region))
        move_for_device(here->staged, (const char *)(uintptr_t)host.address, size);
    else
        move_rows(here->rows, host, region);
    return 1;
}

/* What became of the write, which was `given` to the stream or not. */
static inline enum outcome end_rows_write(const struct rows_here *here, const struct native_stream *stream, int given)
{
    if (!here->staged)
        return given ? WAS_GIVEN : LEFT_TO_PYTHON;
    enum outcome outcome = end_staged_write(stream, here->staged, given);
    give_staging(stream);
    return outcome;
}

static inline enum outcome write_rows(const struct native_stream *stream, struct rows_at device, struct rows_at host, const uint64_t *region,
                                      int waits)
{
    struct rows_here here;
    if (!stream->read) {
        move_rows(device, host, region);
        return WAS_GIVEN;
    }
    return fill_rows(&here, stream, host, region, waits) ? end_rows_write(&here, stream, give_rows(stream, device, here.rows, region))
        : LEFT_TO_PYTHON;
}

/* Whether the copy was given. */
static inline int copy_rows(const struct native_stream *stream, struct rows_at to, struct rows_at from, const uint64_t *region)
{
    if (stream->read)
        return give_rows(stream, to, from, region);
    move_rows(to, from, region);
    return 1;
}

#endif
