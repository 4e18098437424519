// 6.7: The address space name spelling without the __ prefix is valid and may be substituted.
// expect: valid
// result: 3.0
kernel void array_in_private_space(global float *out) {
    __private float x[4] = {1, 2, 3, 4};
    out[0] = x[2];
}
