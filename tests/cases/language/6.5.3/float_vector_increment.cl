// 6.5.3: Post- and pre-increment and decrement operate on built-in scalar and vector types except float types.
// expect: error "cannot increment value of type 'float4'" at line 5
kernel void float_vector_increment(global int *out) {
    float4 v = (float4)(1);
    v++;
}
