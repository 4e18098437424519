// What differs (6.15.1) in a program whose kernels may be launched over a global size that the blocks exceed (see `is_past_range`).

namespace ocl {

__device__ size_t get_global_size(uint d) {
    return d == 0 ? gridDim.x * blockDim.x - surplus() : d == 1 ? gridDim.y * blockDim.y : d == 2 ? gridDim.z * blockDim.z : 1;
}

}  // namespace ocl
