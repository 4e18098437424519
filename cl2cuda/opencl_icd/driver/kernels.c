#include "kernels.h"

#include "answers.h"
#include "arguments.h"
#include "programs.h"
#include "spares.h"

#include <stdlib.h>
#include <string.h>

/* Of a name, and in all. */
enum { MOST_ALIKE = 8, MOST_KEPT = 64 };

/* CL_KERNEL_LOCAL_MEM_SIZE */
enum { LOCAL_MEM_SIZE = 0x11B2 };
#define MOST_KEPT_SIZE ((uint64_t)UINT32_MAX)

/* The arguments do not keep the memory objects that they were set to; all else that a kernel can be told makes it Python's (is_shared). */
static int may_return(const struct object *kernel)
{
    return kernel->arguments && kernel->arguments->may_return && !kernel->is_shared && is_object(kernel->parent, PROGRAM);
}

/* With the lock on objects. Nobody takes a released kernel for one: is_object does not. */
static void keep_first(struct spares *kept, struct object *kernel)
{
    kernel->kind = NO_OBJECT;
    put_among(kept, kernel);
}

static struct object *as_kernel(struct object *kept)
{
    if (kept)
        kept->kind = KERNEL;
    return kept;
}

static struct object *take_kernel_from(struct spares *kept, struct object **place)
{
    return as_kernel(take_from(kept, place));
}

static uint32_t count_alike(const struct spares *kept, const char *name)
{
    uint32_t count = 0;
    for (const struct object *each = kept->first; each; each = each->next)
        count += !strcmp(name_of(each->arguments), name);
    return count;
}

struct object *kernel_to_end(struct object *kernel)
{
    struct object *ends = kernel;
    if (!may_return(kernel)) {
        if (kernel->is_shared && is_object(kernel->parent, PROGRAM))
            kernel->parent->is_shared = 1; /* What Python was given the kernel for may keep it, and what it is a kernel of. */
        return kernel;
    }
    struct spares *kept = &kernel->parent->spares;
    hold_objects();
    if (kept->use != ENDED && count_alike(kept, name_of(kernel->arguments)) < MOST_ALIKE) {
        keep_first(kept, kernel);
        ends = kept->count > MOST_KEPT ? as_kernel(take_oldest_from(kept)) : NULL;
    }
    let_objects_go();
    return ends;
}

static struct object *take_kernel(struct object *program, const char *name)
{
    struct spares *kept = &program->spares;
    if (!__atomic_load_n(&kept->first, __ATOMIC_RELAXED) || !python_alive())
        return NULL;
    hold_objects();
    struct object **place = &kept->first;
    while (*place && strcmp(name_of((*place)->arguments), name))
        place = &(*place)->next;
    struct object *kernel = take_kernel_from(kept, place);
    let_objects_go();
    if (kernel) {
        leave_arguments(kernel);
        kernel->references = 1;
    }
    return kernel;
}

void end_kernels(struct object *program, int for_good)
{
    struct spares *kept = &program->spares;
    struct object *kernel;
    do {
        hold_objects();
        if (for_good)
            kept->use = ENDED;
        kernel = take_kernel_from(kept, &kept->first);
        let_objects_go();
        if (kernel)
            end_object(kernel);
    } while (kernel);
}

static void *made(struct object *kernel, const void *error)
{
    if (error)
        *(int32_t *)error = SUCCESS;
    return kernel;
}

void *create_kernel(struct entry *entry, struct object *program, const void *name, const void *error)
{
    const word words[] = { (word)program, (word)name, (word)error };
    struct object *kernel = is_object(program, PROGRAM) && name ? take_kernel(program, name) : NULL;
    return kernel ? made(kernel, error) : (void *)answer(entry, words);
}

/* The names of the kernels that clCreateKernelsInProgram makes of a program that was built so often, each with its 0. */
static const struct known *known_names(const struct object *program, uint32_t builds)
{
    return known_by(program, ALL_KERNELS, (const void *)(uintptr_t)builds);
}

static uint32_t count_names(const struct known *names)
{
    uint32_t count = 0;
    for (size_t i = 0; i < names->size; i++)
        count += !names->answer[i];
    return count;
}

