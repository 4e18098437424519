/* The objects that applications hold: a pointer to the dispatch table comes first, as loaders ask (cl_khr_icd).

   An object's memory is never given back, only used again: so a pointer to a released object is refused, not followed. */
#ifndef CL2CUDA_OBJECTS_H
#define CL2CUDA_OBJECTS_H

#include <stdint.h>

#include "array_list.h"
#include "image_sizes.h"
#include "python.h"
#include "stream.h"

/* The letters of the entries' codes; LANE, of which applications do not know, is lanes.h's. */
enum kind {
    NO_OBJECT = 0, PLATFORM = 'P', DEVICE = 'D', CONTEXT = 'C', QUEUE = 'Q', MEMORY = 'M', PROGRAM = 'G', KERNEL = 'K', EVENT = 'E',
    SAMPLER = 'S', LANE = 'L', SEMAPHORE = 'X', COMMAND_BUFFER = 'B', MUTABLE_COMMAND = 'U'
};

/* How commands are given to a queue's stream without Python, as cl2cuda.opencl_icd.native_commands packs it
   (stream.h is that of runtime/native). */
struct stream {
    uint64_t *native;        /* runtime.queue.stream_timeline's words, NULL where nothing is enqueued from here */
    uint64_t serial;         /* no other queue has it */
    uint64_t has_lanes;      /* commands are enqueued to those: see lanes.h */
    struct native_stream functions;
    void *mark;              /* from here on order.c's: a CUDA event, once another stream has waited for it, */
    uint64_t marked;         /* and how many commands of the library's were given before it was recorded last */
    struct lanes *lanes;     /* once there are any */
};

/* A buffer's memory, where one device has it always at one place. */
struct memory {
    uint64_t address;        /* 0: not known */
    uint64_t size;           /* 0: not known yet, of a buffer that did not begin bare */
    uint64_t flags;          /* of a bare buffer all that it was made with, else CL_MEM_HOST_* */
};

/* Released buffers, queues and programs of a context, or kernels of a program, that become new ones: see spares.c, origins.c, kernels.c. */
enum spares_use { NOT_ASKED, IN_USE, ENDED };
struct spares {
    struct object *first;
    uint32_t count, use;     /* of enum spares_use */
    uint32_t queues;         /* of a context: how often one was to be made */
};

/* Of an image that began bare whether the library has made its array, or a thread is about to. Python has the one that there is with the
   image's core, or makes one. */
enum array_state { IS_NONE, IS_MADE, IS_OWN, IS_PYTHONS };

/* An answer that stays until what it depends on changes: see answers.h. */
struct kept_answer {
    const void *of;          /* the device that was asked about */
    uint64_t answer;         /* with how often that had changed, in its upper half; 0: none */
};

/* What sub-buffers may be made of without Python: all that the buffer was made with; of others the size is 0. */
struct whole {
    uint64_t size, flags;
};

/* How often a program was to be built, and of how many of those the call has returned; and what it was made of, where that is known (see
   origins.h). */
struct builds {
    uint32_t begun, ended;
    struct origin *origin;
};

/* Of a context: see descriptions.h. */
struct descriptions {
    struct description *first;
    uint32_t count;
};

/* An answer that stays the same. `of` is the device that was asked about, or, where there is no such parameter, the entry: an image, say,
   is asked by two, each of which refuses what the other one answers. */
struct known {
    const struct known *next;
    const void *of;
    uint32_t query;
    size_t size;
    char answer[];
};

/* An object's answers, each in the list of its query's last bits: what is asked of one kind of object has numbers that follow each
   other. */
enum { ANSWER_LISTS = 16 };
struct answers {
    const struct known *first[ANSWER_LISTS];
};

