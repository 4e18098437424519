// 6.5.7: The logical operators and (&&) and or (||) operate on all scalar and vector built-in types.
// expect: valid
// result: 1
kernel void logic_binds_looser_than_bits(global int *out) {
    int a = 2;
    out[0] = a & 2 && a | 1;
}
