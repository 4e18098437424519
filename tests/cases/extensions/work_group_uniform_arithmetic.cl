// 6.15: cl_khr_work_group_uniform_arithmetic: products, bits and logic of a work-group.
// expect: valid
// options: -cl-std=CL3.0
// size: 40
// result: 32 5 1 1 0 2 3
kernel void work_group_uniform_arithmetic(global int *out) {
    int i = get_local_id(0), r[7];
    r[0] = work_group_reduce_mul(i < 5 ? 2 : 1);
    r[1] = work_group_reduce_or(i % 2 ? 4 : 1);
    r[2] = work_group_reduce_and(3 - 2 * (i % 2));
    r[3] = work_group_reduce_logical_or(i == 3);
    r[4] = work_group_reduce_logical_and(i != 3);
    r[5] = work_group_scan_inclusive_mul(i == 2 ? 2 : 1);
    r[6] = work_group_scan_exclusive_xor(i);
    if (i == 39) for (int k = 0; k < 5; k++) out[k] = r[k];
    if (i == 2) out[5] = r[5];
    if (i == 3) out[6] = r[6];
}
