// "uint2 whose .lo component contains the 32 least significant bits" (6.15.21).

namespace ocl {

// lo is x of a 2-vector, hi is y.
__device__ uint2 halves_of(ulong x) { return {(uint)x, (uint)(x >> 32)}; }

__device__ uint2 clock_read_hilo_device() { return halves_of(clock_read_device()); }

__device__ uint2 clock_read_hilo_work_group() { return halves_of(clock_read_work_group()); }

__device__ uint2 clock_read_hilo_sub_group() { return halves_of(clock_read_sub_group()); }

}  // namespace ocl
