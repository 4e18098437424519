/* One stream waits for another by a CUDA event, which each has one of: whoever waits for it waits for what was recorded last at that time, so
   it can be recorded anew at once (as runtime/native/order.c does it). */
#include "order.h"

#include "commands.h"

PyObject *mark_of;

/* How many later commands may be waited for in vain, as in runtime.queue.stream_timeline: of more, Python sees to it that there are fences. */
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

/* Whether all of the library's commands up to the number stand before the stream's mark. */
static int is_marked(struct object *queue, uint64_t number, void *mark)
{
    const struct native_stream *stream = &queue->stream->functions;
    if (__atomic_load_n(&queue->stream->marked, __ATOMIC_ACQUIRE) >= number)
        return 1;
    uint64_t given = seen(queue, NATIVE);
    if (((record_event *)(uintptr_t)stream->record)(mark, handle_of(stream)))
        return 0;
    raise_word(&queue->stream->marked, given);
    return 1;
}

int come_after(const struct object *queue, const struct object *event)
{
    struct object *other = event->parent;
    void *mark;
    if (!is_plain(other) || other->context != queue->context)
        return 0;
    if (has_ended(event))
        return 1;
    const struct native_stream *stream = &queue->stream->functions, *before = &other->stream->functions;
    if (!stream->wait || !before->record || before->context != stream->context || seen(other, NATIVE) > event->number + LATE || !is_open(stream)
        || !(mark = find_mark(other)) || !is_marked(other, event->number, mark))
        return 0;
    return !((wait_for_event *)(uintptr_t)stream->wait)(handle_of(stream), mark, 0);
}
