// 6.5.7: The logical operators and (&&) and or (||) operate on all scalar and vector built-in types.
// expect: valid
// result: 1 0 1 0
kernel void scalar_logic(global int *out) {
    int a = 5, b = 0;
    out[0] = a && 2; out[1] = a && b; out[2] = a || b; out[3] = b || b;
}
