// Images and samplers (6.15.15): what a kernel's argument is, and elements in memory against colours (8.3). Both ports share this.

namespace ocl {

// The bits of CLK_NORMALIZED_COORDS_*, CLK_ADDRESS_* and CLK_FILTER_*; an argument is 4 bytes.
using sampler_t = uint;

// What a kernel is given for an image, by value: 160 bytes, aligned to 8 (`opaque.py` has both numbers for the host's side).
//   textures           CUDA's texture objects, one for each state of a sampler (`texture_state` has the order), else zeros
//   surface            CUDA's surface object; 0 where the image is plain memory: on the host, and made from a buffer on CUDA
//   data               the first element of an image that is plain memory
//   row_pitch          bytes from a row to the next; slice_pitch from a plane, or an array's image, to the next
//   width, ...         1 where the image has no such dimension; of mip_levels too
//   channel_order, channel_data_type    the values of CLK_* (which are those of CL_*)
//   element_size       bytes: 1, 2, 4, 8 or 16
struct image_argument {
    ulong textures[12];
    ulong surface;
    uchar* data;
    ulong row_pitch, slice_pitch;
    int width, height, depth, array_size;
    int channel_order, channel_data_type, element_size, mip_levels;
};

struct image1d_t : image_argument {};
struct image1d_buffer_t : image_argument {};
struct image1d_array_t : image_argument {};
struct image2d_t : image_argument {};
struct image2d_array_t : image_argument {};
struct image3d_t : image_argument {};
struct image2d_depth_t : image_argument {};
struct image2d_array_depth_t : image_argument {};

// Of images that are read and written (6.8): they are never read through textures, whose cache does not see the writes.
struct read_write_image1d_t : image_argument {};
struct read_write_image1d_buffer_t : image_argument {};
struct read_write_image1d_array_t : image_argument {};
struct read_write_image2d_t : image_argument {};
struct read_write_image2d_array_t : image_argument {};
struct read_write_image3d_t : image_argument {};
struct read_write_image2d_depth_t : image_argument {};
struct read_write_image2d_array_depth_t : image_argument {};

// The colour that the channels of an element mean (6.15.15.7): "unmapped components will be set to 0.0 for red, green and blue
// channels and will be set to 1.0 for the alpha channel".
template<class T> __device__ vec<T, 4> color_of(vec<T, 4> c, int order) {
    switch (order) {
    case CLK_RGBA: case CLK_sRGBA: return c;
    case CLK_R: case CLK_Rx: case CLK_DEPTH: return {c.x, 0, 0, 1};
    case CLK_RG: case CLK_RGx: return {c.x, c.y, 0, 1};
    case CLK_RGB: case CLK_RGBx: case CLK_sRGB: case CLK_sRGBx: return {c.x, c.y, c.z, 1};
    case CLK_BGRA: case CLK_sBGRA: return {c.z, c.y, c.x, c.w};
    case CLK_ARGB: return {c.y, c.z, c.w, c.x};
    case CLK_ABGR: return {c.w, c.z, c.y, c.x};
    case CLK_A: return {0, 0, 0, c.x};
    case CLK_RA: return {c.x, 0, 0, c.y};
    case CLK_INTENSITY: return {c.x, c.x, c.x, c.x};
    default: return {c.x, c.x, c.x, 1};  // CLK_LUMINANCE
    }
}

// The channels, in the order of memory, that hold a colour.
template<class T> __device__ vec<T, 4> channels_of(vec<T, 4> c, int order) {
    switch (order) {
    case CLK_A: return {c.w, 0, 0, 0};
    case CLK_RA: return {c.x, c.w, 0, 0};
    case CLK_BGRA: case CLK_sBGRA: return {c.z, c.y, c.x, c.w};
    case CLK_ARGB: return {c.w, c.x, c.y, c.z};
    case CLK_ABGR: return {c.w, c.z, c.y, c.x};
    default: return c;
    }
}

// 8.3.5: only colours are in the sRGB space, which are the first three channels of each such order.
__device__ bool is_srgb(int order) { return order >= CLK_sRGB && order <= CLK_sBGRA; }
__device__ float linear_of_srgb(float c) { return c <= 0.04045f ? c / 12.92f : ::powf((c + 0.055f) / 1.055f, 2.4f); }
__device__ float srgb_of_linear(float c) {
    if (!(c > 0)) return 0;
    return c >= 1 ? 1 : c < 0.0031308f ? 12.92f * c : 1.055f * ::powf(c, 1 / 2.4f) - 0.055f;
}

// The channels that an element's bytes hold, as numbers (8.3.1.1).
template<int greatest> __device__ float signed_normalized(int c) { return c < -greatest ? -1.0f : normalized<greatest>(c); }
__device__ float4 float_channels(uint4 e, int type, int order) {
    float4 c = {};
    switch (type) {
    case CLK_UNORM_INT8:
        c = {normalized<255>(uchar(e.x)), normalized<255>(uchar(e.x >> 8)), normalized<255>(uchar(e.x >> 16)), normalized<255>(e.x >> 24)};
        return is_srgb(order) ? float4{linear_of_srgb(c.x), linear_of_srgb(c.y), linear_of_srgb(c.z), c.w} : c;
    case CLK_FLOAT:
        return __builtin_bit_cast(float4, e);
    case CLK_HALF_FLOAT:
        return {float_of(half{ushort(e.x)}), float_of(half{ushort(e.x >> 16)}), float_of(half{ushort(e.y)}), float_of(half{ushort(e.y >> 16)})};
    case CLK_UNORM_INT16:
        return {normalized<65535>(ushort(e.x)), normalized<65535>(e.x >> 16), normalized<65535>(ushort(e.y)), normalized<65535>(e.y >> 16)};
    case CLK_SNORM_INT8:
        return {signed_normalized<127>(char(e.x)), signed_normalized<127>(char(e.x >> 8)),
                signed_normalized<127>(char(e.x >> 16)), signed_normalized<127>(char(e.x >> 24))};
    case CLK_SNORM_INT16:
        return {signed_normalized<32767>(short(e.x)), signed_normalized<32767>(short(e.x >> 16)),
                signed_normalized<32767>(short(e.y)), signed_normalized<32767>(short(e.y >> 16))};
    case CLK_UNORM_SHORT_565:
        return {normalized<31>(e.x >> 11 & 31), normalized<63>(e.x >> 5 & 63), normalized<31>(e.x & 31), 1};
    case CLK_UNORM_SHORT_555:
        return {normalized<31>(e.x >> 10 & 31), normalized<31>(e.x >> 5 & 31), normalized<31>(e.x & 31), 1};
    case CLK_UNORM_INT_101010:
        return {normalized<1023>(e.x >> 20 & 1023), normalized<1023>(e.x >> 10 & 1023), normalized<1023>(e.x & 1023), 1};
    case CLK_UNORM_INT_101010_2:
        return {normalized<1023>(e.x >> 22), normalized<1023>(e.x >> 12 & 1023), normalized<1023>(e.x >> 2 & 1023), normalized<3>(e.x & 3)};
    }
    return c;
}

// "The integer values stored in the image [...] after sign extension to 32 bits" or zero extension (8.3.4).
__device__ int4 int_channels(uint4 e, int type) {
    switch (type) {
    case CLK_SIGNED_INT8: return {char(e.x), char(e.x >> 8), char(e.x >> 16), char(e.x >> 24)};
    case CLK_SIGNED_INT16: return {short(e.x), short(e.x >> 16), short(e.y), short(e.y >> 16)};
    default: return __builtin_bit_cast(int4, e);
    }
}
__device__ uint4 uint_channels(uint4 e, int type) {
    switch (type) {
    case CLK_UNSIGNED_INT8: return {uchar(e.x), uchar(e.x >> 8), uchar(e.x >> 16), e.x >> 24};
    case CLK_UNSIGNED_INT16: return {ushort(e.x), e.x >> 16, ushort(e.y), e.y >> 16};
    default: return e;
    }
}

// The colour of an element, by the type of its components.
//: element_color
template<class T> __device__ vec<T, 4> element_color(const image_argument& image, uint4 e);
template<> __device__ float4 element_color<float>(const image_argument& image, uint4 e) {
    return color_of(float_channels(e, image.channel_data_type, image.channel_order), image.channel_order);
}
template<> __device__ int4 element_color<int>(const image_argument& image, uint4 e) {
    return color_of(int_channels(e, image.channel_data_type), image.channel_order);
}
template<> __device__ uint4 element_color<uint>(const image_argument& image, uint4 e) {
    return color_of(uint_channels(e, image.channel_data_type), image.channel_order);
}

// The bytes of an element that hold these channels.
__device__ uint4 bytes(uint a, uint b, uint c, uint d) { return {(a & 255) | (b & 255) << 8 | (c & 255) << 16 | d << 24, 0, 0, 0}; }
__device__ uint4 shorts(uint a, uint b, uint c, uint d) { return {(a & 65535) | b << 16, (c & 65535) | d << 16, 0, 0}; }

// convert_type_sat_rte(f * greatest) (8.3.1.3); a NaN becomes 0.
__device__ uint denormalized(float f, uint greatest) {
    uint c = ::__float2uint_rn(f * greatest);
    return c < greatest ? c : greatest;
}
__device__ int signed_denormalized(float f, int greatest) {
    int c = ::__float2int_rn(f * greatest);
    return c > greatest ? greatest : c < ~greatest ? ~greatest : c;
}
__device__ uint4 element_of(const image_argument& image, float4 color) {
    float4 c = channels_of(color, image.channel_order);
    switch (image.channel_data_type) {
    case CLK_UNORM_INT8:
        if (is_srgb(image.channel_order)) c = {srgb_of_linear(c.x), srgb_of_linear(c.y), srgb_of_linear(c.z), c.w};
        return bytes(denormalized(c.x, 255), denormalized(c.y, 255), denormalized(c.z, 255), denormalized(c.w, 255));
    case CLK_HALF_FLOAT:
        return shorts(half_rte(c.x).bits, half_rte(c.y).bits, half_rte(c.z).bits, half_rte(c.w).bits);
    case CLK_UNORM_INT16:
        return shorts(denormalized(c.x, 65535), denormalized(c.y, 65535), denormalized(c.z, 65535), denormalized(c.w, 65535));
    case CLK_SNORM_INT8:
        return bytes(signed_denormalized(c.x, 127), signed_denormalized(c.y, 127), signed_denormalized(c.z, 127),
                     signed_denormalized(c.w, 127));
    case CLK_SNORM_INT16:
        return shorts(signed_denormalized(c.x, 32767), signed_denormalized(c.y, 32767), signed_denormalized(c.z, 32767),
                      signed_denormalized(c.w, 32767));
    case CLK_UNORM_SHORT_565:
        return {denormalized(c.x, 31) << 11 | denormalized(c.y, 63) << 5 | denormalized(c.z, 31), 0, 0, 0};
    case CLK_UNORM_SHORT_555:
        return {denormalized(c.x, 31) << 10 | denormalized(c.y, 31) << 5 | denormalized(c.z, 31), 0, 0, 0};
    case CLK_UNORM_INT_101010:
        return {denormalized(c.x, 1023) << 20 | denormalized(c.y, 1023) << 10 | denormalized(c.z, 1023), 0, 0, 0};
    case CLK_UNORM_INT_101010_2:
        return {denormalized(c.x, 1023) << 22 | denormalized(c.y, 1023) << 12 | denormalized(c.z, 1023) << 2 | denormalized(c.w, 3), 0, 0, 0};
    default:
        return __builtin_bit_cast(uint4, c);
    }
}

// convert_type_sat(i) (8.3.4).
__device__ int between(int c, int low, int high) { return c < low ? low : c > high ? high : c; }
__device__ uint4 element_of(const image_argument& image, int4 color) {
    int4 c = channels_of(color, image.channel_order);
    switch (image.channel_data_type) {
    case CLK_SIGNED_INT8:
        return bytes(between(c.x, -128, 127), between(c.y, -128, 127), between(c.z, -128, 127), between(c.w, -128, 127));
    case CLK_SIGNED_INT16:
        return shorts(between(c.x, -32768, 32767), between(c.y, -32768, 32767), between(c.z, -32768, 32767), between(c.w, -32768, 32767));
    default:
        return __builtin_bit_cast(uint4, c);
    }
}
__device__ uint at_most(uint c, uint high) { return c > high ? high : c; }
__device__ uint4 element_of(const image_argument& image, uint4 color) {
    uint4 c = channels_of(color, image.channel_order);
    switch (image.channel_data_type) {
    case CLK_UNSIGNED_INT8: return bytes(at_most(c.x, 255), at_most(c.y, 255), at_most(c.z, 255), at_most(c.w, 255));
    case CLK_UNSIGNED_INT16: return shorts(at_most(c.x, 65535), at_most(c.y, 65535), at_most(c.z, 65535), at_most(c.w, 65535));
    default: return c;
    }
}

// Elements of images that are plain memory. Outside of the image, where the specification leaves the behaviour open, nothing is
// written and zeros are read, as CUDA's surfaces do it. z is the plane, or the image of an array.
__device__ bool holds(const image_argument& image, int x, int y, int z) {
    return uint(x) < uint(image.width) && uint(y) < uint(image.height) && uint(z) < uint(image.depth * image.array_size);
}
__device__ uint4 load_memory(const image_argument& image, int x, int y, int z) {
    if (!holds(image, x, y, z)) return {};
    const uchar* p = image.data + z * image.slice_pitch + y * image.row_pitch + x * (ulong)image.element_size;
    switch (image.element_size) {
    case 1: return {*p};
    case 2: return {*(const ushort*)p};
    case 4: return {*(const uint*)p};
    case 8: return {((const uint*)p)[0], ((const uint*)p)[1]};
    default: return {((const uint*)p)[0], ((const uint*)p)[1], ((const uint*)p)[2], ((const uint*)p)[3]};
    }
}
__device__ void store_memory(const image_argument& image, int x, int y, int z, uint4 e) {
    if (!holds(image, x, y, z)) return;
    uchar* p = image.data + z * image.slice_pitch + y * image.row_pitch + x * (ulong)image.element_size;
    switch (image.element_size) {
    case 1: *p = e.x; break;
    case 2: *(ushort*)p = e.x; break;
    case 4: *(uint*)p = e.x; break;
    case 8: ((uint*)p)[0] = e.x; ((uint*)p)[1] = e.y; break;
    default: ((uint*)p)[0] = e.x; ((uint*)p)[1] = e.y; ((uint*)p)[2] = e.z; ((uint*)p)[3] = e.w;
    }
}

}  // namespace ocl
