/* Regions that are mapped: what maps of buffers (maps.c) and of images (image_maps.c), and unmaps.c, have in common. */
#ifndef CL2CUDA_NATIVE_MAPS_H
#define CL2CUDA_NATIVE_MAPS_H

#include "images.h"

/* What `self` of a function that maps has beside that of a command, and its parameters: some, and from the shape on these. */
enum { MAP_TYPE = SELF, DTYPE_TYPE, AS_ARRAY, OF_SELF };
enum { QUEUE, MEMORY_OBJECT, FLAGS };
enum { SHAPE, DTYPE, ORDER, STRIDES, WAIT_FOR, IS_BLOCKING };

/* The fields that Mapping and ImageMapping have at the same places. */
enum { MAP_FLAGS = 2, IS_COPY };

/* What is to be mapped: as an array of so many bytes, or without a type for who asks for the address alone; whether the caller waits, and
   whether it has given no events to wait for. */
struct view {
    PyObject *shape, *dtype;
    uint64_t size, flags;
    int waits, is_alone;
};

/* A region, mapped or to be mapped: what keeps its memory, where it is listed, and how its contents come and go, if they are a copy. */
struct region {
    PyObject *owner, *mappings, *listed, *mapping;
    int is_copy, is_pageable, is_written;
    uint64_t memory, size;     /* of a buffer */
    struct known_array *image; /* NULL for a buffer */
    struct box box;
    struct linear rows; /* from the box on */
};

/* How the host finds a memory object's contents: a copy in memory that CUDA has page-locked, or in other memory of the application's, or
   themselves, in memory of the host's own. */
enum host_side { PYTHONS, IN_PLACE, AS_COPY, AS_PAGEABLE_COPY };
enum host_side host_side_of(PyObject *owner, const struct native_stream *stream);

/* Lists the region, which is the only one of its memory object, and has its contents brought: an array over them or the address, where
   they are by now if the caller waits, and the event. 0 where Python is to map: then nothing is mapped. */
int map_region(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, const struct view *view,
               struct region *region, uint64_t address, PyObject **found, PyObject **event);
void drop_region(struct region *region);
/* The region is mapped no more; other threads may have mapped others meanwhile, or have struck this one out for one like it. */
void strike_out(struct region *region, PyObject *mapped);

/* A function that maps: where among its parameters what describes the array begins, or else the number of bytes is (0: it has none), and
   the wait list, behind which it says whether the caller waits; whether it maps for callers that do not, too, and in queues out of order;
   and what maps, or gives NULL where Python is to. */
struct map_function {
    struct parameters parameters;
    int described, size, wait_for, anywhere;
    PyObject *(*map)(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, const struct view *view);
};
PyObject *map_by(const struct map_function *function, PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
/* Its Python object, by what a mapper is given (library.py). */
PyObject *new_mapper(PyMethodDef *definition, PyObject *arguments);

/* The same for programs in C. */
PyObject *new_plain_mapper(PyMethodDef *definition, PyObject *arguments);

/* image_maps.c */

/* Finds what an image, which the face's object stands for, has mapped there last; 0, perhaps with an error, where Python is to look. */
int find_image_region(struct region *region, PyObject *handle, PyObject *queue, PyObject *mapped);
/* Without Python's lock: whether the copy between the region's rows and the image was given. */
int copy_rows_to_image(const struct region *region, const struct native_stream *stream);
int copy_rows_from_image(const struct region *region, const struct native_stream *stream);

/* unmaps.c */

/* The last region that is listed at the address; 0, perhaps with an error, where there is none. */
int find_listed(struct region *region, PyObject *mapped);

int prepare_unmaps(void);

static inline int read_item(PyObject *tuple, int index, uint64_t *number)
{
    *number = PyLong_AsUnsignedLongLong(PyTuple_GetItem(tuple, index));
    return !PyErr_Occurred();
}

#endif
