// 6.7: Address spaces can not be used with a return type.
// expect: valid
// result: 3
global int *next(global int *p) { return p + 1; }
kernel void pointer_return_type_with_a_space(global int *out) {
    *(next(out) - 1) = 3;
}
