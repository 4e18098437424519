/* Fences ahead of time. Where a command is waited for that others are behind already, as PyOpenCL's arrays wait for the oldest of their
   events, a fence made then would wait for those, too: so there is one behind every few commands for a while. As QueueStream.fence_behind
   and fence_ahead (runtime/queue/stream_timeline.py), without Python's steps: the fences, and their CUDA events, are recorded anew in
   turn. */
#include "calls.h"

#include <stdlib.h>

/* As there: how many commands may be behind the one that is waited for, and for how many fences that is seen to. And how many stand at a
   time, and of how many commands it is known which they were: of PyOpenCL's arrays each has twelve events, of whose oldest four the last is
   waited for. */
enum { LATE = 4, MOST_WANTED = 64, FENCES = 8, LAST_COMMANDS = 32 };

/* Each fence with its CUDA event and the position up to which all is before it. */
struct place {
    PyObject *fence;
    uint64_t event, position;
};

/* Whose turn it is, and how many more are wanted. Commands are counted here, since waits draw positions, too: the positions of the last ones,
   the one behind which the next fence is wanted, and the last one that was waited for. Who waits for every few commands finds fences right
   behind these, which stand as many commands apart from that one: behind later ones a device would have to come to those first. */
struct fences {
    struct place places[FENCES];
    int turn, wanted;
    uint64_t commands, positions[LAST_COMMANDS], next_at, waited_for;
};

/* Has CUDA record the fence whose turn it is behind all that the stream was given. NULL where that cannot be. Others who look at the
   place, or wait for the fence, meanwhile see an earlier position than the event stands at, at worst. */
static struct place *record_fence(const struct target *target)
{
    struct fences *fences = target->fences;
    struct place *place = &fences->places[fences->turn];
    fences->turn = (fences->turn + 1) % FENCES;
    if (!place->fence) {
        PyObject *made = new_fence(target, FALSE_);
        uint64_t event = 0;
        if (!made || !read_word(made, name_event, &event) || !event || place->fence) {
            drop(made);
            return NULL;
        }
        *place = (struct place){ made, event, 0 };
    }
    PyObject *fence = place->fence;
    void *event = (void *)(uintptr_t)place->event;
    uint64_t given = see_word(target, GIVEN);
    Py_IncRef(fence);
    PyThreadState *state = PyEval_SaveThread();
    int status = ((record_event *)(uintptr_t)target->stream.record)(event, handle_of(&target->stream));
    PyEval_RestoreThread(state);
    int is_there = !status && place->fence == fence;
    if (is_there)
        place->position = given;
    Py_DecRef(fence);
    return is_there ? place : NULL;
}

/* The next one is wanted in LATE commands at most. */
static void want_next(struct fences *fences)
{
    fences->next_at = fences->commands + LATE - (fences->commands - fences->waited_for) % LATE;
}

static void note_waited_for(struct fences *fences, uint64_t position)
{
    for (uint64_t back = 0; back < LAST_COMMANDS && back < fences->commands; back++)
        if (fences->positions[(fences->commands - back) % LAST_COMMANDS] == position) {
            fences->waited_for = fences->commands - back;
            return;
        }
}

void record_ahead(const struct target *target, uint64_t position)
{
    struct fences *fences = target->fences;
    fences->positions[++fences->commands % LAST_COMMANDS] = position;
    if (!fences->wanted || fences->commands < fences->next_at)
        return;
    fences->wanted--;
    want_next(fences);
    if (is_open(&target->stream))
        record_fence(target);
    forget_error(); /* Who waits will hear of it. */
}

/* The first of those that stand at the position or behind it. */
static struct place *fence_behind(struct fences *fences, uint64_t position)
{
    struct place *found = NULL;
    for (struct place *place = fences->places; place < fences->places + FENCES; place++)
        if (place->fence && place->position >= position && (!found || place->position < found->position))
            found = place;
    return found;
}

/* All up to the position has ended. */
static int reach_number(const struct target *target, uint64_t position)
{
    PyObject *number = PyLong_FromSsize_t((Py_ssize_t)position);
    int done = number && reach(target, number);
    drop(number);
    return done;
}

/* Waits for the fence as long as that may be done here. Then the event has it, and Python waits for no more than that either. */
static int wait_for_fence(const struct target *target, struct place *place, PyObject *event)
{
    struct place now = *place;
    Py_IncRef(now.fence);
    PyThreadState *state = PyEval_SaveThread();
    int ended = poll_stream(&target->stream, (void *)(uintptr_t)now.event);
    PyEval_RestoreThread(state);
    if (ended) {
        ended = reach_number(target, now.position);
    } else if (set(event, name_fence, now.fence) && place->fence == now.fence) {
        *place = (struct place){ NULL, 0, 0 };
        Py_DecRef(now.fence);
    }
    Py_DecRef(now.fence);
    return ended;
}

int wait_behind_others(struct target *target, PyObject *event, uint64_t position)
{
    const struct native_stream *stream = &target->stream;
    if (!is(event, name_fence, NONE))
        return 0;
    if (!stream->read) { /* Commands have ended when they return. */
        uint64_t given = see_word(target, GIVEN);
        return wait_for_stream(stream) && reach_number(target, given);
    }
    if (!stream->record || !stream->query_event || (!target->fences && !(target->fences = calloc(1, sizeof *target->fences))))
        return 0;
    struct fences *fences = target->fences;
    struct place *place = fence_behind(fences, position);
    note_waited_for(fences, position);
    if (!place) {
        place = record_fence(target);
        want_next(fences);
    }
    if (!place || place->position < position)
        return 0;
    fences->wanted = MOST_WANTED;
    return wait_for_fence(target, place, event);
}

void drop_fences(struct target *target)
{
    struct fences *fences = target->fences;
    for (int i = 0; fences && i < FENCES; i++)
        drop(fences->places[i].fence);
    free(fences);
}
