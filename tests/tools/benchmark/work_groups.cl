/* Kernels whose work-items meet at barriers, in the shapes that real programs have. */

__kernel void scan(__global const float *in, __global float *out, __local float *sums)
{
    const int lid = get_local_id(0);
    sums[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < get_local_size(0); step <<= 1) {
        float before = 0.0f;
        if (lid >= step)
            before = sums[lid - step];
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lid] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sums[lid];
}

__kernel void scan_tree(__global const int *in, __global int *out, __local int *tree, int n)
{
    int gid = get_global_id(0);
    int tid = get_local_id(0);
    int offset = 1;
    int base = 2 * n * get_group_id(0) / 2;

    tree[2 * tid] = in[base + 2 * tid];
    tree[2 * tid + 1] = in[base + 2 * tid + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tid < d) {
            int left = offset * (2 * tid + 1) - 1;
            int right = offset * (2 * tid + 2) - 1;
            tree[right] += tree[left];
        }
        offset *= 2;
    }
    if (tid == 0)
        tree[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tid < d) {
            int left = offset * (2 * tid + 1) - 1;
            int right = offset * (2 * tid + 2) - 1;
            int t = tree[left];
            tree[left] = tree[right];
            tree[right] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + 2 * tid] = tree[2 * tid];
    out[base + 2 * tid + 1] = tree[2 * tid + 1];
}

__kernel void reduction(__global const float *x, __global float *partial, uint n, __local float *sums)
{
    const uint lid = get_local_id(0);
    float sum = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += x[i];
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint rest = get_local_size(0) / 2; rest > 0; rest /= 2) {
        if (lid < rest)
            sums[lid] += sums[lid + rest];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        partial[get_group_id(0)] = sums[0];
}

#define TILE 16

__kernel void matmul(__global const float *A, __global const float *B, __global float *C, int n)
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

