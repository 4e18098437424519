// Relational functions (6.15.6): scalar ones give 0 or 1; the vector forms make -1 of the 1.

namespace ocl {

__device__ int isequal(float x, float y) { return x == y; }
__device__ int isequal(double x, double y) { return x == y; }

__device__ int isnotequal(float x, float y) { return x != y; }
__device__ int isnotequal(double x, double y) { return x != y; }

__device__ int isgreater(float x, float y) { return x > y; }
__device__ int isgreater(double x, double y) { return x > y; }

__device__ int isgreaterequal(float x, float y) { return x >= y; }
__device__ int isgreaterequal(double x, double y) { return x >= y; }

__device__ int isless(float x, float y) { return x < y; }
__device__ int isless(double x, double y) { return x < y; }

__device__ int islessequal(float x, float y) { return x <= y; }
__device__ int islessequal(double x, double y) { return x <= y; }

__device__ int islessgreater(float x, float y) { return x < y || x > y; }
__device__ int islessgreater(double x, double y) { return x < y || x > y; }

__device__ int isordered(float x, float y) { return x == x && y == y; }
__device__ int isordered(double x, double y) { return x == x && y == y; }

__device__ int isunordered(float x, float y) { return x != x || y != y; }
__device__ int isunordered(double x, double y) { return x != x || y != y; }

__device__ int isfinite(float x) { return ::fabsf(x) < INFINITY; }
__device__ int isfinite(double x) { return ::fabs(x) < HUGE_VAL; }

__device__ int isinf(float x) { return ::fabsf(x) == INFINITY; }
__device__ int isinf(double x) { return ::fabs(x) == HUGE_VAL; }

__device__ int isnan(float x) { return x != x; }
__device__ int isnan(double x) { return x != x; }

__device__ int isnormal(float x) { return ::fabsf(x) >= FLT_MIN && ::fabsf(x) < INFINITY; }
__device__ int isnormal(double x) { return ::fabs(x) >= DBL_MIN && ::fabs(x) < HUGE_VAL; }

__device__ int signbit(float x) { return __builtin_bit_cast(int, x) < 0; }
__device__ int signbit(double x) { return __builtin_bit_cast(long, x) < 0; }

// Whether the most significant bit of the argument, or of any component, is set.
template<class T> __device__ int any(T x) { return x < 0; }
template<class T> __device__ int any(vec<T, 2> v) { return (v.x | v.y) < 0; }
template<class T> __device__ int any(vec<T, 3> v) { return (v.x | v.y | v.z) < 0; }
template<class T> __device__ int any(vec<T, 4> v) { return (v.x | v.y | v.z | v.w) < 0; }
template<class T> __device__ int any(vec<T, 8> v) { return (v.s0 | v.s1 | v.s2 | v.s3 | v.s4 | v.s5 | v.s6 | v.s7) < 0; }
template<class T> __device__ int any(vec<T, 16> v) {
    return (v.s0 | v.s1 | v.s2 | v.s3 | v.s4 | v.s5 | v.s6 | v.s7 | v.s8 | v.s9 | v.sa | v.sb | v.sc | v.sd | v.se | v.sf) < 0;
}

// Whether it is set in all components.
template<class T> __device__ int all(T x) { return x < 0; }
template<class T> __device__ int all(vec<T, 2> v) { return (v.x & v.y) < 0; }
template<class T> __device__ int all(vec<T, 3> v) { return (v.x & v.y & v.z) < 0; }
template<class T> __device__ int all(vec<T, 4> v) { return (v.x & v.y & v.z & v.w) < 0; }
template<class T> __device__ int all(vec<T, 8> v) { return (v.s0 & v.s1 & v.s2 & v.s3 & v.s4 & v.s5 & v.s6 & v.s7) < 0; }
template<class T> __device__ int all(vec<T, 16> v) {
    return (v.s0 & v.s1 & v.s2 & v.s3 & v.s4 & v.s5 & v.s6 & v.s7 & v.s8 & v.s9 & v.sa & v.sb & v.sc & v.sd & v.se & v.sf) < 0;
}

// "Each bit of the result is the corresponding bit of a if the corresponding bit of c is 0. Otherwise it is b's."
template<class T> __device__ T bitselect(T a, T b, T c) { return (a & ~c) | (b & c); }

__device__ float bitselect(float a, float b, float c) {
    uint bits = __builtin_bit_cast(uint, c);
    return __builtin_bit_cast(float, (__builtin_bit_cast(uint, a) & ~bits) | (__builtin_bit_cast(uint, b) & bits));
}

__device__ double bitselect(double a, double b, double c) {
    ulong bits = __builtin_bit_cast(ulong, c);
    return __builtin_bit_cast(double, (__builtin_bit_cast(ulong, a) & ~bits) | (__builtin_bit_cast(ulong, b) & bits));
}

// "For a scalar type, result = c ? b : a"; for a component of a vector, "if MSB of c[i] is set ? b[i] : a[i]".
template<class T, class C> __device__ T select(T a, T b, C c) { return c ? b : a; }

template<class T, class C> __device__ T select_by_sign(T a, T b, C c) { return c >> (8 * sizeof(C) - 1) ? b : a; }

}  // namespace ocl
