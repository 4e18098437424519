/* One stream waits for another by a CUDA event, which each has one of: whoever waits for it waits for what was recorded last at that time,
   so it can be recorded anew at once (as runtime/native/order.c does it). */
#include "order.h"

#include "commands.h"

PyObject *mark_of;

/* How many later commands may be waited for in vain, as in runtime.queue.stream_timeline: of more, Python sees to it that there are
   fences. */
enum { LATE = 4 };

typedef int wait_for_event(void *stream, void *event, unsigned flags);

/* The stream's own event, which Python makes. */
static void *find_mark(struct object *queue)
{
    void *mark = __atomic_load_n(&queue->stream->mark, __ATOMIC_ACQUIRE);
    int state;
    if (mark || !python_enter(&state))
        return mark;
    PyObject *made = py.PyObject_CallFunction(mark_of, "O", queue->core);
    if (made) {
        mark = (void *)(uintptr_t)py.PyLong_AsUnsignedLongLongMask(made);
        __atomic_store_n(&queue->stream->mark, mark, __ATOMIC_RELEASE);
        py.Py_DecRef(made);
    } else {
        drop_exception(0); /* Python's own way with the command says what is wrong. */
    }
    python_leave(state);
    return mark;
}

/* Has the stream's mark stand behind all that it was given. */
static int put_mark(struct object *queue, void *mark)
{
    const struct native_stream *stream = &queue->stream->functions;
    uint64_t given = seen(queue, NATIVE);
    if (((record_event *)(uintptr_t)stream->record)(mark, handle_of(stream)))
        return 0;
    raise_word(&queue->stream->marked, given);
    return 1;
}

/* Whether all of the library's commands up to the number stand before the stream's mark, and have since that was recorded. */
static int is_marked(const struct object *queue, uint64_t number)
{
    return __atomic_load_n(&queue->stream->marked, __ATOMIC_ACQUIRE) >= number;
}

/* The mark that the stream may wait for; NULL where that is Python's. */
static void *mark_for(const struct object *queue, struct object *other)
{
    const struct native_stream *stream = &queue->stream->functions, *before = &other->stream->functions;
    return stream->wait && before->record && before->context == stream->context && is_open(stream) ? find_mark(other) : NULL;
}

static int wait_for_mark(const struct object *queue, void *mark)
{
    const struct native_stream *stream = &queue->stream->functions;
    return !((wait_for_event *)(uintptr_t)stream->wait)(handle_of(stream), mark, 0);
}

int come_after_command(const struct object *queue, struct object *other, uint64_t number)
{
    void *mark;
    if (!is_plain_beside_held(other)) /* What that holds back comes later. */
        return 0;
    if (seen(other, NATIVE_ENDED) >= number)
        return 1;
    return (mark = mark_for(queue, other)) && (is_marked(other, number) || put_mark(other, mark)) && wait_for_mark(queue, mark);
}

int come_after_queue(const struct object *queue, struct object *other)
{
    void *mark = is_plain(other) ? mark_for(queue, other) : NULL;
    return mark && put_mark(other, mark) && wait_for_mark(queue, mark);
}

void mark_place(struct object *queue)
{
    void *mark = mark_for(queue, queue);
    if (mark)
        put_mark(queue, mark);
}

int come_after(const struct object *queue, const struct object *event)
{
    struct object *other = event->parent;
    if (other->context != queue->context || (seen(other, NATIVE) > event->number + LATE && !has_ended(event)))
        return 0;
    return come_after_command(queue, other, event->number);
}
