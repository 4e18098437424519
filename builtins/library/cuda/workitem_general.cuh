// Work-item functions (6.15.1) on CUDA for every launch that OpenCL can express: with an offset, a work dimension, ids of 64
// bits, with work-groups that are deeper than CUDA's, and as one of several launches that make up a range (the driver fills `launch`
// before each).

namespace ocl {

// folded: the size of work-groups whose items are in a row, along x; 0 where CUDA has them in their dimensions.
//: always launch
struct ocl_launch {
    unsigned long long offset[3], global_size[3], group_base[3], groups[3];
    unsigned enqueued_local[3];
    unsigned work_dim;
    unsigned folded[3];
};
__constant__ ocl_launch launch;

__device__ uint get_work_dim() { return launch.work_dim; }

__device__ size_t get_global_size(uint d) { return d < 3 ? launch.global_size[d] : 1; }

__device__ size_t get_local_size(uint d) {
    if (launch.folded[0] != 0) return d < 3 ? launch.folded[d] : 1;
    return d == 0 ? blockDim.x : d == 1 ? blockDim.y : d == 2 ? blockDim.z : 1;
}

__device__ size_t get_enqueued_local_size(uint d) { return d < 3 ? launch.enqueued_local[d] : 1; }

__device__ size_t get_local_id(uint d) {
    const uint x = launch.folded[0], y = launch.folded[1];
    if (x != 0) return d == 0 ? threadIdx.x % x : d == 1 ? threadIdx.x / x % y : d == 2 ? threadIdx.x / (x * y) : 0;
    return d == 0 ? threadIdx.x : d == 1 ? threadIdx.y : d == 2 ? threadIdx.z : 0;
}

__device__ size_t get_num_groups(uint d) { return d < 3 ? launch.groups[d] : 1; }

__device__ size_t get_group_id(uint d) {
    return d < 3 ? launch.group_base[d] + (d == 0 ? blockIdx.x : d == 1 ? blockIdx.y : blockIdx.z) : 0;
}

__device__ size_t get_global_offset(uint d) { return d < 3 ? launch.offset[d] : 0; }

__device__ size_t get_global_id(uint d) {
    return d < 3 ? launch.offset[d] + get_group_id(d) * launch.enqueued_local[d] + get_local_id(d) : 0;
}

__device__ size_t get_global_linear_id() {
    size_t x = get_global_id(0) - launch.offset[0];
    size_t y = get_global_id(1) - launch.offset[1];
    size_t z = get_global_id(2) - launch.offset[2];
    return (z * launch.global_size[1] + y) * launch.global_size[0] + x;
}

// Work-groups at the edges may be smaller than what a kernel requires.
__device__ void assume_work_group_size(uint, uint, uint) {}

__device__ size_t get_local_linear_id() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

}  // namespace ocl
