// CUDA's integer intrinsics for the host.

__device__ int __clz(int x) { return x == 0 ? 32 : __builtin_clz(x); }
__device__ int __clzll(long x) { return x == 0 ? 64 : __builtin_clzl(x); }
__device__ int __ffs(int x) { return __builtin_ffs(x); }
__device__ int __ffsll(long x) { return __builtin_ffsl(x); }
__device__ int __popc(unsigned x) { return __builtin_popcount(x); }
// GCC 12 counts wrongly, on processors with AVX512-VPOPCNTDQ, where it turns __builtin_popcountl of a loop's variable into vectors.
__device__ int __popcll(unsigned long x) { return __popc(unsigned(x)) + __popc(unsigned(x >> 32)); }
__device__ unsigned __sad(int x, int y, unsigned sum) { return (x < y ? unsigned(y) - unsigned(x) : unsigned(x) - unsigned(y)) + sum; }
__device__ unsigned __usad(unsigned x, unsigned y, unsigned sum) { return (x < y ? y - x : x - y) + sum; }
__device__ int __mulhi(int x, int y) { return (long)x * y >> 32; }
__device__ unsigned __umulhi(unsigned x, unsigned y) { return (unsigned long)x * y >> 32; }
__device__ long __mul64hi(long x, long y) { return (__int128)x * y >> 64; }
__device__ unsigned long __umul64hi(unsigned long x, unsigned long y) { return (unsigned __int128)x * y >> 64; }

__device__ int max(int x, int y) { return x < y ? y : x; }
__device__ int min(int x, int y) { return y < x ? y : x; }

__device__ unsigned __brev(unsigned x) {
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(x);
}

__device__ unsigned long __brevll(unsigned long x) { return (unsigned long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32)); }
