/* Mapping of a buffer's region, or for a caller that waits of an image's (image_maps.c), into page-locked memory or where it is: one copy of
   CUDA's at most. As commands/map.py, and enqueue_map_buffer of the PyOpenCL face, have it. */
#include "maps.h"

#define DEFINE(name) static PyObject *name_##name;
#define MAP_NAMES(N) N(itemsize) N(isbuiltin) N(str) N(version) N(data) N(shape) N(typestr) N(__array_interface__) N(maps_left) N(value)
MAP_NAMES(DEFINE)

/* The default of the parameter `order`. */
static PyObject *c_order;

void drop_region(struct region *region)
{
    drop(region->owner);
    drop(region->mappings);
    drop(region->listed);
    drop(region->mapping);
    leave(region->image);
}

enum host_side host_side_of(PyObject *owner, const struct native_stream *stream)
{
    PyObject *shadow = get(owner, name_shadow);
    enum host_side side = PYTHONS;
    if (shadow == NONE)
        side = stream->read ? PYTHONS : IN_PLACE;
    else if (shadow && stream->read)
        side = is(shadow, name_give_back, NONE) ? AS_PAGEABLE_COPY : AS_COPY;
    if (PyErr_Occurred())
        side = PYTHONS;
    drop(shadow);
    return side;
}

void strike_out(struct region *region, PyObject *mapped)
{
    Py_ssize_t count = PyList_Size(region->listed), place = count - 1;
    while (place > 0 && PyList_GetItem(region->listed, place) != region->mapping)
        place--;
    if (count > 0)
        PyList_SetSlice(region->listed, place, place + 1, NULL);
    if (count == 1 && PyDict_GetItemWithError(region->mappings, mapped) == region->listed)
        PyDict_DelItem(region->mappings, mapped);
}

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

/* Whether strides, if there are any, are what they are without. */
static int are_close(PyObject *strides, const struct view *view)
{
    uint64_t stride = view->size;
    if (strides == NONE)
        return 1;
    if (!is_tuple(strides) || PyTuple_Size(strides) != PyTuple_Size(view->shape))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(strides); i++) {
        PyObject *given = PyTuple_GetItem(strides, i);
        stride /= PyLong_AsUnsignedLongLong(PyTuple_GetItem(view->shape, i));
        if (!is_int(given) || PyLong_AsUnsignedLongLong(given) != stride || PyErr_Occurred())
            return 0;
    }
    return 1;
}

/* Whether it is plain: of one of NumPy's own types, in C's order, with flags that go together; `described` are the parameters from the
   shape on. */
static int read_view(struct view *view, PyObject *self, PyObject *flags, PyObject *const *described)
{
    PyObject *given = tuple_of(1, &described[DTYPE]), *one = NULL;
    if (described[ORDER] != c_order || !is_int(flags) || !given)
        goto done;
    view->flags = PyLong_AsUnsignedLongLong(flags);
    view->shape = is_int(described[SHAPE]) ? tuple_of(1, &described[SHAPE]) : described[SHAPE];
    if (view->shape == described[SHAPE])
        Py_IncRef(view->shape);
    if (view->shape && is_tuple(view->shape) && !PyErr_Occurred() && are_map_flags(view->flags)
        && (view->dtype = PyObject_Call(PyTuple_GetItem(self, DTYPE_TYPE), given, NULL)))
        one = get(view->dtype, name_isbuiltin);
done:
    drop(given);
    int plain = one && PyLong_AsLongLong(one) == 1 && read_word(view->dtype, name_itemsize, &view->size) && read_sides(view)
        && are_close(described[STRIDES], view);
    drop(one);
    return plain;
}

/* The same without an array. */
static int read_plain_view(struct view *view, PyObject *flags, uint64_t size)
{
    view->flags = is_int(flags) ? PyLong_AsUnsignedLongLong(flags) : 0;
    view->size = size;
    return are_map_flags(view->flags) && !PyErr_Occurred();
}

/* The target that maps, behind what is to be waited for; NULL, without an error, where Python does. */
static struct target *mapping_target(const struct map_function *function, struct view *view, PyObject *queue, PyObject *wait_for,
                                     PyObject *is_blocking)
{
    view->waits = is_blocking == TRUE_;
    view->is_alone = length_of(wait_for) == 0;
    int is_known = view->waits || (function->anywhere && is_blocking == FALSE_);
    struct target *target = is_known ? plain_target(queue) : NULL;
    if (!target && is_known && function->anywhere)
        target = target_among(queue, wait_for, 0, 0);
    if (target && is_open(&target->stream) && is_quiet(&target->stream) && put_after(wait_for, queue, target))
        return target;
    drop((PyObject *)target);
    return NULL;
}

