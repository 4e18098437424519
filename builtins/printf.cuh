// printf (6.15.14): CUDA's, or libc's, but for the result.

namespace ocl {

// "printf returns 0 if it was executed successfully and -1 otherwise"
//: printf
template<class... Arguments> __device__ int printf(const char* format, Arguments... arguments) {
    return ::printf(format, arguments...) < 0 ? -1 : 0;
}

}  // namespace ocl
