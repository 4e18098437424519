/* Mapping of a buffer's region into page-locked memory, for a caller that waits, and unmapping: one copy of CUDA's at most. As commands/map.py,
   and enqueue_map_buffer and MemoryMap of the PyOpenCL face, have it. */
#include "calls.h"

#define DEFINE(name) static PyObject *name_##name;
#define MAP_NAMES(N) N(itemsize) N(isbuiltin) N(str) N(version) N(data) N(shape) N(typestr) N(__array_interface__)
MAP_NAMES(DEFINE)

/* The fields of Mapping (memory/mapping.py). */
enum { OFFSET, SIZE, MAP_FLAGS, IS_COPY };

/* What release() of a MemoryMap goes by. */
static PyObject *event_type, *command_type;

/* A mapped region: where it is listed, and the copy back, if it was mapped for writing. */
struct region {
    PyObject *storage, *mappings, *listed, *mapping;
    uint64_t memory, size, is_written;
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

/* The host's memory that regions are mapped into, if CUDA has page-locked it: NULL where there is none. */
static PyObject *page_locked_shadow(PyObject *storage)
{
    PyObject *shadow = get(storage, name_shadow);
    if (shadow && shadow != NONE && !is(shadow, name_give_back, NONE) && !PyErr_Occurred())
        return shadow;
    drop(shadow);
    return NULL;
}

/* Whether the last region mapped there is a copy in memory that CUDA has page-locked. */
static int find_region(struct region *region, PyObject *buffer, PyObject *mapped)
{
    uint64_t offset, flags;
    if (!(region->storage = storage_of(buffer, &region->memory)) || !(region->mappings = get(region->storage, name_mappings))
        || !(region->listed = PyDict_GetItemWithError(region->mappings, mapped)))
        return 0;
    Py_IncRef(region->listed);
    Py_ssize_t count = PyList_Size(region->listed);
    if (count <= 0)
        return 0;
    region->mapping = PyList_GetItem(region->listed, count - 1);
    Py_IncRef(region->mapping);
    PyObject *shadow = page_locked_shadow(region->storage);
    int known = shadow && PyTuple_GetItem(region->mapping, IS_COPY) == TRUE_ && read_item(region->mapping, OFFSET, &offset)
        && read_item(region->mapping, SIZE, &region->size) && read_item(region->mapping, MAP_FLAGS, &flags);
    drop(shadow);
    region->memory += known ? offset : 0;
    region->is_written = known && (flags & MAP_WRITES);
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

/* Gives the copy to the stream, where there is one; 0 where Python is to do it. The map is released from here on, for other threads too. */
static int write_back(PyObject *self, struct region *region, PyObject *mapped, const struct target *target)
{
    if (!set(self, name__mapped, NONE))
        return 0;
    const void *host = (const void *)(uintptr_t)PyLong_AsUnsignedLongLong(mapped);
    int status = 0;
    if (region->is_written) {
        PyThreadState *state = PyEval_SaveThread();
        status = ((copy_from_host *)(uintptr_t)target->stream.write)(region->memory, host, region->size, handle_of(&target->stream));
        PyEval_RestoreThread(state);
    }
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
    PyObject *context = target ? get(queue, name_context) : NULL, *memory = get(self, name__memory);
    PyObject *mapped = get(self, name__mapped), *buffer = NULL, *position = NULL, *event = NULL;
    struct region region = { 0 };
    if (context && memory && mapped && is_int(mapped) && target->stream.write && is_open(&target->stream)
        && (buffer = buffer_of(memory, context)) && find_region(&region, buffer, mapped) && put_after(wait_for, queue, target)
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
        handle = get(self, name__queue);
        queue = handle ? get(taken[0] == NONE ? handle : taken[0], name__core) : NULL;
        event = queue ? unmapped(self, queue, taken[1]) : NULL;
    }
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

/* The parameters of enqueue_map_buffer, and what its `self` has beside that of a command. */
enum { QUEUE, BUFFER, FLAGS, FROM, SHAPE, DTYPE, ORDER, STRIDES, WAIT_FOR, IS_BLOCKING, OF_MAPS };
enum { MAP_TYPE = SELF, DTYPE_TYPE, AS_ARRAY, OF_SELF };
static struct parameters of_maps = {
    OF_MAPS, ORDER, .names = { "queue", "buf", "flags", "offset", "shape", "dtype", "order", "strides", "wait_for", "is_blocking" },
    .defaults = { [STRIDES] = NONE, [WAIT_FOR] = NONE, [IS_BLOCKING] = TRUE_ } };

/* What is to be mapped, as an array. */
struct view {
    PyObject *shape, *dtype;
    uint64_t size, flags;
};

static int read_sides(struct view *view)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(view->shape); i++) {
        PyObject *side = PyTuple_GetItem(view->shape, i);
        long long length = is_int(side) ? PyLong_AsLongLong(side) : -1;
        if (length < 1 || __builtin_mul_overflow(view->size, (uint64_t)length, &view->size) || view->size >> 62)
            return 0;
    }
    return 1;
}

/* Whether it is plain: of one of NumPy's own types, in C's order, with flags that go together. */
static int read_view(struct view *view, PyObject *self, PyObject *const *taken)
{
    PyObject *given = tuple_of(1, &taken[DTYPE]), *one = NULL;
    if (taken[STRIDES] != NONE || taken[ORDER] != of_maps.defaults[ORDER] || !is_int(taken[FLAGS]) || !given)
        goto done;
    view->flags = PyLong_AsUnsignedLongLong(taken[FLAGS]);
    view->shape = is_int(taken[SHAPE]) ? tuple_of(1, &taken[SHAPE]) : taken[SHAPE];
    if (view->shape == taken[SHAPE])
        Py_IncRef(view->shape);
    if (view->shape && is_tuple(view->shape) && !PyErr_Occurred()
        && are_map_flags(view->flags)
        && (view->dtype = PyObject_Call(PyTuple_GetItem(self, DTYPE_TYPE), given, NULL)))
        one = get(view->dtype, name_isbuiltin);
done:
    drop(given);
    int plain = one && PyLong_AsLongLong(one) == 1 && read_word(view->dtype, name_itemsize, &view->size) && read_sides(view);
    drop(one);
    return plain;
}

static uint64_t refused_by(uint64_t flags)
{
    return (flags & MAP_READ ? HOST_WRITES : 0) | (flags & MAP_WRITES ? HOST_READS : 0);
}

/* Has the stream bring the contents, where they are wanted: the command's place; NULL where Python is to do it. */
static PyObject *bring(const struct target *target, const struct view *view, uint64_t host, uint64_t memory)
{
    PyObject *position = PyObject_CallNoArgs(target->next_position);
    if (!position || view->flags == MAP_WRITE_INVALIDATE_REGION)
        return position;
    PyThreadState *state = PyEval_SaveThread();
    copy_to_host *read = (copy_to_host *)(uintptr_t)target->stream.read;
    int status = read((void *)(uintptr_t)host, memory, view->size, handle_of(&target->stream));
    PyEval_RestoreThread(state);
    if (!status)
        return position;
    Py_DecRef(position);
    return NULL;
}

/* Waits for all that the stream was given; 0 where Python is to. */
static int is_brought(const struct target *target, PyObject *position)
{
    PyThreadState *state = PyEval_SaveThread();
    int ended = wait_for_stream(&target->stream);
    PyEval_RestoreThread(state);
    return ended && reach(target, position);
}

/* Lists the region as mapped. */
static int list_region(const struct view *view, const struct part *part, PyObject *mappings, PyObject *mapped, PyObject *flags,
                       struct region *region)
{
    PyObject *start = PyLong_FromSsize_t((Py_ssize_t)part->start), *size = PyLong_FromSsize_t((Py_ssize_t)view->size);
    PyObject *fields = start && size ? tuple_of(4, (PyObject *[]){ start, size, flags, TRUE_ }) : NULL;
    region->mapping = fields ? PyObject_Call(known.mapping, fields, NULL) : NULL;
    region->listed = region->mapping ? PyList_New(0) : NULL;
    region->mappings = mappings;
    Py_IncRef(mappings);
    int done = region->listed && !PyList_Append(region->listed, region->mapping) && !PyDict_SetItem(mappings, mapped, region->listed);
    drop(fields);
    drop(start);
    drop(size);
    return done;
}

/* The face's map, which unmaps when it goes. */
static PyObject *new_map(PyObject *self, PyObject *const *taken, PyObject *mapped, PyObject *storage)
{
    PyObject *map = PyType_GenericAlloc((PyTypeObject *)PyTuple_GetItem(self, MAP_TYPE), 0);
    if (map && set(map, name__queue, taken[QUEUE]) && set(map, name__memory, taken[BUFFER]) && set(map, name__owner, storage)
        && set(map, name__mapped, mapped))
        return map;
    drop(map);
    return NULL;
}

/* NumPy's array over the memory, whose base is the map: NumPy asks it once where that is. */
static PyObject *array_over(PyObject *self, PyObject *map, const struct view *view, PyObject *mapped)
{
    PyObject *interface = PyDict_New(), *version = PyLong_FromSsize_t(3), *data = tuple_of(2, (PyObject *[]){ mapped, FALSE_ });
    PyObject *type = get(view->dtype, name_str), *array = NULL;
    if (interface && version && data && type && !PyDict_SetItem(interface, name_version, version) && !PyDict_SetItem(interface, name_data, data)
        && !PyDict_SetItem(interface, name_shape, view->shape) && !PyDict_SetItem(interface, name_typestr, type)
        && set(map, name___array_interface__, interface)) {
        array = PyObject_CallFunction(PyTuple_GetItem(self, AS_ARRAY), "O", map);
        PyObject_SetAttr(map, name___array_interface__, NULL);
    }
    drop(interface);
    drop(version);
    drop(data);
    drop(type);
    return array;
}

/* (array, event) of a region; `position` is the command's. Where there are none, `map` may be there. */
static PyObject *give_map(PyObject *self, PyObject *const *taken, PyObject *queue, const struct target *target, const struct view *view,
                          PyObject *mapped, PyObject *storage, PyObject *position, PyObject **map)
{
    PyObject *event = stand_for(new_event(queue, target, PyTuple_GetItem(self, COMMAND_TYPE), position), PyTuple_GetItem(self, EVENT_TYPE));
    *map = event ? new_map(self, taken, mapped, storage) : NULL;
    PyObject *array = *map ? array_over(self, *map, view, mapped) : NULL, *both = array ? tuple_of(2, (PyObject *[]){ array, event }) : NULL;
    drop(array);
    drop(event);
    return both;
}

/* The objects are made while the contents come. NULL where Python is to map: then nothing is mapped. */
static PyObject *mapped_region(PyObject *self, PyObject *const *taken, PyObject *queue, const struct target *target, const struct view *view)
{
    struct part part = part_of(taken[BUFFER], queue, taken[FROM], refused_by(view->flags));
    PyObject *mappings = NULL, *shadow = NULL, *mapped = NULL, *position = NULL, *both = NULL, *map = NULL;
    struct region region = { 0 };
    uint64_t host;
    if (part.storage && view->size && view->size <= part.size - part.start && (mappings = get(part.storage, name_mappings))
        && !PyDict_Size(mappings) && (shadow = page_locked_shadow(part.storage)) && read_word(shadow, name_address, &host)
        && (mapped = PyLong_FromSsize_t((Py_ssize_t)(host + part.start)))
        && list_region(view, &part, mappings, mapped, taken[FLAGS], &region)
        && (position = bring(target, view, host + part.start, part.address))
        && (both = give_map(self, taken, queue, target, view, mapped, part.storage, position, &map)) && !is_brought(target, position)) {
        Py_DecRef(both);
        both = NULL;
    }
    if (!both) {
        forget_error();
        if (map) /* It unmaps nothing when it goes. */
            set(map, name__mapped, NONE);
        if (region.listed)
            strike_out(&region, mapped);
    }
    drop(map);
    drop_region(&region);
    drop(position);
    drop(mapped);
    drop(shadow);
    drop(mappings);
    drop(part.storage);
    return both;
}

/* enqueue_map_buffer */
static PyObject *map_buffer(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *taken[MOST_PARAMETERS], *queue = NULL, *both = NULL;
    struct view view = { 0 };
    if (take_arguments(taken, &of_maps, arguments, count, names) && taken[IS_BLOCKING] == TRUE_ && taken[WAIT_FOR] == NONE
        && (queue = get(taken[QUEUE], name__core)) && read_view(&view, self, taken)) {
        struct target *target = plain_target(queue);
        if (target && target->stream.read && is_open(&target->stream) && is_quiet(&target->stream))
            both = mapped_region(self, taken, queue, target, &view);
        drop((PyObject *)target);
    }
    drop(queue);
    drop(view.shape);
    drop(view.dtype);
    if (both)
        return both;
    forget_error();
    return by_python(PyTuple_GetItem(self, FUNCTION), arguments, count, names);
}

static PyMethodDef map_definition = {
    "enqueue_map_buffer", map_buffer, METH_FASTCALL | METH_KEYWORDS,
    "enqueue_map_buffer(queue, buf, flags, offset, shape, dtype, order='C', strides=None, wait_for=None, is_blocking=True)\n--\n\n"
    "(array over the buffer's bytes from `offset` on, event); the array's `base` is a MemoryMap." };

/* mapper(function, event_type, command_type, (MemoryMap, dtype, asarray), module's name): see library.py */
PyObject *mapper(PyObject *module, PyObject *arguments)
{
    PyObject *function, *event, *command, *map, *dtype, *as_array, *name, *types;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOOO", &function, &event, &command, &types, &name)
        || !PyArg_ParseTuple(types, "OOO", &map, &dtype, &as_array))
        return NULL;
    PyObject *self = tuple_of(OF_SELF, (PyObject *[]){ NONE, function, event, command, map, dtype, as_array });
    PyObject *made = self ? PyCFunction_NewEx(&map_definition, self, name) : NULL;
    drop(self);
    return made;
}

int prepare_maps(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    MAP_NAMES(INTERN)
    of_maps.defaults[ORDER] = PyUnicode_InternFromString("C");
    return prepare_parameters(&parameters) && prepare_parameters(&of_maps);
}
