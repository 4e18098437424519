// Images (OpenCL API 5.3) as CUDA arrays, with the texture and surface objects through which kernels read and write them.
#ifndef CL2CUDA_IMAGE
#define CL2CUDA_IMAGE

#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

namespace cl2cuda {

enum channel_order { R = 0x10B0, A = 0x10B1, RG = 0x10B2, RA = 0x10B3, RGBA = 0x10B5, BGRA = 0x10B6, ARGB = 0x10B7, INTENSITY = 0x10B8,
                     LUMINANCE = 0x10B9, DEPTH = 0x10BD, ABGR = 0x10C3 };
enum channel_type { SNORM_INT8 = 0x10D0, SNORM_INT16 = 0x10D1, UNORM_INT8 = 0x10D2, UNORM_INT16 = 0x10D3, SIGNED_INT8 = 0x10D7,
                    SIGNED_INT16 = 0x10D8, SIGNED_INT32 = 0x10D9, UNSIGNED_INT8 = 0x10DA, UNSIGNED_INT16 = 0x10DB,
                    UNSIGNED_INT32 = 0x10DC, HALF_FLOAT = 0x10DD, FLOAT = 0x10DE };

inline void check(cudaError_t error) {
    if (error) throw std::runtime_error(std::string("cl2cuda::image: ") + cudaGetErrorString(error));
}

// What kernels are given for an image, field by field as `image_argument` of their library.
struct image_data {
    cudaTextureObject_t textures[10] = {};
    cudaSurfaceObject_t surface = 0;
    void* data = nullptr;
    unsigned long long row_pitch = 0, slice_pitch = 0;
    int width = 1, height = 1, depth = 1, array_size = 1;
    int order = 0, type = 0, element_size = 0, mip_levels = 1;
    const void* levels = nullptr;
};
static_assert(sizeof(image_data) == 152, "the size of a kernel's image argument");

// Throws std::runtime_error where CUDA refuses. The formats are those whose channels hardware has: not the packed and sRGB ones.
class image {
public:
    static image of_1d(channel_order order, channel_type type, int width) { return {order, type, width, 0, 0, 0}; }
    static image of_2d(channel_order order, channel_type type, int width, int height) { return {order, type, width, height, 0, 0}; }
    static image of_3d(channel_order order, channel_type type, int width, int height, int depth) {
        return {order, type, width, height, depth, 0};
    }
    static image array_of_1d(channel_order order, channel_type type, int width, int layers) { return {order, type, width, 0, 0, layers}; }
    static image array_of_2d(channel_order order, channel_type type, int width, int height, int layers) {
        return {order, type, width, height, 0, layers};
    }
    // image1d_buffer_t: `memory` is the device's and stays the caller's.
    static image of_buffer(channel_order order, channel_type type, int width, void* memory) { return {order, type, width, memory}; }

    image(image&& other) noexcept : data_(other.data_), array_(other.array_), extent_(other.extent_) {
        other.data_ = image_data();
        other.array_ = nullptr;
    }
    image(const image&) = delete;
    image& operator=(const image&) = delete;
    ~image() {
        for (cudaTextureObject_t texture : data_.textures)
            if (texture) cudaDestroyTextureObject(texture);
        if (data_.surface) cudaDestroySurfaceObject(data_.surface);
        if (array_) cudaFreeArray(array_);
    }

    // All elements, row by row without gaps; from or to the host's memory or the device's.
    void write(const void* from, cudaStream_t stream = 0) { copy(const_cast<void*>(from), true, stream); }
    void read(void* to, cudaStream_t stream = 0) const { copy(to, false, stream); }

    const image_data& data() const { return data_; }
    // Whether the plain variant of a kernel takes it.
    bool is_usual() const {
        return data_.data || data_.order == R || data_.order == RG || data_.order == RGBA || data_.order == DEPTH;
    }

private:
    image(channel_order order, channel_type type, int width, int height, int depth, int layers) {
        cudaChannelFormatDesc format = describe(order, type, width);
        data_.height = height ? height : 1, data_.depth = depth ? depth : 1, data_.array_size = layers ? layers : 1;
        extent_ = make_cudaExtent(width, data_.height, layers ? layers : data_.depth);
        cudaExtent size = make_cudaExtent(width, height, layers ? layers : depth);
        check(cudaMalloc3DArray(&array_, &format, size, cudaArraySurfaceLoadStore | (layers ? cudaArrayLayered : 0)));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array_;
        check(cudaCreateSurfaceObject(&data_.surface, &resource));
        bool integer = type >= SIGNED_INT8 && type <= UNSIGNED_INT32, normalized_type = type <= UNORM_INT16;
        // The states of a sampler in the order in which kernels choose among them.
        const cudaTextureAddressMode modes[4] = {cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeWrap, cudaAddressModeMirror};
        for (int i = 0; i < 10; ++i) {
            cudaTextureDesc texture = {};
            int mode = i < 4 ? i : i < 6 ? i - 4 : i - 6;
            texture.addressMode[0] = texture.addressMode[1] = texture.addressMode[2] = modes[mode];
            texture.normalizedCoords = i < 4 || i >= 6;
            texture.filterMode = i >= 4 && !integer ? cudaFilterModeLinear : cudaFilterModePoint;
            texture.readMode = normalized_type ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
            check(cudaCreateTextureObject(&data_.textures[i], &resource, &texture, nullptr));
        }
    }
    image(channel_order order, channel_type type, int width, void* memory) {
        describe(order, type, width);
        data_.data = memory;
        data_.row_pitch = data_.slice_pitch = size_t(width) * data_.element_size;
        extent_ = make_cudaExtent(width, 1, 1);
    }

    cudaChannelFormatDesc describe(channel_order order, channel_type type, int width) {
        int channels = order == RG || order == RA ? 2 : order == RGBA || order == BGRA || order == ARGB || order == ABGR ? 4 : 1;
        bool is_signed = type == SNORM_INT8 || type == SNORM_INT16 || (type >= SIGNED_INT8 && type <= SIGNED_INT32);
        int bits = type == SIGNED_INT32 || type == UNSIGNED_INT32 || type == FLOAT ? 32
            : type == SNORM_INT8 || type == UNORM_INT8 || type == SIGNED_INT8 || type == UNSIGNED_INT8 ? 8 : 16;
        data_.width = width, data_.order = order, data_.type = type, data_.element_size = channels * bits / 8;
        cudaChannelFormatKind kind = type >= HALF_FLOAT ? cudaChannelFormatKindFloat
            : is_signed ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned;
        return cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind);
    }

    void copy(void* memory, bool writes, cudaStream_t stream) const {
        size_t row = extent_.width * data_.element_size;
        if (!array_) {
            check(cudaMemcpyAsync(writes ? data_.data : memory, writes ? memory : data_.data, row, cudaMemcpyDefault, stream));
            return;
        }
        cudaMemcpy3DParms copy = {};
        cudaPitchedPtr linear = make_cudaPitchedPtr(memory, row, extent_.width, extent_.height);
        (writes ? copy.srcPtr : copy.dstPtr) = linear;
        (writes ? copy.dstArray : copy.srcArray) = array_;
        copy.extent = extent_;
        copy.kind = cudaMemcpyDefault;
        check(cudaMemcpy3DAsync(&copy, stream));
    }

    image_data data_;
    cudaArray_t array_ = nullptr;
    cudaExtent extent_ = {};
};

}  // namespace cl2cuda

#endif
