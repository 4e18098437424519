// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 12
#define JOIN(a, b) a##b
kernel void pasted_tokens(global int *out) {
    int xy = 12;
    out[0] = JOIN(x, y);
}
