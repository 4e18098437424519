#include "arguments.h"

#include "answers.h"
#include "arrays.h"
#include "commands.h"
#include "held.h"

#include <stdlib.h>
#include <string.h>

PyObject *places_of, *note_arguments, *image_given, *image_taken;

/* As cl2cuda.opencl_icd.launches packs it: what kernels are given for an image, and what that asks for. */
struct image {
    uint64_t asked;
    char bytes[];
};

void find_arguments(struct object *kernel)
{
    PyObject *bytes = py.PyObject_CallFunction(places_of, "O", kernel->core);
    char *data;
    Py_ssize_t size;
    if (!bytes || py.PyBytes_AsStringAndSize(bytes, &data, &size))
        drop_exception(1);
    else if ((kernel->arguments = malloc(size)))
        memcpy(kernel->arguments, data, size);
    if (bytes)
        py.Py_DecRef(bytes);
}

/* All changes of states are made here. */
static void enter_state(struct arguments *arguments, struct place *place, enum place_state state)
{
    __atomic_store_n(&arguments->left, arguments->left - (place->state == LEFT) + (state == LEFT), __ATOMIC_RELAXED);
    __atomic_store_n(&arguments->written, arguments->written - (place->state == WRITTEN) + (state == WRITTEN), __ATOMIC_RELAXED);
    place->state = state;
}

static void enter_states(struct arguments *arguments, enum place_state from, enum place_state to)
{
    for (uint32_t i = 0; i < arguments->count; i++)
        if (arguments->places[i].state == from)
            enter_state(arguments, &arguments->places[i], to);
}

/* The library has set it. */
static inline void note_written(struct arguments *arguments, struct place *place)
{
    if (place->state == SET)
        return;
    if (place->state == UNSET)
        enter_state(arguments, place, WRITTEN);
    else if (place->state == LEFT)
        enter_state(arguments, place, SET);
}

void leave_arguments(struct object *kernel)
{
    enter_states(kernel->arguments, SET, LEFT);
    enter_states(kernel->arguments, WRITTEN, UNSET);
}

static int copy_argument(struct arguments *to, struct place *place, const struct place *from)
{
    if (from->state == UNSET || from->state == LEFT)
        return 1;
    if (from->kind == LOCAL ? place->state == UNSET || place->address != from->address : from->kind == NO_PLACE || from->kind == IMAGE)
        return 0;
    if (from->kind != LOCAL)
        memcpy((void *)place->address, (const void *)from->address, place->size);
    note_written(to, place);
    return 1;
}

int copy_arguments(struct object *kernel, const struct object *from)
{
    for (uint32_t i = 0; i < kernel->arguments->count; i++)
        if (!copy_argument(kernel->arguments, &kernel->arguments->places[i], &from->arguments->places[i]))
            return 0;
    return 1;
}

void share_states(struct object *kernel, const struct object *from)
{
    kernel->is_shared |= from->is_shared; /* clSetKernelExecInfo is cloned, too. */
    for (uint32_t i = 0; kernel->arguments && i < kernel->arguments->count; i++) {
        struct place *place = &kernel->arguments->places[i];
        const struct place *other = &from->arguments->places[i];
        if (other->state == SET)
            enter_state(kernel->arguments, place, SET);
        if (other->kind == LOCAL)
            place->asked = place->address = other->address;
    }
}

/* The numbers of the arguments in that state. */
static PyObject *numbers(const struct arguments *arguments, enum place_state state)
{
    uint64_t *found = malloc(arguments->count * sizeof *found);
    uint32_t count = 0;
    for (uint32_t i = 0; found && i < arguments->count; i++)
        if (arguments->places[i].state == state)
            found[count++] = i;
    PyObject *tuple = found ? tuple_of_words(found, count) : py.PyErr_NoMemory();
    free(found);
    return tuple;
}

/* The argument to local memory whose size is not what Python has; NULL where there is none. */
static struct place *place_of_new_size(const struct arguments *arguments)
{
    const struct place *place = arguments->sized ? &arguments->places[arguments->sized - 1] : NULL;
    return place && place->asked != place->address ? (struct place *)place : NULL;
}

static int is_untold(const struct object *kernel)
{
    const struct arguments *arguments = kernel->arguments;
    return arguments && (__atomic_load_n(&arguments->left, __ATOMIC_RELAXED) || __atomic_load_n(&arguments->written, __ATOMIC_RELAXED)
                         || place_of_new_size(arguments));
}