struct object {
    const void *dispatch;
    void *loader_data;       /* cl_khr_icd 2.0: what clIcdSetPlatformDispatchDataKHR gave */
    uint32_t kind;
    uint32_t references;     /* the application's, and those of command-buffers and callbacks: what the queries tell */
    uint32_t users;          /* objects made from this one, and one for all references together */
    uint32_t held;           /* how many of the references are not the application's, which cannot release them */
    uint32_t awaits_reference; /* it was made to be told of, and its first reference is the one that `users` counts already */
    uint32_t counted;        /* 0: the platform and its devices, which stay */
    struct answers *answers; /* to queries; NULL before the first one */
    uint32_t has_images;     /* of a memory object, or of what it is a part of: images are made of it, so that its maps are Python's */
    uint32_t is_mapped_by_python; /* of a memory object: Python has mapped a region of it, or of a part of it, by now */
    uint32_t ends_after;     /* of a memory object: how many parts of it Python has not heard of, and one for its references */
    PyObject *core;          /* the runtime's object; NULL in what is bare until Python is asked of it (core_of) */
    struct object *parent;   /* what this one was made from */
    struct object *context;  /* what all that began with; NULL where that is not known */
    struct object *next;     /* while it is not in use */
    struct arguments *arguments; /* of a kernel: see arguments.h */
    uint32_t is_used;        /* Python has copied to or from the buffer, or made a buffer in the context before */
    uint32_t command;        /* of a bare event: its command's type; COMMAND_USER of each user event */
    uint32_t is_left;        /* of a user event: the application has released it, and commands wait for it, which it may still set */
    struct plans *plans;     /* of a kernel, once it has been launched */
    struct stream *stream;   /* of a queue */
    uint64_t settled;        /* of a queue: the count of entries into Python of which clFinish was the last, and left nothing to do */
    struct memory memory;    /* of a buffer */
    struct contents *contents; /* of a memory object, once it has been mapped, or of an image that commands have used: see maps.h */
    struct sharing *sharing; /* of a context, once commands have used its shared virtual memory: see svm.h */
    void *first;             /* of a bare buffer or image: its first contents, until Python has them, or NULL */
    uint32_t first_readers;  /* how many threads read them now: the last of those frees them, */
    uint32_t is_first_left;  /* where nobody needs them any more */
    const struct description *description; /* of what began bare like one that Python has made */
    uint32_t sizes[SIZES];   /* of an image whose description leaves them open */
    struct image_array *array; /* of an image without a core: the library's: see arrays.h */
    uint32_t array_state;    /* of enum array_state */
    uint32_t began_bare;     /* of a buffer */
    uint32_t is_shared;      /* Python has been given it for more than to make it, and than calls that leave nothing with it (core_of) */
    uint64_t largest_bare;   /* of a context: the size up to which its buffers begin bare */
    uint64_t part_align;     /* of a context, once that is known: what the places are multiples of where sub-buffers begin */
    struct spares spares;    /* of a context, or a program */
    struct spares released_queues, released_programs; /* of a context */
    struct array_list left_arrays; /* of a context: see arrays.h */
    struct destructor *destructors; /* of a memory object: see destructors.h */
    uint64_t number;         /* of a bare event: its command's number in the queue; of a bare sub-buffer: the place where it begins */
    struct times *times;     /* of an event that began bare, in a queue that takes times: see times.h */
    struct timing *timing;   /* of such a queue */
    struct held *waits;      /* of a bare event whose launch is held back: see held.h */
    uint32_t waiting;        /* of a queue: how many launches are held back */
    uint64_t address;        /* of a buffer, as kernels are given it, once it is known */
    uint32_t may_be_written; /* of a buffer: it is none of cl_ext_immutable_memory_objects; 0 where that is not known */
    struct kept_answer kept; /* one that stays as long as a count, of a kernel or a program; of a buffer, that it is not mapped, by maps.c's */
    union {
        struct whole whole;  /* of a buffer */
        struct builds builds; /* of a program */
        struct descriptions descriptions; /* of a context */
        uint64_t user_state; /* of a bare user event: see user_events.c */
    };
};

extern const void *const dispatch_table[];
extern void *loader_data;
extern struct object *platform_object; /* the one that there is, once the package has made it */

/* Atomic, since a part may look at its whole while that changes from no object to a memory object that ends. */
static inline int is_object(const void *pointer, enum kind kind)
{
    const struct object *object = pointer;
    return object && object->dispatch == dispatch_table && __atomic_load_n(&object->kind, __ATOMIC_RELAXED) == (uint32_t)kind;
}

/* Whether there are references to it. Other threads may take more of them meanwhile, and end theirs. */
static inline int is_referenced(const struct object *object)
{
    return __atomic_load_n(&object->references, __ATOMIC_RELAXED) != 0;
}

/* Where a buffer's contents are; 0 where that is not known yet. Other threads may find it meanwhile. */
static inline uint64_t address_in(const struct object *buffer)
{
    return __atomic_load_n(&buffer->memory.address, __ATOMIC_ACQUIRE);
}

