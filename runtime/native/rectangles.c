/* Small reads and writes of rectangles of one plane, and copies between buffers (commands/buffer_rect.py), which are one call of CUDA's, or rows
   copied one by one. */
#include "calls.h"

/* CUDA_MEMCPY2D, with CUmemorytype. */
enum { ON_HOST = 1, ON_DEVICE = 2 };

struct end {
    size_t x, y;
    int kind;
    uint64_t host, device, array;
    size_t pitch;
};
struct copy_2d {
    struct end source, target;
    size_t width, rows;
};
typedef int copy_rectangle(const struct copy_2d *copy, void *stream);

/* The parameters of _enqueue_read_buffer_rect and _enqueue_write_buffer_rect. */
enum { MEMORY = 1, HOST, ORIGIN, HOST_ORIGIN, REGION, PITCHES, HOST_PITCHES, WAIT_FOR, IS_BLOCKING };

enum { MOST = 1 << 20 };

int take_numbers(PyObject *given, uint64_t *numbers, int most, uint64_t missing)
{
    Py_ssize_t count = is_tuple(given) ? PyTuple_Size(given) : most + 1;
    for (int i = 0; i < most && count <= most; i++) {
        PyObject *number = i < count ? PyTuple_GetItem(given, i) : NULL;
        if (number && !is_int(number))
            return 0;
        numbers[i] = number ? PyLong_AsUnsignedLongLong(number) : missing;
        if (PyErr_Occurred() || numbers[i] > MOST)
            return 0;
    }
    return count <= most;
}

/* As `layout` in commands/buffer_rect.py, of regions of one plane. */
struct rows {
    uint64_t start, pitch, end;
};

static int lay_out(struct rows *rows, PyObject *origin, PyObject *pitches, const uint64_t *region)
{
    uint64_t at[3], pitch[2] = { 0 };
    if (!take_numbers(origin, at, 3, 0) || (pitches != NONE && !take_numbers(pitches, pitch, 2, 0)) || (pitch[0] && pitch[0] < region[0]))
        return 0;
    rows->pitch = pitch[0] ? pitch[0] : region[0];
    if (pitch[1] && (pitch[1] < region[1] * rows->pitch || pitch[1] % rows->pitch))
        return 0;
    rows->start = at[2] * (pitch[1] ? pitch[1] : region[1] * rows->pitch) + at[1] * rows->pitch + at[0];
    rows->end = rows->start + (region[1] - 1) * rows->pitch + region[0];
    return 1;
}

static void copy_rows(char *to, uint64_t to_pitch, const char *from, uint64_t from_pitch, const uint64_t *region)
{
    for (uint64_t y = 0; y < region[1]; y++)
        memmove(to + y * to_pitch, from + y * from_pitch, region[0]);
}

/* Without Python's lock: whether the contents are there. In the stream's page-locked memory the rows lie close; as other reads, this one comes
   after what an earlier one has left there that was not waited for. */
static int read_rows(const struct native_stream *stream, char *host, uint64_t host_pitch, uint64_t memory, uint64_t pitch,
                     const uint64_t *region)
{
    if (!stream->read) {
        copy_rows(host, host_pitch, (const char *)(uintptr_t)memory, pitch, region);
        return 1;
    }
    char *staged = take_staging(stream, host, region[0] * region[1]);
    struct copy_2d copy = { { .kind = ON_DEVICE, .device = memory, .pitch = pitch },
                            { .kind = ON_HOST, .host = (uint64_t)(uintptr_t)(staged ? staged : host), .pitch = staged ? region[0] : host_pitch },
                            region[0], region[1] };
    int ended = !((copy_rectangle *)(uintptr_t)stream->copy_2d)(&copy, handle_of(stream)) && wait_for_stream(stream);
    if (staged && ended)
        copy_rows(host, host_pitch, staged, region[0], region);
    if (staged)
        give_staging(stream);
    return ended;
}

/* Without Python's lock: whether the host's memory has been read. CUDA has read the scratch memory when its call returns, since that is
   pageable; there the rows lie close. */
static int write_rows(const struct native_stream *stream, uint64_t memory, uint64_t pitch, const char *host, uint64_t host_pitch,
                      const uint64_t *region)
{
    if (!stream->read) {
        copy_rows((char *)(uintptr_t)memory, pitch, host, host_pitch, region);
        return 1;
    }
    char *scratch = scratch_memory();
    copy_rows(scratch, region[0], host, host_pitch, region);
    struct copy_2d copy = { { .kind = ON_HOST, .host = (uint64_t)(uintptr_t)scratch, .pitch = region[0] },
                            { .kind = ON_DEVICE, .device = memory, .pitch = pitch }, region[0], region[1] };
    return !((copy_rectangle *)(uintptr_t)stream->copy_2d)(&copy, handle_of(stream));
}

