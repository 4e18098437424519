// 6.4.1: Implicit conversions between built-in vector data types are disallowed.
// expect: error "incompatible type 'uint4'" at line 5
kernel void uint4_to_int4(global int *out) {
    uint4 u = (uint4)(1);
    int4 i = u;
}
