/* Reads, writes, copies and fills of images that are CUDA's arrays (commands/image.py): one copy on the device, between the array and a
   buffer's memory, another array, or the stream's scratch memory; box_copies.c has those between the host and the device. */
#include "colors.h"
#include "images.h"

static PyTypeObject *known_type;
static PyObject *name_order, *name_type, *name_code, *name_format;

static void end_known(PyObject *self)
{
    struct known_array *known = (struct known_array *)self;
    drop(known->context);
    drop(known->format);
    drop(known->elements);
    end_object(self);
}

/* known_array(context, format, elements, array, flags, element size, sides, memory, has planes): see library.py */
PyObject *known_array(PyObject *module, PyObject *arguments)
{
    PyObject *parts[3];
    unsigned long long array, flags, element_size, sides[3], memory[3];
    int has_planes;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOKKK(KKK)(KKK)p", &parts[0], &parts[1], &parts[2], &array, &flags, &element_size, &sides[0], &sides[1],
                          &sides[2], &memory[0], &memory[1], &memory[2], &has_planes))
        return NULL;
    struct known_array *made = (struct known_array *)PyType_GenericAlloc(known_type, 0);
    if (!made)
        return NULL;
    PyObject **fields[] = { &made->context, &made->format, &made->elements };
    for (int i = 0; i < 3; i++) {
        Py_IncRef(parts[i]);
        *fields[i] = parts[i];
    }
    made->array = (struct array){ array, flags, element_size, { sides[0], sides[1], sides[2] }, { memory[0], memory[1], memory[2] },
                                  (uint64_t)has_planes };
    return (PyObject *)made;
}

PyObject *new_known_array(PyObject *image, PyObject *keeper, const struct array *array)
{
    struct known_array *made = (struct known_array *)PyType_GenericAlloc(known_type, 0);
    if (!made)
        return NULL;
    made->context = get(image, name_context);
    made->format = get(image, name_format);
    Py_IncRef(made->elements = keeper);
    made->array = *array;
    if (made->context && made->format)
        return (PyObject *)made;
    drop((PyObject *)made);
    return NULL;
}

struct known_array *array_of(PyObject *handle, PyObject *queue, uint64_t refused)
{
    PyObject *image = get(handle, name__core), *found = NULL;
    if (image && (void *)image->type == (void *)known.image)
        found = get(image, name_known_array);
    if (found == NONE) {
        drop(found);
        found = known_own_array(image);
    }
    drop(image);
    if (found && found->type == known_type) {
        struct known_array *array = (struct known_array *)found;
        if (!(array->array.flags & refused) && is(queue, name_context, array->context))
            return array;
    }
    drop(found);
    forget_error();
    return NULL;
}

int read_box(struct box *box, const struct known_array *array, PyObject *origin, PyObject *region)
{
    return take_numbers(origin, box->at, 3, 0) && take_numbers(region, box->size, 3, 1) && is_in(box, &array->array);
}

/* A pitch, or 0 where none is given. */
static int read_pitch(PyObject *given, uint64_t *pitch)
{
    *pitch = given && is_int(given) ? PyLong_AsUnsignedLongLong(given) : 0;
    return (!given || is_int(given)) && !PyErr_Occurred();
}

/* The parameters of _enqueue_read_image and _enqueue_write_image. */
enum { MEMORY = 1, ORIGIN, REGION, HOST, ROW_PITCH, SLICE_PITCH, WAIT_FOR, IS_BLOCKING };

/* What reads and writes have in common; `array` is NULL where the command is Python's. */
struct host_command {
    struct known_array *array;
    struct box box;
    struct linear rows;
    Py_buffer host;
    int has_host;
};

static int find_host_command(struct host_command *command, PyObject *const *taken, PyObject *queue, const struct native_stream *stream, int reads)
{
    uint64_t row_pitch, slice_pitch;
    *command = (struct host_command){ 0 };
    if (!stream->copy_3d || !read_pitch(taken[ROW_PITCH], &row_pitch) || !read_pitch(taken[SLICE_PITCH], &slice_pitch)
        || !(command->array = array_of(taken[MEMORY], queue, reads ? HOST_WRITES : HOST_READS | IMMUTABLE))
        || !read_box(&command->box, command->array, taken[ORIGIN], taken[REGION])
        || !take_memory(taken[HOST], &command->host, reads ? PyBUF_WRITABLE : 0))
        return 0;
    command->has_host = 1;
    const struct array *array = &command->array->array;
    return lay_out_box(&command->rows, array, &command->box, command->host.memory, row_pitch, slice_pitch)
        && span_of_box(&command->rows, array, &command->box) <= (uint64_t)command->host.size;
}

