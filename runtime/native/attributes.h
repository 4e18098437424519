/* Objects of Python's, as code in C reads and writes them: their attributes by name, mostly from slots. */
#ifndef CL2CUDA_NATIVE_ATTRIBUTES_H
#define CL2CUDA_NATIVE_ATTRIBUTES_H

#include "python.h"

#define NONE (&_Py_NoneStruct)
#define TRUE_ (&_Py_TrueStruct)
#define FALSE_ (&_Py_FalseStruct)

/* The names of attributes. */
#define NAMES(N) \
    N(_core) N(_packing) N(_call_in_python) N(_argument_in_python) N(native_target) N(plans) N(last_launch) N(busy) N(fence_at) N(mark) \
    N(fence_ahead) \
    N(any_failed) N(queue) N(command_type) N(timeline) N(position) N(fence) N(times) N(gate) N(own_end) N(context) N(_storage) N(memory) \
    N(offset) N(size) N(flags) N(_ward) N(known_address) N(known_array) N(own_array) N(least_address_align) N(launch_limits) N(last_planned) \
    N(sized_like) N(native_targets) N(stream) N(event) N(reached) N(last) N(barrier) N(_barrier) N(_in_vain) \
    N(_context) N(status) N(_key) N(_hooks) N(_call_hooks) N(_begin_in_python) N(_set_in_python) \
    N(has_native) N(_kept) N(_deferred) N(closed) N(_reclaimer) N(noted) N(awaited) N(retired) N(reclaim) N(_finish_in_python) N(_wait_in_python) \
    N(_flush_in_python) N(_let_go_in_python) \
    N(timed_fences) N(_mapped) N(_owner) N(_memory) N(_queue) N(_release_in_python) N(mappings) N(shadow) N(give_back) N(address) \
    N(note_native_commands) N(svm) N(_allocations) N(_starts) N(mapped) N(_size) N(synchronize_to) N(_arguments_in_python) N(rows) \
    N(base_data) N(_flags) N(forc) N(events) N(number) N(residents) N(mem) N(_make_in_python)
#define DECLARE(name) extern PyObject *name_##name;
NAMES(DECLARE)

static inline void drop(PyObject *object)
{
    if (object)
        Py_DecRef(object);
}

/* errors.c: before Python does it all again, which raises the error again, if it is still one. */
void forget_this_error(void);

static inline void forget_error(void)
{
    if (PyErr_Occurred())
        forget_this_error();
}

/* slots.c: where in its objects a class has the attribute of an interned name. One that is told of stands at the first place from that of
   its type and name on that was free; half of the places stay free, so that a search ends soon. */
enum { SLOTS = 1024, MOST_KNOWN_SLOTS = SLOTS / 2 };

extern struct type_slot {
    PyTypeObject *type;
    PyObject *name;
    Py_ssize_t offset;
} slots_of_types[SLOTS];

PyObject *know_slots(PyObject *module, PyObject *arguments);

static inline size_t first_place(const PyTypeObject *type, const PyObject *name)
{
    return ((uintptr_t)type >> 5) + ((uintptr_t)name >> 4) * 7;
}

/* NULL where none is known. */
static inline PyObject **slot_of(PyObject *object, const PyObject *name)
{
    for (size_t place = first_place(object->type, name);; place++) {
        const struct type_slot *slot = &slots_of_types[place % SLOTS];
        if (slot->type == object->type && slot->name == name)
            return (PyObject **)((char *)object + slot->offset);
        if (!slot->type)
            return NULL;
    }
}

/* An attribute; NULL, with an error, where there is none. */
static inline PyObject *get(PyObject *object, PyObject *name)
{
    PyObject **slot = slot_of(object, name);
    if (!slot || !*slot)
        return PyObject_GetAttr(object, name);
    Py_IncRef(*slot);
    return *slot;
}

/* An attribute in a slot, which the object keeps: it stays as long as no code of Python's runs. NULL, without an error, where none is
   there, or the slot is not known: then nothing is known of the attribute, and Python is asked. */
static inline PyObject *peek(PyObject *object, const PyObject *name)
{
    PyObject **slot = slot_of(object, name);
    return slot ? *slot : NULL;
}

/* Whether the object's attribute is `wanted`. */
static inline int is(PyObject *object, PyObject *name, PyObject *wanted)
{
    PyObject *found = get(object, name);
    drop(found);
    return found == wanted;
}

/* NULL deletes it. 0, with an error, where that cannot be. */
static inline int set(PyObject *object, PyObject *name, PyObject *value)
{
    PyObject **slot = value ? slot_of(object, name) : NULL;
    if (!slot)
        return PyObject_SetAttr(object, name, value) == 0;
    PyObject *before = *slot;
    Py_IncRef(value);
    *slot = value;
    drop(before);
    return 1;
}

/* An attribute that is a number; 0, with an error, where there is none. */
static inline int read_word(PyObject *object, PyObject *name, uint64_t *word)
{
    PyObject *found = get(object, name);
    *word = found ? PyLong_AsUnsignedLongLong(found) : 0;
    drop(found);
    return !PyErr_Occurred();
}

static inline int is_tuple(PyObject *object)
{
    return (void *)object->type == (void *)&PyTuple_Type;
}

static inline int is_list(PyObject *object)
{
    return (void *)object->type == (void *)&PyList_Type;
}

static inline int is_str(PyObject *object)
{
    return (void *)object->type == (void *)&PyUnicode_Type;
}

static inline int is_int(PyObject *object)
{
    return (void *)object->type == (void *)&PyLong_Type;
}

/* The empty bytes. */
extern PyObject *no_bytes;

/* What code in C goes by of the runtime's, whose files tell it when they are imported (library.py): classes, of which nothing is before,
   the fields of ImageKind, the memory of contexts that have gone, which the others free (context/reclaim.py), what gives a colour's
   element (commands/image.py), the classes that a mapped region of an image is told by (image/mapping.py), the face's of shared virtual
   memory, what queues are made of (queue/queue.py), and barriers of those that are out of order (queue/command.py), PyOpenCL's arrays,
   what tells which exceptions a signal's handler has raised (process/interruptions.py), and what held commands are made of
   (queue/deferred.py). */
extern struct known {
    PyObject *buffer, *image, *image_fields, *context, *user_event, *mapping, *leftovers, *element_of, *image_mapping, *pointer,
        *shared_types,
        *queue_parts, *barrier, *array, *came_from_beside, *held;
} known;

/* NULL, with an error, where one of the items is. `both_of` takes the references to the two. */
PyObject *tuple_of(int count, PyObject *const *items);
PyObject *numbers_of(int count, const uintptr_t *words);
PyObject *both_of(PyObject *first, PyObject *second);

/* The end of an object whose fields have been dropped. */
static inline void end_object(PyObject *self)
{
    PyTypeObject *type = self->type;
    PyObject_Free(self);
    Py_DecRef((PyObject *)type);
}

#endif
