/* What the library and the package give each other when Python starts: the library's functions, by which Python reads and writes the
   application's memory, makes objects and calls back; and the package's, entry points and what is asked beside them. */
#include "arguments.h"
#include "arrays.h"
#include "buffers.h"
#include "callbacks.h"
#include "descriptions.h"
#include "held_commands.h"
#include "maps.h"
#include "origins.h"
#include "programs.h"
#include "spares.h"
#include "svm.h"

#include <string.h>

static PyObject *read_memory(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    Py_ssize_t size;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "Kn", &address, &size))
        return NULL;
    return py.PyBytes_FromStringAndSize((const char *)(uintptr_t)address, size);
}

static PyObject *write_memory(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    PyObject *bytes;
    char *data;
    Py_ssize_t size;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "KO", &address, &bytes) || py.PyBytes_AsStringAndSize(bytes, &data, &size))
        return NULL;
    memcpy((void *)(uintptr_t)address, data, size);
    return new_reference(py.none);
}

static PyObject *view_memory(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    Py_ssize_t size;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "Kn", &address, &size))
        return NULL;
    return py.PyMemoryView_FromMemory((char *)(uintptr_t)address, size, PyBUF_WRITE);
}

static PyObject *text_at(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "K", &address))
        return NULL;
    const char *text = (const char *)(uintptr_t)address;
    return py.PyBytes_FromStringAndSize(text, (Py_ssize_t)strlen(text));
}

static PyObject *words_at(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    Py_ssize_t count;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "Kn", &address, &count))
        return NULL;
    return tuple_of_words((const uint64_t *)(uintptr_t)address, count);
}

/* handle(core, kind, new, parent): the address of the core's object; `new` makes one with a reference. The platform, and devices
   that are no part of another, are not counted. */
static PyObject *handle(PyObject *self, PyObject *arguments)
{
    PyObject *core;
    int kind, is_new;
    unsigned long long parent;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "OCpK", &core, &kind, &is_new, &parent))
        return NULL;
    struct object *object = is_new ? new_object(core, (enum kind)kind, (struct object *)(uintptr_t)parent)
                                   : object_of(core, (enum kind)kind);
    if (object && (kind == PLATFORM || (kind == DEVICE && is_new && !parent)))
        object->counted = 0;
    if (kind == PLATFORM)
        platform_object = object;
    if (object && is_new && kind == KERNEL)
        find_arguments(object);
    return object ? py.PyLong_FromVoidPtr(object) : py.PyErr_NoMemory();
}

/* core(handle, kind): the runtime's object, or None where the application gave none of the kind. */
static PyObject *core(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    int kind;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "KC", &address, &kind))
        return NULL;
    struct object *object = (struct object *)(uintptr_t)address;
    if (!is_object(object, (enum kind)kind) && (!object || object != whole_being_used || kind != MEMORY))
        return new_reference(py.none);
    return (object == program_being_built ? core_to_build : core_of)(object) ? new_reference(object->core) : NULL;
}

/* keep(address), drop(address): for a callback that will be given the object, which lives until then. */
static PyObject *keep(PyObject *self, PyObject *arguments)
{
    struct object *object;
    (void)self;
    if (!take_object(arguments, &object))
        return NULL;
    __atomic_add_fetch(&object->users, 1, __ATOMIC_RELAXED);
    return new_reference(py.none);
}

static PyObject *drop(PyObject *self, PyObject *arguments)
{
    struct object *object;
    (void)self;
    if (!take_object(arguments, &object))
        return NULL;
    drop_object(object);
    return new_reference(py.none);
}

/* hold(core): the object's address, with one more reference; 0 where it has none. let_go(address): that reference goes. */
static PyObject *hold(PyObject *self, PyObject *arguments)
{
    PyObject *core;
    (void)self;
    return py.PyArg_ParseTuple(arguments, "O", &core) ? py.PyLong_FromVoidPtr(hold_object(core)) : NULL;
}

static PyObject *let_go(PyObject *self, PyObject *arguments)
{
    struct object *object;
    (void)self;
    if (!take_object(arguments, &object))
        return NULL;
    let_go_of(object);
    return new_reference(py.none);
}

/* call(function, four words): a callback of the application's, without Python's lock. */
static PyObject *call_back(PyObject *self, PyObject *arguments)
{
    unsigned long long function, a, b, c, d;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "KKKKK", &function, &a, &b, &c, &d))
        return NULL;
    void *thread = py.PyEval_SaveThread();
    ((void (*)(word, word, word, word))(uintptr_t)function)(a, b, c, d);
    py.PyEval_RestoreThread(thread);
    return new_reference(py.none);
}

