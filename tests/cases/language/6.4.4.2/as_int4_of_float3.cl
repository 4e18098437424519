// 6.4.4.2: If the operand is a 4-component vector and the result a 3-component vector, the bits are returned without modification.
// expect: valid
// result: 0x3f800000 0x40400000
kernel void as_int4_of_float3(global int *out) {
    int4 i = as_int4((float3)(1, 2, 3));
    out[0] = i.x; out[1] = i.z;
}
