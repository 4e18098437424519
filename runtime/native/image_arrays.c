/* Arrays that no command uses, for the next images of their kind and sizes. */
#include "image_arrays.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_UNUSED = 64, MOST_UNUSED_BYTES = 64 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct array_list unused; /* the last one first */

void begin_unused_arrays_anew(void)
{
    pthread_mutex_init(&lock, NULL);
}

static struct image_array *take_out(struct array_list *list, struct image_array **place)
{
    struct image_array *array = *place;
    *place = array->next;
    array->next = NULL;
    list->count--;
    list->bytes -= array->bytes;
    return array;
}

struct image_array *take_array(const struct image_kind *kind, const uint32_t *sizes)
{
    pthread_mutex_lock(&lock);
    struct image_array **place = &unused.first;
    while (*place && !may_become(*place, kind, sizes))
        place = &(*place)->next;
    struct image_array *made = *place ? take_out(&unused, place) : NULL;
    pthread_mutex_unlock(&lock);
    if (made)
        return made;
    if ((made = calloc(1, sizeof *made)) && make_array(kind, sizes, made))
        return made;
    free(made);
    return NULL;
}

/* With the lock: what came first goes, while there is more than may be kept. The caller ends it. */
static void shorten(struct array_list *off)
{
    while (unused.count > MOST_UNUSED || unused.bytes > MOST_UNUSED_BYTES) {
        struct image_array **last = &unused.first;
        while ((*last)->next)
            last = &(*last)->next;
        put_first(off, take_out(&unused, last));
    }
}

void give_unused(struct image_array *first)
{
    struct array_list off = { 0 };
    pthread_mutex_lock(&lock);
    for (struct image_array *each = first, *next; each; each = next) {
        next = each->next;
        put_first(&unused, each);
    }
    shorten(&off);
    pthread_mutex_unlock(&lock);
    for (struct image_array *each = off.first, *next; each; each = next) {
        next = each->next;
        end_array(each);
        free(each);
    }
}
