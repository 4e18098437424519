/* The storage of a buffer that begins bare, made at its first use without Python's own steps where the context has memory of its size at
   hand: what StorageFromFirstUse and LateStorage (memory/late.py) and StreamOrderedMemory.take (context/stream_ordered_memory.py) do.
   And the way back of its memory: what Storage.__del__, BufferStorage._free (memory/storage.py) and Reclaimer.retire
   (context/reclaim.py) do. */
#include "block_size.h"
#include "calls.h"

#define DEFINE(name) static PyObject *name_##name;
#define STORAGE_NAMES(N) \
    N(_reusable) N(free) N(bytes) N(first) N(_first) N(has_memory) N(device) N(devices) N(_RECORDER) N(__get__) \
    N(_context_gone) N(waiting) N(pressing) N(append) N(_keeps) N(_refusals) N(_device) N(_reused) N(rounds) N(_active)
STORAGE_NAMES(DEFINE)

/* What stands in for a buffer's `_storage` until there is one. */
struct first_use {
    PyObject head;
    PyObject *in_python, *storage_class, *trace;
};

static PyTypeObject *first_use_type;

/* The classes of storage whose memory goes back so, and of the memory on its way, and the module that has the debug mode; when there is
   enough of it to be freed at once: one piece that is not little, so many pieces, or so many bytes; and the largest piece, and the most
   bytes, that wait for the only queue's next buffers. */
enum { STORAGE_TYPES = 2 };
static PyObject *storage_types[STORAGE_TYPES], *block_type, *debug_mode;
static unsigned long long little, most_pieces, most_bytes, largest_kept, most_kept;

/* Whether what is kept may be taken: by commands of the only queue, while it lives, or since no command uses it. */
static int may_take(PyObject *reusable)
{
    PyObject *reference = get(reusable, name_queue);
    PyObject *queue = reference && reference != NONE ? PyObject_CallNoArgs(reference) : NULL;
    int free = reference == NONE || (queue && queue != NONE && is(queue, name_closed, FALSE_));
    drop(queue);
    drop(reference);
    return free;
}

static int count_bytes(PyObject *reusable, long long change)
{
    PyObject *bytes = get(reusable, name_bytes);
    PyObject *now = bytes ? PyLong_FromSsize_t((Py_ssize_t)(PyLong_AsLongLong(bytes) + change)) : NULL;
    int done = now && set(reusable, name_bytes, now);
    drop(bytes);
    drop(now);
    return done;
}

/* How many bytes the memory of a buffer of that size has (StreamOrderedMemory.block_size); NULL with an error, or where there is no
   size. */
static PyObject *size_of_block(PyObject *reusable, PyObject *size)
{
    if (size && is(reusable, name_rounds, TRUE_)) {
        long long number = PyLong_AsLongLong(size);
        return number < 0 ? NULL : PyLong_FromSsize_t((Py_ssize_t)block_size((uint64_t)number));
    }
    if (size)
        Py_IncRef(size);
    return size;
}

/* The addresses of blocks of that size that are kept, borrowed; NULL where there are none. */
static PyObject *kept(PyObject *reusable, PyObject *size)
{
    PyObject *free = get(reusable, name_free), *addresses = free ? PyDict_GetItemWithError(free, size) : NULL;
    drop(free);
    return addresses && PyList_Size(addresses) > 0 ? addresses : NULL;
}

/* The last of them. Nothing of Python's runs between looking and taking. */
static PyObject *take_address(PyObject *reusable, PyObject *size)
{
    PyObject *addresses = kept(reusable, size);
    Py_ssize_t count = addresses ? PyList_Size(addresses) : 0;
    PyObject *address = count ? PyList_GetItem(addresses, count - 1) : NULL;
    if (!address)
        return NULL;
    Py_IncRef(address);
    if (PyList_SetSlice(addresses, count - 1, count, NULL) || !count_bytes(reusable, -PyLong_AsLongLong(size))) {
        Py_DecRef(address);
        return NULL;
    }
    return address;
}

/* A storage without memory yet. */
static PyObject *new_storage(const struct first_use *self, PyObject *context, PyObject *size)
{
    PyObject *storage = PyType_GenericAlloc((PyTypeObject *)self->storage_class, 0), *mappings = PyDict_New();
    PyObject *devices = get(context, name_devices), *device = devices ? PyTuple_GetItem(devices, 0) : NULL;
    int done = storage && mappings && device && set(storage, name_context, context) && set(storage, name_device, device)
        && set(storage, name_size, size) && set(storage, name_shadow, NONE) && set(storage, name_mappings, mappings)
        && set(storage, name__first, no_bytes);
    drop(mappings);
    drop(devices);
    if (done)
        return storage;
    drop(storage);
    return NULL;
}

