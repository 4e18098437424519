/* Arguments of a kernel that are plain memory, written as its setters write them (runtime/kernel/arguments.py): numbers of NumPy by their
   bytes, any numbers by a format of Python's module struct, buffers and shared virtual memory by their addresses. Of PyOpenCL's arrays
   it is the buffer that is written, or the offset in it. Images are written by image_arguments.c. Arguments that are more than plain
   memory, such as samplers and sizes of local memory, have their setters called. */
#include "image_arguments.h"

#include <math.h>
#include <string.h>

enum { OTHER, VALUE, BUFFER, IMAGE }; /* as ArgumentValues.plain_places has them */
enum { ITSELF, BASE_DATA, OFFSET }; /* what is written of an argument: OF_ARRAYS of library.py, as what is asked of arrays */
enum { ASK_FLAGS = 1, ASK_QUEUE = 2, ASK_EVENTS = 4 };
enum { MOST_TYPES = 32 };

struct place {
    int kind, size;
    int format; /* of a number; a space where it is NumPy's */
    int argument, part; /* of a call, and what of it */
    char *address;
    struct image_place image;
};

struct packing {
    PyObject head;
    PyObject *block;              /* what the addresses are in */
    PyObject *unset;              /* the indexes of arguments that have no value yet */
    PyObject *buffer_type, *context;
    int takes_any_address; /* the host's own memory, too */
    Py_ssize_t count;
    struct place *places;
    Py_ssize_t taken; /* how many arguments a call has */
    PyObject *setters; /* in Python, of the arguments that are OTHER or images; None for the rest */
    PyObject *asked;  /* what is asked of each, where some are arrays, or the empty bytes */
    /* In a context of several devices: weak references to the buffers, by index, and the indexes of arguments that point to the host's own
       memory; NULL where addresses are fixed. */
    PyObject *buffers, *system_pointers;
};

/* NumPy's types of numbers, whose objects have their value behind the head (numpy/arrayscalars.h), with the sizes of those and their
   formats. */
static struct number_type {
    const PyTypeObject *type;
    int size, format;
} number_types[MOST_TYPES];
static int number_count;

/* What a buffer has been as an argument, until it is released: in contexts with such arguments addresses are fixed. */
struct known_address {
    PyObject head;
    PyObject *context;
    uint64_t address;
};

static PyTypeObject *packing_type, *known_type;

static void end_packing(PyObject *self)
{
    struct packing *packing = (struct packing *)self;
    drop(packing->block);
    drop(packing->unset);
    drop(packing->buffer_type);
    drop(packing->context);
    drop(packing->setters);
    drop(packing->asked);
    drop(packing->buffers);
    drop(packing->system_pointers);
    for (Py_ssize_t i = 0; packing->places && i < packing->count; i++)
        leave_image_place(&packing->places[i].image);
    free(packing->places);
    end_object(self);
}

static void end_known_address(PyObject *self)
{
    drop(((struct known_address *)self)->context);
    end_object(self);
}

