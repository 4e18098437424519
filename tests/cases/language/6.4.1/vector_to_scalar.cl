// 6.4.1: Implicit conversions between built-in vector data types are disallowed.
// expect: error "incompatible type 'int2'" at line 5
kernel void vector_to_scalar(global int *out) {
    int2 v = (int2)(1);
    out[0] = v;
}
