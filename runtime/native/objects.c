/* Buffers without Python's own steps: made of flags, a size and perhaps first contents, or as part of another one, and released, as the
   PyOpenCL face and memory/buffer.py do it; and images released. Whatever is out of the ordinary is left to them, before anything is
   done. */
#include "calls.h"
#include "helpers.h"

/* cl_mem_flags, and the largest first contents that may go to a queue in order (memory/buffer.py, which a test compares). */
enum { MEM_ACCESS = 7, MEM_HOST_ACCESS = 7 << 7, MEM_READ_WRITE = 1, FILLED_IN_ORDER = 64 << 10 };

#define DEFINE(name) static PyObject *name_##name;
#define OBJECT_NAMES(N) \
    N(_reusable) N(_released) N(_life) N(_parents_life) N(_part_in_python) \
    N(pressing) N(largest_bare) N(first) N(parent) N(life) N(host) N(reclaim_much) \
    N(_elements) N(arguments) N(_snapshots) N(take)
OBJECT_NAMES(DEFINE)

/* The face's buffer. */
static PyObject *face_class;

static inline int is_of(PyObject *object, PyObject *type)
{
    return object && (void *)object->type == (void *)type;
}

long long number_in(PyObject *object)
{
    long long number = is_int(object) ? PyLong_AsLongLong(object) : -1;
    forget_error();
    return number;
}

static inline int at_most_one(uint64_t bits)
{
    return !(bits & (bits - 1));
}

int presses(PyObject *context)
{
    PyObject *reclaimer = get(context, name__reclaimer);
    int calm = reclaimer && is(reclaimer, name_pressing, FALSE_);
    drop(reclaimer);
    return !calm;
}

/* Whether the context has no queue that first contents could go to in order. */
static int has_no_order(PyObject *context)
{
    PyObject *reusable = get(context, name__reusable);
    int none = reusable && is(reusable, name_queue, NONE);
    drop(reusable);
    return none;
}

PyObject *snapshot_of(PyObject *context, const void *host, long long size)
{
    PyObject *snapshots = get(context, name__snapshots), *take = snapshots && snapshots != NONE ? get(snapshots, name_take) : NULL;
    PyObject *snapshot = take ? PyObject_CallFunction(take, "L", size) : NULL;
    uint64_t address;
    drop(take);
    drop(snapshots);
    if (!snapshot || snapshot == NONE || !read_word(snapshot, name_address, &address)) {
        drop(snapshot);
        return NULL;
    }
    PyThreadState *thread = PyEval_SaveThread();
    copy_with_helpers((void *)(uintptr_t)address, host, (size_t)size);
    PyEval_RestoreThread(thread);
    return snapshot;
}

/* What a buffer is to contain of a host object, of the size, or all of it where that is 0, which the size says then; NULL where Python is
   to look. What is little comes into an object of its own, where no queue could have it in order. */
static PyObject *contents_of(PyObject *host, PyObject *context, long long *size, uint64_t largest)
{
    Py_buffer memory;
    PyObject *contents = NULL;
    if (PyObject_GetBuffer(host, &memory, PyBUF_ANY_CONTIGUOUS))
        return NULL;
    long long wanted = *size ? *size : memory.size;
    if (wanted > 0 && wanted <= memory.size && (uint64_t)wanted <= largest)
        contents = wanted > FILLED_IN_ORDER ? snapshot_of(context, memory.memory, wanted)
            : has_no_order(context)         ? PyBytes_FromStringAndSize(memory.memory, wanted)
                                            : NULL;
    PyBuffer_Release(&memory);
    if (contents)
        *size = wanted;
    return contents;
}

/* The parameters of Buffer.__init__. */
enum { CONTEXT, FLAGS, SIZE, HOST, OF_BUFFERS };

