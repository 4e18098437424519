/* Reads, writes, copies and fills of buffers in programs in Python: what commands/buffer.py gives to a stream, or holds back behind user
   events. */
#include "buffer_commands.h"

#include "held.h"
#include "helpers.h"
#include "locked.h"
#include "residents.h"

/* Without Python's lock. Memory without functions is the host's own. */

enum read { NOT_READ, IS_BEGUN, IS_READ };

static enum read begin_read(const struct target *target, struct reading *reading, void *host, uint64_t memory, size_t size,
                            struct times *times)
{
    const struct native_stream *stream = &target->stream;
    if (!stream->read) {
        memmove(host, (const void *)(uintptr_t)memory, size);
        return IS_READ;
    }
    if (reads_staged(stream, host, size))
        return read_staged(stream, host, memory, size) ? IS_READ : NOT_READ;
    if (begin_reading(reading, stream, host, memory, size))
        return NOT_READ;
    if (!record_end(times, target) || !wait_for_given(stream))
        return IS_BEGUN;
    end_reading(reading, stream, 1);
    return IS_READ;
}

/* Whether the copy was given. */
static int copy_now(const struct target *target, uint64_t to, uint64_t from, size_t size, struct times *times)
{
    const struct native_stream *stream = &target->stream;
    if (copy_between(times, target, DEVICE_TO_DEVICE, to, from, size))
        return 1;
    if (!begin_times(times, target))
        return 0;
    if (stream->copy)
        return !((copy_on_device *)(uintptr_t)stream->copy)(to, from, size, handle_of(stream));
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    return 1;
}

/* Whether there are so many bytes, and any are wanted. */
static int has(const struct part *part, uint64_t count)
{
    return part->storage && count && count <= part->size - part->start;
}

/* Whether the contents are there. Of a read that was begun and takes long Python would make another one, in a queue out of order perhaps in
   another stream, so that this one would come after what the program does next: there it is waited for, unless it fails, or the program is
   interrupted. */
static int read_here(struct target *target, void *host, uint64_t memory, size_t size, struct times *times)
{
    struct reading reading;
    PyThreadState *state = PyEval_SaveThread();
    enum read read = begin_read(target, &reading, host, memory, size, times);
    PyEval_RestoreThread(state);
    if (read != IS_BEGUN)
        return read == IS_READ;
    PyObject *position = target->is_unordered ? waited_for(target, next_position(target), wait_for_stream) : NULL;
    end_reading(&reading, &target->stream, position != NULL);
    drop(position);
    return position != NULL;
}

int ends_at_once(const struct target *target, size_t size)
{
    PyThreadState *state = PyEval_SaveThread();
    int ends = can_read_more_at_once(&target->stream, size);
    PyEval_RestoreThread(state);
    return ends;
}

/* The same of a read by page-locked memory, whose times are those of CUDA's copy alone. */
static int read_by_locked_memory(const struct locked *locked, struct target *target, void *host, uint64_t memory, size_t size,
                                 struct times *times)
{
    const struct native_stream *stream = &target->stream;
    PyThreadState *state = PyEval_SaveThread();
    int given = copy_between(times, target, DEVICE_TO_HOST, (uintptr_t)locked->memory, memory, size)
        || (begin_times(times, target) && copy_from_device(stream, locked->memory, memory, size) && record_end(times, target));
    int done = given && wait_for_given(stream);
    if (done)
        copy_with_helpers(host, locked->memory, size);
    end_locked_read(locked, done);
    PyEval_RestoreThread(state);
    return done;
}

/* How a read is made here, if it is. */
enum read_way { NOT_HERE, BY_ITSELF, BY_LOCKED, AT_ONCE };