static void end_host_command(struct host_command *command)
{
    if (command->has_host)
        PyBuffer_Release(&command->host);
    leave(command->array);
    forget_error();
}

/* As `can_read_image_at_once`. */
static int is_read_at_once(const struct host_command *command, const struct native_stream *stream)
{
    PyThreadState *state = PyEval_SaveThread();
    int ends = can_read_image_at_once(stream, command->host.memory, bytes_of(&command->array->array, &command->box));
    PyEval_RestoreThread(state);
    return ends;
}

/* What has ended when it returns has its place before what other threads have given to the stream meanwhile. */
static PyObject *give_host_command(PyObject *const *taken, PyObject *queue, struct target *target, struct times *times, int reads)
{
    struct host_command command;
    PyObject *position = NULL;
    enum outcome outcome = LEFT_TO_PYTHON;
    int waits = taken[IS_BLOCKING] == TRUE_, is_ours;
    if (!(waits ? is_quiet(&target->stream) : taken[IS_BLOCKING] == FALSE_))
        return NULL;
    is_ours = find_host_command(&command, taken, queue, &target->stream, reads)
        && (!times->ended_event || bytes_of(&command.array->array, &command.box) <= SCRATCH); /* Of more, CUDA would time the processor's work. */
    if (is_ours && reads && !waits)
        waits = is_read_at_once(&command, &target->stream);
    if (is_ours && (!waits || (position = PyObject_CallNoArgs(target->next_position)))) {
        PyThreadState *state = PyEval_SaveThread();
        outcome = (reads ? read_box_now : write_box_now)(&target->stream, &command.array->array, &command.box, &command.rows, waits,
                                                          NULL);
        if (outcome == WAS_GIVEN && !record_end(times, target)) /* before the wait */
            outcome = LEFT_TO_PYTHON;
        PyEval_RestoreThread(state);
    }
    /* Python reads again, in a queue out of order perhaps in another stream: this read would come after what the program does next. */
    if (reads && waits && command.array && outcome == LEFT_TO_PYTHON && target->is_unordered)
        drop(waited_for(target, next_position(target), wait_for_stream));
    end_host_command(&command);
    return position_of(target, outcome, position, waits);
}

PyObject *give_image_read(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    (void)self;
    return give_host_command(taken, queue, target, times, 1);
}

PyObject *give_image_write(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    (void)self;
    return give_host_command(taken, queue, target, times, 0);
}

/* The parameters of _enqueue_copy_image. */
enum { SOURCE = 1, DESTINATION, SOURCE_ORIGIN, DESTINATION_ORIGIN, COPIED };

PyObject *give_image_copy(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    const struct native_stream *stream = &target->stream;
    struct known_array *from = stream->copy_3d ? array_of(taken[SOURCE], queue, 0) : NULL;
    struct known_array *to = from ? array_of(taken[DESTINATION], queue, IMMUTABLE) : NULL;
    struct box there, here;
    int done = 0;
    (void)self;
    (void)times;
    /* Of the same image parts may overlap. */
    if (to && from->array.handle != to->array.handle && from->format == to->format
        && read_box(&there, from, taken[SOURCE_ORIGIN], taken[COPIED]) && read_box(&here, to, taken[DESTINATION_ORIGIN], taken[COPIED])) {
        PyThreadState *state = PyEval_SaveThread();
        done = copy_box(stream, end_in(&to->array, &here), end_in(&from->array, &there), &from->array, &there);
        PyEval_RestoreThread(state);
    }
    leave(to);
    leave(from);
    forget_error();
    return done ? next_position(target) : NULL;
}

static PyObject *give_with_buffer(PyObject *image, PyObject *buffer, PyObject *offset, PyObject *origin, PyObject *region, int to_image,
                                  PyObject *queue, const struct target *target)
{
    const struct native_stream *stream = &target->stream;
    struct known_array *array = stream->copy_3d && is_int(offset) ? array_of(image, queue, to_image ? IMMUTABLE : 0) : NULL;
    struct part part = { 0 };
    struct box box;
    int done = 0;
    if (array && read_box(&box, array, origin, region))
        part = part_of(buffer, queue, offset, 0);
    if (part.storage && bytes_of(&array->array, &box) <= part.size - part.start) {
        struct copy_end in = end_in(&array->array, &box), at = end_at(part.address, &array->array, &box);
        PyThreadState *state = PyEval_SaveThread();
        done = copy_box(stream, to_image ? in : at, to_image ? at : in, &array->array, &box);
        PyEval_RestoreThread(state);
    }
    drop(part.storage);
    leave(array);
    forget_error();
    return done ? next_position(target) : NULL;
}

