// 6.5.11: The result is of type size_t.
// expect: valid
// result: 1
kernel void sizeof_is_unsigned(global int *out) {
    out[0] = sizeof(int) - 5 > 0;
}
