/* A kernel's arguments, as far as they are plain memory that the library writes without Python; and which of them are set. */
#ifndef CL2CUDA_ARGUMENTS_H
#define CL2CUDA_ARGUMENTS_H

#include "calls.h"

/* What an argument's place holds: the bytes of a value, a buffer's address, what kernels are given for an image, or, beside it, a size of
   local memory, which Python has. */
enum place_kind { NO_PLACE, VALUE, BUFFER, LOCAL, IMAGE };

/* A kernel object that was another one before (kernels.h) has arguments that Python takes for set, and the application has not; those that
   the library has written are the other way round. Python is told of both before it matters (tell_arguments). */
enum place_state { UNSET, SET, LEFT, WRITTEN };

struct place {
    uint32_t kind, size;     /* of enum place_kind */
    uint64_t address;        /* of local memory: its size */
    uint32_t writes;         /* of a buffer's address: the kernel may write there; of an image, as what the kernel takes it */
    uint32_t state;          /* of enum place_state */
    uint64_t asked;          /* of an image: what the last one asked for, of which plans are made; 0 before the first one; of local memory:
                                the size that Python has, 0 before the first one */
    uint32_t states, unused; /* of an image: the states of samplers that the kernel may read it in, one bit each */
};

/* Addresses of shared virtual memory that Python has taken: for arguments of the kernel, and for what it uses beside them. Each with how
   often some had been freed by then. */
enum { MOST_TAKEN = 4 };
struct all_taken {
    struct taken {
        uint64_t address, freed;
    } last[MOST_TAKEN];
    uint64_t next;
};

/* Truth values of clSetKernelExecInfo, each with 1 added to what was told last; 0 before. */
enum { TRUTHS = 4 };

/* As cl2cuda.opencl_icd.launches packs it; the name stands behind the places. */
struct arguments {
    uint64_t *plans_number;  /* which of Python's plans hold (number_of_plans) */
    const uint64_t *freed;   /* how often the context's shared virtual memory has been freed */
    uint32_t may_return;     /* whether the kernel object may become another one */
    uint32_t count;
    uint32_t sized;            /* 1 more than the index of the only argument to local memory; 0 where there is none, or several */
    uint32_t left, written;    /* how many places are in that state */
    uint32_t truths[TRUTHS];
    struct all_taken as_arguments, as_used;
    struct place places[];
};

/* By which plans are known. By BETWEEN_DROPS, Python's number is how often it has dropped its plans, which is all where there is one
   argument to local memory: its size is a part of what plans are known by. Of several Python has another number for all their sizes. */
enum { BETWEEN_DROPS = 1 << 16 }; /* of runtime/kernel/kernel.py */
static inline uint64_t number_of_plans(const struct arguments *arguments)
{
    const uint64_t number = __atomic_load_n(arguments->plans_number, __ATOMIC_ACQUIRE);
    return arguments->sized ? number / BETWEEN_DROPS : number;
}

/* The size of the only argument to local memory; 0 where there is none. Launches of other sizes are made of those of one. */
static inline uint64_t local_memory_of(const struct arguments *arguments)
{
    return arguments->sized ? arguments->places[arguments->sized - 1].address : 0;
}

/* The kernel's name. */
static inline const char *name_of(const struct arguments *arguments)
{
    return (const char *)(arguments->places + arguments->count);
}

/* With Python's lock, for a new kernel. A kernel without them is Python's in everything. */
void find_arguments(struct object *kernel);

/* The kernel object has become a new one: none is set. */
void leave_arguments(struct object *kernel);

/* Gives a kernel, which was left, what another one of the same name has; 0 where an argument is set that only Python can copy. */
int copy_arguments(struct object *kernel, const struct object *from);

/* A kernel that Python has made has all that this one has. */
void share_states(struct object *kernel, const struct object *from);

/* Before Python looks at which arguments are set; the first one with Python's lock. */
void tell_arguments(struct object *kernel);
void tell_arguments_first(struct object *kernel);
/* The same where Python does not have the size of local memory, or takes it for set where it was left. */
void tell_local_first(struct object *kernel);

/* clSetKernelArg: what is plain memory is written to its place, where Python need not look at it. */
int32_t set_argument(struct entry *entry, struct object *kernel, uint32_t index, size_t size, const void *value);

/* clSetKernelArgSVMPointer, which Python checks as long as it does not know the address; and its like, of which nothing is asked. */
int32_t set_shared_pointer(struct entry *entry, struct object *kernel, uint32_t index, const void *address);
int32_t set_pointer(struct entry *entry, struct object *kernel, uint32_t index, const void *address);
int32_t set_device_pointer(struct entry *entry, struct object *kernel, uint32_t index, uint64_t address);

/* clSetKernelExecInfo: kernels reach all shared memory that there is, and only that it is some is checked. */
int32_t set_information(struct entry *entry, struct object *kernel, uint32_t query, size_t size, const void *value);

#endif
