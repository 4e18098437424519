// What GNU C's and clang's built-ins need that has no counterpart in OpenCL C, on CUDA.

namespace ocl {

__device__ void *copy_bytes(void *to, const void *from, size_t count) { return ::memcpy(to, from, count); }

__device__ void *fill_bytes(void *to, int byte, size_t count) { return ::memset(to, byte, count); }

__device__ void *move_bytes(void *to, const void *from, size_t count) {
    char *t = (char *)to;
    const char *f = (const char *)from;
    if (t <= f)
        for (size_t i = 0; i < count; i++) t[i] = f[i];
    else
        for (size_t i = count; i > 0; i--) t[i - 1] = f[i - 1];
    return to;
}

__device__ void trap() { ::__trap(); }

__device__ void assume(bool condition) { __builtin_assume(condition); }

}  // namespace ocl
