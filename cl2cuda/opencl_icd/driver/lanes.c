#include "lanes.h"

#include "choice.h"
#include "commands.h"
#include "order.h"
#include "spares.h"

#include <pthread.h>
#include <stdlib.h>

PyObject *lanes_of;

/* The numbers of the library's barriers have this bit, as runtime.queue.stream_timeline says. */
#define OF_NATIVE_CODE ((uint64_t)1 << 63)

/* A lane, what is known of it without asking CUDA, the number of its last launch, and up to which position it had been given Python's
   commands then. */
struct lane {
    struct object *object;
    struct given given;
    uint64_t number, position;
};

/* The last barrier that the library has made: its number among all barriers, where there was one, and among the commands of the lane in
   which it stands, and up to which position that had been given Python's commands then. */
struct barrier {
    uint64_t number, command, position;
    int lane;
};

struct lanes {
    pthread_mutex_t lock;
    uint32_t count;
    struct barrier barrier;
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

void begin_lanes_anew(const struct stream *stream)
{
    struct lanes *lanes = stream->lanes;
    if (!lanes)
        return;
    pthread_mutex_init(&lanes->lock, NULL);
    if (lanes->count)
        __atomic_store_n(&lanes->lanes[0].object->stream->native[BARRING], 0, __ATOMIC_RELEASE);
}

/* With Python's lock: whether there is a lane at the place, this one or that of another thread, which Python may let run meanwhile. */
static int add_lane(struct object *queue, struct lanes *lanes, uint32_t place, PyObject *core)
{
    struct object *lane = place == lanes->count ? new_object(core, LANE, queue) : NULL;
    if (lane)
        find_native(lane);
    if (lane && place == lanes->count) {
        lanes->lanes[place].object = lane;
        __atomic_store_n(&lanes->count, place + 1, __ATOMIC_RELEASE);
    } else if (lane) {
        drop_object(lane);
    }
    return place < lanes->count;
}

/* With Python's lock: those that Python has opened since, of which it gives a tuple. */
static void add_lanes(struct object *queue, struct lanes *lanes)
{
    uint32_t place = lanes->count;
    PyObject *all = py.PyObject_CallFunction(lanes_of, "OI", queue->core, place);
    for (Py_ssize_t i = 0; all && i < py.PyTuple_Size(all) && place < MOST_STREAMS; i++, place++)
        if (!add_lane(queue, lanes, place, py.PyTuple_GetItem(all, i)))
            break;
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
    return is_idle(lane) && is_plain(lane);
}

static int ends_with_launch(void *queue, int which)
{
    const struct lane *lane = lane_at(queue, which);
    return lane->number && seen(lane->object, NATIVE) == lane->number && seen(lane->object, GIVEN) == lane->position
        && is_plain(lane->object);
}

static int ask(void *queue, int which)
{
    struct object *lane = lane_at(queue, which)->object;
    return is_plain(lane) && !ask_for_end(lane);
}

/* Whether nothing was given to the lane behind the library's last barrier, which stands there. */
static int ends_with_barrier(const struct lanes *lanes, int which)
{
    const struct barrier *barrier = &lanes->barrier;
    const struct object *lane = lanes->lanes[which].object;
    return barrier->number && barrier->lane == which && seen(lane, NATIVE) == barrier->command && seen(lane, GIVEN) == barrier->position;
}

/* The same of a barrier of Python's, where that is the queue's last. */
static int ends_with_pythons_barrier(const struct lane *lane)
{
    uint64_t given = seen(lane->object, GIVEN);
    return given && given == seen(lane->object, BARRED) && given != lane->position;
}

/* The lane whose last command is the queue's last barrier, which all later commands come after anyway; -1 where there is none. */
static int behind_barrier(void *queue, int count)
{
    const struct lanes *lanes = ((struct object *)queue)->stream->lanes;
    uint64_t last = seen(lane_at(queue, 0)->object, LAST_BARRIER);
    for (int i = 0; last && i < count; i++) {
        const struct lane *lane = lane_at(queue, i);
        if (seen(lane->object, BEHIND) == last && is_plain(lane->object)
            && (lanes->barrier.number == last ? ends_with_barrier(lanes, i) : ends_with_pythons_barrier(lane)))
            return i;
    }
    return -1;
}

/* The lane whose last command is an event's; -1 where there is none. */
static int behind_event(void *queue, int count, uint32_t wait_count, struct object *const *waits)
{
    for (uint32_t k = 0; k < wait_count; k++)
        for (int i = 0; i < count; i++) {
            const struct lane *lane = lane_at(queue, i);
            if (lane->object == waits[k]->parent && seen(lane->object, NATIVE) == waits[k]->number && is_plain(lane->object))
                return i;
        }
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
        if (is_behind)
            __atomic_store_n(&lane->given.is_behind_others, 1, __ATOMIC_RELAXED);
    }
    return 1;
}

