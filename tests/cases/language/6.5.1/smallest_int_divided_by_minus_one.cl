// 6.5.1: A divide by zero with integer types does not cause an exception but will result in an unspecified value.
// expect: valid
// result: 5
// in: -1
kernel void smallest_int_divided_by_minus_one(global int *out, global const int *in) {
    out[0] = (int)0x80000000 / in[0];
    out[0] = 5;
}
