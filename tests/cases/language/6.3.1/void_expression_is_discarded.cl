// 6.3.1: void: an incomplete type that cannot be completed.
// expect: valid
// result: 3
kernel void void_expression_is_discarded(global int *out) {
    (void)out;
    (void)(1 + 2);
    out[0] = 3;
}
