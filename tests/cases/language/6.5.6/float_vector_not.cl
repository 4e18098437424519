// 6.5.6: Except the built-in scalar and vector float types.
// expect: error "invalid argument type 'float2'" at line 5
kernel void float_vector_not(global int *out) {
    float2 a = (float2)(1);
    a = ~a;
}
