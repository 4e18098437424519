// 6.5.11: The operand is not evaluated and the result is an integer constant.
// expect: valid
// result: 4 5
kernel void sizeof_evaluates_nothing(global int *out) {
    int n = 5;
    out[0] = sizeof(n++);
    out[1] = n;
}