static PyMethodDef functions[] = {
    { "read", read_memory, METH_VARARGS, "read(address, size): bytes" },
    { "write", write_memory, METH_VARARGS, "write(address, bytes)" },
    { "view", view_memory, METH_VARARGS, "view(address, size): a writable memoryview" },
    { "text", text_at, METH_VARARGS, "text(address): the bytes before the 0" },
    { "words", words_at, METH_VARARGS, "words(address, count): a tuple of 64-bit numbers" },
    { "handle", handle, METH_VARARGS, "handle(core, kind, new, parent): the address of the object" },
    { "core", core, METH_VARARGS, "core(address, kind): the runtime's object, or None" },
    { "note_image_of", note_image_of, METH_VARARGS, "note_image_of(address)" },
    { "keep", keep, METH_VARARGS, "keep(address)" },
    { "drop", drop, METH_VARARGS, "drop(address)" },
    { "hold", hold, METH_VARARGS, "hold(core): the address of the object, or 0" },
    { "hold_event", hold_event, METH_VARARGS, "hold_event(address)" },
    { "let_go", let_go, METH_VARARGS, "let_go(address)" },
    { "call", call_back, METH_VARARGS, "call(function, a, b, c, d)" },
    { "end_arrays", end_arrays, METH_VARARGS, "end_arrays(address)" },
    { NULL, NULL, 0, NULL },
};

/* The package's functions that are no entry points, by name. */
static const struct { const char *name; PyObject **place; } own[] = {
    { "last_release", &last_release }, { "flush_of", &flush_of }, { "status_of", &status_of }, { "comes_again", &comes_again },
    { "function_of", &function_of }, { "wait_at_end", &wait_at_end }, { "places_of", &places_of }, { "note_arguments", &note_arguments },
      { "image_given", &image_given },
    { "launch_of", &launch_of }, { "timed_event_of", &timed_event_of }, { "fences_of", &fences_of },
    { "hold_launch", &hold_launch }, { "hold_read", &hold_read }, { "hold_write", &hold_write }, { "hold_copy", &hold_copy },
    { "hold_fill", &hold_fill }, { "hold_place", &hold_place },
    { "base_time_of", &base_time_of }, { "mark_of", &mark_of }, { "fault_of", &fault_of }, { "native_of", &native_of },
    { "lanes_of", &lanes_of }, { "event_of", &event_of }, { "memory_of", &memory_of },
    { "bare_buffers_of", &bare_buffers_of }, { "buffer_of", &buffer_of }, { "buffers_may_return", &buffers_may_return },
    { "contents_of", &contents_of }, { "note_mapped", &note_mapped }, { "note_unmapped", &note_unmapped }, { "element_of", &element_of },
    { "watched_fences_of", &watched_fences_of }, { "status_at_end", &status_at_end },
    { "allocation_of", &allocation_of }, { "note_shared_mapped", &note_shared_mapped },
    { "part_of", &part_of }, { "program_of", &program_of }, { "program_of_binary", &program_of_binary },
    { "returning_for", &returning_for }, { "may_begin_bare", &may_begin_bare },
    { "maker_of", &maker_of }, { "image_taken", &image_taken }, { "sizes_of", &sizes_of },
    { "arrays_of", &arrays_of }, { "adopt_array", &adopt_array }, { "disown_array", &disown_array }, { "retire_arrays", &retire_arrays },
    { NULL, NULL },
};

/* start(functions of this library, whether Python is this library's) gives (entry points by name, functions of `own` by name). */
int connect_package(PyObject *start, int is_ours)
{
    PyObject *given = py.PyDict_New();
    for (PyMethodDef *each = functions; given && each->name; each++) {
        PyObject *function = py.PyCFunction_NewEx(each, NULL, NULL);
        if (!function || py.PyDict_SetItemString(given, each->name, function))
            return 0;
        py.Py_DecRef(function);
    }
    PyObject *back = given ? py.PyObject_CallFunction(start, "Oi", given, is_ours) : NULL;
    if (given)
        py.Py_DecRef(given);
    if (!back)
        return 0;
    PyObject *by_name = py.PyTuple_GetItem(back, 0), *others = py.PyTuple_GetItem(back, 1);
    if (!by_name || !others)
        return 0;
    for (int i = 0; own[i].name; i++)
        if (!(*own[i].place = py.PyDict_GetItemString(others, own[i].name)))
            return 0;
    for (struct entry *const *each = entries; *each; each++) {
        (*each)->function = py.PyDict_GetItemString(by_name, (*each)->name);
    }
    return 1; /* `back` is kept, and with it all that it holds. */
}