/* Without Python's lock: whether the stream has been given the contents' way to the host; into pageable memory, whether they have come. */
static int give_contents(const struct region *region, const struct native_stream *stream, uint64_t host)
{
    if (region->image)
        return copy_rows_from_image(region, stream);
    if (region->is_pageable)
        return read_and_wait(stream, (void *)(uintptr_t)host, region->memory, region->size);
    return copy_from_device(stream, (void *)(uintptr_t)host, region->memory, region->size);
}

static int brings(const struct view *view, const struct region *region)
{
    return region->is_copy && view->flags != MAP_WRITE_INVALIDATE_REGION;
}

/* Whether the command comes after nothing but what its own stream was given. */
static int is_in_turn(const struct target *target, const struct view *view)
{
    return view->is_alone && !target->is_unordered;
}

/* Whether all before had ended when the number was drawn: none was since the last one up to which all have. */
static int has_nothing_before(const struct target *target, const struct view *view, PyObject *number)
{
    uint64_t reached;
    return is_in_turn(target, view) && read_word(target->timeline, name_reached, &reached)
        && PyLong_AsUnsignedLongLong(number) == reached + 1 && reach(target, number);
}

/* The same as `bring` for a caller that does not wait, whose command has its place behind the copy. */
static PyObject *bring_later(const struct target *target, const struct view *view, const struct region *region, uint64_t host)
{
    int given = 1;
    if (brings(view, region)) {
        PyThreadState *state = PyEval_SaveThread();
        given = give_contents(region, &target->stream, host);
        PyEval_RestoreThread(state);
    } else {
        PyObject *number = PyObject_CallNoArgs(target->next_position);
        if (!number || has_nothing_before(target, view, number))
            return number;
        Py_DecRef(number);
    }
    return given ? next_position(target) : NULL;
}

/* Has the stream bring the contents, where they are wanted: the command's place, and the flag that tells of all before; NULL where Python is
   to do it. */
static PyObject *bring(struct target *target, const struct view *view, const struct region *region, uint64_t host, uint32_t *flag)
{
    if (!view->waits)
        return bring_later(target, view, region, host);
    PyObject *position = PyObject_CallNoArgs(target->next_position);
    if (!position)
        return NULL;
    if (!brings(view, region)) {
        *flag = is_in_turn(target, view) ? take_flag(target, position) : 0;
        return position;
    }
    PyThreadState *state = PyEval_SaveThread();
    int given = give_contents(region, &target->stream, host);
    *flag = given && !region->is_pageable && target->stream.poll_ns ? ask_for_flag(&target->stream) : 0;
    PyEval_RestoreThread(state);
    if (given)
        return position;
    Py_DecRef(position);
    return NULL;
}

/* Waits for all that the stream was given; 0 where Python is to. In a queue out of order contents that are to come are waited for here
   however long that takes: Python could have another stream bring them again, and these would come after what the program does next. */
static int is_brought(struct target *target, const struct view *view, const struct region *region, PyObject *position, uint32_t flag)
{
    const int is_copied = brings(view, region);
    if (!view->waits || (!is_copied && has_nothing_before(target, view, position)))
        return 1;
    if (is_copied && region->is_pageable)
        return reach(target, position);
    PyThreadState *state = PyEval_SaveThread();
    int ended = wait_for_all_by(&target->stream, flag);
    PyEval_RestoreThread(state);
    if (!ended && is_copied && target->is_unordered) {
        PyObject *later = waited_for(target, next_position(target), wait_for_stream);
        ended = later != NULL;
        drop(later);
    }
    return ended && reach(target, position);
}

/* Lists the region as mapped, of which there are `mappings` and `mapping`; 0 where it is not the only one: another thread may have mapped
   one while the mapping was made. */
static int list_region(struct region *region, PyObject *mapped)
{
    region->listed = region->mapping ? PyList_New(0) : NULL;
    return region->listed && !PyList_Append(region->listed, region->mapping) && !PyDict_Size(region->mappings)
        && !PyDict_SetItem(region->mappings, mapped, region->listed);
}

