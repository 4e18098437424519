/* Boxes of images that are CUDA's arrays: copies of them, and a stream's memory on the device by which they are filled. box_copies.c reads and
   writes them. */
#ifndef CL2CUDA_NATIVE_BOXES_H
#define CL2CUDA_NATIVE_BOXES_H

#include "graphs.h"
#include "stream_copies.h"
#include "stream_fills.h"

/* CUmemorytype */
enum { IN_HOST = 1, IN_DEVICE, IN_ARRAY };

typedef int copy_3d(const struct copy *copy, void *stream);

/* Rows in memory (driver/linear.py). */
struct linear {
    uint64_t address, row_pitch, slice_pitch;
};

/* What an image of one device is, once it has been used, until it is released: an array of one level, whose rows and planes are counted as
   origins and regions count them, or such rows in memory of the host's own, where `handle` is 0. (Image.array_facts of image/image.py.) */
struct array {
    uint64_t handle, flags, element_size, sides[3];
    struct linear memory;
    uint64_t has_planes; /* maps tell the bytes from one to the next */
};

struct box {
    uint64_t at[3], size[3];
};

/* Whether the box lies in the image, and is not empty. */
static inline int is_in(const struct box *box, const struct array *array)
{
    int inside = 1;
    for (int i = 0; i < 3; i++)
        inside &= box->size[i] && box->at[i] < array->sides[i] && box->size[i] <= array->sides[i] - box->at[i];
    return inside;
}

static inline uint64_t bytes_of(const struct array *array, const struct box *box)
{
    return array->element_size * box->size[0] * box->size[1] * box->size[2];
}

/* Where the box begins in memory that has the image's rows. */
static inline uint64_t place_of_box(const struct linear *rows, const struct array *array, const struct box *box)
{
    return rows->address + box->at[0] * array->element_size + box->at[1] * rows->row_pitch + box->at[2] * rows->slice_pitch;
}

static inline uint64_t row_of(const struct array *array, const struct box *box)
{
    return array->element_size * box->size[0];
}

/* Where the host has a box's rows: a pitch of 0 is the tight one. 0 where Python says what is wrong. */
static inline int lay_out_box(struct linear *rows, const struct array *array, const struct box *box, const void *host, uint64_t row_pitch,
                              uint64_t slice_pitch)
{
    enum { MOST_OF_A_PITCH = 1 << 30 };
    uint64_t row = row_of(array, box), pitch = row_pitch ? row_pitch : row, slice = slice_pitch ? slice_pitch : pitch * box->size[1];
    *rows = (struct linear){ (uintptr_t)host, pitch, slice };
    return host && pitch >= row && pitch <= MOST_OF_A_PITCH && slice <= MOST_OF_A_PITCH && slice >= pitch * box->size[1]
        && (array->has_planes || !slice_pitch);
}

/* From a box's first byte in such rows to behind its last. */
static inline uint64_t span_of_box(const struct linear *rows, const struct array *array, const struct box *box)
{
    return (box->size[2] - 1) * rows->slice_pitch + (box->size[1] - 1) * rows->row_pitch + row_of(array, box);
}

/* What is done just before CUDA is given a copy, and just behind it, which is 0 where that fails: of one whose times are to be the device's
   alone, so that the processor moves what it has to before, or later. */
struct around {
    void *command;
    int (*begin)(void *command), (*end)(void *command);
};

/* Reads a box into the host's rows, or writes it: an outcome (stream_copies.h). A read is waited for, and a write that `waits` as long as the stream is
   polled. `around` may be NULL. */
typedef int copy_of_box(const struct native_stream *stream, const struct array *array, const struct box *box, const struct linear *rows,
                        int waits, const struct around *around);

/* The ends of a copy: part of an array, */
static inline struct copy_end end_in(const struct array *array, const struct box *box)
{
    return (struct copy_end){ .x = box->at[0] * array->element_size, .y = box->at[1], .z = box->at[2], .memory_type = IN_ARRAY,
                              .array = (void *)(uintptr_t)array->handle };
}

/* rows in memory that the host has, */
static inline struct copy_end end_in_host(const struct linear *rows)
{
    return (struct copy_end){ .memory_type = IN_HOST, .host = rows->address, .pitch = rows->row_pitch,
                              .height = rows->slice_pitch / rows->row_pitch };
}

/* and memory on the device in which the box lies close. */
static inline struct copy_end end_at(uint64_t memory, const struct array *array, const struct box *box)
{
    return (struct copy_end){ .memory_type = IN_DEVICE, .device = memory, .pitch = row_of(array, box), .height = box->size[1] };
}

/* Whether the copy was given. */
static inline int copy_box(const struct native_stream *stream, struct copy_end target, struct copy_end source, const struct array *array,
                           const struct box *box)
{
    struct copy copy = { source, target, row_of(array, box), box->size[1], box->size[2] };
    return !((copy_3d *)(uintptr_t)stream->copy_3d)(&copy, handle_of(stream));
}

/* Whether CUDA copies between a box and rows of the host's as it counts them. */
static inline int copies_to_rows(const struct array *array, const struct box *box, const struct native_stream *stream)
{
    return array->handle && stream->copy_3d && !(box->size[1] == 1 && box->size[2] > 1);
}

/* The stream's scratch memory on the device, for one command at a time, whose commands come one after the other. NULL where there is too little,
   or another thread has it: Python makes it larger. */
static inline struct device_scratch *take_scratch(const struct native_stream *stream, uint64_t size)
{
    struct device_scratch *scratch = (struct device_scratch *)(uintptr_t)stream->scratch;
    if (!scratch || __atomic_exchange_n(&scratch->taken, 1, __ATOMIC_SEQ_CST))
        return NULL;
    if (__atomic_load_n(&scratch->size, __ATOMIC_SEQ_CST) >= size)
        return scratch;
    __atomic_store_n(&scratch->taken, 0, __ATOMIC_RELEASE);
    return NULL;
}

static inline void give_scratch(struct device_scratch *scratch)
{
    if (scratch)
        __atomic_store_n(&scratch->taken, 0, __ATOMIC_RELEASE);
}

/* Images are filled with one colour again and again: what a fill has left in the scratch memory serves the next one. */
static inline int fill_scratch(const struct native_stream *stream, struct device_scratch *scratch, const char *element, uint64_t width,
                               uint64_t size)
{
    if (scratch->filled >= size && scratch->width == width && !memcmp(scratch->element, element, width))
        return 1;
    scratch->filled = 0;
    if (!fill_now(stream, scratch->memory, element, width, size))
        return 0;
    memcpy(scratch->element, element, width);
    scratch->width = width;
    scratch->filled = size;
    return 1;
}

/* Whether the box was filled, by way of scratch memory. */
static inline int fill_box(const struct native_stream *stream, struct device_scratch *scratch, const char *element, const struct array *array,
                           const struct box *box)
{
    return fill_scratch(stream, scratch, element, array->element_size, bytes_of(array, box))
        && copy_box(stream, end_in(array, box), end_at(scratch->memory, array, box), array, box);
}

#endif