static int needs_python(const struct lanes *lanes)
{
    const struct object *first = lanes->lanes[0].object;
    uint64_t needs = seen(first, NEEDS_PYTHON);
    return needs && !(needs == TIMES_ONLY && may_take_times(first));
}

/* The lanes of a queue whose commands behind these events need no Python, as far as the queue tells; else NULL. */
static struct lanes *open_lanes(struct object *queue, uint32_t wait_count, struct object *const *waits)
{
    struct lanes *lanes = !wait_count == !waits && are_bare(queue, wait_count, waits) && python_alive() ? find_lanes(queue) : NULL;
    return lanes && !needs_python(lanes) && is_open(&lanes->lanes[0].object->stream->functions) ? lanes : NULL;
}

/* Has the lane's stream come after the queue's last barrier, where that is one of the library's; 0 where that is Python's. */
static int come_after_barrier(struct lanes *lanes, struct lane *lane)
{
    uint64_t last = seen(lanes->lanes[0].object, LAST_BARRIER);
    if (seen(lane->object, BEHIND) == last)
        return 1;
    pthread_mutex_lock(&lanes->lock);
    const struct barrier barrier = lanes->barrier;
    pthread_mutex_unlock(&lanes->lock);
    const struct lane *place = &lanes->lanes[barrier.lane];
    if (barrier.number != last || (place != lane && !come_after_command(lane->object, place->object, barrier.command)))
        return 0;
    __atomic_store_n(&lane->object->stream->native[BEHIND], last, __ATOMIC_RELEASE);
    return 1;
}

/* A lane whose stream comes after all that it has to; NULL where that is Python's. The first command behind a barrier in its lane has the
   place between them marked: what comes behind the barrier in other lanes need not wait for that command, too. */
static struct lane *take_lane(struct object *queue, struct lanes *lanes, uint32_t wait_count, struct object *const *waits)
{
    pthread_mutex_lock(&lanes->lock);
    int chosen = choose_lane(queue, lanes, wait_count, waits);
    int is_first = chosen >= 0 && lanes->count > 1 && ends_with_barrier(lanes, chosen);
    pthread_mutex_unlock(&lanes->lock);
    struct lane *lane = chosen < 0 ? NULL : &lanes->lanes[chosen];
    if (!lane)
        raise_word(&lanes->lanes[0].object->stream->native[MORE_WANTED], 1);
    if (!lane || !is_plain(lane->object) || !come_after_barrier(lanes, lane) || !come_after_all(lane, wait_count, waits))
        return NULL;
    if (is_first)
        mark_place(lane->object);
    return lane;
}

int takes_lanes(struct object *queue)
{
    const struct lanes *lanes = open_lanes(queue, 0, NULL);
    return lanes && !seen(lanes->lanes[0].object, NEEDS_PYTHON);
}

struct object *lane_for(struct object *queue, uint32_t wait_count, const void *waits)
{
    struct lanes *lanes = open_lanes(queue, wait_count, waits);
    struct lane *lane = lanes ? take_lane(queue, lanes, wait_count, waits) : NULL;
    return lane ? lane->object : NULL;
}

/* A lane that comes after all that the queue was given: the only one that may not have come to its end, or one that waits for the others.
   NULL where that is Python's. */