/* The runtime's buffer; NULL where it is Python's to make. */
static PyObject *bare_buffer(PyObject *const *taken)
{
    PyObject *context = get(taken[CONTEXT], name__core), *buffer = NULL, *contents = NULL;
    long long flags = number_in(taken[FLAGS]), size = taken[SIZE] ? number_in(taken[SIZE]) : 0;
    uint64_t largest;
    int copied = taken[HOST] != NONE;
    if (!is_of(context, known.context) || flags < 0 || size < 0
        || flags & ~(MEM_ACCESS | MEM_HOST_ACCESS | MEM_ALLOC_HOST_PTR | (copied ? MEM_COPY_HOST_PTR : 0))
        || !at_most_one(flags & MEM_ACCESS) || !at_most_one(flags & MEM_HOST_ACCESS) || (copied && !(flags & MEM_COPY_HOST_PTR))
        || !read_word(context, name_largest_bare, &largest) || presses(context))
        goto done;
    if (copied && !(contents = contents_of(taken[HOST], context, &size, largest)))
        goto done;
    if (size < 1 || (uint64_t)size > largest || !(buffer = PyType_GenericAlloc((PyTypeObject *)known.buffer, 0)))
        goto done;
    PyObject *all_flags = flags ? taken[FLAGS] : PyLong_FromSsize_t(MEM_READ_WRITE);
    PyObject *whole = taken[SIZE] && size == number_in(taken[SIZE]) ? taken[SIZE] : PyLong_FromSsize_t((Py_ssize_t)size);
    if (!all_flags || !whole || !set(buffer, name_context, context) || !set(buffer, name_flags, all_flags) || !set(buffer, name_size, whole)
        || (contents && !set(buffer, name_first, contents))) {
        Py_DecRef(buffer);
        buffer = NULL;
    }
    if (all_flags != taken[FLAGS])
        drop(all_flags);
    if (whole != taken[SIZE])
        drop(whole);
done:
    drop(context);
    drop(contents);
    forget_error();
    return buffer;
}

static struct parameters of_buffer = { OF_BUFFERS, SIZE, .names = { "context", "flags", "size", "hostbuf" },
    .defaults = { [HOST] = NONE } };

/* Buffer.__init__ */
static PyObject *make_buffer(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *taken[MOST_PARAMETERS];
    PyObject *buffer = take_arguments(taken, &of_buffer, arguments, count, names) ? bare_buffer(taken) : NULL;
    if (!buffer)
        return by_method(self, name__make_in_python, arguments, count, names);
    int done = set(self, name__core, buffer);
    Py_DecRef(buffer);
    if (!done)
        return NULL;
    Py_IncRef(NONE);
    return NONE;
}

/* The parameters of Buffer.get_sub_region. */
enum { ORIGIN, PART_SIZE, PART_FLAGS, OF_PARTS };

static int copy_attribute(PyObject *to, PyObject *name, PyObject *from)
{
    PyObject *value = get(from, name);
    int done = value && set(to, name, value);
    drop(value);
    return done;
}

/* As Destructible.life, which makes it when it is first asked for. */
static PyObject *life_of(PyObject *object)
{
    PyObject *life = get(object, name__life);
    if (life != NONE)
        return life;
    drop(life);
    return get(object, name_life);
}

/* The runtime's buffer for a part of one that is no part itself; NULL where it is Python's to make. What the class says of all buffers is
   not said again. */
static PyObject *part_of_buffer(PyObject *whole, PyObject *const *taken)
{
    PyObject *part = NULL, *context = NULL, *storage = NULL, *life = NULL;
    long long origin = number_in(taken[ORIGIN]), size = number_in(taken[PART_SIZE]);
    long long flags = taken[PART_FLAGS] ? number_in(taken[PART_FLAGS]) : 0;
    uint64_t all, align, inherited;
    if (!is_of(whole, known.buffer) || !is(whole, name_parent, NONE) || origin < 0 || size < 1 || !read_word(whole, name_size, &all)
        || (uint64_t)size > all || (uint64_t)origin > all - (uint64_t)size || !read_word(whole, name_flags, &inherited))
        return NULL;
    /* They are the whole's, where none are given or the same, but for those that are never given. */
    if (flags && (flags & ~(MEM_ACCESS | MEM_HOST_ACCESS) || (uint64_t)flags != (inherited & (MEM_ACCESS | MEM_HOST_ACCESS))))
        return NULL;
    if ((context = get(whole, name_context)) && read_word(context, name_least_address_align, &align) && align
        && !((uint64_t)origin % align) && (storage = get(whole, name__storage)) && storage != NONE
        && (life = life_of(whole)) && (part = PyType_GenericAlloc((PyTypeObject *)known.buffer, 0))
        && !(set(part, name_context, context) && copy_attribute(part, name_flags, whole) && set(part, name_size, taken[PART_SIZE])
             && (!origin || set(part, name_offset, taken[ORIGIN])) && set(part, name_parent, whole)
             && (is(whole, name_host, NONE) || copy_attribute(part, name_host, whole)) && set(part, name__storage, storage)
             && set(part, name__parents_life, life))) {
        Py_DecRef(part);
        part = NULL;
    }
    drop(context);
    drop(storage);
    drop(life);
    return part;
}

