// What GNU C's and clang's built-ins need that has no counterpart in OpenCL C, on the host.

namespace ocl {

__device__ void *copy_bytes(void *to, const void *from, size_t count) { return __builtin_memcpy(to, from, count); }

__device__ void *fill_bytes(void *to, int byte, size_t count) { return __builtin_memset(to, byte, count); }

__device__ void *move_bytes(void *to, const void *from, size_t count) { return __builtin_memmove(to, from, count); }

__device__ void trap() { __builtin_trap(); }

__device__ void assume(bool condition) { if (!condition) __builtin_unreachable(); }

}  // namespace ocl
