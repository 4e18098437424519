#include "lanes.h"

#include "choice.h"
#include "commands.h"
#include "order.h"

#include <pthread.h>
#include <stdlib.h>

PyObject *lanes_of;

/* A lane, what is known of it without asking CUDA, the number of its last launch, and up to which position it had been given Python's commands
   then. */
struct lane {
    struct object *object;
    struct given given;
    uint64_t number, position;
};

struct lanes {
    pthread_mutex_t lock;
    uint32_t count;
    struct choice choice;
    struct lane lanes[MOST_STREAMS];
};

void leave_lanes(const struct stream *stream)
{
    struct lanes *lanes = stream ? stream->lanes : NULL;
    uint32_t count = lanes ? lanes->count : 0;
    if (lanes)
        lanes->count = 0;
    for (uint32_t i = 0; i < count; i++)
        drop_object(lanes->lanes[i].object);
}

void free_lanes(const struct stream *stream)
{
    if (stream && stream->lanes) {
        pthread_mutex_destroy(&stream->lanes->lock);
        free(stream->lanes);
    }
}

/* With Python's lock: those that Python has opened since, of which it gives a tuple. */
static void add_lanes(struct object *queue, struct lanes *lanes)
{
    PyObject *all = py.PyObject_CallFunction(lanes_of, "OI", queue->core, lanes->count);
    for (Py_ssize_t i = 0; all && i < py.PyTuple_Size(all) && lanes->count < MOST_STREAMS; i++) {
        struct object *lane = new_object(py.PyTuple_GetItem(all, i), LANE, queue);
        if (!lane)
            break;
        find_native(lane);
        lanes->lanes[lanes->count].object = lane;
        __atomic_store_n(&lanes->count, lanes->count + 1, __ATOMIC_RELEASE);
    }
    if (all)
        py.Py_DecRef(all);
    else
        drop_exception(0); /* Python's own way with the command says what is wrong. */
}

/* Whether all streams are lanes that there are. */
static int are_all(const struct lanes *lanes)
{
    uint32_t count = lanes ? __atomic_load_n(&lanes->count, __ATOMIC_ACQUIRE) : 0;
    return count && lanes->lanes[0].object->stream && seen(lanes->lanes[0].object, STREAMS) == count;
}

/* The queue's lanes; NULL where Python is to be asked in vain. */
static struct lanes *find_lanes(struct object *queue)
{
    struct lanes *lanes = __atomic_load_n(&queue->stream->lanes, __ATOMIC_ACQUIRE);
    int state;
    if (are_all(lanes) || !python_enter(&state))
        return lanes;
    lanes = queue->stream->lanes; /* Another thread may have been quicker. */
    if (!lanes && (lanes = calloc(1, sizeof *lanes))) {
        pthread_mutex_init(&lanes->lock, NULL);
        __atomic_store_n(&queue->stream->lanes, lanes, __ATOMIC_RELEASE);
    }
    if (lanes && !are_all(lanes))
        add_lanes(queue, lanes);
    python_leave(state);
    return are_all(lanes) ? lanes : NULL;
}

static struct lane *lane_at(void *queue, int which)
{
    return &((struct object *)queue)->stream->lanes->lanes[which];
}

/* For `choose_stream`. */
static int rests(void *queue, int which)
{
    const struct object *lane = lane_at(queue, which)->object;
    uint64_t given = seen(lane, GIVEN);
    return seen(lane, NATIVE_ENDED) >= seen(lane, NATIVE) && (given <= seen(lane, GIVEN_ENDED) || given <= seen(lane, REACHED))
        && is_plain(lane);
}

static int ends_with_launch(void *queue, int which)
{
    const struct lane *lane = lane_at(queue, which);
    return lane->number && seen(lane->object, NATIVE) == lane->number && seen(lane->object, GIVEN) == lane->position && is_plain(lane->object);
}

static int ask(void *queue, int which)
{
    struct object *lane = lane_at(queue, which)->object;
    return is_plain(lane) && !ask_for_end(lane);
}

/* The lane whose last command is the queue's last barrier, which all later commands come after anyway; -1 where there is none. */
static int behind_barrier(void *queue, int count)
{
    uint64_t last = seen(lane_at(queue, 0)->object, LAST_BARRIER);
    for (int i = 0; last && i < count; i++) {
        const struct lane *lane = lane_at(queue, i);
        uint64_t given = seen(lane->object, GIVEN);
        if (seen(lane->object, BEHIND) == last && given && given == seen(lane->object, BARRED) && given != lane->position
            && is_plain(lane->object))
            return i;
    }
    return -1;
}

