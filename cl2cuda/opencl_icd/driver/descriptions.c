#include "descriptions.h"

#include "arrays.h"
#include "spares.h"
#include "user_events.h"

#include <stdlib.h>
#include <string.h>

PyObject *may_begin_bare, *maker_of, *sizes_of;
__thread const struct object *whole_being_used;

/* Of a context, and the bytes of one. */
enum { MOST_DESCRIPTIONS = 64, MOST_BYTES = 256 };

/* cl_image_format, cl_image_desc. */
enum { FORMAT_SIZE = 8 };
struct image_description {
    uint32_t type;
    struct image_sizes sizes;
    uint32_t levels, samples;
    const void *memory;
};

/* A call's description: numbers as they are, and what pointers lead to. `places` are where that is, NOWHERE for a number. */
enum { NOWHERE = MOST_BYTES };
struct key {
    size_t size;             /* a multiple of a word's: all that is added are words */
    int count;               /* of the parameters */
    int host_at;             /* which of them is the host's memory that the object begins with, if any */
    int whole_at;            /* which of them names the memory object that the object is made over, if any */
    struct object *whole;
    int is_sized;            /* whether it is an image whose sizes are apart: */
    struct image_sizes sizes;
    int image_at, size_at[SIZES], pitch_at[PITCHES]; /* and where they are, see struct description */
    size_t places[MOST_DESCRIBED_WORDS];
    char bytes[MOST_BYTES];
};

/* 0 where there is no room. */
static int add(struct key *key, const void *data, size_t size)
{
    if (size > MOST_BYTES - key->size)
        return 0;
    memcpy(key->bytes + key->size, data, size);
    key->size += size;
    return 1;
}

/* What there is to know of a buffer that images are made over; 0 for other memory objects, and for parts of buffers. */
static int add_whole(struct key *key, struct object *whole, const struct object *context)
{
    const word what[] = { is_object(whole, MEMORY) ? whole->whole.size : 0, is_object(whole, MEMORY) ? whole->whole.flags : 0 };
    key->whole = whole;
    key->whole_at = key->count;
    return what[0] && is_referenced(whole) && whole->context == context && add(key, what, sizeof what);
}

/* Without what lies between the members, which may be anything. How many levels of a mipmap there may be depends on the sizes. */
static int add_image(struct key *key, const struct image_description *given, const struct object *context)
{
    const word has_whole = given->memory != NULL;
    struct image_description clean;
    memset(&clean, 0, sizeof clean);
    clean.type = given->type;
    if (has_whole || given->levels > 1) {
        clean.sizes = given->sizes;
    } else {
        key->is_sized = 1;
        key->sizes = given->sizes;
        key->image_at = key->count;
    }
    clean.levels = given->levels;
    clean.samples = given->samples;
    return add(key, &clean, sizeof clean) && add(key, &has_whole, sizeof has_whole)
        && (!has_whole || add_whole(key, (struct object *)given->memory, context));
}

#define SIZE_CODES "xyz"
#define PITCH_CODES "rs"

/* A size or a pitch that is a parameter, in the order of `codes`. */
static int take_size(struct key *key, const char *codes, char code, word given, size_t *sizes, int *places)
{
    int which = (int)(strchr(codes, code) - codes);
    sizes[which] = given;
    places[which] = key->count;
    return key->is_sized = 1;
}

/* Pairs of words up to a 0, and with it. */
static int add_list(struct key *key, const uint64_t *list)
{
    for (; *list; list += 2)
        if (!add(key, list, 2 * sizeof *list))
            return 0;
    return add(key, list, sizeof *list);
}

/* What a pointer leads to; whether a list is there comes before it. */
static int describe_pointee(struct key *key, char code, const void *given, const struct object *context)
{
    switch (code) {
    case 'f': return given && add(key, given, FORMAT_SIZE);
    case 'm': return given && add_image(key, given, context);
    default: return !given || add_list(key, given);
    }
}

/* One parameter; 0 where the description does not say all, or a depth is wrong: "image_depth [...] must be a value > 1"
   (clCreateImage3D). */
