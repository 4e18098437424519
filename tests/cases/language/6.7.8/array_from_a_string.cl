// 6.7.8: All string literal storage shall be in the __constant address space.
// expect: valid
// result: 111 6
kernel void array_from_a_string(global int *out) {
    char s[] = "hello";
    out[0] = s[4]; out[1] = sizeof(s);
}
