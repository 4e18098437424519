/* What the files of this library share. */
#ifndef CL2CUDA_NATIVE_CALLS_H
#define CL2CUDA_NATIVE_CALLS_H

#include "access.h"
#include "choice.h"
#include "graphs.h"
#include "python.h"
#include "stream_copies.h"
#include "stream_fills.h"

#define NONE (&_Py_NoneStruct)
#define TRUE_ (&_Py_TrueStruct)
#define FALSE_ (&_Py_FalseStruct)

/* The names of attributes. */
#define NAMES(N) \
    N(_core) N(_packing) N(_call_in_python) N(_argument_in_python) N(native_target) N(plans) N(last_launch) N(busy) N(fence_at) \
    N(fence_ahead) \
    N(any_failed) N(queue) N(command_type) N(timeline) N(position) N(fence) N(times) N(gate) N(own_end) N(context) N(_storage) N(memory) \
    N(offset) N(size) N(flags) N(_ward) N(known_address) N(known_array) N(least_address_align) N(launch_limits) N(last_planned) \
    N(sized_like) N(native_targets) N(stream) N(event) N(reached) N(last) N(barrier) N(_barrier) N(_in_vain) \
    N(_context) N(status) N(_key) N(_hooks) N(_call_hooks) N(_begin_in_python) N(_set_in_python) \
    N(has_native) N(_kept) N(_deferred) N(closed) N(_reclaimer) N(noted) N(retired) N(reclaim) N(_finish_in_python) N(_wait_in_python) \
    N(_let_go_in_python) \
    N(timed_fences) N(_mapped) N(_owner) N(_memory) N(_queue) N(_release_in_python) N(mappings) N(shadow) N(give_back) N(address) \
    N(note_native_commands) N(svm) N(_allocations) N(_starts) N(mapped) N(_size) N(synchronize_to) N(_arguments_in_python) N(rows) \
    N(base_data) N(_flags) N(forc) N(events) N(number) N(residents) N(mem) N(_make_in_python)
#define DECLARE(name) extern PyObject *name_##name;
NAMES(DECLARE)

static inline void drop(PyObject *object)
{
    if (object)
        Py_DecRef(object);
}

/* errors.c: before Python does it all again, which raises the error again, if it is still one. */
void forget_this_error(void);

static inline void forget_error(void)
{
    if (PyErr_Occurred())
        forget_this_error();
}

/* slots.c: where in its objects a class has the attribute of an interned name. One that is told of stands at the first place from that of
   its type and name on that was free; half of the places stay free, so that a search ends soon. */
enum { SLOTS = 1024, MOST_KNOWN_SLOTS = SLOTS / 2 };

extern struct type_slot {
    PyTypeObject *type;
    PyObject *name;
    Py_ssize_t offset;
} slots_of_types[SLOTS];

PyObject *know_slots(PyObject *module, PyObject *arguments);

static inline size_t first_place(const PyTypeObject *type, const PyObject *name)
{
    return ((uintptr_t)type >> 5) + ((uintptr_t)name >> 4) * 7;
}

/* NULL where none is known. */
static inline PyObject **slot_of(PyObject *object, const PyObject *name)
{
    for (size_t place = first_place(object->type, name);; place++) {
        const struct type_slot *slot = &slots_of_types[place % SLOTS];
        if (slot->type == object->type && slot->name == name)
            return (PyObject **)((char *)object + slot->offset);
        if (!slot->type)
            return NULL;
    }
}

/* An attribute; NULL, with an error, where there is none. */
static inline PyObject *get(PyObject *object, PyObject *name)
{
    PyObject **slot = slot_of(object, name);
    if (!slot || !*slot)
        return PyObject_GetAttr(object, name);
    Py_IncRef(*slot);
    return *slot;
}

/* An attribute in a slot, which the object keeps: it stays as long as no code of Python's runs. NULL, without an error, where none is
   there, or the slot is not known: then nothing is known of the attribute, and Python is asked. */
static inline PyObject *peek(PyObject *object, const PyObject *name)
{
    PyObject **slot = slot_of(object, name);
    return slot ? *slot : NULL;
}