PyObject *give_image_to_buffer(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    enum { BOX_ORIGIN = 3, BOX_REGION, OFFSET }; /* parameters of _enqueue_copy_image_to_buffer */
    (void)self;
    (void)times;
    return give_with_buffer(taken[SOURCE], taken[DESTINATION], taken[OFFSET], taken[BOX_ORIGIN], taken[BOX_REGION], 0, queue, target);
}

PyObject *give_buffer_to_image(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    enum { OFFSET = 3, BOX_ORIGIN, BOX_REGION }; /* parameters of _enqueue_copy_buffer_to_image */
    (void)self;
    (void)times;
    return give_with_buffer(taken[DESTINATION], taken[SOURCE], taken[OFFSET], taken[BOX_ORIGIN], taken[BOX_REGION], 1, queue, target);
}

static int read_code(PyObject *format, PyObject *name, uint32_t *code)
{
    PyObject *of = get(format, name);
    uint64_t word = 0;
    int done = of && read_word(of, name_code, &word);
    drop(of);
    *code = (uint32_t)word;
    return done;
}

/* The element that holds a colour. */
static int make_element(struct known_array *array, const char *color)
{
    struct known_color *filled = &array->filled;
    if (!filled->type && !(read_code(array->format, name_order, &filled->order) && read_code(array->format, name_type, &filled->type)))
        return 0;
    filled->is_known = element_of_color(filled->order, filled->type, color, filled->element) == array->array.element_size;
    if (filled->is_known)
        memcpy(filled->color, color, COLOR);
    return filled->is_known;
}

/* Has Python compute it. */
static int compute_element(struct known_array *array, const char *color)
{
    PyObject *bytes = known.element_of ? PyBytes_FromStringAndSize(color, COLOR) : NULL;
    PyObject *element = bytes ? PyObject_CallFunction(known.element_of, "OO", array->format, bytes) : NULL;
    struct known_color *filled = &array->filled;
    uint64_t size = array->array.element_size;
    filled->is_known = element && size <= LARGEST_ELEMENT && PyObject_Size(element) == (Py_ssize_t)size;
    if (filled->is_known) {
        memcpy(filled->color, color, COLOR);
        memcpy(filled->element, PyBytes_AsString(element), size);
    }
    drop(element);
    drop(bytes);
    return filled->is_known;
}

/* Images are filled with one colour again and again. 0 where Python says what is wrong with it. */
static int read_element(struct known_array *array, PyObject *color, char *element)
{
    Py_buffer memory;
    if (!take_memory(color, &memory, 0))
        return 0;
    const struct known_color *filled = &array->filled;
    int done = memory.size == COLOR
        && ((filled->is_known && !memcmp(filled->color, memory.memory, COLOR)) || make_element(array, memory.memory)
            || compute_element(array, memory.memory));
    if (done)
        memcpy(element, filled->element, array->array.element_size);
    PyBuffer_Release(&memory);
    return done;
}

PyObject *give_image_fill(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    enum { FILLED = 1, FILL_COLOR, FILL_ORIGIN, FILL_REGION }; /* parameters of enqueue_fill_image */
    const struct native_stream *stream = &target->stream;
    struct known_array *array = stream->copy_3d ? array_of(taken[FILLED], queue, IMMUTABLE) : NULL;
    struct device_scratch *scratch = NULL;
    struct box box;
    char element[LARGEST_ELEMENT];
    int done = 0;
    (void)self;
    (void)times;
    if (array && read_box(&box, array, taken[FILL_ORIGIN], taken[FILL_REGION]) && read_element(array, taken[FILL_COLOR], element)
        && (scratch = take_scratch(stream, bytes_of(&array->array, &box)))) {
        PyThreadState *state = PyEval_SaveThread();
        done = fill_box(stream, scratch, element, &array->array, &box);
        PyEval_RestoreThread(state);
        give_scratch(scratch);
    }
    leave(array);
    forget_error();
    return done ? next_position(target) : NULL;
}

static PyType_Slot known_slots[] = { { Py_tp_dealloc, end_known }, { 0, NULL } };
static PyType_Spec known_spec = { "cl2cuda.runtime.native.KnownArray", sizeof(struct known_array), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, known_slots };

int prepare_image_commands(void)
{
    name_order = PyUnicode_InternFromString("order");
    name_type = PyUnicode_InternFromString("type");
    name_code = PyUnicode_InternFromString("code");
    name_format = PyUnicode_InternFromString("format");
    known_type = (PyTypeObject *)PyType_FromSpec(&known_spec);
    return known_type != NULL;
}
