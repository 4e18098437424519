// Addressing and filter modes by textures, in PTX, since NVRTC's --minimal leaves out CUDA's own functions for them.
//
// A texture converts its elements to what is read: normalised integers, half and sRGB to float (read mode "normalized float"),
// integers to 32 bits (read mode "element type"). Its addressing modes and filters are OpenCL's, its borders are zeros: what an
// order has no channel for is filled in by `color_of`. Hardware has no textures of UNORM_SHORT_565 and 555, UNORM_INT_101010 and
// 101010_2, nor the border of Rx, RGx, RGBx and sRGBx, whose alpha is 0: such images can only be written, and read where they
// are read_write.

namespace ocl {

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

}  // namespace ocl
