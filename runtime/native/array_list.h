/* A list of images' arrays (image_arrays.h). */
#ifndef CL2CUDA_NATIVE_ARRAY_LIST_H
#define CL2CUDA_NATIVE_ARRAY_LIST_H

#include <stdint.h>

struct array_list {
    struct image_array *first;
    uint32_t count;
    uint64_t bytes;
};

#endif