__kernel void transpose(__global const float *in, __global float *out, int n)
{
    __local float tile[TILE][TILE + 1];
    int x = get_global_id(0), y = get_global_id(1);
    tile[get_local_id(1)][get_local_id(0)] = in[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * TILE + get_local_id(0);
    y = get_group_id(0) * TILE + get_local_id(1);
    out[y * n + x] = tile[get_local_id(0)][get_local_id(1)];
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

__kernel void nbody(__global const float4 *bodies, __global float4 *accelerations, int n, float softening, __local float4 *tile)
{
    const int lid = get_local_id(0);
    const float4 body = bodies[get_global_id(0)];
    float4 sum = (float4)(0.0f);
    for (int first = 0; first < n; first += get_local_size(0)) {
        tile[lid] = bodies[first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < get_local_size(0); j++) {
            float4 d = tile[j] - body;
            float square = d.x * d.x + d.y * d.y + d.z * d.z + softening;
            float inverse = 1.0f / sqrt(square);
            float scale = tile[j].w * inverse * inverse * inverse;
            sum.x += d.x * scale;
            sum.y += d.y * scale;
            sum.z += d.z * scale;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accelerations[get_global_id(0)] = sum;
}

#define RADIUS 8
#define SPAN 128

__kernel void convolution(__global const float *in, __global float *out, __constant float *weights, int width)
{
    __local float row[SPAN + 2 * RADIUS];
    const int lid = get_local_id(0);
    const int x = get_global_id(0), y = get_global_id(1);

    row[RADIUS + lid] = in[y * width + x];
    if (lid < RADIUS) {
        row[lid] = x >= RADIUS ? in[y * width + x - RADIUS] : 0.0f;
        row[RADIUS + SPAN + lid] = x + SPAN < width ? in[y * width + x + SPAN] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += row[RADIUS + lid + k] * weights[RADIUS + k];
    out[y * width + x] = sum;
}

#define FFT 256

/* A radix-2 transform of 256 points, of which each work-item does two in every pass. */
__kernel void fft(__global const float2 *in, __global float2 *out)
{
    __local float2 points[2][FFT];
    const int lid = get_local_id(0);
    const int base = get_group_id(0) * FFT;
    points[0][lid] = in[base + lid];
    points[0][lid + FFT / 2] = in[base + lid + FFT / 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    int from = 0;
    for (int size = 1; size < FFT; size *= 2) {
        const int k = lid & (size - 1);
        const float angle = -3.14159265f * (float)k / (float)size;
        const float c = native_cos(angle), s = native_sin(angle);
        const float2 a = points[from][lid], b = points[from][lid + FFT / 2];
        const float2 t = (float2)(b.x * c - b.y * s, b.x * s + b.y * c);
        const int to = ((lid - k) << 1) + k;
        points[1 - from][to] = a + t;
        points[1 - from][to + size] = a - t;
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[base + lid] = points[from][lid];
    out[base + lid + FFT / 2] = points[from][lid + FFT / 2];
}

#define SORTED 512

/* Sorts 512 keys with 256 work-items. */
__kernel void bitonic_sort(__global uint *keys)
{
    __local uint part[SORTED];
    const uint lid = get_local_id(0);
    __global uint *own = keys + get_group_id(0) * SORTED;
    part[lid] = own[lid];
    part[lid + SORTED / 2] = own[lid + SORTED / 2];
    for (uint size = 2; size < SORTED; size <<= 1) {
        uint direction = (lid & (size / 2)) != 0;
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint at = 2 * lid - (lid & (stride - 1));
            uint a = part[at], b = part[at + stride];
            if ((a > b) == direction) {
                part[at] = b;
                part[at + stride] = a;
            }
        }
    }
    for (uint stride = SORTED / 2; stride > 0; stride >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint at = 2 * lid - (lid & (stride - 1));
        uint a = part[at], b = part[at + stride];
        if (a < b) {
            part[at] = b;
            part[at + stride] = a;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    own[lid] = part[lid];
    own[lid + SORTED / 2] = part[lid + SORTED / 2];
}

#define INSIDE(x, low, high) ((x) >= (low) && (x) <= (high))

/* Some steps of heat flow in a tile, which shrinks by one at each side in every step. */
__kernel void hotspot(int steps, __global const float *power, __global const float *from, __global float *to, int columns, int rows,
                      int border, float capacity, float rx, float ry, float rz)
{
    __local float heat[TILE][TILE];
    __local float source[TILE][TILE];
    __local float next[TILE][TILE];
    int bx = get_group_id(0);
    int by = get_group_id(1);
    int tx = get_local_id(0);
    int ty = get_local_id(1);

    int inner = TILE - 2 * border;
    int top = inner * by - border;
    int left = inner * bx - border;
    int row = top + ty, column = left + tx;
    int index = columns * row + column;
    if (INSIDE(row, 0, rows - 1) && INSIDE(column, 0, columns - 1)) {
        heat[ty][tx] = from[index];
        source[ty][tx] = power[index];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    int first_row = top < 0 ? -top : 0, last_row = top + TILE - 1 > rows - 1 ? rows - 1 - top : TILE - 1;
    int first_column = left < 0 ? -left : 0, last_column = left + TILE - 1 > columns - 1 ? columns - 1 - left : TILE - 1;
    int n = ty - 1, s = ty + 1, w = tx - 1, e = tx + 1;
    n = n < first_row ? first_row : n;
    s = s > last_row ? last_row : s;
    w = w < first_column ? first_column : w;
    e = e > last_column ? last_column : e;

    bool computed;
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (INSIDE(tx, i + 1, TILE - i - 2) && INSIDE(ty, i + 1, TILE - i - 2) && INSIDE(tx, first_column, last_column)
            && INSIDE(ty, first_row, last_row)) {
            computed = true;
            next[ty][tx] = heat[ty][tx] + capacity * (source[ty][tx] + (heat[s][tx] + heat[n][tx] - 2.0f * heat[ty][tx]) * ry
                + (heat[ty][e] + heat[ty][w] - 2.0f * heat[ty][tx]) * rx + (80.0f - heat[ty][tx]) * rz);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == steps - 1)
            break;
        if (computed)
            heat[ty][tx] = next[ty][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed)
        to[index] = next[ty][tx];
}

/* The blocks of an LU decomposition that a step leaves to be subtracted from. */
__kernel void lud_internal(__global float *m, int n, int offset)
{
    __local float above[TILE][TILE];
    __local float beside[TILE][TILE];
    int tx = get_local_id(0), ty = get_local_id(1);
    int row = offset + (get_group_id(1) + 1) * TILE;
    int column = offset + (get_group_id(0) + 1) * TILE;
    above[ty][tx] = m[(offset + ty) * n + column + tx];
    beside[ty][tx] = m[(row + ty) * n + offset + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int i = 0; i < TILE; i++)
        sum += beside[ty][i] * above[i][tx];
    m[(row + ty) * n + column + tx] -= sum;
}

/* The block on the diagonal, here one for each work-group. */
__kernel void lud_diagonal(__global float *m, int n)
{
    __local float shadow[TILE][TILE];
    int i, j;
    int tx = get_local_id(0);
    int offset = get_group_id(0) * TILE;
    int at = offset * n + offset;
    for (i = 0; i < TILE; i++) {
        shadow[i][tx] = m[at + tx];
        at += n;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (i = 0; i < TILE - 1; i++) {
        if (tx > i) {
            for (j = 0; j < i; j++)
                shadow[tx][i] -= shadow[tx][j] * shadow[j][i];
            shadow[tx][i] /= shadow[i][i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tx > i) {
            for (j = 0; j < i + 1; j++)
                shadow[i + 1][tx] -= shadow[i + 1][j] * shadow[j][tx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    at = (offset + 1) * n + offset;
    for (i = 1; i < TILE; i++) {
        m[at + tx] = shadow[i][tx];
        at += n;
    }
}

/* Needleman-Wunsch: the diagonals of a block, one after the other. Each work-group has a block with a border of its own. */
__kernel void needle(__global const int *reference, __global int *scores, int columns, int penalty)
{
    __local int temp[TILE + 1][TILE + 1];
    __local int ref[TILE][TILE];
    int tx = get_local_id(0);
    int index = columns * (TILE + 1) * get_group_id(1) + (TILE + 1) * get_group_id(0) + tx + columns + 1;
    int index_n = index - columns, index_w = index - tx - 1, index_nw = index_w - columns;

    if (tx == 0)
        temp[tx][0] = scores[index_nw + tx];
    for (int ty = 0; ty < TILE; ty++)
        ref[ty][tx] = reference[index + columns * ty];
    barrier(CLK_LOCAL_MEM_FENCE);
    temp[tx + 1][0] = scores[index_w + columns * tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    temp[0][tx + 1] = scores[index_n];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int m = 0; m < TILE; m++) {
        if (tx <= m) {
            int x = tx + 1, y = m - tx + 1;
            temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1], max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int m = TILE - 2; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + TILE - m, y = TILE - tx;
            temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1], max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int ty = 0; ty < TILE; ty++)
        scores[index + ty * columns] = temp[ty + 1][tx + 1];
}

/* A layer's weighted sums, by a tree over the rows of a tile. */
__kernel void backprop(__global const float *input, __global float *weights, __global float *sums, int hidden)
{
    __local float nodes[TILE];
    __local float products[TILE][TILE];
    int by = get_group_id(1);
    int tx = get_local_id(0);
    int ty = get_local_id(1);
    int index = hidden * TILE * by + hidden * ty + tx;
    int index_in = TILE * by + ty;

    if (tx == 0)
        nodes[ty] = input[index_in];
    barrier(CLK_LOCAL_MEM_FENCE);
    products[ty][tx] = weights[index];
    barrier(CLK_LOCAL_MEM_FENCE);
    products[ty][tx] = products[ty][tx] * nodes[ty];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 1; i <= TILE; i = i * 2) {
        int power_two = i;
        if (ty % power_two == 0)
            products[ty][tx] = products[ty][tx] + (power_two < TILE && ty + power_two / 2 < TILE && i > 1
                ? products[ty + power_two / 2][tx] : 0.0f);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    weights[index] = products[ty][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx == 0)
        sums[by * hidden + ty] = products[tx][ty];
}

#define CLUSTERS 8
#define FEATURES 4

/* The nearest centre of each point, and how many points of the group have each. */
__kernel void kmeans(__global const float *points, __global const float *centres, __global int *nearest, __global int *counts, int n)
{
    __local float own[CLUSTERS * FEATURES];
    __local int members[CLUSTERS];
    int lid = get_local_id(0);
    int gid = get_global_id(0);
    if (lid < CLUSTERS * FEATURES)
        own[lid] = centres[lid];
    if (lid < CLUSTERS)
        members[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int best = 0;
    if (gid < n) {
        float least = FLT_MAX;
        for (int c = 0; c < CLUSTERS; c++) {
            float distance = 0.0f;
            for (int f = 0; f < FEATURES; f++) {
                float d = points[f * n + gid] - own[c * FEATURES + f];
                distance += d * d;
            }
            if (distance < least) {
                least = distance;
                best = c;
            }
        }
        nearest[gid] = best;
        atomic_inc(&members[best]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < CLUSTERS)
        counts[get_group_id(0) * CLUSTERS + lid] = members[lid];
}

/* Edges of an image, from a tile with its border; work-items beyond the image leave early. */
__kernel void sobel(__global const uchar *in, __global uchar *out, int width, int height)
{
    __local int tile[TILE + 2][TILE + 2];
    int x = get_global_id(0), y = get_global_id(1);
    int tx = get_local_id(0), ty = get_local_id(1);
    for (int row = ty; row < TILE + 2; row += TILE)
        for (int column = tx; column < TILE + 2; column += TILE) {
            int ix = clamp((int)(get_group_id(0) * TILE) + column - 1, 0, width - 1);
            int iy = clamp((int)(get_group_id(1) * TILE) + row - 1, 0, height - 1);
            tile[row][column] = in[iy * width + ix];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height)
        return;
    int h = tile[ty][tx + 2] + 2 * tile[ty + 1][tx + 2] + tile[ty + 2][tx + 2]
          - tile[ty][tx] - 2 * tile[ty + 1][tx] - tile[ty + 2][tx];
    int v = tile[ty + 2][tx] + 2 * tile[ty + 2][tx + 1] + tile[ty + 2][tx + 2]
          - tile[ty][tx] - 2 * tile[ty][tx + 1] - tile[ty][tx + 2];
    out[y * width + x] = (uchar)min(255, (int)sqrt((float)(h * h + v * v)));
}

float sum_of_group(float value, __local float *scratch)
{
    int lid = get_local_id(0);
    scratch[lid] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int rest = get_local_size(0) / 2; rest > 0; rest >>= 1) {
        if (lid < rest)
            scratch[lid] += scratch[lid + rest];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float sum = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

/* Rows with mean 0 and deviation 1: the function that sums over the group is called twice. */
__kernel void normalise(__global const float *in, __global float *out, int width, __local float *scratch)
{
    __global const float *row = in + get_group_id(0) * width;
    float sum = 0.0f;
    for (int i = get_local_id(0); i < width; i += get_local_size(0))
        sum += row[i];
    float mean = sum_of_group(sum, scratch) / width;
    float squares = 0.0f;
    for (int i = get_local_id(0); i < width; i += get_local_size(0))
        squares += (row[i] - mean) * (row[i] - mean);
    float deviation = sqrt(sum_of_group(squares, scratch) / width);
    for (int i = get_local_id(0); i < width; i += get_local_size(0))
        out[get_group_id(0) * width + i] = (row[i] - mean) / deviation;
}

/* A sparse matrix times a vector: 32 work-items a row. */
__kernel void spmv(__global const int *starts, __global const int *columns, __global const float *values, __global const float *x,
                   __global float *y, int rows)
{
    __local float sums[128];
    int lane = get_local_id(0) & 31;
    int row = get_global_id(0) / 32;
    float sum = 0.0f;
    if (row < rows)
        for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
            sum += values[i] * x[columns[i]];
    sums[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int rest = 16; rest > 0; rest >>= 1) {
        if (lane < rest)
            sums[get_local_id(0)] += sums[get_local_id(0) + rest];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < rows)
        y[row] = sums[get_local_id(0)];
}
