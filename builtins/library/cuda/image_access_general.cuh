// Images in the general variant of a program: an image may be plain memory, made from a buffer, and where hardware has no texture
// (`cuda/textures.cuh`) the specification's formulas are computed. That is long, so it is not repeated at each read.

namespace ocl {

// A colour as channels, and the other way.
template<class T> __device__ vec<T, 4> surface_channels(vec<T, 4> color, const image_argument& image) {
    return channels_of(color, image.channel_order);
}
template<class T> __device__ vec<T, 4> texture_color(vec<T, 4> channels, const image_argument& image) {
    return color_of(channels, image.channel_order);
}
__device__ float4 encoded_channels(float4 c, const image_argument& image) { return srgb_channels(c, image); }

// What was loaded of an image that is read and written, or of a buffer's, as a colour.
template<class T> __device__ vec<T, 4> loaded_color(const image_argument& image, uint4 e) { return element_color<T>(image, e); }
// What holds a colour in an image that is plain memory.
template<class T> __device__ uint4 memory_element(const image_argument& image, vec<T, 4> color) { return element_for(image, color); }

template<class T, class S, class C> __device__ __noinline__ vec<T, 4> computed_aside(const image_argument& image, sampler_t sampler, C x,
                                                                                      C y, C z) {
    return computed<T, S>(image, sampler, x, y, z);
}
template<class T, class S> __device__ __noinline__ vec<T, 4> computed_aside(const image_argument& image, sampler_t sampler, float lod,
                                                                            float x, float y, float z) {
    return computed_between_levels<T, S>(image, sampler, lod, x, y, z);
}

template<class T, class S, class C> __device__ vec<T, 4> sampled(const image_argument& image, sampler_t sampler, C x, C y, C z) {
    sampler = nearest_for_integers<T>(sampler);
    ulong texture = texture_for(image, sampler);
    return texture ? textured<T, S>(image, sampler, texture, x, y, z) : computed_aside<T, S>(image, sampler, x, y, z);
}

// An element that is known to lie in the image (6.15.15.3).
template<class T, class S> __device__ vec<T, 4> fetched(const image_argument& image, int x, int y, int z) {
    if (!image.textures[0]) return computed_aside<T, S>(image, CLK_FILTER_NEAREST, x, y, z);
    return texture_color(S::template element<T>(image.textures[0], x, y, z), image);
}

template<class T, class S> __device__ vec<T, 4> mipmapped(const image_argument& image, sampler_t sampler, float lod, float x, float y,
                                                         float z) {
    sampler = nearest_for_integers<T>(sampler);
    ulong texture = texture_for(image, sampler);
    return texture ? textured_level<T, S>(image, sampler, texture, lod, x, y, z) : computed_aside<T, S>(image, sampler, lod, x, y, z);
}

// What stands before a surface is read or written.
#define OCL_LOAD_MEMORY(x, y, z) \
    if (!image.surface) return load_memory(image, x, y, z)
#define OCL_STORE_MEMORY(x, y, z) \
    if (!image.surface) return store_memory_aside(image, x, y, z, color)
template<class T> __device__ __noinline__ void store_memory_aside(const image_argument& image, int x, int y, int z, vec<T, 4> color) {
    store_memory(image, x, y, z, element_for(image, color));
}

// What is packed is one integer.
__device__ uint4 channels_for(const image_argument& image, float4 color) {
    int type = image.channel_data_type;
    bool packed = type > CLK_UNORM_INT16 && type != CLK_FLOAT && type != CLK_HALF_FLOAT;
    return packed ? element_aside(image, color) : unpacked_channels_for(image, color);
}
__device__ __noinline__ uint4 element_aside(const image_argument& image, float4 color) { return element_for(image, color); }

}  // namespace ocl