static struct lane *follow_all(struct object *queue, struct lanes *lanes)
{
    struct lane *chosen = NULL;
    int count = (int)__atomic_load_n(&lanes->count, __ATOMIC_ACQUIRE);
    for (int i = 0; i < count; i++) {
        struct lane *lane = &lanes->lanes[i];
        if (rests(queue, i))
            continue;
        if (!chosen)
            chosen = lane;
        else if (!come_after_queue(chosen->object, lane->object))
            return NULL;
        else
            __atomic_store_n(&chosen->given.is_behind_others, 1, __ATOMIC_RELAXED);
    }
    chosen = chosen ? chosen : &lanes->lanes[0];
    return is_plain(chosen->object) ? chosen : NULL;
}

/* The number of a command that does nothing. Behind a launch that tells as much of that. */
static uint64_t count_marker(struct object *queue, struct lanes *lanes, struct lane *lane)
{
    pthread_mutex_lock(&lanes->lock);
    int is_behind_launch = ends_with_launch(queue, (int)(lane - lanes->lanes));
    uint64_t number = count_command(lane->object);
    if (is_behind_launch)
        lane->number = number;
    pthread_mutex_unlock(&lanes->lock);
    return number;
}

/* The number of the queue's barrier among the lane's commands, where no other barrier has come since that of the number `last`, and Python
   has not begun with one, which waits as long as BARRING says so; else 0, and the barrier is Python's. */
