// 6.5.1: A divide by zero with integer types does not cause an exception but will result in an unspecified value.
// expect: valid
// result: 5
// in: 0
kernel void int_remainder_by_zero(global int *out, global const int *in) {
    out[0] = 7 % in[0];
    out[0] = 5;
}
