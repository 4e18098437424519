// 6.4.4.2: When the operand and result type contain the same number of elements, the bits are returned without modification.
// expect: valid
// result: 1.0 0.0 2.0 0.0
kernel void selection_by_masking(global float4 *out) {
    float4 f = (float4)(1, 5, 2, 7), g = (float4)(3, 3, 3, 3);
    int4 is_less = f < g;
    out[0] = as_float4(as_int4(f) & is_less);
}
