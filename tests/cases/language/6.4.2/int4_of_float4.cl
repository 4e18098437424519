// 6.4.2: Explicit casts between vector types are not legal.
// expect: error "'int4'" at line 5
kernel void int4_of_float4(global int *out) {
    float4 f = (float4)(1);
    int4 i = (int4) f;
}
