// Integer functions (6.15.3), scalar; templates stand for the eight integer types.

namespace ocl {

template<class T> __device__ T max(T x, T y) { return x < y ? y : x; }

template<class T> __device__ T min(T x, T y) { return y < x ? y : x; }

template<class T> __device__ T clamp(T x, T low, T high) { return x < low ? low : high < x ? high : x; }

}  // namespace ocl
