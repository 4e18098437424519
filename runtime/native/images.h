/* Images as commands in C know them: of image_commands.c, image_maps.c and box_copies.c. */
#ifndef CL2CUDA_NATIVE_IMAGES_H
#define CL2CUDA_NATIVE_IMAGES_H

#include "boxes.h"
#include "calls.h"

/* A colour, as clEnqueueFillImage takes it, and the element of the image that it makes. */
enum { COLOR = 16 };

struct known_color {
    uint32_t order, type; /* the codes of the image's format, once they are known */
    int is_known;
    char color[COLOR], element[LARGEST_ELEMENT];
};

/* An image of one device, once it has been used, until it is released. */
struct known_array {
    PyObject head;
    PyObject *context, *format, *elements; /* these are kept alive */
    struct array array;
    struct known_color filled; /* it was filled with last */
};

/* The image behind the face's object, of this queue's context; NULL, without an error, where it is Python's. */
struct known_array *array_of(PyObject *handle, PyObject *queue, uint64_t refused);
/* What commands have an image's array by, which the object keeps; NULL, with an error, where there is no memory. */
PyObject *new_known_array(PyObject *image, PyObject *keeper, const struct array *array);
/* own_arrays.c: the same of one that begins bare, whose array is made at the first command; NULL where that is Python's. */
PyObject *known_own_array(PyObject *image);
/* Whether the box lies in the image, and is not empty. */
int read_box(struct box *box, const struct known_array *array, PyObject *origin, PyObject *region);
/* box_copies.c, without Python's lock: reads and writes of a box, where CUDA copies boxes. */
copy_of_box read_box_now, write_box_now;
static inline void leave(struct known_array *array)
{
    drop((PyObject *)array);
}

#endif
