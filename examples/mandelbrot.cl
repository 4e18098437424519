/* A picture of the Mandelbrot set.
 *
 * The colour follows the escape time, made smooth by how far the last step overshot. The light comes from the derivative
 * of z with respect to c, which is the slope of the potential around the set.
 */
#define ESCAPE 1.0e4f

float2 complex_product(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

float2 complex_quotient(float2 a, float2 b)
{
    return (float2)(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y) / dot(b, b);
}

/* Goes through the colours of the palette as t grows by one, and round again. */
float3 palette(float t)
{
    const float3 phase = (float3)(0.00f, 0.10f, 0.20f);
    return 0.5f + 0.5f * cos(6.2831853f * (t + phase) + 3.2f);
}

float3 colour_of(float2 c, int limit, float2 light)
{
    float2 z = (float2)(0.0f);
    float2 slope = (float2)(0.0f);

    int steps = 0;
    while (steps < limit && dot(z, z) < ESCAPE) {
        slope = 2.0f * complex_product(z, slope) + (float2)(1.0f, 0.0f);
        z = complex_product(z, z) + c;
        steps++;
    }
    if (steps == limit)
        return (float3)(0.02f, 0.02f, 0.05f);

    float smooth_steps = steps - log2(0.5f * log2(dot(z, z)));
    float2 normal = normalize(complex_quotient(z, slope));
    float shade = clamp((dot(normal, light) + 1.6f) / 2.6f, 0.0f, 1.0f);
    return palette(0.4f * sqrt(0.05f * smooth_steps)) * shade;
}

/* centre and width frame the picture in the complex plane; each pixel is the mean of samples x samples points. */
__kernel void mandelbrot(__global uchar4 *picture, float2 centre, float width, int limit, int samples)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int columns = get_global_size(0), rows = get_global_size(1);
    const float pixel = width / columns;
    const float2 light = (float2)(0.70710678f, 0.70710678f);

    float3 sum = (float3)(0.0f);
    for (int j = 0; j < samples; j++) {
        for (int i = 0; i < samples; i++) {
            float2 offset = (float2)(x + (i + 0.5f) / samples - 0.5f * columns,
                                     0.5f * rows - y - (j + 0.5f) / samples);
            sum += colour_of(centre + pixel * offset, limit, light);
        }
    }

    float3 colour = sqrt(sum / (samples * samples));
    picture[y * columns + x] = (uchar4)(convert_uchar3_sat_rte(255.0f * colour), 255);
}
