// Reading with a sampler on the host: always by the specification's formulas.

namespace ocl {

// An image's shape: how many coordinates the addressing modes apply to, and whether another one names an image of an array.
struct shape_1d { static constexpr int axes = 1, layered = false; };
struct shape_1d_array { static constexpr int axes = 1, layered = true; };
struct shape_2d { static constexpr int axes = 2, layered = false; };
struct shape_2d_array { static constexpr int axes = 2, layered = true; };
struct shape_3d { static constexpr int axes = 3, layered = false; };

// What was loaded of an image that is read and written, or of a buffer's, as a colour.
template<class T> __device__ vec<T, 4> loaded_color(const image_argument& image, uint4 e) { return element_color<T>(image, e); }
// What holds a colour in an image that is plain memory.
template<class T> __device__ uint4 memory_element(const image_argument& image, vec<T, 4> color) { return element_for(image, color); }

// Functions of their own: what takes seconds to compile where a program repeats it at each read is not inlined.
template<class T, class S, class C> __attribute__((noinline)) vec<T, 4> sampled(const image_argument& image, sampler_t sampler, C x, C y,
                                                                               C z) {
    return computed<T, S>(image, sampler, x, y, z);
}

// An element that is known to lie in the image (6.15.15.3).
template<class T, class S> __attribute__((noinline)) vec<T, 4> fetched(const image_argument& image, int x, int y, int z) {
    return texel<T, S>(image, x, y, z);
}

template<class T, class S> __attribute__((noinline)) vec<T, 4> mipmapped(const image_argument& image, sampler_t sampler, float lod,
                                                                        float x, float y, float z) {
    return computed_between_levels<T, S>(image, sampler, lod, x, y, z);
}

}  // namespace ocl
