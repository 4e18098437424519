/* What events tell of themselves, of which Python has not heard. */
#ifndef CL2CUDA_EVENTS_H
#define CL2CUDA_EVENTS_H

#include "calls.h"

/* clGetEventInfo */
int32_t tell_event(struct entry *entry, struct object *event, uint32_t query, size_t room, const void *value, const void *size);

#endif
