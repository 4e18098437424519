/* Mapping of an image's region, as commands/image_map.py and enqueue_map_image of the PyOpenCL face have it. */
#include "maps.h"

enum { ORIGIN = FLAGS + 1, REGION, DESCRIBED };

/* The fields of ImageMapping and Region (image/), and what the known classes are. */
enum { MAPPED_REGION, MAPPED_ROWS };
enum { LEVEL, REGION_OFFSET, REGION_SIZE };
enum { MAPPING_CLASS, REGION_CLASS, ROWS_CLASS };

int copy_rows_to_image(const struct region *region, const struct native_stream *stream)
{
    return copy_box(stream, end_in(&region->image->array, &region->box), end_in_host(&region->rows), &region->image->array, &region->box);
}

int copy_rows_from_image(const struct region *region, const struct native_stream *stream)
{
    return copy_box(stream, end_in_host(&region->rows), end_in(&region->image->array, &region->box), &region->image->array, &region->box);
}

/* Whether the planes lie whole rows apart, as CUDA counts them. */
static int read_linear(PyObject *rows, struct linear *linear)
{
    return PyTuple_Size(rows) == 3 && read_item(rows, 0, &linear->address) && read_item(rows, 1, &linear->row_pitch)
        && read_item(rows, 2, &linear->slice_pitch) && linear->row_pitch && !(linear->slice_pitch % linear->row_pitch);
}

int find_image_region(struct region *region, PyObject *handle, PyObject *queue, PyObject *mapped)
{
    uint64_t level;
    if (!(region->image = array_of(handle, queue, 0)))
        return 0;
    region->owner = region->image->elements;
    Py_IncRef(region->owner);
    if (!find_listed(region, mapped) || !read_linear(PyTuple_GetItem(region->mapping, MAPPED_ROWS), &region->rows))
        return 0;
    PyObject *part = PyTuple_GetItem(region->mapping, MAPPED_REGION);
    return read_item(part, LEVEL, &level) && !level && take_numbers(PyTuple_GetItem(part, REGION_OFFSET), region->box.at, 3, 0)
        && take_numbers(PyTuple_GetItem(part, REGION_SIZE), region->box.size, 3, 1);
}

/* Where the host finds the image's rows, if that is for code in C to say. */
static int find_rows(struct region *region, const struct native_stream *stream)
{
    const struct known_array *image = region->image;
    enum host_side side = host_side_of(region->owner, stream);
    region->is_copy = side == AS_COPY;
    if (side == IN_PLACE) {
        region->rows = image->array.memory;
        return image->array.memory.address != 0;
    }
    PyObject *rows = side == AS_COPY && copies_to_rows(&image->array, &region->box, stream) ? get(region->owner, name_rows) : NULL;
    int found = rows && rows != NONE && read_linear(rows, &region->rows);
    drop(rows);
    return found;
}

static PyObject *new_mapping(const struct region *region, PyObject *flags)
{
    const uint64_t *at = region->box.at, *size = region->box.size;
    const struct linear *rows = &region->rows;
    PyObject *part = PyObject_CallFunction(PyTuple_GetItem(known.image_mapping, REGION_CLASS), "i(KKK)(KKK)", 0, at[0], at[1], at[2], size[0],
                                           size[1], size[2]);
    PyObject *linear = PyObject_CallFunction(PyTuple_GetItem(known.image_mapping, ROWS_CLASS), "KKK", rows->address, rows->row_pitch,
                                             rows->slice_pitch);
    PyObject *fields[] = { part, linear, flags, region->is_copy ? TRUE_ : FALSE_ };
    PyObject *tuple = tuple_of(4, fields);
    PyObject *made = tuple ? PyObject_Call(PyTuple_GetItem(known.image_mapping, MAPPING_CLASS), tuple, NULL) : NULL;
    drop(tuple);
    drop(linear);
    drop(part);
    return made;
}

/* The bytes from a region's first one to behind its last. */
static uint64_t span_of(const struct region *region)
{
    const uint64_t *size = region->box.size;
    return (size[2] - 1) * region->rows.slice_pitch + (size[1] - 1) * region->rows.row_pitch + size[0] * region->image->array.element_size;
}

