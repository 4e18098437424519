/* Turns a picture about its centre. The sampler interpolates between pixels, and gives transparent black outside. */

__constant sampler_t bilinear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;

__kernel void rotate_picture(__read_only image2d_t picture, __write_only image2d_t rotated, float angle)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float2 centre = convert_float2(get_image_dim(picture)) / 2.0f;

    /* A pixel's centre lies half a pixel from its corner. */
    const float2 from = convert_float2(at) + 0.5f - centre;
    const float c = cos(angle), s = sin(angle);
    const float2 source = (float2)(c * from.x + s * from.y, c * from.y - s * from.x) + centre;

    write_imagef(rotated, at, read_imagef(picture, bilinear, source));
}
