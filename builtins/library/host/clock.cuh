// Clocks (6.15.21) on the host: nanoseconds of the system's monotonic clock, which all threads share.

namespace ocl {

__device__ ulong clock_read_device() {
    long now[2];
    #ifdef __APPLE__
    ::clock_gettime(6, now);
    #else
    ::clock_gettime(1, now);
    #endif
    return now[0] * 1000000000ul + now[1];
}

__device__ ulong clock_read_work_group() { return clock_read_device(); }

__device__ ulong clock_read_sub_group() { return clock_read_device(); }

}  // namespace ocl

// libc's; CLOCK_MONOTONIC, a struct timespec.
//: clock_gettime
extern "C" int clock_gettime(int, long*);