/* Of a memory object that has begun bare, or has a parent, whether it is a part of another one. */
static inline int is_part(const struct object *object)
{
    return object->kind == MEMORY && !is_object(object->parent, CONTEXT);
}

/* Whether Python has made its object, without Python's lock. */
static inline int has_core(const struct object *object)
{
    return __atomic_load_n(&object->core, __ATOMIC_RELAXED) != NULL;
}

/* Whether it is a device that nobody can release. */
static inline int is_staying_device(const void *pointer)
{
    return is_object(pointer, DEVICE) && !((const struct object *)pointer)->counted;
}

/* Whether the object is found by its core. Queries give no events, which are made most often, and no lanes. */
static inline int is_noted(enum kind kind)
{
    return kind != EVENT && kind != LANE;
}

/* With Python's lock: a new object with one reference, which keeps `core` and `parent`; NULL without memory. */
struct object *new_object(PyObject *core, enum kind kind, struct object *parent);

/* Objects of which Python has not heard yet; NULL without memory: the event of a command that was given to a queue's stream without
   Python, and a buffer that has not been used, which keeps a copy of its `first` contents if there are any; a part of a buffer; a
   program, whose origin is its own from then on; and what a description says all of, which keeps a copy of its
   `first` contents, of so many bytes, if there are any. */
struct object *new_bare_event(struct object *queue, uint64_t number, uint32_t command);
struct object *new_bare_buffer(struct object *context, uint64_t flags, size_t size, const void *first);
struct object *new_bare_part(struct object *buffer, uint64_t flags, uint64_t offset, size_t size);
struct object *new_bare_program(struct object *context, struct origin *origin);
struct object *new_described(struct object *parent, const struct description *description, const void *first, size_t size);

/* With Python's lock: the runtime's object of this one, borrowed; NULL, with Python's error set, where it cannot be made. `core_of` is for
   those who give it to Python: which arguments of a kernel are set is told before, and a program has none but the application's kernels. */
PyObject *core_of(struct object *object);
PyObject *made_core(struct object *object);

/* With Python's lock: the object of a `core` that the application holds already, with one more reference; NULL where it holds none. */
struct object *created_again(PyObject *core);

/* The same for a command-buffer. For a callback that will be given the event, which the application has now: who is called may retain it,
   though the application has released it by then; hold_event(address) for the package. And the end of such a reference, without the lock,
   too. */
struct object *hold_object(PyObject *core);
void hold_by_callback(struct object *event);
PyObject *hold_event(PyObject *self, PyObject *arguments);
void let_go_of(struct object *object);

/* With Python's lock: the object of `core`; one that the application does not hold is made without references. */
struct object *object_of(PyObject *core, enum kind kind);

/* The memory of an object that has ended, for the next one. */
void give_object_back(struct object *object);

/* The first contents of what began bare, which stay until `leave_first_contents` of them; NULL where there are none, or nobody needs them any
   more. Several threads may make an object's core or array at once, of which one succeeds. */
const void *read_first_contents(struct object *object);
void leave_first_contents(struct object *object, const void *first);

/* They are Python's now, or nobody's. */
void forget_first_contents(struct object *object);

/* With Python's lock: the object will be found by its core; 0 without memory. And not any more. */
int note_core(struct object *object);
void forget_core(struct object *object);

/* Around work on the lists of objects, and around a fork: the child gets them as they are. */
void hold_objects(void);
void let_objects_go(void);

/* In the child: other threads, which it does not have, may have held a lock of an object's, or have been about to change what it has. */
void begin_objects_anew(void);

/* CL_SUCCESS, or -1 where there is no such object. */
int retain_object(struct object *object, enum kind kind);
int release_object(struct object *object, enum kind kind);

/* With Python's lock: one user less; the object goes with the last. */
void drop_object(struct object *object);

/* A part of a memory object is one that Python does not have to hear of any more. */
void leave_whole(struct object *whole);

/* With Python's lock: the end of one that the application holds no more. */
void end_object(struct object *object);

/* With Python's lock: lets go of what was released while nobody had the lock. */
void drop_released(void);

/* The package's functions that are told of an object's last reference, and of the end of another one to a queue. */
extern PyObject *last_release, *flush_of;

/* The package's functions that make the cores of what is bare. */
extern PyObject *event_of, *buffer_of, *part_of, *program_of, *program_of_binary;

#endif
