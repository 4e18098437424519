// Images in the usual variant of a program: each has a surface, or if it is only read a texture for every state of a sampler that its
// format allows (`image_argument`), or it is a buffer's; its format is not packed, and its channels have the order R, RG, RGBA or DEPTH;
// read through textures also sRGBA. With OCL_SWAPPED, which is a variant of its own, the order may be BGRA, sRGBA and sBGRA, too. The
// general variant, which the runtime takes for others (`image_variant.py`), has `cuda/image_access_general.cuh` instead.

namespace ocl {

// A colour as channels, and the other way: selects, since a branch at each read would keep reads from overlapping. Without them a
// kernel that uses one channel of a colour fetches only one, which can be twice as fast.
template<class T> __device__ vec<T, 4> surface_channels(vec<T, 4> color, const image_argument& image) {
    #if OCL_SWAPPED
    bool swapped = 0x40040 >> (image.channel_order - CLK_R) & 1;  // BGRA, sBGRA
    return {swapped ? color.z : color.x, color.y, swapped ? color.x : color.z, color.w};
    #else
    return color;
    #endif
}
template<class T> __device__ vec<T, 4> texture_color(vec<T, 4> channels, const image_argument& image) {
    vec<T, 4> c = surface_channels(channels, image);
    c.w = image.channel_order < CLK_RGBA ? T(1) : c.w;
    return c;
}

// To the sRGB space, which hardware does not, and from it, which it does where textures are read: long computations for each channel,
// of which the plain variant knows nothing.
__device__ float4 encoded_channels(float4 c, const image_argument& image) {
    #if OCL_SWAPPED
    c = srgb_channels(c, image);
    #endif
    return c;
}
__device__ float4 decoded_channels(float4 c, const image_argument& image) {
    #if OCL_SWAPPED
    c = linear_channels(c, image);
    #endif
    return c;
}

// What was loaded of an image that is read and written, or of a buffer's, as a colour.
template<class T> __device__ vec<T, 4> loaded_color(const image_argument& image, uint4 e) {
    if constexpr (is_filtered<T>) return texture_color(decoded_channels(unpacked_numbers(image, e), image), image);
    else return texture_color(__builtin_bit_cast(vec<T, 4>, unpacked_integers(image, e)), image);
}
// What holds a colour in an image that is plain memory: those of buffers, none of which is in the sRGB space.
template<class T> __device__ uint4 memory_element(const image_argument& image, vec<T, 4> color) {
    return unpacked_element_for(image, surface_channels(color, image));
}

template<class T, class S, class C> __device__ vec<T, 4> sampled(const image_argument& image, sampler_t sampler, C x, C y, C z) {
    sampler = nearest_for_integers<T>(sampler);
    return textured<T, S>(image, sampler, texture_for(image, sampler), x, y, z);
}

// An element that is known to lie in the image (6.15.15.3).
template<class T, class S> __device__ vec<T, 4> fetched(const image_argument& image, int x, int y, int z) {
    return texture_color(S::template element<T>(image.textures[0], x, y, z), image);
}

template<class T, class S> __device__ vec<T, 4> mipmapped(const image_argument& image, sampler_t sampler, float lod, float x, float y,
                                                         float z) {
    sampler = nearest_for_integers<T>(sampler);
    return textured_level<T, S>(image, sampler, texture_for(image, sampler), lod, x, y, z);
}

// What stands before a surface is read or written.
#define OCL_LOAD_MEMORY(x, y, z)
#define OCL_STORE_MEMORY(x, y, z)

__device__ uint4 channels_for(const image_argument& image, float4 color) { return unpacked_channels_for(image, color); }

}  // namespace ocl
