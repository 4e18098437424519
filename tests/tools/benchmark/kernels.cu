/* The kernels of kernels.cl and tone.cl as people write them in CUDA: what builds.py compares the compiler's time with. */

extern "C" __global__ void triad(const float *b, const float *c, float *a, float s)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = b[i] + s * c[i];
}

#define TILE 16

extern "C" __global__ void matmul(const float *A, const float *B, float *C, int n)
{
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;

    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        a_tile[y][x] = A[row * n + start + x];
        b_tile[y][x] = B[(start + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();
    }
    C[row * n + column] = sum;
}

extern "C" __global__ void nbody(const float4 *bodies, float4 *accelerations, int n, float softening)
{
    extern __shared__ float4 tile[];
    const int lid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 body = bodies[i];

    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int first = 0; first < n; first += blockDim.x) {
        tile[lid] = bodies[first + lid];
        __syncthreads();
        for (int j = 0; j < blockDim.x; j++) {
            float3 d = make_float3(tile[j].x - body.x, tile[j].y - body.y, tile[j].z - body.z);
            float inverse = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + softening);
            float weight = tile[j].w * inverse * inverse * inverse;
            sum.x += d.x * weight;
            sum.y += d.y * weight;
            sum.z += d.z * weight;
        }
        __syncthreads();
    }
    accelerations[i] = make_float4(sum.x, sum.y, sum.z, 0.0f);
}

extern "C" __global__ void reduction(const float *x, float *partial, unsigned n)
{
    extern __shared__ float sums[];
    const unsigned lid = threadIdx.x;

    float sum = 0.0f;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i];
    sums[lid] = sum;
    __syncthreads();

    for (unsigned half_size = blockDim.x / 2; half_size > 0; half_size /= 2) {
        if (lid < half_size)
            sums[lid] += sums[lid + half_size];
        __syncthreads();
    }
    if (lid == 0)
        partial[blockIdx.x] = sums[0];
}

extern "C" __global__ void histogram(const uchar4 *data, unsigned n, unsigned *counts)
{
    __shared__ unsigned local_counts[256];

    for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x)
        local_counts[bin] = 0;
    __syncthreads();

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uchar4 value = data[i];
        atomicAdd(&local_counts[value.x], 1);
        atomicAdd(&local_counts[value.y], 1);
        atomicAdd(&local_counts[value.z], 1);
        atomicAdd(&local_counts[value.w], 1);
    }
    __syncthreads();

    for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x)
        atomicAdd(&counts[bin], local_counts[bin]);
}

#define BLOCK 32
#define BLOCK_ROWS 8

extern "C" __global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[BLOCK][BLOCK + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int left = blockIdx.x * BLOCK, top = blockIdx.y * BLOCK;

    for (int row = y; row < BLOCK; row += BLOCK_ROWS)
        tile[row][x] = in[(top + row) * n + left + x];
    __syncthreads();
    for (int row = y; row < BLOCK; row += BLOCK_ROWS)
        out[(left + row) * n + top + x] = tile[x][row];
}

extern "C" __global__ void stencil(const float *in, float *out, float centre, float side)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    const int nx = gridDim.x * blockDim.x, ny = gridDim.y * blockDim.y, nz = gridDim.z * blockDim.z;
    const int i = (z * ny + y) * nx + x;

    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
        out[i] = in[i];
        return;
    }
    out[i] = centre * in[i]
           + side * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]);
}

extern "C" __global__ void mandelbrot(int *steps, float left, float top, float pixel, int limit)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float cx = left + pixel * x, cy = top - pixel * y;

    float zx = 0.0f, zy = 0.0f;
    int n = 0;
    while (n < limit && zx * zx + zy * zy < 4.0f) {
        const float old = zx;
        zx = zx * zx - zy * zy + cx;
        zy = 2.0f * old * zy + cy;
        n++;
    }
    steps[y * gridDim.x * blockDim.x + x] = n;
}

__device__ float normal_distribution(float x)
{
    const float t = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    const float polynomial = t * (0.31938153f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
    const float tail = 0.39894228f * expf(-0.5f * x * x) * polynomial;
    return x > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(const float *price, const float *strike, const float *years, float *call, float rate, float volatility)
{
    const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const float deviation = volatility * sqrtf(years[i]);
    const float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / deviation;
    call[i] = price[i] * normal_distribution(d1)
            - strike[i] * expf(-rate * years[i]) * normal_distribution(d1 - deviation);
}

__device__ float toned(float c, float grey, float saturation, float tint)
{
    c = (grey + (c - grey) * saturation) * tint;
    c = fminf(fmaxf(c / (c + 1.0f), 0.0f), 1.0f);
    return powf(c, 1.0f / 2.2f) * 255.0f;
}

extern "C" __global__ void tone(const uchar4 *in, uchar4 *out, float exposure, float saturation, float4 tint)
{
    const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const uchar4 p = in[i];
    const float scale = exp2f(exposure) * (1.0f / 255.0f);
    const float r = p.x * scale, g = p.y * scale, b = p.z * scale;
    const float grey = r * 0.2126f + g * 0.7152f + b * 0.0722f;
    out[i] = make_uchar4(min(__float2uint_rn(toned(r, grey, saturation, tint.x)), 255u),
                         min(__float2uint_rn(toned(g, grey, saturation, tint.y)), 255u),
                         min(__float2uint_rn(toned(b, grey, saturation, tint.z)), 255u), p.w);
}
