// Clocks (6.15.21) on CUDA: nanoseconds of the device's timer, which all work-items share, and cycles of the multiprocessor, which
// a work-group never leaves.

namespace ocl {

__device__ ulong clock_read_device() {
    ulong now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now) : : "memory");
    return now;
}

__device__ ulong clock_read_work_group() { return ::clock64(); }

__device__ ulong clock_read_sub_group() { return ::clock64(); }

}  // namespace ocl
