/* Attributes that lie in slots of their objects (`__slots__`): read and written there, without the steps of a search for them. */
#include "calls.h"

struct type_slot slots_of_types[SLOTS];

/* slots(type, ((name, offset), ...)): see library.py */
PyObject *know_slots(PyObject *module, PyObject *arguments)
{
    static int known;
    PyObject *type, *slots, *name;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &type, &slots))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_Size(slots); i++) {
        long long offset;
        if (!PyArg_ParseTuple(PyTuple_GetItem(slots, i), "OL", &name, &offset))
            return NULL;
        if (known == MOST_KNOWN_SLOTS)
            break; /* The others are searched for by Python, as all are without. */
        size_t place = first_place((PyTypeObject *)type, name);
        while (slots_of_types[place % SLOTS].type)
            place++;
        Py_IncRef(type); /* for as long as the process lives */
        Py_IncRef(name);
        slots_of_types[place % SLOTS] = (struct type_slot){ (PyTypeObject *)type, name, (Py_ssize_t)offset };
        known++;
    }
    return PyLong_FromSsize_t(MOST_KNOWN_SLOTS - known);
}
