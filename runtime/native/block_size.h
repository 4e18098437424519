/* How many bytes a block of device memory has (runtime/driver/block_size.py). */
#ifndef CL2CUDA_NATIVE_BLOCK_SIZE_H
#define CL2CUDA_NATIVE_BLOCK_SIZE_H

#include <stdint.h>

enum { BLOCK_PAGE = 2 << 20, SMALLEST_BLOCK = 512, STEPS_BITS = 4 };

static inline uint64_t block_size(uint64_t size)
{
    const int bits = size > 1 ? 64 - __builtin_clzll(size - 1) : 0;
    uint64_t step = bits > STEPS_BITS ? (uint64_t)1 << (bits - STEPS_BITS) : 1;
    if (step < SMALLEST_BLOCK)
        step = SMALLEST_BLOCK;
    if (size >= BLOCK_PAGE)
        step = BLOCK_PAGE;
    return size ? (size + step - 1) / step * step : SMALLEST_BLOCK;
}

#endif
