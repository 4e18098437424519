/* Plans of launches in C (launches.h): what makes them, and what they are for Python. */
#include "launches.h"
#include "residents.h"

#include <stdlib.h>

PyTypeObject *launch_type;
static PyTypeObject *launching_type;

/* The parameters of now, in memory of their own: their addresses, behind the values, which are as aligned as those they are of. */
static void *copy_parameters(void *const *parameters, Py_ssize_t count, const char *values, size_t size, size_t *place)
{
    enum { MOST_ALIGNED = 128 }; /* LOCAL_ALIGN of runtime/kernel/argument_values.py */
    *place = (size + MOST_ALIGNED - 1) & ~(size_t)(MOST_ALIGNED - 1);
    char *block;
    if (posix_memalign((void **)&block, MOST_ALIGNED, *place + (size_t)(count ? count : 1) * sizeof *parameters))
        return NULL;
    char **copied = (char **)(block + *place);
    memcpy(block, values, size);
    for (Py_ssize_t i = 0; i < count; i++)
        copied[i] = block + ((const char *)parameters[i] - values);
    return block;
}

/* frozen_launch(plan, (address of the parameters, their number, address of their values, bytes), failed): see library.py */
PyObject *frozen_launch(PyObject *module, PyObject *arguments)
{
    unsigned long long parameters, values, size;
    Py_ssize_t count;
    PyObject *plan, *failed;
    size_t place;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O(KnKK)O", &plan, &parameters, &count, &values, &size, &failed))
        return NULL;
    if (plan->type != launch_type || ((struct launch *)plan)->range || ((struct launch *)plan)->again) {
        Py_IncRef(NONE);
        return NONE;
    }
    struct launch *launch = (struct launch *)PyType_GenericAlloc(launch_type, 0), *like = (struct launch *)plan;
    if (!launch)
        return NULL;
    PyObject head = launch->head;
    *launch = *like;
    launch->head = head;
    launch->timed = NULL;
    launch->repeated = NULL;
    launch->failed = failed;
    Py_IncRef((PyObject *)launch->launching);
    Py_IncRef(launch->failed);
    launch->frozen = copy_parameters((void *const *)(uintptr_t)parameters, count, (const char *)(uintptr_t)values, (size_t)size, &place);
    if (!launch->frozen) {
        Py_DecRef((PyObject *)launch);
        return PyErr_NoMemory();
    }
    launch->grid.parameters = (void **)((char *)launch->frozen + place);
    return (PyObject *)launch;
}

/* launch.parameters(): their address */
static PyObject *parameters_of(PyObject *self, PyObject *none)
{
    (void)none;
    return PyLong_FromSsize_t((Py_ssize_t)((struct launch *)self)->grid.parameters);
}

static void end_memory(struct memory_arguments *memory)
{
    for (int i = 0; i < memory->count; i++)
        drop(memory->arguments[i].index);
    drop(memory->buffers);
    drop(memory->keep);
    drop(memory->inner);
    free(memory);
}

static void end_launch(PyObject *self)
{
    struct launch *launch = (struct launch *)self;
    if (launch->memory)
        end_memory(launch->memory);
    if (launch->timed)
        end_timed_grid(&launch->launching->graphs, launch->timed);
    if (launch->repeated)
        end_repeated_grid(&launch->launching->graphs, launch->repeated);
    free(launch->frozen);
    Py_DecRef(launch->launching ? (PyObject *)launch->launching : launch->words);
    Py_DecRef(launch->failed);
    drop(launch->again);
    end_object(self);
}

/* A grid by what all of cuLaunchKernel's arguments but the last are. */
static struct launch *launch_of_words(PyObject *launching, PyObject *words, PyObject *failed)
{
    unsigned long long function, stream, parameters;
    struct grid grid = { 0 };
    struct launch *launch;
    if (!PyArg_ParseTuple(words, "KIIIIIIIKK", &function, &grid.blocks[0], &grid.blocks[1], &grid.blocks[2], &grid.threads[0],
                          &grid.threads[1], &grid.threads[2], &grid.shared_bytes, &stream, &parameters)
        || !(launch = (struct launch *)PyType_GenericAlloc(launch_type, 0)))
        return NULL;
    grid.function = (void *)(uintptr_t)function;
    grid.parameters = (void **)(uintptr_t)parameters;
    launch->grid = grid;
    launch->stream = (void *)(uintptr_t)stream;
    launch->launching = (struct launching *)launching;
    launch->failed = failed;
    Py_IncRef(launching);
    Py_IncRef(failed);
    return launch;
}

/* launching.prepared(words, is_dependent, failed, pages): see library.py */
static PyObject *prepared(PyObject *self, PyObject *arguments)
{
    PyObject *words, *failed;
    unsigned long long pages;
    int is_dependent;
    if (!PyArg_ParseTuple(arguments, "OpOK", &words, &is_dependent, &failed, &pages))
        return NULL;
    struct launch *launch = launch_of_words(self, words, failed);
    if (launch) {
        launch->is_dependent = is_dependent;
        launch->pages = (struct due_pages *)(uintptr_t)pages;
    }
    return (PyObject *)launch;
}

/* launching.recorded(words, turns, place, record, again): see library.py */
static PyObject *recorded(PyObject *self, PyObject *arguments)
{
    unsigned long long turns, place;
    PyObject *words, *record, *again;
    if (!PyArg_ParseTuple(arguments, "OKKSO", &words, &turns, &place, &record, &again))
        return NULL;
    struct launch *launch;
    if (PyBytes_Size(record) != sizeof launch->record) {
        PyErr_SetString(PyExc_TypeError, "a record has other bytes");
        return NULL;
    }
    if (!(launch = launch_of_words(self, words, again)))
        return NULL;
    launch->turn = (struct turn *)(uintptr_t)turns;
    launch->place = place;
    memcpy(launch->record, PyBytes_AsString(record), sizeof launch->record);
    launch->again = again;
    Py_IncRef(again);
    return (PyObject *)launch;
}

