/* What events tell whose commands' ends are looked for. */
#ifndef CL2CUDA_EVENTS_H
#define CL2CUDA_EVENTS_H

#include "calls.h"

/* clGetEventInfo, of what is no fact (facts.h). */
int32_t tell_event(struct entry *entry, struct object *event, uint32_t query, size_t room, const void *value, const void *size);

#endif
