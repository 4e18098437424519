// 6.3.7: Numeric indices: 0 to 9, a to f or A to F, preceded by s or S.
// expect: error "vector component access" at line 5
kernel void index_8_of_eight(global int *out) {
    float8 v;
    v.s8 = 1;
}
