/* What the files of this library share. */
#ifndef CL2CUDA_NATIVE_CALLS_H
#define CL2CUDA_NATIVE_CALLS_H

#include "python.h"

#define NONE (&_Py_NoneStruct)
#define TRUE_ (&_Py_TrueStruct)
#define FALSE_ (&_Py_FalseStruct)

static inline void drop(PyObject *object)
{
    if (object)
        Py_DecRef(object);
}

/* Whether the object's attribute is `wanted`. */
static inline int is(PyObject *object, PyObject *name, PyObject *wanted)
{
    PyObject *found = PyObject_GetAttr(object, name);
    drop(found);
    return found == wanted;
}

/* The end of an object whose fields have been dropped. */
static inline void end_object(PyObject *self)
{
    PyTypeObject *type = self->type;
    PyObject_Free(self);
    Py_DecRef((PyObject *)type);
}

/* arguments.c */
PyObject *new_packing(PyObject *module, PyObject *arguments);
PyObject *set_number_types(PyObject *module, PyObject *types);
int write_arguments(PyObject *packing, PyObject *const *arguments, Py_ssize_t count);
int prepare_arguments(void);

#endif
