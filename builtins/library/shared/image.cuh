// Images and samplers (6.15.15): what a kernel's argument is, and elements in memory against colours (8.3). Both ports share this.

namespace ocl {

// An argument is 4 bytes: the bits of CLK_NORMALIZED_COORDS_*, CLK_ADDRESS_* and CLK_FILTER_*; and of a sampler object for mipmapped
// images (cl_khr_mipmap_image; `opaque.py` has the numbers) CL_SAMPLER_MIP_FILTER_MODE_KHR in bit 6, set for linear, the least level
// of detail in bits 8 to 19, and in bits 20 to 31 what lacks to the greatest one's limit, 4095, both in 1/256: so 0 limits nothing.
using sampler_t = uint;

// What a kernel is given for an image, by value: 152 bytes, aligned to 8 (`opaque.py` has both numbers for the host's side).
//   textures           CUDA's texture objects, one for each state of a sampler that needs one of its own (`texture_for` has the
//                      order); zero where hardware has none, and on the host. Those of a mipmapped image cover all levels, with a
//                      linear filter between them (of integers the nearest) and levels of detail from 0 up.
//   surface            CUDA's surface object; 0 where the image is plain memory: on the host, and made from a buffer on CUDA
//   data               the first element of an image that is plain memory
//   row_pitch          bytes from a row to the next; slice_pitch from a plane, or an array's image, to the next
//   width, ...         1 where the image has no such dimension; of mip_levels too
//   channel_order, channel_data_type    the values of CLK_* (which are those of CL_*)
//   element_size       bytes: 1, 2, 4, 8 or 16
//   levels             of a mipmapped image an array, in the device's memory, of one argument for each level, as if the level were
//                      an image of its own (textures may be zeros); else null. All other members describe the first level.
struct image_argument {
    ulong textures[10];
    ulong surface;
    uchar* data;
    ulong row_pitch, slice_pitch;
    int width, height, depth, array_size;
    int channel_order, channel_data_type, element_size, mip_levels;
    const image_argument* levels;
};

struct image1d_t : image_argument {};
struct image1d_buffer_t : image_argument {};
struct image1d_array_t : image_argument {};
struct image2d_t : image_argument {};
struct image2d_array_t : image_argument {};
struct image3d_t : image_argument {};
struct image2d_depth_t : image_argument {};
struct image2d_array_depth_t : image_argument {};

// Images that are read and written (6.8) are never read through textures, whose cache does not see the writes.
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
    return {picked(c, codes), picked(c, codes >> 4), picked(c, codes >> 8), picked(c, codes >> 12)};
}
template<class T> __device__ vec<T, 4> color_of(vec<T, 4> channels, int order) {
    return order == CLK_RGBA ? channels : arranged(channels, components_of_order[order - CLK_R]);
}
template<class T> __device__ vec<T, 4> channels_of(vec<T, 4> color, int order) {
    return order == CLK_RGBA ? color : arranged(color, channels_of_order[order - CLK_R]);
}

// A bit for each of the data types from SNORM_INT8 on: those with channels of 8 and of 16 bits, those with a sign, the packed ones.
constexpr uint types_of_8_bits = 0x485, types_of_16_bits = 0x290A, signed_types = 0x183, packed_types = 0x18070;
__device__ bool is_of(const image_argument& image, uint types) { return types >> (image.channel_data_type - CLK_SNORM_INT8) & 1; }

// Where the channels of UNORM_SHORT_565 and 555, UNORM_INT_101010, 101010_2 and INT24 are (API specification 5.3.1.1). Of all but the
// fourth, a fourth channel is never looked at; INT24 is a depth above 8 bits of stencil, as OpenGL has them (5.3.13.1).
struct channel_layout {
    vec<uchar, 4> bits, shift;
};
__constant__ const channel_layout packed_layouts[5] = {
    {{5, 6, 5, 1}, {11, 5, 0, 0}}, {{5, 5, 5, 1}, {10, 5, 0, 0}}, {{10, 10, 10, 1}, {20, 10, 0, 0}}, {{10, 10, 10, 2}, {22, 12, 2, 0}},
    {{24, 1, 1, 1}, {8, 0, 0, 0}}};
__device__ channel_layout packed_layout(const image_argument& image) {
    int type = image.channel_data_type;
    return packed_layouts[type == CLK_UNORM_INT_101010_2 ? 3 : type == CLK_UNORM_INT24 ? 4 : type - CLK_UNORM_SHORT_565];
}

