#define TILE 16
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void local_memory_(global float *out, local float *restrict first, local int *second, local float4 *third) {
    local float tile[TILE][TILE + 1];
    local int count;
    int x = get_local_id(0), y = get_local_id(1);
    if (x == 0 && y == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[y][x] = first[x] + second[y] + third[0].x;
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * TILE + x] = tile[x][y] + count;
}

// Translated:
//| __global__ void __launch_bounds__(256) local_memory__(float *out, unsigned int second_offset,
//|         unsigned int third_offset) {
//|     float *__restrict__ first = (float *)local_memory;
//|     int *second = (int *)(local_memory + second_offset);
//|     float4 *third = (float4 *)(local_memory + third_offset);
//|     assume_work_group_size(16, 16, 1);
//|     __shared__ float tile[16][17];
//|     __shared__ int count;
//|     int x = get_local_id(0);
//|     int y = get_local_id(1);
//|     if (x == 0 && y == 0)
//|         count = 0;
//|     barrier(CLK_LOCAL_MEM_FENCE);
//|     tile[y][x] = first[x] + second[y] + third[0].x;
//|     atomic_inc(&count);
//|     barrier(CLK_LOCAL_MEM_FENCE);
//|     out[y * 16 + x] = tile[x][y] + count;
//| }
