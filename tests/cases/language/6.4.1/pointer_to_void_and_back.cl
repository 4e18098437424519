// 6.4.1: Implicit conversions for pointer types follow the rules described in the C99 Specification.
// expect: valid
// result: 4
kernel void pointer_to_void_and_back(global int *out) {
    int a = 4;
    void *p = &a;
    int *q = p;
    out[0] = *q;
}
