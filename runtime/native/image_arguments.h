/* Images as arguments of kernels, in contexts of one device, without the steps of the argument's setter (runtime/kernel/arguments.py). */
#ifndef CL2CUDA_NATIVE_IMAGE_ARGUMENTS_H
#define CL2CUDA_NATIVE_IMAGE_ARGUMENTS_H

#include "calls.h"

/* An argument that is an image: by `key` images keep what such arguments are given for them, in these states of samplers. `kind` is the
   array_kind of an image that begins bare, which was taken last, or NULL: others of the kind are taken, too. */
struct image_place {
    PyObject *key, *kind;
    unsigned states;
};

struct image_place image_place_of(PyObject *key, unsigned states);
void leave_image_place(struct image_place *place);
/* Whether what the kernel is given for the image was written, where the image is known to be taken there and what it asks of plans is what
   the one before it has asked; else nothing was, perhaps with an error, and the setter is to be called. */
int write_known_image(const struct image_place *place, char *address, PyObject *image, PyObject *context);
/* After that: the image was taken. */
void note_image(struct image_place *place, PyObject *image);
int prepare_image_arguments(void);

#endif
