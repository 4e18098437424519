// 6.4.1: Implicit conversions: a pointer to another type is passed to a built-in with a warning, as C does.
// expect: valid
// result: 1065353216 1073741824 1077936128 1082130432 0
kernel void builtin_stores_to_other_type(global int *out) {
    vstore4((float4)(1, 2, 3, 4), 0, (global uchar *)out);
}
