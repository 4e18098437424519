/* Small reads and writes of rectangles and boxes, and copies between buffers (rows.h). */
#include "residents.h"
#include "rows.h"

/* The parameters of _enqueue_read_buffer_rect and _enqueue_write_buffer_rect. */
enum { MEMORY = 1, HOST, ORIGIN, HOST_ORIGIN, REGION, PITCHES, HOST_PITCHES, WAIT_FOR, IS_BLOCKING };

int take_numbers(PyObject *given, uint64_t *numbers, int most, uint64_t missing)
{
    Py_ssize_t count = is_tuple(given) ? PyTuple_Size(given) : most + 1;
    for (int i = 0; i < most && count <= most; i++) {
        PyObject *number = i < count ? PyTuple_GetItem(given, i) : NULL;
        if (number && !is_int(number))
            return 0;
        numbers[i] = number ? PyLong_AsUnsignedLongLong(number) : missing;
        if (PyErr_Occurred() || numbers[i] > MOST_IN_ROWS)
            return 0;
    }
    return count <= most;
}

static int lay_out(struct rows *rows, PyObject *origin, PyObject *pitches, const uint64_t *region)
{
    uint64_t at[3], pitch[2] = { 0 };
    return take_numbers(origin, at, 3, 0) && (pitches == NONE || take_numbers(pitches, pitch, 2, 0))
        && lay_out_rows(rows, at, pitch, region);
}

/* Whether the contents are there. One that was begun in a queue out of order, and takes long, is waited for: see buffer_commands.c. */
static int read_rows(struct target *target, struct rows_at host, struct rows_at device, const uint64_t *region)
{
    const struct native_stream *stream = &target->stream;
    PyThreadState *state = PyEval_SaveThread();
    if (!stream->read) {
        move_rows(host, device, region);
        PyEval_RestoreThread(state);
        return 1;
    }
    struct rows_here here = take_rows(stream, host, region);
    int given = give_rows(stream, here.rows, device, region), ended = given && wait_for_given(stream);
    int is_done = ended || !given || !target->is_unordered;
    if (is_done)
        end_rows_read(&here, stream, host, region, ended);
    PyEval_RestoreThread(state);
    if (is_done)
        return ended;
    PyObject *position = waited_for(target, next_position(target), wait_for_stream);
    end_rows_read(&here, stream, host, region, position != NULL);
    drop(position);
    return position != NULL;
}

static PyObject *give(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, int reads)
{
    const struct native_stream *stream = &target->stream;
    int waits = !reads && taken[IS_BLOCKING] == TRUE_ && stream->read;
    uint64_t region[3];
    struct rows there, here;
    Py_buffer host;
    if (!take_numbers(taken[REGION], region, 3, 1) || !copies_rows(stream, region)
        || bytes_in_rows(region) > (reads ? stream->most_read : most_written_in_rows(stream, waits))
        || (reads && taken[IS_BLOCKING] == FALSE_ && !ends_at_once(target, bytes_in_rows(region)))
        || !lay_out(&there, taken[ORIGIN], taken[PITCHES], region) || !lay_out(&here, taken[HOST_ORIGIN], taken[HOST_PITCHES], region)
        || !take_memory(taken[HOST], &host, reads ? PyBUF_WRITABLE : 0)) {
        forget_error();
        return NULL;
    }
    struct residents residents = { .count = 0 };
    struct part part = part_on(target, &residents, reads ? READS : WRITES, taken[MEMORY], queue, NULL, reads ? HOST_WRITES : HOST_READS);
    PyObject *position = NULL;
    enum outcome outcome = LEFT_TO_PYTHON;
    /* What has ended has its place before what other threads have given to the stream meanwhile. */
    if (part.storage && there.end <= part.size && here.end <= (uint64_t)host.size
        && (!(reads || waits) || (position = PyObject_CallNoArgs(target->next_position)))) {
        struct rows_at device = on_device(part.address, &there), memory = on_host(host.memory, &here);
        if (reads) {
            outcome = read_rows(target, memory, device, region) ? HAS_ENDED : LEFT_TO_PYTHON;
        } else {
            PyThreadState *state = PyEval_SaveThread();
            outcome = write_rows(stream, device, memory, region, waits);
            PyEval_RestoreThread(state);
        }
    }
    end_parts(&residents, target, outcome == WAS_GIVEN);
    drop(part.storage);
    PyBuffer_Release(&host);
    return position_of(target, outcome, position, waits);
}

PyObject *give_rectangle_read(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    (void)times;
    int is_known = taken[IS_BLOCKING] == TRUE_ || taken[IS_BLOCKING] == FALSE_;
    return is_known && is_quiet(&target->stream) ? give(self, taken, queue, target, 1) : NULL;
}

PyObject *give_rectangle_write(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    (void)times;
    int waits = taken[IS_BLOCKING] == TRUE_;
    return (waits && is_quiet(&target->stream)) || taken[IS_BLOCKING] == FALSE_ ? give(self, taken, queue, target, 0) : NULL;
}

/* The parameters of _enqueue_copy_buffer_rect. */
enum { SOURCE = 1, DESTINATION, SOURCE_ORIGIN, DESTINATION_ORIGIN, COPIED, SOURCE_PITCHES, DESTINATION_PITCHES };

/* Within one buffer Python looks whether they overlap. */
PyObject *give_rectangle_copy(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    const struct native_stream *stream = &target->stream;
    uint64_t region[3];
    struct rows there, here;
    struct part from = { 0 }, to = { 0 };
    struct residents residents = { .count = 0 };
    int done = 0;
    (void)self;
    (void)times;
    if (take_numbers(taken[COPIED], region, 3, 1) && copies_rows(stream, region)
        && lay_out(&there, taken[SOURCE_ORIGIN], taken[SOURCE_PITCHES], region)
        && lay_out(&here, taken[DESTINATION_ORIGIN], taken[DESTINATION_PITCHES], region)) {
        from = part_on(target, &residents, READS, taken[SOURCE], queue, NULL, 0);
        to = part_on(target, &residents, WRITES, taken[DESTINATION], queue, NULL, 0);
    }
    if (from.storage && to.storage && from.storage != to.storage && there.end <= from.size && here.end <= to.size) {
        PyThreadState *state = PyEval_SaveThread();
        done = copy_rows(stream, on_device(to.address, &here), on_device(from.address, &there), region);
        PyEval_RestoreThread(state);
    }
    end_parts(&residents, target, done);
    drop(from.storage);
    drop(to.storage);
    forget_error();
    return done ? next_position(target) : NULL;
}
