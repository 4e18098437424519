// 6.3.7: The numeric indices cannot be intermixed with .xyzw notation.
// expect: error "vector component access" at line 5
kernel void numbers_then_letters(global int *out) {
    float4 f;
    f.s0x = 1;
}