/* packing(places, setters, unset, buffer_type, context, block, asked, takes_any_address, noted, image_keys): see library.py */
PyObject *new_packing(PyObject *module, PyObject *arguments)
{
    enum { PARTS = 6 };
    PyObject *places, *parts[PARTS], *noted, *keys, *buffers = NULL, *system_pointers = NULL;
    int takes_any_address;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOOOOSpOO", &places, &parts[0], &parts[1], &parts[2], &parts[3], &parts[4], &parts[5], &takes_any_address,
                          &noted, &keys)
        || (noted != NONE && !PyArg_ParseTuple(noted, "OO", &buffers, &system_pointers)))
        return NULL;
    struct packing *packing = (struct packing *)PyType_GenericAlloc(packing_type, 0);
    if (!packing)
        return NULL;
    PyObject **fields[PARTS] = { &packing->setters, &packing->unset, &packing->buffer_type, &packing->context, &packing->block, &packing->asked };
    for (int i = 0; i < PARTS; i++) {
        Py_IncRef(parts[i]);
        *fields[i] = parts[i];
    }
    packing->takes_any_address = takes_any_address;
    if (noted != NONE) {
        Py_IncRef(packing->buffers = buffers);
        Py_IncRef(packing->system_pointers = system_pointers);
    }
    packing->count = PyTuple_Size(places);
    packing->taken = PyObject_Size(packing->asked) ? PyObject_Size(packing->asked) : packing->count;
    packing->places = packing->count > 0 ? calloc((size_t)packing->count, sizeof *packing->places) : NULL;
    for (Py_ssize_t i = 0; i < packing->count; i++) {
        unsigned long long address;
        struct place *place = packing->places ? &packing->places[i] : NULL;
        if (!place || !PyArg_ParseTuple(PyTuple_GetItem(places, i), "iiKCii", &place->kind, &place->size, &address, &place->format,
                                        &place->argument, &place->part)) {
            Py_DecRef((PyObject *)packing);
            return place ? NULL : PyErr_NoMemory();
        }
        place->address = (char *)(uintptr_t)address;
        if (place->kind == IMAGE)
            place->image = image_place_of(PyTuple_GetItem(keys, i), (unsigned)place->size);
    }
    return (PyObject *)packing;
}

/* numbers((type, size, format), ...) */
PyObject *set_number_types(PyObject *module, PyObject *types)
{
    (void)module;
    for (Py_ssize_t i = 0; i < PyTuple_Size(types) && number_count < MOST_TYPES; i++) {
        PyObject *type;
        int size, format;
        if (!PyArg_ParseTuple(PyTuple_GetItem(types, i), "OiC", &type, &size, &format))
            return NULL;
        Py_IncRef(type);
        number_types[number_count++] = (struct number_type){ (const PyTypeObject *)type, size, format };
    }
    Py_IncRef(NONE);
    return NONE;
}

/* A number of NumPy's of the place's size, and of this format where it is not a space. */
static int write_number(const struct place *place, const PyObject *number, int format)
{
    for (int i = 0; i < number_count; i++)
        if (number_types[i].type == number->type) {
            if (number_types[i].size != place->size || (format != ' ' && format != number_types[i].format))
                return 0;
            memcpy(place->address, number + 1, (size_t)place->size);
            return 1;
        }
    return 0;
}

static int write_signed(const struct place *place, PyObject *number)
{
    PyObject *integer = PyNumber_Index(number);
    long long value = integer ? PyLong_AsLongLong(integer) : 0;
    int spare = 64 - 8 * place->size;
    drop(integer);
    if (PyErr_Occurred() || (spare && value != (long long)((unsigned long long)value << spare) >> spare))
        return 0;
    memcpy(place->address, &value, (size_t)place->size);
    return 1;
}

static int write_unsigned(const struct place *place, PyObject *number)
{
    PyObject *integer = PyNumber_Index(number);
    unsigned long long value = integer ? PyLong_AsUnsignedLongLong(integer) : 0;
    drop(integer);
    if (PyErr_Occurred() || (place->size < 8 && value >> 8 * place->size))
        return 0;
    memcpy(place->address, &value, (size_t)place->size);
    return 1;
}

static int write_float(const struct place *place, PyObject *number)
{
    double value = PyFloat_AsDouble(number);
    float rounded = (float)value;
    if (PyErr_Occurred() || (isinf(rounded) && !isinf(value)))
        return 0;
    memcpy(place->address, &rounded, sizeof rounded);
    return 1;
}

static int write_double(const struct place *place, PyObject *number)
{
    double value = PyFloat_AsDouble(number);
    if (PyErr_Occurred())
        return 0;
    memcpy(place->address, &value, sizeof value);
    return 1;
}

/* 0 where Python is to say what is wrong with the number, or takes it otherwise. */
static int write_value(const struct place *place, PyObject *number)
{
    if (!is_int(number) && write_number(place, number, place->format))
        return 1;
    switch (place->format) {
    case 'b': case 'h': case 'i': case 'l': case 'q':
        return write_signed(place, number);
    case 'B': case 'H': case 'I': case 'L': case 'Q':
        return write_unsigned(place, number);
    case 'f':
        return write_float(place, number);
    case 'd':
        return write_double(place, number);
    default:
        return 0;
    }
}

