// Vector loads and stores (6.15.7). Elements are named one by one: the compilers join them as far as the pointer's alignment is
// known. Those of half are composed (`vector_data.py`) over the conversions in `cuda/half.cuh` and `host/half.cuh`.

namespace ocl {

template<class T> __device__ vec<T, 2> vload2(size_t offset, const T* p) {
    p += 2 * offset;
    return {p[0], p[1]};
}

template<class T> __device__ vec<T, 3> vload3(size_t offset, const T* p) {
    p += 3 * offset;
    return {p[0], p[1], p[2]};
}

template<class T> __device__ vec<T, 4> vload4(size_t offset, const T* p) {
    p += 4 * offset;
    return {p[0], p[1], p[2], p[3]};
}

template<class T> __device__ vec<T, 8> vload8(size_t offset, const T* p) {
    p += 8 * offset;
    return {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
}

template<class T> __device__ vec<T, 16> vload16(size_t offset, const T* p) {
    p += 16 * offset;
    return {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12], p[13], p[14], p[15]};
}

template<class T> __device__ void vstore2(vec<T, 2> v, size_t offset, T* p) {
    p += 2 * offset;
    p[0] = v.x; p[1] = v.y;
}

template<class T> __device__ void vstore3(vec<T, 3> v, size_t offset, T* p) {
    p += 3 * offset;
    p[0] = v.x; p[1] = v.y; p[2] = v.z;
}

template<class T> __device__ void vstore4(vec<T, 4> v, size_t offset, T* p) {
    p += 4 * offset;
    p[0] = v.x; p[1] = v.y; p[2] = v.z; p[3] = v.w;
}

template<class T> __device__ void vstore8(vec<T, 8> v, size_t offset, T* p) {
    p += 8 * offset;
    p[0] = v.s0; p[1] = v.s1; p[2] = v.s2; p[3] = v.s3; p[4] = v.s4; p[5] = v.s5; p[6] = v.s6; p[7] = v.s7;
}

template<class T> __device__ void vstore16(vec<T, 16> v, size_t offset, T* p) {
    p += 16 * offset;
    p[0] = v.s0; p[1] = v.s1; p[2] = v.s2; p[3] = v.s3; p[4] = v.s4; p[5] = v.s5; p[6] = v.s6; p[7] = v.s7;
    p[8] = v.s8; p[9] = v.s9; p[10] = v.sa; p[11] = v.sb; p[12] = v.sc; p[13] = v.sd; p[14] = v.se; p[15] = v.sf;
}

// Through pointers to global memory, whose alignment may be asked for: see the ports.

template<class T> __device__ vec<T, 2> vload2_global(size_t offset, const T* p) { return vload2(offset, p); }
template<class T> __device__ vec<T, 3> vload3_global(size_t offset, const T* p) { return vload3(offset, p); }
template<class T> __device__ vec<T, 4> vload4_global(size_t offset, const T* p) { return vload4(offset, p); }
template<class T> __device__ vec<T, 8> vload8_global(size_t offset, const T* p) { return vload8(offset, p); }
template<class T> __device__ vec<T, 16> vload16_global(size_t offset, const T* p) { return vload16(offset, p); }
template<class T> __device__ void vstore2_global(vec<T, 2> v, size_t offset, T* p) { vstore2(v, offset, p); }
template<class T> __device__ void vstore3_global(vec<T, 3> v, size_t offset, T* p) { vstore3(v, offset, p); }
template<class T> __device__ void vstore4_global(vec<T, 4> v, size_t offset, T* p) { vstore4(v, offset, p); }
template<class T> __device__ void vstore8_global(vec<T, 8> v, size_t offset, T* p) { vstore8(v, offset, p); }
template<class T> __device__ void vstore16_global(vec<T, 16> v, size_t offset, T* p) { vstore16(v, offset, p); }

// Whether integers are multiples of N, and pointers aligned for N of their elements.
template<int N, class T> __device__ bool is_multiple(T* p) { return ((size_t)p & (N * sizeof(T) - 1)) == 0; }
template<int N, class T> __device__ bool is_multiple(T n) { return ((size_t)n & (N - 1)) == 0; }
template<int N, class... T> __device__ bool aligned(T... each) { return (is_multiple<N>(each) & ...); }

// Through pointers to global memory of which it is known, and told first, whether they are aligned: the ports may make use of it.

template<class T> __device__ vec<T, 2> vload2_if(bool, size_t offset, const T* p) { return vload2(offset, p); }
template<class T> __device__ vec<T, 4> vload4_if(bool, size_t offset, const T* p) { return vload4(offset, p); }
template<class T> __device__ vec<T, 8> vload8_if(bool, size_t offset, const T* p) { return vload8(offset, p); }
template<class T> __device__ vec<T, 16> vload16_if(bool, size_t offset, const T* p) { return vload16(offset, p); }
template<class T> __device__ void vstore2_if(bool, vec<T, 2> v, size_t offset, T* p) { vstore2(v, offset, p); }
template<class T> __device__ void vstore4_if(bool, vec<T, 4> v, size_t offset, T* p) { vstore4(v, offset, p); }
template<class T> __device__ void vstore8_if(bool, vec<T, 8> v, size_t offset, T* p) { vstore8(v, offset, p); }
template<class T> __device__ void vstore16_if(bool, vec<T, 16> v, size_t offset, T* p) { vstore16(v, offset, p); }

}  // namespace ocl
