// 6.5.11: The operand is not evaluated and the result is an integer constant.
// expect: valid
// result: 7
kernel void sizeof_as_an_array_length(global int *out) {
    int a[sizeof(int)] = {1, 2, 3, 7};
    out[0] = a[3];
}
