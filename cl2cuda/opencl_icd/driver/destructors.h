/* Callbacks of memory objects that go. The library keeps them: those of an object of which Python has never heard are called as it goes,
   and of others Python is told as they do, which knows what their commands are doing. */
#ifndef CL2CUDA_DESTRUCTORS_H
#define CL2CUDA_DESTRUCTORS_H

#include "calls.h"

/* clSetMemObjectDestructorCallback */
int32_t set_destructor_callback(struct entry *entry, struct object *memory, const void *function, const void *user_data);

/* At the end of a memory object that nobody refers to: without Python's object, and with Python's lock where there is one. */
void call_destructors(struct object *memory);
void tell_destructors(struct object *memory);

#endif
