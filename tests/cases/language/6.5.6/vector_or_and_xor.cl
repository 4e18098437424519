// 6.5.6: For vector built-in types, the operators are applied component-wise.
// expect: valid
// result: 0xff 0xf0
kernel void vector_or_and_xor(global uint2 *out) {
    uint2 a = (uint2)(0xf0, 0xf0);
    out[0] = (a | 0xfu) ^ (uint2)(0, 0xf);
}
