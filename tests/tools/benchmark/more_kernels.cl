/* Kernels of many kinds, that `more_cases.py` launches and checks: transforms, sparse and dense products, sorting, scans, stencils,
 * images, hashes, integers of 64 bits, double precision, wide vectors, searches with a stack, atomics. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* A Fourier transform of 512 complex numbers in each work-group of 256, radix 2, in local memory; input in bit-reversed order. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fft(__global const float2 *in, __global float2 *out)
{
    __local float2 x[512];
    const int item = get_local_id(0), base = get_group_id(0) * 512;
    x[item] = in[base + item];
    x[item + 256] = in[base + item + 256];
    for (int half_size = 1; half_size < 512; half_size *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int k = item & (half_size - 1), low = (item - k) * 2 + k, high = low + half_size;
        float c, s = sincos(-M_PI_F * k / half_size, &c);
        const float2 a = x[low], b = x[high], turned = (float2)(b.x * c - b.y * s, b.x * s + b.y * c);
        x[low] = a + turned;
        x[high] = a - turned;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + item] = x[item];
    out[base + item + 256] = x[item + 256];
}

/* A sparse matrix in rows times a vector. */
__kernel void sparse_product(__global const int *rows, __global const int *columns, __global const float *values,
                             __global const float *x, __global float *y)
{
    const int row = get_global_id(0);
    float sum = 0.0f;
    for (int i = rows[row]; i < rows[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

/* A matrix product with 4 x 4 sums in registers, and no local memory: A is given by columns. */
__kernel void register_product(int n, __global const float *restrict a, __global const float *restrict b, __global float *c)
{
    const int column = get_global_id(0) * 4, row = get_global_id(1) * 4;
    float4 sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < n; k++) {
        const float4 left = vload4(0, a + k * n + row), right = vload4(0, b + k * n + column);
        sums[0] += left.x * right;
        sums[1] += left.y * right;
        sums[2] += left.z * right;
        sums[3] += left.w * right;
    }
    for (int i = 0; i < 4; i++)
        vstore4(sums[i], 0, c + (row + i) * n + column);
}

/* Every 512 numbers sorted by a work-group of 256. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void bitonic_sort(__global uint *x)
{
    __local uint part[512];
    const uint item = get_local_id(0);
    __global uint *own = x + get_group_id(0) * 512;
    part[item] = own[item];
    part[item + 256] = own[item + 256];
    for (uint size = 2; size <= 512; size *= 2)
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint low = 2 * item - (item & (stride - 1)), high = low + stride;
            const uint a = part[low], b = part[high];
            if ((a > b) == ((low & size) == 0)) {
                part[low] = b;
                part[high] = a;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    own[item] = part[item];
    own[item + 256] = part[item + 256];
}

/* The first step of a radix sort: how often each digit of 4 bits is in the numbers of a work-group. */
__kernel void digits(__global const uint *x, __global uint *counts, uint shift, uint each)
{
    __local uint found[16];
    const uint item = get_local_id(0), size = get_local_size(0);
    if (item < 16)
        found[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < each; i += size)
        atomic_inc(&found[x[get_group_id(0) * each + i] >> shift & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 16)
        counts[get_group_id(0) * 16 + item] = found[item];
}

/* Sums of all before, within each work-group of 256. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan(__global const uint *x, __global uint *out)
{
    __local uint sums[256];
    const uint item = get_local_id(0), own = x[get_global_id(0)];
    sums[item] = own;
    for (uint distance = 1; distance < 256; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint before = item >= distance ? sums[item - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[item] += before;
    }
    out[get_global_id(0)] = sums[item] - own;
}

/* The mean of nine neighbours, by tiles in local memory; the border stays. */
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void stencil_2d(__global const float *in, __global float *out, int width, int height)
{
    __local float tile[18][18];
    const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    const int left = get_group_id(0) * 16 - 1, top = get_group_id(1) * 16 - 1;
    for (int i = ly * 16 + lx; i < 18 * 18; i += 256)
        tile[i / 18][i % 18] = in[clamp(top + i / 18, 0, height - 1) * width + clamp(left + i % 18, 0, width - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            sum += tile[ly + dy][lx + dx];
    out[y * width + x] = x == 0 || y == 0 || x == width - 1 || y == height - 1 ? tile[ly + 1][lx + 1] : sum / 9.0f;
}

/* A convolution with 25 weights from constant memory, of an image. */
__kernel void image_filter(__read_only image2d_t in, __write_only image2d_t out, __constant float *weights)
{
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            sum += weights[(dy + 2) * 5 + dx + 2] * read_imagef(in, nearest, at + (int2)(dx, dy));
    write_imagef(out, at, sum);
}

/* FNV-1a of strings of up to 32 characters. */
__kernel void hash_strings(__global const uchar *text, __global const uchar *lengths, __global uint *hashes)
{
    const int string = get_global_id(0);
    uint hash = 2166136261u;
    for (int i = 0; i < lengths[string]; i++)
        hash = (hash ^ text[string * 32 + i]) * 16777619u;
    hashes[string] = hash;
}

#define QUARTER(a, b, c, d)                                                              \
    a += b; d = rotate(d ^ a, 16u); c += d; b = rotate(b ^ c, 12u);                      \
    a += b; d = rotate(d ^ a, 8u); c += d; b = rotate(b ^ c, 7u);

/* ChaCha20's blocks, one a work-item. */
__kernel void chacha(__global const uint *key, __global uint16 *out)
{
    const uint16 start = (uint16)(0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u, key[0], key[1], key[2], key[3],
                                  key[4], key[5], key[6], key[7], (uint)get_global_id(0), 0, 0, 0);
    uint16 x = start;
    for (int i = 0; i < 10; i++) {
        QUARTER(x.s0, x.s4, x.s8, x.sc) QUARTER(x.s1, x.s5, x.s9, x.sd)
        QUARTER(x.s2, x.s6, x.sa, x.se) QUARTER(x.s3, x.s7, x.sb, x.sf)
        QUARTER(x.s0, x.s5, x.sa, x.sf) QUARTER(x.s1, x.s6, x.sb, x.sc)
        QUARTER(x.s2, x.s7, x.s8, x.sd) QUARTER(x.s3, x.s4, x.s9, x.se)
    }
    out[get_global_id(0)] = x + start;
}

/* Powers modulo a prime, in integers of 64 bits. */
__kernel void modular_power(__global const ulong *bases, __global ulong *out, ulong modulus, ulong exponent)
{
    ulong power = bases[get_global_id(0)] % modulus, result = 1;
    for (ulong rest = exponent; rest; rest >>= 1) {
        if (rest & 1)
            result = result * power % modulus;
        power = power * power % modulus;
    }
    out[get_global_id(0)] = result;
}

/* The high halves of products of 64 bits, and shifts of numbers of 128. */
__kernel void wide_integers(__global const ulong *a, __global const ulong *b, __global ulong *out)
{
    const int i = get_global_id(0);
    ulong high = a[i], low = b[i];
    for (int step = 0; step < 32; step++) {
        const ulong carried = mul_hi(low, 6364136223846793005ul) + high * 6364136223846793005ul;
        low = low * 6364136223846793005ul + 1442695040888963407ul;
        high = carried + (low < 1442695040888963407ul);
        low ^= high << 7 | high >> 57;
    }
    out[i] = high ^ low;
}

/* A polynomial of degree 15 in double precision. */
__kernel void polynomial(__global const double *x, __global double *out, __constant double *coefficients)
{
    const double at = x[get_global_id(0)];
    double sum = 0.0;
    for (int round = 0; round < 4; round++)
        for (int i = 15; i >= 0; i--)
            sum = sum * at + coefficients[i];
    out[get_global_id(0)] = sum;
}

/* A product of matrices in double precision, by tiles. */
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void double_product(__global const double *a, __global const double *b, __global double *c, int n)
{
    __local double left[16][16], right[16][16];
    const int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    double sum = 0.0;
    for (int start = 0; start < n; start += 16) {
        left[y][x] = a[row * n + start + x];
        right[y][x] = b[(start + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

__kernel void vectors_of_8(float a, __global const float *x, __global float *y)
{
    const size_t i = get_global_id(0);
    vstore8(a * vload8(i, x) + vload8(i, y), i, y);
}

/* Two pictures of bytes, mixed. */
__kernel void vectors_of_16(__global const uchar16 *a, __global const uchar16 *b, __global uchar16 *out, ushort part)
{
    const size_t i = get_global_id(0);
    const ushort16 mixed = convert_ushort16(a[i]) * part + convert_ushort16(b[i]) * (ushort)(256 - part);
    out[i] = convert_uchar16(mixed >> (ushort)8);
}

/* How many ways there are to place queens on the rest of the board, by a search with a stack of its own: the first two rows are the
 * work-item's. */
__kernel void queens(__global uint *counts, int n)
{
    const int item = get_global_id(0), first = item / n, second = item % n;
    const uint all = (1u << n) - 1;
    uint stack[4 * 16];
    uint count = 0, one = 1u << first, two = 1u << second;
    if (one != two && one << 1 != two && one >> 1 != two) {
        int depth = 0;
        stack[0] = one | two;
        stack[1] = (one << 2 | two << 1) & all;
        stack[2] = one >> 2 | two >> 1;
        stack[3] = all & ~(stack[0] | stack[1] | stack[2]);
        while (depth >= 0) {
            uint *level = stack + 4 * depth;
            if (level[3] == 0) {
                count += level[0] == all;
                depth--;
                continue;
            }
            const uint place = level[3] & -level[3];
            level[3] ^= place;
            level[4] = level[0] | place;
            level[5] = (level[1] | place) << 1 & all;
            level[6] = (level[2] | place) >> 1;
            level[7] = all & ~(level[4] | level[5] | level[6]);
            depth++;
        }
    }
    counts[item] = count;
}

/* What is divisible by three, one after the other, in whatever order. */
__kernel void append(__global const uint *x, __global uint *count, __global uint *out)
{
    const uint own = x[get_global_id(0)];
    if (own % 3 == 0)
        out[atomic_inc(count)] = own;
}

/* The nearest of 16 centres in three dimensions. */
__kernel void nearest_centre(__global const float4 *points, __constant float4 *centres, __global uchar *out)
{
    const float4 point = points[get_global_id(0)];
    float best = INFINITY;
    int found = 0;
    for (int i = 0; i < 16; i++) {
        const float4 d = point - centres[i];
        const float distance = d.x * d.x + d.y * d.y + d.z * d.z;
        if (distance < best) {
            best = distance;
            found = i;
        }
    }
    out[get_global_id(0)] = found;
}

/* A step of all shortest paths: those by way of one more node. */
__kernel void shortest_paths(__global int *distances, int n, int by)
{
    const int x = get_global_id(0), y = get_global_id(1);
    distances[y * n + x] = min(distances[y * n + x], distances[y * n + by] + distances[by * n + x]);
}

/* Softmax of rows of 256, by a work-group each. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void softmax(__global const float *x, __global float *out)
{
    __local float parts[256];
    const int item = get_local_id(0);
    const float own = x[get_global_id(0)];
    parts[item] = own;
    for (int half_size = 128; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_size)
            parts[item] = fmax(parts[item], parts[item + half_size]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float power = exp(own - parts[0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    parts[item] = power;
    for (int half_size = 128; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_size)
            parts[item] += parts[item + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = power / parts[0];
}