// "After sign extension to 32 bits" or zero extension (8.3.4).
__device__ int channel(uint word, uint shift, uint bits, bool is_signed) {
    uint high = word << (32 - bits - shift);
    return is_signed ? int(high) >> (32 - bits) : high >> (32 - bits);
}
__device__ int4 unpacked_integers(const image_argument& image, uint4 e) {
    bool bytes = is_of(image, types_of_8_bits), s = is_of(image, signed_types);
    if (!bytes && !is_of(image, types_of_16_bits)) return __builtin_bit_cast(int4, e);
    uint bits = bytes ? 8 : 16, high = bytes ? e.x >> 16 : e.y;
    return {channel(e.x, 0, bits, s), channel(e.x, bits, bits, s), channel(high, 0, bits, s), channel(high, bits, bits, s)};
}
__device__ int4 packed_integers(const image_argument& image, uint4 e) {
    channel_layout at = packed_layout(image);
    return {channel(e.x, at.shift.x, at.bits.x, false), channel(e.x, at.shift.y, at.bits.y, false),
            channel(e.x, at.shift.z, at.bits.z, false), channel(e.x, at.shift.w, at.bits.w, false)};
}
__device__ uint4 unpacked_element(const image_argument& image, int4 c) {
    bool bytes = is_of(image, types_of_8_bits);
    if (!bytes && !is_of(image, types_of_16_bits)) return __builtin_bit_cast(uint4, c);
    uint bits = bytes ? 8 : 16, mask = (1 << bits) - 1;
    uint low = (c.x & mask) | (c.y & mask) << bits, high = (c.z & mask) | (c.w & mask) << bits;
    return {bytes ? low | high << 16 : low, high, 0, 0};
}
__device__ uint4 packed_element(const image_argument& image, int4 c) {
    channel_layout at = packed_layout(image);
    uint fourth = image.channel_data_type == CLK_UNORM_INT_101010_2 ? c.w : 0;
    return {uint(c.x << at.shift.x | c.y << at.shift.y | c.z << at.shift.z | fourth), 0, 0, 0};
}

// The greatest integer in each channel of at most 16 bits, which a normalised one calls 1.
__device__ int4 unpacked_largest_of(const image_argument& image) {
    int largest = (is_of(image, types_of_8_bits) ? 255 : 65535) >> is_of(image, signed_types);
    return {largest, largest, largest, largest};
}
__device__ int4 packed_largest_of(const image_argument& image) {
    channel_layout at = packed_layout(image);
    return {(1 << at.bits.x) - 1, (1 << at.bits.y) - 1, (1 << at.bits.z) - 1, (1 << at.bits.w) - 1};
}

// 8.3.5: only colours are in the sRGB space, which are the first three channels of each such order.
__device__ bool is_srgb(int order) { return order >= CLK_sRGB && order <= CLK_sBGRA; }
__device__ float linear_of_srgb(float c) { return c <= 0.04045f ? c / 12.92f : ::__powf((c + 0.055f) / 1.055f, 2.4f); }
__device__ float srgb_of_linear(float c) {
    if (!(c > 0)) return 0;
    return c < 0.0031308f ? 12.92f * c : 1.055f * ::__powf(c, 1 / 2.4f) - 0.055f;
}
__device__ float4 linear_channels(float4 c, const image_argument& image) {
    if (!is_srgb(image.channel_order)) return c;
    return {linear_of_srgb(c.x), linear_of_srgb(c.y), linear_of_srgb(c.z), c.w};
}
__device__ float4 srgb_channels(float4 c, const image_argument& image) {
    if (!is_srgb(image.channel_order)) return c;
    return {srgb_of_linear(c.x), srgb_of_linear(c.y), srgb_of_linear(c.z), c.w};
}

// "max(-1.0f, (float)c / 127.0f)" and the like (8.3.1.1).
__device__ float number(int c, int largest) {
    float f = ratio(c, largest);
    return f < -1 ? -1 : f;
}
__device__ float4 numbers(int4 i, int4 one) {
    return {number(i.x, one.x), number(i.y, one.y), number(i.z, one.z), number(i.w, one.w)};
}
__device__ float4 unpacked_numbers(const image_argument& image, uint4 e) {
    int4 i = unpacked_integers(image, e);
    if (image.channel_data_type == CLK_FLOAT) return __builtin_bit_cast(float4, i);
    if (image.channel_data_type == CLK_HALF_FLOAT)
        return {float_of(half{ushort(i.x)}), float_of(half{ushort(i.y)}), float_of(half{ushort(i.z)}), float_of(half{ushort(i.w)})};
    return numbers(i, unpacked_largest_of(image));
}

// The colour that an element holds; integers, as they are read by read_imagei and read_imageui, are in no packed format.
__device__ int4 int_color(const image_argument& image, uint4 e) { return color_of(unpacked_integers(image, e), image.channel_order); }
__device__ float4 float_color(const image_argument& image, uint4 e) {
    bool packed = is_of(image, packed_types);
    float4 c = packed ? numbers(packed_integers(image, e), packed_largest_of(image)) : unpacked_numbers(image, e);
    return color_of(linear_channels(c, image), image.channel_order);
}

