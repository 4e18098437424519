/* Attributes that lie in slots of their objects (`__slots__`): read and written there, without the steps of a search for them. */
#include "calls.h"

struct type_slot slots_of_types[SLOTS];

/* slots(type, ((name, offset), ...)): see library.py */
PyObject *know_slots(PyObject *module, PyObject *arguments)
{
    PyObject *type, *slots, *name;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &type, &slots))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_Size(slots); i++) {
        long long offset;
        if (!PyArg_ParseTuple(PyTuple_GetItem(slots, i), "OL", &name, &offset))
            return NULL;
        size_t place = first_place((PyTypeObject *)type, name), end = place + MOST_PLACES;
        while (place < end && slots_of_types[place % SLOTS].type)
            place++;
        if (place == end)
            continue; /* It is searched for, as before. */
        Py_IncRef(type); /* for as long as the process lives */
        Py_IncRef(name);
        slots_of_types[place % SLOTS] = (struct type_slot){ (PyTypeObject *)type, name, (Py_ssize_t)offset };
    }
    Py_IncRef(NONE);
    return NONE;
}
