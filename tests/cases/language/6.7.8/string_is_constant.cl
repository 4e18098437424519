// 6.7.8: All string literal storage shall be in the __constant address space.
// expect: valid
// result: 101
kernel void string_is_constant(global int *out) {
    constant char *s = "hello";
    out[0] = s[1];
}
