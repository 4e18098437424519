// The head of every host program: CUDA's words for a plain C++ compiler. Fixed, not taken apart.
#define __device__ inline __attribute__((always_inline, visibility("hidden")))
#define __global__ static inline __attribute__((always_inline))
#define __constant__ static
#define __shared__ static thread_local
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
