#include "objects.h"

#include "answers.h"
#include "arguments.h"
#include "commands.h"
#include "descriptions.h"
#include "destructors.h"
#include "held.h"
#include "kernels.h"
#include "lanes.h"
#include "launches.h"
#include "maps.h"
#include "programs.h"
#include "spares.h"
#include "svm.h"
#include "times.h"
#include "user_events.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

void *loader_data;
struct object *platform_object;
PyObject *last_release, *flush_of, *event_of, *buffer_of, *part_of;

enum { BATCH = 128, MOST_DROPPED = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct batch {
    struct batch *next;
    struct object objects[BATCH];
} *batches;
static struct object *unused, *dropped;
static uint32_t dropped_count;
static PyObject *by_core; /* the object's address by the core's */

void hold_objects(void)
{
    pthread_mutex_lock(&lock);
}

void let_objects_go(void)
{
    pthread_mutex_unlock(&lock);
}

void begin_objects_anew(void)
{
    for (struct batch *batch = batches; batch; batch = batch->next)
        for (int i = 0; i < BATCH; i++) {
            struct object *object = &batch->objects[i];
            if (object->kind == QUEUE && object->stream)
                begin_lanes_anew(object->stream);
            if (object->kind == KERNEL)
                begin_plans_anew(object);
            if (object->kind == CONTEXT)
                begin_sharing_anew(object);
            if (object->kind == MEMORY)
                begin_maps_anew(object);
        }
}

/* The one given back last, which needs no lock to be taken. */
static struct object *at_hand;

static struct object *take_unused(void)
{
    struct object *last = __atomic_load_n(&at_hand, __ATOMIC_RELAXED) ? __atomic_exchange_n(&at_hand, NULL, __ATOMIC_ACQUIRE) : NULL;
    if (last)
        return last;
    pthread_mutex_lock(&lock);
    if (!unused) {
        struct batch *batch = calloc(1, sizeof *batch);
        for (int i = 0; batch && i < BATCH; i++) {
            batch->objects[i].next = unused;
            unused = &batch->objects[i];
        }
        if (batch) {
            batch->next = batches;
            batches = batch;
        }
    }
    struct object *object = unused;
    if (object)
        unused = object->next;
    pthread_mutex_unlock(&lock);
    return object;
}

static void give_back(struct object *object)
{
    object->kind = NO_OBJECT;
    if (!__atomic_load_n(&at_hand, __ATOMIC_RELAXED) && !(object = __atomic_exchange_n(&at_hand, object, __ATOMIC_ACQ_REL)))
        return;
    pthread_mutex_lock(&lock);
    object->next = unused;
    unused = object;
    pthread_mutex_unlock(&lock);
}

/* Queries give no events, which are made most often, and no lanes: they are not noted. */
static int is_noted(enum kind kind)
{
    return kind != EVENT && kind != LANE;
}

static int note(struct object *object)
{
    if (!by_core && !(by_core = py.PyDict_New()))
        return 0;
    PyObject *key = py.PyLong_FromVoidPtr(object->core), *value = py.PyLong_FromVoidPtr(object);
    int done = key && value && !py.PyDict_SetItem(by_core, key, value);
    if (key)
        py.Py_DecRef(key);
    if (value)
        py.Py_DecRef(value);
    return done;
}

static void forget(struct object *object)
{
    PyObject *key = py.PyLong_FromVoidPtr(object->core);
    if (!key || py.PyDict_DelItem(by_core, key))
        py.PyErr_Clear();
    if (key)
        py.Py_DecRef(key);
}

static struct object *context_of(struct object *parent)
{
    return is_object(parent, CONTEXT) ? parent : parent ? parent->context : NULL;
}

/* An object of which nothing is known but this. Compilers clear so many bytes by an instruction that takes longer than the library's
   function: they are not to know the number. */
static void begin_object(struct object *object, enum kind kind, struct object *parent)
{
    struct object *context = context_of(parent);
    size_t size = sizeof *object;
    __asm__("" : "+r"(size));
    memset(object, 0, size);
    object->dispatch = dispatch_table;
    object->loader_data = loader_data;
    object->kind = kind;
    object->references = object->users = object->counted = object->ends_after = 1;
    object->parent = parent;
    object->context = context;
}

struct object *new_object(PyObject *core, enum kind kind, struct object *parent)
{
    struct object *object = take_unused();
    if (!object)
        return NULL;
    begin_object(object, kind, parent);
    object->core = core;
    if (is_noted(kind) && !note(object)) {
        py.PyErr_Clear();
        give_back(object);
        return NULL;
    }
    py.Py_IncRef(core);
    if (parent)
        __atomic_add_fetch(&parent->users, 1, __ATOMIC_RELAXED);
    return object;
}

static struct object *new_bare(enum kind kind, struct object *parent)
{
    struct object *object = take_unused();
    if (!object)
        return NULL;
    begin_object(object, kind, parent);
    __atomic_add_fetch(&parent->users, 1, __ATOMIC_RELAXED);
    return object;
}

/* With a copy of so many bytes, if there are any. */
static struct object *new_bare_with(enum kind kind, struct object *parent, const void *first, size_t size)
{
    void *copy = first ? malloc(size) : NULL;
    struct object *object = first && !copy ? NULL : new_bare(kind, parent);
    if (!object) {
        free(copy);
        return NULL;
    }
    if (copy)
        memcpy(copy, first, size);
    object->first = copy;
    return object;
}

struct object *new_described(struct object *parent, const struct description *description, const void *first)
{
    const size_t size = description->first_size;
    struct object *object = new_bare_with((enum kind)description->entry->returns, parent, size ? first : NULL, size);
    if (!object)
        return NULL;
    object->description = description;
    if (is_part(object))
        __atomic_add_fetch(&parent->ends_after, 1, __ATOMIC_RELAXED);
    return object;
}

struct object *new_bare_program(struct object *context, char *source, size_t size)
{
    struct object *object = new_bare(PROGRAM, context);
    if (object) {
        object->first = source;
        object->memory.size = size;
    }
    return object;
}

struct object *new_bare_event(struct object *queue, uint64_t number, uint32_t command)
{
    struct object *object = new_bare(EVENT, queue);
    if (object) {
        object->number = number;
        object->command = command;
    }
    return object;
}

struct object *new_bare_buffer(struct object *context, uint64_t flags, size_t size, const void *first)
{
    struct object *object = new_bare_with(MEMORY, context, first, size);
    if (object) {
        object->memory = (struct memory){ .size = size, .flags = flags };
        object->whole = (struct whole){ .size = size, .flags = flags };
        object->began_bare = 1;
        object->may_be_written = 1;
    }
    return object;
}

struct object *new_bare_part(struct object *buffer, uint64_t flags, uint64_t offset, size_t size)
{
    struct object *object = new_bare(MEMORY, buffer);
    if (object) {
        object->memory = (struct memory){ .size = size, .flags = flags };
        object->number = offset;
        object->began_bare = 1;
        object->may_be_written = 1;
        __atomic_add_fetch(&buffer->ends_after, 1, __ATOMIC_RELAXED);
    }
    return object;
}

static PyObject *make_core(struct object *object)
{
    const struct memory *memory = &object->memory;
    struct object *parent = object->parent;
    if (object->times)
        return timed_core(object);
    if (is_bare_user_event(object))
        return user_event_core(object);
    if (object->kind == EVENT)
        return py.PyObject_CallFunction(event_of, "OKI", parent->core, (unsigned long long)object->number, object->command);
    if (object->description)
        return described_core(object);
    if (is_part(object))
        return core_of(parent) ? py.PyObject_CallFunction(part_of, "OKKK", parent->core, (unsigned long long)memory->flags,
                                                          (unsigned long long)object->number, (unsigned long long)memory->size) : NULL;
    PyObject *first = object->first ? py.PyBytes_FromStringAndSize(object->first, (Py_ssize_t)memory->size) : NULL;
    if (object->first && !first)
        return NULL;
    PyObject *made = object->kind == PROGRAM ? py.PyObject_CallFunction(program_of, "OO", parent->core, first)
        : py.PyObject_CallFunction(buffer_of, "OKKO", parent->core, (unsigned long long)memory->flags, (unsigned long long)memory->size,
                                   first ? first : py.none);
    if (first)
        py.Py_DecRef(first);
    return made;
}

static void forget_first(struct object *object)
{
    free(object->first);
    object->first = NULL;
}

PyObject *core_of(struct object *object)
{
    object->is_shared = 1;
    if (object->kind == KERNEL)
        tell_arguments(object);
    if (object->kind == PROGRAM)
        end_kernels(object, 0);
    if (object->kind == MEMORY)
        tell_region(object);
    return made_core(object);
}

static void after_references(struct object *object, enum kind kind);

/* A part of a memory object is one that Python does not have to hear of any more. */
static void leave_whole(struct object *whole)
{
    if (!__atomic_sub_fetch(&whole->ends_after, 1, __ATOMIC_ACQ_REL))
        after_references(whole, MEMORY);
}

/* With Python's lock, by the one thread whose core it is. */
static void after_making(struct object *object, struct stream *stream)
{
    forget_first(object);
    if (object->kind == QUEUE)
        __atomic_store_n(&object->stream, stream, __ATOMIC_RELEASE);
    if (is_part(object))
        leave_whole(object->parent);
}

PyObject *made_core(struct object *object)
{
    if (__atomic_load_n(&object->waits, __ATOMIC_ACQUIRE))
        tell_held();
    if (object->core)
        return object->core;
    PyObject *made = make_core(object);
    if (!made && object->core) /* Another thread was quicker, and the whole of a part has ended with that. */
        drop_exception(0);
    if (!made)
        return object->core;
    struct object found = { .core = made };
    if (object->kind == QUEUE)
        find_native(&found);
    if (object->core) { /* Another thread was quicker. */
        free(found.stream);
        py.Py_DecRef(made);
        return object->core;
    }
    __atomic_store_n(&object->core, made, __ATOMIC_RELAXED);
    if (is_noted((enum kind)object->kind) && !note(object)) {
        __atomic_store_n(&object->core, NULL, __ATOMIC_RELAXED);
        free(found.stream);
        py.Py_DecRef(made);
    }
    if (object->core)
        after_making(object, found.stream);
    return object->core;
}

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
    forget_first(object);
    give_back(object);
    if (whole)
        leave_whole(whole);
    return 1;
}

