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

// A type under a name of one word.
template<class T> using type_identity = T;

// A constant as an argument: a parameter of this type is one too.
template<class T, T V> struct immediate {
    static constexpr T value = V;
};

// A vector of one value, and a vector from parts: `(float4)(s)`, `(float4)(xy, z, w)`.
template<class V> __device__ V splat(typename V::element s);

template<class V, class... Parts> __device__ V join(Parts... parts);

// The component that an expression picks.
//: at
template<class T, int N> __device__ T& at(vec<T, N>& v, size_t i) { return reinterpret_cast<T*>(&v)[i]; }
template<class T, int N> __device__ const T& at(const vec<T, N>& v, size_t i) { return reinterpret_cast<const T*>(&v)[i]; }
template<class T, int N> __device__ volatile T& at(volatile vec<T, N>& v, size_t i) { return reinterpret_cast<volatile T*>(&v)[i]; }
template<class T, int N> __device__ const volatile T& at(const volatile vec<T, N>& v, size_t i) { return reinterpret_cast<const volatile T*>(&v)[i]; }

// The component of a vector that lies in a packed record: at any address, and so do all components.
//: packed_at
template<class T> struct __attribute__((packed)) packed_component {
    T value;
};
template<class T> __device__ packed_component<T>& packed_at(const volatile void* vector, size_t i) { return ((packed_component<T>*)vector)[i]; }

// Miscellaneous vector functions (6.15.13): only as many bits of the mask count as select a component.
//: shuffle
template<class T, int M, class U, int N> __device__ vec<T, N> shuffle(vec<T, M> x, vec<U, N> mask) {
    vec<T, N> r;
    for (int i = 0; i < N; i++)
        reinterpret_cast<T*>(&r)[i] = reinterpret_cast<T*>(&x)[reinterpret_cast<U*>(&mask)[i] & (M - 1)];
    return r;
}

//: shuffle2
template<class T, int M, class U, int N> __device__ vec<T, N> shuffle2(vec<T, M> x, vec<T, M> y, vec<U, N> mask) {
    vec<T, N> r;
    for (int i = 0; i < N; i++) {
        U k = reinterpret_cast<U*>(&mask)[i];
        reinterpret_cast<T*>(&r)[i] = reinterpret_cast<T*>(k & M ? &y : &x)[k & (M - 1)];
    }
    return r;
}

// What is read or written at once where it is volatile.
//: volatile_word
template<int Align> struct volatile_word { using type = unsigned long; };
template<> struct volatile_word<1> { using type = unsigned char; };
template<> struct volatile_word<2> { using type = unsigned short; };
template<> struct volatile_word<4> { using type = unsigned int; };

// Volatile vectors, which C++ would not copy: their components are read and written one by one, and as words, since `half` is of class
// type, too.
//: load_volatile
template<class T, int N> __device__ vec<T, N> load_volatile(const volatile vec<T, N>& v) {
    using word = typename volatile_word<sizeof(T)>::type;
    vec<T, N> r;
    for (int i = 0; i < N; i++) reinterpret_cast<word*>(&r)[i] = reinterpret_cast<const volatile word*>(&v)[i];
    return r;
}

//: store_volatile
template<class T, int N> __device__ vec<T, N> store_volatile(volatile vec<T, N>& v, vec<T, N> r) {
    using word = typename volatile_word<sizeof(T)>::type;
    for (int i = 0; i < N; i++) reinterpret_cast<volatile word*>(&v)[i] = reinterpret_cast<const word*>(&r)[i];
    return r;
}

// Volatile records and halves: in words as large as their alignment allows.
//: volatile_copy
template<class T> struct alignas(T) volatile_copy {
    using word = typename volatile_word<alignof(T)>::type;
    word words[sizeof(T) / sizeof(word)];
};

//: load_volatile_object
template<class T> __device__ T load_volatile_object(const volatile T& v) {
    volatile_copy<T> r;
    auto from = reinterpret_cast<const volatile typename volatile_copy<T>::word*>(&v);
    for (int i = 0; i < sizeof(r) / sizeof(*from); i++) r.words[i] = from[i];
    return __builtin_bit_cast(T, r);
}

//: store_volatile_object
template<class T> __device__ T store_volatile_object(volatile T& v, T given) {
    auto r = __builtin_bit_cast(volatile_copy<T>, given);
    auto to = reinterpret_cast<volatile typename volatile_copy<T>::word*>(&v);
    for (int i = 0; i < sizeof(r) / sizeof(*to); i++) to[i] = r.words[i];
    return given;
}

//: nonvolatile
template<class T> __device__ T& nonvolatile(volatile T& v) { return const_cast<T&>(v); }

// A volatile member of class type, which is declared without: C++ would not copy the struct.
//: as_volatile
template<class T> __device__ volatile T& as_volatile(T& v) { return v; }

}  // namespace ocl
