// Extended bit operations (6.15.3.1), scalar. With a count of 0 any offset is defined that the type has bits for, so offsets are
// masked: the empty field that is shifted, or the 0 that is chosen, is the same wherever it lies.

namespace ocl {

// The `count` lowest bits of an unsigned type.
template<class U> __device__ U low_bits(uint count) { return count < bits<U> ? U((U(1) << count) - 1) : U(~U(0)); }

template<class T> __device__ T bitfield_insert(T base, T insert, uint offset, uint count) {
    using U = typename unsigned_of<T>::type;
    const uint shift = offset & (bits<T> - 1);
    const U field = U(low_bits<U>(count) << shift);
    return T(U(U(base) & ~field) | U(U(insert) << shift & field));
}

template<class T> __device__ typename unsigned_of<T>::type bitfield_extract_unsigned(T base, uint offset, uint count) {
    using U = typename unsigned_of<T>::type;
    return U(U(base) >> (offset & (bits<T> - 1)) & low_bits<U>(count));
}

// The field, moved up to the sign and back down.
template<class T> __device__ typename signed_of<T>::type bitfield_extract_signed(T base, uint offset, uint count) {
    using S = typename signed_of<T>::type;
    using U = typename unsigned_of<T>::type;
    if (count == 0) return S(0);
    return S(S(U(U(base) << (bits<T> - count - offset))) >> (bits<T> - count));
}

template<class T> __device__ T bit_reverse(T base) {
    using U = typename unsigned_of<T>::type;
    if constexpr (sizeof(T) == 8) return T(::__brevll(U(base)));
    else return T(::__brev(U(base)) >> (32 - bits<T>));
}

}  // namespace ocl
