// Images by textures and surfaces, in PTX, since NVRTC's --minimal leaves out CUDA's own functions for them.
//
// A texture converts its elements to what is read: normalised integers, half and sRGB to float (read mode "normalized float"),
// integers to 32 bits (read mode "element type"). Its addressing modes and filters are OpenCL's, its borders are zeros: what an
// order has no channel for is filled in by `color_of`. Hardware has no textures of UNORM_SHORT_565 and 555, UNORM_INT_101010 and
// 101010_2, nor the border of Rx, RGx, RGBx and sRGBx, whose alpha is 0.
//
// A surface moves bytes: what is written, and what is read from a read_write image, is converted here, for all formats.

namespace ocl {

// Correctly rounded: the ratio by the reciprocal, and what it lacks.
__device__ float ratio(int c, int greatest) {
    float reciprocal = 1.0f / greatest, q = c * reciprocal;
    return ::fmaf(::fmaf(-q, greatest, c), reciprocal, q);
}

// Of a sampler, its place in image_argument.textures: for each filter unnormalised clamp to edge and clamp; normalised clamp to
// edge, clamp, repeat, mirrored repeat. CLK_ADDRESS_NONE is clamp to edge; so are repeat and mirrored repeat without normalised
// coordinates, which have no meaning.
__device__ ulong texture_for(const image_argument& image, sampler_t sampler) {
    uint address = sampler >> 1 & 7, filter = sampler & CLK_FILTER_LINEAR ? 6 : 0;
    uint state = sampler & CLK_NORMALIZED_COORDS_TRUE ? address < 2 ? 2 : address + 1 : address == 2;
    return image.textures[filter + state];
}

// The coordinate of an element's centre. Those that are neither normalised nor filtered are exact (8.2), where hardware would
// round to 8 bits of fraction first.
__device__ float place_of(int i, sampler_t sampler) { return i + 0.5f; }
__device__ float place_of(float s, sampler_t sampler) {
    return sampler & (CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_LINEAR) ? s : ::floorf(s) + 0.5f;
}

// 8.4: "layer = clamp(rint(w), 0, d_t - 1)".
__device__ int layer_of(int w, int layers) { return w < 0 ? 0 : w > layers - 1 ? layers - 1 : w; }
__device__ int layer_of(float w, int layers) { return layer_of(::__float2int_rn(w), layers); }

// `texture` fetched as T: float, int or uint.
#define OCL_FETCH(texture, geometry, coordinates, ...) \
    if constexpr (T(0.5f) != 0) \
        asm("tex." geometry ".v4.f32.f32 {%0, %1, %2, %3}, [%4, " coordinates "];" \
            : "=f"(c.x), "=f"(c.y), "=f"(c.z), "=f"(c.w) : "l"(texture), __VA_ARGS__); \
    else if constexpr (T(-1) < T(0)) \
        asm("tex." geometry ".v4.s32.f32 {%0, %1, %2, %3}, [%4, " coordinates "];" \
            : "=r"(c.x), "=r"(c.y), "=r"(c.z), "=r"(c.w) : "l"(texture), __VA_ARGS__); \
    else \
        asm("tex." geometry ".v4.u32.f32 {%0, %1, %2, %3}, [%4, " coordinates "];" \
            : "=r"(c.x), "=r"(c.y), "=r"(c.z), "=r"(c.w) : "l"(texture), __VA_ARGS__)

template<class T, class C> __device__ vec<T, 4> sampled_1d(const image_argument& image, sampler_t sampler, C x) {
    vec<T, 4> c;
    OCL_FETCH(texture_for(image, sampler), "1d", "{%5}", "f"(place_of(x, sampler)));
    return color_of(c, image.channel_order);
}
template<class T, class C> __device__ vec<T, 4> sampled_1d_array(const image_argument& image, sampler_t sampler, C x, C layer) {
    vec<T, 4> c;
    OCL_FETCH(texture_for(image, sampler), "a1d", "{%5, %6}", "r"(layer_of(layer, image.array_size)), "f"(place_of(x, sampler)));
    return color_of(c, image.channel_order);
}
template<class T, class C> __device__ vec<T, 4> sampled_2d(const image_argument& image, sampler_t sampler, C x, C y) {
    vec<T, 4> c;
    OCL_FETCH(texture_for(image, sampler), "2d", "{%5, %6}", "f"(place_of(x, sampler)), "f"(place_of(y, sampler)));
    return color_of(c, image.channel_order);
}
template<class T, class C> __device__ vec<T, 4> sampled_2d_array(const image_argument& image, sampler_t sampler, C x, C y, C layer) {
    vec<T, 4> c;
    OCL_FETCH(texture_for(image, sampler), "a2d", "{%5, %6, %7, %7}", "r"(layer_of(layer, image.array_size)),
              "f"(place_of(x, sampler)), "f"(place_of(y, sampler)));
    return color_of(c, image.channel_order);
}
template<class T, class C> __device__ vec<T, 4> sampled_3d(const image_argument& image, sampler_t sampler, C x, C y, C z) {
    vec<T, 4> c;
    OCL_FETCH(texture_for(image, sampler), "3d", "{%5, %6, %7, %7}", "f"(place_of(x, sampler)), "f"(place_of(y, sampler)),
              "f"(place_of(z, sampler)));
    return color_of(c, image.channel_order);
}

// An element of a surface, whose x counts bytes. Outside of it zeros are read and nothing is written.
#define OCL_LOAD(bits, geometry, registers, coordinates, ...) \
    asm volatile("suld.b." geometry "." bits ".zero {" registers "}, [%4, " coordinates "];" \
                 : "+r"(e.x), "+r"(e.y), "+r"(e.z), "+r"(e.w) : "l"(image.surface), __VA_ARGS__ : "memory")
#define OCL_STORE(bits, geometry, registers, coordinates, ...) \
    asm volatile("sust.b." geometry "." bits ".zero [%4, " coordinates "], {" registers "};" \
                 : : "r"(e.x), "r"(e.y), "r"(e.z), "r"(e.w), "l"(image.surface), __VA_ARGS__ : "memory")
#define OCL_BY_SIZE(move, geometry, coordinates, ...) \
    switch (image.element_size) { \
    case 1: move("b8", geometry, "%0", coordinates, __VA_ARGS__); break; \
    case 2: move("b16", geometry, "%0", coordinates, __VA_ARGS__); break; \
    case 4: move("b32", geometry, "%0", coordinates, __VA_ARGS__); break; \
    case 8: move("v2.b32", geometry, "%0, %1", coordinates, __VA_ARGS__); break; \
    default: move("v4.b32", geometry, "%0, %1, %2, %3", coordinates, __VA_ARGS__); \
    }

// Images that are made from buffers have no surface.
__device__ uint4 load_1d(const image_argument& image, int x) {
    if (!image.surface) return load_memory(image, x, 0, 0);
    uint4 e = {};
    OCL_BY_SIZE(OCL_LOAD, "1d", "{%5}", "r"(x * image.element_size));
    return e;
}
__device__ uint4 load_1d_array(const image_argument& image, int x, int layer) {
    uint4 e = {};
    OCL_BY_SIZE(OCL_LOAD, "a1d", "{%5, %6}", "r"(layer), "r"(x * image.element_size));
    return e;
}
__device__ uint4 load_2d(const image_argument& image, int x, int y) {
    if (!image.surface) return load_memory(image, x, y, 0);
    uint4 e = {};
    OCL_BY_SIZE(OCL_LOAD, "2d", "{%5, %6}", "r"(x * image.element_size), "r"(y));
    return e;
}
__device__ uint4 load_2d_array(const image_argument& image, int x, int y, int layer) {
    uint4 e = {};
    OCL_BY_SIZE(OCL_LOAD, "a2d", "{%5, %6, %7, %7}", "r"(layer), "r"(x * image.element_size), "r"(y));
    return e;
}
__device__ uint4 load_3d(const image_argument& image, int x, int y, int z) {
    uint4 e = {};
    OCL_BY_SIZE(OCL_LOAD, "3d", "{%5, %6, %7, %7}", "r"(x * image.element_size), "r"(y), "r"(z));
    return e;
}

__device__ void store_1d(const image_argument& image, uint4 e, int x) {
    if (!image.surface) return store_memory(image, x, 0, 0, e);
    OCL_BY_SIZE(OCL_STORE, "1d", "{%5}", "r"(x * image.element_size));
}
__device__ void store_1d_array(const image_argument& image, uint4 e, int x, int layer) {
    OCL_BY_SIZE(OCL_STORE, "a1d", "{%5, %6}", "r"(layer), "r"(x * image.element_size));
}
__device__ void store_2d(const image_argument& image, uint4 e, int x, int y) {
    if (!image.surface) return store_memory(image, x, y, 0, e);
    OCL_BY_SIZE(OCL_STORE, "2d", "{%5, %6}", "r"(x * image.element_size), "r"(y));
}
__device__ void store_2d_array(const image_argument& image, uint4 e, int x, int y, int layer) {
    OCL_BY_SIZE(OCL_STORE, "a2d", "{%5, %6, %7, %7}", "r"(layer), "r"(x * image.element_size), "r"(y));
}
__device__ void store_3d(const image_argument& image, uint4 e, int x, int y, int z) {
    OCL_BY_SIZE(OCL_STORE, "3d", "{%5, %6, %7, %7}", "r"(x * image.element_size), "r"(y), "r"(z));
}

}  // namespace ocl
