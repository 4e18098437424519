// 6.4.1: Implicit conversions for pointer types follow the rules described in the C99 Specification.
// expect: error "incompatible type 'float'" at line 5
kernel void float_to_pointer(global int *out) {
    float f = 1;
    int *p = f;
}
