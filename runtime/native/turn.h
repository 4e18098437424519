/* The turns of launches that share a module's `ocl::launch` (runtime/cuda/turns.py), for launches in C. */
#ifndef CL2CUDA_NATIVE_TURN_H
#define CL2CUDA_NATIVE_TURN_H

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "grid.h"
#include "stream.h"

/* LaunchRecord of runtime/cuda/launch.py, which begins with the offset. */
enum { RECORD_WORDS = 16 };

/* Memory of Python's. With the mutex: the handle of the stream whose turn it is, 0 where Python is to see to it, and what `ocl::launch`
   holds there, if that is known. */
struct turn {
    union {
        pthread_mutex_t mutex;
        uint64_t room[8];
    } lock;
    uint64_t stream, is_known, written[RECORD_WORDS];
};

/* Has the stream write the record where another one is there: a single word as CUDA fills memory, which takes it half the time. */
static inline int write_record(const struct native_stream *stream, struct turn *turn, uint64_t place, const uint64_t *record)
{
    enum { NUMBERS = 2 * RECORD_WORDS };
    uint32_t before[NUMBERS], now[NUMBERS];
    int differ = 0, at = 0, status;
    memcpy(before, turn->written, sizeof before);
    memcpy(now, record, sizeof now);
    for (int i = 0; i < NUMBERS; i++)
        if (before[i] != now[i]) {
            differ++;
            at = i;
        }
    if (turn->is_known && !differ)
        return 0;
    if (turn->is_known && differ == 1 && stream->fill_4)
        status = ((fill_with_words *)(uintptr_t)stream->fill_4)(place + (uint64_t)at * sizeof *now, now[at], 1, handle_of(stream));
    else
        status = ((copy_from_host *)(uintptr_t)stream->write)(place, record, sizeof turn->written, handle_of(stream));
    turn->is_known = !status;
    memcpy(turn->written, record, sizeof turn->written);
    return status;
}

/* With the mutex, which goes where it is not the stream's turn. */
static inline int write_in_turn(const struct native_stream *stream, struct turn *turn, uint64_t place, const uint64_t *record)
{
    if (turn->stream == stream->handle && !write_record(stream, turn, place, record))
        return 1;
    pthread_mutex_unlock(&turn->lock.mutex);
    return 0;
}

/* Whether it is the stream's turn, and has the stream write the record then: until `end_turn` no other thread launches what reads it. */
static inline int begin_turn(const struct native_stream *stream, struct turn *turn, uint64_t place, const uint64_t *record)
{
    pthread_mutex_lock(&turn->lock.mutex);
    return write_in_turn(stream, turn, place, record);
}

/* The same for a thread that has Python's lock, for which a thread with the mutex may wait: no turn begins then. */
static inline int begin_turn_at_once(const struct native_stream *stream, struct turn *turn, uint64_t place, const uint64_t *record)
{
    return !pthread_mutex_trylock(&turn->lock.mutex) && write_in_turn(stream, turn, place, record);
}

static inline void end_turn(struct turn *turn)
{
    pthread_mutex_unlock(&turn->lock.mutex);
}

#endif
