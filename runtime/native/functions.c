/* What functions in C have in common that stand before one in Python: its arguments, and the buffers among them. */
#include "calls.h"

PyObject *tuple_of(int count, PyObject *const *items)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        if (!items[i]) {
            Py_DecRef(tuple);
            return NULL;
        }
        Py_IncRef(items[i]);
        PyTuple_SetItem(tuple, i, items[i]);
    }
    return tuple;
}

PyObject *numbers_of(int count, const uintptr_t *words)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        PyObject *number = PyLong_FromSsize_t((Py_ssize_t)words[i]);
        if (!number) {
            Py_DecRef(tuple);
            return NULL;
        }
        PyTuple_SetItem(tuple, i, number);
    }
    return tuple;
}

PyObject *both_of(PyObject *first, PyObject *second)
{
    PyObject *both = tuple_of(2, (PyObject *[]){ first, second });
    drop(first);
    drop(second);
    return both;
}

int prepare_parameters(struct parameters *parameters)
{
    for (int i = 0; i < parameters->count; i++)
        if (!(parameters->interned[i] = PyUnicode_InternFromString(parameters->names[i])))
            return 0;
    return 1;
}

int find_parameter(const struct parameters *parameters, int first, PyObject *name)
{
    while (first < parameters->count && name != parameters->interned[first])
        first++;
    return first;
}

int take_arguments(PyObject **taken, const struct parameters *parameters, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t named = names ? PyTuple_Size(names) : 0;
    if (count + named > parameters->count)
        return 0;
    for (int i = 0; i < parameters->count; i++)
        taken[i] = i < count ? arguments[i] : parameters->defaults[i];
    for (Py_ssize_t i = 0; i < named; i++) {
        int which = find_parameter(parameters, (int)count, PyTuple_GetItem(names, i));
        if (which == parameters->count)
            return 0;
        taken[which] = arguments[count + i];
    }
    for (int i = 0; i < parameters->required; i++)
        if (!taken[i])
            return 0;
    return 1;
}

PyObject *by_python(PyObject *function, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *positional = PyTuple_New(count), *keywords = names ? PyDict_New() : NULL, *result = NULL;
    if (positional && (keywords || !names)) {
        for (Py_ssize_t i = 0; i < count; i++) {
            Py_IncRef(arguments[i]);
            PyTuple_SetItem(positional, i, arguments[i]);
        }
        for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); i++)
            PyDict_SetItem(keywords, PyTuple_GetItem(names, i), arguments[count + i]);
        result = PyObject_Call(function, positional, keywords);
    }
    drop(positional);
    drop(keywords);
    return result;
}

PyObject *by_method(PyObject *self, PyObject *name, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *method = get(self, name), *result = method ? by_python(method, arguments, count, names) : NULL;
    drop(method);
    return result;
}

PyObject *method_of(PyObject *arguments, PyMethodDef *definition)
{
    PyObject *type;
    return PyArg_ParseTuple(arguments, "O", &type) ? PyDescr_NewMethod((PyTypeObject *)type, definition) : NULL;
}

PyObject *buffer_of(PyObject *handle, PyObject *context)
{
    PyObject *buffer = get(handle, name__core);
    if (buffer && (void *)buffer->type == (void *)known.buffer && is(buffer, name_context, context))
        return buffer;
    drop(buffer);
    return NULL;
}

PyObject *storage_of(PyObject *buffer, uint64_t *address)
{
    PyObject *storage = get(buffer, name__storage);
    if (storage && read_word(storage, name_memory, address))
        return storage;
    drop(storage);
    return NULL;
}