static int describe_word(struct key *key, char code, word given, const struct object *context, size_t *place)
{
    const word is_there = given != 0;
    *place = NOWHERE;
    switch (code) {
    case 'h': return add(key, &is_there, sizeof is_there);
    case 'd': return is_staying_device((const void *)given) && add(key, &given, sizeof given);
    case 'u': return add(key, &given, sizeof given);
    case 'z': case 'x': case 'y': return (code != 'z' || given > 1) && take_size(key, SIZE_CODES, code, given, key->sizes.sizes, key->size_at);
    case 'r': case 's': return take_size(key, PITCH_CODES, code, given, key->sizes.pitches, key->pitch_at);
    }
    if (code == 'q' && !add(key, &is_there, sizeof is_there))
        return 0;
    if (given)
        *place = key->size;
    return describe_pointee(key, code, (const void *)given, context);
}

static int describe(const struct entry *entry, const word *words, struct key *key)
{
    memset(key, 0, offsetof(struct key, places));
    for (const char *code = entry->described; *code; code++) {
        int place = ++key->count;
        if (*code == 'h')
            key->host_at = place;
        if (!describe_word(key, *code, words[place], (const struct object *)words[0], &key->places[place]))
            return 0;
    }
    return 1;
}

/* Most are a few words: a call of memcmp takes longer. */
static int is_described_by(const struct description *description, const struct entry *entry, const struct key *key)
{
    if (description->entry != entry || description->size != key->size)
        return 0;
    for (size_t i = 0; i < key->size; i += sizeof(word))
        if (*(const word *)(description->bytes + i) != *(const word *)(key->bytes + i))
            return 0;
    return 1;
}

static const struct description *find(const struct object *context, const struct entry *entry, const struct key *key)
{
    const struct description *each = __atomic_load_n(&context->descriptions.first, __ATOMIC_ACQUIRE);
    while (each && !is_described_by(each, entry, key))
        each = each->next;
    return each;
}

/* What makes more like this one; NULL where the call does. */
static PyObject *find_maker(const struct object *made)
{
    PyObject *maker = py.PyObject_CallFunction(maker_of, "O", made->core);
    if (!maker)
        drop_exception(1);
    if (maker != py.none)
        return maker;
    py.Py_DecRef(maker);
    return NULL;
}

/* What Python says of the first one. */
struct first_answer {
    int begins_bare;
    size_t first_size;
    struct size_limits limits;
};

static int ask_for_sizes(const struct key *key, const struct object *made, const word *words, struct first_answer *answer)
{
    if (!take_bytes(py.PyObject_CallFunction(sizes_of, "O", made->core), &answer->limits, sizeof answer->limits))
        return 0;
    answer->begins_bare = answer->limits.element_size != 0;
    answer->first_size = words[key->host_at] != 0;
    return 1;
}

static int ask_for_others(const struct object *made, struct first_answer *answer)
{
    PyObject *given = py.PyObject_CallFunction(may_begin_bare, "O", made->core);
    *answer = (struct first_answer){ .begins_bare = given && py.PyLong_AsUnsignedLongLongMask(given) };
    if (given)
        py.Py_DecRef(given);
    else
        drop_exception(1);
    return given != NULL;
}

/* With Python's lock, after Python has made the first one. */
static void keep_description(struct object *context, struct entry *entry, const word *words, const struct key *key,
                             const struct first_answer *answer, const struct object *made)
{
    struct description *new = malloc(sizeof *new + key->size);
    if (!new)
        return;
    *new = (struct description){ .entry = entry, .begins_bare = answer->begins_bare,
                                 .host_at = key->host_at, .whole_at = key->whole_at, .image_at = key->image_at, .size = key->size,
                                 .first_size = answer->first_size, .limits = answer->limits,
                                 .maker = answer->begins_bare ? find_maker(made) : NULL };
    new->arrays = new->maker && key->is_sized ? find_arrays(made) : NULL;
    memcpy(new->size_at, key->size_at, sizeof new->size_at);
    memcpy(new->pitch_at, key->pitch_at, sizeof new->pitch_at);
    memcpy(new->bytes, key->bytes, key->size);
    new->words[0] = (word)context;
    for (int i = 1; i <= key->count; i++)
        new->words[i] = key->places[i] == NOWHERE ? words[i] : (word)(new->bytes + key->places[i]);
    new->next = context->descriptions.first; /* Python may have let another thread add one meanwhile. */
    __atomic_store_n(&context->descriptions.count, context->descriptions.count + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&context->descriptions.first, new, __ATOMIC_RELEASE);
}

static void learn_description(struct entry *entry, const word *words, const struct key *key, const struct object *made)
{
    struct object *context = (struct object *)words[0];
    struct first_answer answer;
    int state;
    if (__atomic_load_n(&context->descriptions.count, __ATOMIC_RELAXED) >= MOST_DESCRIPTIONS || !python_enter(&state))
        return;
    if ((key->is_sized ? ask_for_sizes(key, made, words, &answer) : ask_for_others(made, &answer)) && !find(context, entry, key))
        keep_description(context, entry, words, key, &answer, made);
    python_leave(state);
}

