#include "svm.h"

#include "access.h"
#include "commands.h"
#include "order.h"
#include "sharing.h"
#include "stream_fills.h"

#include <sched.h>
#include <stdlib.h>

PyObject *allocation_of, *note_shared_mapped;

enum { MOST_PLACES = 16, MOST_MAPPED = 16, MOST_MIGRATED = 16 };

/* An allocation, as long as none is freed, or what lies between allocations, as long as none is made: up to before its end. */
struct place {
    uint64_t start, end, is_allocation, count;
};

/* Of a context: places that its commands have used, how often its memory was freed and made, and the regions that the library has mapped.
   */
struct sharing {
    const uint64_t *freed, *made;
    uint32_t taken; /* 1 while a thread looks or writes here, which takes moments */
    uint32_t next, mapped;
    struct place places[MOST_PLACES];
    struct shared_region {
        uint64_t address, size, flags;
    } regions[MOST_MAPPED];
};

static void take(struct sharing *sharing)
{
    while (__atomic_exchange_n(&sharing->taken, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void give(struct sharing *sharing)
{
    __atomic_store_n(&sharing->taken, 0, __ATOMIC_RELEASE);
}

void begin_sharing_anew(struct object *context)
{
    if (context->sharing)
        give(context->sharing);
}

/* With the lock. */
static const struct place *place_of(const struct sharing *sharing, uint64_t address, uint64_t freed, uint64_t made)
{
    for (int i = 0; i < MOST_PLACES; i++) {
        const struct place *place = &sharing->places[i];
        if (address >= place->start && address < place->end && place->count == (place->is_allocation ? freed : made))
            return place;
    }
    return NULL;
}

/* Whether it is known where the address lies. */
static int find_place(const struct object *queue, const void *pointer, struct place *found)
{
    struct sharing *sharing = __atomic_load_n(&queue->context->sharing, __ATOMIC_ACQUIRE);
    if (!sharing || !pointer)
        return 0;
    uint64_t freed = __atomic_load_n(sharing->freed, __ATOMIC_ACQUIRE), made = __atomic_load_n(sharing->made, __ATOMIC_ACQUIRE);
    take(sharing);
    const struct place *place = place_of(sharing, (uintptr_t)pointer, freed, made);
    if (place)
        *found = *place;
    give(sharing);
    return place != NULL;
}

/* The same: the allocation's end, or 0 where it is in none. */
static int find_end(const struct object *queue, const void *pointer, uint64_t *end)
{
    struct place found;
    if (!find_place(queue, pointer, &found))
        return 0;
    *end = found.is_allocation ? found.end : 0;
    return 1;
}

/* Whether so many bytes of an allocation begin there. */
static int is_shared(const struct object *queue, const void *pointer, size_t size)
{
    uint64_t end;
    return find_end(queue, pointer, &end) && end && size && size <= end - (uintptr_t)pointer;
}

/* With Python's lock, and nothing in between that another thread could have it for: the context has one from here on. */
static struct sharing *sharing_of(struct object *context, uint64_t freed, uint64_t made)
{
    struct sharing *sharing = context->sharing;
    if (!sharing && (sharing = calloc(1, sizeof *sharing))) {
        sharing->freed = (const uint64_t *)(uintptr_t)freed;
        sharing->made = (const uint64_t *)(uintptr_t)made;
        __atomic_store_n(&context->sharing, sharing, __ATOMIC_RELEASE);
    }
    return sharing;
}

/* After a command of Python's. */
static void learn_place(const struct object *queue, const void *pointer)
{
    struct { uint64_t freed, made, start, end, is_allocation, count; } found;
    struct object *context = queue->context;
    uint64_t end;
    int state;
    if (!pointer || find_end(queue, pointer, &end) || !python_enter(&state))
        return;
    struct sharing *sharing;
    if (context->core
        && take_bytes(py.PyObject_CallFunction(allocation_of, "OK", context->core, (unsigned long long)(uintptr_t)pointer), &found,
                      sizeof found)
        && (sharing = sharing_of(context, found.freed, found.made))) {
        take(sharing);
        sharing->places[sharing->next++ % MOST_PLACES] = (struct place){ found.start, found.end, found.is_allocation, found.count };
        give(sharing);
    }
    python_leave(state);
}

/* Whether a command of the queue on shared memory may be made here, where events have no times. */
static int may_share(struct object *queue, uint32_t wait_count, const void *waits, const void *event)
{
    return takes_commands(queue, wait_count, waits) && queue->context && !wants_times(queue, event) && can_share(&queue->stream->functions)
        && is_open(&queue->stream->functions);
}

static int32_t give_event(struct object *queue, uint64_t number, uint32_t command, const void *event)
{
    return give_bare_event(queue, number, command, NULL, (struct object **)event);
}

/* Ends of a copy that the library makes. One that the caller does not wait for has ended when it returns, or uses allocations alone. */
static int find_ends(const struct object *queue, struct shared_copy *copy, int blocking)
{
    uint64_t to, from, size = copy->size, at = copy->to.at, of = copy->from.at;
    if (!size || !find_end(queue, (const void *)(uintptr_t)at, &to) || !find_end(queue, (const void *)(uintptr_t)of, &from)
        || (to ? to : UINT64_MAX) - at < size || (from ? from : UINT64_MAX) - of < size || !(at >= of + size || of >= at + size))
        return 0;
    copy->to.is_shared = to != 0;
    copy->from.is_shared = from != 0;
    return blocking || !queue->stream->functions.read ? to || from : to && from;
}

int32_t copy_shared(struct entry *entry, struct object *queue, uint32_t blocking, const void *target, const void *source, size_t size,
                    uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, blocking, (word)target, (word)source, size, wait_count, (word)waits, (word)event };
    struct shared_copy copy = { { (uintptr_t)target, 0 }, { (uintptr_t)source, 0 }, size, NULL };
    if (may_share(queue, wait_count, waits, event) && (!blocking || is_quiet(&queue->stream->functions))
        && find_ends(queue, &copy, blocking != 0)) {
        const struct native_stream *stream = &queue->stream->functions;
        int given = begin_shared_copy(&copy, stream, blocking != 0);
        uint64_t number = given ? count_given(queue) : 0;
        int ended = given && (!blocking || !stream->read || wait_for_command(queue));
        end_shared_copy(&copy, stream, given, ended);
        if (ended)
            return give_event(queue, number, SVM_MEMCPY, event);
    }
    int32_t status = (int32_t)answer(entry, words);
    if (status == SUCCESS) {
        learn_place(queue, target);
        learn_place(queue, source);
    }
    return status;
}

int32_t fill_shared(struct entry *entry, struct object *queue, const void *address, const void *pattern, size_t width, size_t size,
                    uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, (word)address, (word)pattern, width, size, wait_count, (word)waits, (word)event };
    uint64_t memory = (uintptr_t)address;
    if (may_share(queue, wait_count, waits, event) && pattern && is_shared(queue, address, size)
        && can_fill(&queue->stream->functions, width, memory, size)) {
        bring_due_pages_to(&queue->stream->functions);
        if (fill_now(&queue->stream->functions, memory, pattern, width, size))
            return give_event(queue, count_given(queue), SVM_MEMFILL, event);
    }
    int32_t status = (int32_t)answer(entry, words);
    if (status == SUCCESS)
        learn_place(queue, address);
    return status;
}

static int list_region(struct sharing *sharing, const struct shared_region *region)
{
    take(sharing);
    int fits = sharing->mapped < MOST_MAPPED;
    if (fits)
        sharing->regions[sharing->mapped++] = *region;
    give(sharing);
    return fits;
}

/* Takes the last one that was mapped at the address from the list. */
static int strike_out(struct sharing *sharing, uint64_t address, struct shared_region *region)
{
    take(sharing);
    uint32_t place = sharing->mapped;
    while (place && sharing->regions[place - 1].address != address)
        place--;
    if (place) {
        *region = sharing->regions[place - 1];
        for (sharing->mapped--; place <= sharing->mapped; place++)
            sharing->regions[place - 1] = sharing->regions[place];
    }
    give(sharing);
    return place != 0;
}

/* Whether there is room for the region. */
static int list_mapped(const struct object *queue, const struct shared_region *region)
{
    const struct native_stream *stream = &queue->stream->functions;
    return are_map_flags(region->flags) && is_quiet(stream) && is_shared(queue, (const void *)(uintptr_t)region->address, region->size)
        && list_region(queue->context->sharing, region);
}

int32_t map_shared(struct entry *entry, struct object *queue, uint32_t blocking, uint64_t flags, const void *address, size_t size,
                   uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, blocking, flags, (word)address, size, wait_count, (word)waits, (word)event };
    struct shared_region region = { (uintptr_t)address, size, flags };
    if (may_share(queue, wait_count, waits, event) && list_mapped(queue, &region)) {
        uint64_t number = 0;
        int was_given, done = bring_to_host(&queue->stream->functions, region.address, region.size, &was_given);
        if (done && blocking && !was_given)
            done = count_waited(queue, progress_of(queue), 1, &number);
        else if (done)
            number = count_given(queue);
        if (done && (!blocking || !was_given || wait_for_command(queue)))
            return give_event(queue, number, SVM_MAP, event);
        strike_out(queue->context->sharing, region.address, &region);
    }
    int32_t status = (int32_t)answer(entry, words);
    if (status == SUCCESS)
        learn_place(queue, address);
    return status;
}

