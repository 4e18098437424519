/* Which commands a queue takes from here, and how they are counted. */
#include "commands.h"

#include "lanes.h"

#include <stddef.h>
#include <stdlib.h>

PyObject *native_of;

void find_native(struct object *queue)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (stream && take_bytes(py.PyObject_CallFunction(native_of, "O", queue->core), stream, offsetof(struct stream, mark)))
        queue->stream = stream;
    else
        free(stream);
}

int is_plain(const struct object *queue)
{
    return is_plain_beside_held(queue) && !__atomic_load_n(&queue->waiting, __ATOMIC_ACQUIRE);
}

int is_plain_beside_held(const struct object *queue)
{
    if (!(is_object(queue, QUEUE) || is_object(queue, LANE)) || !__atomic_load_n(&queue->stream, __ATOMIC_ACQUIRE) || !queue->stream->native
        || seen(queue, FENCES_AHEAD_WANTED) || !python_alive())
        return 0;
    uint64_t needs = seen(queue, NEEDS_PYTHON);
    return !needs || (needs == TIMES_ONLY && may_take_times(queue));
}

/* Events of commands of ours, in this queue, which keeps its order, or in one that it can be put after. */
static int come_before(const struct object *queue, uint32_t count, struct object *const *events)
{
    for (uint32_t i = 0; i < count; i++)
        if (!is_bare(events[i]) || (events[i]->parent != queue && !come_after(queue, events[i])))
            return 0;
    return 1;
}

/* What is wrong Python tells once more. */
static void begin_queue(struct object *queue)
{
    int state;
    if (!python_enter(&state))
        return;
    if (!made_core(queue))
        drop_exception(0);
    python_leave(state);
}

int takes_commands(struct object *queue, uint32_t wait_count, const void *waits)
{
    if (is_unused(queue))
        begin_queue(queue);
    return !wait_count == !waits && is_plain(queue) && come_before(queue, wait_count, waits);
}

struct object *place_for(struct object *queue, uint32_t wait_count, const void *waits)
{
    if (takes_commands(queue, wait_count, waits))
        return queue;
    return has_lanes(queue) ? lane_for(queue, wait_count, waits) : NULL;
}

struct object *place_for_copy(struct object *queue, uint32_t wait_count, const void *waits)
{
    struct object *where = place_for(queue, wait_count, waits);
    if (where && where != queue)
        note_lane_copy(where);
    return where;
}

int32_t make_event(struct object *queue, uint64_t number, uint32_t command, struct times *times, struct object **event)
{
    if (!(*event = new_bare_event(queue, number, command))) {
        give_times(queue, times);
        return OUT_OF_HOST_MEMORY;
    }
    (*event)->times = times;
    return SUCCESS;
}

/* With its events as one graph, whose first event is reached when the copy begins. */
static int give_with_events(const struct native_stream *stream, const struct times *times, const struct plain_copy *copy)
{
    struct stream_graphs *graphs = (struct stream_graphs *)(uintptr_t)stream->graphs;
    return times && times->fences && graphs && copy->is_locked
        && give_timed_copy(graphs, copy->kind, copy->to, copy->from, copy->size, times->begun, times->ended, handle_of(stream));
}

static int give_alone(const struct native_stream *stream, const struct plain_copy *copy)
{
    if (copy->kind == HOST_TO_DEVICE)
        return copy_to_device(stream, copy->to, (const void *)(uintptr_t)copy->from, copy->size);
    if (copy->kind == DEVICE_TO_HOST)
        return copy_from_device(stream, (void *)(uintptr_t)copy->to, copy->from, copy->size);
    return !((copy_on_device *)(uintptr_t)stream->copy)(copy->to, copy->from, copy->size, handle_of(stream));
}

int give_between(struct object *queue, struct times *times, const struct plain_copy *copy, int *has_end)
{
    const struct native_stream *stream = &queue->stream->functions;
    if ((*has_end = give_with_events(stream, times, copy)))
        return 1;
    int given = begin_times(queue, times) && give_alone(stream, copy);
    *has_end = given && end_times(queue, times);
    return given;
}

int count_waited(struct object *queue, struct progress before, int did_nothing, uint64_t *number)
{
    if (did_nothing && all_have_ended(queue->stream->native, before)) {
        *number = count_ended(queue, before);
        return 1;
    }
    *number = count_given(queue);
    return !queue->stream->functions.read || (did_nothing ? wait_for_end(queue) : wait_for_command(queue));
}

int count_outcome(struct object *queue, struct progress before, enum outcome outcome, int waits, uint64_t *number)
{
    if (outcome == WAS_GIVEN && waits)
        return count_waited(queue, before, 0, number);
    *number = outcome == HAS_ENDED ? count_ended(queue, before) : outcome == WAS_GIVEN ? count_given(queue) : 0;
    return outcome != LEFT_TO_PYTHON;
}
