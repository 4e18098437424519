// ND-ranges (OpenCL API 5.10) as CUDA grids. A launch is a call of the kernel where one grid holds the range; else as many as it takes.
#ifndef CL2CUDA_ND_RANGE
#define CL2CUDA_ND_RANGE

#include <algorithm>
#include <cstddef>
#include <cuda_runtime.h>
#include <mutex>
#include <vector>

namespace cl2cuda {

// Up to three dimensions. A local size of zeros leaves the choice to `launch`; an offset of zeros is none.
struct nd_range {
    unsigned work_dim = 1;
    size_t global[3] = {1, 1, 1}, local[3] = {0, 0, 0}, offset[3] = {0, 0, 0};

    nd_range(size_t x) : global{x, 1, 1} {}
    nd_range(size_t x, size_t y) : work_dim(2), global{x, y, 1} {}
    nd_range(size_t x, size_t y, size_t z) : work_dim(3), global{x, y, z} {}
    nd_range in_groups(size_t x, size_t y = 1, size_t z = 1) const {
        nd_range range = *this;
        range.local[0] = x, range.local[1] = y, range.local[2] = z;
        return range;
    }
    nd_range from(size_t x, size_t y = 0, size_t z = 0) const {
        nd_range range = *this;
        range.offset[0] = x, range.offset[1] = y, range.offset[2] = z;
        return range;
    }
};

// How many bytes a `local` argument has.
struct local_bytes {
    size_t size;
    explicit local_bytes(size_t size) : size(size) {}
};

// Gives local arguments their places in dynamic shared memory, each at a multiple of 128.
struct shared_layout {
    size_t end;
    unsigned place(local_bytes argument) {
        size_t start = (end + 127) / 128 * 128;
        end = start + argument.size;
        return unsigned(start);
    }
};

// `launch` of the general variant's library, field by field.
struct launch_record {
    unsigned long long offset[3], global_size[3], group_base[3], groups[3];
    unsigned enqueued_local[3];
    unsigned work_dim;
};

// The general variant has one record: a launch comes after the one before that used it, in whatever stream.
class record_turn {
public:
    record_turn(cudaStream_t stream) : lock_(mutex()), stream_(stream) {
        int device = 0;
        cudaGetDevice(&device);
        std::vector<cudaEvent_t>& events = last();
        if (events.size() <= size_t(device)) events.resize(device + 1, nullptr);
        event_ = &events[device];
        if (!*event_)
            cudaEventCreateWithFlags(event_, cudaEventDisableTiming);
        else
            cudaStreamWaitEvent(stream, *event_, 0);
    }
    ~record_turn() { cudaEventRecord(*event_, stream_); }

private:
    static std::mutex& mutex() {
        static std::mutex one;
        return one;
    }
    static std::vector<cudaEvent_t>& last() {
        static std::vector<cudaEvent_t> events;
        return events;
    }
    std::lock_guard<std::mutex> lock_;
    cudaStream_t stream_;
    cudaEvent_t* event_;
};

// A kernel in both variants. `plain` may be null; `required` is its reqd_work_group_size, zeros for none.
struct variants {
    const void *plain, *general, *record;
    size_t required[3];
};

inline size_t divisor(size_t size, size_t limit) {
    for (size_t d = std::min(size, limit); d > 1; --d)
        if (size % d == 0) return d;
    return 1;
}

// A local size that divides the global size, of 256 work-items or fewer.
inline void choose_local(nd_range& range, const variants& kernel, size_t most) {
    if (range.local[0]) return;
    if (kernel.required[0]) {
        std::copy(kernel.required, kernel.required + 3, range.local);
        return;
    }
    size_t left = std::min(most, size_t(256));
    for (int d = 0; d < 3; ++d) {
        range.local[d] = divisor(range.global[d], d == 0 && range.work_dim > 1 ? std::min(left, size_t(32)) : left);
        left /= range.local[d];
    }
}

inline cudaError_t allow_shared(const void* kernel, size_t bytes) {
    return bytes > 48 * 1024 ? cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)) : cudaSuccess;
}

struct span {
    size_t first, groups, items;
};

// Along one dimension: full groups as the grid allows, then the smaller last one.
inline std::vector<span> spans(size_t size, size_t block, size_t limit) {
    std::vector<span> found;
    size_t full = size / block;
    for (size_t first = 0; first < full; first += limit) found.push_back({first, std::min(limit, full - first), block});
    if (size % block) found.push_back({full, 1, size % block});
    return found;
}

inline cudaError_t launch_general(const variants& kernel, const nd_range& range, void** arguments, size_t shared, cudaStream_t stream) {
    if (cudaError_t error = allow_shared(kernel.general, shared)) return error;
    launch_record record;
    for (int d = 0; d < 3; ++d) {
        record.offset[d] = range.offset[d];
        record.global_size[d] = range.global[d];
        record.groups[d] = (range.global[d] + range.local[d] - 1) / range.local[d];
        record.enqueued_local[d] = unsigned(range.local[d]);
    }
    record.work_dim = range.work_dim;
    record_turn turn(stream);
    for (span z : spans(range.global[2], range.local[2], 65535))
        for (span y : spans(range.global[1], range.local[1], 65535))
            for (span x : spans(range.global[0], range.local[0], 2147483647)) {
                record.group_base[0] = x.first, record.group_base[1] = y.first, record.group_base[2] = z.first;
                // Pageable memory: the call returns when it has been read.
                cudaError_t error = cudaMemcpyToSymbolAsync(kernel.record, &record, sizeof record, 0, cudaMemcpyHostToDevice, stream);
                if (!error)
                    error = cudaLaunchKernel(kernel.general, dim3(x.groups, y.groups, z.groups), dim3(x.items, y.items, z.items),
                                             arguments, shared, stream);
                if (error) return error;
            }
    return cudaSuccess;
}

// Launches the range. `usual_images` says that the plain variant reads and writes all images that are given.
inline cudaError_t launch(const variants& kernel, nd_range range, void** arguments, size_t shared, bool usual_images,
                          cudaStream_t stream) {
    // 5.10: "If [...] the value in any passed dimension is 0 then the kernel command will trivially succeed".
    if (!range.global[0] || !range.global[1] || !range.global[2]) return cudaSuccess;
    cudaFuncAttributes attributes;
    if (cudaError_t error = cudaFuncGetAttributes(&attributes, kernel.general)) return error;
    choose_local(range, kernel, attributes.maxThreadsPerBlock);
    bool plain = kernel.plain && usual_images;
    const size_t limits[3] = {2147483647, 65535, 65535};
    for (int d = 0; d < 3; ++d) {
        size_t global = range.global[d], local = range.local[d];
        if (!local || (kernel.required[0] && kernel.required[d] != local)) return cudaErrorInvalidValue;
        plain = plain && !range.offset[d] && global % local == 0 && global / local <= limits[d] && global < (size_t(1) << 32);
    }
    if (!plain) return launch_general(kernel, range, arguments, shared, stream);
    if (cudaError_t error = allow_shared(kernel.plain, shared)) return error;
    dim3 grid(range.global[0] / range.local[0], range.global[1] / range.local[1], range.global[2] / range.local[2]);
    return cudaLaunchKernel(kernel.plain, grid, dim3(range.local[0], range.local[1], range.local[2]), arguments, shared, stream);
}

}  // namespace cl2cuda

#endif
