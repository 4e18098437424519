/* What commands in C go by of contents that may be on several devices (residents.h), and what Python asks of it before it changes where
   they are. */
#include "residents.h"

#include <pthread.h>
#include <time.h>

static PyTypeObject *resident_type;

/* A child of fork has none of the threads that were giving commands to streams. */
static unsigned forks;

static void note_fork(void)
{
    forks++;
}

static void forget_threads_of_parent(struct resident *resident)
{
    if (resident->forks != forks)
        resident->users = resident->writers = 0;
    resident->forks = forks;
}

static void end_resident(PyObject *self)
{
    struct resident *resident = (struct resident *)self;
    for (int i = 0; i < MOST_USES; i++)
        drop((PyObject *)resident->uses[i].target);
    drop(resident->device);
    end_object(self);
}

/* resident(device, memory, may_write): see library.py */
PyObject *new_resident(PyObject *module, PyObject *arguments)
{
    PyObject *device;
    unsigned long long memory;
    int may_write;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OKp", &device, &memory, &may_write))
        return NULL;
    struct resident *resident = (struct resident *)PyType_GenericAlloc(resident_type, 0);
    if (!resident)
        return NULL;
    Py_IncRef(resident->device = device);
    resident->memory = memory;
    resident->may_write = may_write;
    return (PyObject *)resident;
}

/* Whether the use of another stream can be forgotten: it has ended, and none is being made. */
static int has_ended(const struct resident *resident, int which)
{
    uint64_t reached;
    const struct target *target = resident->uses[which].target;
    return !target || (!resident->writers && read_word(target->timeline, name_reached, &reached)
                       && resident->uses[which].position <= reached);
}

/* Whether the target's stream has a place among the uses, from here on; 0, perhaps with an error, where there is none. `forgotten` is what
   had it before: to drop that may run code of Python's. */
static int has_place(struct resident *resident, const struct target *target, PyObject **forgotten)
{
    int free = MOST_USES;
    for (int i = 0; i < MOST_USES; i++)
        if (resident->uses[i].target == target)
            return 1;
    for (int i = 0; i < MOST_USES && free == MOST_USES; i++)
        if (has_ended(resident, i))
            free = i;
    if (free == MOST_USES)
        return 0;
    *forgotten = (PyObject *)resident->uses[free].target;
    Py_IncRef((PyObject *)target);
    resident->uses[free].target = (struct target *)target;
    resident->uses[free].position = 0;
    return 1;
}

static struct resident *resident_on(PyObject *storage, const PyObject *device)
{
    PyObject *all = peek(storage, name_residents);
    for (Py_ssize_t i = 0; all && is_tuple(all) && i < PyTuple_Size(all); i++) {
        struct resident *resident = (struct resident *)PyTuple_GetItem(all, i);
        if (resident->head.type == resident_type && resident->device == device)
            return resident;
    }
    return NULL;
}

int take_resident(struct residents *all, PyObject *buffer, const struct target *target, enum access access, uint64_t *address)
{
    enum { MEM_READ_ONLY = 1 << 2 };
    uint64_t offset, flags;
    if (all->count == MOST_RESIDENTS || (void *)buffer->type != (void *)known.buffer || !read_word(buffer, name_offset, &offset) || offset
        || !read_word(buffer, name_flags, &flags))
        return 0;
    PyObject *storage = get(buffer, name__storage);
    struct resident *resident = storage ? resident_on(storage, target->device) : NULL;
    if (resident)
        forget_threads_of_parent(resident);
    PyObject *forgotten = NULL;
    int writes = access == WRITES || (access == AS_ARGUMENT && !(flags & MEM_READ_ONLY));
    int done = resident && (!writes || (resident->may_write && (is_immediate(target) || has_place(resident, target, &forgotten))));
    if (done) {
        Py_IncRef((PyObject *)resident);
        all->taken[all->count].forgotten = forgotten;
        resident->users++;
        resident->writers += writes;
        all->taken[all->count].writes = writes;
        all->taken[all->count++].resident = resident;
        *address = resident->memory;
    }
    drop(storage);
    return done;
}

