/* What the files of this library share. */
#ifndef CL2CUDA_NATIVE_CALLS_H
#define CL2CUDA_NATIVE_CALLS_H

#include "graphs.h"
#include "stream_fills.h"
#include "target.h"

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
PyObject *flusher(PyObject *module, PyObject *arguments);
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
   have not; and whether the last launch that was made so had the sizes of this one, which are to have a plan of their own then. All are
   the kernel's, as long as Python's lock is kept. */
struct model {
    PyObject *plan, *sizes[3];
    long long local_memory;
    int comes_again;
};

/* The last plan in the queue that is of the type, for a launch of sizes that have no plan; 0 where there is none. */
int find_model(struct model *model, PyObject *kernel, PyObject *queue, const struct target *target, PyObject *const *sizes,
               const PyTypeObject *type);
/* The plan, which was made of such a model, is that of the sizes from now on, for code in C. */
void keep_plan_of(PyObject *kernel, const struct target *target, PyObject *const *sizes, PyObject *plan);
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

/* buffer_commands.c: whether so many bytes of memory have been filled, which begin at `start` in what it was allocated as; 0 where Python is to.
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

/* own_arrays.c */
/* What a kernel is given for an image that it reads in these states of samplers; NULL, without an error, where that is Python's to say. */
PyObject *own_argument_of(PyObject *image, unsigned states);
PyObject *own_argument(PyObject *module, PyObject *arguments);
PyObject *taken_over(PyObject *module, PyObject *arguments);
PyObject *begins_with(PyObject *module, PyObject *arguments);
int prepare_own_arrays(void);

/* arguments.c */
PyObject *new_packing(PyObject *module, PyObject *arguments);
PyObject *set_number_types(PyObject *module, PyObject *types);
PyObject *argument_setter(PyObject *module, PyObject *arguments);
PyObject *arguments_setter(PyObject *module, PyObject *arguments);
int write_arguments(PyObject *packing, PyObject *const *arguments, Py_ssize_t count, PyObject *queue, PyObject **wait_for);
int prepare_arguments(void);

/* storage.c */
PyObject *storage_from_first_use(PyObject *module, PyObject *arguments);
/* As Reclaimer.retire of a piece of memory, while there is the context; 0, perhaps with an error, where there is none. */
int retire_piece(PyObject *reclaimer, PyObject *device, PyObject *piece, uint64_t bytes);
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
