// GNU C's arithmetic that says whether the exact result fits: integers of any types are signs and magnitudes of 64 bits.

namespace ocl {

template<class T> __device__ ulong magnitude_of(T x) { return x < T(0) ? 0 - ulong(long(x)) : ulong(x); }

template<class R> __device__ bool store_exact(ulong magnitude, bool negative, bool too_large, R *to) {
    constexpr bool has_sign = R(-1) < R(0);
    constexpr ulong most = ~0ul >> (64 - 8 * sizeof(R) + has_sign);
    *to = R(negative ? 0 - magnitude : magnitude);
    if (negative && magnitude != 0) return too_large || !has_sign || magnitude > most + 1;
    return too_large || magnitude > most;
}

template<class R> __device__ bool store_sum(ulong a, bool a_negative, ulong b, bool b_negative, R *to) {
    if (a_negative == b_negative) return store_exact(a + b, a_negative, a + b < a, to);
    return a >= b ? store_exact(a - b, a_negative, false, to) : store_exact(b - a, b_negative, false, to);
}

template<class A, class B, class R> __device__ bool add_overflow(A a, B b, R *to) {
    return store_sum(magnitude_of(a), a < A(0), magnitude_of(b), b < B(0), to);
}

template<class A, class B, class R> __device__ bool sub_overflow(A a, B b, R *to) {
    return store_sum(magnitude_of(a), a < A(0), magnitude_of(b), !(b < B(0)), to);
}

template<class A, class B, class R> __device__ bool mul_overflow(A a, B b, R *to) {
    ulong x = magnitude_of(a), y = magnitude_of(b);
    return store_exact(x * y, (a < A(0)) != (b < B(0)), ::__umul64hi(x, y) != 0, to);
}

template<class T> __device__ T add_carry(T x, T y, T carry, T *carry_out) {
    T sum = x + y, all = sum + carry;
    *carry_out = (sum < x) | (all < carry);
    return all;
}

template<class T> __device__ T sub_carry(T x, T y, T carry, T *carry_out) {
    T difference = x - y, all = difference - carry;
    *carry_out = (x < y) | (difference < carry);
    return all;
}

}  // namespace ocl
