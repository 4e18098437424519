// 6.4.2: Explicit casts between vector types are not legal.
// expect: error "'int8'" at line 5
kernel void int8_of_float4(global int *out) {
    float4 f = (float4)(1);
    int8 i = (int8) f;
}
