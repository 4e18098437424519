// 6.7.1: A buffer memory object can be declared as a pointer to a scalar, vector or user-defined struct.
// expect: valid
// result: 2.5
kernel void pointer_to_a_scalar(global float *out) {
    out[0] = 2.5f;
}
