// 6.5.7: The logical operators and (&&) and or (||) operate on all scalar and vector built-in types.
// expect: valid
// result: 1
kernel void pointer_logic(global int *out) {
    out[0] = out && 1;
}