/* resident_launch(plan, again, inner, buffers, keep, (address of the plan's values, of those of now, bytes), ((index, place, writes), ...)):
   see library.py */
PyObject *resident_launch(PyObject *module, PyObject *arguments)
{
    PyObject *plan, *again, *inner, *buffers, *keep, *parts;
    unsigned long long values, values_of_now, size, place;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOOO(KKK)O", &plan, &again, &inner, &buffers, &keep, &values, &values_of_now, &size, &parts))
        return NULL;
    struct launch *launch = (struct launch *)plan;
    Py_ssize_t count = PyTuple_Size(parts);
    if (plan->type != launch_type || launch->again || launch->memory || count < 0 || count > MOST_RESIDENTS) {
        Py_IncRef(NONE);
        return NONE;
    }
    struct memory_arguments *memory = calloc(1, sizeof *memory + (size_t)count * sizeof *memory->arguments);
    if (!memory)
        return PyErr_NoMemory();
    for (; memory->count < count; memory->count++) {
        PyObject *index;
        int writes;
        if (!PyArg_ParseTuple(PyTuple_GetItem(parts, memory->count), "OKp", &index, &place, &writes)) {
            end_memory(memory);
            return NULL;
        }
        Py_IncRef(index);
        memory->arguments[memory->count].index = index;
        memory->arguments[memory->count].place = (char *)(uintptr_t)place;
        memory->arguments[memory->count].writes = writes;
    }
    Py_IncRef(memory->buffers = buffers);
    Py_IncRef(memory->keep = keep);
    Py_IncRef(memory->inner = inner);
    memory->values = (char *)(uintptr_t)values;
    memory->values_of_now = (const char *)(uintptr_t)values_of_now;
    memory->size = (size_t)size;
    Py_IncRef(launch->again = again);
    launch->memory = memory;
    Py_IncRef(plan);
    return plan;
}

/* range_launch(address, words, failed, choose, pool) */
PyObject *new_range(PyObject *module, PyObject *arguments)
{
    unsigned long long address, choose, pool;
    PyObject *words, *failed;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "KSOKK", &address, &words, &failed, &choose, &pool))
        return NULL;
    struct launch *launch = (struct launch *)PyType_GenericAlloc(launch_type, 0);
    if (!launch)
        return NULL;
    launch->range = (launch_range *)(uintptr_t)address;
    launch->choose = (choose_pool *)(uintptr_t)choose;
    launch->pool = (void *)(uintptr_t)pool;
    launch->words = words;
    launch->failed = failed;
    Py_IncRef(words);
    Py_IncRef(failed);
    return (PyObject *)launch;
}

/* launching(addresses of cuLaunchKernel and cuLaunchKernelEx, held, let_go, waited_ns, addresses of the graphs' functions): see
   library.py */
PyObject *new_launching(PyObject *module, PyObject *arguments)
{
    unsigned long long address, extended, waited_ns;
    int held, let_go;
    PyObject *graphs;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "(KK)iiKO", &address, &extended, &held, &let_go, &waited_ns, &graphs))
        return NULL;
    struct launching *launching = (struct launching *)PyType_GenericAlloc(launching_type, 0);
    if (!launching)
        return NULL;
    launching->address = (grid_launcher *)(uintptr_t)address;
    launching->extended = (extended_launcher *)(uintptr_t)extended;
    launching->most_held = held;
    launching->most_let_go = let_go;
    launching->waited_ns = waited_ns;
    uintptr_t *calls = (uintptr_t *)&launching->graphs;
    for (Py_ssize_t i = 0; i < PyTuple_Size(graphs) && i < (Py_ssize_t)(sizeof launching->graphs / sizeof *calls); i++)
        calls[i] = (uintptr_t)PyLong_AsUnsignedLongLong(PyTuple_GetItem(graphs, i));
    return (PyObject *)launching;
}

static PyMethodDef launching_methods[] = { { "prepared", prepared, METH_VARARGS, NULL },
                                            { "recorded", recorded, METH_VARARGS, NULL }, { NULL, NULL, 0, NULL } };
static PyType_Slot launching_slots[] = { { Py_tp_dealloc, end_object }, { Py_tp_methods, launching_methods }, { 0, NULL } };
static PyMethodDef launch_methods[] = { { "timed", timed_launch, METH_VARARGS, NULL }, { "parameters", parameters_of, METH_VARARGS, NULL },
                                        { NULL, NULL, 0, NULL } };
static PyType_Slot launch_slots[] = { { Py_tp_dealloc, end_launch }, { Py_tp_call, call_launch }, { Py_tp_methods, launch_methods },
                                      { 0, NULL } };
static PyType_Spec launching_spec = { "cl2cuda.runtime.native.Launching", sizeof(struct launching), 0,
                                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, launching_slots };
static PyType_Spec launch_spec = { "cl2cuda.runtime.native.Launch", sizeof(struct launch), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, launch_slots };

int prepare_launch_plans(void)
{
    launching_type = (PyTypeObject *)PyType_FromSpec(&launching_spec);
    launch_type = (PyTypeObject *)PyType_FromSpec(&launch_spec);
    return launching_type && launch_type;
}
