/* The kernels of ours that a stream has for what CUDA has no call for (runtime/cuda/own_kernels.py compiles them). */
#ifndef CL2CUDA_NATIVE_OWN_KERNELS_H
#define CL2CUDA_NATIVE_OWN_KERNELS_H

#include "grid.h"
#include "stream.h"

/* What the word of such a kernel is where Python was not asked for it often enough, or has none, how many bytes a thread of it writes, and how
   many threads a block has. */
enum { NOT_ASKED_FOR = 0, NO_KERNEL = 1, UNIT = 8, UNIT_THREADS = 256 };

static inline uint64_t own_kernel(const struct native_stream *stream, uint64_t word)
{
    return word && stream->launch ? __atomic_load_n((const uint64_t *)(uintptr_t)word, __ATOMIC_ACQUIRE) : NO_KERNEL;
}

/* Whether it was launched, for so many bytes: whole units. */
static inline int launch_own_kernel(const struct native_stream *stream, uint64_t kernel, size_t size, void **parameters)
{
    const struct grid grid = { (void *)(uintptr_t)kernel, { (unsigned)((size / UNIT + UNIT_THREADS - 1) / UNIT_THREADS), 1, 1 },
                               { UNIT_THREADS, 1, 1 }, 0, parameters, NULL };
    return kernel > NO_KERNEL && !launch_grid((grid_launcher *)(uintptr_t)stream->launch, &grid, handle_of(stream));
}

#endif