static enum read_way way_to_read(const struct native_stream *stream, const void *host, size_t size, int waits, int is_timed)
{
    if (is_timed) /* Times are of CUDA's copies alone. */
        return size <= stream->most_read ? AT_ONCE : waits && goes_by_locked(stream, host, size) ? BY_LOCKED : NOT_HERE;
    if (!waits && reads_by_itself(stream, host, size))
        return BY_ITSELF;
    if (waits ? !can_read(stream, host, size) : size > most_at_once(stream))
        return NOT_HERE;
    if (!reads_by_locked(stream, host, size))
        return AT_ONCE;
    return wants_staging(stream, host, size) ? NOT_HERE : BY_LOCKED;
}

static int read_in_way(enum read_way way, struct target *target, void *host, uint64_t memory, size_t size, struct times *times)
{
    struct locked locked;
    if (way == BY_LOCKED && take_locked(&locked, &target->stream, size))
        return read_by_locked_memory(&locked, target, host, memory, size, times);
    return !(way == BY_LOCKED && times->ended_event) && begin_times(times, target) && read_here(target, host, memory, size, times);
}

/* A read has ended when it returns: its place is before what other threads have given to the stream meanwhile. */
PyObject *give_read(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    const struct native_stream *stream = &target->stream;
    Py_buffer host;
    PyObject *position = NULL;
    int waits = taken[IS_BLOCKING] == TRUE_;
    if (!(waits || taken[IS_BLOCKING] == FALSE_) || !is_quiet(stream)
        || !take_memory(taken[HOST], &host, PyBUF_WRITABLE))
        return NULL;
    struct part part = { 0 };
    struct residents residents = { .count = 0 };
    uint64_t size = (uint64_t)host.size;
    enum read_way way = way_to_read(stream, host.memory, size, waits, times->ended_event != NULL);
    if (way)
        part = part_on(target, &residents, READS, taken[MEMORY], queue, taken[HOST_OFFSET], HOST_WRITES);
    if (way == BY_ITSELF && has(&part, size)) {
        PyThreadState *state = PyEval_SaveThread();
        int given = copy_from_device(stream, host.memory, part.address, size);
        PyEval_RestoreThread(state);
        position = given ? next_position(target) : NULL; /* Its event keeps the host's memory. */
    } else if (has(&part, size) && (position = PyObject_CallNoArgs(target->next_position))) {
        /* The first of its times is taken when what is before it has ended. */
        int done = (waits || ends_at_once(target, size)) && read_in_way(way, target, host.memory, part.address, size, times);
        if (!done || !reach(target, position)) {
            Py_DecRef(position);
            position = NULL;
        }
    }
    end_parts(&residents, target, 0);
    drop(part.storage);
    PyBuffer_Release(&host);
    return position;
}

/* A write whose times are to be of CUDA's copy alone. */
static enum outcome write_with_times(const struct target *target, struct times *times, uint64_t memory, const void *host, size_t size,
                                     int waits)
{
    const struct native_stream *stream = &target->stream;
    struct locked locked;
    if (!fill_locked(&locked, stream, host, size))
        return LEFT_TO_PYTHON;
    int given = copy_between(times, target, HOST_TO_DEVICE, memory, (uintptr_t)locked.memory, size)
        || (begin_times(times, target) && copy_to_device(stream, memory, locked.memory, size) && record_end(times, target));
    return end_locked(&locked, stream, given, waits);
}

/* Any other write, in the way that was found for it. */
static enum outcome write_plainly(const struct target *target, struct times *times, uint64_t memory, const Py_buffer *host, int waits,
                                  int may_end, int is_alone)
{
    const struct native_stream *stream = &target->stream;
    const size_t size = (size_t)host->size;
    if (!stream->write) {
        memmove((void *)(uintptr_t)memory, host->memory, size);
        return WAS_GIVEN;
    }
    enum outcome outcome = may_end ? write_by_staging(stream, memory, host->memory, size) : LEFT_TO_PYTHON;
    if (outcome != LEFT_TO_PYTHON)
        return outcome;
    if (is_alone)
        return copy_to_device(stream, memory, host->memory, size) ? WAS_GIVEN : LEFT_TO_PYTHON;
    /* The event's end is before the wait. */
    return write_now(stream, memory, host->memory, size, waits) && (!waits || record_end(times, target)) ? WAS_GIVEN : LEFT_TO_PYTHON;
}

