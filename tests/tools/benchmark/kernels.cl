/* The kernels that the benchmark times, as people write them. */

__kernel void triad(__global const float *b, __global const float *c, __global float *a, float s)
{
    size_t i = get_global_id(0);
    a[i] = b[i] + s * c[i];
}

#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul(__global const float *A, __global const float *B, __global float *C, int n)
{
    __local float a_tile[TILE][TILE];
    __local float b_tile[TILE][TILE];
    const int x = get_local_id(0), y = get_local_id(1);
    const int column = get_global_id(0), row = get_global_id(1);

    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        a_tile[y][x] = A[row * n + start + x];
        b_tile[y][x] = B[(start + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * n + column] = sum;
}

__kernel void nbody(__global const float4 *bodies, __global float4 *accelerations, int n, float softening, __local float4 *tile)
{
    const int lid = get_local_id(0);
    const float4 body = bodies[get_global_id(0)];

    float3 sum = (float3)(0.0f);
    for (int first = 0; first < n; first += get_local_size(0)) {
        tile[lid] = bodies[first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < get_local_size(0); j++) {
            float3 d = tile[j].xyz - body.xyz;
            float inverse = rsqrt(dot(d, d) + softening);
            sum += d * (tile[j].w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accelerations[get_global_id(0)] = (float4)(sum, 0.0f);
}

__kernel void reduction(__global const float *x, __global float *partial, uint n, __local float *sums)
{
    const uint lid = get_local_id(0);

    float sum = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += x[i];
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (lid < half_size)
            sums[lid] += sums[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        partial[get_group_id(0)] = sums[0];
}

__kernel void histogram(__global const uchar4 *data, uint n, __global uint *counts)
{
    __local uint local_counts[256];

    for (uint bin = get_local_id(0); bin < 256; bin += get_local_size(0))
        local_counts[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        uchar4 value = data[i];
        atomic_inc(&local_counts[value.x]);
        atomic_inc(&local_counts[value.y]);
        atomic_inc(&local_counts[value.z]);
        atomic_inc(&local_counts[value.w]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint bin = get_local_id(0); bin < 256; bin += get_local_size(0))
        atomic_add(&counts[bin], local_counts[bin]);
}

#define BLOCK 32
#define BLOCK_ROWS 8

__kernel void transpose(__global const float *in, __global float *out, int n)
{
    __local float tile[BLOCK][BLOCK + 1];  /* the extra column keeps the reads of a column out of one bank */
    const int x = get_local_id(0), y = get_local_id(1);
    const int left = get_group_id(0) * BLOCK, top = get_group_id(1) * BLOCK;

    for (int row = y; row < BLOCK; row += BLOCK_ROWS)
        tile[row][x] = in[(top + row) * n + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = y; row < BLOCK; row += BLOCK_ROWS)
        out[(left + row) * n + top + x] = tile[x][row];
}

__kernel void stencil(__global const float *in, __global float *out, float centre, float side)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int nx = get_global_size(0), ny = get_global_size(1), nz = get_global_size(2);
    const int i = (z * ny + y) * nx + x;

    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
        out[i] = in[i];
        return;
    }
    out[i] = centre * in[i]
           + side * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]);
}

__kernel void mandelbrot(__global int *steps, float left, float top, float pixel, int limit)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const float2 c = (float2)(left + pixel * x, top - pixel * y);

    float2 z = (float2)(0.0f);
    int n = 0;
    while (n < limit && dot(z, z) < 4.0f) {
        z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
        n++;
    }
    steps[y * get_global_size(0) + x] = n;
}

float normal_distribution(float x)
{
    const float t = 1.0f / (1.0f + 0.2316419f * fabs(x));
    const float polynomial = t * (0.31938153f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
    const float tail = 0.39894228f * exp(-0.5f * x * x) * polynomial;
    return x > 0.0f ? 1.0f - tail : tail;
}

/* The price of a European call option: many calls of the math functions. */
__kernel void black_scholes(__global const float *price, __global const float *strike, __global const float *years,
                            __global float *call, float rate, float volatility)
{
    const size_t i = get_global_id(0);
    const float deviation = volatility * sqrt(years[i]);
    const float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / deviation;
    call[i] = price[i] * normal_distribution(d1)
            - strike[i] * exp(-rate * years[i]) * normal_distribution(d1 - deviation);
}
