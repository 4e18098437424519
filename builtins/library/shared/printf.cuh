// printf (6.15.14): CUDA's, or libc's, but for vectors and the result. The translator has made the format one of C's, with a
// conversion for each component.

namespace ocl {

// "printf returns 0 if it was executed successfully and -1 otherwise"
//: printf
template<class... Arguments> __device__ int printf(const char* format, Arguments... arguments) {
    return ::printf(format, arguments...) < 0 ? -1 : 0;
}

// The next of the arguments goes to the end, a vector as its components; once all `left` have gone, they are in order again.
//: printf_in_parts
template<int left> struct printf_in_parts {
    template<class T, class... Rest> static __device__ int print(const char* format, T next, Rest... rest) {
        return printf_in_parts<left - 1>::print(format, rest..., next);
    }
    template<class T, class... Rest> static __device__ int print(const char* format, vec<T, 2> v, Rest... rest) {
        return printf_in_parts<left - 1>::print(format, rest..., v.x, v.y);
    }
    template<class T, class... Rest> static __device__ int print(const char* format, vec<T, 3> v, Rest... rest) {
        return printf_in_parts<left - 1>::print(format, rest..., v.x, v.y, v.z);
    }
    template<class T, class... Rest> static __device__ int print(const char* format, vec<T, 4> v, Rest... rest) {
        return printf_in_parts<left - 1>::print(format, rest..., v.x, v.y, v.z, v.w);
    }
    template<class T, class... Rest> static __device__ int print(const char* format, vec<T, 8> v, Rest... rest) {
        return printf_in_parts<left - 1>::print(format, rest..., v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7);
    }
    template<class T, class... Rest> static __device__ int print(const char* format, vec<T, 16> v, Rest... rest) {
        return printf_in_parts<left - 1>::print(format, rest..., v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb,
                                                v.sc, v.sd, v.se, v.sf);
    }
};
template<> struct printf_in_parts<0> {
    template<class... Scalars> static __device__ int print(const char* format, Scalars... scalars) { return printf(format, scalars...); }
};

//: printf_vectors
template<class... Arguments> __device__ int printf_vectors(const char* format, Arguments... arguments) {
    return printf_in_parts<sizeof...(Arguments)>::print(format, arguments...);
}

}  // namespace ocl
