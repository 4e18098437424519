// Synchronization (6.15.8, 6.15.9) and local memory on CUDA.

namespace ocl {

// __syncthreads orders local and global memory within the work-group, which is all that a barrier promises.
__device__ void barrier(uint) { __syncthreads(); }

//: work_group_barrier
__device__ void work_group_barrier(uint) { __syncthreads(); }
__device__ void work_group_barrier(uint, int scope) {
    if (scope == 2 || scope == 3) __threadfence();  // memory_scope_device, memory_scope_all_svm_devices
    __syncthreads();
}

// 1 is CLK_LOCAL_MEM_FENCE. Programs use the others between work-groups too, as NVIDIA's own OpenCL lets them.
__device__ void mem_fence(uint flags) { flags == 1 ? __threadfence_block() : __threadfence(); }

__device__ void read_mem_fence(uint flags) { flags == 1 ? __threadfence_block() : __threadfence(); }

__device__ void write_mem_fence(uint flags) { flags == 1 ? __threadfence_block() : __threadfence(); }

// Kernels' `local` arguments, carved out of the dynamic shared memory.
alignas(128) extern __shared__ unsigned char local_memory[];

// What kernels begin with where local memory has to start as zeros (cl_khr_initialize_memory): all of it is dynamic then.
//: zero_local_memory
__device__ void zero_local_memory() {
    unsigned int size;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    const unsigned int threads = blockDim.x * blockDim.y * blockDim.z;
    for (unsigned int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; i < size; i += threads) local_memory[i] = 0;
    __syncthreads();
}

}  // namespace ocl