static uint64_t set_barrier(struct lanes *lanes, struct lane *lane, uint64_t last)
{
    static uint64_t barriers = OF_NATIVE_CODE;
    uint64_t *words = lanes->lanes[0].object->stream->native, number = 0;
    pthread_mutex_lock(&lanes->lock);
    __atomic_store_n(&words[BARRING], 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!needs_python(lanes) && seen(lanes->lanes[0].object, LAST_BARRIER) == last) {
        struct barrier *barrier = &lanes->barrier;
        barrier->position = seen(lane->object, GIVEN);
        barrier->command = number = count_command(lane->object);
        barrier->number = __atomic_add_fetch(&barriers, 1, __ATOMIC_RELAXED);
        barrier->lane = (int)(lane - lanes->lanes);
        __atomic_store_n(&lane->object->stream->native[BEHIND], barrier->number, __ATOMIC_RELEASE);
        __atomic_store_n(&words[NATIVE_BARRIER], number * MOST_STREAMS + (uint64_t)barrier->lane, __ATOMIC_RELEASE);
        __atomic_store_n(&words[LAST_BARRIER], barrier->number, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&words[BARRING], 0, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lanes->lock);
    return number;
}

int place_in_lane(uint32_t command, struct object *queue, uint32_t wait_count, const void *waits, const void *event, int32_t *status)
{
    struct lanes *lanes = __atomic_load_n(&queue->waiting, __ATOMIC_ACQUIRE) ? NULL : open_lanes(queue, wait_count, waits);
    uint64_t last = lanes ? seen(lanes->lanes[0].object, LAST_BARRIER) : 0;
    struct lane *lane = !lanes ? NULL : wait_count ? take_lane(queue, lanes, wait_count, waits) : follow_all(queue, lanes);
    struct times *times;
    if (!lane || !take_times(lane->object, event, &times))
        return 0;
    int has_end = begin_times(lane->object, times) && end_times(lane->object, times);
    uint64_t number = command == BARRIER ? set_barrier(lanes, lane, last) : count_marker(queue, lanes, lane);
    if (number)
        *status = give_timed_event(lane->object, number, command, times, has_end, event);
    else
        give_times(lane->object, times);
    return number != 0;
}

/* With the lock: what the object is to the queue, or NULL. */
static struct lane *lane_of(struct lanes *lanes, const struct object *object)
{
    for (uint32_t i = 0; i < lanes->count; i++)
        if (lanes->lanes[i].object == object)
            return &lanes->lanes[i];
    return NULL;
}

void note_lane_copy(const struct object *object)
{
    struct lanes *lanes = object->parent->stream->lanes;
    pthread_mutex_lock(&lanes->lock);
    struct lane *lane = lane_of(lanes, object);
    if (lane)
        note_given(&lane->given, NULL, now_ns());
    pthread_mutex_unlock(&lanes->lock);
}

void note_lane_launch(const struct object *object, uint64_t number, const void *launch)
{
    struct lanes *lanes = object->parent->stream->lanes;
    pthread_mutex_lock(&lanes->lock);
    struct lane *lane = lane_of(lanes, object);
    if (lane) {
        note_given(&lane->given, launch, now_ns());
        lane->number = number;
        lane->position = seen(object, GIVEN);
    }
    pthread_mutex_unlock(&lanes->lock);
}

/* All commands up to the queue's barrier of that number have ended, and of each lane so many. */
static void note_finish(struct lanes *lanes, uint32_t count, const uint64_t *commands, uint64_t last)
{
    for (uint32_t i = 0; i < count; i++) {
        struct object *lane = lanes->lanes[i].object;
        note_end(lane, commands[i]);
        if (seen(lanes->lanes[0].object, LAST_BARRIER) == last)
            __atomic_store_n(&lane->stream->native[BEHIND], last, __ATOMIC_RELEASE);
    }
}

int is_flushed_by_itself(const struct object *queue)
{
    const struct lanes *lanes = __atomic_load_n(&queue->stream->lanes, __ATOMIC_ACQUIRE);
    return are_all(lanes) && !needs_python(lanes) && !lanes->lanes[0].object->stream->functions.flushes;
}

/* Whether all that the lanes were given has ended, after a wait that is no longer than it has to be: 0 where that is Python's. */
static int have_ended(struct object *queue, struct lanes *lanes, uint32_t count)
{
    int ended = are_all(lanes) && !needs_python(lanes) && !__atomic_load_n(&queue->waiting, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; ended && i < count; i++) {
        struct object *lane = lanes->lanes[i].object;
        const struct native_stream *stream = &lane->stream->functions;
        ended = is_quiet(stream) && is_plain(lane) && (rests(queue, (int)i) || (is_open(stream) && wait_for_end(lane)));
    }
    return ended;
}

int lanes_rest(struct object *queue)
{
    struct lanes *lanes = __atomic_load_n(&queue->stream->lanes, __ATOMIC_ACQUIRE);
    int rest = are_all(lanes) && !needs_python(lanes) && !__atomic_load_n(&queue->waiting, __ATOMIC_ACQUIRE)
        && __atomic_load_n(&queue->users, __ATOMIC_ACQUIRE) == 1 + lanes->count;
    for (uint32_t i = 0; rest && i < lanes->count; i++)
        rest = queue_rests(lanes->lanes[i].object);
    for (uint32_t i = 0; rest && i < lanes->count; i++)
        __atomic_store_n(&lanes->lanes[i].object->stream->native[BEHIND], seen(lanes->lanes[0].object, LAST_BARRIER), __ATOMIC_RELEASE);
    return rest;
}

/* As finish_queue: without Python as long as that has left nothing to do. */
int32_t finish_lanes(struct entry *entry, struct object *queue)
{
    const word words[] = { (word)queue };
    struct lanes *lanes = __atomic_load_n(&queue->stream->lanes, __ATOMIC_ACQUIRE);
    uint32_t count = lanes ? __atomic_load_n(&lanes->count, __ATOMIC_ACQUIRE) : 0;
    uint64_t commands[MOST_STREAMS], last = count ? seen(lanes->lanes[0].object, LAST_BARRIER) : 0;
    uint64_t entries = __atomic_load_n(&python_entries, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        commands[i] = seen(lanes->lanes[i].object, NATIVE);
    int is_settled = count && __atomic_load_n(&queue->settled, __ATOMIC_RELAXED) == entries && have_ended(queue, lanes, count);
    int32_t status = is_settled ? SUCCESS : (int32_t)answer(entry, words);
    if (status == SUCCESS)
        note_finish(lanes, count, commands, last);
    if (status == SUCCESS && !is_settled && count && seen(lanes->lanes[0].object, SETTLED))
        __atomic_store_n(&queue->settled, entries + 1, __ATOMIC_RELAXED);
    return status;
}
