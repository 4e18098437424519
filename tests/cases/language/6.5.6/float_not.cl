// 6.5.6: Except the built-in scalar and vector float types.
// expect: error "invalid argument type 'float'" at line 5
kernel void float_not(global int *out) {
    float a = 1;
    a = ~a;
}
