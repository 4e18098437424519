// Floating-point atomics (cl_ext_float_atomics) on the host, by compare-and-swap. Every scope is the whole machine.

namespace ocl {

//: float_word
template<class T> struct float_word;
template<> struct float_word<half> { typedef unsigned short bits; };
template<> struct float_word<float> { typedef unsigned bits; };
template<> struct float_word<double> { typedef unsigned long bits; };

// Atomically replaces the value by `update` of it; returns the one before.
//: float_update
template<class T, class F> __device__ T float_update(volatile atomic<T>* p, int order, F update) {
    typedef typename float_word<T>::bits bits;
    bits *place = (bits*)p, old = __atomic_load_n(place, __ATOMIC_RELAXED), desired;
    do desired = __builtin_bit_cast(bits, update(__builtin_bit_cast(T, old)));
    while (!__atomic_compare_exchange_n(place, &old, desired, false, order, __ATOMIC_RELAXED));
    return __builtin_bit_cast(T, old);
}

//: sum_of
template<class T> __device__ T sum_of(T x, T y) { return x + y; }
__device__ half sum_of(half x, half y) { return half_rte((double)float_of(x) + (double)float_of(y)); }

// Whether fmin or fmax keeps the first: "if one argument is a NaN, returns the other argument".
//: keeps_first
template<bool least, class T> __device__ bool keeps_first(T x, T y) { return y != y || (least ? x <= y : x >= y); }
template<bool least> __device__ bool keeps_first(half x, half y) { return keeps_first<least>(float_of(x), float_of(y)); }

//: float_fetch_add_explicit
template<class T> __device__ T float_fetch_add_explicit(volatile atomic<T>* p, T operand, int order, int = 0) {
    return float_update(p, order, [=](T now) { return sum_of(now, operand); });
}

//: float_fetch_min_explicit
template<class T> __device__ T float_fetch_min_explicit(volatile atomic<T>* p, T operand, int order, int = 0) {
    return float_update(p, order, [=](T now) { return keeps_first<true>(now, operand) ? now : operand; });
}

//: float_fetch_max_explicit
template<class T> __device__ T float_fetch_max_explicit(volatile atomic<T>* p, T operand, int order, int = 0) {
    return float_update(p, order, [=](T now) { return keeps_first<false>(now, operand) ? now : operand; });
}

//: half_store_explicit
__device__ void half_store_explicit(volatile atomic<half>* p, half desired, int order, int = 0) {
    __atomic_store_n((ushort*)p, desired.bits, order);
}

//: half_load_explicit
__device__ half half_load_explicit(volatile atomic<half>* p, int order, int = 0) { return {__atomic_load_n((ushort*)p, order)}; }

//: half_exchange_explicit
__device__ half half_exchange_explicit(volatile atomic<half>* p, half desired, int order, int = 0) {
    return {__atomic_exchange_n((ushort*)p, desired.bits, order)};
}

}  // namespace ocl
