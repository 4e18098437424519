// 6.3.7: Numeric indices: 0 to 9, a to f or A to F, preceded by s or S.
// expect: error "vector component access" at line 5
kernel void index_3_of_three(global int *out) {
    float3 v;
    v.s3 = 1;
}