/* The lane whose last command is an event's; -1 where there is none. */
static int behind_event(void *queue, int count, uint32_t wait_count, struct object *const *waits)
{
    for (uint32_t k = 0; k < wait_count; k++)
        for (int i = 0; i < count; i++)
            if (lane_at(queue, i)->object == waits[k]->parent && lane_at(queue, i)->number == waits[k]->number && ends_with_launch(queue, i))
                return i;
    return -1;
}

/* With the lock. */
static int choose_lane(struct object *queue, struct lanes *lanes, uint32_t wait_count, struct object *const *waits)
{
    struct streams streams = { .choice = &lanes->choice, .count = (int)__atomic_load_n(&lanes->count, __ATOMIC_ACQUIRE), .queue = queue,
                               .rests = rests, .ends_with_launch = ends_with_launch, .ask = ask };
    int chosen = behind_event(queue, streams.count, wait_count, waits);
    if (chosen < 0 && (chosen = behind_barrier(queue, streams.count)) >= 0)
        note_rest(&lanes->lanes[chosen].given);
    for (int i = 0; i < streams.count; i++)
        streams.given[i] = &lanes->lanes[i].given;
    if (chosen < 0)
        chosen = choose_stream(&streams, now_ns());
    if (chosen >= 0)
        lanes->choice.current = chosen;
    return chosen;
}

/* Whether all are of the library's commands, in the queue's context. */
static int are_bare(const struct object *queue, uint32_t count, struct object *const *events)
{
    for (uint32_t i = 0; i < count; i++)
        if (!is_bare(events[i]) || events[i]->context != queue->context)
            return 0;
    return 1;
}

/* Has the lane's stream come after the events' commands; 0 where that is Python's. */
static int come_after_all(struct lane *lane, uint32_t count, struct object *const *events)
{
    for (uint32_t i = 0; i < count; i++) {
        if (events[i]->parent == lane->object)
            continue;
        int is_behind = !has_ended(events[i]);
        if (!come_after(lane->object, events[i]))
            return 0;
        lane->given.is_behind_others |= is_behind;
    }
    return 1;
}

struct object *lane_for(struct object *queue, uint32_t wait_count, const void *place)
{
    struct object *const *waits = place;
    struct lanes *lanes = !wait_count == !waits && are_bare(queue, wait_count, waits) && python_alive() ? find_lanes(queue) : NULL;
    if (!lanes || seen(lanes->lanes[0].object, NEEDS_PYTHON) || !is_open(&lanes->lanes[0].object->stream->functions))
        return NULL;
    pthread_mutex_lock(&lanes->lock);
    int chosen = choose_lane(queue, lanes, wait_count, waits);
    pthread_mutex_unlock(&lanes->lock);
    struct lane *lane = chosen < 0 ? NULL : &lanes->lanes[chosen];
    if (!lane)
        raise_word(&lanes->lanes[0].object->stream->native[MORE_WANTED], 1);
    if (!lane || !is_plain(lane->object) || seen(lane->object, BEHIND) != seen(lanes->lanes[0].object, LAST_BARRIER)
        || !come_after_all(lane, wait_count, waits))
        return NULL;
    return lane->object;
}

void note_lane_launch(const struct object *object, uint64_t number, const void *launch)
{
    struct lanes *lanes = object->parent->stream->lanes;
    pthread_mutex_lock(&lanes->lock);
    for (uint32_t i = 0; i < lanes->count; i++) {
        struct lane *lane = &lanes->lanes[i];
        if (lane->object != object)
            continue;
        note_given(&lane->given, launch, now_ns());
        lane->number = number;
        lane->position = seen(object, GIVEN);
    }
    pthread_mutex_unlock(&lanes->lock);
}

int32_t finish_lanes(struct entry *entry, struct object *queue)
{
    const word words[] = { (word)queue };
    struct lanes *lanes = __atomic_load_n(&queue->stream->lanes, __ATOMIC_ACQUIRE);
    uint32_t count = lanes ? __atomic_load_n(&lanes->count, __ATOMIC_ACQUIRE) : 0;
    uint64_t commands[MOST_STREAMS];
    for (uint32_t i = 0; i < count; i++)
        commands[i] = seen(lanes->lanes[i].object, NATIVE);
    int32_t status = (int32_t)answer(entry, words);
    for (uint32_t i = 0; i < count && status == SUCCESS; i++)
        note_end(lanes->lanes[i].object, commands[i]);
    return status;
}
