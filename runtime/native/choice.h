/* Which of its streams a queue out of order gives a command to that may run beside all others, as OutOfOrderQueue._free_timeline
   (runtime/queue/out_of_order.py) says, for programs in Python (order.c) and in C (cl2cuda/opencl_icd/driver/lanes.c). To ask CUDA
   whether a stream has come to its end takes a third of the time of a launch, so that is done only where nothing else tells. */
#ifndef CL2CUDA_NATIVE_CHOICE_H
#define CL2CUDA_NATIVE_CHOICE_H

#include <stddef.h>
#include <stdint.h>

/* MAX_STREAMS of runtime/queue/out_of_order.py, and how many are asked before one is taken that has not ended, or Python opens another
   one. */
enum { MOST_STREAMS = 8, MOST_ASKED = 3 };

/* A launch is quick that was seen to have ended within so much time after it was given, which is hardly more than CUDA takes for an empty
   kernel. Behind quick ones the next launch need not be in another stream, which is nothing that CUDA has to be asked for; but after so
   many the stream is, since others might run meanwhile. So many are remembered. */
enum { QUICK_NS = 12000, MOST_IN_A_ROW = 4, MOST_QUICK = 8 };

/* No launch has ended sooner, so that to ask is in vain; and where to ask so soon was in vain, for so many commands nobody does. */
enum { LEAST_NS = 8000, UNPROBED = 16 };

/* What is known of a stream: the last launch there, by no more than a name, since it may have gone; when it was given, and when that or an
   answer of CUDA's was the last that was known; how many there were since the stream was known to rest; and whether it has come to wait for
   others since. */
struct given {
    const void *launch;
    uint64_t launched_ns, known_ns;
    int in_a_row, is_behind_others;
};

/* Of a queue: launches that are quick, of which one is forgotten next; for how many commands nobody asks soon; the stream that is looked
   at next among those that rest, and the one that was given something last. */
struct choice {
    const void *quick[MOST_QUICK];
    int next_quick, unprobed, next, current;
};

/* The queue's streams. The functions tell of one, by its number, whether it is known to rest, whether nothing is behind its last launch but
   markers, and whether CUDA says that it rests; none where CUDA's calls would not go to its context. */
typedef int tell_of_stream(void *queue, int which);

struct streams {
    struct choice *choice;
    struct given *given[MOST_STREAMS];
    int count;
    void *queue;
    tell_of_stream *rests, *ends_with_launch, *ask;
};

static inline int is_quick(const struct choice *choice, const void *launch)
{
    for (int i = 0; launch && i < MOST_QUICK; i++)
        if (choice->quick[i] == launch)
            return 1;
    return 0;
}

static inline void note_quick(struct choice *choice, const void *launch)
{
    if (!launch || is_quick(choice, launch))
        return;
    choice->quick[choice->next_quick] = launch;
    choice->next_quick = (choice->next_quick + 1) % MOST_QUICK;
}

static inline void forget_quick(struct choice *choice, const void *launch)
{
    for (int i = 0; i < MOST_QUICK; i++)
        if (choice->quick[i] == launch)
            choice->quick[i] = NULL;
}

static inline void note_rest(struct given *given)
{
    given->in_a_row = 0;
    __atomic_store_n(&given->is_behind_others, 0, __ATOMIC_RELAXED); /* which others set without the lanes' lock */
}

static inline void note_given(struct given *given, const void *launch, uint64_t now)
{
    given->launch = launch;
    given->launched_ns = given->known_ns = now;
    given->in_a_row++;
}

/* Whether all that the stream was given since it was known to rest are quick launches, as far as these are known, and few. */
static inline int is_quick_to_end(const struct streams *streams, int which)
{
    const struct given *given = streams->given[which];
    return given->in_a_row && given->in_a_row < MOST_IN_A_ROW && !__atomic_load_n(&given->is_behind_others, __ATOMIC_RELAXED)
        && is_quick(streams->choice, given->launch)
        && streams->ends_with_launch(streams->queue, which);
}

/* Whether CUDA says that the stream has come to its end, and what that tells of its last launch. */
static inline int is_seen_to_rest(const struct streams *streams, int which, uint64_t now)
{
    struct given *given = streams->given[which];
    uint64_t since = now - given->launched_ns;
    int rests = streams->ask(streams->queue, which);
    given->known_ns = now;
    if (rests && since <= QUICK_NS && streams->ends_with_launch(streams->queue, which))
        note_quick(streams->choice, given->launch);
    if (!rests && since > QUICK_NS * (uint64_t)given->in_a_row)
        forget_quick(streams->choice, given->launch);
    if (rests)
        note_rest(given);
    return rests;
}

/* The one that was launched in last, but not so late that it cannot have ended: that tells soonest what is quick. -1 where there is none.
   */
static inline int to_be_probed(const struct streams *streams, uint64_t now)
{
    int found = -1;
    for (int i = 0; i < streams->count; i++) {
        uint64_t since = now - streams->given[i]->launched_ns;
        if (since >= LEAST_NS && since <= QUICK_NS && (found < 0 || streams->given[i]->launched_ns > streams->given[found]->launched_ns))
            found = i;
    }
    return found;
}

/* The one of which nothing was known for longest, of those that were not asked just now; -1 where all were. */
static inline int least_known(const struct streams *streams, uint64_t now)
{
    int found = -1;
    for (int i = 0; i < streams->count; i++)
        if (streams->given[i]->known_ns != now && (found < 0 || streams->given[i]->known_ns < streams->given[found]->known_ns))
            found = i;
    return found;
}

/* The one that was launched in longest ago. */
static inline int longest_ago(const struct streams *streams)
{
    int found = 0;
    for (int i = 1; i < streams->count; i++)
        if (streams->given[i]->launched_ns < streams->given[found]->launched_ns)
            found = i;
    return found;
}

/* One that is known to rest: the first, or the next one in turn. */
static inline int known_to_rest(const struct streams *streams)
{
    struct choice *choice = streams->choice;
    int found = streams->rests(streams->queue, 0) ? 0
        : choice->next < streams->count && streams->rests(streams->queue, choice->next) ? choice->next : -1;
    if (found >= 0)
        choice->next = found + 1;
    return found;
}

/* The stream's number; -1 where Python is to open another one. */
static inline int choose_stream(const struct streams *streams, uint64_t now)
{
    struct choice *choice = streams->choice;
    if (is_quick_to_end(streams, choice->current))
        return choice->current;
    int found = known_to_rest(streams);
    if (found >= 0) {
        note_rest(streams->given[found]);
        return found;
    }
    int probed = choice->unprobed ? -1 : to_be_probed(streams, now);
    if (probed >= 0 && is_seen_to_rest(streams, probed, now))
        return probed;
    choice->unprobed = probed >= 0 ? UNPROBED : choice->unprobed ? choice->unprobed - 1 : 0;
    for (int i = 0; i < MOST_ASKED && (found = least_known(streams, now)) >= 0; i++)
        if (is_seen_to_rest(streams, found, now))
            return found;
    return streams->count < MOST_STREAMS ? -1 : longest_ago(streams);
}

#endif