/* Whether the object's attribute is `wanted`. */
static inline int is(PyObject *object, PyObject *name, PyObject *wanted)
{
    PyObject *found = get(object, name);
    drop(found);
    return found == wanted;
}

/* NULL deletes it. 0, with an error, where that cannot be. */
static inline int set(PyObject *object, PyObject *name, PyObject *value)
{
    PyObject **slot = value ? slot_of(object, name) : NULL;
    if (!slot)
        return PyObject_SetAttr(object, name, value) == 0;
    PyObject *before = *slot;
    Py_IncRef(value);
    *slot = value;
    drop(before);
    return 1;
}

/* An attribute that is a number; 0, with an error, where there is none. */
static inline int read_word(PyObject *object, PyObject *name, uint64_t *word)
{
    PyObject *found = get(object, name);
    *word = found ? PyLong_AsUnsignedLongLong(found) : 0;
    drop(found);
    return !PyErr_Occurred();
}

static inline int is_tuple(PyObject *object)
{
    return (void *)object->type == (void *)&PyTuple_Type;
}

static inline int is_list(PyObject *object)
{
    return (void *)object->type == (void *)&PyList_Type;
}

static inline int is_str(PyObject *object)
{
    return (void *)object->type == (void *)&PyUnicode_Type;
}

static inline int is_int(PyObject *object)
{
    return (void *)object->type == (void *)&PyLong_Type;
}

/* The empty bytes. */
extern PyObject *no_bytes;

/* What code in C goes by of the runtime's, whose files tell it when they are imported (library.py): classes, of which nothing is before,
   the fields of ImageKind, the memory of contexts that have gone, which the others free (context/reclaim.py), what gives a colour's
   element (commands/image.py), the classes that a mapped region of an image is told by (image/mapping.py), the face's of shared virtual
   memory, what queues are made of (queue/queue.py), and barriers of those that are out of order (queue/command.py), PyOpenCL's arrays,
   what tells which exceptions a signal's handler has raised (process/interruptions.py), and what held commands are made of
   (queue/deferred.py). */
extern struct known {
    PyObject *buffer, *image, *image_fields, *context, *user_event, *mapping, *leftovers, *element_of, *image_mapping, *pointer,
        *shared_types,
        *queue_parts, *barrier, *array, *came_from_beside, *held;
} known;

/* NULL, with an error, where one of the items is. `both_of` takes the references to the two. */
PyObject *tuple_of(int count, PyObject *const *items);
PyObject *numbers_of(int count, const uintptr_t *words);
PyObject *both_of(PyObject *first, PyObject *second);

/* The end of an object whose fields have been dropped. */
static inline void end_object(PyObject *self)
{
    PyTypeObject *type = self->type;
    PyObject_Free(self);
    Py_DecRef((PyObject *)type);
}

/* functions.c: functions that take the arguments of one in Python, and leave to it what is not plain. */

/* The parameters of a function: so many, of which the first ones have no default. */
enum { MOST_PARAMETERS = 11 };

struct parameters {
    int count, required;
    const char *names[MOST_PARAMETERS];
    PyObject *interned[MOST_PARAMETERS], *defaults[MOST_PARAMETERS];
};

