// 6.5.7: The logical operators and (&&) and or (||) operate on all scalar and vector built-in types.
// expect: valid
// result: 1
kernel void and_before_or(global int *out) {
    int a = 1, b = 0;
    out[0] = a || b && b;
}
