/* CUDA's arrays for images: made, filled and ended; and those that no command uses, for the next images of their kind and sizes. */
#include "image_arrays.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_UNUSED = 64, MOST_UNUSED_BYTES = 64 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct array_list unused; /* the last one first */

typedef int create_array(uintptr_t *array, const struct array_descriptor *descriptor);

static struct array_descriptor descriptor_of(const struct image_kind *kind, const uint32_t *sizes)
{
    return (struct array_descriptor){ sizes[WIDTH], kind->dimensions > 1 ? sizes[HEIGHT] : 0,
                                      kind->is_layered ? sizes[LAYERS] : kind->dimensions > 2 ? sizes[DEPTH] : 0, kind->array_format,
                                      kind->channels, kind->array_flags };
}

/* Whether CUDA has made the array; `made` is all zeros before. */
static int make_array(const struct image_kind *kind, const uint32_t *sizes, struct image_array *made)
{
    made->calls = kind->calls;
    made->order = kind->order;
    made->type = kind->type;
    made->descriptor = descriptor_of(kind, sizes);
    made->bytes = kind->element_size * sizes[WIDTH] * at_least_one(sizes[HEIGHT]) * at_least_one(sizes[kind->is_layered ? LAYERS : DEPTH]);
    return !((create_array *)(uintptr_t)kind->calls->create)(&made->array, &made->descriptor);
}

/* Whether an array that is none's any more can be one of the kind and sizes. */
static int may_become(const struct image_array *old, const struct image_kind *kind, const uint32_t *sizes)
{
    const struct array_descriptor has = old->descriptor, wanted = descriptor_of(kind, sizes);
    return old->calls == kind->calls && old->order == kind->order && old->type == kind->type && has.width == wanted.width
        && has.height == wanted.height && has.depth == wanted.depth && has.flags == wanted.flags;
}

/* Ends the array, with its textures and surface. Their context is current, and no command uses them. */
static void end_array(const struct image_array *made)
{
    end_textures(made, NULL);
    ((by_handle *)(uintptr_t)made->calls->destroy)(made->array);
}

/* Where CUDA is to copy them from; `taken` is to be given back then, if it is not NULL. */
static const void *take_contents(struct first_contents *all, const struct contents_of_image *given, uint64_t size,
                                        struct first_contents **taken)
{
    const void *contents = given->memory;
    *taken = NULL;
    if (given->is_page_locked || size > __atomic_load_n(&all->size, __ATOMIC_ACQUIRE)
        || __atomic_exchange_n(&all->is_taken, 1, __ATOMIC_ACQUIRE))
        return contents;
    *taken = all;
    return memcpy((void *)(uintptr_t)all->memory, contents, size);
}

/* Whether all elements have these contents. */
static int fill_array(const struct image_array *made, const struct array *known, const struct contents_of_image *contents)
{
    const struct array_calls *calls = made->calls;
    const struct box box = { { 0, 0, 0 }, { known->sides[0], known->sides[1], known->sides[2] } };
    const uint64_t row = row_of(known, &box);
    struct first_contents *taken;
    const struct linear rows = { (uintptr_t)take_contents(calls->contents, contents, made->bytes, &taken), row, row * known->sides[1] };
    const struct copy copy = { end_in_host(&rows), end_in(known, &box), row, known->sides[1], known->sides[2] };
    void *stream = (void *)(uintptr_t)calls->stream;
    int done = !((copy_3d *)(uintptr_t)calls->copy_3d)(&copy, stream) && !((by_handle *)(uintptr_t)calls->synchronize)(calls->stream);
    if (taken && done) /* Where CUDA has failed, nobody knows what it still reads. */
        __atomic_store_n(&taken->is_taken, 0, __ATOMIC_RELEASE);
    return done;
}

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

/* One of those that are unused, or a new one. */
static struct image_array *take_array(const struct image_kind *kind, const uint32_t *sizes)
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

struct image_array *take_filled_array(const struct image_kind *kind, const uint32_t *sizes, const struct contents_of_image *contents)
{
    struct image_array *made = take_array(kind, sizes);
    if (made && contents->memory) {
        const struct array known = known_as(kind, made, sizes);
        if (!fill_array(made, &known, contents)) {
            end_array(made);
            free(made);
            return NULL;
        }
    }
    return made;
}

int handles_of(const struct image_array *array, uintptr_t *handles)
{
    int count = 0;
    handles[count++] = array->array;
    handles[count++] = array->surface;
    for (int i = 0; i < TEXTURE_STATES; i++)
        if (array->textures[i])
            handles[count++] = array->textures[i];
    return count;
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
