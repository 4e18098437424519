// 6.15.16: __opencl_c_work_group_collective_functions: votes, a broadcast, a reduction and scans of a work-group.
// expect: valid
// options: -cl-std=CL3.0
// result: 1 0 1 7 7 7 0
kernel void work_group_collective_functions(global int *out) {
    out[0] = __opencl_c_work_group_collective_functions;
    out[1] = work_group_all(get_local_size(0) > 100000) != 0;
    out[2] = work_group_any(get_local_id(0) == 0) != 0;
    out[3] = work_group_broadcast(7, 0);
    out[4] = work_group_reduce_max(7);
    out[5] = work_group_scan_inclusive_max(7);
    out[6] = work_group_scan_exclusive_add(7);
}
