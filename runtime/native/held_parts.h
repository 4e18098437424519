/* What held.c and held_issues.c have in common. */
#ifndef CL2CUDA_NATIVE_HELD_PARTS_H
#define CL2CUDA_NATIVE_HELD_PARTS_H

#include "held.h"
#include "launches.h"

/* What `known.held` has (deferred.py): the class Gate, its first status, what issues in Python what is held here, and the module of the
   debug mode. */
enum { GATE_TYPE, QUEUED, ISSUE_IN_PYTHON, DEBUG_MODE };

static inline PyObject *held_part(int which)
{
    return PyTuple_GetItem(known.held, which);
}

/* A command that is held back is a function, whose `self` has the runtime's queue, event and wait list, and as many parts as its kind has:
   markers and barriers no more; of a launch how it is checked, and made with the arguments of then; of a fill the storage, the pattern's
   bytes, the address and how many bytes; of a copy between buffers both storages, both addresses and how many bytes; of a read or a write
   the host's object, the storage, the address there and the host's, how many bytes, and whether it is a read. */
enum {
    QUEUE, EVENT, WAITS, OF_PLACES, LAUNCH = OF_PLACES, FROZEN, OF_LAUNCHES,
    FILLED = OF_PLACES, PATTERN, FILL_ADDRESS, FILL_SIZE, OF_FILLS,
    SOURCE = OF_PLACES, DESTINATION, FROM, TO, COPY_SIZE, OF_COPIES,
    HOST = OF_PLACES, STORAGE, MEMORY, ADDRESS, SIZE, READS, OF_HOST_COPIES, MOST_PARTS = OF_HOST_COPIES
};

/* held_issues.c */

/* The function of a command, which issues it. */
PyObject *held_function(PyObject *self);

/* Whether the queue would be plain but for commands that it holds back. */
int would_be_plain(PyObject *queue);

/* The lock of the queue's held commands: whether it is taken, which another thread may have. */
int take_held_lock(PyObject *queue);
void give_held_lock(PyObject *queue);

/* The event's gate, which a user event is itself, as a new reference, where it is shut; else NULL. And whether it has none that is shut or
   has opened with an error. */
PyObject *shut_gate(PyObject *event);
int has_gone_well(PyObject *event);

/* As Opening.when_open: whether it is there, or was called. */
int put_behind(PyObject *gate, PyObject *hook);

int prepare_issues(void);

#endif