/* Threads that launch one kernel may all tell it: none goes on before Python knows. */
void tell_arguments(struct object *kernel)
{
    if (!is_untold(kernel))
        return;
    struct arguments *arguments = kernel->arguments;
    struct place *sized = place_of_new_size(arguments);
    const uint64_t number_and_size[] = { sized ? sized - arguments->places : 0, sized ? sized->address : 0 };
    PyObject *left = numbers(arguments, LEFT), *written = left ? numbers(arguments, WRITTEN) : NULL;
    PyObject *new_size = written ? tuple_of_words(number_and_size, sized ? 2 : 0) : NULL;
    PyObject *done = new_size ? py.PyObject_CallFunction(note_arguments, "OOOO", kernel->core, left, written, new_size) : NULL;
    if (left)
        py.Py_DecRef(left);
    if (written)
        py.Py_DecRef(written);
    if (new_size)
        py.Py_DecRef(new_size);
    if (!done) {
        drop_exception(1);
        return;
    }
    py.Py_DecRef(done);
    if (sized)
        sized->asked = sized->address;
    enter_states(arguments, LEFT, UNSET);
    enter_states(arguments, WRITTEN, SET);
}

void tell_arguments_first(struct object *kernel)
{
    int state;
    if (!is_object(kernel, KERNEL) || !is_untold(kernel) || !python_enter(&state))
        return;
    tell_arguments(kernel);
    python_leave(state);
}

void tell_local_first(struct object *kernel)
{
    const struct arguments *arguments = kernel->arguments;
    if (place_of_new_size(arguments))
        tell_arguments_first(kernel);
    for (uint32_t i = 0; arguments->left && i < arguments->count; i++)
        if (arguments->places[i].kind == LOCAL && arguments->places[i].state == LEFT)
            tell_arguments_first(kernel);
}

static int set_buffer(const struct object *kernel, const struct place *place, struct object *memory)
{
    if (!is_object(memory, MEMORY) || !is_referenced(memory) || memory->context != kernel->context)
        return 0;
    uint64_t address = __atomic_load_n(&memory->address, __ATOMIC_ACQUIRE);
    if (!address) {
        find_memory_first(memory);
        address = __atomic_load_n(&memory->address, __ATOMIC_ACQUIRE);
    }
    if (!address || (!__atomic_load_n(&memory->may_be_written, __ATOMIC_RELAXED) && place->writes))
        return 0;
    *(uint64_t *)place->address = address;
    return 1;
}

/* What the kernel is given for an image, once it has been given it; NULL before. */
static const struct known *known_image(const struct object *memory, const struct place *place)
{
    return known_by(memory, IMAGE_ARGUMENT, (const void *)(uintptr_t)place->writes);
}

/* With Python's lock: what a kernel has been given for it. */
static void know_image(struct object *memory, const struct place *place, const char *data, Py_ssize_t size)
{
    if (!known_image(memory, place))
        keep_known(memory, IMAGE_ARGUMENT, (const void *)(uintptr_t)place->writes, data, size);
    note_accepted(memory, place, ((const struct image *)data)->asked);
}

/* Before the kernel's argument is set to it, which has been set to another image before. NULL where Python is to say what is wrong. */
static NOINLINE const struct known *ask_for_image(const struct object *kernel, const struct place *place, struct object *memory)
{
    int state;
    char *data;
    Py_ssize_t size = 0;
    if (!python_enter(&state))
        return NULL;
    const unsigned index = (unsigned)(place - kernel->arguments->places);
    PyObject *core = made_core(memory), *bytes = core ? py.PyObject_CallFunction(image_taken, "OIO", kernel->core, index, core) : NULL;
    if (!bytes || py.PyBytes_AsStringAndSize(bytes, &data, &size))
        drop_exception(0);
    else if (size)
        know_image(memory, place, data, size);
    if (bytes)
        py.Py_DecRef(bytes);
    python_leave(state);
    return size ? known_image(memory, place) : NULL;
}

/* One that asks for what the last one asked for: plans hold. */
static int set_image(const struct object *kernel, const struct place *place, struct object *memory)
{
    if (!place->asked || !is_object(memory, MEMORY) || !is_referenced(memory) || memory->context != kernel->context)
        return 0;
    const struct known *known = known_image(memory, place);
    uint64_t asked;
    if (!known && give_own_array(place, memory, &asked))
        return asked == place->asked;
    if (!known)
        known = ask_for_image(kernel, place, memory);
    const struct image *image = known ? (const struct image *)known->answer : NULL;
    if (!image || image->asked != place->asked)
        return 0;
    memcpy((void *)place->address, image->bytes, known->size - sizeof *image);
    return 1;
}

/* Where there are several arguments to local memory, their places depend on the sizes of each other, which Python sees to. What is held
   back has the size that Python has. */
