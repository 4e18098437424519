/* What programs were made of, by which a released one becomes the next of the same source or binary that is built in the same way. */
#ifndef CL2CUDA_ORIGINS_H
#define CL2CUDA_ORIGINS_H

#include "calls.h"

/* A source, or a binary for a device; and how the program was built, where that was once, and left nothing with it that the library does
   not know of. */
struct origin {
    struct object *device;    /* of a binary; NULL of a source */
    uint32_t is_built;
    char *options;            /* of the build; NULL where it was given none */
    struct object *built_for; /* the program may become another one, of which this is the only device; NULL where that is not known */
    size_t size;
    char bytes[];             /* and a 0 */
};

/* The package's function that says for which device a program was built, if it may become another one. */
extern PyObject *returning_for;

/* Of so many bytes, which are to be written where `bytes` is NULL; NULL without memory. */
struct origin *new_origin(struct object *device, const void *bytes, size_t size);

/* Of a program that ends. */
void forget_origin(struct object *program);

/* Whether a program is kept that was made of the same. */
int is_kept_of(struct object *context, const struct origin *origin);

/* Before a program's first build, in which the call names no device or this one: whether it has become one that was kept. */
int become_built(struct object *program, const struct object *device, const char *options);

/* After it, where Python has built the program and been given it for no more. */
void note_build(struct object *program, const char *options);

/* At a program's last release: NULL where it is kept, or the one that ends, perhaps another one. */
struct object *program_to_end(struct object *program);

/* With Python's lock, when the context is nobody's: ends those that were kept, and keeps no more. */
void end_programs(struct object *context);

#endif
