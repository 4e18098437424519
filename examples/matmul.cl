/* C = A * B for row-major matrices; A is m x k, B is k x n.
 *
 * Each work-group computes one TILE x TILE tile of C. It walks along the common dimension and keeps the two tiles that it
 * multiplies in local memory, so that each element is read from global memory once per work-group instead of TILE times.
 */
#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul(__global const float *A, __global const float *B, __global float *C, int m, int n, int k)
{
    __local float a_tile[TILE][TILE];
    __local float b_tile[TILE][TILE];

    const int x = get_local_id(0), y = get_local_id(1);
    const int column = get_global_id(0), row = get_global_id(1);

    float sum = 0.0f;
    for (int start = 0; start < k; start += TILE) {
        a_tile[y][x] = (row < m && start + x < k) ? A[row * k + start + x] : 0.0f;
        b_tile[y][x] = (start + y < k && column < n) ? B[(start + y) * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < m && column < n)
        C[row * n + column] = sum;
}
