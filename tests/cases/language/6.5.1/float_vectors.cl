// 6.5.1: The two operands are vectors of the same type: the operation is done component-wise.
// expect: valid
// result: 0.5 2.0 4.5 8.0
kernel void float_vectors(global float4 *out) {
    float4 a = (float4)(1, 2, 3, 4);
    out[0] = a * a / 2;
}
