/* Contents that are whole on a device, with nothing to wait for, of memory objects in contexts of several devices
   (runtime/memory/resident.py). All of this is looked at and changed with Python's lock. */
#ifndef CL2CUDA_NATIVE_RESIDENTS_H
#define CL2CUDA_NATIVE_RESIDENTS_H

#include "calls.h"

/* The streams that may have used contents last, and the arguments that one launch may have, where they are to be C's. */
enum { MOST_USES = 4, MOST_RESIDENTS = 32 };

/* `users` are commands that are being given to a stream, `writers` those of them that may write. `uses` are the last ones that did, of each
   stream, as Uses notes them (runtime/memory/uses.py): with the position 0 while there was none yet. */
struct resident {
    PyObject head;
    PyObject *device;
    uint64_t memory;
    int may_write; /* the device is the only one that has anything, and nobody reads it elsewhere */
    int users, writers;
    unsigned forks; /* how many forks the process had come from when these were counted */
    struct { struct target *target; uint64_t position; } uses[MOST_USES];
};

/* A stream whose commands have ended when their calls return: nothing is to come after them. */
static inline int is_immediate(const struct target *target)
{
    return target->stream.query && !target->stream.read;
}

/* What one command uses. */
struct residents {
    int count;
    struct { struct resident *resident; int writes; PyObject *forgotten; } taken[MOST_RESIDENTS];
};

/* What a command does with a buffer. A kernel that may write does not with one of CL_MEM_READ_ONLY. */
enum access { READS, WRITES, AS_ARGUMENT };

/* The address of a buffer's first byte on the target's device for a command that is about to be given to its stream, and what keeps that so
   until `let_go`. 0, perhaps with an error, where Python is to look. */
int take_resident(struct residents *all, PyObject *buffer, const struct target *target, enum access access, uint64_t *address);
/* The command was given, and has this position; or, at 0, it was not. No code of Python's runs between taking and this: it might wait for
   this very command. */
void note_position(const struct residents *all, const struct target *target, uint64_t position);
void let_go(struct residents *all);

/* Part of a buffer, as `part_of` finds it; in a context of several devices of one that is resident. `end_parts` stands right behind the command
   then, or where there is none. */
struct part part_on(const struct target *target, struct residents *taken, enum access access, PyObject *handle, PyObject *queue,
                    PyObject *offset, uint64_t refused);
void end_parts(struct residents *taken, const struct target *target, int given);

#endif