/* The storage with memory; NULL where Python is to make it. */
static PyObject *storage_at_hand(const struct first_use *self, PyObject *buffer)
{
    PyObject *context = get(buffer, name_context), *size = get(buffer, name_size);
    PyObject *reusable = context && size ? get(context, name__reusable) : NULL, *storage = NULL, *address = NULL;
    PyObject *whole = reusable ? size_of_block(reusable, size) : NULL;
    if (whole && kept(reusable, whole) && may_take(reusable) && (storage = new_storage(self, context, size))
        && !((address = take_address(reusable, whole)) && set(storage, name_memory, address) && set(storage, name_has_memory, TRUE_))) {
        drop(storage);
        storage = NULL;
    }
    drop(address);
    drop(whole);
    drop(reusable);
    drop(context);
    drop(size);
    return storage;
}

/* The storage that counts: this one, or the one that another thread has given the buffer meanwhile. */
static PyObject *storage_that_counts(PyObject *buffer, PyObject *storage)
{
    PyObject *attributes = PyObject_GenericGetDict(buffer, NULL);
    PyObject *other = attributes ? PyDict_GetItemWithError(attributes, name__storage) : NULL;
    int done = attributes && (other || !PyDict_SetItem(attributes, name__storage, storage));
    if (other) {
        Py_IncRef(other);
        Py_DecRef(storage);
        storage = other;
    }
    drop(attributes);
    if (done)
        return storage;
    Py_DecRef(storage);
    return NULL;
}

static int wants_host_memory(PyObject *buffer)
{
    uint64_t flags;
    return !read_word(buffer, name_flags, &flags) || flags & MEM_ALLOC_HOST_PTR;
}

/* __get__(buffer, class) */
static PyObject *get_storage(PyObject *object, PyObject *buffer, PyObject *class)
{
    const struct first_use *self = (const struct first_use *)object;
    if (!buffer) {
        Py_IncRef(object);
        return object;
    }
    PyObject *storage = is(buffer, name_first, no_bytes) && is(self->trace, name__RECORDER, NONE) && !wants_host_memory(buffer)
        ? storage_at_hand(self, buffer) : NULL;
    if (storage)
        return storage_that_counts(buffer, storage);
    forget_error();
    PyObject *in_python = get(self->in_python, name___get__);
    storage = in_python ? PyObject_CallFunction(in_python, "OO", buffer, class ? class : NONE) : NULL;
    drop(in_python);
    return storage;
}

/* storage_from_first_use(in_python, storage_class, trace): see library.py */
PyObject *storage_from_first_use(PyObject *module, PyObject *arguments)
{
    struct first_use *made = (struct first_use *)PyType_GenericAlloc(first_use_type, 0);
    (void)module;
    if (!made || !PyArg_ParseTuple(arguments, "OOO", &made->in_python, &made->storage_class, &made->trace))
        return NULL;
    Py_IncRef(made->in_python); /* for as long as the process lives, as the class does whose attribute it is */
    Py_IncRef(made->storage_class);
    Py_IncRef(made->trace);
    return (PyObject *)made;
}

static PyObject *new_block(PyObject *storage, PyObject *device, PyObject *size)
{
    PyObject *block = PyType_GenericAlloc((PyTypeObject *)block_type, 0), *address = get(storage, name_memory);
    if (block && !(address && set(block, name_device, device) && set(block, name_address, address) && set(block, name_size, size))) {
        Py_DecRef(block);
        block = NULL;
    }
    drop(address);
    return block;
}

int retire_piece(PyObject *reclaimer, PyObject *device, PyObject *block, uint64_t bytes)
{
    PyObject *noted = is(reclaimer, name__context_gone, FALSE_) ? get(reclaimer, name_noted) : NULL;
    PyObject *append = noted ? get(noted, name_append) : NULL, *entry = append ? tuple_of(2, (PyObject *[]){ device, block }) : NULL;
    PyObject *none = entry ? PyObject_CallFunction(append, "(O)", entry) : NULL, *all = NULL;
    uint64_t waiting = 0;
    int done = none != NULL;
    if (done && bytes <= little && read_word(reclaimer, name_waiting, &waiting)) {
        all = PyLong_FromSsize_t((Py_ssize_t)(waiting += bytes));
        if (all)
            set(reclaimer, name_waiting, all);
    }
    if (done && (bytes > little || waiting > most_bytes || (uint64_t)PyObject_Size(noted) > most_pieces))
        set(reclaimer, name_pressing, TRUE_);
    drop(all);
    drop(none);
    drop(entry);
    drop(append);
    drop(noted);
    return done;
}

