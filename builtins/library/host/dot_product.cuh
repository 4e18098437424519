// The sum of four products of bytes (6.15.3, cl_khr_integer_dot_product) on the host.

namespace ocl {

// A and B say whether the bytes of a and b are signed.
//: dot_of_bytes
template<class A, class B> __device__ int dot_of_bytes(uint a, uint b) {
    int sum = 0;
    for (int i = 0; i < 32; i += 8) sum += (A)(a >> i) * (B)(b >> i);
    return sum;
}

__device__ uint dot_4x8packed_uu_uint(uint a, uint b) { return dot_of_bytes<uchar, uchar>(a, b); }
__device__ int dot_4x8packed_ss_int(uint a, uint b) { return dot_of_bytes<char, char>(a, b); }
__device__ int dot_4x8packed_us_int(uint a, uint b) { return dot_of_bytes<uchar, char>(a, b); }
__device__ int dot_4x8packed_su_int(uint a, uint b) { return dot_of_bytes<char, uchar>(a, b); }

}  // namespace ocl
