// 6.9.2: __attribute__((reqd_work_group_size(X, Y, Z))) is the work-group size that must be used.
// expect: valid
// result: 4 4 4 4
// size: 4
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void required_size(global int *out) {
    out[get_global_id(0)] = get_local_size(0);
}
