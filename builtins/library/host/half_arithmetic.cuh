// Half arithmetic on the host: sums and products of halfs are exact in double, so that each operation rounds once.

namespace ocl {

__device__ half operator+(half a, half b) { return half_rte((double)float_of(a) + (double)float_of(b)); }
__device__ half operator-(half a, half b) { return half_rte((double)float_of(a) - (double)float_of(b)); }
__device__ half operator*(half a, half b) { return half_rte((double)float_of(a) * (double)float_of(b)); }

// double has more than twice half's bits, so that rounding to it first changes nothing.
__device__ half operator/(half a, half b) { return half_rte((double)float_of(a) / (double)float_of(b)); }

// The product is exact, and where the sum is not, no half lies so near to the middle of two others that rounding it twice shows.
__device__ half fma(half a, half b, half c) { return half_rte((double)float_of(a) * (double)float_of(b) + (double)float_of(c)); }

__device__ half mad(half a, half b, half c) { return fma(a, b, c); }

}  // namespace ocl
