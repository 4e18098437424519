/* Unmapping of a buffer's region that was mapped for writing, whose contents go to the device from page-locked memory: one call of CUDA's.
   As commands/map.py and MemoryMap of the PyOpenCL face have it. */
#include "calls.h"

/* cl_map_flags */
enum { MAP_WRITES = 1 << 1 | 1 << 2 };

/* The fields of Mapping (memory/mapping.py). */
enum { OFFSET, SIZE, MAP_FLAGS, IS_COPY };

/* What release() of a MemoryMap goes by. */
static PyObject *event_type, *buffer_type, *command_type;

/* A mapped region: where it is listed, and the copy. */
struct region {
    PyObject *storage, *mappings, *listed, *mapping;
    uint64_t memory, size;
};

static void drop_region(struct region *region)
{
    drop(region->storage);
    drop(region->mappings);
    drop(region->listed);
    drop(region->mapping);
}

static int read_item(PyObject *tuple, int index, uint64_t *number)
{
    *number = PyLong_AsUnsignedLongLong(PyTuple_GetItem(tuple, index));
    return !PyErr_Occurred();
}

/* Whether the last region mapped there is one to write back, from memory that CUDA has page-locked. */
static int find_region(struct region *region, PyObject *buffer, PyObject *mapped)
{
    uint64_t offset, flags;
    if (!(region->storage = storage_of(buffer, &region->memory)) || !(region->mappings = PyObject_GetAttr(region->storage, name_mappings))
        || !(region->listed = PyDict_GetItemWithError(region->mappings, mapped)))
        return 0;
    Py_IncRef(region->listed);
    Py_ssize_t count = PyList_Size(region->listed);
    if (count <= 0)
        return 0;
    region->mapping = PyList_GetItem(region->listed, count - 1);
    Py_IncRef(region->mapping);
    PyObject *shadow = PyObject_GetAttr(region->storage, name_shadow);
    int known = shadow && shadow != NONE && !is(shadow, name_give_back, NONE) && !PyErr_Occurred()
        && PyTuple_GetItem(region->mapping, IS_COPY) == TRUE_ && read_item(region->mapping, OFFSET, &offset)
        && read_item(region->mapping, SIZE, &region->size) && read_item(region->mapping, MAP_FLAGS, &flags) && (flags & MAP_WRITES);
    drop(shadow);
    region->memory += known ? offset : 0;
    return known;
}

/* The region is mapped no more; other threads may have mapped others meanwhile. */
static void strike_out(struct region *region, PyObject *mapped)
{
    for (Py_ssize_t i = PyList_Size(region->listed) - 1; i >= 0; i--)
        if (PyList_GetItem(region->listed, i) == region->mapping) {
            PyList_SetSlice(region->listed, i, i + 1, NULL);
            break;
        }
    if (!PyList_Size(region->listed) && PyDict_GetItemWithError(region->mappings, mapped) == region->listed)
        PyDict_DelItem(region->mappings, mapped);
}

/* Gives the copy to the stream; 0 where Python is to do it. The map is released from here on, for other threads too. */
static int write_back(PyObject *self, struct region *region, PyObject *mapped, const struct target *target)
{
    if (!set(self, name__mapped, NONE))
        return 0;
    const void *host = (const void *)(uintptr_t)PyLong_AsUnsignedLongLong(mapped);
    PyThreadState *state = PyEval_SaveThread();
    int status = ((copy_from_host *)(uintptr_t)target->stream.write)(region->memory, host, region->size, handle_of(&target->stream));
    PyEval_RestoreThread(state);
    if (status) {
        set(self, name__mapped, mapped);
        return 0;
    }
    strike_out(region, mapped);
    return set(self, name__owner, NONE);
}

/* The runtime's event; NULL where Python is to do all. */
static PyObject *unmapped(PyObject *self, PyObject *queue, PyObject *wait_for)
{
    struct target *target = plain_target(queue);
    PyObject *context = target ? PyObject_GetAttr(queue, name_context) : NULL, *memory = PyObject_GetAttr(self, name__memory);
    PyObject *mapped = PyObject_GetAttr(self, name__mapped), *buffer = NULL, *position = NULL, *event = NULL;
    struct region region = { 0 };
    if (context && memory && mapped && (void *)mapped->type == (void *)&PyLong_Type && target->stream.write && is_open(&target->stream)
        && (buffer = buffer_of(memory, buffer_type, context)) && find_region(&region, buffer, mapped) && put_after(wait_for, queue, target)
        && write_back(self, &region, mapped, target) && (position = next_position(target)))
        event = new_event(queue, target, command_type, position);
    drop_region(&region);
    drop(position);
    drop(buffer);
    drop(mapped);
    drop(memory);
    drop(context);
    drop((PyObject *)target);
    return event;
}

static struct parameters parameters = { 2, 0, .names = { "queue", "wait_for" }, .defaults = { NONE, NONE } };

/* release(self, queue=None, wait_for=None) */
static PyObject *release(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *taken[MOST_PARAMETERS], *handle = NULL, *queue = NULL, *event = NULL;
    if (take_arguments(taken, &parameters, arguments, count, names)) {
        handle = PyObject_GetAttr(self, name__queue);
        queue = handle ? PyObject_GetAttr(taken[0] == NONE ? handle : taken[0], name__core) : NULL;
        event = queue ? unmapped(self, queue, taken[1]) : NULL;
    }
    drop(queue);
    drop(handle);
    if (event)
        return stand_for(event, event_type);
    PyErr_Clear();
    return by_method(self, name__release_in_python, arguments, count, names);
}

static PyMethodDef release_definition = {
    "release", release, METH_FASTCALL | METH_KEYWORDS,
    "release($self, queue=None, wait_for=None)\n--\n\nEnqueues the unmapping, in the queue that mapped the memory or in another one." };

/* releaser(MemoryMap, event_type, buffer_type, command_type): see library.py */
PyObject *releaser(PyObject *module, PyObject *arguments)
{
    PyObject *type;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOO", &type, &event_type, &buffer_type, &command_type))
        return NULL;
    Py_IncRef(event_type); /* kept */
    Py_IncRef(buffer_type);
    Py_IncRef(command_type);
    return PyDescr_NewMethod((PyTypeObject *)type, &release_definition);
}

int prepare_maps(void)
{
    return prepare_parameters(&parameters);
}
