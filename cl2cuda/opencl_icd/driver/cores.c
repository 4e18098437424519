/* The runtime's objects of what applications hold: made, where they are bare, when Python is first asked of them. */
#include "objects.h"

#include "arguments.h"
#include "arrays.h"
#include "commands.h"
#include "descriptions.h"
#include "held.h"
#include "kernels.h"
#include "maps.h"
#include "origins.h"
#include "times.h"
#include "user_events.h"

#include <stdlib.h>

PyObject *event_of, *buffer_of, *part_of, *program_of, *program_of_binary;

static PyObject *program_core(const struct object *program)
{
    const struct origin *origin = program->builds.origin;
    PyObject *context = program->parent->core, *bytes = py.PyBytes_FromStringAndSize(origin->bytes, (Py_ssize_t)origin->size);
    if (!bytes)
        return NULL;
    PyObject *made = origin->device ? py.PyObject_CallFunction(program_of_binary, "OOO", context, origin->device->core, bytes)
        : py.PyObject_CallFunction(program_of, "OO", context, bytes);
    py.Py_DecRef(bytes);
    return made;
}

static PyObject *make_core(struct object *object, const void *contents)
{
    const struct memory *memory = &object->memory;
    struct object *parent = object->parent;
    if (object->times)
        return timed_core(object);
    if (is_bare_user_event(object))
        return user_event_core(object);
    if (object->kind == EVENT)
        return py.PyObject_CallFunction(event_of, "OKI", parent->core, (unsigned long long)object->number, object->command);
    if (object->description) {
        leave_array_to_python(object);
        PyObject *made = described_core(object, contents);
        if (made && !give_array_to(made, object)) {
            py.Py_DecRef(made);
            return NULL;
        }
        return made;
    }
    if (object->kind == PROGRAM)
        return program_core(object);
    if (is_part(object))
        return core_of(parent) ? py.PyObject_CallFunction(part_of, "OKKK", parent->core, (unsigned long long)memory->flags,
                                                          (unsigned long long)object->number, (unsigned long long)memory->size) : NULL;
    PyObject *first = contents ? py.PyBytes_FromStringAndSize(contents, (Py_ssize_t)memory->size) : NULL;
    if (contents && !first)
        return NULL;
    PyObject *made = py.PyObject_CallFunction(buffer_of, "OKKO", parent->core, (unsigned long long)memory->flags,
                                              (unsigned long long)memory->size, first ? first : py.none);
    if (first)
        py.Py_DecRef(first);
    return made;
}

PyObject *core_of(struct object *object)
{
    object->is_shared = 1;
    if (object->kind == KERNEL)
        tell_arguments(object);
    if (object->kind == PROGRAM)
        end_kernels(object, 0);
    if (object->kind == MEMORY)
        tell_region(object);
    return made_core(object);
}

/* With Python's lock, by the one thread whose core it is. */
static void after_making(struct object *object, struct stream *stream)
{
    forget_first_contents(object);
    if (object->kind == QUEUE)
        __atomic_store_n(&object->stream, stream, __ATOMIC_RELEASE);
    if (is_part(object))
        leave_whole(object->parent);
}

PyObject *made_core(struct object *object)
{
    if (__atomic_load_n(&object->waits, __ATOMIC_ACQUIRE))
        tell_held();
    if (object->core)
        return object->core;
    const void *contents = read_first_contents(object);
    PyObject *made = make_core(object, contents);
    leave_first_contents(object, contents);
    if (!made && object->core) /* Another thread was quicker, and the whole of a part has ended with that. */
        drop_exception(0);
    if (!made)
        return object->core;
    struct object found = { .core = made };
    if (object->kind == QUEUE)
        find_native(&found);
    if (object->core) { /* Another thread was quicker. */
        take_array_back(made, object);
        free(found.stream);
        py.Py_DecRef(made);
        return object->core;
    }
    __atomic_store_n(&object->core, made, __ATOMIC_RELAXED);
    if (is_noted((enum kind)object->kind) && !note_core(object)) {
        __atomic_store_n(&object->core, NULL, __ATOMIC_RELAXED);
        free(found.stream);
        py.Py_DecRef(made);
    }
    if (object->core)
        after_making(object, found.stream);
    return object->core;
}
