/* Pages of shared virtual memory that the device is to get back, once it needs them: regions that the host had mapped (DuePages of
   runtime/cuda/shared_memory.py). To ask for pages takes the host some 17 us, and 1 MiB takes 200 us to come back, while programs map the
   same memory again and again. It is about speed alone: the device finds pages that nobody has asked for, too, only later. */
#ifndef CL2CUDA_NATIVE_DUE_PAGES_H
#define CL2CUDA_NATIVE_DUE_PAGES_H

#include "stream.h"

/* So many regions. Pages of larger ones begin to move when they are unmapped, while the host does something else. */
enum { MOST_DUE = 16, MOST_DUE_BYTES = 4 << 20 };

/* A device's. Python frees memory, and takes its regions out by their bytes. */
struct due_pages {
    uint64_t fetch, device, taken, count;
    struct { uint64_t address, bytes; } regions[MOST_DUE];
};

static inline struct due_pages *due_pages_of(const struct native_stream *stream)
{
    return (struct due_pages *)(uintptr_t)stream->due_pages;
}

static inline void take_due_pages(struct due_pages *due)
{
    while (__atomic_exchange_n(&due->taken, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static inline void give_due_pages(struct due_pages *due)
{
    __atomic_store_n(&due->taken, 0, __ATOMIC_RELEASE);
}

/* Notes the region; 0 where it is none to be noted, or there is no room. */
static inline int note_due_pages(struct due_pages *due, uint64_t address, uint64_t bytes)
{
    uint64_t place = 0;
    if (!due || bytes > MOST_DUE_BYTES)
        return 0;
    take_due_pages(due);
    while (place < due->count && due->regions[place].address != address && due->regions[place].bytes)
        place++;
    int fits = place < MOST_DUE;
    if (fits) {
        int is_known = place < due->count && due->regions[place].address == address;
        due->regions[place].address = address;
        due->regions[place].bytes = is_known && due->regions[place].bytes > bytes ? due->regions[place].bytes : bytes;
        if (place == due->count)
            __atomic_store_n(&due->count, place + 1, __ATOMIC_RELEASE);
    }
    give_due_pages(due);
    return fits;
}

/* The host is to have the region again, and what lies in it is not due. Whether it has it as a whole: it was due. */
static inline int forget_due_pages(struct due_pages *due, uint64_t address, uint64_t bytes)
{
    int was_due = 0;
    if (!due || !__atomic_load_n(&due->count, __ATOMIC_ACQUIRE))
        return 0;
    take_due_pages(due);
    for (uint64_t i = 0; i < due->count; i++) {
        uint64_t start = due->regions[i].address, end = start + due->regions[i].bytes;
        was_due |= start <= address && end >= address + bytes;
        if (start >= address && end <= address + bytes)
            due->regions[i].bytes = 0;
    }
    give_due_pages(due);
    return was_due;
}

/* Before a command of the stream that may use shared memory. */
static inline void bring_due_pages(struct due_pages *due, void *stream)
{
    if (!due || !__atomic_load_n(&due->count, __ATOMIC_ACQUIRE))
        return;
    take_due_pages(due);
    struct due_pages now = *due;
    __atomic_store_n(&due->count, 0, __ATOMIC_RELEASE);
    give_due_pages(due);
    for (uint64_t i = 0; i < now.count; i++)
        if (now.regions[i].bytes) /* A refusal is no fault: the memory has gone meanwhile. */
            ((fetch_pages *)(uintptr_t)now.fetch)(now.regions[i].address, now.regions[i].bytes, (int)now.device, stream);
}

static inline void bring_due_pages_to(const struct native_stream *stream)
{
    bring_due_pages(due_pages_of(stream), handle_of(stream));
}

#endif