/* Python unmaps what the library has mapped last at the address. */
static void tell_mapped(const struct object *queue, const struct shared_region *region)
{
    int state;
    if (!python_enter(&state))
        return;
    PyObject *none = py.PyObject_CallFunction(note_shared_mapped, "OKKK", queue->context->core, (unsigned long long)region->address,
                                              (unsigned long long)region->size, (unsigned long long)region->flags);
    if (none)
        py.Py_DecRef(none);
    else
        drop_exception(1);
    python_leave(state);
}

int32_t unmap_shared(struct entry *entry, struct object *queue, const void *address, uint32_t wait_count, const void *waits,
                     const void *event)
{
    const word words[] = { (word)queue, (word)address, wait_count, (word)waits, (word)event };
    const struct object *context = is_object(queue, QUEUE) ? queue->context : NULL;
    struct sharing *sharing = context ? __atomic_load_n(&context->sharing, __ATOMIC_ACQUIRE) : NULL;
    struct shared_region region;
    if (sharing && strike_out(sharing, (uintptr_t)address, &region)) {
        if (may_share(queue, wait_count, waits, event) && is_shared(queue, address, region.size)
            && give_pages_back(&queue->stream->functions, region.address, region.size, 1))
            return give_event(queue, count_given(queue), SVM_UNMAP, event);
        tell_mapped(queue, &region);
    }
    return (int32_t)answer(entry, words);
}

