/* Images whose arrays the library makes at their first use, and of which Python has not heard. What such an image leaves is kept for others
   once no command uses it. */
#ifndef CL2CUDA_ARRAYS_H
#define CL2CUDA_ARRAYS_H

#include "arguments.h"
#include "image_arrays.h"

/* What images of one description have in common: how their arrays are made, and as what kernels take them, by `place.writes`, as far as Python
   has taken one, with what that asks for. */
enum { MOST_ACCEPTED = 16 };
struct arrays {
    struct image_kind kind;
    uint32_t accepted_count;
    struct accepted {
        uint64_t writes, asked;
    } accepted[MOST_ACCEPTED];
};

/* The package's functions. `arrays_of` gives of an image that Python has made what the arrays of others are made by (struct image_kind); an
   array becomes that of an image of Python's by adopt_array(core, handles), which disown_array(core) takes back; and
   retire_arrays(context, address, bytes) has some ended by end_arrays(address) when no command uses them. */
extern PyObject *arrays_of, *adopt_array, *disown_array, *retire_arrays;
PyObject *end_arrays(PyObject *self, PyObject *arguments);

/* With Python's lock: those of images that are described like this one, which Python has made; NULL where it makes their arrays. */
struct arrays *find_arrays(const struct object *made);

/* Whether the image has an array of the library's, which it makes at the first use. */
int has_own_array(struct object *image);

/* Whether the kernel's argument has been given an image that has such an array, and what that asks for. */
int give_own_array(const struct place *place, struct object *image, uint64_t *asked);

/* With Python's lock: it has taken the image for the argument. */
void note_accepted(const struct object *image, const struct place *place, uint64_t asked);

/* With Python's lock, around the making of an image's core: from here on the library makes no array for it. The core gets the one that there
   is; 0, with Python's error set, where it does not. And where another core is the image's, that has it. */
void leave_array_to_python(struct object *image);
int give_array_to(PyObject *core, const struct object *image);
void take_array_back(PyObject *core, const struct object *image);

/* After the last reference, of an image without a core: 0 where its array is to be Python's. */
int leave_array(struct object *image);

/* With Python's lock: tells Python of what images of the context have left. */
void tell_of_left_arrays(struct object *context);

/* See begin_objects_anew. */
void begin_arrays_anew(void);

#endif
