/* Copies between the device and pageable memory of the host, in chunks through page-locked memory: the device copies on one side of it, the
   processor on the other, and helpers.c has threads that help the one whose copy it is, which alone calls CUDA. Python's Staging
   (runtime/cuda/staging.py) gives the memory, and does the same with its own threads where this was not compiled.

   A copy takes slots that nobody uses, and waits for no other copy: where there are none, CUDA copies by itself. A slot from which the
   device still copies when its copy returns is free again once its event has been reached. */
#ifndef CL2CUDA_NATIVE_STAGING_H
#define CL2CUDA_NATIVE_STAGING_H

#include "stream.h"

#include <pthread.h>

/* The bytes of a slot; how many slots are added at once, and how many there are at most. */
enum { SLOT = 256 << 10, ADDED = 16, MOST_SLOTS = 64 };

/* What a copy answers beside CUDA's status: more slots are to be added first; no slot is free. */
enum { ADD_SLOTS = -1, NO_SLOT = -2 };

typedef int ask_event(void *event);

/* CUDA's functions, in the order of STAGING_CALLS (runtime/cuda/api.py). */
struct staging_calls {
    query_stream *query_stream;
    copy_to_host *read;
    copy_from_host *write;
    record_event *record;
    ask_event *query;
};

/* `copy` is the number of the last one that used it. */
struct slot {
    char *memory;
    void *event;
    uint64_t copy;
};

/* A device's. `free` are slots that nobody uses, `leaving` those from which the device may still copy, each copy's together and in order.
   */
struct staging {
    struct staging_calls calls;
    int helpers; /* for one copy */
    unsigned forks;
    pthread_mutex_t lock;
    struct slot slots[MOST_SLOTS], *free[MOST_SLOTS], *leaving[MOST_SLOTS];
    unsigned made, free_count, leaving_count;
    uint64_t copies;
    int in_flight; /* copies that have begun and not returned */
};

struct ends {
    char *host;
    uint64_t memory;
    size_t size;
    int to_device;
};

void begin_staging(struct staging *staging, const struct staging_calls *calls, int helpers);
/* ADDED more slots, with memory of ADDED times SLOT bytes; 0 where there are to be no more. */
int add_slots(struct staging *staging, char *memory, void *const *events);
/* How many slots nobody uses. */
unsigned count_free_slots(struct staging *staging);
/* What a copy does where fewer slots are free than it wants: it does with those, it asks for more, or, as a write that is to wait for
   nothing that comes before it on the device, it is not made. */
enum slots_policy { AS_MANY_AS_THERE_ARE, MAY_ADD, ALL_AT_ONCE };
/* Returns when the host's memory has been written, or read. */
int copy_staged(struct staging *staging, const struct ends *ends, void *stream, uint64_t poll_ns, enum slots_policy policy);
/* As stream_copies.h calls them. */
staged_read read_for_stream;
staged_write write_for_stream;
unwaited_write write_without_waiting;

#endif
