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

// What each component of a colour is, x in the lowest digit: one of the channels 0 to 3, 4 zero, 5 one (6.15.15.7: "the unmapped
// components will be set to 0.0 for red, green and blue channels and will be set to 1.0 for the alpha channel"), by channel_order:
// R, A, RG, RA, RGB, RGBA, BGRA, ARGB, INTENSITY, LUMINANCE, Rx, RGx, RGBx, DEPTH, DEPTH_STENCIL, sRGB, sRGBx, sRGBA, sBGRA, ABGR.
__constant__ const ushort components_of_order[20] = {
    0x5440, 0x0444, 0x5410, 0x1440, 0x5210, 0x3210, 0x3012, 0x0321, 0x0000, 0x5000,
    0x5440, 0x5410, 0x5210, 0x5440, 0x5440, 0x5210, 0x5210, 0x3210, 0x3012, 0x0123};

// What each channel is when a colour is written, in the same way.
__constant__ const ushort channels_of_order[20] = {
    0x3210, 0x3213, 0x3210, 0x3230, 0x3210, 0x3210, 0x3012, 0x2103, 0x3210, 0x3210,
    0x3210, 0x3210, 0x3210, 0x3210, 0x3210, 0x3210, 0x3210, 0x3210, 0x3012, 0x0123};

template<class T> __device__ T picked(vec<T, 4> c, uint code) {
    T low = code & 1 ? c.y : c.x, high = code & 1 ? c.w : c.z;
    return code & 4 ? T(code & 1) : code & 2 ? high : low;
}
template<class T> __device__ vec<T, 4> arranged(vec<T, 4> c, uint codes) {
    if (codes == 0x3210) return c;
    return {picked(c, codes), picked(c, codes >> 4), picked(c, codes >> 8), picked(c, codes >> 12)};
}
template<class T> __device__ vec<T, 4> color_of(vec<T, 4> channels, int order) {
    return arranged(channels, components_of_order[order - CLK_R]);
}
template<class T> __device__ vec<T, 4> channels_of(vec<T, 4> color, int order) {
    return arranged(color, channels_of_order[order - CLK_R]);
}

// Channel data types: how wide a channel is, unless it is wider or part of a packed element, and what its integers mean.
__device__ bool is_byte(int type) {
    return type == CLK_UNORM_INT8 || type == CLK_SNORM_INT8 || type == CLK_SIGNED_INT8 || type == CLK_UNSIGNED_INT8;
}
__device__ bool is_short(int type) {
    return type == CLK_UNORM_INT16 || type == CLK_SNORM_INT16 || type == CLK_SIGNED_INT16 || type == CLK_UNSIGNED_INT16 ||
           type == CLK_HALF_FLOAT;
}
__device__ bool has_sign(int type) {
    return type <= CLK_SNORM_INT16 || (type >= CLK_SIGNED_INT8 && type <= CLK_SIGNED_INT32);
}
__device__ bool is_packed(int type) {
    return (type >= CLK_UNORM_SHORT_565 && type <= CLK_UNORM_INT_101010) || type == CLK_UNORM_INT_101010_2;
}
// The number that means 1 (8.3.1.1).
__device__ int greatest_of(int type) {
    return type == CLK_UNORM_INT8 ? 255 : type == CLK_UNORM_INT16 ? 65535 : type == CLK_SNORM_INT8 ? 127 : 32767;
}

// Where the channels of packed elements are (API specification 5.3.1.1), and their numbers that mean 1.
struct packing {
    uint4 shift, greatest;
};
__device__ packing packing_of(int type) {
    if (type == CLK_UNORM_SHORT_565) return {{11, 5, 0, 0}, {31, 63, 31, 0}};
    if (type == CLK_UNORM_SHORT_555) return {{10, 5, 0, 0}, {31, 31, 31, 0}};
    if (type == CLK_UNORM_INT_101010) return {{20, 10, 0, 0}, {1023, 1023, 1023, 0}};
    return {{22, 12, 2, 0}, {1023, 1023, 1023, 3}};
}

// 8.3.5: only colours are in the sRGB space, which are the first three channels of each such order.
__device__ bool is_srgb(int order) { return order >= CLK_sRGB && order <= CLK_sBGRA; }
__device__ float linear_of_srgb(float c) { return c <= 0.04045f ? c / 12.92f : ::__powf((c + 0.055f) / 1.055f, 2.4f); }
__device__ float srgb_of_linear(float c) {
    if (!(c > 0)) return 0;
    return c >= 1 ? 1 : c < 0.0031308f ? 12.92f * c : 1.055f * ::__powf(c, 1 / 2.4f) - 0.055f;
}

