// 6.5.15: Any other desired type-conversions must be specified explicitly.
// expect: error "incompatible type" at line 6
kernel void scalar_takes_a_vector(global int *out) {
    int4 i = (int4)(1);
    int n;
    n = i;
}
