/* Copies and fills of buffers, markers and barriers without Python's own steps: what the PyOpenCL face and commands/buffer.py do in a
   queue of a context of one device, or in one in order of several, whose buffers are resident (rectangles.c: of rectangles; svm.c:
   shared memory; order.c: behind other queues, and among the streams of one out of order). Whatever is out of the ordinary is left to
   them, before anything is done, but for reads that take long, and large copies that fail: Python makes them again. */
#include "held.h"
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

/* A function of PyOpenCL's. */
struct command {
    struct parameters parameters;
    int wait_for; /* the index of that parameter */
    enum { IN_ORDER, ANYWHERE, MARKER, BARRIER } kind; /* all but the first queues out of order take from here, too */
    int is_timed;  /* which queues that take times take from here, too */
    int takes_several; /* as do those of contexts of several devices: it looks for residents, or uses what is at one address everywhere */
    int ward;     /* of the host's memory, where the event keeps it alive, and of `is_blocking` behind the wait list; else 0 */
    /* Gives the command to the stream: its place there; NULL without an error where Python is to do it. */
    PyObject *(*give)(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
    PyMethodDef definition;
};

/* Whether there are so many bytes, and any are wanted. */
static int has(const struct part *part, uint64_t count)
{
    return part->storage && count && count <= part->size - part->start;
}

/* Whether a sub-buffer that begins there is one of every device of the context (CL_MISALIGNED_SUB_BUFFER_OFFSET). */
static int is_aligned(PyObject *context, uint64_t origin)
{
    uint64_t align;
    return !origin || (read_word(context, name_least_address_align, &align) && align && !(origin % align));
}

struct part part_of(PyObject *handle, PyObject *queue, PyObject *offset, uint64_t refused)
{
    PyObject *context = get(queue, name_context);
    PyObject *buffer = context ? buffer_of(handle, context) : NULL;
    struct part part = { 0 };
    uint64_t flags;
    if (buffer && read_word(buffer, name_flags, &flags) && !(flags & refused) && read_word(buffer, name_size, &part.size)
        && read_word(buffer, name_offset, &part.origin) && is_aligned(context, part.origin) && (!offset || is_int(offset))
        && ((part.start = offset ? PyLong_AsUnsignedLongLong(offset) : 0) < part.size) && !PyErr_Occurred())
        part.storage = storage_of(buffer, &part.address);
    part.address += part.origin + part.start;
    drop(context);
    drop(buffer);
    forget_error();
    return part;
}

int reach(const struct target *target, PyObject *position)
{
    uint64_t reached, at = PyLong_AsUnsignedLongLong(position);
    if (!read_word(target->timeline, name_reached, &reached) || (at > reached && !set(target->timeline, name_reached, position)))
        return 0;
    tell_word(target, REACHED, at > reached ? at : reached); /* Code in C of another kind is told, too. */
    return 1;
}

int take_memory(PyObject *object, Py_buffer *memory, int flags)
{
    if (!PyObject_GetBuffer(object, memory, PyBUF_ANY_CONTIGUOUS | flags))
        return 1;
    forget_error();
    return 0;
}

/* The parameters of _enqueue_read_buffer and _enqueue_write_buffer. */
enum { MEMORY = 1, HOST, HOST_OFFSET, HOST_WAIT_FOR, IS_BLOCKING, OF_HOST_COPIES };

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

/* As `can_read_at_once`. */
static int ends_at_once(const struct target *target, size_t size)
{
    PyThreadState *state = PyEval_SaveThread();
    int ends = can_read_at_once(&target->stream, size);
    PyEval_RestoreThread(state);
    return ends;
}

/* A read has ended when it returns: its place is before what other threads have given to the stream meanwhile. */
static PyObject *give_read(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
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
    int is_alone = !waits && !times->ended_event && reads_by_itself(stream, host.memory, size);
    /* Times are of CUDA's copies alone. */
    if (is_alone || (times->ended_event || !waits ? size <= stream->most_read : can_read(stream, host.memory, size)))
        part = part_on(target, &residents, READS, taken[MEMORY], queue, taken[HOST_OFFSET], HOST_WRITES);
    if (is_alone && has(&part, size)) {
        PyThreadState *state = PyEval_SaveThread();
        int given = copy_from_device(stream, host.memory, part.address, size);
        PyEval_RestoreThread(state);
        position = given ? next_position(target) : NULL; /* Its event keeps the host's memory. */
    } else if (has(&part, size) && (position = PyObject_CallNoArgs(target->next_position))) {
        /* The first of its times is taken when what is before it has ended. */
        int done = (waits || ends_at_once(target, size)) && begin_times(times, target)
            && read_here(target, host.memory, part.address, size, times);
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

static PyObject *give_write(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
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

/* The parameters of _enqueue_copy_buffer. */
enum { SOURCE = 1, DESTINATION, BYTE_COUNT, SOURCE_OFFSET, DESTINATION_OFFSET, COPY_WAIT_FOR, OF_COPIES };

static PyObject *give_copy(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    const struct native_stream *stream = &target->stream;
    if ((stream->read && !stream->copy) || (taken[BYTE_COUNT] && !is_int(taken[BYTE_COUNT])))
        return NULL;
    struct residents residents = { .count = 0 };
    struct part of = part_on(target, &residents, READS, taken[SOURCE], queue, taken[SOURCE_OFFSET], 0);
    struct part to = part_on(target, &residents, WRITES, taken[DESTINATION], queue, taken[DESTINATION_OFFSET], 0);
    /* Without a count it is the size of the smaller buffer, of which nothing is left behind an offset. */
    long long asked = taken[BYTE_COUNT] ? PyLong_AsLongLong(taken[BYTE_COUNT]) : -1;
    uint64_t size = asked >= 0 ? (uint64_t)asked : of.size < to.size ? of.size : to.size;
    int done = !PyErr_Occurred() && has(&of, size) && has(&to, size)
        && (of.storage != to.storage || of.address >= to.address + size || to.address >= of.address + size);
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

/* The parameters of _enqueue_fill_buffer. */
enum { FILLED = 1, PATTERN, FILL_OFFSET, FILL_SIZE, FILL_WAIT_FOR, OF_FILLS };

static PyObject *give_fill(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
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

/* A marker's place is all there is to it. */
static PyObject *give_marker(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    (void)self;
    (void)taken;
    (void)queue;
    (void)times;
    return next_position(target);
}

static PyObject *enqueue(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

#define FUNCTION_OF(name, signature) { name, enqueue, METH_FASTCALL | METH_KEYWORDS, name signature "\n--\n\n" }
#define HOST_COPY(name, offset, give) \
    { { OF_HOST_COPIES, HOST_OFFSET, .names = { "queue", "mem", "hostbuf", offset, "wait_for", "is_blocking" }, \
        .defaults = { [HOST_WAIT_FOR] = NONE, [IS_BLOCKING] = TRUE_ } }, HOST_WAIT_FOR, ANYWHERE, 1, 1, HOST, give, \
      FUNCTION_OF(name, "(queue, mem, hostbuf, " offset "=0, wait_for=None, is_blocking=True)") }
#define HOST_RECTANGLE(name, give) \
    { { 10, 6, .names = { "queue", "mem", "hostbuf", "buffer_origin", "host_origin", "region", "buffer_pitches", "host_pitches", \
                          "wait_for", "is_blocking" }, \
        .defaults = { [6] = NONE, [7] = NONE, [8] = NONE, [9] = TRUE_ } }, 8, ANYWHERE, 0, 1, HOST, give, \
      FUNCTION_OF(name, "(queue, mem, hostbuf, buffer_origin, host_origin, region, buffer_pitches=None, host_pitches=None, wait_for=None, " \
                        "is_blocking=True)") }
#define IMAGE_HOST_COPY(name, is_timed, give) \
    { { 9, 5, .names = { "queue", "mem", "origin", "region", "hostbuf", "row_pitch", "slice_pitch", "wait_for", "is_blocking" }, \
        .defaults = { [7] = NONE, [8] = TRUE_ } }, 7, 0, is_timed, 0, 4, give, \
      FUNCTION_OF(name, "(queue, mem, origin, region, hostbuf, row_pitch=0, slice_pitch=0, wait_for=None, is_blocking=True)") }
#define IMAGE_COMMAND(name, a, b, c, d, e, give) \
    { { 7, 6, .names = { "queue", a, b, c, d, e, "wait_for" }, .defaults = { [6] = NONE } }, 6, 0, 1, 0, 0, give, \
      FUNCTION_OF(name, "(queue, " a ", " b ", " c ", " d ", " e ", wait_for=None)") }
#define PLACE(name, kind) \
    { { 2, 1, .names = { "queue", "wait_for" }, .defaults = { [1] = NONE } }, 1, kind, 1, 1, 0, give_marker, \
      FUNCTION_OF(name, "(queue, wait_for=None)") }

static struct command commands[] = {
    HOST_COPY("_enqueue_read_buffer", "src_offset", give_read),
    HOST_COPY("_enqueue_write_buffer", "dst_offset", give_write),
    { { OF_COPIES, BYTE_COUNT, .names = { "queue", "src", "dst", "byte_count", "src_offset", "dst_offset", "wait_for" },
        .defaults = { [COPY_WAIT_FOR] = NONE } }, COPY_WAIT_FOR, ANYWHERE, 1, 1, 0, give_copy,
      FUNCTION_OF("_enqueue_copy_buffer", "(queue, src, dst, byte_count=-1, src_offset=0, dst_offset=0, wait_for=None)") },
    { { OF_FILLS, FILL_WAIT_FOR, .names = { "queue", "mem", "pattern", "offset", "size", "wait_for" },
        .defaults = { [FILL_WAIT_FOR] = NONE } }, FILL_WAIT_FOR, ANYWHERE, 1, 1, 0, give_fill,
      FUNCTION_OF("_enqueue_fill_buffer", "(queue, mem, pattern, offset, size, wait_for=None)") },
    HOST_RECTANGLE("_enqueue_read_buffer_rect", give_rectangle_read),
    HOST_RECTANGLE("_enqueue_write_buffer_rect", give_rectangle_write),
    { { 9, 6, .names = { "queue", "src", "dst", "src_origin", "dst_origin", "region", "src_pitches", "dst_pitches", "wait_for" },
        .defaults = { [6] = NONE, [7] = NONE, [8] = NONE } }, 8, ANYWHERE, 1, 1, 0, give_rectangle_copy,
      FUNCTION_OF("_enqueue_copy_buffer_rect", "(queue, src, dst, src_origin, dst_origin, region, src_pitches=None, dst_pitches=None, "
                                               "wait_for=None)") },
    IMAGE_HOST_COPY("_enqueue_read_image", 0, give_image_read),
    IMAGE_HOST_COPY("_enqueue_write_image", 1, give_image_write),
    IMAGE_COMMAND("_enqueue_copy_image", "src", "dest", "src_origin", "dest_origin", "region", give_image_copy),
    IMAGE_COMMAND("_enqueue_copy_image_to_buffer", "src", "dest", "origin", "region", "offset", give_image_to_buffer),
    IMAGE_COMMAND("_enqueue_copy_buffer_to_image", "src", "dest", "offset", "origin", "region", give_buffer_to_image),
    { { 6, 5, .names = { "queue", "mem", "color", "origin", "region", "wait_for" }, .defaults = { [5] = NONE } }, 5, 0, 1, 0, 0,
      give_image_fill,
      FUNCTION_OF("enqueue_fill_image", "(queue, mem, color, origin, region, wait_for=None)") },
    { { 6, 4, .names = { "queue", "is_blocking", "dst", "src", "wait_for", "byte_count" }, .defaults = { [4] = NONE, [5] = NONE } },
      4, 0, 1, 1, 0, give_svm_copy, FUNCTION_OF("_enqueue_svm_memcpy", "(queue, is_blocking, dst, src, wait_for=None, byte_count=None)") },
    { { 5, 3, .names = { "queue", "dst", "pattern", "byte_count", "wait_for" }, .defaults = { [3] = NONE, [4] = NONE } },
      4, 0, 1, 1, 0, give_svm_fill, FUNCTION_OF("_enqueue_svm_memfill", "(queue, dst, pattern, byte_count=None, wait_for=None)") },
    { { 6, 4, .names = { "queue", "is_blocking", "flags", "svm", "wait_for", "size" }, .defaults = { [4] = NONE, [5] = NONE } },
      4, 0, 1, 1, 0, give_svm_map, FUNCTION_OF("_enqueue_svm_map", "(queue, is_blocking, flags, svm, wait_for=None, size=None)") },
    { { 3, 2, .names = { "queue", "svm", "wait_for" }, .defaults = { [2] = NONE } },
      2, 0, 1, 1, 0, give_svm_unmap, FUNCTION_OF("_enqueue_svm_unmap", "(queue, svm, wait_for=None)") },
    { { 4, 2, .names = { "queue", "svms", "flags", "wait_for" }, .defaults = { [2] = NONE, [3] = NONE } },
      3, 0, 1, 1, 0, give_svm_migrate, FUNCTION_OF("_enqueue_svm_migrate_mem", "(queue, svms, flags=None, wait_for=None)") },
    PLACE("_enqueue_marker_with_wait_list", MARKER),
    PLACE("_enqueue_barrier_with_wait_list", BARRIER),
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* The event of a read or a write that is to be held back; NULL, without an error, where it is Python's. */
static PyObject *held_copy(PyObject *self, PyObject *const *taken, int reads)
{
    PyObject *queue = taken[IS_BLOCKING] == FALSE_ ? get(taken[0], name__core) : NULL, *event = NULL;
    struct part part = { 0 };
    if (queue)
        part = part_of(taken[MEMORY], queue, taken[HOST_OFFSET], reads ? HOST_WRITES : HOST_READS);
    if (part.storage)
        event = hold_host_copy(queue, &part, taken[HOST], reads, taken[HOST_WAIT_FOR], PyTuple_GetItem(self, COMMAND_TYPE));
    drop(part.storage);
    drop(queue);
    forget_error();
    return event;
}

static PyObject *held(const struct command *command, PyObject *self, PyObject *const *taken)
{
    PyObject *queue, *event = NULL;
    if (command->give == give_read || command->give == give_write)
        return held_copy(self, taken, command->give == give_read);
    if (command->give == give_marker && (queue = get(taken[0], name__core))) {
        event = hold_place(queue, taken[command->wait_for], PyTuple_GetItem(self, COMMAND_TYPE));
        drop(queue);
    }
    forget_error();
    return event;
}

/* Whether it is for the command to say when its first time is taken. */
static int takes_first_time(const struct command *command)
{
    return command->give == give_copy || command->give == give_read || command->give == give_write;
}

/* The event of a command that is plain; NULL without an error where it is Python's. */
static PyObject *given(const struct command *command, PyObject *self, PyObject *const *taken)
{
    PyObject *queue = get(taken[0], name__core), *position = NULL, *event = NULL;
    struct target *target = queue ? target_that_says(queue, 0) : NULL;
    struct times times = { 0 };
    forget_error();
    if (queue && !target && command->is_timed)
        target = timed_target(queue, &times);
    if (queue && !target && command->kind)
        target = target_among(queue, taken[command->wait_for], command->kind != ANYWHERE, command->kind == BARRIER);
    if (target && target->device && !command->takes_several) {
        drop((PyObject *)target);
        target = NULL;
    }
    int needs_context = command->give != give_marker || (target && target->device && target->fences); /* A fence may be recorded behind it. */
    if (target && (!needs_context || enter_stream(&target->stream)) && put_after(taken[command->wait_for], queue, target)
        && take_fences(&times, target) && (takes_first_time(command) || begin_times(&times, target)))
        position = command->give(self, taken, queue, target, &times);
    if (position)
        end_times(&times, target);
    if (position && (command->kind == ANYWHERE ? note_command : note_marker)(target, position)
        && (command->kind != BARRIER || !target->is_unordered || set_barrier(queue, target, position)))
        event = with_times(new_event(queue, target, PyTuple_GetItem(self, COMMAND_TYPE), position), &times);
    drop_times(&times);
    drop(position);
    drop((PyObject *)target);
    drop(queue);
    return event;
}

static PyObject *enqueue(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    const struct command *command = &commands[PyLong_AsSsize_t(PyTuple_GetItem(self, INDEX))];
    PyObject *taken[MOST_PARAMETERS], *event = NULL;
    if (take_arguments(taken, &command->parameters, arguments, count, names) && !(event = given(command, self, taken)) && !PyErr_Occurred())
        event = held(command, self, taken);
    if (!event) /* An error is one of a command that was given to the stream. */
        return PyErr_Occurred() ? NULL : by_python(PyTuple_GetItem(self, FUNCTION), arguments, count, names);
    PyObject *handle = stand_for(event, PyTuple_GetItem(self, EVENT_TYPE));
    if (handle && command->ward && handle != event
        && !set(handle, name__ward, taken[command->wait_for + 1] == TRUE_ ? NONE : taken[command->ward])) {
        Py_DecRef(handle);
        return NULL;
    }
    return handle;
}

/* command(name, function, event_type, command_type, module's name): see library.py */
PyObject *new_command(PyObject *module, PyObject *arguments)
{
    const char *name;
    PyObject *parts[SELF], *module_name, *made = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sOOOO", &name, &parts[FUNCTION], &parts[EVENT_TYPE], &parts[COMMAND_TYPE], &module_name))
        return NULL;
    int index = 0;
    while (index < COMMANDS && strcmp(commands[index].definition.name, name))
        index++;
    if (index == COMMANDS) {
        PyErr_SetString(PyExc_TypeError, name);
        return NULL;
    }
    parts[INDEX] = PyLong_FromSsize_t(index);
    PyObject *self = tuple_of(SELF, parts);
    if (self)
        made = PyCFunction_NewEx(&commands[index].definition, self, module_name);
    drop(parts[INDEX]);
    drop(self);
    return made;
}

int prepare_commands(void)
{
    for (int i = 0; i < COMMANDS; i++)
        if (!prepare_parameters(&commands[i].parameters))
            return 0;
    return 1;
}
