// What the collective functions (6.15.16, 6.15.17, 6.15.20) combine with, and what they start from. `collectives.py` names one
// of these for each function; a port has the reductions and scans.

namespace ocl {

template<class T> __device__ T greatest_value() {
    if constexpr (T(0.5) != T(0)) return (T)__builtin_bit_cast(float, 0x7f800000);
    else if constexpr (T(-1) > T(0)) return T(-1);
    else return (T)~(1ull << (8 * sizeof(T) - 1));
}

template<class T> __device__ T least_value() {
    if constexpr (T(0.5) != T(0)) return (T)__builtin_bit_cast(float, 0xff800000);
    else if constexpr (T(-1) > T(0)) return T(0);
    else return (T)(1ull << (8 * sizeof(T) - 1));
}

struct op_add {
    template<class T> static __device__ T of(T a, T b) { return (T)(a + b); }
    template<class T> static __device__ T identity() { return T(0); }
};

struct op_mul {
    template<class T> static __device__ T of(T a, T b) { return (T)(a * b); }
    template<class T> static __device__ T identity() { return T(1); }
};

struct op_min {
    template<class T> static __device__ T of(T a, T b) { return b < a ? b : a; }
    template<class T> static __device__ T identity() { return greatest_value<T>(); }
};

struct op_max {
    template<class T> static __device__ T of(T a, T b) { return a < b ? b : a; }
    template<class T> static __device__ T identity() { return least_value<T>(); }
};

struct op_and {
    template<class T> static __device__ T of(T a, T b) { return (T)(a & b); }
    template<class T> static __device__ T identity() { return (T)~T(0); }
};

struct op_or {
    template<class T> static __device__ T of(T a, T b) { return (T)(a | b); }
    template<class T> static __device__ T identity() { return T(0); }
};

struct op_xor {
    template<class T> static __device__ T of(T a, T b) { return (T)(a ^ b); }
    template<class T> static __device__ T identity() { return T(0); }
};

}  // namespace ocl