int prepare_parameters(struct parameters *parameters);
/* Sorts the arguments of a call out; 0 where Python is to say what is wrong with them. */
int take_arguments(PyObject **taken, const struct parameters *parameters, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
/* The index of the parameter of this name, from `first` on; `count` where there is none. */
int find_parameter(const struct parameters *parameters, int first, PyObject *name);
/* Python's function with the same arguments. */
PyObject *by_python(PyObject *function, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
/* The method of that name with them. */
PyObject *by_method(PyObject *self, PyObject *name, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
/* A method of the class in `arguments`. */
PyObject *method_of(PyObject *arguments, PyMethodDef *definition);
/* The runtime's buffer behind the face's object, where it is one of this context; else NULL, perhaps with an error. */
PyObject *buffer_of(PyObject *handle, PyObject *context);
/* The storage of a buffer of the runtime's, and its address; NULL, with an error, where there is none. */
PyObject *storage_of(PyObject *buffer, uint64_t *address);

/* target.c: a command-queue in order, and the places of commands on its stream. */

struct target {
    PyObject head;
    volatile uint64_t *words;
    PyObject *serial, *event_type, *timeline, *next_position;
    struct native_stream stream;
    int is_unordered; /* a stream of a queue that is out of order */
    PyObject *device; /* the queue's, where memory objects may be on several; NULL where each is on one, always at one place */
    /* order.c: a fence of the stream's, its CUDA event, and the position up to which that was recorded. */
    PyObject *mark;
    uint64_t mark_event, marked;
    struct fences *fences; /* fences.c; NULL while none were wanted */
    uint64_t others; /* commands of code in C of another kind that have got their numbers */
    /* Where the last command stands that nobody waits for as such, but perhaps for all; the flag that was asked for behind it, and whether
       that is done for the next one. */
    uint64_t flagged_at;
    uint32_t flag;
    int wants_flags;
    /* What is known of a stream of a queue out of order, and the position of its last launch by code in C, or of markers right behind it;
       of the first one also what the queue chooses among its streams by. */
    struct given given;
    uint64_t launched_at;
    struct choice choice;
};

/* Words that code in C of another kind writes, or goes by, without Python's lock. */
static inline uint64_t see_word(const struct target *target, enum native_word word)
{
    return native_word(target->words, word);
}

static inline void tell_word(const struct target *target, enum native_word word, uint64_t number)
{
    __atomic_store_n(&target->words[word], number, __ATOMIC_RELEASE);
}

/* Whether all that the stream was given is known to have ended. */
static inline int is_idle(const struct target *target)
{
    return all_have_ended(target->words, progress_in(target->words));
}

/* Of the serial, the type of events, the timeline and its next_position, the address of its words, the bytes of its native_stream, or
   None, and the device, or None. */
PyObject *make_target(PyObject *const *parts, uint64_t words, PyObject *native, int is_unordered, PyObject *device);
PyObject *new_target(PyObject *module, PyObject *arguments);
int prepare_targets(void);
/* The queue as code in C knows it, or the first stream of one that is out of order; NULL, without an error, where it does not. */
struct target *known_target(PyObject *queue);
/* The queue in order, where its commands are not Python's, and each memory object is on one device; NULL, without an error, where not. */
struct target *plain_target(PyObject *queue);
/* The queue in order whose timeline says this of NEEDS_PYTHON. */
struct target *target_that_says(PyObject *queue, uint64_t word);
/* As CommandTarget.issued after a command that was given to the stream: its place, which is drawn first, without any code of Python's, and
   what is done then, which gives NULL for NULL. */
PyObject *draw_position(const struct target *target);
PyObject *after_position(const struct target *target, PyObject *position);
PyObject *next_position(const struct target *target);
/* Commands of code in C of another kind (cl2cuda/opencl_icd/driver) get their numbers, if there are any. 0, with an error, where they do
   not. */
int note_others(struct target *target);
/* Where programs wait for all right behind an unmapping, or a write that they do not wait for, the stream is asked for its flag behind the
   next one, and not only when they wait: before such a command, whether it is to be; behind it, its place, and the flag or 0; and for who
   waits for all before a position, the flag behind the last command, or 0. */
int wants_flag(struct target *target);
void note_flag(struct target *target, PyObject *position, uint32_t flag);
uint32_t take_flag(struct target *target, PyObject *position);
/* A fence behind what the stream has been given, with its time where `timing` is True. */
PyObject *new_fence(const struct target *target, PyObject *timing);
/* The runtime's event of the command at the position. */
PyObject *new_event(PyObject *queue, const struct target *target, PyObject *command_type, PyObject *position);
/* The face's object for the runtime's event, which is dropped, or without a type that event; NULL for NULL. */
PyObject *stand_for(PyObject *event, PyObject *type);

/* order.c: what a command comes after. */

/* How long a wait list is; negative where it is Python's. And the runtime's event at a place of it; NULL, with an error, where there is
   none. */
Py_ssize_t length_of(PyObject *list);
PyObject *event_at(PyObject *list, Py_ssize_t place);
/* The status of a user event, or of the gate of a command that was held back; 0, perhaps with an error, where there is none. */
int read_status(PyObject *gate, long long *status);

/* Whether an event of the list was or is held back by a gate, or it has none that are events: such a list is Python's. */
int are_held_back(PyObject *wait_for);
/* Has a command that the target is about to get come after the whole list; 0, without an error, where Python is to see to it. What the
   stream comes after already then, Python would have it come after, too. */
int put_after(PyObject *wait_for, PyObject *queue, struct target *target);
/* The stream of a queue that is out of order for a command behind the list, or with `follows_all` behind everything where that is empty;
   NULL, without an error, where Python is to choose: also behind a barrier of code in C of another kind of which Python has not heard,
   and for a barrier where there may be one. */
struct target *target_among(PyObject *queue, PyObject *wait_for, int follows_all, int is_barrier);
/* The command at the position of such a stream is the queue's barrier: all later ones come behind it. 0, with an error, without memory. */
int set_barrier(PyObject *queue, const struct target *target, PyObject *position);
/* After a launch in such a stream, of which `launch` is the name, a marker or barrier, or another command. 0, with an error, without
   memory. */
int note_launch(struct target *target, PyObject *position, const void *launch);
int note_marker(struct target *target, PyObject *position);
int note_command(struct target *target, PyObject *position);
/* The target of a queue that has this timeline; NULL, perhaps with an error, where code in C has none. */
struct target *target_with(PyObject *queue, PyObject *timeline);

/* fences.c: fences behind commands that others are behind by the time they are waited for, so that none waits for those, too. */

/* Whether the stream has come to the command at the position, which is an event's; not where Python is to wait. */
int wait_behind_others(struct target *target, PyObject *event, uint64_t position);
/* After the command at the position: has CUDA record a fence where someone is likely to wait for it, or one shortly before it, later on. */
void record_ahead(const struct target *target, uint64_t position);
void drop_fences(struct target *target);

/* waits.c: the position, where the caller need not wait up to there (NULL), or has waited so: `wait_for_given` right behind a command, and
   `wait_for_stream` where all has ended mostly. NULL where Python is to make the command. */
typedef int wait_for_all_given(const struct native_stream *stream);
PyObject *waited_for(const struct target *target, PyObject *position, wait_for_all_given *wait);
/* The same of a copy that has had this outcome. `position`, which goes, was drawn before it, and is its place where it has ended since. */
PyObject *position_of(const struct target *target, enum outcome outcome, PyObject *position, int waits);

/* residents.c */
PyObject *new_resident(PyObject *module, PyObject *arguments);
int prepare_residents(void);

/* times.c */

/* The host's times of a command, 0 where its queue takes none, and the fences around it, with their CUDA events: of another device, which
   has none, the second fence is made when the command has ended. */
struct times {
    uint64_t queued, submitted;
    PyObject *begun, *ended;
    void *begun_event, *ended_event;
    int end_is_recorded;
};

/* The queue in order that takes times of its commands, which are plain beside, and the time at which this one is enqueued; NULL, without an
   error, where commands are plain or Python's. */
struct target *timed_target(PyObject *queue, struct times *times);
/* Before the command is given to the stream: has the fences made. 0 where they cannot be: then it is Python's. */
int take_fences(struct times *times, const struct target *target);
/* Then, just before it: has CUDA record the first one; 0 where it does not. */
int begin_times(const struct times *times, const struct target *target);
/* Or, without Python's lock, a copy on the device between both; 0 where that cannot be one graph now: then nothing was given. */
int copy_between(struct times *times, const struct target *target, enum copy_kind kind, uint64_t to, uint64_t from, size_t size);
/* And after it, without Python's lock, where the caller is to wait for the command; 0 where CUDA does not. */
int record_end(struct times *times, const struct target *target);
/* Then, or without that. Where the second fence does not come, as of a lost device, the event has no times: who waits for it hears why. */
void end_times(struct times *times, const struct target *target);
/* The event, which has its times if there are any; NULL, with an error, for NULL. */
PyObject *with_times(PyObject *event, const struct times *times);
void drop_times(struct times *times);
PyObject *timed_copy(PyObject *module, PyObject *arguments);

/* pools.c */
PyObject *pool_methods(PyObject *module, PyObject *arguments);
PyObject *shared_pool_methods(PyObject *module, PyObject *arguments);
int prepare_pools(void);

/* waits.c */
PyObject *finisher(PyObject *module, PyObject *arguments);
PyObject *waiter(PyObject *module, PyObject *arguments);
PyObject *list_waiter(PyObject *module, PyObject *arguments);
PyObject *nanny_methods(PyObject *module, PyObject *arguments);

/* queries.c */

/* Whether the event's command has been given to its stream, also where a gate held it back before; and whether it is known to have ended
   without an error. */
int was_given(PyObject *event);
int event_has_ended(PyObject *event);
PyObject *memory_queries(PyObject *module, PyObject *arguments);
PyObject *image_queries(PyObject *module, PyObject *arguments);
PyObject *event_queries(PyObject *module, PyObject *arguments);
PyObject *kernel_queries(PyObject *module, PyObject *arguments);
PyObject *queue_queries(PyObject *module, PyObject *arguments);
PyObject *staying_queries(PyObject *module, PyObject *arguments);
PyObject *pointers(PyObject *module, PyObject *arguments);
PyObject *same(PyObject *module, PyObject *none);
int prepare_queries(void);

/* events.c */
PyObject *user_events(PyObject *module, PyObject *arguments);

/* maps.c */
PyObject *releaser(PyObject *module, PyObject *arguments);
PyObject *mapper(PyObject *module, PyObject *arguments);
PyObject *image_mapper(PyObject *module, PyObject *arguments);
PyObject *plain_mapper(PyObject *module, PyObject *arguments);
PyObject *plain_image_mapper(PyObject *module, PyObject *arguments);
PyObject *plain_unmapper(PyObject *module, PyObject *arguments);
int prepare_maps(void);
int prepare_image_maps(void);

/* plans.c */

/* The kernel's plan for its global size, local size and offset in the queue, if it is of that type; NULL, perhaps with an error, where
   there is none. */
PyObject *plan_of(PyObject *kernel, PyObject *queue, const struct target *target, PyObject *const *sizes, const PyTypeObject *type);
/* A plan, the sizes that it had, and the bytes of local memory that the kernel's arguments have now where they had others; -1 where they
   have not. All are the kernel's, as long as Python's lock is kept. */
struct model {
    PyObject *plan, *sizes[3];
    long long local_memory;
};

/* The last plan in the queue that is of the type, for a launch of sizes that have no plan; 0 where there is none, or the launch before had
   these sizes: they are to have a plan of their own. */
int find_model(struct model *model, PyObject *kernel, PyObject *queue, const struct target *target, PyObject *const *sizes,
               const PyTypeObject *type);
/* Whether global and local size are the same. */
int have_same_extent(PyObject *const *sizes, PyObject *const *others);
int prepare_plans(void);

/* launches.c, launch_plans.c */
PyObject *new_launching(PyObject *module, PyObject *arguments);
PyObject *new_range(PyObject *module, PyObject *arguments);
PyObject *frozen_launch(PyObject *module, PyObject *arguments);
PyObject *resident_launch(PyObject *module, PyObject *arguments);
PyObject *enqueuer(PyObject *module, PyObject *arguments);
PyObject *caller(PyObject *module, PyObject *arguments);
int prepare_launches(void), prepare_launch_plans(void);

/* commands.c */
PyObject *new_command(PyObject *module, PyObject *arguments);
int prepare_commands(void);

/* What `self` of a command has: the index in `commands`, the function in Python, the class of the events it returns, and their command's
   type. */
enum { INDEX, FUNCTION, EVENT_TYPE, COMMAND_TYPE, SELF };

/* Part of a buffer. */
struct part {
    PyObject *storage; /* kept alive; NULL where Python is to look */
    uint64_t address, start, size; /* the first byte's address and place in the buffer, and the whole buffer's size */
    uint64_t origin;               /* of a sub-buffer: where it begins in the buffer that it is a part of */
};

/* The bytes of a buffer (of the face) from an offset on, if a command of the queue may do so with them. */
struct part part_of(PyObject *handle, PyObject *queue, PyObject *offset, uint64_t refused);
/* The memory of an object, as host_memory.extent finds it. */
int take_memory(PyObject *object, Py_buffer *memory, int flags);
/* As QueueStream.reach. */
int reach(const struct target *target, PyObject *position);

/* copies.c */
PyObject *new_staging(PyObject *module, PyObject *arguments);
int prepare_copies(void);

/* rectangles.c */

/* The numbers of a tuple, so small that what is computed of three of them fits into 64 bits, and others for those that are missing; 0,
   perhaps with an error, where they are Python's. */
int take_numbers(PyObject *given, uint64_t *numbers, int most, uint64_t missing);
PyObject *give_rectangle_read(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_rectangle_write(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_rectangle_copy(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);

/* svm.c */

/* commands.c: whether so many bytes of memory have been filled, which begin at `start` in what it was allocated as; 0 where Python is to.
   */
int fill_memory(const struct native_stream *stream, const Py_buffer *pattern, uint64_t memory, uint64_t start, uint64_t size);

/* What an object of the runtime's class Pointer says: an address, and the end of the allocation of clSVMAlloc in the context that it lies
   in; 0 where it lies in none. */
struct pointed {
    uint64_t address, end;
};

/* 0, perhaps with an error, where that is Python's to say: of other objects, and NULL. */
int read_pointer(struct pointed *pointed, PyObject *pointer, PyObject *context);
PyObject *forget_pointers(PyObject *module, PyObject *none), *shared_maker(PyObject *module, PyObject *arguments);
PyObject *give_svm_copy(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_svm_fill(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_svm_map(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_svm_unmap(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_svm_migrate(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);

/* box_copies.c */
PyObject *box_copies(PyObject *module, PyObject *none), *move_bytes(PyObject *module, PyObject *arguments);

/* image_commands.c */
PyObject *known_array(PyObject *module, PyObject *arguments);
PyObject *give_image_read(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_image_write(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_image_copy(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_image_to_buffer(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_buffer_to_image(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
PyObject *give_image_fill(PyObject *self, PyObject *const *taken, PyObject *queue, struct target *target, struct times *times);
int prepare_image_commands(void);

/* arguments.c */
PyObject *new_packing(PyObject *module, PyObject *arguments);
PyObject *set_number_types(PyObject *module, PyObject *types);
PyObject *argument_setter(PyObject *module, PyObject *arguments);
PyObject *arguments_setter(PyObject *module, PyObject *arguments);
int write_arguments(PyObject *packing, PyObject *const *arguments, Py_ssize_t count, PyObject *queue, PyObject **wait_for);
int prepare_arguments(void);

/* storage.c */
PyObject *storage_from_first_use(PyObject *module, PyObject *arguments);
PyObject *storage_dropper(PyObject *module, PyObject *arguments);
int prepare_storage(void);

/* objects.c */
PyObject *memory_methods(PyObject *module, PyObject *arguments);
/* Whether there is more than little to be freed, which making and releasing see to (Reclaimer.reclaim_much). */
int presses(PyObject *context);
/* An int as a number; -1 where it is none that could be a size. */
long long number_in(PyObject *object);
/* Of cl_mem_flags. */
enum { MEM_ALLOC_HOST_PTR = 1 << 4, MEM_COPY_HOST_PTR = 1 << 5 };
/* A copy of the host's memory in page-locked memory that the context has for what is not little (context/snapshots.py); NULL, perhaps
   with an error, where Python is to look. The host's memory stays where it is while other threads run. */
PyObject *snapshot_of(PyObject *context, const void *host, long long size);
int prepare_objects(void);

/* textures.c */
PyObject *new_textures(PyObject *module, PyObject *arguments);

/* queues.c */
PyObject *queue_maker(PyObject *module, PyObject *arguments);
PyObject *queue_dropper(PyObject *module, PyObject *arguments);
int prepare_queues(void);

/* images.c */
PyObject *structure_attribute(PyObject *module, PyObject *arguments);
PyObject *image_maker(PyObject *module, PyObject *arguments);
int prepare_images(void);

#endif