static int set_size(const struct arguments *arguments, struct place *place, size_t size)
{
    if (!size || !arguments->sized || !place->asked || any_held())
        return 0;
    place->address = size;
    return 1;
}

/* Whether the new value is all that is to be done. */
static int set_place(const struct object *kernel, struct place *place, size_t size, const void *value)
{
    if (place->kind == LOCAL)
        return !value && place->state != UNSET && (place->address == size || set_size(kernel->arguments, place, size));
    if (place->size != size || (!value && place->kind != BUFFER))
        return 0;
    if (place->kind == BUFFER && (!value || !*(struct object *const *)value)) {
        *(uint64_t *)place->address = 0; /* "a NULL value will be used as the value for the argument" */
        return 1;
    }
    if (place->kind == BUFFER)
        return set_buffer(kernel, place, *(struct object *const *)value);
    if (place->kind == IMAGE)
        return set_image(kernel, place, *(struct object *const *)value);
    if (place->kind != VALUE)
        return 0;
    if (size == 4) /* The compiler copies these without a call. */
        memcpy((void *)place->address, value, 4);
    else
        memcpy((void *)place->address, value, size);
    return 1;
}

/* After Python has set it to the image. */
static void learn_image(struct object *kernel, struct place *place, struct object *memory)
{
    int state;
    char *data;
    Py_ssize_t size;
    if (!is_object(memory, MEMORY) || !python_enter(&state))
        return;
    PyObject *bytes = py.PyObject_CallFunction(image_given, "OI", kernel->core, (unsigned)(place - kernel->arguments->places));
    if (!bytes || py.PyBytes_AsStringAndSize(bytes, &data, &size)) {
        drop_exception(1);
    } else {
        memcpy(&place->asked, data, sizeof place->asked);
        know_image(memory, place, data, size);
    }
    if (bytes)
        py.Py_DecRef(bytes);
    python_leave(state);
}

/* The same of a pointer. */
static void learn_buffer(const struct place *place, struct object *memory)
{
    if (!is_object(memory, MEMORY))
        return;
    const uint64_t address = *(uint64_t *)place->address;
    if (place->writes)
        __atomic_store_n(&memory->may_be_written, 1, __ATOMIC_RELAXED); /* Python refuses what may not be. */
    __atomic_store_n(&memory->address, address, __ATOMIC_RELEASE);
    if (__atomic_load_n(&memory->memory.size, __ATOMIC_ACQUIRE))
        __atomic_store_n(&memory->memory.address, address, __ATOMIC_RELEASE);
}

/* After Python has set it. */
static void learn_argument(struct object *kernel, struct place *place, size_t size, const void *value)
{
    enter_state(kernel->arguments, place, SET);
    if (place->kind == LOCAL)
        place->asked = place->address = size;
    else if (place->kind == IMAGE && value)
        learn_image(kernel, place, *(struct object *const *)value);
    else if (place->kind == BUFFER && value)
        learn_buffer(place, *(struct object *const *)value);
}

/* Python sets it. */
static NOINLINE int32_t ask_for_argument(struct entry *entry, struct object *kernel, uint32_t index, size_t size, const void *value,
                                         struct place *place)
{
    const word words[] = { (word)kernel, index, size, (word)value };
    int32_t status = (int32_t)answer(entry, words);
    if (status == SUCCESS && place)
        learn_argument(kernel, place, size, value);
    return status;
}

int32_t set_argument(struct entry *entry, struct object *kernel, uint32_t index, size_t size, const void *value)
{
    struct arguments *arguments = is_object(kernel, KERNEL) ? kernel->arguments : NULL;
    struct place *place = arguments && index < arguments->count ? &arguments->places[index] : NULL;
    if (!place || !set_place(kernel, place, size, value))
        return ask_for_argument(entry, kernel, index, size, value, place);
    note_written(arguments, place);
    return SUCCESS;
}

/* The arguments of which one is a pointer that the library may write; NULL where Python is to say what is wrong. */
static inline struct arguments *with_pointer(const struct object *kernel, uint32_t index)
{
    struct arguments *arguments = is_object(kernel, KERNEL) ? kernel->arguments : NULL;
    return arguments && index < arguments->count && arguments->places[index].kind == BUFFER ? arguments : NULL;
}

static inline int32_t write_pointer(struct arguments *arguments, uint32_t index, uint64_t address)
{
    *(uint64_t *)arguments->places[index].address = address;
    note_written(arguments, &arguments->places[index]);
    return SUCCESS;
}

/* Python sets the argument, whatever it is. */
static NOINLINE int32_t ask_for_pointer(struct entry *entry, struct object *kernel, uint32_t index, uint64_t address)
{
    const word words[] = { (word)kernel, index, address };
    int32_t status = (int32_t)answer(entry, words);
    if (status == SUCCESS && kernel->arguments && index < kernel->arguments->count)
        enter_state(kernel->arguments, &kernel->arguments->places[index], SET);
    return status;
}

