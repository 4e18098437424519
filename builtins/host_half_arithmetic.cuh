// Half arithmetic on the host: sums and products of halfs are exact in double, so that each operation rounds once.

namespace ocl {

__device__ half operator+(half a, half b) { return half_rte((double)float_of(a) + (double)float_of(b)); }
__device__ half operator-(half a, half b) { return half_rte((double)float_of(a) - (double)float_of(b)); }
__device__ half operator*(half a, half b) { return half_rte((double)float_of(a) * (double)float_of(b)); }

// double has more than twice half's bits, so that rounding to it first changes nothing.
__device__ half operator/(half a, half b) { return half_rte((double)float_of(a) / (double)float_of(b)); }

}  // namespace ocl