/* Where a migration's regions are, of which each lies in one known allocation: one of no bytes is all of that. */
static int find_regions(const struct object *queue, struct shared_region *regions, uint32_t count, void *const *pointers, const size_t *sizes)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t address = (uintptr_t)pointers[i], size = sizes ? sizes[i] : 0;
        struct place place;
        if (!find_place(queue, pointers[i], &place) || !place.is_allocation || size > place.end - address)
            return 0;
        regions[i] = size ? (struct shared_region){ address, size, 0 } : (struct shared_region){ place.start, place.end - place.start, 0 };
    }
    return 1;
}

static int give_migration(const struct native_stream *stream, const struct shared_region *regions, uint32_t count, int to_host)
{
    for (uint32_t i = 0; i < count; i++)
        if (!migrate_pages(stream, regions[i].address, regions[i].size, to_host))
            return 0;
    return 1;
}

int32_t migrate_shared(struct entry *entry, struct object *queue, uint32_t count, const void *pointers, const void *sizes, uint64_t flags,
                       uint32_t wait_count, const void *waits, const void *event)
{
    const word words[] = { (word)queue, count, (word)pointers, (word)sizes, flags, wait_count, (word)waits, (word)event };
    void *const *all = pointers;
    struct shared_region regions[MOST_MIGRATED];
    int are_few = all && count && count <= MOST_MIGRATED;
    if (are_few && are_migration_flags(flags) && may_share(queue, wait_count, waits, event)
        && find_regions(queue, regions, count, all, sizes)
        && give_migration(&queue->stream->functions, regions, count, (flags & MIGRATE_TO_HOST) != 0))
        return give_event(queue, count_given(queue), SVM_MIGRATE_MEM, event);
    int32_t status = (int32_t)answer(entry, words);
    for (uint32_t i = 0; status == SUCCESS && are_few && i < count; i++)
        learn_place(queue, all[i]);
    return status;
}
