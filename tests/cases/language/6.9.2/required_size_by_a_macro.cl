// 6.9.2: __attribute__((reqd_work_group_size(X, Y, Z))) is the work-group size that must be used.
// expect: valid
// result: 2 2
// size: 2
#define SIZE 2
kernel __attribute__((reqd_work_group_size(SIZE, 1, 1))) void required_size_by_a_macro(global int *out) {
    out[get_global_id(0)] = get_local_size(0);
}