// The channels of an element as integers, "after sign extension to 32 bits" or zero extension (8.3.4).
__device__ int extended(uint c, int unused, bool with_sign) { return with_sign ? int(c << unused) >> unused : int(c << unused >> unused); }
__device__ int4 integers(uint4 e, int type) {
    uint4 c = is_byte(type) ? uint4{e.x, e.x >> 8, e.x >> 16, e.x >> 24} : is_short(type) ? uint4{e.x, e.x >> 16, e.y, e.y >> 16} : e;
    int unused = is_byte(type) ? 24 : is_short(type) ? 16 : 0;
    bool with_sign = has_sign(type);
    return {extended(c.x, unused, with_sign), extended(c.y, unused, with_sign), extended(c.z, unused, with_sign),
            extended(c.w, unused, with_sign)};
}
// As numbers: "max(-1.0f, (float)c / 127.0f)" and the like (8.3.1.1).
__device__ float4 floats(uint4 e, int type, int order) {
    if (type == CLK_FLOAT) return __builtin_bit_cast(float4, e);
    int4 i = integers(e, type);
    if (type == CLK_HALF_FLOAT)
        return {float_of(half{ushort(i.x)}), float_of(half{ushort(i.y)}), float_of(half{ushort(i.z)}), float_of(half{ushort(i.w)})};
    if (is_packed(type)) {
        packing p = packing_of(type);
        return {ratio(e.x >> p.shift.x & p.greatest.x, p.greatest.x), ratio(e.x >> p.shift.y & p.greatest.y, p.greatest.y),
                ratio(e.x >> p.shift.z & p.greatest.z, p.greatest.z), ratio(e.x >> p.shift.w & p.greatest.w, p.greatest.w)};
    }
    int one = greatest_of(type);
    float4 c = {ratio(i.x, one), ratio(i.y, one), ratio(i.z, one), ratio(i.w, one)};
    if (is_srgb(order)) return {linear_of_srgb(c.x), linear_of_srgb(c.y), linear_of_srgb(c.z), c.w};
    return {c.x < -1 ? -1 : c.x, c.y < -1 ? -1 : c.y, c.z < -1 ? -1 : c.z, c.w < -1 ? -1 : c.w};
}

// The colour of an element, by the type of its components.
//: element_color
template<class T> __device__ vec<T, 4> element_color(const image_argument& image, uint4 e) {
    return color_of(__builtin_bit_cast(vec<T, 4>, integers(e, image.channel_data_type)), image.channel_order);
}
template<> __device__ float4 element_color<float>(const image_argument& image, uint4 e) {
    return color_of(floats(e, image.channel_data_type, image.channel_order), image.channel_order);
}

// The bytes of an element of these channels.
__device__ uint4 joined(uint4 c, int type) {
    if (is_byte(type)) return {(c.x & 255) | (c.y & 255) << 8 | (c.z & 255) << 16 | c.w << 24, 0, 0, 0};
    if (is_short(type)) return {(c.x & 65535) | c.y << 16, (c.z & 65535) | c.w << 16, 0, 0};
    return c;
}

// "convert_char_sat_rte(f * 127.0f)" and the like (8.3.1.3); a NaN becomes 0.
__device__ uint nearest_integer(float f, int low, int high) {
    int c = ::__float2int_rn(f * high);
    return c < low ? low : c > high ? high : c;
}
__device__ uint4 element_of(const image_argument& image, float4 color) {
    int type = image.channel_data_type;
    float4 c = channels_of(color, image.channel_order);
    if (type == CLK_FLOAT) return __builtin_bit_cast(uint4, c);
    if (type == CLK_HALF_FLOAT) return joined({half_rte(c.x).bits, half_rte(c.y).bits, half_rte(c.z).bits, half_rte(c.w).bits}, type);
    if (is_packed(type)) {
        packing p = packing_of(type);
        return {nearest_integer(c.x, 0, p.greatest.x) << p.shift.x | nearest_integer(c.y, 0, p.greatest.y) << p.shift.y |
                nearest_integer(c.z, 0, p.greatest.z) << p.shift.z | nearest_integer(c.w, 0, p.greatest.w) << p.shift.w, 0, 0, 0};
    }
    if (is_srgb(image.channel_order)) c = {srgb_of_linear(c.x), srgb_of_linear(c.y), srgb_of_linear(c.z), c.w};
    int high = greatest_of(type), low = has_sign(type) ? ~high : 0;
    return joined({nearest_integer(c.x, low, high), nearest_integer(c.y, low, high), nearest_integer(c.z, low, high),
                   nearest_integer(c.w, low, high)}, type);
}

// convert_type_sat(i) (8.3.4).
__device__ uint saturated(int c, int high) { return c < ~high ? ~high : c > high ? high : c; }
__device__ uint saturated(uint c, uint high) { return c > high ? high : c; }
__device__ uint4 element_of(const image_argument& image, int4 color) {
    int type = image.channel_data_type, high = is_byte(type) ? 127 : is_short(type) ? 32767 : 0x7fffffff;
    int4 c = channels_of(color, image.channel_order);
    return joined({saturated(c.x, high), saturated(c.y, high), saturated(c.z, high), saturated(c.w, high)}, type);
}
__device__ uint4 element_of(const image_argument& image, uint4 color) {
    int type = image.channel_data_type;
    uint high = is_byte(type) ? 255 : is_short(type) ? 65535 : 0xffffffff;
    uint4 c = channels_of(color, image.channel_order);
    return joined({saturated(c.x, high), saturated(c.y, high), saturated(c.z, high), saturated(c.w, high)}, type);
}

// 8.4: "layer = clamp(rint(w), 0, d_t - 1)".
__device__ int layer_of(int w, int layers) { return w < 0 ? 0 : w > layers - 1 ? layers - 1 : w; }
__device__ int layer_of(float w, int layers) { return layer_of(::__float2int_rn(w), layers); }

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