/* One of a known description, with first contents of the host's, if it has some, or of a queue one that was released; NULL where it is
   Python's. */
static struct object *make_bare(const struct description *known, struct object *parent, const struct key *key, const void *host)
{
    const uint64_t bytes = key->is_sized && known->begins_bare ? bytes_of_image(&known->limits, &key->sizes, known->first_size != 0) : 0;
    if (!known->begins_bare || (key->is_sized && !bytes) || !python_alive())
        return NULL;
    struct object *queue = known->entry->returns == QUEUE ? take_queue(parent, known) : NULL;
    if (queue)
        return queue;
    struct object *made = new_described(parent, known, known->first_size ? host : NULL, key->is_sized ? bytes : known->first_size);
    for (int i = 0; made && key->is_sized && i < SIZES; i++)
        made->sizes[i] = known->limits.most[i] ? (uint32_t)key->sizes.sizes[i] : 0;
    return made;
}

word make_described(struct entry *entry, const word *words)
{
    struct object *context = (struct object *)words[0], *made;
    struct key key;
    if (!is_object(context, CONTEXT) || !is_referenced(context) || !describe(entry, words, &key))
        return answer(entry, words);
    const struct description *known = find(context, entry, &key);
    if (known && (made = make_bare(known, key.whole ? key.whole : context, &key, (const void *)words[known->host_at]))) {
        int32_t *error = (int32_t *)words[key.count + 1];
        note_user_event(made);
        if (error)
            *error = SUCCESS;
        return (word)made;
    }
    made = (struct object *)answer(entry, words);
    note_user_event(made);
    if (made && !known)
        learn_description(entry, words, &key, made);
    return (word)made;
}

/* An object that is made over its parent. */
static PyObject *core_over(const struct object *object, word *words)
{
    const struct description *description = object->description;
    const struct object *before = whole_being_used;
    struct image_description over = *(const struct image_description *)words[description->whole_at];
    over.memory = object->parent;
    words[description->whole_at] = (word)&over;
    whole_being_used = object->parent;
    PyObject *made = core_by(description->entry, words);
    whole_being_used = before;
    return made;
}

/* By the call, with the image's own sizes. */
static PyObject *core_of_sizes(const struct object *object, word *words)
{
    const struct description *description = object->description;
    struct image_description sized;
    if (description->image_at) {
        sized = *(const struct image_description *)words[description->image_at];
        for (int i = 0; i < SIZES; i++)
            sized.sizes.sizes[i] = object->sizes[i];
        words[description->image_at] = (word)&sized;
    }
    for (int i = 0; i < SIZES; i++)
        if (description->size_at[i])
            words[description->size_at[i]] = object->sizes[i];
    for (int i = 0; i < PITCHES; i++)
        if (description->pitch_at[i])
            words[description->pitch_at[i]] = 0;
    return core_by(description->entry, words);
}

/* By fewer steps than the call's; NULL where there are none, or the call is to say what is wrong. */
static PyObject *core_by_maker(const struct object *object, const void *first)
{
    PyObject *maker = object->description->maker;
    const uint32_t *sizes = object->sizes;
    PyObject *made = maker ? py.PyObject_CallFunction(maker, "OKIIII", object->parent->core, (unsigned long long)(word)first,
                                                      sizes[WIDTH], sizes[HEIGHT], sizes[DEPTH], sizes[LAYERS]) : NULL;
    if (maker && !made)
        py.PyErr_Clear();
    if (made != py.none)
        return made;
    py.Py_DecRef(made);
    return NULL;
}

PyObject *described_core(const struct object *object, const void *first)
{
    const struct description *description = object->description;
    word words[MOST_DESCRIBED_WORDS];
    PyObject *made = core_by_maker(object, first);
    if (made)
        return made;
    memcpy(words, description->words, sizeof words);
    if (description->first_size)
        words[description->host_at] = (word)first;
    return description->whole_at ? core_over(object, words) : core_of_sizes(object, words);
}

void forget_descriptions(struct object *context)
{
    for (struct description *each = context->descriptions.first, *next; each; each = next) {
        next = each->next;
        if (each->maker)
            py.Py_DecRef(each->maker);
        free(each->arrays);
        free(each);
    }
    context->descriptions.first = NULL;
}
