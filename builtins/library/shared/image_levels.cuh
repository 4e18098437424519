// Levels of mipmapped images (cl_khr_mipmap_image), for both ports.

namespace ocl {

// "The read_image{i|ui} calls support a nearest filter only."
template<class T> constexpr bool is_filtered = T(0.5f) != 0;

// The colour that an element holds, read as T: float, int or uint.
template<class T> __device__ vec<T, 4> element_color(const image_argument& image, uint4 e) {
    if constexpr (is_filtered<T>) return float_color(image, e);
    else return __builtin_bit_cast(vec<T, 4>, int_color(image, e));
}

// A level as an image of its own.
__device__ const image_argument& level_of(const image_argument& image, int level) {
    return image.levels ? image.levels[level < 0 ? 0 : level < image.mip_levels ? level : image.mip_levels - 1] : image;
}

// "clamped to the minimum of (actual number of mip levels - 1) in the image or the value specified for CL_SAMPLER_LOD_MAX"
// (6.15.15.2), in the sampler's 1/256 (`sampler_t`). Without a linear filter between levels it is the nearest one's number.
template<class T> __device__ float limited_lod(const image_argument& image, sampler_t sampler, float lod) {
    float least = (sampler >> 8 & 4095) / 256.0f, greatest = (4095 - (sampler >> 20)) / 256.0f;
    lod = ::fminf(::fmaxf(lod, least), ::fminf(greatest, image.mip_levels - 1));
    return is_filtered<T> && sampler & 64 ? lod : ::floorf(lod + 0.5f);
}

// The level at which a step along the gradient is as long as an element is wide.
__device__ float squared_step(const image_argument& image, float gradient) { return gradient * gradient * image.width * image.width; }
__device__ float squared_step(const image_argument& image, float2 gradient) {
    float x = gradient.x * image.width, y = gradient.y * image.height;
    return x * x + y * y;
}
__device__ float squared_step(const image_argument& image, float4 gradient) {
    float x = gradient.x * image.width, y = gradient.y * image.height, z = gradient.z * image.depth;
    return x * x + y * y + z * z;
}
template<class G> __device__ float lod_of(const image_argument& image, G gradient_x, G gradient_y) {
    return 0.5f * ::__log2f(::fmaxf(squared_step(image, gradient_x), squared_step(image, gradient_y)));
}

}  // namespace ocl