static PyObject *give(PyObject *self, PyObject *const *taken, PyObject *queue, const struct target *target, int reads)
{
    const struct native_stream *stream = &target->stream;
    uint64_t region[3];
    struct rows there, here;
    Py_buffer host;
    if ((stream->read && !stream->copy_2d) || !take_numbers(taken[REGION], region, 3, 1) || !region[0] || !region[1] || region[2] != 1
        || region[0] * region[1] > (reads ? stream->most_read : stream->write ? SCRATCH : stream->most_written)
        || !lay_out(&there, taken[ORIGIN], taken[PITCHES], region) || !lay_out(&here, taken[HOST_ORIGIN], taken[HOST_PITCHES], region)
        || !take_memory(taken[HOST], &host, reads ? PyBUF_WRITABLE : 0)) {
        forget_error();
        return NULL;
    }
    struct part part = part_of(taken[MEMORY], queue, NULL, reads ? HOST_WRITES : HOST_READS);
    PyObject *position = NULL;
    int done = 0;
    /* A read's place is before what other threads have given to the stream meanwhile. */
    if (part.storage && there.end <= part.size && here.end <= (uint64_t)host.size
        && (!reads || (position = PyObject_CallNoArgs(target->next_position)))) {
        char *memory = (char *)host.memory + here.start;
        PyThreadState *state = PyEval_SaveThread();
        done = reads ? read_rows(stream, memory, here.pitch, part.address + there.start, there.pitch, region)
                     : write_rows(stream, part.address + there.start, there.pitch, memory, here.pitch, region);
        PyEval_RestoreThread(state);
    }
    drop(part.storage);
    PyBuffer_Release(&host);
    if (!reads)
        return done ? next_position(target) : NULL;
    if (position && (!done || !reach(target, position))) {
        Py_DecRef(position);
        position = NULL;
    }
    return position;
}

PyObject *give_rectangle_read(PyObject *self, PyObject *const *taken, PyObject *queue, const struct target *target, struct times *times)
{
    (void)times;
    return taken[IS_BLOCKING] == TRUE_ && is_quiet(&target->stream) ? give(self, taken, queue, target, 1) : NULL;
}

PyObject *give_rectangle_write(PyObject *self, PyObject *const *taken, PyObject *queue, const struct target *target, struct times *times)
{
    (void)times;
    return taken[IS_BLOCKING] == TRUE_ || taken[IS_BLOCKING] == FALSE_ ? give(self, taken, queue, target, 0) : NULL;
}

/* The parameters of _enqueue_copy_buffer_rect. */
enum { SOURCE = 1, DESTINATION, SOURCE_ORIGIN, DESTINATION_ORIGIN, COPIED, SOURCE_PITCHES, DESTINATION_PITCHES };

/* Without Python's lock: whether the copy was given. */
static int copy_between_rows(const struct native_stream *stream, uint64_t to, uint64_t to_pitch, uint64_t from, uint64_t from_pitch,
                             const uint64_t *region)
{
    if (!stream->read) {
        copy_rows((char *)(uintptr_t)to, to_pitch, (const char *)(uintptr_t)from, from_pitch, region);
        return 1;
    }
    struct copy_2d copy = { { .kind = ON_DEVICE, .device = from, .pitch = from_pitch }, { .kind = ON_DEVICE, .device = to, .pitch = to_pitch },
                            region[0], region[1] };
    return !((copy_rectangle *)(uintptr_t)stream->copy_2d)(&copy, handle_of(stream));
}

/* Within one buffer Python looks whether they overlap. */
PyObject *give_rectangle_copy(PyObject *self, PyObject *const *taken, PyObject *queue, const struct target *target, struct times *times)
{
    const struct native_stream *stream = &target->stream;
    uint64_t region[3];
    struct rows there, here;
    struct part from = { 0 }, to = { 0 };
    int done = 0;
    (void)self;
    (void)times;
    if ((!stream->read || stream->copy_2d) && take_numbers(taken[COPIED], region, 3, 1) && region[0] && region[1] && region[2] == 1
        && lay_out(&there, taken[SOURCE_ORIGIN], taken[SOURCE_PITCHES], region)
        && lay_out(&here, taken[DESTINATION_ORIGIN], taken[DESTINATION_PITCHES], region)) {
        from = part_of(taken[SOURCE], queue, NULL, 0);
        to = part_of(taken[DESTINATION], queue, NULL, 0);
    }
    if (from.storage && to.storage && from.storage != to.storage && there.end <= from.size && here.end <= to.size) {
        PyThreadState *state = PyEval_SaveThread();
        done = copy_between_rows(stream, to.address + here.start, here.pitch, from.address + there.start, there.pitch, region);
        PyEval_RestoreThread(state);
    }
    drop(from.storage);
    drop(to.storage);
    forget_error();
    return done ? next_position(target) : NULL;
}
