// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 4
#define value (value + 1)
kernel void self_referential_macro(global int *out) {
#undef value
    int value = 3;
#define value (value + 1)
    out[0] = value;
}
