// 6.3.7: The numeric indices cannot be intermixed with .xyzw notation.
// expect: valid
// result: 1.0 2.0 3.0 4.0
kernel void letters_from_numbers(global float4 *out) {
    float4 f = (float4)(1, 2, 3, 4), a;
    a.xyzw = f.s0123;
    out[0] = a;
}
