// Addressing and filter modes by textures, in PTX, since NVRTC's --minimal leaves out CUDA's own functions for them.
//
// A texture converts its elements to what is read: normalised integers, half and sRGB to float (read mode "normalized float"),
// integers to 32 bits (read mode "element type"). Its addressing modes and filters are OpenCL's; its filters have weights of 8 bits,
// which 8.2 leaves to the implementation. It has zeros for a border and for channels that the format lacks.
//
// Hardware has no textures of UNORM_SHORT_565 and 555, UNORM_INT_101010 and 101010_2, nor the border of Rx, RGx, RGBx and sRGBx,
// whose alpha is 0 where the inside's is 1, and its linear filter is none too good for SNORM_INT8 and sRGB:
// `cuda/image_access_general.cuh` has these.

namespace ocl {

// A sampler's place in image_argument.textures. Nearest filter: normalised clamp to edge, clamp, repeat, mirrored repeat, for
// which unnormalised coordinates need no texture of their own. Linear filter: unnormalised clamp to edge and clamp, then as above.
// CLK_ADDRESS_NONE is clamp to edge; so are repeat and mirrored repeat without normalised coordinates, which have no meaning.
__device__ ulong texture_for(const image_argument& image, sampler_t sampler) {
    uint address = sampler >> 1 & 7, normalized_mode = address < 2 ? 0 : address - 1;
    bool normalized_coords = sampler & CLK_NORMALIZED_COORDS_TRUE, border = (sampler & 14) == CLK_ADDRESS_CLAMP;
    uint nearest = normalized_coords ? normalized_mode : border, linear = normalized_coords ? 6 + normalized_mode : 4 + border;
    return image.textures[sampler & CLK_FILTER_LINEAR ? linear : nearest];
}

// What an exact sampler reads is a fetch by element. It finds zeros outside of the image, also those that CLK_ADDRESS_NONE leaves
// undefined, as on NVIDIA's OpenCL.
__device__ int element_at(int i, int size, sampler_t sampler) {
    bool clamps = sampler & (14 ^ CLK_ADDRESS_CLAMP);
    return clamps ? ::max(0, ::min(i, size - 1)) : i;
}
__device__ int element_at(float u, int size, sampler_t sampler) { return element_at(::__float2int_rd(u), size, sampler); }

// What `texture` has, read as T: float, int or uint. `operands` are all after the texture's handle.
#define OCL_TEXTURE(instruction, coordinate, operands, ...) \
    vec<T, 4> c; \
    if constexpr (T(0.5f) != 0) \
        asm(instruction ".v4.f32." coordinate " {%0, %1, %2, %3}, [%4, " operands ";" \
            : "=f"(c.x), "=f"(c.y), "=f"(c.z), "=f"(c.w) : "l"(texture), __VA_ARGS__); \
    else if constexpr (T(-1) < T(0)) \
        asm(instruction ".v4.s32." coordinate " {%0, %1, %2, %3}, [%4, " operands ";" \
            : "=r"(c.x), "=r"(c.y), "=r"(c.z), "=r"(c.w) : "l"(texture), __VA_ARGS__); \
    else \
        asm(instruction ".v4.u32." coordinate " {%0, %1, %2, %3}, [%4, " operands ";" \
            : "=r"(c.x), "=r"(c.y), "=r"(c.z), "=r"(c.w) : "l"(texture), __VA_ARGS__); \
    return c

// An image's shape: how many coordinates the addressing modes apply to, and whether another one names an image of an array.
//   element    the element at a place
//   sample     what a texture's sampler makes of coordinates; of levels, at a level of detail
// One-dimensional images are read as the one row of a two-dimensional one: hardware takes a border for their neighbour along y, and
// fetches no elements of them.
struct shape_1d {
    static constexpr int axes = 1, layered = false;
    template<class T> static __device__ vec<T, 4> element(ulong texture, int x, int, int) {
        OCL_TEXTURE("tex.2d", "s32", "{%5, %6}]", "r"(x), "r"(0));
    }
    template<class T> static __device__ vec<T, 4> sample(ulong texture, float x, float, float, int) {
        OCL_TEXTURE("tex.2d", "f32", "{%5, %6}]", "f"(x), "f"(0.5f));
    }
    template<class T> static __device__ vec<T, 4> sample_level(ulong texture, float lod, float x, float, float, int) {
        OCL_TEXTURE("tex.level.2d", "f32", "{%5, %6}], %7", "f"(x), "f"(0.5f), "f"(lod));
    }
};
struct shape_1d_array {
    static constexpr int axes = 1, layered = true;
    template<class T> static __device__ vec<T, 4> element(ulong texture, int x, int, int layer) {
        OCL_TEXTURE("tex.a1d", "s32", "{%5, %6}]", "r"(layer), "r"(x));
    }
    template<class T> static __device__ vec<T, 4> sample(ulong texture, float x, float, float, int layer) {
        OCL_TEXTURE("tex.a1d", "f32", "{%5, %6}]", "r"(layer), "f"(x));
    }
    template<class T> static __device__ vec<T, 4> sample_level(ulong texture, float lod, float x, float, float, int layer) {
        OCL_TEXTURE("tex.level.a1d", "f32", "{%5, %6}], %7", "r"(layer), "f"(x), "f"(lod));
    }
};
struct shape_2d {
    static constexpr int axes = 2, layered = false;
    template<class T> static __device__ vec<T, 4> element(ulong texture, int x, int y, int) {
        OCL_TEXTURE("tex.2d", "s32", "{%5, %6}]", "r"(x), "r"(y));
    }
    template<class T> static __device__ vec<T, 4> sample(ulong texture, float x, float y, float, int) {
        OCL_TEXTURE("tex.2d", "f32", "{%5, %6}]", "f"(x), "f"(y));
    }
    template<class T> static __device__ vec<T, 4> sample_level(ulong texture, float lod, float x, float y, float, int) {
        OCL_TEXTURE("tex.level.2d", "f32", "{%5, %6}], %7", "f"(x), "f"(y), "f"(lod));
    }
};
struct shape_2d_array {
    static constexpr int axes = 2, layered = true;
    template<class T> static __device__ vec<T, 4> element(ulong texture, int x, int y, int layer) {
        OCL_TEXTURE("tex.a2d", "s32", "{%5, %6, %7, %7}]", "r"(layer), "r"(x), "r"(y));
    }
    template<class T> static __device__ vec<T, 4> sample(ulong texture, float x, float y, float, int layer) {
        OCL_TEXTURE("tex.a2d", "f32", "{%5, %6, %7, %7}]", "r"(layer), "f"(x), "f"(y));
    }
    template<class T> static __device__ vec<T, 4> sample_level(ulong texture, float lod, float x, float y, float, int layer) {
        OCL_TEXTURE("tex.level.a2d", "f32", "{%5, %6, %7, %7}], %8", "r"(layer), "f"(x), "f"(y), "f"(lod));
    }
};
struct shape_3d {
    static constexpr int axes = 3, layered = false;
    template<class T> static __device__ vec<T, 4> element(ulong texture, int x, int y, int z) {
        OCL_TEXTURE("tex.3d", "s32", "{%5, %6, %7, %7}]", "r"(x), "r"(y), "r"(z));
    }
    template<class T> static __device__ vec<T, 4> sample(ulong texture, float x, float y, float z, int) {
        OCL_TEXTURE("tex.3d", "f32", "{%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z));
    }
    template<class T> static __device__ vec<T, 4> sample_level(ulong texture, float lod, float x, float y, float z, int) {
        OCL_TEXTURE("tex.level.3d", "f32", "{%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(lod));
    }
};

// What a texture makes of coordinates, or finds at integer ones, which "must use a sampler" that is exact (6.15.15.2).
template<class T, class S, class C> __device__ vec<T, 4> textured(const image_argument& image, sampler_t sampler, ulong texture, C x, C y,
                                                                 C z) {
    int layer = 0;
    if constexpr (S::layered) layer = layer_of(z, image.array_size);
    if constexpr (C(0.5f) != 0) {
        if (!is_exact(sampler)) return texture_color(S::template sample<T>(texture, x, y, z, layer), image);
    }
    int k = S::layered ? layer : S::axes > 2 ? element_at(z, image.depth, sampler) : 0;
    int j = S::axes > 1 ? element_at(y, image.height, sampler) : 0;
    return texture_color(S::template element<T>(texture, element_at(x, image.width, sampler), j, k), image);
}
template<class T, class S> __device__ vec<T, 4> textured_level(const image_argument& image, sampler_t sampler, ulong texture, float lod,
                                                               float x, float y, float z) {
    int layer = S::layered ? layer_of(z, image.array_size) : 0;
    return texture_color(S::template sample_level<T>(texture, limited_lod<T>(image, sampler, lod), x, y, z, layer), image);
}

}  // namespace ocl
