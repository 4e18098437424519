/* A Gaussian blur and the Sobel operator, on RGBA pictures. Pixels beyond the edge repeat the edge. */

__constant float weights[5] = { 0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f };

__constant float4 luminance = (float4)(0.2126f, 0.7152f, 0.0722f, 0.0f);

float4 pixel(__global const uchar4 *picture, int2 at, int2 size)
{
    at = clamp(at, (int2)(0), size - 1);
    return convert_float4(picture[at.y * size.x + at.x]);
}

__kernel void blur(__global const uchar4 *picture, __global uchar4 *blurred)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const int2 size = (int2)(get_global_size(0), get_global_size(1));

    float4 sum = (float4)(0.0f);
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            sum += weights[dy + 2] * weights[dx + 2] * pixel(picture, at + (int2)(dx, dy), size);

    blurred[at.y * size.x + at.x] = convert_uchar4_sat_rte(sum);
}

__kernel void sobel(__global const uchar4 *picture, __global uchar4 *edges)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const int2 size = (int2)(get_global_size(0), get_global_size(1));

    float grey[3][3];
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++)
            grey[y][x] = dot(luminance, pixel(picture, at + (int2)(x - 1, y - 1), size));

    float2 gradient;
    gradient.x = (grey[0][2] - grey[0][0]) + 2.0f * (grey[1][2] - grey[1][0]) + (grey[2][2] - grey[2][0]);
    gradient.y = (grey[2][0] - grey[0][0]) + 2.0f * (grey[2][1] - grey[0][1]) + (grey[2][2] - grey[0][2]);

    uchar4 edge = (uchar4)(convert_uchar_sat_rte(length(gradient)));
    edge.w = 255;
    edges[at.y * size.x + at.x] = edge;
}
