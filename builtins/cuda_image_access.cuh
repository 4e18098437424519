// Images in the usual variant of a program: each has a surface, and a texture for every state of a sampler that its format allows
// (`image_argument`). The general variant, which the runtime takes for others, has `cuda_image_access_general.cuh` instead.

namespace ocl {

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