static struct parameters of_part = { OF_PARTS, PART_FLAGS, .names = { "origin", "size", "flags" } };

/* Buffer.get_sub_region */
static PyObject *make_part(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *taken[MOST_PARAMETERS], *whole = NULL, *part = NULL;
    if (take_arguments(taken, &of_part, arguments, count, names) && (whole = get(self, name__core)))
        part = part_of_buffer(whole, taken);
    drop(whole);
    forget_error();
    return part ? stand_for(part, face_class) : by_method(self, name__part_in_python, arguments, count, names);
}

static int set_to_none(PyObject *object, PyObject *name)
{
    return is(object, name, NONE) || set(object, name, NONE);
}

/* What the runtime's release of a buffer does without the freeing: 0 with an error. */
static int let_buffer_go(PyObject *buffer)
{
    return set_to_none(buffer, name__life) && set_to_none(buffer, name__parents_life) && set(buffer, name__storage, NONE)
        && set_to_none(buffer, name_parent) && set(buffer, name_known_address, NONE)
        && (is(buffer, name_first, no_bytes) || set(buffer, name_first, no_bytes));
}

/* The same of an image. */
static int let_image_go(PyObject *image)
{
    PyObject *arguments = NULL;
    int done = set_to_none(image, name__life) && set_to_none(image, name__parents_life) && set(image, name__elements, NONE)
        && set_to_none(image, name_parent) && set_to_none(image, name_known_array) && set_to_none(image, name_own_array)
        && (is(image, name_first, no_bytes) || set(image, name_first, no_bytes)) && (arguments = get(image, name_arguments));
    if (done && PyDict_Size(arguments) > 0)
        PyDict_Clear(arguments);
    drop(arguments);
    return done;
}

/* What is left of the runtime's release, where there is more than little to be freed. */
static int free_much(PyObject *object)
{
    PyObject *context = get(object, name_context), *none = NULL;
    int calm = context && !presses(context);
    if (context && !calm) {
        forget_error();
        none = by_method(context, name_reclaim_much, NULL, 0, NULL);
    }
    drop(context);
    drop(none);
    return calm || none;
}

/* MemoryObject.release */
static PyObject *release(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject **released = slot_of(self, name__released);
    PyObject *object = !count && !names && released && !*released ? get(self, name__core) : NULL;
    int is_buffer = is_of(object, known.buffer);
    if (!is_buffer && !is_of(object, known.image)) {
        drop(object);
        forget_error();
        return by_method(self, name__release_in_python, arguments, count, names);
    }
    int done = set(self, name__released, TRUE_) && (is_buffer ? let_buffer_go(object) : let_image_go(object)) && free_much(object);
    Py_DecRef(object);
    if (!done)
        return NULL;
    Py_IncRef(NONE);
    return NONE;
}

static PyMethodDef methods[] = {
    { "__init__", make_buffer, METH_FASTCALL | METH_KEYWORDS,
      "__init__($self, context, flags, size=0, hostbuf=None)\n--\n\n`size` in bytes; 0 takes `hostbuf`'s." },
    { "get_sub_region", make_part, METH_FASTCALL | METH_KEYWORDS,
      "get_sub_region($self, origin, size, flags=0)\n--\n\nThe part of `size` bytes from byte `origin` on as a buffer of its own." },
    { "release", release, METH_FASTCALL | METH_KEYWORDS,
      "release($self)\n--\n\nGives the memory back now instead of when the last reference goes." },
};
enum { METHODS = sizeof methods / sizeof *methods };

/* memory_methods(Buffer, MemoryObject): see library.py */
PyObject *memory_methods(PyObject *module, PyObject *arguments)
{
    PyObject *object, *made[METHODS] = { 0 };
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &face_class, &object))
        return NULL;
    PyObject *owners[METHODS] = { face_class, face_class, object };
    Py_IncRef(face_class); /* for as long as the process lives */
    for (int i = 0; i < METHODS; i++)
        made[i] = PyDescr_NewMethod((PyTypeObject *)owners[i], &methods[i]);
    PyObject *all = tuple_of(METHODS, made);
    for (int i = 0; i < METHODS; i++)
        drop(made[i]);
    return all;
}

int prepare_objects(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    OBJECT_NAMES(INTERN)
    return prepare_parameters(&of_buffer) && prepare_parameters(&of_part);
}
