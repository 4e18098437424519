// 6.4.4.2: When the operand and result type contain the same number of elements, the bits are returned without modification.
// expect: valid
// result: 0x3f800000 0x40000000 0x40400000 0x40800000
kernel void as_int4_of_float4(global int4 *out) {
    out[0] = as_int4((float4)(1.0f, 2.0f, 3.0f, 4.0f));
}
