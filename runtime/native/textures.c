/* An image's textures on CUDA, which makes one for each state of a sampler: it is called for all of them without Python's lock. */
#include "calls.h"

enum { MOST_TEXTURES = 32 };
typedef int create_texture(uintptr_t *texture, const void *resource, const void *descriptor, const void *view);

/* textures(create, resource, descriptors): see library.py */
PyObject *new_textures(PyObject *module, PyObject *arguments)
{
    uintptr_t textures[MOST_TEXTURES], addresses[MOST_TEXTURES];
    unsigned long long create, resource;
    PyObject *descriptors;
    int status = 0, made = 0, count = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "KKO", &create, &resource, &descriptors))
        return NULL;
    while (count < MOST_TEXTURES && count < PyTuple_Size(descriptors)) {
        addresses[count] = (uintptr_t)PyLong_AsUnsignedLongLong(PyTuple_GetItem(descriptors, count));
        count++;
    }
    if (PyErr_Occurred())
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    while (made < count && !(status = ((create_texture *)(uintptr_t)create)(
               &textures[made], (const void *)(uintptr_t)resource, (const void *)addresses[made], NULL)))
        made++;
    PyEval_RestoreThread(thread);
    return both_of(PyLong_FromSsize_t(status), numbers_of(made, textures));
}
