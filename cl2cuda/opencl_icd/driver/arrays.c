#include "arrays.h"

#include "descriptions.h"
#include "destructors.h"
#include "held.h"
#include "maps.h"

#include <pthread.h>
#include <stdlib.h>

PyObject *arrays_of, *adopt_array, *disown_array, *retire_arrays;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Python is told of so many at once, or so many bytes. */
enum { MANY_LEFT = 16, MUCH_LEFT = 8 << 20 };

void begin_arrays_anew(void)
{
    pthread_mutex_init(&lock, NULL);
    begin_unused_arrays_anew();
}

struct arrays *find_arrays(const struct object *made)
{
    struct arrays *found = calloc(1, sizeof *found);
    if (found && take_bytes(py.PyObject_CallFunction(arrays_of, "O", made->core), &found->kind, sizeof found->kind))
        return found;
    free(found);
    return NULL;
}

static struct arrays *arrays_for(const struct object *image)
{
    return image->description ? image->description->arrays : NULL;
}

/* With the array that this thread makes; 0, and nothing is changed, where the image has been left to Python meanwhile. */
static int publish(struct object *image, struct image_array *made, struct contents *contents)
{
    pthread_mutex_lock(&lock);
    int is_own = image->array_state == IS_MADE;
    if (is_own) {
        image->array = made;
        image->array_state = IS_OWN;
        forget_first_contents(image);
        __atomic_store_n(&image->contents, contents, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    if (!is_own)
        give_unused(made);
    return is_own;
}

/* At the first use, by the one thread that makes it: 0 where the array is Python's to make. */
static int make_own(struct object *image, const struct image_kind *kind)
{
    struct contents *contents = calloc(1, sizeof *contents);
    const struct contents_of_image first = { read_first_contents(image), 0 };
    struct image_array *made = contents ? take_filled_array(kind, image->sizes, &first) : NULL;
    leave_first_contents(image, first.memory);
    if (made) {
        contents->known = (struct known_contents){ .format = kind->format, .array = known_as(kind, made, image->sizes) };
        if (publish(image, made, contents))
            return 1;
    }
    free(contents);
    return 0;
}

/* Whether the image, which was in one of two states, is in the other one now. */
static int goes_over(struct object *image, enum array_state from, enum array_state to)
{
    pthread_mutex_lock(&lock);
    int goes = image->array_state == from;
    if (goes)
        image->array_state = to;
    pthread_mutex_unlock(&lock);
    return goes;
}

int has_own_array(struct object *image)
{
    const struct arrays *arrays = arrays_for(image);
    if (!arrays || has_core(image) || !python_alive() || !is_current(arrays->kind.calls->current, arrays->kind.calls->context))
        return 0;
    if (!goes_over(image, IS_NONE, IS_MADE))
        return goes_over(image, IS_OWN, IS_OWN);
    if (make_own(image, &arrays->kind))
        return 1;
    goes_over(image, IS_MADE, IS_NONE);
    return 0;
}

static const struct accepted *accepted_as(const struct arrays *arrays, uint64_t writes)
{
    const uint32_t count = arrays ? __atomic_load_n(&arrays->accepted_count, __ATOMIC_ACQUIRE) : 0;
    for (uint32_t i = 0; i < count; i++)
        if (arrays->accepted[i].writes == writes)
            return &arrays->accepted[i];
    return NULL;
}

void note_accepted(const struct object *image, const struct place *place, uint64_t asked)
{
    struct arrays *arrays = arrays_for(image);
    if (!arrays || arrays->accepted_count == MOST_ACCEPTED || accepted_as(arrays, place->writes))
        return;
    arrays->accepted[arrays->accepted_count] = (struct accepted){ place->writes, asked };
    __atomic_store_n(&arrays->accepted_count, arrays->accepted_count + 1, __ATOMIC_RELEASE);
}

/* Of two handles the image keeps the one that it has, and what is given keeps the other one. */
static void take_handle(uintptr_t *has, uintptr_t *given)
{
    if (!*has)
        *has = *given;
    if (*has == *given)
        *given = 0;
}

/* What the image has got meanwhile stays, and `more` keeps what is too much. */
static void take_textures(struct image_array *array, struct image_array *more)
{
    take_handle(&array->surface, &more->surface);
    for (int i = 0; i < TEXTURE_STATES; i++)
        take_handle(&array->textures[i], &more->textures[i]);
}

/* An image that the library has the array of gets what kernels need that read it in these states; 0 where it is Python's by now. */
static int use_array(struct object *image, const struct image_kind *kind, uint32_t states, struct image_argument *argument)
{
    pthread_mutex_lock(&lock);
    struct image_array more = image->array_state == IS_OWN ? *image->array : (struct image_array){ 0 };
    pthread_mutex_unlock(&lock);
    const struct image_array before = more;
    int done = more.array && make_textures(kind, &more, states);
    pthread_mutex_lock(&lock);
    done &= image->array_state == IS_OWN;
    if (done) {
        take_textures(image->array, &more);
        *argument = argument_of(kind, image->array, image->sizes, states);
    }
    pthread_mutex_unlock(&lock);
    end_textures(&more, done ? NULL : &before);
    return done;
}

int give_own_array(const struct place *place, struct object *image, uint64_t *asked)
{
    const struct arrays *arrays = arrays_for(image);
    const struct accepted *accepted = accepted_as(arrays, place->writes);
    if (!accepted || !has_own_array(image) || !use_array(image, &arrays->kind, place->states, (struct image_argument *)place->address))
        return 0;
    *asked = accepted->asked;
    return 1;
}

void leave_array_to_python(struct object *image)
{
    if (!arrays_for(image))
        return;
    pthread_mutex_lock(&lock);
    image->array_state = IS_PYTHONS;
    pthread_mutex_unlock(&lock);
}

int give_array_to(PyObject *core, const struct object *image)
{
    uintptr_t all[MOST_HANDLES];
    if (!image->array)
        return 1;
    PyObject *handles = tuple_of_words(all, handles_of(image->array, all));
    PyObject *none = handles ? py.PyObject_CallFunction(adopt_array, "OO", core, handles) : NULL;
    if (handles)
        py.Py_DecRef(handles);
    if (none)
        py.Py_DecRef(none);
    return none != NULL;
}

void take_array_back(PyObject *core, const struct object *image)
{
    PyObject *none = image->array ? py.PyObject_CallFunction(disown_array, "O", core) : NULL;
    if (none)
        py.Py_DecRef(none);
    else
        drop_exception(1);
}

/* Python's lock is not to be had when the process ends, which takes all arrays with it. */
static void tell_when_many(struct object *context, int is_much)
{
    int state;
    if (!is_much || !python_enter(&state))
        return;
    tell_of_left_arrays(context);
    python_leave(state);
}

int leave_array(struct object *image)
{
    struct object *context = image->context;
    struct array_list *left = &context->left_arrays;
    if (!image->array)
        return 1;
    if (image->destructors || any_held()) /* What is held back may use it. */
        return 0;
    pthread_mutex_lock(&lock);
    put_first(left, image->array);
    image->array = NULL;
    int is_much = left->count >= MANY_LEFT || left->bytes >= MUCH_LEFT || !is_referenced(context);
    pthread_mutex_unlock(&lock);
    tell_when_many(context, is_much);
    return 1;
}

void tell_of_left_arrays(struct object *context)
{
    pthread_mutex_lock(&lock);
    const struct array_list left = context->left_arrays;
    context->left_arrays = (struct array_list){ 0 };
    pthread_mutex_unlock(&lock);
    PyObject *none = left.first ? py.PyObject_CallFunction(retire_arrays, "OKK", context->core, (unsigned long long)(uintptr_t)left.first,
                                                           (unsigned long long)left.bytes) : new_reference(py.none);
    if (none)
        py.Py_DecRef(none);
    else
        drop_exception(1);
}

/* end_arrays(address): no command uses those that begin there. Their context is current. */
PyObject *end_arrays(PyObject *self, PyObject *arguments)
{
    unsigned long long address;
    (void)self;
    if (!py.PyArg_ParseTuple(arguments, "K", &address))
        return NULL;
    give_unused((struct image_array *)(uintptr_t)address);
    return new_reference(py.none);
}
