/* The sizes of images that are made alike but for them (image/kinds.py). */
#ifndef CL2CUDA_NATIVE_IMAGE_SIZES_H
#define CL2CUDA_NATIVE_IMAGE_SIZES_H

#include <stddef.h>
#include <stdint.h>

/* `LAYERS` is how many images an array has. What an image's type does not have may be anything. */
enum { WIDTH, HEIGHT, DEPTH, LAYERS, SIZES };
enum { ROW_PITCH, SLICE_PITCH, PITCHES };

/* What a call gives; the pitches are those of the host's memory, in bytes, or 0. */
struct image_sizes {
    size_t sizes[SIZES], pitches[PITCHES];
};

/* What images may have that are alike: 0 for a size that their type does not have. */
struct size_limits {
    uint64_t element_size; /* 0: such images are not known by their sizes */
    uint64_t most_bytes;
    uint64_t most[SIZES];
};

/* "image_row_pitch [...] can be either 0 or >= image_width * size of element in bytes if host_ptr is not NULL", and so on: here without
   gaps, and of no image without contents. */
static inline int are_close(const struct size_limits *limits, const struct image_sizes *given, int has_contents)
{
    const uint64_t row = limits->element_size * given->sizes[WIDTH], plane = row * (limits->most[HEIGHT] ? given->sizes[HEIGHT] : 1);
    const int has_planes = limits->most[DEPTH] || limits->most[LAYERS];
    return (!given->pitches[ROW_PITCH] || (has_contents && given->pitches[ROW_PITCH] == row))
        && (!given->pitches[SLICE_PITCH] || (has_contents && has_planes && given->pitches[SLICE_PITCH] == plane));
}

/* How many bytes such an image has; 0 where Python is to look at its sizes. */
static inline uint64_t bytes_of_image(const struct size_limits *limits, const struct image_sizes *given, int has_contents)
{
    uint64_t bytes = limits->element_size;
    for (int i = 0; i < SIZES; i++) {
        if (!limits->most[i])
            continue;
        if (!given->sizes[i] || given->sizes[i] > limits->most[i])
            return 0;
        bytes *= given->sizes[i];
    }
    return are_close(limits, given, has_contents) && bytes <= limits->most_bytes ? bytes : 0;
}

#endif
