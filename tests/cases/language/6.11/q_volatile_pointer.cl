// 6.11: q. The type qualifiers const, restrict and volatile are supported.
// expect: valid
// result: 5
kernel void q_volatile_pointer(volatile global int *out) {
    out[0] = 5;
}
