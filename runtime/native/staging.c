/* See staging.h. */
#include "staging.h"

#include "helpers.h"
#include "stream_waits.h"

#include <string.h>

/* How many slots a copy takes. Short copies have small chunks, so that there are enough to overlap. */
enum { MOST_IN_FLIGHT = 32, SMALL = 512 << 10, SMALL_CHUNK = 64 << 10, MIDDLE = 2 << 20, MIDDLE_CHUNK = 128 << 10 };
/* Chunks that CUDA is given before it is asked what has arrived. */
enum { AT_ONCE = 4 };
/* As in runtime/cuda/context.py: which part of the time so far pauses are, and the longest. */
enum { PAUSE = 64, LONGEST_PAUSE_NS = 10000000 };

/* A copy. Chunk k goes through slot k modulo their number. */
struct copy {
    struct work work;
    const struct staging_calls *calls;
    struct ends ends;
    int helpers;
    uint64_t poll_ns, number;
    size_t chunk;
    void *stream;
    unsigned chunks, slot_count;
    struct slot *slots[MOST_IN_FLIGHT];
    unsigned given, ended; /* chunks that CUDA was given, and that the device is known to have copied */
    /* Of several threads: the chunk that is moved next by the processor, how many may be, and by slot the number of the chunk moved last,
       counted from 1; and how many helpers were invited that have not left for lack of work. */
    unsigned next, ready, moved[MOST_IN_FLIGHT];
    int invited;
};

static size_t start_of(const struct copy *copy, unsigned chunk)
{
    return chunk * copy->chunk;
}

static size_t length_of(const struct copy *copy, unsigned chunk)
{
    size_t left = copy->ends.size - start_of(copy, chunk);
    return left < copy->chunk ? left : copy->chunk;
}

static struct slot *slot_of(const struct copy *copy, unsigned chunk)
{
    return copy->slots[chunk % copy->slot_count];
}

/* The processor's part. */

enum found { NONE_LEFT, NONE_READY, MOVED };

