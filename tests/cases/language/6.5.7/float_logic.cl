// 6.5.7: The logical operators and (&&) and or (||) operate on all scalar and vector built-in types.
// expect: valid
// result: 1 0
kernel void float_logic(global int *out) {
    float a = 0.5f;
    out[0] = a && 1; out[1] = a && 0.0f;
}
