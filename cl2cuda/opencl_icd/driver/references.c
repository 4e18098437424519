/* References to objects, and their end: what Python has never heard of goes at once, what is its own with its lock. */
#include "objects.h"

#include "answers.h"
#include "arrays.h"
#include "commands.h"
#include "descriptions.h"
#include "destructors.h"
#include "held.h"
#include "kernels.h"
#include "lanes.h"
#include "launches.h"
#include "origins.h"
#include "spares.h"
#include "times.h"
#include "user_events.h"

#include <stdlib.h>

PyObject *last_release, *flush_of;

/* Events that wait for the next call that enters Python: with the lock of the objects' lists. */
enum { MOST_DROPPED = 64 };
static struct object *dropped;
static uint32_t dropped_count;

/* The end of what Python has never heard of; 0 where what it was made from would go with it. */
static int drop_bare(struct object *object)
{
    leave_held(object);
    if (object->times)
        give_times(object->parent, object->times);
    object->times = NULL;
    uint32_t users = object->core ? 0 : __atomic_load_n(&object->parent->users, __ATOMIC_RELAXED);
    do {
        if (users < 2)
            return 0;
    } while (!__atomic_compare_exchange_n(&object->parent->users, &users, users - 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    struct object *whole = is_part(object) ? object->parent : NULL;
    free(object->contents);
    forget_first_contents(object);
    if (object->kind == PROGRAM)
        forget_origin(object);
    give_object_back(object);
    if (whole)
        leave_whole(whole);
    return 1;
}

void drop_object(struct object *object)
{
    while (object && __atomic_sub_fetch(&object->users, 1, __ATOMIC_ACQ_REL) == 0) {
        struct object *parent = object->parent;
        PyObject *core = object->core;
        if (core && is_noted((enum kind)object->kind))
            forget_core(object);
        drop_times(object);
        drop_timing(object);
        free(object->arguments);
        free_lanes(object->stream);
        free(object->contents);
        free(object->array);
        free(object->sharing);
        free(object->stream);
        drop_plans(object);
        forget_answers(object);
        forget_first_contents(object);
        if (object->kind == CONTEXT)
            forget_descriptions(object);
        if (object->kind == PROGRAM)
            forget_origin(object);
        give_object_back(object);
        if (core)
            py.Py_DecRef(core);
        object = parent;
    }
}

/* With Python's lock. */
static void tell(PyObject *function, struct object *object)
{
    PyObject *done = py.PyObject_CallFunction(function, "O", object->core);
    if (done)
        py.Py_DecRef(done);
    else
        drop_exception(1);
}

void end_object(struct object *object)
{
    if (object->core)
        tell_destructors(object);
    if (object->kind != EVENT && object->core)
        tell(last_release, object);
    if (object->kind == QUEUE)
        leave_lanes(object->stream);
    drop_object(object);
}

void drop_released(void)
{
    drop_bases();
    if (!__atomic_load_n(&dropped_count, __ATOMIC_RELAXED))
        return;
    hold_objects();
    struct object *list = dropped;
    dropped = NULL;
    __atomic_store_n(&dropped_count, 0, __ATOMIC_RELAXED);
    let_objects_go();
    while (list) {
        struct object *next = list->next;
        drop_object(list);
        list = next;
    }
}

/* "After the reference count becomes zero and all the objects attached to context are released, the context is deleted": until then
   those tell which it is, and it may be retained, as a program of a kernel may, or a queue of an event. What a memory object had is
   given back with the last reference: such a one stays as long as its parts. */
static void refer_again(struct object *object, enum kind kind)
{
    if (kind != MEMORY && !__atomic_exchange_n(&object->awaits_reference, 0, __ATOMIC_ACQ_REL))
        __atomic_add_fetch(&object->users, 1, __ATOMIC_ACQ_REL);
}

int retain_object(struct object *object, enum kind kind)
{
    if (!is_object(object, kind))
        return -1;
    if (object->counted && !__atomic_fetch_add(&object->references, 1, __ATOMIC_ACQ_REL))
        refer_again(object, kind);
    return 0;
}

/* What an event owns is little and its end is nobody's business: it waits for the next call that enters Python. */
static int drop_later(struct object *object)
{
    hold_objects();
    int room = dropped_count < MOST_DROPPED;
    if (room) {
        object->next = dropped;
        dropped = object;
        __atomic_store_n(&dropped_count, dropped_count + 1, __ATOMIC_RELAXED);
    }
    let_objects_go();
    return room;
}

/* "clReleaseCommandQueue performs an implicit flush": each call. The last one's is `last_release`'s. */
static void flush(struct object *queue)
{
    int state;
    if (!needs_flush(queue) || !python_enter(&state))
        return;
    tell(flush_of, queue);
    python_leave(state);
}

/* Of an image that Python has not heard of and is to see to. */
static void make_core_first(struct object *image)
{
    int state;
    if (!python_enter(&state))
        return;
    if (!made_core(image))
        drop_exception(1);
    python_leave(state);
}

/* What comes after the last reference, and the last part that Python has not heard of. */
static void after_references(struct object *object, enum kind kind)
{
    int state;
    if (object->kind != (uint32_t)kind) /* Of others callbacks may be asking. */
        __atomic_store_n(&object->kind, kind, __ATOMIC_RELAXED);
    if (kind == EVENT) {
        leave_gate(object);
        if (is_left_to_be_set(object))
            return;
    }
    if (kind == MEMORY && !object->core && !leave_array(object))
        make_core_first(object);
    if (!object->core)
        call_destructors(object);
    if ((!object->core && drop_bare(object)) || (kind == EVENT && drop_later(object))
        || (kind == MEMORY && keep_spare(object)) || (kind == QUEUE && keep_queue(object))
        || (kind == KERNEL && !(object = kernel_to_end(object))) || (kind == PROGRAM && !(object = program_to_end(object))))
        return;
    if (!python_enter(&state))
        return; /* The process is ending, and takes everything with it. */
    tell_held();
    drop_released();
    if (kind == CONTEXT) {
        tell_of_left_arrays(object);
        end_spares(object);
        end_queues(object);
        end_programs(object);
    }
    if (kind == PROGRAM)
        end_kernels(object, 1);
    end_object(object);
    python_leave(state);
}

void leave_whole(struct object *whole)
{
    if (!__atomic_sub_fetch(&whole->ends_after, 1, __ATOMIC_ACQ_REL))
        after_references(whole, MEMORY);
}

/* What comes after the end of one reference, of which there were `before`. What waits for its parts is no object for the application. */
static void after_release(struct object *object, enum kind kind, uint32_t before)
{
    if (before > 1)
        return;
    if (kind == MEMORY) {
        uint32_t parts = __atomic_load_n(&object->ends_after, __ATOMIC_ACQUIRE);
        if (!parts)
            return; /* It has ended before, and was retained since. */
        if (parts > 1)
            __atomic_store_n(&object->kind, NO_OBJECT, __ATOMIC_RELAXED);
        if (__atomic_sub_fetch(&object->ends_after, 1, __ATOMIC_ACQ_REL))
            return;
    }
    after_references(object, kind);
}

int release_object(struct object *object, enum kind kind)
{
    if (!is_object(object, kind))
        return -1;
    if (!object->counted)
        return 0;
    uint32_t held = __atomic_load_n(&object->held, __ATOMIC_RELAXED), now = __atomic_load_n(&object->references, __ATOMIC_RELAXED);
    if (kind == QUEUE && now > held && now > 1)
        flush(object);
    do {
        if (now <= __atomic_load_n(&object->held, __ATOMIC_RELAXED))
            return -1;
    } while (!__atomic_compare_exchange_n(&object->references, &now, now - 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    after_release(object, kind, now);
    return 0;
}

struct object *hold_object(PyObject *core)
{
    struct object *object = created_again(core);
    if (object)
        __atomic_add_fetch(&object->held, 1, __ATOMIC_RELAXED);
    return object;
}

void hold_by_callback(struct object *event)
{
    __atomic_add_fetch(&event->references, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&event->held, 1, __ATOMIC_RELAXED);
}

PyObject *hold_event(PyObject *self, PyObject *arguments)
{
    struct object *event;
    (void)self;
    if (!take_object(arguments, &event))
        return NULL;
    hold_by_callback(event);
    return new_reference(py.none);
}

void let_go_of(struct object *object)
{
    enum kind kind = (enum kind)object->kind; /* Once the reference has ended, another thread may end the object. */
    __atomic_sub_fetch(&object->held, 1, __ATOMIC_RELAXED);
    after_release(object, kind, __atomic_fetch_sub(&object->references, 1, __ATOMIC_ACQ_REL));
}
