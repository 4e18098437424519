// 6.4.1: Implicit conversions for pointer types follow the rules described in the C99 Specification.
// expect: valid
// result: 1
kernel void zero_is_a_null_pointer(global int *out) {
    int *p = 0;
    out[0] = p == 0;
}