/* The face's map, which unmaps when it goes. */
static PyObject *new_map(PyObject *self, PyObject *const *taken, PyObject *mapped, PyObject *owner)
{
    PyObject *map = PyType_GenericAlloc((PyTypeObject *)PyTuple_GetItem(self, MAP_TYPE), 0);
    if (map && set(map, name__queue, taken[QUEUE]) && set(map, name__memory, taken[MEMORY_OBJECT]) && set(map, name__owner, owner)
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
    if (interface && version && data && type && !PyDict_SetItem(interface, name_version, version)
        && !PyDict_SetItem(interface, name_data, data) && !PyDict_SetItem(interface, name_shape, view->shape)
        && !PyDict_SetItem(interface, name_typestr, type)
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

/* The array, of which there is a map then, or the address. */
static PyObject *shown(PyObject *self, PyObject *const *taken, const struct view *view, PyObject *mapped, PyObject *owner, PyObject **map)
{
    if (!view->dtype) {
        Py_IncRef(mapped);
        return mapped;
    }
    *map = new_map(self, taken, mapped, owner);
    return *map ? array_over(self, *map, view, mapped) : NULL;
}

/* The objects are made while the contents come, or before where nobody waits for these: then nothing is left that could fail. */
int map_region(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, const struct view *view,
               struct region *region, uint64_t address, PyObject **found, PyObject **event)
{
    PyObject *mapped = PyLong_FromSsize_t((Py_ssize_t)address), *position = NULL, *map = NULL;
    uint32_t flag = 0;
    int done = 0;
    *found = *event = NULL;
    if (mapped && list_region(region, mapped)
        && (view->waits || (*found = shown(self, taken, view, mapped, region->owner, &map)))
        && (position = bring(target, view, region, address, &flag))
        && (*event = stand_for(new_event(queue, target, PyTuple_GetItem(self, COMMAND_TYPE), position), PyTuple_GetItem(self, EVENT_TYPE)))
        && (*found || (*found = shown(self, taken, view, mapped, region->owner, &map))))
        done = is_brought(target, view, region, position, flag) && note_command(target, position);
    if (!done) {
        forget_error();
        if (map) /* It unmaps nothing when it goes. */
            set(map, name__mapped, NONE);
        if (region->listed)
            strike_out(region, mapped);
        drop(*found);
        drop(*event);
        *found = *event = NULL;
    }
    drop(map);
    drop(position);
    drop(mapped);
    return done;
}

PyObject *map_by(const struct map_function *function, PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *taken[MOST_PARAMETERS], *queue = NULL, *mapped = NULL;
    struct target *target = NULL;
    struct view view = { 0 };
    if (take_arguments(taken, &function->parameters, arguments, count, names) && (queue = get(taken[QUEUE], name__core))
        && (target = mapping_target(function, &view, queue, taken[function->wait_for], taken[function->wait_for + 1]))
        && (function->described ? read_view(&view, self, taken[FLAGS], taken + function->described)
                                : read_plain_view(&view, taken[FLAGS],
                                    function->size ? PyLong_AsUnsignedLongLong(taken[function->size]) : 1)))
        mapped = function->map(self, taken, queue, target, &view);
    drop((PyObject *)target);
    drop(queue);
    drop(view.shape);
    drop(view.dtype);
    if (mapped)
        return mapped;
    forget_error();
    return by_python(PyTuple_GetItem(self, FUNCTION), arguments, count, names);
}

enum { FROM = FLAGS + 1, DESCRIBED };

/* How many maps of the application's memory are left until it is page-locked (Storage.maps_left), which Python does with the last of them;
   0 where it stays as it is. */
static uint64_t maps_left(PyObject *storage)
{
    PyObject *left = get(storage, name_maps_left);
    uint64_t number = 0;
    if (left && left != NONE && !read_word(left, name_value, &number))
        number = 1;
    drop(left);
    return number;
}

static void count_map(PyObject *storage)
{
    PyObject *left = get(storage, name_maps_left);
    uint64_t number;
    if (left && left != NONE && read_word(left, name_value, &number) && number > 1) {
        PyObject *fewer = PyLong_FromSsize_t((Py_ssize_t)number - 1);
        if (fewer)
            set(left, name_value, fewer);
        drop(fewer);
    }
    drop(left);
    forget_error();
}

/* Whether a map into pageable memory is a read that is waited for here. */
static int may_read(const struct region *region, const struct view *view, const struct target *target, uint64_t host)
{
    return view->waits && !target->is_unordered && can_read(&target->stream, (const void *)(uintptr_t)host, region->size)
        && maps_left(region->owner) != 1;
}

/* Where the host finds the part, if that is for code in C to say, and what is listed of it. */
static int describe(struct region *region, struct part *part, const struct view *view, PyObject *flags, const struct target *target,
                    uint64_t *address)
{
    enum host_side side = host_side_of(part->storage, &target->stream);
    PyObject *shadow = side == AS_COPY || side == AS_PAGEABLE_COPY ? get(part->storage, name_shadow) : NULL;
    int found = side == IN_PLACE || (shadow && read_word(shadow, name_address, address));
    *address = side == IN_PLACE ? part->address : *address + part->start;
    region->owner = part->storage;
    part->storage = NULL;
    region->memory = part->address;
    region->size = view->size;
    region->is_pageable = side == AS_PAGEABLE_COPY;
    region->is_copy = side == AS_COPY || region->is_pageable;
    found = found && (!region->is_pageable || may_read(region, view, target, *address));
    if (found && (region->mappings = get(region->owner, name_mappings)) && !PyDict_Size(region->mappings))
        region->mapping = PyObject_CallFunction(known.mapping, "KKOO", part->start, view->size, flags, region->is_copy ? TRUE_ : FALSE_);
    drop(shadow);
    return region->mapping != NULL;
}

/* (array or address, event), or NULL where Python is to map. */
static PyObject *mapped_part(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, const struct view *view)
{
    struct part part = part_of(taken[MEMORY_OBJECT], queue, taken[FROM], refused_by(view->flags));
    struct region region = { 0 };
    PyObject *found = NULL, *event = NULL, *both = NULL;
    uint64_t address = 0;
    if (part.storage && !part.origin && view->size && view->size <= part.size - part.start
        && describe(&region, &part, view, taken[FLAGS], target, &address)
        && map_region(self, taken, queue, target, view, &region, address, &found, &event)) {
        if (region.is_pageable)
            count_map(region.owner);
        both = tuple_of(2, (PyObject *[]){ found, event });
    }
    drop(found);
    drop(event);
    drop_region(&region);
    drop(part.storage);
    return both;
}

/* enqueue_map_buffer */
static struct map_function of_buffers = {
    { 10, DESCRIBED + ORDER, .names = { "queue", "buf", "flags", "offset", "shape", "dtype", "order", "strides", "wait_for",
      "is_blocking" },
      .defaults = { [DESCRIBED + STRIDES] = NONE, [DESCRIBED + WAIT_FOR] = NONE, [DESCRIBED + IS_BLOCKING] = TRUE_ } },
    .described = DESCRIBED, .wait_for = DESCRIBED + WAIT_FOR, .anywhere = 1, .map = mapped_part
};

static PyObject *map_buffer(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    return map_by(&of_buffers, self, arguments, count, names);
}

static PyMethodDef map_definition = {
    "enqueue_map_buffer", map_buffer, METH_FASTCALL | METH_KEYWORDS,
    "enqueue_map_buffer(queue, buf, flags, offset, shape, dtype, order='C', strides=None, wait_for=None, is_blocking=True)\n--\n\n"
    "(array over the buffer's bytes from `offset` on, event); the array's `base` is a MemoryMap." };

PyObject *new_mapper(PyMethodDef *definition, PyObject *arguments)
{
    PyObject *function, *event, *command, *map, *dtype, *as_array, *name, *types;
    if (!PyArg_ParseTuple(arguments, "OOOOO", &function, &event, &command, &types, &name)
        || !PyArg_ParseTuple(types, "OOO", &map, &dtype, &as_array))
        return NULL;
    PyObject *self = tuple_of(OF_SELF, (PyObject *[]){ NONE, function, event, command, map, dtype, as_array });
    PyObject *made = self ? PyCFunction_NewEx(definition, self, name) : NULL;
    drop(self);
    return made;
}

/* mapper(function, event_type, command_type, (MemoryMap, dtype, asarray), module's name): see library.py */
PyObject *mapper(PyObject *module, PyObject *arguments)
{
    (void)module;
    return new_mapper(&map_definition, arguments);
}

/* clEnqueueMapBuffer of programs in C, to whom the address tells the map. */

static struct map_function of_plain_buffers = {
    { 7, 7, .names = { "queue", "buffer", "flags", "offset", "size", "wait_for", "is_blocking" } },
    .size = FROM + 1, .wait_for = FROM + 2, .anywhere = 1, .map = mapped_part
};

static PyObject *map_plainly(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    return map_by(&of_plain_buffers, self, arguments, count, names);
}

static PyMethodDef plain_map_definition = { "map_buffer", map_plainly, METH_FASTCALL | METH_KEYWORDS,
                                            "map_buffer(queue, buffer, flags, offset, size, wait_for, is_blocking)\n--\n\n(address, event)." };

PyObject *new_plain_mapper(PyMethodDef *plain, PyObject *arguments)
{
    PyObject *function, *command, *name;
    if (!PyArg_ParseTuple(arguments, "OOO", &function, &command, &name))
        return NULL;
    PyObject *self = tuple_of(SELF, (PyObject *[]){ NONE, function, NONE, command });
    PyObject *made = self ? PyCFunction_NewEx(plain, self, name) : NULL;
    drop(self);
    return made;
}

/* plain_mapper(function, command_type, module's name): see library.py */
PyObject *plain_mapper(PyObject *module, PyObject *arguments)
{
    (void)module;
    return new_plain_mapper(&plain_map_definition, arguments);
}

int prepare_maps(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    MAP_NAMES(INTERN)
    c_order = of_buffers.parameters.defaults[DESCRIBED + ORDER] = PyUnicode_InternFromString("C");
    return prepare_parameters(&of_buffers.parameters) && prepare_parameters(&of_plain_buffers.parameters) && prepare_unmaps();
}