static struct object *known_object(PyObject *core)
{
    PyObject *key = py.PyLong_FromVoidPtr(core);
    PyObject *known = key && by_core ? py.PyDict_GetItemWithError(by_core, key) : NULL;
    struct object *object = known ? (struct object *)(uintptr_t)py.PyLong_AsUnsignedLongLongMask(known) : NULL;
    if (key)
        py.Py_DecRef(key);
    return object;
}

struct object *created_again(PyObject *core)
{
    struct object *object = known_object(core);
    uint32_t now = object ? __atomic_load_n(&object->references, __ATOMIC_RELAXED) : 0;
    do {
        if (!now)
            return NULL;
    } while (!__atomic_compare_exchange_n(&object->references, &now, now + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return object;
}

struct object *object_of(PyObject *core, enum kind kind)
{
    struct object *object = known_object(core);
    if (object)
        return object;
    object = new_object(core, kind, NULL);
    if (object) {
        object->references = 0;
        object->awaits_reference = 1;
    }
    return object;
}

void drop_object(struct object *object)
{
    while (object && __atomic_sub_fetch(&object->users, 1, __ATOMIC_ACQ_REL) == 0) {
        struct object *parent = object->parent;
        PyObject *core = object->core;
        if (core && is_noted((enum kind)object->kind))
            forget(object);
        drop_times(object);
        drop_timing(object);
        free(object->arguments);
        free_lanes(object->stream);
        free(object->contents);
        free(object->sharing);
        free(object->stream);
        drop_plans(object);
        forget_answers(object);
        forget_first(object);
        if (object->kind == CONTEXT)
            forget_descriptions(object);
        give_back(object);
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
    pthread_mutex_lock(&lock);
    struct object *list = dropped;
    dropped = NULL;
    __atomic_store_n(&dropped_count, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    while (list) {
        struct object *next = list->next;
        drop_object(list);
        list = next;
    }
}

/* "After the reference count becomes zero and all the objects attached to context are released, the context is deleted": until then those
   tell which it is, and it may be retained, as a program of a kernel may, or a queue of an event. What a memory object had is given back with
   the last reference: such a one stays as long as its parts. */
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
    pthread_mutex_lock(&lock);
    int room = dropped_count < MOST_DROPPED;
    if (room) {
        object->next = dropped;
        dropped = object;
        __atomic_store_n(&dropped_count, dropped_count + 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
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

/* What comes after the last reference, and the last part that Python has not heard of. */
static void after_references(struct object *object, enum kind kind)
{
    int state;
    if (object->kind != (uint32_t)kind) /* Of others callbacks may be asking. */
        object->kind = kind;
    if (kind == EVENT)
        leave_gate(object);
    if (!object->core)
        call_destructors(object);
    if ((!object->core && drop_bare(object)) || (kind == EVENT && drop_later(object))
        || (kind == MEMORY && keep_spare(object)) || (kind == KERNEL && !(object = kernel_to_end(object))))
        return;
    if (!python_enter(&state))
        return; /* The process is ending, and takes everything with it. */
    tell_held();
    drop_released();
    if (kind == CONTEXT)
        end_spares(object);
    if (kind == PROGRAM)
        end_kernels(object, 1);
    end_object(object);
    python_leave(state);
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
            object->kind = NO_OBJECT;
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
