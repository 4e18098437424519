/* Unmapping of regions that maps.c or Python has mapped: one copy of CUDA's at most. As commands/map.py, and MemoryMap of the PyOpenCL face,
   have it. */
#include "maps.h"

/* The fields of Mapping (memory/mapping.py) that an image's mapping has not. */
enum { OFFSET, SIZE };

/* What release() of a MemoryMap goes by. */
static PyObject *event_type, *command_type;

int find_listed(struct region *region, PyObject *mapped)
{
    if (!(region->mappings = get(region->owner, name_mappings)) || !(region->listed = PyDict_GetItemWithError(region->mappings, mapped)))
        return 0;
    Py_IncRef(region->listed);
    Py_ssize_t count = PyList_Size(region->listed);
    if (count <= 0)
        return 0;
    region->mapping = PyList_GetItem(region->listed, count - 1);
    Py_IncRef(region->mapping);
    return 1;
}

static int find_buffer_region(struct region *region, PyObject *buffer, PyObject *mapped)
{
    uint64_t offset;
    if (!(region->owner = storage_of(buffer, &region->memory)) || !find_listed(region, mapped)
        || !read_item(region->mapping, OFFSET, &offset) || !read_item(region->mapping, SIZE, &region->size))
        return 0;
    region->memory += offset;
    return 1;
}

/* Whether what was changed in a copy can be given to the stream. */
static int can_be_written(const struct region *region, const struct native_stream *stream, PyObject *mapped)
{
    const void *host = (const void *)(uintptr_t)PyLong_AsUnsignedLongLong(mapped);
    if (region->image)
        return !region->is_pageable && copies_to_rows(&region->image->array, &region->box, stream);
    return !region->is_pageable || !region->is_written || can_write(stream, host, region->size, 0);
}

/* Whether the last region mapped there is the host's own memory, or a copy that code in C gives back. */
static int find_region(struct region *region, PyObject *handle, PyObject *queue, PyObject *mapped, const struct native_stream *stream)
{
    PyObject *context = get(queue, name_context), *buffer = context ? buffer_of(handle, context) : NULL;
    uint64_t flags;
    int found = buffer ? find_buffer_region(region, buffer, mapped) : find_image_region(region, handle, queue, mapped);
    drop(buffer);
    drop(context);
    if (!found || !read_item(region->mapping, MAP_FLAGS, &flags))
        return 0;
    region->is_copy = PyTuple_GetItem(region->mapping, IS_COPY) != FALSE_;
    region->is_written = region->is_copy && (flags & MAP_WRITES);
    if (!region->is_copy)
        return 1;
    enum host_side side = host_side_of(region->owner, stream);
    region->is_pageable = side == AS_PAGEABLE_COPY;
    return stream->write && (side == AS_COPY || region->is_pageable) && can_be_written(region, stream, mapped);
}

/* Without Python's lock: whether the stream has been given the contents' way back. */
static int give_back(const struct region *region, const struct native_stream *stream, uint64_t host)
{
    if (region->image)
        return copy_rows_to_image(region, stream);
    if (region->is_pageable)
        return write_now(stream, region->memory, (const void *)(uintptr_t)host, region->size, 0);
    return copy_to_device(stream, region->memory, (const void *)(uintptr_t)host, region->size);
}

/* Gives the copy to the stream, where there is one, and asks for the flag behind it; 0 where Python is to do it. The face's map, if there is
   one, is released from here on, for other threads too. */
static int write_back(PyObject *map, struct region *region, PyObject *mapped, struct target *target, uint32_t *flag)
{
    if (map && !set(map, name__mapped, NONE))
        return 0;
    uint64_t host = PyLong_AsUnsignedLongLong(mapped);
    int done = 1;
    if (region->is_written) {
        int asks = wants_flag(target);
        PyThreadState *state = PyEval_SaveThread();
        done = give_back(region, &target->stream, host);
        *flag = done && asks ? ask_for_flag(&target->stream) : 0;
        PyEval_RestoreThread(state);
    }
    if (!done) {
        if (map)
            set(map, name__mapped, mapped);
        return 0;
    }
    strike_out(region, mapped);
    return !map || set(map, name__owner, NONE);
}

