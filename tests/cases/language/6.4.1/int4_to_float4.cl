// 6.4.1: Implicit conversions between built-in vector data types are disallowed.
// expect: error "incompatible type 'int4'" at line 5
kernel void int4_to_float4(global int *out) {
    int4 i = (int4)(1);
    float4 f = i;
}