static int remember_address(PyObject *buffer, PyObject *context, uint64_t address)
{
    struct known_address *known = (struct known_address *)PyType_GenericAlloc(known_type, 0);
    if (!known)
        return 0;
    Py_IncRef(context);
    known->context = context;
    known->address = address;
    int done = set(buffer, name_known_address, (PyObject *)known);
    Py_DecRef((PyObject *)known);
    return done;
}

static int find_address(const struct packing *packing, PyObject *buffer, uint64_t *address)
{
    uint64_t offset;
    PyObject *storage = is(buffer, name_context, packing->context) ? storage_of(buffer, address) : NULL;
    /* Another thread may have released it while this one gave it its memory. */
    int done = storage && read_word(buffer, name_offset, &offset) && is(buffer, name__storage, storage)
        && remember_address(buffer, packing->context, *address += offset);
    drop(storage);
    return done;
}

static int buffer_address(const struct packing *packing, PyObject *buffer, uint64_t *address)
{
    const struct known_address *before = (struct known_address *)peek(buffer, name_known_address);
    if (!before || before->head.type != known_type || before->context != packing->context)
        return find_address(packing, buffer, address);
    *address = before->address;
    return 1;
}

static int shared_address(const struct packing *packing, PyObject *pointer, uint64_t *address)
{
    struct pointed pointed;
    if (!read_pointer(&pointed, pointer, packing->context) || !(pointed.end || packing->takes_any_address))
        return 0;
    *address = pointed.address;
    return 1;
}

static int note_reference(const struct packing *packing, PyObject *index, PyObject *buffer)
{
    PyObject *reference = PyWeakref_NewRef(buffer, NULL);
    int done = reference && !PyDict_SetItem(packing->buffers, index, reference);
    drop(reference);
    return done;
}

/* As the setter of ArgumentBlock does it in a context of several devices: a launch says where the buffer is on its own. NULL is none. */
static int note_buffer(const struct packing *packing, const struct place *place, PyObject *buffer, uint64_t *address)
{
    PyObject *index = PySet_Size(packing->system_pointers) == 0 ? PyLong_FromSsize_t(place - packing->places) : NULL, *storage = NULL;
    uint64_t offset;
    int done = 0;
    if (index && !buffer)
        done = !PyDict_GetItemWithError(packing->buffers, index) ? !PyErr_Occurred() : !PyDict_DelItem(packing->buffers, index);
    else if (index && is(buffer, name_context, packing->context) && read_word(buffer, name_offset, &offset)
             && (storage = storage_of(buffer, address))) {
        *address += offset;
        done = note_reference(packing, index, buffer);
    }
    drop(storage);
    drop(index);
    return done;
}

/* None is NULL. */
static int write_pointer(const struct packing *packing, const struct place *place, PyObject *handle)
{
    PyObject *core = handle == NONE ? NULL : get(handle, name__core);
    uint64_t address = 0;
    int is_buffer = core && (void *)core->type == (void *)packing->buffer_type, done;
    if (packing->buffers)
        done = (handle == NONE || is_buffer) && note_buffer(packing, place, core, &address);
    else
        done = handle == NONE || (core && (is_buffer ? buffer_address : shared_address)(packing, core, &address));
    if (done)
        memcpy(place->address, &address, sizeof address);
    drop(core);
    return done;
}

/* Whether the attribute `forc` of an array's `flags` is True. Of PyOpenCL's own class they are where `flags` finds them. */
static int is_contiguous(PyObject *array)
{
    PyObject *flags = (void *)array->type == (void *)known.array ? get(array, name__flags) : NULL;
    if (!flags || flags == NONE) {
        forget_error();
        drop(flags);
        flags = get(array, name_flags);
    }
    int is_true = flags && is(flags, name_forc, TRUE_);
    drop(flags);
    return is_true;
}

