// 6.5.9: exp1 can be a scalar or vector result except float.
// expect: error "'float'" at line 5
kernel void float_condition(global int *out) {
    float c = 0.5f;
    out[0] = c ? 1 : 2;
}
