// 6.7.1: A buffer memory object can be declared as a pointer to a scalar, vector or user-defined struct.
// expect: valid
// result: 1.0 2.0 3.0 4.0
kernel void pointer_to_a_vector(global float4 *out) {
    out[0] = (float4)(1, 2, 3, 4);
}
