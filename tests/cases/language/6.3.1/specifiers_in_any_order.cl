// 6.3.1: void: an incomplete type that cannot be completed.
// expect: valid
// result: 7 8
kernel void specifiers_in_any_order(global int *out) {
    int const unsigned a = 7;
    long unsigned b = 8;
    out[0] = a; out[1] = b;
}
