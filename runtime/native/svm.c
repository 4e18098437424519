/* Copies, fills, maps, unmaps and migrations of shared virtual memory, as the PyOpenCL face and commands/svm.py make them: what the stream
   does in one call, or what nothing is to be done for. Regions so large that the device is to be asked for their pages are Python's. */
#include "access.h"
#include "calls.h"
#include "sharing.h"

/* The fields of Allocation (context/shared_memory.py). */
enum { START, LENGTH };

/* Whether the address lies before the allocation's end, of those that begin before it. */
static int ends_behind(PyObject *allocation, uint64_t address, uint64_t *end)
{
    uint64_t start = PyLong_AsUnsignedLongLong(PyTuple_GetItem(allocation, START));
    *end = start + PyLong_AsUnsignedLongLong(PyTuple_GetItem(allocation, LENGTH));
    return !PyErr_Occurred() && address < *end;
}

/* The start of the last allocation that begins at the address or before it; NULL, perhaps with an error, where there is none. */
static PyObject *start_before(PyObject *starts, uint64_t address)
{
    Py_ssize_t low = 0, high = PyList_Size(starts);
    while (low < high) {
        Py_ssize_t middle = low + (high - low) / 2;
        if (PyLong_AsUnsignedLongLong(PyList_GetItem(starts, middle)) > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low > 0 && !PyErr_Occurred() ? PyList_GetItem(starts, low - 1) : NULL;
}

/* The end of the allocation that the address, of this value, lies in; 0, perhaps with an error, where it lies in none, or another thread
   is about to note or to forget that. No other thread changes meanwhile what is looked at: this one has Python's lock, and lists and
   dictionaries of numbers call nothing. Most addresses are those of allocations. */
static uint64_t end_of_allocation(PyObject *context, PyObject *address, uint64_t value)
{
    PyObject *shared = get(context, name_svm), *all = shared ? get(shared, name__allocations) : NULL;
    PyObject *starts = NULL, *start, *found = all ? PyDict_GetItemWithError(all, address) : NULL;
    uint64_t end = 0;
    if (all && !found && (starts = get(shared, name__starts)) && (start = start_before(starts, value)))
        found = PyDict_GetItemWithError(all, start);
    int is_inside = found && ends_behind(found, value, &end);
    drop(starts);
    drop(all);
    drop(shared);
    return is_inside ? end : 0;
}

/* Pointers into allocations, each at the place that the bits of its own address give, and kept, so that no other object comes to lie there:
   programs use the same few again and again. What they point to holds until an allocation goes, or a context comes, which may lie where one
   has been. */
enum { PLACE_BITS = 6, PLACES = 1 << PLACE_BITS };
static struct known_pointer {
    PyObject *pointer, *context;
    struct pointed pointed;
} known_pointers[PLACES];

static struct known_pointer *place_of(const PyObject *pointer)
{
    return &known_pointers[(uintptr_t)pointer * 0x9E3779B97F4A7C15u >> (64 - PLACE_BITS)]; /* Fibonacci hashing */
}

static void know_pointer(struct known_pointer *place, struct known_pointer known)
{
    PyObject *before = place->pointer;
    if (known.pointer)
        Py_IncRef(known.pointer);
    *place = known;
    drop(before);
}

int read_pointer(struct pointed *pointed, PyObject *pointer, PyObject *context)
{
    struct known_pointer *place = place_of(pointer);
    if (place->pointer == pointer && place->context == context) {
        *pointed = place->pointed;
        return 1;
    }
    PyObject *address = (void *)pointer->type == (void *)known.pointer ? get(pointer, name_address) : NULL;
    *pointed = (struct pointed){ 0 };
    if (address && is_int(address) && (pointed->address = PyLong_AsUnsignedLongLong(address)) && !PyErr_Occurred())
        pointed->end = end_of_allocation(context, address, pointed->address);
    drop(address);
    if (PyErr_Occurred() || !pointed->address)
        return 0;
    if (pointed->end)
        know_pointer(place, (struct known_pointer){ pointer, context, *pointed });
    return 1;
}

/* forget_pointers() */
PyObject *forget_pointers(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    for (int i = 0; i < PLACES; i++)
        know_pointer(&known_pointers[i], (struct known_pointer){ 0 });
    Py_IncRef(NONE);
    return NONE;
}

/* Shared memory that a command is given, by an object of the face. */
struct shared {
    PyObject *address; /* NULL where the command is Python's */
    uint64_t at, size; /* the address as a number, and the bytes that the object has */
    uint64_t end;      /* of the allocation; 0 where it is other memory of the host's */
    int is_own;        /* an allocation of the object's own, which is freed behind the commands that use it */
};

/* Objects of derived classes may say otherwise where they are. */
static int is_shared(PyObject *handle, int *is_own)
{
    enum { HOSTS, OWN, POOLS }; /* in `shared_types`: the host's memory, an allocation, and a pool's block */
    for (int i = HOSTS; known.shared_types && i <= POOLS; i++)
        if ((void *)handle->type == (void *)PyTuple_GetItem(known.shared_types, i)) {
            *is_own = i == OWN;
            return 1;
        }
    return 0;
}

/* Of a program in C, which frees an allocation behind the commands that use it. */
static int take_address(struct shared *shared, PyObject *address, PyObject *queue)
{
    PyObject *context = is_int(address) ? get(queue, name_context) : NULL;
    *shared = (struct shared){ .at = context ? PyLong_AsUnsignedLongLong(address) : 0, .is_own = 1 };
    if (shared->at && !PyErr_Occurred())
        shared->end = end_of_allocation(context, address, shared->at);
    if (shared->at && !PyErr_Occurred()) {
        Py_IncRef(address);
        shared->address = address;
    }
    drop(context);
    return shared->address != NULL;
}

/* `self` is the command's: without a class for its events it is called with addresses. */
static int take_shared(struct shared *shared, PyObject *self, PyObject *handle, PyObject *queue)
{
    if (PyTuple_GetItem(self, EVENT_TYPE) == NONE)
        return take_address(shared, handle, queue);
    *shared = (struct shared){ 0 };
    PyObject *pointer = is_shared(handle, &shared->is_own) ? get(handle, name__core) : NULL;
    PyObject *context = pointer ? get(queue, name_context) : NULL;
    struct pointed pointed;
    if (context && read_pointer(&pointed, pointer, context) && read_word(handle, name__size, &shared->size)) {
        shared->at = pointed.address;
        shared->end = pointed.end;
        shared->address = get(pointer, name_address);
    }
    drop(context);
    drop(pointer);
    return shared->address != NULL;
}

/* So many bytes, or all that the object has; 0 where Python is to say what is wrong. */
static uint64_t bytes_from(const struct shared *shared, PyObject *given)
{
    uint64_t size = given == NONE ? shared->size : is_int(given) ? PyLong_AsUnsignedLongLong(given) : 0;
    return !PyErr_Occurred() && size <= (shared->end ? shared->end : UINT64_MAX / 2) - shared->at ? size : 0;
}

/* Whether a copy is to be made from here. One that the caller does not wait for has ended when it returns, or uses allocations alone: other
   memory Python keeps alive. */
static int copies_from_here(const struct native_stream *stream, const struct shared *to, const struct shared *from, int waits)
{
    return waits || !stream->read ? to->end || from->end : to->end && from->end && to->is_own && from->is_own;
}

PyObject *give_svm_copy(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    enum { IS_BLOCKING = 1, DESTINATION, SOURCE, WAIT_FOR, BYTE_COUNT };
    const struct native_stream *stream = &target->stream;
    struct shared to = { 0 }, from = { 0 };
    PyObject *position = NULL;
    struct shared_copy copy = { 0 };
    int waits = taken[IS_BLOCKING] == TRUE_, given = 0, done = 0;
    (void)self;
    if ((waits || taken[IS_BLOCKING] == FALSE_) && can_share(stream) && (!waits || is_quiet(stream))
        && take_shared(&to, self, taken[DESTINATION], queue) && take_shared(&from, self, taken[SOURCE], queue)
        && copies_from_here(stream, &to, &from, waits) && (taken[BYTE_COUNT] != NONE || to.size == from.size)) {
        uint64_t size = bytes_from(&to, taken[BYTE_COUNT]);
        if (size && bytes_from(&from, taken[BYTE_COUNT]) && (to.at >= from.at + size || from.at >= to.at + size)) {
            copy = (struct shared_copy){ { to.at, to.end != 0 }, { from.at, from.end != 0 }, size, NULL };
            PyThreadState *state = PyEval_SaveThread();
            given = begin_shared_copy(&copy, stream, waits);
            done = given && record_end(times, target);
            PyEval_RestoreThread(state);
        }
    }
    forget_error();
    if (done)
        position = waited_for(target, next_position(target), waits && stream->read ? wait_for_given : NULL);
    end_shared_copy(&copy, stream, given, position != NULL);
    drop(to.address);
    drop(from.address);
    return position;
}

PyObject *give_svm_fill(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    enum { FILLED = 1, PATTERN, BYTE_COUNT };
    const struct native_stream *stream = &target->stream;
    struct shared shared;
    Py_buffer pattern;
    int done = 0;
    (void)self;
    (void)times;
    if (!can_share(stream) || !take_memory(taken[PATTERN], &pattern, 0))
        return NULL;
    if (take_shared(&shared, self, taken[FILLED], queue) && shared.end) {
        uint64_t size = bytes_from(&shared, taken[BYTE_COUNT]);
        bring_due_pages_to(stream);
        done = size && fill_memory(stream, &pattern, shared.at, shared.at, size);
    }
    drop(shared.address);
    PyBuffer_Release(&pattern);
    forget_error();
    return done ? next_position(target) : NULL;
}

/* The context's mapped regions, (size, flags) by address. */
static PyObject *mapped_regions(PyObject *queue)
{
    PyObject *context = get(queue, name_context), *shared = context ? get(context, name_svm) : NULL;
    PyObject *mapped = shared ? get(shared, name_mapped) : NULL;
    drop(shared);
    drop(context);
    return mapped;
}

static int list_mapped(PyObject *queue, PyObject *address, uint64_t size, PyObject *flags)
{
    PyObject *mapped = mapped_regions(queue), *bytes = PyLong_FromSsize_t((Py_ssize_t)size);
    PyObject *region = bytes ? tuple_of(2, (PyObject *[]){ bytes, flags }) : NULL;
    /* Made before the look: to make it may have Python search for garbage, where another thread lists one. */
    PyObject *first = mapped && region ? PyList_New(0) : NULL, *listed = first ? PyDict_GetItemWithError(mapped, address) : NULL;
    int done = 0;
    if (listed)
        done = !PyList_Append(listed, region);
    else if (first && !PyErr_Occurred())
        done = !PyList_Append(first, region) && !PyDict_SetItem(mapped, address, first);
    drop(first);
    drop(region);
    drop(bytes);
    drop(mapped);
    return done;
}

/* How many bytes are to be mapped; 0 where Python is to see to it. */
static uint64_t bytes_mapped(const struct shared *shared, PyObject *size, PyObject *flags)
{
    return shared->end && is_int(flags) && are_map_flags(PyLong_AsUnsignedLongLong(flags)) && !PyErr_Occurred()
        ? bytes_from(shared, size) : 0;
}

static int has_come(const struct native_stream *stream, const struct shared *shared, uint64_t bytes)
{
    int was_given;
    PyThreadState *state = PyEval_SaveThread();
    int done = bring_to_host(stream, shared->at, bytes, &was_given);
    PyEval_RestoreThread(state);
    return done;
}

PyObject *give_svm_map(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    enum { IS_BLOCKING = 1, FLAGS, MAPPED, WAIT_FOR, SIZE };
    const struct native_stream *stream = &target->stream;
    struct shared shared = { 0 };
    PyObject *position = NULL;
    int waits = taken[IS_BLOCKING] == TRUE_;
    uint64_t size = 0;
    (void)self;
    if ((waits || taken[IS_BLOCKING] == FALSE_) && can_share(stream) && (!waits || is_quiet(stream))
        && take_shared(&shared, self, taken[MAPPED], queue))
        size = bytes_mapped(&shared, taken[SIZE], taken[FLAGS]);
    forget_error();
    if (size && has_come(stream, &shared, size) && record_end(times, target)) /* The event's end is before the wait, which mostly finds that all has ended. */
        position = waited_for(target, next_position(target), waits ? wait_for_stream : NULL);
    if (position && !list_mapped(queue, shared.address, size, taken[FLAGS])) {
        Py_DecRef(position);
        position = NULL;
    }
    drop(shared.address);
    return position;
}

/* The last region that is listed there; NULL, perhaps with an error, where there is none. */
static PyObject *last_listed(PyObject *mapped, PyObject *address)
{
    PyObject *listed = PyDict_GetItemWithError(mapped, address);
    Py_ssize_t count = listed ? PyList_Size(listed) : 0;
    return count > 0 ? PyList_GetItem(listed, count - 1) : NULL;
}

/* Other threads may have mapped and unmapped meanwhile. */
static int strike_last_out(PyObject *mapped, PyObject *address)
{
    PyObject *listed = PyDict_GetItemWithError(mapped, address);
    Py_ssize_t count = listed ? PyList_Size(listed) : 0;
    if (count > 1)
        return !PyList_SetSlice(listed, count - 1, count, NULL);
    return listed ? !PyDict_DelItem(mapped, address) : !PyErr_Occurred();
}

/* Whether the device gets the pages back, where they may be at the host; 0 where Python is to see to it. */
static int have_given_back(const struct native_stream *stream, const struct shared *shared, uint64_t size)
{
    if (!stream->prefetch)
        return 1;
    if (!shared->end)
        return 0;
    uint64_t most = shared->end - shared->at, bytes = size < most ? size : most;
    PyThreadState *state = PyEval_SaveThread();
    int done = give_pages_back(stream, shared->at, bytes, 1);
    PyEval_RestoreThread(state);
    return done;
}

PyObject *give_svm_unmap(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    enum { MAPPED = 1 };
    const struct native_stream *stream = &target->stream;
    struct shared shared = { 0 };
    PyObject *mapped = can_share(stream) && take_shared(&shared, self, taken[MAPPED], queue) ? mapped_regions(queue) : NULL;
    PyObject *region = mapped ? last_listed(mapped, shared.address) : NULL, *position = NULL;
    uint64_t size = region ? PyLong_AsUnsignedLongLong(PyTuple_GetItem(region, 0)) : 0;
    int done = size && !PyErr_Occurred() && have_given_back(stream, &shared, size);
    (void)self;
    (void)times;
    forget_error();
    if (done && (position = next_position(target)) && !strike_last_out(mapped, shared.address)) {
        Py_DecRef(position);
        position = NULL;
    }
    drop(mapped);
    drop(shared.address);
    return position;
}

/* The regions of a migration: how many, or 0 where Python is to see to them. What one is, no other thread changes: it has Python's lock. */
static Py_ssize_t take_regions(struct due_region *regions, Py_ssize_t most, PyObject *self, PyObject *given, PyObject *queue)
{
    Py_ssize_t count = PyTuple_Size(given);
    if (count > most)
        return 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        struct shared shared;
        uint64_t size = take_shared(&shared, self, PyTuple_GetItem(given, i), queue) && shared.end ? bytes_from(&shared, NONE) : 0;
        regions[i] = (struct due_region){ shared.at, size, 0 };
        drop(shared.address);
        if (!size)
            return 0;
    }
    return count;
}

static int have_migrated(const struct native_stream *stream, const struct due_region *regions, Py_ssize_t count, int to_host)
{
    int done = 1;
    PyThreadState *state = PyEval_SaveThread();
    for (Py_ssize_t i = 0; done && i < count; i++)
        done = migrate_pages(stream, regions[i].address, regions[i].bytes, to_host);
    PyEval_RestoreThread(state);
    return done;
}

PyObject *give_svm_migrate(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times)
{
    enum { MIGRATED = 1, MIGRATION, MOST = 16 };
    const struct native_stream *stream = &target->stream;
    struct due_region regions[MOST];
    PyObject *given = is_list(taken[MIGRATED]) ? PyList_AsTuple(taken[MIGRATED]) : is_tuple(taken[MIGRATED]) ? taken[MIGRATED] : NULL;
    uint64_t flags = taken[MIGRATION] == NONE ? 0 : is_int(taken[MIGRATION]) ? PyLong_AsUnsignedLongLong(taken[MIGRATION]) : UINT64_MAX;
    Py_ssize_t count = 0;
    (void)times;
    if (given && !PyErr_Occurred() && are_migration_flags(flags) && can_share(stream))
        count = take_regions(regions, MOST, self, given, queue);
    forget_error();
    if (given != taken[MIGRATED])
        drop(given);
    return count && have_migrated(stream, regions, count, (flags & MIGRATE_TO_HOST) != 0) ? next_position(target) : NULL;
}

/* SVM.__init__ of the face */
static PyObject *begin_shared(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    Py_buffer memory;
    PyObject *address = NULL, *size = NULL, *pointer = NULL;
    int done = 0;
    if (count == 1 && !names && known.pointer && take_memory(arguments[0], &memory, PyBUF_WRITABLE)) {
        address = memory.size ? PyLong_FromSsize_t((Py_ssize_t)(uintptr_t)memory.memory) : NULL;
        size = PyLong_FromSsize_t(memory.size);
        PyBuffer_Release(&memory);
        done = address && size && (pointer = PyType_GenericAlloc((PyTypeObject *)known.pointer, 0)) && set(pointer, name_address, address)
            && set(self, name__size, size) && set(self, name_mem, arguments[0]) && set(self, name__core, pointer);
    }
    drop(pointer);
    drop(size);
    drop(address);
    if (!done) {
        forget_error();
        return by_method(self, name__make_in_python, arguments, count, names);
    }
    Py_IncRef(NONE);
    return NONE;
}

static PyMethodDef shared_definition = { "__init__", begin_shared, METH_FASTCALL | METH_KEYWORDS, "__init__($self, mem)\n--\n\n" };

/* shared_maker(SVM): see library.py */
PyObject *shared_maker(PyObject *module, PyObject *arguments)
{
    (void)module;
    return method_of(arguments, &shared_definition);
}
