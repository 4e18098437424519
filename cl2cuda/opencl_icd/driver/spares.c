#include "spares.h"

#include "answers.h"
#include "commands.h"
#include "held.h"
#include "lanes.h"
#include "maps.h"

PyObject *buffers_may_return;

enum { MOST_SPARES = 16 };

/* Commands that still run may use what a released buffer was. So all have to come before those of the buffer that it becomes, as in a
   context with one queue that is in order; and Python must not know the buffer otherwise than by having made it: then nothing of the old
   one, such as a callback, a part or a mapped region, is left. */
static int may_return(struct object *buffer)
{
    struct object *context = buffer->parent;
    int state;
    if (!is_object(context, CONTEXT) || !buffer->began_bare || !buffer->core || buffer->is_shared || buffer->destructors
        || !buffer->memory.address || buffer->memory.flags & MEM_COPY_HOST_PTR /* which nobody asks for without contents */
        || !leaves_no_map(buffer))
        return 0;
    if (__atomic_load_n(&context->spares.use, __ATOMIC_ACQUIRE) == NOT_ASKED && python_enter(&state)) {
        PyObject *answer = py.PyObject_CallFunction(buffers_may_return, "O", context->core);
        uint32_t use = answer && py.PyLong_AsUnsignedLongLongMask(answer) ? IN_USE : ENDED, before = NOT_ASKED;
        if (answer)
            py.Py_DecRef(answer);
        else
            drop_exception(1);
        __atomic_compare_exchange_n(&context->spares.use, &before, use, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
        python_leave(state);
    }
    return __atomic_load_n(&context->spares.use, __ATOMIC_ACQUIRE) == IN_USE;
}

/* Whether there are any is looked at without the lock. */
void put_among(struct spares *spares, struct object *object)
{
    object->next = spares->first;
    __atomic_store_n(&spares->first, object, __ATOMIC_RELAXED);
    spares->count++;
}

struct object *take_from(struct spares *spares, struct object **place)
{
    struct object *taken = *place;
    if (taken) {
        __atomic_store_n(place, taken->next, __ATOMIC_RELAXED);
        spares->count--;
    }
    return taken;
}

struct object *take_oldest_from(struct spares *spares)
{
    struct object **place = &spares->first;
    while ((*place)->next)
        place = &(*place)->next;
    return take_from(spares, place);
}

int keep_spare(struct object *buffer)
{
    if (any_held() || !may_return(buffer)) /* What is held back may use it. */
        return 0;
    struct spares *spares = &buffer->parent->spares;
    hold_objects();
    int room = spares->use == IN_USE && spares->count < MOST_SPARES;
    if (room) {
        forget_answers(buffer);
        put_among(spares, buffer);
    }
    let_objects_go();
    return room;
}

struct object *take_spare(struct object *context, uint64_t flags, size_t size)
{
    struct spares *spares = &context->spares;
    if (!__atomic_load_n(&spares->first, __ATOMIC_RELAXED))
        return NULL;
    hold_objects();
    struct object **place = &spares->first;
    while (*place && ((*place)->memory.flags != flags || (*place)->memory.size != size))
        place = &(*place)->next;
    struct object *found = take_from(spares, place);
    if (found)
        found->references = found->ends_after = 1;
    let_objects_go();
    return found;
}

/* Ends what is kept, and has no more kept. */
static void end_all(struct spares *kept, enum kind kind)
{
    hold_objects();
    struct object *list = kept->first;
    __atomic_store_n(&kept->first, NULL, __ATOMIC_RELAXED);
    kept->count = 0;
    __atomic_store_n(&kept->use, ENDED, __ATOMIC_RELEASE);
    for (struct object *each = list; each; each = each->next)
        each->kind = kind;
    let_objects_go();
    while (list) {
        struct object *next = list->next;
        end_object(list);
        list = next;
    }
}

void end_spares(struct object *context)
{
    end_all(&context->spares, MEMORY);
}

int queue_rests(struct object *queue)
{
    const struct native_stream *stream = queue->stream ? &queue->stream->functions : NULL;
    return is_plain(queue) && __atomic_load_n(&queue->users, __ATOMIC_ACQUIRE) == 1 && is_quiet(stream) && is_open(stream)
        && (is_idle(queue) || !ask_for_end(queue));
}

/* Python has not been given the queue but by calls that leave nothing with it. */
static int queue_may_return(struct object *queue)
{
    return queue->description && queue->core && !queue->is_shared && queue->stream && !any_held()
        && (queue->stream->has_lanes ? lanes_rest(queue) : queue_rests(queue));
}

int keep_queue(struct object *queue)
{
    enum { MOST_QUEUES = 8 };
    struct spares *kept = is_object(queue->parent, CONTEXT) ? &queue->parent->released_queues : NULL;
    if (!kept || !queue_may_return(queue))
        return 0;
    hold_objects();
    int room = kept->use != ENDED && kept->count < MOST_QUEUES;
    if (room) {
        forget_answers(queue);
        queue->kind = NO_OBJECT;
        put_among(kept, queue);
    }
    let_objects_go();
    return room;
}

struct object *take_queue(struct object *context, const struct description *description)
{
    struct spares *kept = &context->released_queues;
    if (!__atomic_load_n(&kept->first, __ATOMIC_RELAXED))
        return NULL;
    hold_objects();
    struct object **place = &kept->first;
    while (*place && (*place)->description != description)
        place = &(*place)->next;
    struct object *queue = take_from(kept, place);
    if (queue) {
        queue->kind = QUEUE;
        queue->references = 1;
    }
    let_objects_go();
    return queue;
}

void end_queues(struct object *context)
{
    end_all(&context->released_queues, QUEUE);
}

void note_new_queue(struct object *context)
{
    if (is_object(context, CONTEXT) && __atomic_fetch_add(&context->spares.queues, 1, __ATOMIC_RELAXED))
        end_spares(context);
}
