/* C = A * B for row-major matrices of half, summed in float, by the matrix engines of the device; A is m x k, B is k x n.
 *
 * A sub-group computes 8 rows of C, and twice as many columns as it has work-items. In each step it multiplies 8 x 16 elements of A
 * with 16 rows of B: a work-item brings its part of each row of A, and whole columns of B, two rows to an int.
 *
 * SUB_GROUP is the smallest size of the device's sub-groups, 8 or 16. m is a multiple of 8, n of 2 * SUB_GROUP, k of 16.
 */
#pragma OPENCL EXTENSION cl_intel_subgroup_matrix_multiply_accumulate : enable

#ifndef SUB_GROUP
#define SUB_GROUP 8
#endif
#if SUB_GROUP == 8
typedef int8 rows_t;         /* of each of 8 rows, two elements */
typedef uint part_t;
#else
typedef short8 rows_t;       /* of each of 8 rows, one element */
typedef ushort part_t;
#endif

/* The part of 8 rows that belongs to the work-item; k in parts. */
rows_t load_rows(__global const part_t *a, int k)
{
    return (rows_t)(a[0], a[k], a[2 * k], a[3 * k], a[4 * k], a[5 * k], a[6 * k], a[7 * k]);
}

int pair(__global const ushort *b, int n)
{
    return b[0] | b[n] << 16;
}

/* A column of 16 elements. */
int8 load_column(__global const ushort *b, int n)
{
    return (int8)(pair(b, n), pair(b + 2 * n, n), pair(b + 4 * n, n), pair(b + 6 * n, n),
                  pair(b + 8 * n, n), pair(b + 10 * n, n), pair(b + 12 * n, n), pair(b + 14 * n, n));
}

void store_column(__global float *c, int n, float8 sum)
{
    c[0] = sum.s0;
    c[n] = sum.s1;
    c[2 * n] = sum.s2;
    c[3 * n] = sum.s3;
    c[4 * n] = sum.s4;
    c[5 * n] = sum.s5;
    c[6 * n] = sum.s6;
    c[7 * n] = sum.s7;
}

__kernel __attribute__((intel_reqd_sub_group_size(SUB_GROUP)))
void half_matmul(__global const ushort *A, __global const ushort *B, __global float *C, int n, int k)
{
    const int lane = get_sub_group_local_id();
    const int row = get_global_id(1) * 8;
    const int column = (get_group_id(0) * get_num_sub_groups() + get_sub_group_id()) * 2 * SUB_GROUP + lane;
    const int parts = k / (sizeof(part_t) / sizeof(ushort));

    __global const part_t *a = (__global const part_t *)(A + row * k) + lane;
    float8 left = 0.0f, right = 0.0f;
    for (int i = 0; i < k; i += 16) {
        const rows_t rows = load_rows(a, parts);
        left = intel_sub_group_f16_f16_matrix_mad_k16(rows, load_column(B + i * n + column, n), left);
        right = intel_sub_group_f16_f16_matrix_mad_k16(rows, load_column(B + i * n + column + SUB_GROUP, n), right);
        a += SUB_GROUP;
    }
    store_column(C + row * n + column, n, left);
    store_column(C + row * n + column + SUB_GROUP, n, right);
}
