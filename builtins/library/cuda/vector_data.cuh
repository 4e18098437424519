// Vector loads and stores through pointers to global memory (6.15.7) on CUDA. OpenCL promises the alignment of an element, hardware
// takes up to 16 bytes at once where they are aligned. What lies where is mostly known at run time only, so both forms are there: they
// become instructions under one predicate and its opposite, without a branch. (An assumption about kernels' parameters would take
// from NVRTC that their memory is only read.)

namespace ocl {

// N elements in pieces of 16 bytes, or in one of less.
template<class T, int N> struct wide_access {
    static constexpr int bytes = N * sizeof(T) < 16 ? N * sizeof(T) : 16;
    using piece = vec<T, bytes / sizeof(T)>;
    piece of[N * sizeof(T) / bytes];
    __device__ static bool fits(const T* p) { return ((size_t)p & (bytes - 1)) == 0; }
};

// p is where it fits.
template<int N, class T> __device__ vec<T, N> load_wide(const T* p) {
    using access = wide_access<T, N>;
    access all;
    for (int i = 0; i < (int)(sizeof(all) / access::bytes); i++) all.of[i] = reinterpret_cast<const typename access::piece*>(p)[i];
    return __builtin_bit_cast(vec<T, N>, all);
}

template<int N, class T> __device__ void store_wide(vec<T, N> v, T* p) {
    using access = wide_access<T, N>;
    const access all = __builtin_bit_cast(access, v);
    for (int i = (int)(sizeof(all) / access::bytes) - 1; i >= 0; i--) reinterpret_cast<typename access::piece*>(p)[i] = all.of[i];
}

template<class T> __device__ vec<T, 2> vload2_global(size_t offset, const T* p) {
    p += 2 * offset;
    return wide_access<T, 2>::fits(p) ? load_wide<2>(p) : vload2(0, p);
}

template<class T> __device__ vec<T, 4> vload4_global(size_t offset, const T* p) {
    p += 4 * offset;
    return wide_access<T, 4>::fits(p) ? load_wide<4>(p) : vload4(0, p);
}

template<class T> __device__ vec<T, 8> vload8_global(size_t offset, const T* p) {
    p += 8 * offset;
    return wide_access<T, 8>::fits(p) ? load_wide<8>(p) : vload8(0, p);
}

template<class T> __device__ vec<T, 16> vload16_global(size_t offset, const T* p) {
    p += 16 * offset;
    return wide_access<T, 16>::fits(p) ? load_wide<16>(p) : vload16(0, p);
}

template<class T> __device__ void vstore2_global(vec<T, 2> v, size_t offset, T* p) {
    p += 2 * offset;
    if (wide_access<T, 2>::fits(p)) store_wide<2>(v, p);
    else { p[1] = v.y; p[0] = v.x; }
}

template<class T> __device__ void vstore4_global(vec<T, 4> v, size_t offset, T* p) {
    p += 4 * offset;
    if (wide_access<T, 4>::fits(p)) store_wide<4>(v, p);
    else { p[3] = v.w; p[2] = v.z; p[1] = v.y; p[0] = v.x; }
}

template<class T> __device__ void vstore8_global(vec<T, 8> v, size_t offset, T* p) {
    p += 8 * offset;
    if (wide_access<T, 8>::fits(p)) store_wide<8>(v, p);
    else { p[7] = v.s7; p[6] = v.s6; p[5] = v.s5; p[4] = v.s4; p[3] = v.s3; p[2] = v.s2; p[1] = v.s1; p[0] = v.s0; }
}

template<class T> __device__ void vstore16_global(vec<T, 16> v, size_t offset, T* p) {
    p += 16 * offset;
    if (wide_access<T, 16>::fits(p)) store_wide<16>(v, p);
    else { p[15] = v.sf; p[14] = v.se; p[13] = v.sd; p[12] = v.sc; p[11] = v.sb; p[10] = v.sa; p[9] = v.s9; p[8] = v.s8; p[7] = v.s7; p[6] = v.s6; p[5] = v.s5; p[4] = v.s4; p[3] = v.s3; p[2] = v.s2; p[1] = v.s1; p[0] = v.s0; }
}

}  // namespace ocl