int32_t set_device_pointer(struct entry *entry, struct object *kernel, uint32_t index, uint64_t address)
{
    struct arguments *arguments = with_pointer(kernel, index);
    return arguments ? write_pointer(arguments, index, address) : ask_for_pointer(entry, kernel, index, address);
}

int32_t set_pointer(struct entry *entry, struct object *kernel, uint32_t index, const void *address)
{
    return set_device_pointer(entry, kernel, index, (uint64_t)(uintptr_t)address);
}

static int is_taken(const struct all_taken *all, uint64_t address, uint64_t freed)
{
    for (int i = 0; i < MOST_TAKEN; i++)
        if (all->last[i].address == address && all->last[i].freed == freed)
            return address != 0;
    return 0;
}

static void note_taken(struct all_taken *all, uint64_t address, uint64_t freed)
{
    all->last[all->next++ % MOST_TAKEN] = (struct taken){ address, freed };
}

static inline uint64_t times_freed(const struct arguments *arguments)
{
    return __atomic_load_n(arguments->freed, __ATOMIC_ACQUIRE);
}

/* Python checks the address and sets it: what it takes for an argument of the kernel is noted. */
static NOINLINE int32_t ask_for_shared(struct entry *entry, struct object *kernel, uint32_t index, uint64_t address)
{
    struct arguments *arguments = with_pointer(kernel, index);
    uint64_t freed = arguments ? times_freed(arguments) : 0;
    int32_t status = ask_for_pointer(entry, kernel, index, address);
    if (arguments && status == SUCCESS)
        note_taken(&arguments->as_arguments, address, freed);
    return status;
}

int32_t set_shared_pointer(struct entry *entry, struct object *kernel, uint32_t index, const void *pointer)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct arguments *arguments = with_pointer(kernel, index);
    return arguments && is_taken(&arguments->as_arguments, address, times_freed(arguments)) ? write_pointer(arguments, index, address)
        : ask_for_shared(entry, kernel, index, address);
}

/* CL_KERNEL_EXEC_INFO_SVM_PTRS and CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM; the first of CL_KERNEL_EXEC_INFO_INDIRECT_*_ACCESS_INTEL */
enum { EXEC_INFO_SVM_PTRS = 0x11B6, EXEC_INFO_FINE_GRAIN_SYSTEM, EXEC_INFO_INDIRECT_HOST_ACCESS = 0x4200 };

/* Where a truth value's last one is; NULL of other information. */
static uint32_t *truth_of(struct object *kernel, uint32_t query)
{
    struct arguments *arguments = is_object(kernel, KERNEL) ? kernel->arguments : NULL;
    const uint32_t place = query == EXEC_INFO_FINE_GRAIN_SYSTEM ? 0 : query - EXEC_INFO_INDIRECT_HOST_ACCESS + 1;
    return arguments && place < TRUTHS && (place || query == EXEC_INFO_FINE_GRAIN_SYSTEM) ? &arguments->truths[place] : NULL;
}

/* Devices answer to it at all times: programs that tell it before each launch tell nothing new. */
static int32_t tell_truth(struct entry *entry, const word *words, uint32_t *last)
{
    const uint32_t told = *(const uint32_t *)words[3] ? 2 : 1;
    if (*last == told)
        return SUCCESS;
    int32_t status = (int32_t)answer(entry, words);
    if (status == SUCCESS)
        *last = told;
    return status;
}

int32_t set_information(struct entry *entry, struct object *kernel, uint32_t query, size_t size, const void *value)
{
    const word words[] = { (word)kernel, query, size, (word)value };
    const uint64_t *addresses = value;
    size_t count = size / sizeof *addresses, known = 0;
    uint32_t *truth = truth_of(kernel, query);
    if (truth && value && size == sizeof *truth)
        return tell_truth(entry, words, truth);
    if (query != EXEC_INFO_SVM_PTRS || !is_object(kernel, KERNEL) || !kernel->arguments || !addresses || !count || count > MOST_TAKEN
        || size % sizeof *addresses)
        return (int32_t)answer(entry, words);
    struct all_taken *used = &kernel->arguments->as_used;
    uint64_t freed = times_freed(kernel->arguments);
    while (known < count && is_taken(used, addresses[known], freed))
        known++;
    if (known == count)
        return SUCCESS;
    int32_t status = (int32_t)answer(entry, words);
    for (size_t i = 0; status == SUCCESS && i < count; i++)
        note_taken(used, addresses[i], freed);
    return status;
}