/* Whether the array has no queue, or this one. */
static int is_of_queue(PyObject *array, PyObject *queue)
{
    PyObject *its_queue = get(array, name_queue), *core = NULL;
    int same = its_queue && (its_queue == NONE || its_queue == queue);
    if (its_queue && !same && its_queue->type == queue->type && (core = get(queue, name__core)))
        same = is(its_queue, name__core, core);
    drop(core);
    drop(its_queue);
    return same;
}

/* Adds the array's events to the wait list `all`, which is NULL while there is none, and may be an array's own list. */
static int add_events(PyObject *array, PyObject **all, int *is_own)
{
    PyObject *events = get(array, name_events);
    int done = events && (void *)events->type == (void *)&PyList_Type;
    if (done && events != *all && PyList_Size(events)) {
        if (!*all) {
            Py_IncRef(*all = events);
        } else {
            if (!*is_own) {
                PyObject *own = PyList_New(0);
                done = own && !PyList_SetSlice(own, 0, 0, *all);
                Py_DecRef(*all);
                *all = own;
                *is_own = 1;
            }
            done = done && !PyList_SetSlice(*all, PyList_Size(*all), PyList_Size(*all), events);
        }
    }
    drop(events);
    return done;
}

/* Whether one of the arguments before is the same array, of which as much was asked. */
static int was_asked(const char *asked, PyObject *const *arguments, Py_ssize_t place)
{
    for (Py_ssize_t i = 0; i < place; i++)
        if (arguments[i] == arguments[place])
            return !(asked[place] & ~asked[i]);
    return 0;
}

/* Whether what PyOpenCL's code asks of arrays is so; their events are added to the wait list. */
static int are_arrays(const struct packing *packing, PyObject *const *arguments, PyObject *queue, PyObject **wait_for)
{
    const char *asked = PyBytes_AsString(packing->asked);
    int is_own = 0, done = 1;
    for (Py_ssize_t i = 0; done && i < packing->taken; i++)
        done = was_asked(asked, arguments, i)
            || ((!(asked[i] & ASK_FLAGS) || is_contiguous(arguments[i])) && (!(asked[i] & ASK_QUEUE) || is_of_queue(arguments[i], queue))
                && (!(asked[i] & ASK_EVENTS) || add_events(arguments[i], wait_for, &is_own)));
    return done;
}

/* By the setter in Python, which is given the runtime's object. */
static int set_other(const struct packing *packing, const struct place *place, PyObject *argument)
{
    PyObject *core = get(argument, name__core);
    forget_error();
    PyObject *none = PyObject_CallFunction(PyTuple_GetItem(packing->setters, place - packing->places), "(O)", core ? core : argument);
    drop(core);
    drop(none);
    return none != NULL;
}

/* What the place's setter has taken before is written as it writes it. */
static int write_image(const struct packing *packing, struct place *place, PyObject *argument)
{
    PyObject *image = get(argument, name__core);
    int done = image && write_known_image(&place->image, place->address, image, packing->context);
    forget_error();
    if (!done && (done = set_other(packing, place, argument)) && image)
        note_image(&place->image, image);
    drop(image);
    return done;
}

static int write_argument(const struct packing *packing, struct place *place, PyObject *argument)
{
    if (place->kind == OTHER)
        return place->part == ITSELF && set_other(packing, place, argument);
    if (place->kind == IMAGE)
        return place->part == ITSELF && write_image(packing, place, argument);
    PyObject *part = place->part == ITSELF ? NULL : get(argument, place->part == BASE_DATA ? name_base_data : name_offset);
    int written = place->part != ITSELF && !part ? 0 : place->kind == VALUE ? write_value(place, part ? part : argument)
                                                     : place->kind == BUFFER && write_pointer(packing, place, part ? part : argument);
    drop(part);
    return written;
}

/* Whether all arguments were written; what was, where not all are, Python writes again. `wait_for` is the call's wait list, or None, and
   becomes one with the events of its arrays, a reference of the caller's; without it there are to be no arrays. */
