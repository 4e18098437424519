// 6.3.1: long is a signed 64-bit integer, whose least value programs write as -9223372036854775808.
// expect: valid
// in: -9223372036854775807 5
// result: 0 1 -1 1 1 3 1
kernel void least_long_as_a_decimal(global int *out, global long *in) {
    long v = in[0];
    out[0] = v < -9223372036854775808;
    out[1] = in[1] > -9223372036854775808;
    out[2] = -9223372036854775808 >> 63;
    out[3] = -9223372036854775808 == v - 1;
    long4 all = -9223372036854775808;
    out[4] = all.z < v;
    switch (v - 1) { case -9223372036854775808: out[5] = 3; }
    out[6] = 18446744073709551615 / 2 == 9223372036854775807;
}
