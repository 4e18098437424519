// 6.11: q. The type qualifiers const, restrict and volatile are supported.
// expect: valid
// result: 3
// in: 1 2
kernel void q_const_restrict_volatile(global int *restrict out, global const int *restrict in) {
    volatile int a = in[0];
    const int b = in[1];
    out[0] = a + b;
}