void note_position(const struct residents *all, const struct target *target, uint64_t position)
{
    for (int i = 0; i < all->count; i++) {
        struct resident *resident = all->taken[i].resident;
        resident->users--;
        if (!all->taken[i].writes)
            continue;
        resident->writers--;
        for (int k = 0; k < MOST_USES; k++)
            if (resident->uses[k].target == target && position > resident->uses[k].position)
                resident->uses[k].position = position;
    }
}

void let_go(struct residents *all)
{
    while (all->count) {
        all->count--;
        drop(all->taken[all->count].forgotten);
        Py_DecRef((PyObject *)all->taken[all->count].resident);
    }
}

struct part part_on(const struct target *target, struct residents *taken, enum access access, PyObject *handle, PyObject *queue,
                    PyObject *offset, uint64_t refused)
{
    struct part part = part_of(handle, queue, offset, refused);
    if (!part.storage || !target->device)
        return part;
    PyObject *buffer = get(handle, name__core);
    int is_resident = buffer && !part.origin && take_resident(taken, buffer, target, access, &part.address);
    part.address += part.start;
    drop(buffer);
    if (!is_resident) {
        drop(part.storage);
        part.storage = NULL;
    }
    return part;
}

void end_parts(struct residents *taken, const struct target *target, int given)
{
    PyObject *position = given && taken->count && !is_immediate(target) ? draw_position(target) : NULL;
    note_position(taken, target, position ? PyLong_AsUnsignedLongLong(position) : 0);
    let_go(taken);
    drop(position);
}

/* resident.end(waits): the last commands that wrote, as [(timeline, position), ...], with `waits` once those are with their streams that are
   just being given there. No command takes it any more. */
static PyObject *end_uses(PyObject *self, PyObject *arguments)
{
    enum { TURNS = 64, NAP_NS = 50000 };
    struct resident *resident = (struct resident *)self;
    int waits;
    if (!PyArg_ParseTuple(arguments, "p", &waits))
        return NULL;
    forget_threads_of_parent(resident);
    if (waits && resident->writers) {
        PyThreadState *state = PyEval_SaveThread();
        for (int i = 0; __atomic_load_n(&resident->writers, __ATOMIC_ACQUIRE); i++) {
            if (i < TURNS)
                sched_yield();
            else
                nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
        }
        PyEval_RestoreThread(state);
    }
    PyObject *uses = PyList_New(0);
    for (int i = 0; uses && i < MOST_USES; i++) {
        struct target *target = resident->uses[i].target;
        PyObject *position = target && resident->uses[i].position ? PyLong_FromSsize_t((Py_ssize_t)resident->uses[i].position) : NULL;
        PyObject *use = position ? tuple_of(2, (PyObject *[]){ target->timeline, position }) : NULL;
        if (use && PyList_Append(uses, use)) {
            Py_DecRef(uses);
            uses = NULL;
        }
        drop(use);
        drop(position);
    }
    for (int i = 0; uses && i < MOST_USES; i++) {
        PyObject *target = (PyObject *)resident->uses[i].target;
        resident->uses[i].target = NULL;
        resident->uses[i].position = 0;
        drop(target);
    }
    return uses;
}

/* resident.is_used(): whether a command that uses it is being given to a stream. */
static PyObject *is_used(PyObject *self, PyObject *none)
{
    struct resident *resident = (struct resident *)self;
    (void)none;
    forget_threads_of_parent(resident);
    PyObject *answer = resident->users ? TRUE_ : FALSE_;
    Py_IncRef(answer);
    return answer;
}

static PyMethodDef resident_methods[] = { { "end", end_uses, METH_VARARGS, NULL }, { "is_used", is_used, METH_VARARGS, NULL },
                                          { NULL, NULL, 0, NULL } };
static PyType_Slot resident_slots[] = { { Py_tp_dealloc, end_resident }, { Py_tp_methods, resident_methods }, { 0, NULL } };
static PyType_Spec resident_spec = { "cl2cuda.runtime.native.Resident", sizeof(struct resident), 0,
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, resident_slots };

int prepare_residents(void)
{
    resident_type = (PyTypeObject *)PyType_FromSpec(&resident_spec);
    return resident_type && !pthread_atfork(NULL, NULL, note_fork);
}
