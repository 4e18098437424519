/* The objects that applications hold: a pointer to the dispatch table comes first, as loaders ask (cl_khr_icd).

   An object's memory is never given back, only used again: so a pointer to a released object is refused, not followed. */
#ifndef CL2CUDA_OBJECTS_H
#define CL2CUDA_OBJECTS_H

#include <stdint.h>

#include "python.h"

/* The letters of the entries' codes. */
enum kind {
    NO_OBJECT = 0, PLATFORM = 'P', DEVICE = 'D', CONTEXT = 'C', QUEUE = 'Q', MEMORY = 'M', PROGRAM = 'G', KERNEL = 'K', EVENT = 'E',
    SAMPLER = 'S', SEMAPHORE = 'X', COMMAND_BUFFER = 'B', MUTABLE_COMMAND = 'U'
};

/* Where a kernel's argument lies, for those that C sets: a copy of the value's bytes, or a buffer's address. */
struct place {
    uint32_t kind, size;     /* of enum place_kind */
    uint64_t address;
    uint64_t is_set;         /* Python has set it once: from then on a new value is all that changes */
};

enum place_kind { NO_PLACE, VALUE, BUFFER };

/* An answer that stays the same. */
struct known {
    struct known *next;
    uint32_t query;
    size_t size;
    char answer[];
};

struct object {
    const void *dispatch;
    void *loader_data;       /* cl_khr_icd 2.0: what clIcdSetPlatformDispatchDataKHR gave */
    uint32_t kind;
    uint32_t references;     /* the application's: what the queries tell */
    uint32_t users;          /* objects made from this one, and one for all references together */
    uint32_t counted;        /* 0: the platform and its devices, which stay */
    PyObject *core;          /* the runtime's object; NULL in the event of a launch of ours until Python is asked of it (core_of) */
    struct object *parent;   /* what this one was made from */
    struct object *next;     /* while it is not in use */
    struct place *places;    /* of a kernel */
    uint32_t place_count;
    uint32_t flushes;        /* of a queue: Python has something to do for clFlush */
    uint32_t is_launched;    /* of a kernel: Python has launched it before */
    struct plans *plans;     /* of a kernel, once it has been launched */
    const uint64_t *plans_dropped; /* of a kernel: how often Python has dropped its plans */
    uint64_t *native;        /* of a queue: runtime.queue.stream_timeline's words, NULL where Python launches always */
    uint64_t serial;         /* of a queue: no other one has it */
    uint64_t address;        /* of a buffer, once a kernel's argument has told it; of an event without core, the launch's number */
    struct known *known;     /* answers to queries */
};

extern const void *const dispatch_table[];
extern void *loader_data;
extern struct object *platform_object; /* the one that there is, once the package has made it */

int is_object(const void *pointer, enum kind kind);

/* With Python's lock: a new object with one reference, which keeps `core` and `parent`; NULL without memory. */
struct object *new_object(PyObject *core, enum kind kind, struct object *parent);

/* The event of a launch that was made without Python, in a queue; NULL without memory. */
struct object *new_bare_event(struct object *queue, uint64_t launch);

/* With Python's lock: the runtime's object of this one, borrowed; NULL, with Python's error set, where it cannot be made. */
PyObject *core_of(struct object *object);

/* With Python's lock: the object of a `core` that the application holds already, with one more reference; NULL where it holds none. */
struct object *created_again(PyObject *core);

/* With Python's lock: the object of `core`; one that the application does not hold is made without references. */
struct object *object_of(PyObject *core, enum kind kind);

/* Around a fork: no other thread is at work on the lists of objects, which the child gets as they are. */
void hold_objects(void);
void let_objects_go(void);

/* CL_SUCCESS, or -1 where there is no such object. */
int retain_object(struct object *object, enum kind kind);
int release_object(struct object *object, enum kind kind);

/* With Python's lock: one user less; the object goes with the last. */
void drop_object(struct object *object);

/* With Python's lock: lets go of what was released while nobody had the lock. */
void drop_released(void);

/* The package's function that is told of an object's last reference. */
extern PyObject *last_release;

/* The package's function that makes the event of a launch of ours. */
extern PyObject *event_of;

#endif
