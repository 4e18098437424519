// 6.4.1: Implicit conversions for pointer types follow the rules described in the C99 Specification.
// expect: valid
// result: 6
kernel void const_is_added(global int *out) {
    int a = 6;
    const int *p = &a;
    out[0] = *p;
}
