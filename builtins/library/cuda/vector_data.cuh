// Vector loads and stores through pointers to global memory (6.15.7) on CUDA. OpenCL promises the alignment of an element, hardware
// takes up to 16 bytes at once where they are aligned. What lies where is mostly known at run time only, so both forms are there: they
// become instructions under one predicate and its opposite, without a branch. (An assumption about kernels' parameters would take
// from NVRTC that their memory is only read.)

namespace ocl {

// Whether N elements at p can be taken at once, or in pieces of 16 bytes.
template<int N, class T> __device__ bool fits(const T* p) {
    return is_multiple<(N * sizeof(T) < 16 ? N : 16 / sizeof(T))>(p);
}

// Halves, whose halves are such pieces at last: spelled so, and not as a loop over an array of them, they take NVRTC less time.
//: halves
template<class T, int N> struct halves;
template<class T> struct halves<T, 4> { vec<T, 2> low, high; };
template<class T> struct halves<T, 8> { vec<T, 4> low, high; };
template<class T> struct halves<T, 16> { vec<T, 8> low, high; };

// p is where it fits.
template<int N, class T> __device__ vec<T, N> load_wide(const T* p) {
    if constexpr (N * sizeof(T) <= 16) return *reinterpret_cast<const vec<T, N>*>(p);
    else return __builtin_bit_cast(vec<T, N>, halves<T, N>{load_wide<N / 2>(p), load_wide<N / 2>(p + N / 2)});
}

template<int N, class T> __device__ void store_wide(vec<T, N> v, T* p) {
    if constexpr (N * sizeof(T) <= 16) *reinterpret_cast<vec<T, N>*>(p) = v;
    else {
        const auto of = __builtin_bit_cast(halves<T, N>, v);
        store_wide<N / 2>(of.high, p + N / 2);
        store_wide<N / 2>(of.low, p);
    }
}

// Told whether memory is aligned. Where the same is known of all accesses in a loop, NVRTC makes two loops of it.

template<class T> __device__ vec<T, 2> vload2_if(bool aligned, size_t offset, const T* p) {
    p += 2 * offset;
    return aligned ? load_wide<2>(p) : vload2(0, p);
}

template<class T> __device__ vec<T, 4> vload4_if(bool aligned, size_t offset, const T* p) {
    p += 4 * offset;
    return aligned ? load_wide<4>(p) : vload4(0, p);
}

template<class T> __device__ vec<T, 8> vload8_if(bool aligned, size_t offset, const T* p) {
    p += 8 * offset;
    return aligned ? load_wide<8>(p) : vload8(0, p);
}

template<class T> __device__ vec<T, 16> vload16_if(bool aligned, size_t offset, const T* p) {
    p += 16 * offset;
    return aligned ? load_wide<16>(p) : vload16(0, p);
}

template<class T> __device__ void vstore2_if(bool aligned, vec<T, 2> v, size_t offset, T* p) {
    p += 2 * offset;
    if (aligned) store_wide<2>(v, p);
    else { p[1] = v.y; p[0] = v.x; }
}

template<class T> __device__ void vstore4_if(bool aligned, vec<T, 4> v, size_t offset, T* p) {
    p += 4 * offset;
    if (aligned) store_wide<4>(v, p);
    else { p[3] = v.w; p[2] = v.z; p[1] = v.y; p[0] = v.x; }
}

template<class T> __device__ void vstore8_if(bool aligned, vec<T, 8> v, size_t offset, T* p) {
    p += 8 * offset;
    if (aligned) store_wide<8>(v, p);
    else { p[7] = v.s7; p[6] = v.s6; p[5] = v.s5; p[4] = v.s4; p[3] = v.s3; p[2] = v.s2; p[1] = v.s1; p[0] = v.s0; }
}

template<class T> __device__ void vstore16_if(bool aligned, vec<T, 16> v, size_t offset, T* p) {
    p += 16 * offset;
    if (aligned) store_wide<16>(v, p);
    else { p[15] = v.sf; p[14] = v.se; p[13] = v.sd; p[12] = v.sc; p[11] = v.sb; p[10] = v.sa; p[9] = v.s9; p[8] = v.s8; p[7] = v.s7; p[6] = v.s6; p[5] = v.s5; p[4] = v.s4; p[3] = v.s3; p[2] = v.s2; p[1] = v.s1; p[0] = v.s0; }
}

// Where nothing is known.

template<class T> __device__ vec<T, 2> vload2_global(size_t offset, const T* p) { p += 2 * offset; return vload2_if(fits<2>(p), 0, p); }
template<class T> __device__ vec<T, 4> vload4_global(size_t offset, const T* p) { p += 4 * offset; return vload4_if(fits<4>(p), 0, p); }
template<class T> __device__ vec<T, 8> vload8_global(size_t offset, const T* p) { p += 8 * offset; return vload8_if(fits<8>(p), 0, p); }
template<class T> __device__ vec<T, 16> vload16_global(size_t offset, const T* p) { p += 16 * offset; return vload16_if(fits<16>(p), 0, p); }
template<class T> __device__ void vstore2_global(vec<T, 2> v, size_t offset, T* p) { p += 2 * offset; vstore2_if(fits<2>(p), v, 0, p); }
template<class T> __device__ void vstore4_global(vec<T, 4> v, size_t offset, T* p) { p += 4 * offset; vstore4_if(fits<4>(p), v, 0, p); }
template<class T> __device__ void vstore8_global(vec<T, 8> v, size_t offset, T* p) { p += 8 * offset; vstore8_if(fits<8>(p), v, 0, p); }
template<class T> __device__ void vstore16_global(vec<T, 16> v, size_t offset, T* p) { p += 16 * offset; vstore16_if(fits<16>(p), v, 0, p); }

}  // namespace ocl
