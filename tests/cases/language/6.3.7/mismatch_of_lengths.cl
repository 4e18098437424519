// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: error "incompatible type 'float4'" at line 5
kernel void mismatch_of_lengths(global int *out) {
    float4 pos;
    pos.xy = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
}