PyObject *give_write(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    const struct native_stream *stream = &target->stream;
    Py_buffer host;
    int waits = taken[IS_BLOCKING] == TRUE_;
    if (!((waits && is_quiet(stream)) || taken[IS_BLOCKING] == FALSE_) || !take_memory(taken[HOST], &host, 0))
        return NULL;
    struct part part = { 0 };
    struct residents residents = { .count = 0 };
    uint64_t size = (uint64_t)host.size;
    PyObject *position = NULL;
    enum outcome outcome = LEFT_TO_PYTHON;
    int flags = !waits && !times->ended_event, asks = 0; /* An event of its times comes behind it. */
    int is_apart = times->ended_event && stream->write && size > SCRATCH; /* CUDA would time the processor's work. */
    int is_alone = flags && goes_by_itself(stream, host.memory, size); /* Its event keeps the host's memory. */
    uint32_t flag = 0;
    waits = waits && stream->write;
    int may_end = waits && (is_apart || (!times->ended_event && goes_by_staging(stream, size)));
    if (times->ended_event ? !is_apart || goes_by_locked(stream, host.memory, size)
                           : is_alone || (can_write(stream, host.memory, size, waits)
                                          && !(may_end && wants_staging(stream, host.memory, size))))
        part = part_on(target, &residents, WRITES, taken[MEMORY], queue, taken[HOST_OFFSET], HOST_READS);
    if (has(&part, size) && (!may_end || (position = PyObject_CallNoArgs(target->next_position)))) {
        asks = flags && wants_flag(target);
        PyThreadState *state = PyEval_SaveThread();
        if (is_apart)
            outcome = write_with_times(target, times, part.address, host.memory, size, waits);
        else if (begin_times(times, target))
            outcome = write_plainly(target, times, part.address, &host, waits, may_end, is_alone);
        if (asks && outcome == WAS_GIVEN)
            flag = ask_for_flag(stream);
        PyEval_RestoreThread(state);
    }
    end_parts(&residents, target, outcome == WAS_GIVEN);
    drop(part.storage);
    PyBuffer_Release(&host);
    position = position_of(target, outcome, position, waits);
    if (flags && position)
        note_flag(target, position, flag);
    return position;
}

/* Without a count it is the size of the smaller buffer, of which nothing is left behind an offset. */
static uint64_t size_of_copy(PyObject *const *taken, const struct part *of, const struct part *to)
{
    long long asked = taken[BYTE_COUNT] ? PyLong_AsLongLong(taken[BYTE_COUNT]) : -1;
    return asked >= 0 ? (uint64_t)asked : of->size < to->size ? of->size : to->size;
}

static int can_copy(const struct part *of, const struct part *to, uint64_t size)
{
    return !PyErr_Occurred() && has(of, size) && has(to, size)
        && (of->storage != to->storage || of->address >= to->address + size || to->address >= of->address + size);
}

/* Whether the count is one, or is left open. */
static int has_count(PyObject *const *taken)
{
    return !taken[BYTE_COUNT] || is_int(taken[BYTE_COUNT]);
}

PyObject *give_copy(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    const struct native_stream *stream = &target->stream;
    (void)self;
    if ((stream->read && !stream->copy) || !has_count(taken))
        return NULL;
    struct residents residents = { .count = 0 };
    struct part of = part_on(target, &residents, READS, taken[SOURCE], queue, taken[SOURCE_OFFSET], 0);
    struct part to = part_on(target, &residents, WRITES, taken[DESTINATION], queue, taken[DESTINATION_OFFSET], 0);
    uint64_t size = size_of_copy(taken, &of, &to);
    int done = can_copy(&of, &to, size);
    if (done) {
        PyThreadState *state = PyEval_SaveThread();
        done = copy_now(target, to.address, of.address, size, times);
        PyEval_RestoreThread(state);
    }
    end_parts(&residents, target, done);
    drop(of.storage);
    drop(to.storage);
    forget_error();
    return done ? next_position(target) : NULL;
}

