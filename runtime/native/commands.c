/* Commands on memory, markers and barriers without Python's own steps: what the PyOpenCL face and the runtime's commands do in a queue of
   a context of one device, or in one in order of several, whose buffers are resident (buffer_commands.c: with buffers; rectangles.c: with
   parts of them; image_commands.c: with images; svm.c: with shared memory; order.c: behind other queues, and among the streams of one out
   of order). Whatever is out of the ordinary is left to them, before anything is done, but for reads that take long, and large copies that
   fail: Python makes them again. */
#include "buffer_commands.h"
#include "held.h"

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
    /* Holds the command back behind user events: its event; NULL, perhaps with an error, where Python is to. Without it all is Python's. */
    PyObject *(*hold)(PyObject *self, PyObject *const *taken, PyObject *queue);
};

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

/* A marker's place is all there is to it. */
static PyObject *give_marker(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    (void)self;
    (void)taken;
    (void)queue;
    (void)times;
    return next_position(target);
}

/* Of both, the wait list comes behind the queue. */
static PyObject *hold_marker(PyObject *self, PyObject *const *taken, PyObject *queue)
{
    return hold_place(queue, taken[1], PyTuple_GetItem(self, COMMAND_TYPE));
}

static PyObject *enqueue(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

#define FUNCTION_OF(name, signature) { name, enqueue, METH_FASTCALL | METH_KEYWORDS, name signature "\n--\n\n" }
#define HOST_COPY(name, offset, what) \
    { { OF_HOST_COPIES, HOST_OFFSET, .names = { "queue", "mem", "hostbuf", offset, "wait_for", "is_blocking" }, \
        .defaults = { [HOST_WAIT_FOR] = NONE, [IS_BLOCKING] = TRUE_ } }, HOST_WAIT_FOR, ANYWHERE, 1, 1, HOST, give_##what, \
      FUNCTION_OF(name, "(queue, mem, hostbuf, " offset "=0, wait_for=None, is_blocking=True)"), hold_##what }
#define HOST_RECTANGLE(name, give) \
    { { 10, 6, .names = { "queue", "mem", "hostbuf", "buffer_origin", "host_origin", "region", "buffer_pitches", "host_pitches", \
                          "wait_for", "is_blocking" }, \
        .defaults = { [6] = NONE, [7] = NONE, [8] = NONE, [9] = TRUE_ } }, 8, ANYWHERE, 0, 1, HOST, give, \
      FUNCTION_OF(name, "(queue, mem, hostbuf, buffer_origin, host_origin, region, buffer_pitches=None, host_pitches=None, wait_for=None, " \
                        "is_blocking=True)") }
#define IMAGE_HOST_COPY(name, is_timed, give) \
    { { 9, 5, .names = { "queue", "mem", "origin", "region", "hostbuf", "row_pitch", "slice_pitch", "wait_for", "is_blocking" }, \
        .defaults = { [7] = NONE, [8] = TRUE_ } }, 7, ANYWHERE, is_timed, 0, 4, give, \
      FUNCTION_OF(name, "(queue, mem, origin, region, hostbuf, row_pitch=0, slice_pitch=0, wait_for=None, is_blocking=True)") }
#define IMAGE_COMMAND(name, a, b, c, d, e, give) \
    { { 7, 6, .names = { "queue", a, b, c, d, e, "wait_for" }, .defaults = { [6] = NONE } }, 6, ANYWHERE, 1, 0, 0, give, \
      FUNCTION_OF(name, "(queue, " a ", " b ", " c ", " d ", " e ", wait_for=None)") }
#define PLACE(name, kind) \
    { { 2, 1, .names = { "queue", "wait_for" }, .defaults = { [1] = NONE } }, 1, kind, 1, 1, 0, give_marker, \
      FUNCTION_OF(name, "(queue, wait_for=None)"), hold_marker }

static struct command commands[] = {
    HOST_COPY("_enqueue_read_buffer", "src_offset", read),
    HOST_COPY("_enqueue_write_buffer", "dst_offset", write),
    { { OF_COPIES, BYTE_COUNT, .names = { "queue", "src", "dst", "byte_count", "src_offset", "dst_offset", "wait_for" },
        .defaults = { [COPY_WAIT_FOR] = NONE } }, COPY_WAIT_FOR, ANYWHERE, 1, 1, 0, give_copy,
      FUNCTION_OF("_enqueue_copy_buffer", "(queue, src, dst, byte_count=-1, src_offset=0, dst_offset=0, wait_for=None)"), hold_copy },
    { { OF_FILLS, FILL_WAIT_FOR, .names = { "queue", "mem", "pattern", "offset", "size", "wait_for" },
        .defaults = { [FILL_WAIT_FOR] = NONE } }, FILL_WAIT_FOR, ANYWHERE, 1, 1, 0, give_fill,
      FUNCTION_OF("_enqueue_fill_buffer", "(queue, mem, pattern, offset, size, wait_for=None)"), hold_fill },
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
    { { 6, 5, .names = { "queue", "mem", "color", "origin", "region", "wait_for" }, .defaults = { [5] = NONE } }, 5, ANYWHERE, 1, 0, 0,
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

/* The event of a command that is to be held back; NULL, without an error, where it is Python's. */
static PyObject *held(const struct command *command, PyObject *self, PyObject *const *taken)
{
    PyObject *queue = command->hold ? get(taken[0], name__core) : NULL, *event = queue ? command->hold(self, taken, queue) : NULL;
    drop(queue);
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
