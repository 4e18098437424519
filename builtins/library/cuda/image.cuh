// Elements of images by surfaces, in PTX, since NVRTC's --minimal leaves out CUDA's own functions for them. What is read from a
// read_write image are bytes, which `image.cuh` converts; a store converts to the surface's channels by itself.

namespace ocl {

// Correctly rounded: the ratio by the reciprocal, and what it lacks.
__device__ float ratio(int c, int largest) {
    float reciprocal = 1.0f / largest, q = c * reciprocal;
    return ::fmaf(::fmaf(-q, largest, c), reciprocal, q);
}

// An element of a surface, whose x counts bytes. Outside of it zeros are read.
#define OCL_LOAD(width, geometry, registers, coordinates, ...) \
    asm volatile("suld.b." geometry "." width ".zero {" registers "}, [%4, " coordinates "];" \
                 : "+r"(e.x), "+r"(e.y), "+r"(e.z), "+r"(e.w) : "l"(image.surface), __VA_ARGS__ : "memory")
#define OCL_LOAD_BY_SIZE(geometry, coordinates, ...) \
    switch (image.element_size) { \
    case 1: OCL_LOAD("b8", geometry, "%0", coordinates, __VA_ARGS__); break; \
    case 2: OCL_LOAD("b16", geometry, "%0", coordinates, __VA_ARGS__); break; \
    case 4: OCL_LOAD("b32", geometry, "%0", coordinates, __VA_ARGS__); break; \
    case 8: OCL_LOAD("v2.b32", geometry, "%0, %1", coordinates, __VA_ARGS__); break; \
    default: OCL_LOAD("v4.b32", geometry, "%0, %1, %2, %3", coordinates, __VA_ARGS__); \
    }

__device__ uint4 load_1d(const image_argument& image, int x) {
    OCL_LOAD_MEMORY(x, 0, 0);
    uint4 e = {};
    OCL_LOAD_BY_SIZE("1d", "{%5}", "r"(x * image.element_size));
    return e;
}
__device__ uint4 load_1d_array(const image_argument& image, int x, int layer) {
    OCL_LOAD_MEMORY(x, 0, layer);
    uint4 e = {};
    OCL_LOAD_BY_SIZE("a1d", "{%5, %6}", "r"(layer), "r"(x * image.element_size));
    return e;
}
__device__ uint4 load_2d(const image_argument& image, int x, int y) {
    OCL_LOAD_MEMORY(x, y, 0);
    uint4 e = {};
    OCL_LOAD_BY_SIZE("2d", "{%5, %6}", "r"(x * image.element_size), "r"(y));
    return e;
}
__device__ uint4 load_2d_array(const image_argument& image, int x, int y, int layer) {
    OCL_LOAD_MEMORY(x, y, layer);
    uint4 e = {};
    OCL_LOAD_BY_SIZE("a2d", "{%5, %6, %7, %7}", "r"(layer), "r"(x * image.element_size), "r"(y));
    return e;
}
__device__ uint4 load_3d(const image_argument& image, int x, int y, int z) {
    OCL_LOAD_MEMORY(x, y, z);
    uint4 e = {};
    OCL_LOAD_BY_SIZE("3d", "{%5, %6, %7, %7}", "r"(x * image.element_size), "r"(y), "r"(z));
    return e;
}

// What a formatted store is given for each channel: of an integer one a 32-bit integer, which it saturates (8.3.4), of a floating-point
// one a float.
__device__ uint4 channels_for(const image_argument& image, int4 color) {
    return __builtin_bit_cast(uint4, surface_channels(color, image));
}
__device__ uint4 channels_for(const image_argument& image, uint4 color) { return surface_channels(color, image); }
// Nothing below `least`, which of an unsigned channel would be taken for a large number.
__device__ uint scaled_channel(float c, float one, int least) { return ::max(::__float2int_rn(c * one), least); }
__device__ uint4 unpacked_channels_for(const image_argument& image, float4 color) {
    int type = image.channel_data_type;
    float4 c = surface_channels(color, image);
    if (type == CLK_FLOAT) return __builtin_bit_cast(uint4, c);
    if (type == CLK_HALF_FLOAT) {  // rounded here to the nearest even, since hardware rounds to zero
        c = {float_of(half_rte(c.x)), float_of(half_rte(c.y)), float_of(half_rte(c.z)), float_of(half_rte(c.w))};
        return __builtin_bit_cast(uint4, c);
    }
    c = encoded_channels(c, image);
    float one = type == CLK_SNORM_INT8 ? 127 : type == CLK_SNORM_INT16 ? 32767 : type == CLK_UNORM_INT8 ? 255 : 65535;
    int least = type < CLK_UNORM_INT8 ? -32768 : 0;
    return {scaled_channel(c.x, one, least), scaled_channel(c.y, one, least), scaled_channel(c.z, one, least),
            scaled_channel(c.w, one, least)};
}

// Outside of the image nothing is written.
#define OCL_STORE(geometry, coordinates, ...) \
    uint4 c = channels_for(image, color); \
    asm volatile("sust.p." geometry ".v4.b32.zero [%4, " coordinates "], {%0, %1, %2, %3};" \
                 : : "r"(c.x), "r"(c.y), "r"(c.z), "r"(c.w), "l"(image.surface), __VA_ARGS__ : "memory")

template<class T> __device__ void store_1d(const image_argument& image, vec<T, 4> color, int x) {
    OCL_STORE_MEMORY(x, 0, 0);
    OCL_STORE("1d", "{%5}", "r"(x));
}
template<class T> __device__ void store_1d_array(const image_argument& image, vec<T, 4> color, int x, int layer) {
    OCL_STORE_MEMORY(x, 0, layer);
    OCL_STORE("a1d", "{%5, %6}", "r"(layer), "r"(x));
}
template<class T> __device__ void store_2d(const image_argument& image, vec<T, 4> color, int x, int y) {
    OCL_STORE_MEMORY(x, y, 0);
    OCL_STORE("2d", "{%5, %6}", "r"(x), "r"(y));
}
template<class T> __device__ void store_2d_array(const image_argument& image, vec<T, 4> color, int x, int y, int layer) {
    OCL_STORE_MEMORY(x, y, layer);
    OCL_STORE("a2d", "{%5, %6, %7, %7}", "r"(layer), "r"(x), "r"(y));
}
template<class T> __device__ void store_3d(const image_argument& image, vec<T, 4> color, int x, int y, int z) {
    OCL_STORE_MEMORY(x, y, z);
    OCL_STORE("3d", "{%5, %6, %7, %7}", "r"(x), "r"(y), "r"(z));
}

}  // namespace ocl
