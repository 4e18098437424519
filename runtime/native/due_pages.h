/* Pages of shared virtual memory that the device is to get back, once it needs them: regions that the host had mapped, or that were migrated
   to the device (DuePages of runtime/cuda/shared_memory.py). To ask for pages takes the host some 17 us, and 1 MiB takes 200 us to come
   back, while programs map the same memory again and again. It is about speed alone: the device finds pages that nobody has asked for,
   too, only later. Regions of few bytes are left to CUDA, which sees when both sides use a page in turn. */
#ifndef CL2CUDA_NATIVE_DUE_PAGES_H
#define CL2CUDA_NATIVE_DUE_PAGES_H

#include "stream.h"

/* A device's: `room` regions, of more than `few_bytes`, and of `most_bytes` at most. Python frees memory, and takes its regions out by their
   bytes. */
struct due_pages {
    uint64_t fetch, device, room, few_bytes, most_bytes, taken, count;
    struct due_region { uint64_t address, bytes, is_at_host; } regions[]; /* whether the host had all of it when it was noted */
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

/* The place of the region that begins at the address, or behind all. */
static inline uint64_t place_of_due(const struct due_pages *due, uint64_t address)
{
    uint64_t place = 0;
    while (place < due->count && due->regions[place].address != address)
        place++;
    return place;
}

/* Notes the region, unless it is left to CUDA; 0 where it is none to be noted, or there is no room. */
static inline int note_due_pages(struct due_pages *due, struct due_region region)
{
    if (!due || region.bytes > due->most_bytes)
        return 0;
    if (region.is_at_host && region.bytes <= due->few_bytes)
        return 1;
    take_due_pages(due);
    uint64_t place = place_of_due(due, region.address);
    int fits = place < due->room;
    if (fits && place == due->count) {
        due->regions[place] = region;
        __atomic_store_n(&due->count, place + 1, __ATOMIC_RELEASE);
    } else if (fits && due->regions[place].bytes < region.bytes) {
        due->regions[place] = region;
    }
    give_due_pages(due);
    return fits;
}

/* The host is to have the region again, and what lies in it is not due. Whether it has it as a whole: it was due, and there. */
static inline int forget_due_pages(struct due_pages *due, uint64_t address, uint64_t bytes)
{
    int is_there = 0;
    if (!due || !__atomic_load_n(&due->count, __ATOMIC_ACQUIRE))
        return 0;
    take_due_pages(due);
    for (uint64_t i = due->count; i-- > 0;) {
        struct due_region *region = &due->regions[i];
        uint64_t end = region->address + region->bytes;
        is_there |= region->is_at_host && region->address <= address && end >= address + bytes;
        if (region->address >= address && end <= address + bytes)
            *region = due->regions[--due->count];
    }
    give_due_pages(due);
    return is_there;
}

/* Takes one out; 0 where there is none. */
static inline int take_due_region(struct due_pages *due, struct due_region *region)
{
    take_due_pages(due);
    int is_there = due->count > 0;
    if (is_there)
        *region = due->regions[--due->count];
    give_due_pages(due);
    return is_there;
}

/* Before a command of the stream that may use shared memory. */
static inline void bring_due_pages(struct due_pages *due, void *stream)
{
    if (!due || !__atomic_load_n(&due->count, __ATOMIC_ACQUIRE))
        return;
    struct due_region region;
    while (take_due_region(due, &region))
        if (region.bytes) /* A refusal is no fault: the memory has gone meanwhile. */
            ((fetch_pages *)(uintptr_t)due->fetch)(region.address, region.bytes, (int)due->device, stream);
}

static inline void bring_due_pages_to(const struct native_stream *stream)
{
    bring_due_pages(due_pages_of(stream), handle_of(stream));
}

#endif
