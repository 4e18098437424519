#include "events.h"

#include "answers.h"
#include "facts.h"

int32_t tell_event(struct entry *entry, struct object *event, uint32_t query, size_t room, const void *value, const void *size)
{
    const word words[] = { (word)event, query, room, (word)value, (word)size };
    int32_t number;
    if (query == EVENT_COMMAND_EXECUTION_STATUS && tell_state(event, &number))
        return give_info(&number, sizeof number, room, value, size);
    return (int32_t)answer(entry, words);
}