// The element that holds channels, with "convert_char_sat(i)" and the like (8.3.4).
__device__ int saturated(int c, int largest) { return c < ~largest ? ~largest : c > largest ? largest : c; }
__device__ uint4 unpacked_element_for(const image_argument& image, int4 c) {
    if (image.channel_data_type == CLK_SIGNED_INT32) return __builtin_bit_cast(uint4, c);
    int largest = unpacked_largest_of(image).x;
    return unpacked_element(image, {saturated(c.x, largest), saturated(c.y, largest), saturated(c.z, largest), saturated(c.w, largest)});
}
__device__ uint4 unpacked_element_for(const image_argument& image, uint4 c) {
    if (image.channel_data_type == CLK_UNSIGNED_INT32) return c;
    uint largest = unpacked_largest_of(image).x;
    return unpacked_element(image, {int(c.x < largest ? c.x : largest), int(c.y < largest ? c.y : largest),
                                    int(c.z < largest ? c.z : largest), int(c.w < largest ? c.w : largest)});
}

// "convert_char_sat_rte(f * 127.0f)" and the like (8.3.1.3); a NaN becomes 0.
__device__ int nearest_integer(float f, int largest, bool is_signed) {
    int c = ::__float2int_rn(f * largest), least = is_signed ? ~largest : 0;
    return c < least ? least : c > largest ? largest : c;
}
__device__ int4 nearest_integers(float4 c, int4 one, bool s) {
    return {nearest_integer(c.x, one.x, s), nearest_integer(c.y, one.y, s), nearest_integer(c.z, one.z, s), nearest_integer(c.w, one.w, s)};
}
__device__ uint4 unpacked_element_for(const image_argument& image, float4 c) {
    if (image.channel_data_type == CLK_FLOAT) return __builtin_bit_cast(uint4, c);
    if (image.channel_data_type == CLK_HALF_FLOAT)
        return unpacked_element(image, {half_rte(c.x).bits, half_rte(c.y).bits, half_rte(c.z).bits, half_rte(c.w).bits});
    return unpacked_element(image, nearest_integers(c, unpacked_largest_of(image), is_of(image, signed_types)));
}

// The element that holds a colour.
__device__ uint4 element_for(const image_argument& image, int4 color) {
    return unpacked_element_for(image, channels_of(color, image.channel_order));
}
__device__ uint4 element_for(const image_argument& image, uint4 color) {
    return unpacked_element_for(image, channels_of(color, image.channel_order));
}
__device__ uint4 element_for(const image_argument& image, float4 color) {
    float4 c = srgb_channels(channels_of(color, image.channel_order), image);
    if (!is_of(image, packed_types)) return unpacked_element_for(image, c);
    return packed_element(image, nearest_integers(c, packed_largest_of(image), false));
}

// 8.4: "layer = clamp(rint(w), 0, d_t - 1)".
__device__ int layer_of(int w, int layers) { return w < 0 ? 0 : w > layers - 1 ? layers - 1 : w; }
__device__ int layer_of(float w, int layers) { return layer_of(::__float2int_rn(w), layers); }

// Elements of images that are plain memory. Outside of the image, where the specification leaves the behaviour open, nothing is
// written and zeros are read, as CUDA's surfaces do it. z is the plane, or the image of an array.
__device__ bool holds(const image_argument& image, int x, int y, int z) {
    return uint(x) < uint(image.width) && uint(y) < uint(image.height) && uint(z) < uint(image.depth * image.array_size);
}
__device__ uint4 load_element(const uchar* p, int size) {
    switch (size) {
    case 1: return {*p};
    case 2: return {*(const ushort*)p};
    case 4: return {*(const uint*)p};
    case 8: return {((const uint*)p)[0], ((const uint*)p)[1]};
    default: return {((const uint*)p)[0], ((const uint*)p)[1], ((const uint*)p)[2], ((const uint*)p)[3]};
    }
}
__device__ void store_element(uchar* p, int size, uint4 e) {
    switch (size) {
    case 1: *p = e.x; break;
    case 2: *(ushort*)p = e.x; break;
    case 4: *(uint*)p = e.x; break;
    case 8: ((uint*)p)[0] = e.x; ((uint*)p)[1] = e.y; break;
    default: ((uint*)p)[0] = e.x; ((uint*)p)[1] = e.y; ((uint*)p)[2] = e.z; ((uint*)p)[3] = e.w;
    }
}
__device__ uchar* place_of(const image_argument& image, int x, int y, int z) {
    return image.data + z * image.slice_pitch + y * image.row_pitch + x * (ulong)image.element_size;
}
__device__ uint4 load_memory(const image_argument& image, int x, int y, int z) {
    return holds(image, x, y, z) ? load_element(place_of(image, x, y, z), image.element_size) : uint4{};
}
__device__ void store_memory(const image_argument& image, int x, int y, int z, uint4 e) {
    if (holds(image, x, y, z)) store_element(place_of(image, x, y, z), image.element_size, e);
}

// The image of a buffer, which is plain memory on both ports.
__device__ uint4 load_buffer(const image_argument& image, int x) {
    return uint(x) < uint(image.width) ? load_element(image.data + x * (ulong)image.element_size, image.element_size) : uint4{};
}
template<class T> __device__ void store_buffer(const image_argument& image, vec<T, 4> color, int x) {
    if (uint(x) < uint(image.width))
        store_element(image.data + x * (ulong)image.element_size, image.element_size, memory_element(image, color));
}

}  // namespace ocl
