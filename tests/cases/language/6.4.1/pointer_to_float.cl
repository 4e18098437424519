// 6.4.1: Implicit conversions for pointer types follow the rules described in the C99 Specification.
// expect: error "incompatible type" at line 4
kernel void pointer_to_float(global int *out) {
    float f = out;
}
