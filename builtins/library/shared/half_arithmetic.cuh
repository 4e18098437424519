// Half operators that both ports share (cl_khr_fp16). Comparisons are exact in float.

namespace ocl {

__device__ half operator+(half a) { return a; }
__device__ half operator-(half a) { return half{ushort(a.bits ^ 0x8000)}; }

__device__ bool operator==(half a, half b) { return float_of(a) == float_of(b); }
__device__ bool operator!=(half a, half b) { return float_of(a) != float_of(b); }
__device__ bool operator<(half a, half b) { return float_of(a) < float_of(b); }
__device__ bool operator>(half a, half b) { return float_of(a) > float_of(b); }
__device__ bool operator<=(half a, half b) { return float_of(a) <= float_of(b); }
__device__ bool operator>=(half a, half b) { return float_of(a) >= float_of(b); }
__device__ bool operator!(half a) { return float_of(a) == 0; }
__device__ bool operator&&(half a, half b) { return float_of(a) != 0 && float_of(b) != 0; }
__device__ bool operator||(half a, half b) { return float_of(a) != 0 || float_of(b) != 0; }

}  // namespace ocl
