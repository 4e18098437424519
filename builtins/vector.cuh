// Vectors (6.1.2, 6.3.7): aggregates with OpenCL's sizes and alignments. Swizzles are added as members where a program uses
// them; they name the components, since anything through a pointer to the first loses the alignment and splits the access.

namespace ocl {

template<class T, int N> struct vec;

template<class T> struct alignas(2 * sizeof(T)) vec<T, 2> {
    using element = T;
    T x, y;
};

template<class T> struct alignas(4 * sizeof(T)) vec<T, 3> {
    using element = T;
    T x, y, z;
};

template<class T> struct alignas(4 * sizeof(T)) vec<T, 4> {
    using element = T;
    T x, y, z, w;
};

template<class T> struct alignas(8 * sizeof(T)) vec<T, 8> {
    using element = T;
    T s0, s1, s2, s3, s4, s5, s6, s7;
};

template<class T> struct alignas(16 * sizeof(T)) vec<T, 16> {
    using element = T;
    T s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf;
};

// A vector of one value, and a vector from parts: `(float4)(s)`, `(float4)(xy, z, w)`.
template<class V> __device__ V splat(typename V::element s);

template<class V, class... Parts> __device__ V join(Parts... parts);

// The component that an expression picks.
//: at
template<class T, int N> __device__ T& at(vec<T, N>& v, size_t i) { return reinterpret_cast<T*>(&v)[i]; }
template<class T, int N> __device__ const T& at(const vec<T, N>& v, size_t i) { return reinterpret_cast<const T*>(&v)[i]; }

}  // namespace ocl
