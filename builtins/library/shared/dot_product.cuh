// Integer dot products (6.15.3, cl_khr_integer_dot_product): vectors are the packed words that they are made of. "product =
// dot(a,b); result = add_sat(product, acc)"

namespace ocl {

__device__ uint dot_acc_sat_4x8packed_uu_uint(uint a, uint b, uint acc) { return add_sat(dot_4x8packed_uu_uint(a, b), acc); }
__device__ int dot_acc_sat_4x8packed_ss_int(uint a, uint b, int acc) { return add_sat(dot_4x8packed_ss_int(a, b), acc); }
__device__ int dot_acc_sat_4x8packed_us_int(uint a, uint b, int acc) { return add_sat(dot_4x8packed_us_int(a, b), acc); }
__device__ int dot_acc_sat_4x8packed_su_int(uint a, uint b, int acc) { return add_sat(dot_4x8packed_su_int(a, b), acc); }

__device__ uint dot(uchar4 a, uchar4 b) { return dot_4x8packed_uu_uint(__builtin_bit_cast(uint, a), __builtin_bit_cast(uint, b)); }
__device__ int dot(char4 a, char4 b) { return dot_4x8packed_ss_int(__builtin_bit_cast(uint, a), __builtin_bit_cast(uint, b)); }
__device__ int dot(uchar4 a, char4 b) { return dot_4x8packed_us_int(__builtin_bit_cast(uint, a), __builtin_bit_cast(uint, b)); }
__device__ int dot(char4 a, uchar4 b) { return dot_4x8packed_su_int(__builtin_bit_cast(uint, a), __builtin_bit_cast(uint, b)); }

__device__ uint dot_acc_sat(uchar4 a, uchar4 b, uint acc) { return add_sat(dot(a, b), acc); }
__device__ int dot_acc_sat(char4 a, char4 b, int acc) { return add_sat(dot(a, b), acc); }
__device__ int dot_acc_sat(uchar4 a, char4 b, int acc) { return add_sat(dot(a, b), acc); }
__device__ int dot_acc_sat(char4 a, uchar4 b, int acc) { return add_sat(dot(a, b), acc); }

}  // namespace ocl
