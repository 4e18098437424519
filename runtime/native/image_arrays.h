/* Images' arrays on CUDA, and the textures and surfaces by which kernels use them, without Python (runtime/cuda/arrays.py has the same for
   Python, and says what images of a kind have). */
#ifndef CL2CUDA_NATIVE_IMAGE_ARRAYS_H
#define CL2CUDA_NATIVE_IMAGE_ARRAYS_H

#include "array_list.h"
#include "boxes.h"
#include "image_sizes.h"

/* The states of samplers, of which an image may have a texture each: TEXTURE_STATES of driver/image_argument.py. */
enum { TEXTURE_STATES = 10 };

/* CUDA_ARRAY3D_DESCRIPTOR */
struct array_descriptor {
    size_t width, height, depth;
    uint32_t format, channels, flags;
};

/* CUDA_RESOURCE_DESC of an array, and CUDA_TEXTURE_DESC, which Python fills in. */
struct array_resource {
    int kind; /* 0: an array */
    uintptr_t array;
    char others[120];
    uint32_t flags;
};
struct texture_descriptor {
    char bytes[104];
};

/* What a kernel is given for an image (image_argument of builtins/library/shared/image.cuh). */
struct image_argument {
    uint64_t textures[TEXTURE_STATES], surface, memory[3];
    int32_t width, height, depth, layers, order, type, element_size, mip_levels;
    uint64_t levels;
};

/* Page-locked memory for first contents on their way, for one thread at a time: CUDA is slow between pageable memory and arrays. */
struct first_contents {
    uint64_t is_taken, memory, size;
};

/* CUDA's functions, the context that has to be current, and a stream for first contents (runtime/cuda/native_images.py). */
struct array_calls {
    uint64_t context, stream;
    struct first_contents *contents;
    uint64_t current, create, destroy, create_texture, destroy_texture, create_surface, destroy_surface, copy_3d, synchronize;
};

typedef int create_texture(uintptr_t *texture, const struct array_resource *resource, const struct texture_descriptor *descriptor,
                           const void *view);
typedef int create_surface(uintptr_t *surface, const struct array_resource *resource);
typedef int by_handle(uintptr_t handle);

/* What images of a type, a format and flags have in common, in a context of one device of CUDA's (runtime/cuda/arrays.py). `places` tells of each
   state which of the textures it has, counted from 1; 0: none. */
struct image_kind {
    const struct array_calls *calls;
    uint64_t element_size, flags, format; /* as struct array and struct known_contents have them */
    uint32_t dimensions, is_layered, array_format, channels, array_flags;
    int32_t order, type;
    uint32_t texture_count;
    uint8_t places[TEXTURE_STATES];
    char unused[6];
    struct texture_descriptor textures[TEXTURE_STATES];
};

/* An image of a kind. A texture that was not made is 0. */
struct image_array {
    struct image_array *next;
    const struct array_calls *calls;
    int32_t order, type; /* of which the textures are */
    struct array_descriptor descriptor;
    uint64_t bytes;
    uintptr_t array, surface, textures[TEXTURE_STATES];
};

static inline uint32_t at_least_one(uint32_t size)
{
    return size ? size : 1;
}

/* As commands know the image. */
static inline struct array known_as(const struct image_kind *kind, const struct image_array *made, const uint32_t *sizes)
{
    return (struct array){ .handle = made->array, .flags = kind->flags, .element_size = kind->element_size,
                           .sides = { sizes[WIDTH], at_least_one(sizes[HEIGHT]), at_least_one(sizes[kind->is_layered ? LAYERS : DEPTH]) },
                           .has_planes = kind->is_layered || kind->dimensions > 2 };
}

/* Whether there are the textures for these states of samplers, and the surface. */
static inline int make_textures(const struct image_kind *kind, struct image_array *made, uint32_t states)
{
    const struct array_resource resource = { .array = made->array };
    int done = made->surface || !((create_surface *)(uintptr_t)kind->calls->create_surface)(&made->surface, &resource);
    for (int i = 0; done && i < TEXTURE_STATES; i++) {
        const int place = kind->places[i] - 1;
        if (states >> i & 1 && place >= 0 && !made->textures[place])
            done = !((create_texture *)(uintptr_t)kind->calls->create_texture)(&made->textures[place], &resource, &kind->textures[place], NULL);
    }
    return done;
}

/* What a kernel is given that uses the image in these states of samplers only, for which there are textures: in place of others it has one
   of them, since it is asked whether there can be one. */
static inline struct image_argument argument_of(const struct image_kind *kind, const struct image_array *made, const uint32_t *sizes,
                                                uint32_t states)
{
    struct image_argument argument = { .surface = made->surface, .width = (int32_t)sizes[WIDTH],
                                       .height = (int32_t)at_least_one(sizes[HEIGHT]), .depth = (int32_t)at_least_one(sizes[DEPTH]),
                                       .layers = (int32_t)at_least_one(sizes[LAYERS]), .order = kind->order, .type = kind->type,
                                       .element_size = (int32_t)kind->element_size, .mip_levels = 1 };
    uintptr_t any = 0;
    for (uint32_t i = 0; i < kind->texture_count; i++)
        any = any ? any : made->textures[i];
    for (int i = 0; states && i < TEXTURE_STATES; i++)
        if (kind->places[i])
            argument.textures[i] = made->textures[kind->places[i] - 1] ? made->textures[kind->places[i] - 1] : any;
    return argument;
}

/* Ends the textures and the surface but for those of `kept`, if that is given. Their context is current, and no command uses them. */
static inline void end_textures(const struct image_array *made, const struct image_array *kept)
{
    for (int i = 0; i < TEXTURE_STATES; i++)
        if (made->textures[i] && !(kept && kept->textures[i]))
            ((by_handle *)(uintptr_t)made->calls->destroy_texture)(made->textures[i]);
    if (made->surface && !(kept && kept->surface))
        ((by_handle *)(uintptr_t)made->calls->destroy_surface)(made->surface);
}

/* What images are to contain, without gaps. */
struct contents_of_image {
    const void *memory; /* or NULL */
    int is_page_locked;
};

static inline void put_first(struct array_list *list, struct image_array *array)
{
    array->next = list->first;
    list->first = array;
    list->count++;
    list->bytes += array->bytes;
}

/* image_arrays.c: an array for an image of the kind, with the contents, if there are some: one of those that are unused or a new one, whose
   memory is the caller's; NULL where CUDA has none. Without Python's lock, if possible. */
struct image_array *take_filled_array(const struct image_kind *kind, const uint32_t *sizes, const struct contents_of_image *contents);
/* The handles of an array, of its surface, or 0, and of its textures, from which Python makes an image: how many they are. */
enum { MOST_HANDLES = 2 + TEXTURE_STATES };
int handles_of(const struct image_array *array, uintptr_t *handles);
/* A list of arrays that no command uses, with their context current: the next images have them, or they are ended. */
void give_unused(struct image_array *first);
/* In the child of a fork. */
void begin_unused_arrays_anew(void);

#endif