/* After Python has made them all. */
static void learn_names(struct object *program, uint32_t builds, struct object *const *kernels, uint32_t count)
{
    size_t size = 0, length = 0;
    int state;
    for (uint32_t i = 0; i < count; i++) {
        if (!kernels[i]->arguments)
            return;
        size += strlen(name_of(kernels[i]->arguments)) + 1;
    }
    char *names = malloc(size + 1); /* There may be none. */
    if (!names || !python_enter(&state)) {
        free(names);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        length += (size_t)(stpcpy(names + length, name_of(kernels[i]->arguments)) - (names + length)) + 1;
    if (!known_names(program, builds))
        keep_known(program, ALL_KERNELS, (const void *)(uintptr_t)builds, names, size);
    free(names);
    python_leave(state);
}

/* 0 where one of them is not kept: then none is taken. */
static int take_kernels(struct object *program, const struct known *names, struct object **kernels)
{
    uint32_t taken = 0;
    for (const char *name = names->answer, *end = name + names->size; name < end; name += strlen(name) + 1, taken++)
        if (!(kernels[taken] = take_kernel(program, name))) {
            while (taken)
                release_object(kernels[--taken], KERNEL);
            return 0;
        }
    return 1;
}

int32_t create_kernels(struct entry *entry, struct object *program, uint32_t room, const void *kernels, const void *count)
{
    uint32_t builds = 0, made;
    int is_known = is_object(program, PROGRAM) && is_at_rest(program, &builds);
    const struct known *names = is_known ? known_names(program, builds) : NULL;
    if (names && (!kernels || (room >= count_names(names) && take_kernels(program, names, (struct object **)kernels)))) {
        if (count)
            *(uint32_t *)count = count_names(names);
        return SUCCESS;
    }
    const word words[] = { (word)program, room, (word)kernels, (word)&made };
    int32_t status = (int32_t)answer(entry, words);
    if (status != SUCCESS)
        return status;
    if (is_known && !names && kernels)
        learn_names(program, builds, kernels, made);
    if (count)
        *(uint32_t *)count = made;
    return SUCCESS;
}

void *clone_kernel(struct entry *entry, struct object *kernel, const void *error)
{
    const word words[] = { (word)kernel, (word)error };
    if (!is_object(kernel, KERNEL) || !kernel->arguments)
        return (void *)answer(entry, words);
    struct object *clone = may_return(kernel) ? take_kernel(kernel->parent, name_of(kernel->arguments)) : NULL;
    if (clone && copy_arguments(clone, kernel))
        return made(clone, error);
    if (clone)
        release_object(clone, KERNEL);
    tell_arguments_first(kernel);
    clone = (struct object *)answer(entry, words);
    if (clone)
        share_states(clone, kernel);
    return clone;
}

/* With another size of a local argument the kernel has other plans, of another number. */
static int32_t tell_local_size(struct entry *entry, struct object *kernel, struct object *device, size_t room, const void *value,
                               const void *size)
{
    uint32_t kept;
    uint64_t found = 0;
    tell_local_first(kernel);
    uint64_t number = __atomic_load_n(kernel->arguments->plans_number, __ATOMIC_ACQUIRE); /* It is another one for each size. */
    if (tell_kept(kernel, device, number, &kept)) {
        found = kept;
    } else {
        int32_t failure = ask_with_device(entry, kernel, device, LOCAL_MEM_SIZE, sizeof found, &found, NULL);
        if (failure)
            return failure;
        if (found <= MOST_KEPT_SIZE)
            keep_while(kernel, device, number, (uint32_t)found);
    }
    return give_info(&found, sizeof found, room, value, size);
}

int32_t tell_work_group(struct entry *entry, struct object *kernel, struct object *device, uint32_t query, size_t room, const void *value,
                        const void *size)
{
    return query == LOCAL_MEM_SIZE && is_object(kernel, KERNEL) && kernel->arguments
        ? tell_local_size(entry, kernel, device, room, value, size)
        : ask_with_device(entry, kernel, device, query, room, value, size);
}
