/* Markers and barriers: the numbers of commands that do nothing. */
#include "commands.h"

#include "held.h"
#include "lanes.h"

int put_place(uint32_t command, struct object *queue, const void *event, int32_t *status)
{
    struct times *times;
    if (!queue->stream->functions.query || !take_times(queue, event, &times))
        return 0;
    int has_times = begin_times(queue, times) && end_times(queue, times);
    *status = event ? give_timed_event(queue, count_command(queue), command, times, has_times, event) : SUCCESS;
    return 1;
}

/* A place of an ordered queue, perhaps behind what that holds back, or in one of the lanes of another; 0 where it is Python's. */
static int put_anywhere(uint32_t command, struct object *queue, uint32_t wait_count, const void *waits, const void *event, int32_t *status)
{
    if (takes_commands(queue, wait_count, waits))
        return put_place(command, queue, event, status);
    *status = SUCCESS;
    return has_lanes(queue) ? place_in_lane(command, queue, wait_count, waits, event, status)
        : hold_place_back(command, queue, wait_count, waits, event);
}

static int32_t place(struct entry *entry, uint32_t command, struct object *queue, uint32_t wait_count, const void *waits,
                     const void *event)
{
    const word words[] = { (word)queue, wait_count, (word)waits, (word)event };
    int32_t status;
    return put_anywhere(command, queue, wait_count, waits, event, &status) ? status : (int32_t)answer(entry, words);
}

/* Those of OpenCL 1.1 are the same, without a list, or without an event. */
int32_t place_old_marker(struct entry *entry, struct object *queue, const void *event)
{
    const word words[] = { (word)queue, (word)event };
    int32_t status;
    return put_anywhere(MARKER, queue, 0, NULL, event, &status) ? status : (int32_t)answer(entry, words);
}

int32_t place_old_barrier(struct entry *entry, struct object *queue)
{
    const word words[] = { (word)queue };
    int32_t status;
    return put_anywhere(BARRIER, queue, 0, NULL, NULL, &status) ? status : (int32_t)answer(entry, words);
}

int32_t place_after_events(struct entry *entry, struct object *queue, uint32_t wait_count, const void *waits)
{
    const word words[] = { (word)queue, wait_count, (word)waits };
    int32_t status;
    return wait_count && put_anywhere(BARRIER, queue, wait_count, waits, NULL, &status) ? status : (int32_t)answer(entry, words);
}

int32_t place_marker(struct entry *entry, struct object *queue, uint32_t wait_count, const void *waits, const void *event)
{
    return place(entry, MARKER, queue, wait_count, waits, event);
}

int32_t place_barrier(struct entry *entry, struct object *queue, uint32_t wait_count, const void *waits, const void *event)
{
    return place(entry, BARRIER, queue, wait_count, waits, event);
}
