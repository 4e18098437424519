#include "destructors.h"

#include <stdlib.h>

typedef void notify(struct object *memory, void *user_data);

/* The last one comes first: "called in the reverse order in which they were registered". */
struct destructor {
    struct destructor *next;
    struct entry *entry;
    notify *function;
    void *user_data;
};

int32_t set_destructor_callback(struct entry *entry, struct object *memory, const void *function, const void *user_data)
{
    const word words[] = { (word)memory, (word)function, (word)user_data };
    struct destructor *new = is_object(memory, MEMORY) && is_referenced(memory) && function ? malloc(sizeof *new) : NULL;
    if (!new)
        return (int32_t)answer(entry, words);
    *new = (struct destructor){ .entry = entry, .function = (notify *)(uintptr_t)function, .user_data = (void *)user_data };
    hold_objects();
    new->next = memory->destructors;
    memory->destructors = new;
    let_objects_go();
    return SUCCESS;
}

static struct destructor *take_last(struct object *memory)
{
    struct destructor *last = memory->destructors;
    if (last)
        memory->destructors = last->next;
    return last;
}

void call_destructors(struct object *memory)
{
    for (struct destructor *each; (each = take_last(memory));) {
        each->function(memory, each->user_data);
        free(each);
    }
}

static struct destructor *first_to_last(struct object *memory)
{
    struct destructor *list = NULL;
    for (struct destructor *each; (each = take_last(memory)); list = each)
        each->next = list;
    return list;
}

void tell_destructors(struct object *memory)
{
    for (struct destructor *each = first_to_last(memory), *next; each; each = next) {
        const word words[] = { (word)memory, (word)each->function, (word)each->user_data };
        PyObject *done = core_by(each->entry, words);
        if (done)
            py.Py_DecRef(done);
        else
            drop_exception(1);
        next = each->next;
        free(each);
    }
}
