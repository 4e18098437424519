// 6.9.2: __attribute__((reqd_work_group_size(X, Y, Z))) is the work-group size that must be used.
// expect: valid
// result: 5
__kernel __attribute__((reqd_work_group_size(1, 1, 1), vec_type_hint(int4))) void attributes_after_the_qualifier_and_before_void(global int *out) {
    out[0] = 5;
}
