// Work-item functions (6.15.1) and synchronization (6.15.8) on CUDA, for launches that CUDA can express: no offset, uniform
// work-groups, fewer than 2^32 work-items in each dimension. Ids are computed in 32 bits. get_work_dim is known only to the
// general launch.

namespace ocl {

// "Valid values of dimindx are 0 to get_work_dim() - 1. For other values, get_global_id() returns 0", a size is 1.
__device__ size_t get_global_size(uint d) {
    return d == 0 ? gridDim.x * blockDim.x : d == 1 ? gridDim.y * blockDim.y : d == 2 ? gridDim.z * blockDim.z : 1;
}

__device__ size_t get_global_id(uint d) {
    return d == 0 ? blockIdx.x * blockDim.x + threadIdx.x
        : d == 1  ? blockIdx.y * blockDim.y + threadIdx.y
        : d == 2  ? blockIdx.z * blockDim.z + threadIdx.z
                  : 0;
}

__device__ size_t get_local_size(uint d) { return d == 0 ? blockDim.x : d == 1 ? blockDim.y : d == 2 ? blockDim.z : 1; }

__device__ size_t get_enqueued_local_size(uint d) { return d == 0 ? blockDim.x : d == 1 ? blockDim.y : d == 2 ? blockDim.z : 1; }

__device__ size_t get_local_id(uint d) { return d == 0 ? threadIdx.x : d == 1 ? threadIdx.y : d == 2 ? threadIdx.z : 0; }

__device__ size_t get_num_groups(uint d) { return d == 0 ? gridDim.x : d == 1 ? gridDim.y : d == 2 ? gridDim.z : 1; }

__device__ size_t get_group_id(uint d) { return d == 0 ? blockIdx.x : d == 1 ? blockIdx.y : d == 2 ? blockIdx.z : 0; }

__device__ size_t get_global_offset(uint) { return 0; }

__device__ size_t get_global_linear_id() {
    return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
}

// The first words of a kernel that requires a size (6.9.2): these launches have no smaller groups at the edges.
__device__ void assume_work_group_size(uint x, uint y, uint z) {
    __builtin_assume(blockDim.x == x);
    __builtin_assume(blockDim.y == y);
    __builtin_assume(blockDim.z == z);
}

// By how many threads the blocks along x exceed the global size, of a kernel that cannot tell how it is grouped: less than a block. The
// driver gives it as the size of dynamic shared memory, which such kernels have none of.
__device__ uint surplus() {
    uint bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

// The first words of those kernels.
__device__ bool is_past_range() { return blockIdx.x * blockDim.x + threadIdx.x >= gridDim.x * blockDim.x - surplus(); }

__device__ size_t get_local_linear_id() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

}  // namespace ocl
