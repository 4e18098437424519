/* Answers to queries: how they are given, and those that stay, which objects keep. */
#ifndef CL2CUDA_ANSWERS_H
#define CL2CUDA_ANSWERS_H

#include "calls.h"

/* As room, address and real size ask for it. */
int32_t give_info(const void *data, size_t size, const word *info);

/* What is kept of an object's answers, by what was asked, and of what: NULL where nothing is. With Python's lock something is added. */
enum { IMAGE_ARGUMENT = 0xFFFFFFFF }; /* no query: for `arguments.c` */
const struct known *known_by(const struct object *object, uint32_t query, const void *of);
void keep_known(struct object *object, uint32_t query, const void *of, const char *data, size_t size);

/* The same for a query's words; with Python's lock its answer is kept, if it is one that stays. */
const struct known *known_answer(const struct entry *entry, const word *words);
void keep_answer(const struct entry *entry, const word *words, const char *data, size_t size);

/* One more answer, about a device, which stays as long as something is not counted on; 0 where it is not known. Without Python's lock. */
int tell_kept(const struct object *object, const struct object *device, uint64_t count, uint32_t *answer);
void keep_while(struct object *object, const struct object *device, uint64_t count, uint32_t answer);

/* clGetSupportedImageFormats */
int32_t tell_formats(struct entry *entry, struct object *context, uint64_t flags, uint32_t type, uint32_t room, const void *formats,
                     const void *count);

/* Of an object that nobody asks any more. */
void forget_answers(struct object *object);

#endif
