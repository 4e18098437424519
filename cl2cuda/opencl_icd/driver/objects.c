/* The memory of objects, what they begin with, and how they are found by their cores. */
#include "objects.h"

#include "arrays.h"
#include "descriptions.h"
#include "lanes.h"
#include "launches.h"
#include "maps.h"
#include "svm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

void *loader_data;
struct object *platform_object;

enum { BATCH = 128 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct batch {
    struct batch *next;
    struct object objects[BATCH];
} *batches;
static struct object *unused;
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
    begin_arrays_anew();
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

void give_object_back(struct object *object)
{
    object->kind = NO_OBJECT;
    if (!__atomic_load_n(&at_hand, __ATOMIC_RELAXED) && !(object = __atomic_exchange_n(&at_hand, object, __ATOMIC_ACQ_REL)))
        return;
    pthread_mutex_lock(&lock);
    object->next = unused;
    unused = object;
    pthread_mutex_unlock(&lock);
}

int note_core(struct object *object)
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

void forget_core(struct object *object)
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
    if (is_noted(kind) && !note_core(object)) {
        py.PyErr_Clear();
        give_object_back(object);
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

struct object *new_described(struct object *parent, const struct description *description, const void *first, size_t size)
{
    struct object *object = new_bare_with((enum kind)description->entry->returns, parent, size ? first : NULL, size);
    if (!object)
        return NULL;
    object->description = description;
    if (is_part(object))
        __atomic_add_fetch(&parent->ends_after, 1, __ATOMIC_RELAXED);
    return object;
}

struct object *new_bare_program(struct object *context, struct origin *origin)
{
    struct object *object = new_bare(PROGRAM, context);
    if (object)
        object->builds.origin = origin;
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

const void *read_first_contents(struct object *object)
{
    const void *first = NULL;
    if (!__atomic_load_n(&object->first, __ATOMIC_RELAXED))
        return NULL;
    hold_objects();
    if (object->first && !object->is_first_left) {
        first = object->first;
        object->first_readers++;
    }
    let_objects_go();
    return first;
}

/* With the lock: what is to be freed without it. */
static void *take_first_contents(struct object *object)
{
    void *first = object->is_first_left && !object->first_readers ? object->first : NULL;
    if (first)
        __atomic_store_n(&object->first, NULL, __ATOMIC_RELAXED);
    return first;
}

void leave_first_contents(struct object *object, const void *first)
{
    if (!first)
        return;
    hold_objects();
    object->first_readers--;
    void *unneeded = take_first_contents(object);
    let_objects_go();
    free(unneeded);
}

void forget_first_contents(struct object *object)
{
    if (!__atomic_load_n(&object->first, __ATOMIC_RELAXED))
        return;
    hold_objects();
    object->is_first_left = 1;
    void *unneeded = take_first_contents(object);
    let_objects_go();
    free(unneeded);
}
