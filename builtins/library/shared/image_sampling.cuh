// Addressing and filter modes by the specification's formulas (8.2, 8.4): how the host reads an image with a sampler, and CUDA one
// that hardware has no texture for.

namespace ocl {

template<class T> __device__ sampler_t nearest_for_integers(sampler_t sampler) {
    return is_filtered<T> ? sampler : sampler & ~CLK_FILTER_LINEAR;
}

// 8.2: without normalised coordinates and with a nearest filter "the location of the image element [...] will be computed without
// any loss of precision".
__device__ bool is_exact(sampler_t sampler) { return !(sampler & (CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_LINEAR)); }

// Where a coordinate falls along one axis: the element, or the two neighbours of a linear filter and the second one's weight.
// What a sampler asks for in vain (6.15.15.1, table 32) is CLK_ADDRESS_CLAMP_TO_EDGE, and so is CLK_ADDRESS_NONE, with which the outside
// is undefined, but of an exact sampler: NVIDIA's textures have zeros there, and programs that look at them exist.
struct footprint {
    int first, second;
    float weight;
};

__device__ int addressed(int i, int size, sampler_t sampler) {
    int address = sampler & 14, border = address == CLK_ADDRESS_CLAMP || (address == CLK_ADDRESS_NONE && is_exact(sampler));
    return i < -border ? -border : i > size - 1 + border ? size - 1 + border : i;
}
__device__ footprint footprint_of(int coord, int size, sampler_t sampler) {
    int i = addressed(coord, size, sampler);
    return {i, i, 0};
}
__device__ footprint footprint_of(float s, int size, sampler_t sampler) {
    bool linear = sampler & CLK_FILTER_LINEAR, normalized_coords = sampler & CLK_NORMALIZED_COORDS_TRUE;
    bool repeat = normalized_coords && (sampler & 14) == CLK_ADDRESS_REPEAT;
    bool mirrored = normalized_coords && (sampler & 14) == CLK_ADDRESS_MIRRORED_REPEAT;
    float u = repeat ? (s - ::floorf(s)) * size : mirrored ? ::fabsf(s - 2 * ::rintf(0.5f * s)) * size : normalized_coords ? s * size : s;
    float place = linear ? u - 0.5f : u;
    int i = ::__float2int_rd(place);
    i = i < -2 ? -2 : i > size ? size : i;  // which leaves room for the neighbour
    footprint r = {i, i + linear, linear ? place - ::floorf(place) : 0};
    if (repeat) {
        r.first += r.first < 0 ? size : r.first > size - 1 ? -size : 0;
        r.second -= r.second > size - 1 ? size : 0;
    } else {
        r.first = addressed(r.first, size, sampler);
        r.second = addressed(r.second, size, sampler);
    }
    return r;
}

template<class S> __device__ uint4 load_shape(const image_argument& image, int x, int y, int z) {
    if constexpr (S::axes > 2) return load_3d(image, x, y, z);
    else if constexpr (S::axes > 1 && S::layered) return load_2d_array(image, x, y, z);
    else if constexpr (S::axes > 1) return load_2d(image, x, y);
    else if constexpr (S::layered) return load_1d_array(image, x, z);
    else return load_1d(image, x);
}

// The colour of an element, or the border's (6.15.15.1.1): only these orders have an alpha of 1 there.
template<class T, class S> __device__ vec<T, 4> texel(const image_argument& image, int x, int y, int z) {
    if (holds(image, x, y, z)) return element_color<T>(image, load_shape<S>(image, x, y, z));
    int order = image.channel_order;
    bool opaque = order == CLK_R || order == CLK_RG || order == CLK_RGB || order == CLK_LUMINANCE || order == CLK_sRGB;
    return {0, 0, 0, T(opaque)};
}

// The sum of the neighbours along as many axes as the image has, in the order of the specification's formula.
template<class S> __device__ float4 filtered(const image_argument& image, footprint i, footprint j, footprint k) {
    float4 sum = {};
    for (int n = 0; n < 1 << S::axes; n++) {
        float weight = n & 1 ? i.weight : 1 - i.weight;
        if (S::axes > 1) weight *= n & 2 ? j.weight : 1 - j.weight;
        if (S::axes > 2) weight *= n & 4 ? k.weight : 1 - k.weight;
        float4 t = texel<float, S>(image, n & 1 ? i.second : i.first, n & 2 ? j.second : j.first, n & 4 ? k.second : k.first);
        sum = {sum.x + weight * t.x, sum.y + weight * t.y, sum.z + weight * t.z, sum.w + weight * t.w};
    }
    return sum;
}

// Coordinates that the shape has none of are not looked at; an array's image is the last one.
template<class T, class S, class C> __device__ vec<T, 4> computed(const image_argument& image, sampler_t sampler, C x, C y, C z) {
    sampler = nearest_for_integers<T>(sampler);
    footprint i = footprint_of(x, image.width, sampler), j = {}, k = {};
    if constexpr (S::axes > 1) j = footprint_of(y, image.height, sampler);
    if constexpr (S::axes > 2) k = footprint_of(z, image.depth, sampler);
    if constexpr (S::layered) k.first = k.second = layer_of(z, image.array_size);
    if constexpr (is_filtered<T>) {
        if (sampler & CLK_FILTER_LINEAR) return filtered<S>(image, i, j, k);
    }
    return texel<T, S>(image, i.first, j.first, k.first);
}

// Between two levels of a mipmapped image.
template<class T, class S> __device__ vec<T, 4> computed_between_levels(const image_argument& image, sampler_t sampler, float lod,
                                                                       float x, float y, float z) {
    float place = limited_lod<T>(image, sampler, lod);
    int level = place;
    vec<T, 4> a = computed<T, S>(level_of(image, level), sampler, x, y, z);
    if constexpr (is_filtered<T>) {
        float weight = place - level;
        if (weight > 0) {
            float4 b = computed<T, S>(level_of(image, level + 1), sampler, x, y, z);
            a = {a.x + weight * (b.x - a.x), a.y + weight * (b.y - a.y), a.z + weight * (b.z - a.z), a.w + weight * (b.w - a.w)};
        }
    }
    return a;
}

}  // namespace ocl
