/* Images as commands in C know them: of image_commands.c and image_maps.c. */
#ifndef CL2CUDA_NATIVE_IMAGES_H
#define CL2CUDA_NATIVE_IMAGES_H

#include "calls.h"

enum { IMMUTABLE = 1 << 6 }; /* CL_MEM_IMMUTABLE_EXT */

/* CUmemorytype */
enum { IN_HOST = 1, IN_DEVICE, IN_ARRAY };

/* Rows in memory (driver/linear.py). */
struct linear {
    uint64_t address, row_pitch, slice_pitch;
};

/* A colour, as clEnqueueFillImage takes it, and the element of the image that it makes. */
enum { COLOR = 16 };

struct known_color {
    int is_known;
    char color[COLOR], element[LARGEST_ELEMENT];
};

/* What an image of one device is, once it has been used, until it is released: an array of one level, whose rows and planes are counted as
   origins and regions count them, or such rows in memory of the host's own, where `array` is 0. */
struct known_array {
    PyObject head;
    PyObject *context, *format, *elements; /* these are kept alive */
    uint64_t array, flags, element_size, sides[3];
    struct linear memory;
    int has_planes; /* maps tell the bytes from one to the next */
    struct known_color filled; /* it was filled with last */
};

struct box {
    uint64_t at[3], size[3];
};

/* The image behind the face's object, of this queue's context; NULL, without an error, where it is Python's. */
struct known_array *array_of(PyObject *handle, PyObject *queue, uint64_t refused);
/* Whether the box lies in the image, and is not empty. */
int read_box(struct box *box, const struct known_array *array, PyObject *origin, PyObject *region);
/* The ends of a copy: part of an array, and rows in memory that the host has. */
struct copy_end end_in(const struct known_array *array, const struct box *box);
struct copy_end end_in_host(const struct linear *rows);
/* Without Python's lock: whether the copy was given. */
int copy_box(const struct native_stream *stream, struct copy_end target, struct copy_end source, const struct known_array *array,
             const struct box *box);

static inline void leave(struct known_array *array)
{
    drop((PyObject *)array);
}

#endif
