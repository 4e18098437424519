// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 5 1
// options: -DFIVE=5 -D ONE
kernel void defined_by_an_option(global int *out) {
    out[0] = FIVE; out[1] = ONE;
}
