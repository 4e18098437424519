/* Threads that do the same work at once, and are waited for. */
#ifndef TOGETHER_H
#define TOGETHER_H

#include "check.h"

#include <pthread.h>

enum { MOST_TOGETHER = 64 };

/* Each is given its number, or all are given the same. */
static inline void run_each(int count, int is_numbered, void *(*work)(void *), void *same)
{
    pthread_t threads[MOST_TOGETHER];
    CHECK(count <= MOST_TOGETHER);
    for (size_t i = 0; i < (size_t)count; i++)
        CHECK(!pthread_create(&threads[i], NULL, work, is_numbered ? (void *)i : same));
    for (int i = 0; i < count; i++)
        CHECK(!pthread_join(threads[i], NULL));
}

static inline void run_numbered(int count, void *(*work)(void *))
{
    run_each(count, 1, work, NULL);
}

static inline void run_with(int count, void *(*work)(void *), void *same)
{
    run_each(count, 0, work, same);
}

#endif