/* Whether code in C maps the region, and it holds the array; then it is there as it is listed. */
static int describe(struct region *region, const struct view *view, PyObject *const *taken, const struct native_stream *stream)
{
    region->owner = region->image->elements;
    Py_IncRef(region->owner);
    if (!read_box(&region->box, region->image, taken[ORIGIN], taken[REGION]) || !find_rows(region, stream) || view->size > span_of(region)
        || !(region->mappings = get(region->owner, name_mappings)) || PyDict_Size(region->mappings))
        return 0;
    region->rows.address = place_of_box(&region->rows, &region->image->array, &region->box);
    return (region->mapping = new_mapping(region, taken[FLAGS])) != NULL;
}

/* (array or address, event, row pitch, slice pitch), or NULL where Python is to map. */
static PyObject *mapped_region(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, const struct view *view)
{
    uint64_t refused = refused_by(view->flags) | (view->flags & MAP_WRITES ? IMMUTABLE : 0);
    struct region region = { .image = array_of(taken[MEMORY_OBJECT], queue, refused) };
    PyObject *found = NULL, *event = NULL, *all = NULL;
    if (region.image && view->size && known.image_mapping && describe(&region, view, taken, &target->stream)
        && map_region(self, taken, queue, target, view, &region, region.rows.address, &found, &event)) {
        PyObject *row = PyLong_FromSsize_t((Py_ssize_t)region.rows.row_pitch);
        PyObject *slice = PyLong_FromSsize_t(region.image->array.has_planes ? (Py_ssize_t)region.rows.slice_pitch : 0);
        all = tuple_of(4, (PyObject *[]){ found, event, row, slice });
        drop(row);
        drop(slice);
    }
    drop(found);
    drop(event);
    drop_region(&region);
    return all;
}

/* enqueue_map_image */
static struct map_function of_images = {
    { 11, DESCRIBED + ORDER,
      .names = { "queue", "img", "flags", "origin", "region", "shape", "dtype", "order", "strides", "wait_for", "is_blocking" },
      .defaults = { [DESCRIBED + STRIDES] = NONE, [DESCRIBED + WAIT_FOR] = NONE, [DESCRIBED + IS_BLOCKING] = TRUE_ } },
    .described = DESCRIBED, .wait_for = DESCRIBED + WAIT_FOR, .map = mapped_region
};

static PyObject *map_image(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    return map_by(&of_images, self, arguments, count, names);
}

static PyMethodDef definition = {
    "enqueue_map_image", map_image, METH_FASTCALL | METH_KEYWORDS,
    "enqueue_map_image(queue, img, flags, origin, region, shape, dtype, order='C', strides=None, wait_for=None, is_blocking=True)\n--\n\n"
    "(array over the region's rows, event, row pitch, slice pitch); the array's `base` is a MemoryMap. `strides` are the caller's\n"
    "to take from the pitches, which are those of the whole image." };

/* image_mapper(function, event_type, command_type, (MemoryMap, dtype, asarray), module's name): see library.py */
PyObject *image_mapper(PyObject *module, PyObject *arguments)
{
    (void)module;
    return new_mapper(&definition, arguments);
}

/* clEnqueueMapImage of programs in C. */

static struct map_function of_plain_images = {
    { 7, 7, .names = { "queue", "image", "flags", "origin", "region", "wait_for", "is_blocking" } },
    .wait_for = REGION + 1, .map = mapped_region
};

static PyObject *map_plainly(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    return map_by(&of_plain_images, self, arguments, count, names);
}

static PyMethodDef plain_definition = {
    "map_image", map_plainly, METH_FASTCALL | METH_KEYWORDS,
    "map_image(queue, image, flags, origin, region, wait_for, is_blocking)\n--\n\n(address, event, row pitch, slice pitch)." };

PyObject *plain_image_mapper(PyObject *module, PyObject *arguments)
{
    (void)module;
    return new_plain_mapper(&plain_definition, arguments);
}

int prepare_image_maps(void)
{
    of_images.parameters.defaults[DESCRIBED + ORDER] = PyUnicode_InternFromString("C");
    return prepare_parameters(&of_images.parameters) && prepare_parameters(&of_plain_images.parameters);
}
