#include "events.h"

#include "answers.h"
#include "commands.h"

/* CL_EVENT_COMMAND_QUEUE and so on, CL_COMMAND_USER */
enum { EVENT_COMMAND_QUEUE = 0x11D0, EVENT_COMMAND_TYPE, EVENT_COMMAND_EXECUTION_STATUS = 0x11D3, EVENT_CONTEXT, COMMAND_USER = 0x1204 };

int32_t tell_event(struct entry *entry, struct object *event, uint32_t query, size_t room, const void *value, const void *size)
{
    const word words[] = { (word)event, query, room, (word)value, (word)size };
    const int has_begun_bare = is_object(event, EVENT) && !has_core(event), is_users = has_begun_bare && event->description;
    const struct object *of = has_begun_bare && !is_users ? event->parent : NULL;
    const word queue = (word)(of && of->kind == LANE ? of->parent : of), context = has_begun_bare ? (word)event->context : 0;
    int32_t number;
    if (query == EVENT_COMMAND_EXECUTION_STATUS && tell_state(event, &number))
        return give_info(&number, sizeof number, room, value, size);
    if (query == EVENT_COMMAND_TYPE && has_begun_bare) {
        number = is_users ? COMMAND_USER : (int32_t)event->command;
        return give_info(&number, sizeof number, room, value, size);
    }
    if (query == EVENT_COMMAND_QUEUE && has_begun_bare)
        return give_info(&queue, sizeof queue, room, value, size);
    if (query == EVENT_CONTEXT && has_begun_bare)
        return give_info(&context, sizeof context, room, value, size);
    return (int32_t)answer(entry, words);
}
