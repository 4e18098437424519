// 6.9.2: __attribute__((reqd_work_group_size(X, Y, Z))) is the work-group size that must be used.
// expect: error "'reqd_work_group_size' attribute requires three positive integer constants" at line 4
constant int four = 4;
kernel __attribute__((reqd_work_group_size(get_work_dim(), 1, 1))) void required_size_that_is_no_constant(global int *out) {
    out[0] = 1;
}