int fill_memory(const struct native_stream *stream, const Py_buffer *pattern, uint64_t memory, uint64_t start, uint64_t size)
{
    size_t width = (size_t)pattern->size;
    if (!can_fill(stream, width, start, size))
        return 0;
    PyThreadState *state = PyEval_SaveThread();
    int done = fill_now(stream, memory, pattern->memory, width, size);
    PyEval_RestoreThread(state);
    return done;
}

PyObject *give_fill(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    (void)times;
    const struct native_stream *stream = &target->stream;
    Py_buffer pattern;
    if (!is_int(taken[FILL_SIZE]) || !take_memory(taken[PATTERN], &pattern, 0))
        return NULL;
    struct residents residents = { .count = 0 };
    struct part part = part_on(target, &residents, WRITES, taken[FILLED], queue, taken[FILL_OFFSET], 0);
    uint64_t size = PyLong_AsUnsignedLongLong(taken[FILL_SIZE]);
    int done = !PyErr_Occurred() && has(&part, size) && fill_memory(stream, &pattern, part.address, part.start, size);
    end_parts(&residents, target, done);
    drop(part.storage);
    PyBuffer_Release(&pattern);
    forget_error();
    return done ? next_position(target) : NULL;
}

/* Held back. */

static PyObject *hold_to_or_from_host(PyObject *self, PyObject *const *taken, PyObject *queue, int reads)
{
    PyObject *event = NULL;
    struct part part = { 0 };
    if (taken[IS_BLOCKING] == FALSE_)
        part = part_of(taken[MEMORY], queue, taken[HOST_OFFSET], reads ? HOST_WRITES : HOST_READS);
    if (part.storage)
        event = hold_host_copy(queue, &part, taken[HOST], reads, taken[HOST_WAIT_FOR], PyTuple_GetItem(self, COMMAND_TYPE));
    drop(part.storage);
    return event;
}

PyObject *hold_read(PyObject *self, PyObject *const *taken, PyObject *queue)
{
    return hold_to_or_from_host(self, taken, queue, 1);
}

PyObject *hold_write(PyObject *self, PyObject *const *taken, PyObject *queue)
{
    return hold_to_or_from_host(self, taken, queue, 0);
}

PyObject *hold_copy(PyObject *self, PyObject *const *taken, PyObject *queue)
{
    PyObject *event = NULL;
    if (!has_count(taken))
        return NULL;
    struct part of = part_of(taken[SOURCE], queue, taken[SOURCE_OFFSET], 0), to = part_of(taken[DESTINATION], queue, taken[DESTINATION_OFFSET], 0);
    uint64_t size = size_of_copy(taken, &of, &to);
    if (can_copy(&of, &to, size))
        event = hold_device_copy(queue, &of, &to, size, taken[COPY_WAIT_FOR], PyTuple_GetItem(self, COMMAND_TYPE));
    drop(of.storage);
    drop(to.storage);
    return event;
}

PyObject *hold_fill(PyObject *self, PyObject *const *taken, PyObject *queue)
{
    PyObject *event = NULL;
    if (!is_int(taken[FILL_SIZE]))
        return NULL;
    struct part part = part_of(taken[FILLED], queue, taken[FILL_OFFSET], 0);
    uint64_t size = PyLong_AsUnsignedLongLong(taken[FILL_SIZE]);
    if (!PyErr_Occurred() && has(&part, size))
        event = hold_device_fill(queue, &part, taken[PATTERN], size, taken[FILL_WAIT_FOR], PyTuple_GetItem(self, COMMAND_TYPE));
    drop(part.storage);
    return event;
}