static enum found move_one(struct copy *copy)
{
    unsigned chunk = __atomic_load_n(&copy->next, __ATOMIC_RELAXED);
    do {
        if (chunk >= copy->chunks)
            return NONE_LEFT;
        if (chunk >= __atomic_load_n(&copy->ready, __ATOMIC_ACQUIRE))
            return NONE_READY;
    } while (!__atomic_compare_exchange_n(&copy->next, &chunk, chunk + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    char *host = copy->ends.host + start_of(copy, chunk), *staged = slot_of(copy, chunk)->memory;
    memcpy(copy->ends.to_device ? staged : host, copy->ends.to_device ? host : staged, length_of(copy, chunk));
    __atomic_store_n(&copy->moved[chunk % copy->slot_count], chunk + 1, __ATOMIC_RELEASE);
    return MOVED;
}

static int is_moved(const struct copy *copy, unsigned chunk)
{
    return __atomic_load_n(&copy->moved[chunk % copy->slot_count], __ATOMIC_ACQUIRE) == chunk + 1;
}

static void help(struct work *work)
{
    struct copy *copy = (struct copy *)work;
    uint64_t since = 0;
    for (enum found found; (found = move_one(copy));) {
        if (found == MOVED) {
            since = 0;
            continue;
        }
        uint64_t now = now_ns();
        since = since ? since : now;
        if (now - since >= ALONE_NS) { /* It comes again when it is called. */
            __atomic_sub_fetch(&copy->invited, 1, __ATOMIC_RELAXED);
            return;
        }
        rest(0);
    }
}

static void call_helpers(struct copy *copy)
{
    int more = copy->helpers - __atomic_load_n(&copy->invited, __ATOMIC_RELAXED);
    if (more <= 0)
        return;
    __atomic_add_fetch(&copy->invited, more, __ATOMIC_RELAXED);
    invite_helpers(&copy->work, more);
}

/* So many chunks may be moved. */
static void set_ready(struct copy *copy, unsigned ready)
{
    __atomic_store_n(&copy->ready, ready, __ATOMIC_RELEASE);
    if (ready > __atomic_load_n(&copy->next, __ATOMIC_RELAXED) + 1) /* more than this thread moves now */
        call_helpers(copy);
}

/* The device's part: CUDA's status. */

static int give_one(struct copy *copy)
{
    struct slot *slot = slot_of(copy, copy->given);
    size_t length = length_of(copy, copy->given);
    uint64_t memory = copy->ends.memory + start_of(copy, copy->given);
    int status = copy->ends.to_device ? copy->calls->write(memory, slot->memory, length, copy->stream)
                                      : copy->calls->read(slot->memory, memory, length, copy->stream);
    if (status)
        return status;
    slot->copy = copy->number;
    copy->given++;
    return copy->calls->record(slot->event, copy->stream);
}

/* Notes which chunks the device has copied. */
static int ask(struct copy *copy)
{
    int status = 0;
    while (copy->ended < copy->given && !(status = copy->calls->query(slot_of(copy, copy->ended)->event)))
        copy->ended++;
    return status == NOT_READY ? 0 : status;
}

/* One step of waiting for the next chunk that the device copies. Polls as long as the stream does; then the processor is for others. */
static void wait_for_device(const struct copy *copy, uint64_t waited_ns)
{
    if (waited_ns < copy->poll_ns) {
        rest(waited_ns < ALONE_NS ? waited_ns : ALONE_NS);
        return;
    }
    uint64_t pause = waited_ns / PAUSE;
    nanosleep(&(struct timespec){ 0, (long)(pause < LONGEST_PAUSE_NS ? pause : LONGEST_PAUSE_NS) }, NULL);
}

/* One step of waiting, for the device or for helpers. `since`: since when nothing could be done. */
static void wait_a_step(const struct copy *copy, int for_device, uint64_t *since)
{
    uint64_t now = now_ns();
    *since = *since ? *since : now;
    if (for_device)
        wait_for_device(copy, now - *since);
    else
        rest(now - *since);
}

static int read_chunks(struct copy *copy)
{
    unsigned moved = 0; /* all before have been */
    /* Where the first chunk comes at once, helpers are called meanwhile. */
    int comes_at_once = !copy->calls->query_stream(copy->stream), status = 0;
    for (uint64_t since = 0; moved < copy->chunks && !status;) {
        unsigned given = copy->given, ended = copy->ended;
        while (!status && copy->given < copy->chunks && copy->given < moved + copy->slot_count && copy->given < given + AT_ONCE)
            status = give_one(copy);
        if (comes_at_once && !given)
            call_helpers(copy);
        if (status || (status = ask(copy)))
            break;
        if (copy->ended > ended) {
            set_ready(copy, copy->ended);
            if (!ended && copy->chunks > 1)
                call_helpers(copy);
        }
        int progress = copy->given > given || copy->ended > ended;
        if (copy->given == given)
            progress |= move_one(copy) == MOVED;
        for (; moved < copy->ended && is_moved(copy, moved); moved++)
            progress = 1;
        if (progress)
            since = 0;
        else if (moved < copy->chunks)
            wait_a_step(copy, copy->ended < copy->given, &since);
    }
    return status;
}

static int write_chunks(struct copy *copy)
{
    int status = 0;
    for (uint64_t since = 0; copy->given < copy->chunks && !status;) {
        unsigned given = copy->given, ready = copy->ready;
        while (!status && copy->given < copy->ready && is_moved(copy, copy->given))
            status = give_one(copy);
        if (!status && ready < copy->chunks)
            status = ask(copy);
        if (status)
            break;
        unsigned may = copy->ended + copy->slot_count;
        set_ready(copy, may < copy->chunks ? may : copy->chunks);
        int progress = copy->given > given || copy->ready > ready;
        progress |= move_one(copy) == MOVED;
        if (progress)
            since = 0;
        else
            wait_a_step(copy, copy->given == copy->ready, &since);
    }
    return status;
}

/* The slots. */

/* With the lock: what the device has left is free. When the last slot of a copy has been, all have. */
static void free_left(struct staging *staging)
{
    unsigned kept = 0;
    for (unsigned begin = 0, end; begin < staging->leaving_count; begin = end) {
        struct slot **all = staging->leaving;
        for (end = begin + 1; end < staging->leaving_count && all[end]->copy == all[begin]->copy; end++) {
        }
        unsigned left = staging->calls.query(all[end - 1]->event) ? begin : end;
        while (left < end && !staging->calls.query(all[left]->event))
            left++;
        for (; begin < left; begin++)
            staging->free[staging->free_count++] = all[begin];
        for (; begin < end; begin++)
            all[kept++] = all[begin];
    }
    staging->leaving_count = kept;
}

/* Half of those that are free where there will be no more: the next copy is to find some, too. */
static int take_slots(struct staging *staging, struct copy *copy, enum slots_policy policy)
{
    unsigned wanted = copy->chunks < MOST_IN_FLIGHT ? copy->chunks : MOST_IN_FLIGHT;
    pthread_mutex_lock(&staging->lock);
    if (staging->free_count < wanted)
        free_left(staging);
    unsigned free = staging->free_count, half = (free + 1) / 2;
    int grows = policy == MAY_ADD && staging->made + ADDED <= MOST_SLOTS;
    unsigned count = grows || policy == ALL_AT_ONCE ? (free < wanted ? 0 : wanted) : half < wanted ? half : wanted;
    for (unsigned i = 0; i < count; i++)
        copy->slots[i] = staging->free[--staging->free_count];
    copy->slot_count = count;
    copy->number = ++staging->copies;
    pthread_mutex_unlock(&staging->lock);
    return count ? 0 : grows ? ADD_SLOTS : NO_SLOT;
}

static void give_slots(struct staging *staging, const struct copy *copy)
{
    unsigned count = copy->slot_count, first = copy->given > count ? copy->given - count : 0;
    pthread_mutex_lock(&staging->lock);
    for (unsigned chunk = first; chunk < first + count; chunk++) {
        struct slot *slot = slot_of(copy, chunk);
        if (chunk >= copy->ended && chunk < copy->given)
            staging->leaving[staging->leaving_count++] = slot;
        else
            staging->free[staging->free_count++] = slot;
    }
    pthread_mutex_unlock(&staging->lock);
}

int copy_staged(struct staging *staging, const struct ends *ends, void *stream, uint64_t poll_ns, enum slots_policy policy)
{
    if (!ends->size)
        return 0;
    if (staging->forks != forks_before()) /* CUDA does not work here, and says so. */
        return NO_SLOT;
    size_t chunk = ends->size <= SMALL ? SMALL_CHUNK : ends->size <= MIDDLE ? MIDDLE_CHUNK : SLOT;
    struct copy copy = { .work = { help }, .calls = &staging->calls, .ends = *ends, .poll_ns = poll_ns, .chunk = chunk, .stream = stream,
                         .chunks = (unsigned)((ends->size + chunk - 1) / chunk) };
    copy.helpers = copy.chunks - 1 < (unsigned)staging->helpers ? (int)copy.chunks - 1 : staging->helpers;
    int status = policy == ALL_AT_ONCE && copy.chunks > MOST_IN_FLIGHT ? NO_SLOT : take_slots(staging, &copy, policy);
    if (status)
        return status;
    __atomic_add_fetch(&staging->in_flight, 1, __ATOMIC_RELAXED);
    share_work(&copy.work);
    status = ends->to_device ? write_chunks(&copy) : read_chunks(&copy);
    __atomic_store_n(&copy.next, copy.chunks, __ATOMIC_RELAXED); /* After an error helpers find none left. */
    finish_work(&copy.work);
    give_slots(staging, &copy);
    __atomic_sub_fetch(&staging->in_flight, 1, __ATOMIC_RELEASE);
    return status;
}

int read_for_stream(void *staging, void *host, uint64_t memory, size_t size, void *stream, uint64_t poll_ns)
{
    return copy_staged(staging, &(struct ends){ host, memory, size, 0 }, stream, poll_ns, MAY_ADD);
}

int write_for_stream(void *staging, uint64_t memory, const void *host, size_t size, void *stream, uint64_t poll_ns)
{
    return copy_staged(staging, &(struct ends){ (char *)(uintptr_t)host, memory, size, 1 }, stream, poll_ns, MAY_ADD);
}

int write_without_waiting(void *staging, uint64_t memory, const void *host, size_t size, void *stream)
{
    return copy_staged(staging, &(struct ends){ (char *)(uintptr_t)host, memory, size, 1 }, stream, 0, ALL_AT_ONCE);
}

void begin_staging(struct staging *staging, const struct staging_calls *calls, int helpers)
{
    staging->calls = *calls;
    staging->helpers = helpers;
    staging->forks = forks_before();
    pthread_mutex_init(&staging->lock, NULL);
}

int add_slots(struct staging *staging, char *memory, void *const *events)
{
    pthread_mutex_lock(&staging->lock);
    int fits = staging->made + ADDED <= MOST_SLOTS;
    for (unsigned i = 0; fits && i < ADDED; i++) {
        struct slot *slot = &staging->slots[staging->made++];
        *slot = (struct slot){ memory + (size_t)i * SLOT, events[i], 0 };
        staging->free[staging->free_count++] = slot;
    }
    pthread_mutex_unlock(&staging->lock);
    return fits;
}

unsigned count_free_slots(struct staging *staging)
{
    pthread_mutex_lock(&staging->lock);
    free_left(staging);
    unsigned count = staging->free_count;
    pthread_mutex_unlock(&staging->lock);
    return count;
}