/* The runtime's event; NULL where Python is to do all. */
static PyObject *unmapped(PyObject *map, PyObject *memory, PyObject *mapped, PyObject *queue, PyObject *wait_for, PyObject *command)
{
    struct target *target = is_int(mapped) ? plain_target(queue) : NULL;
    PyObject *position = NULL, *event = NULL;
    struct region region = { 0 };
    uint32_t flag = 0;
    if (!target && is_int(mapped))
        target = target_among(queue, wait_for, 0, 0);
    if (target && is_open(&target->stream) && find_region(&region, memory, queue, mapped, &target->stream)
        && !(target->is_unordered && region.image) && put_after(wait_for, queue, target)
        && write_back(map, &region, mapped, target, &flag) && (position = next_position(target))) {
        if (region.is_written)
            note_flag(target, position, flag);
        if (note_command(target, position))
            event = new_event(queue, target, command, position);
    }
    drop_region(&region);
    drop(position);
    drop((PyObject *)target);
    return event;
}

static struct parameters parameters = { 2, 0, .names = { "queue", "wait_for" }, .defaults = { NONE, NONE } };

/* release(self, queue=None, wait_for=None) */
static PyObject *release(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *taken[MOST_PARAMETERS], *handle = NULL, *queue = NULL, *memory = NULL, *mapped = NULL, *event = NULL;
    if (take_arguments(taken, &parameters, arguments, count, names) && (handle = get(self, name__queue))
        && (queue = get(taken[0] == NONE ? handle : taken[0], name__core)) && (memory = get(self, name__memory))
        && (mapped = get(self, name__mapped)))
        event = unmapped(self, memory, mapped, queue, taken[1], command_type);
    drop(mapped);
    drop(memory);
    drop(queue);
    drop(handle);
    if (event)
        return stand_for(event, event_type);
    forget_error();
    return by_method(self, name__release_in_python, arguments, count, names);
}

static PyMethodDef release_definition = {
    "release", release, METH_FASTCALL | METH_KEYWORDS,
    "release($self, queue=None, wait_for=None)\n--\n\nEnqueues the unmapping, in the queue that mapped the memory or in another one." };

/* releaser(MemoryMap, event_type, command_type): see library.py */
PyObject *releaser(PyObject *module, PyObject *arguments)
{
    PyObject *type;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOO", &type, &event_type, &command_type))
        return NULL;
    Py_IncRef(event_type); /* kept */
    Py_IncRef(command_type);
    return PyDescr_NewMethod((PyTypeObject *)type, &release_definition);
}

/* clEnqueueUnmapMemObject of programs in C. */

enum { MAPPED_MEMORY = 1, MAPPED_ADDRESS, UNMAP_WAIT_FOR, OF_UNMAPS };
static struct parameters of_unmaps = { OF_UNMAPS, OF_UNMAPS, .names = { "queue", "memory", "address", "wait_for" } };

static PyObject *unmap_plainly(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *taken[MOST_PARAMETERS], *queue = NULL, *event = NULL;
    if (take_arguments(taken, &of_unmaps, arguments, count, names) && (queue = get(taken[QUEUE], name__core)))
        event = unmapped(NULL, taken[MAPPED_MEMORY], taken[MAPPED_ADDRESS], queue, taken[UNMAP_WAIT_FOR],
                         PyTuple_GetItem(self, COMMAND_TYPE));
    drop(queue);
    if (event)
        return event;
    forget_error();
    return by_python(PyTuple_GetItem(self, FUNCTION), arguments, count, names);
}

static PyMethodDef unmap_definition = { "unmap", unmap_plainly, METH_FASTCALL | METH_KEYWORDS,
                                        "unmap(queue, memory, address, wait_for)\n--\n\nThe event." };

/* plain_unmapper(function, command_type, module's name): see library.py */
PyObject *plain_unmapper(PyObject *module, PyObject *arguments)
{
    (void)module;
    return new_plain_mapper(&unmap_definition, arguments);
}

int prepare_unmaps(void)
{
    return prepare_parameters(&parameters) && prepare_parameters(&of_unmaps);
}