int write_arguments(PyObject *object, PyObject *const *arguments, Py_ssize_t count, PyObject *queue, PyObject **wait_for)
{
    struct packing *packing = (struct packing *)object;
    if (object->type != packing_type || packing->taken != count || PySet_Size(packing->unset))
        return 0;
    PyObject *given = wait_for ? *wait_for : NULL, *all = NULL;
    int has_arrays = PyObject_Size(packing->asked) != 0;
    int done = !has_arrays || (given && (given == NONE || (void *)given->type == (void *)&PyList_Type));
    if (done && has_arrays) {
        if (given != NONE && PyList_Size(given))
            Py_IncRef(all = given);
        done = are_arrays(packing, arguments, queue, &all);
    }
    for (Py_ssize_t i = 0; done && i < packing->count; i++)
        done = write_argument(packing, &packing->places[i], arguments[packing->places[i].argument]);
    if (!done) {
        forget_error();
        drop(all);
    } else if (given) {
        Py_IncRef(*wait_for = all ? all : given);
        drop(all);
    }
    return done;
}

/* Kernel.set_arg(arg_index, arg) of a number of NumPy's, a buffer or shared virtual memory, once the argument has had a value; the kernel's
   method in Python otherwise. */
static PyObject *set_argument(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    struct packing *packing = count == 2 && !names ? (struct packing *)get(self, name__packing) : NULL;
    int written = 0;
    if (packing && packing->head.type == packing_type && is_int(arguments[0])) {
        Py_ssize_t index = PyLong_AsSsize_t(arguments[0]);
        const struct place *place = index >= 0 && index < packing->count ? &packing->places[index] : NULL;
        written = place && (!PySet_Size(packing->unset) || !PySet_Contains(packing->unset, arguments[0]))
            && (place->kind == VALUE ? write_number(place, arguments[1], ' ')
                                     : place->kind == BUFFER && write_pointer(packing, place, arguments[1]));
    }
    drop((PyObject *)packing);
    forget_error();
    if (written) {
        Py_IncRef(NONE);
        return NONE;
    }
    return by_method(self, name__argument_in_python, arguments, count, names);
}

static PyMethodDef set_definition = { "set_arg", set_argument, METH_FASTCALL | METH_KEYWORDS,
                                      "set_arg($self, arg_index, arg)\n--\n\n"
                                      "None, a memory object, LocalMemory, or a bytes-like object with the argument's value." };

/* argument_setter(Kernel) */
PyObject *argument_setter(PyObject *module, PyObject *arguments)
{
    (void)module;
    return method_of(arguments, &set_definition);
}

/* Kernel.set_args(*args), once all have had a value; the kernel's method in Python otherwise. */
static PyObject *set_arguments(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *packing = names ? NULL : get(self, name__packing);
    int written = packing && write_arguments(packing, arguments, count, NULL, NULL);
    drop(packing);
    forget_error();
    if (written) {
        Py_IncRef(NONE);
        return NONE;
    }
    return by_method(self, name__arguments_in_python, arguments, count, names);
}

static PyMethodDef set_all_definition = { "set_args", set_arguments, METH_FASTCALL | METH_KEYWORDS,
                                          "set_args($self, *args)\n--\n\nSets all arguments." };

/* arguments_setter(Kernel) */
PyObject *arguments_setter(PyObject *module, PyObject *arguments)
{
    (void)module;
    return method_of(arguments, &set_all_definition);
}

static PyType_Slot packing_slots[] = { { Py_tp_dealloc, end_packing }, { 0, NULL } };
static PyType_Spec packing_spec = { "cl2cuda.runtime.native.Packing", sizeof(struct packing), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, packing_slots };

static PyType_Slot known_slots[] = { { Py_tp_dealloc, end_known_address }, { 0, NULL } };
static PyType_Spec known_spec = { "cl2cuda.runtime.native.KnownAddress", sizeof(struct known_address), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, known_slots };

int prepare_arguments(void)
{
    packing_type = (PyTypeObject *)PyType_FromSpec(&packing_spec);
    known_type = (PyTypeObject *)PyType_FromSpec(&known_spec);
    return packing_type && known_type;
}