/* Whether what the queue is given from now on comes after all that it was given. */
static int is_in_turn(PyObject *queue)
{
    PyObject *deferred = queue && queue != NONE && is(queue, name_closed, FALSE_) ? get(queue, name__deferred) : NULL;
    int none = deferred && PyObject_Size(deferred) == 0;
    drop(deferred);
    return none;
}

/* As StreamOrderedMemory.give, of one block of a size that is known there: commands of the context's only queue may use it, and the next
   buffer's come after them. 0, perhaps with an error, where it goes the way of all others. Nothing of Python's runs between looking and
   adding. */
static int pass_on(PyObject *reusable, PyObject *reclaimer, PyObject *storage, PyObject *device, PyObject *size)
{
    const uint64_t bytes = PyLong_AsUnsignedLongLong(size);
    PyObject *reference = get(reusable, name_queue);
    PyObject *queue = reference && reference != NONE ? PyObject_CallNoArgs(reference) : NULL, *free = NULL, *addresses = NULL,
        *address = NULL;
    uint64_t refusals, kept_bytes;
    int done = bytes <= largest_kept && is(reclaimer, name__context_gone, FALSE_) && is_in_turn(queue) && is(reusable, name__keeps, TRUE_)
        && is(debug_mode, name__active, FALSE_) && is(reusable, name__device, device)
        && read_word(reusable, name__refusals, &refusals) && !refusals && read_word(reusable, name_bytes, &kept_bytes) && kept_bytes + bytes <= most_kept && (free = get(reusable, name_free))
        && (addresses = PyDict_GetItemWithError(free, size))
        && (address = get(storage, name_memory)) && set(reusable, name__reused, TRUE_) && count_bytes(reusable, (long long)bytes)
        && !PyList_Append(addresses, address);
    drop(address);
    drop(free);
    drop(queue);
    drop(reference);
    return done;
}

static int let_go_of_memory(PyObject *storage)
{
    PyObject *context = NULL, *reclaimer = NULL, *reusable = NULL, *device = NULL, *size = NULL, *whole = NULL, *block = NULL;
    uint64_t bytes;
    if (is(storage, name_has_memory, FALSE_))
        return 1;
    int done = is(storage, name_shadow, NONE) && (context = get(storage, name_context)) && (reclaimer = get(context, name__reclaimer))
        && (device = get(storage, name_device)) && read_word(storage, name_size, &bytes) && (size = get(storage, name_size))
        && (reusable = get(context, name__reusable)) && (whole = size_of_block(reusable, size));
    if (done && !pass_on(reusable, reclaimer, storage, device, whole)) {
        forget_error();
        done = (block = new_block(storage, device, whole)) && retire_piece(reclaimer, device, block, bytes);
    }
    drop(block);
    drop(whole);
    drop(reusable);
    drop(size);
    drop(device);
    drop(reclaimer);
    drop(context);
    return done;
}

/* BufferStorage.__del__ */
static PyObject *let_go(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    int is_known = 0;
    for (int i = 0; i < STORAGE_TYPES; i++)
        is_known |= (void *)self->type == (void *)storage_types[i];
    int done = is_known && let_go_of_memory(self);
    forget_error();
    if (!done)
        return by_method(self, name__let_go_in_python, arguments, count, names);
    Py_IncRef(NONE);
    return NONE;
}

static PyMethodDef let_go_definition = { "__del__", let_go, METH_FASTCALL | METH_KEYWORDS,
                                         "__del__($self)\n--\n\nThe memory goes back once no command uses it." };

/* storage_dropper(BufferStorage, LateStorage, Block, debug_mode, (little, most pieces, most bytes, largest, most)): see library.py */
PyObject *storage_dropper(PyObject *module, PyObject *arguments)
{
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOO(KKKKK)", &storage_types[0], &storage_types[1], &block_type, &debug_mode, &little, &most_pieces,
                          &most_bytes, &largest_kept, &most_kept))
        return NULL;
    Py_IncRef(storage_types[0]); /* for as long as the process lives */
    Py_IncRef(storage_types[1]);
    Py_IncRef(block_type);
    Py_IncRef(debug_mode);
    return PyDescr_NewMethod((PyTypeObject *)storage_types[0], &let_go_definition);
}

static PyType_Slot first_use_slots[] = { { Py_tp_descr_get, get_storage }, { Py_tp_dealloc, end_object }, { 0, NULL } };
static PyType_Spec first_use_spec = { "cl2cuda.runtime.native.StorageFromFirstUse", sizeof(struct first_use), 0,
                                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, first_use_slots };

int prepare_storage(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    STORAGE_NAMES(INTERN)
    first_use_type = (PyTypeObject *)PyType_FromSpec(&first_use_spec);
    return first_use_type != NULL;
}
