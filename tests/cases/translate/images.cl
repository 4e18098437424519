constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
const sampler_t wrapped = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
float4 around(image2d_t image, sampler_t s, int2 place) {
    return read_imagef(image, s, place) + read_imagef(image, s, place + 1);
}
kernel void blur(read_only image2d_t source, write_only image2d_t target, sampler_t chosen, read_only image3d_t volume) {
    const sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE;
    constant sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT;
    int2 place = (int2)(get_global_id(0), get_global_id(1));
    if (place.x >= get_image_width(target) || place.y >= get_image_dim(target).y) return;
    float4 sum = around(source, border, place) + read_imagef(source, wrapped, (float2)(0.5f)) + read_imagef(source, place);
    sum += read_imagef(source, edge, place) + read_imagef(source, chosen, place) + read_imagef(source, mirrored, (float2)(0.1f));
    sum.x += read_imageui(volume, CLK_FILTER_NEAREST | CLK_ADDRESS_NONE, (int4)(0)).x;
    if (get_image_channel_order(source) == CLK_RGBA && get_image_channel_data_type(source) != CLK_UNORM_INT8)
        write_imagef(target, place, sum);
}

// Translated:
//| constexpr sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
//| constexpr sampler_t wrapped = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
//|
//| __device__ float4 around(const image2d_t &image, sampler_t s, int2 place) {
//|     return read_imagef(image, s, place) + read_imagef(image, s, place + 1);
//| }
//|
//| constexpr sampler_t blur_mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT;
//|
//| __global__ void blur(const __grid_constant__ image2d_t source, const __grid_constant__ image2d_t target,
//|         sampler_t chosen, const __grid_constant__ image3d_t volume) {
//|     const sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE;
//|     int2 place = int2{(int)get_global_id(0), (int)get_global_id(1)};
//|     if (place.x >= get_image_width(target) || place.y >= get_image_dim(target).y)
//|         return;
//|     float4 sum = around(source, border, place) + read_imagef(source, wrapped, float2{0.5f, 0.5f}) + read_imagef(source,
//|             place);
//|     sum += read_imagef(source, edge, place) + read_imagef(source, chosen, place) + read_imagef(source, blur_mirrored,
//|             float2{0.1f, 0.1f});
//|     sum.x += read_imageui(volume, CLK_FILTER_NEAREST | CLK_ADDRESS_NONE, int4{}).x;
//|     if (get_image_channel_order(source) == CLK_RGBA && get_image_channel_data_type(source) != CLK_UNORM_INT8)
//|         write_imagef(target, place, sum);
//| }
