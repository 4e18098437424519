// 6.9.2: __attribute__((vec_type_hint(<type>))) is a hint to the compiler.
// expect: valid
// result: 1.0 1.0 1.0 1.0
kernel __attribute__((vec_type_hint(float4))) void vec_type_hint_float4(global float4 *out) {
    out[0] = 1;
}
