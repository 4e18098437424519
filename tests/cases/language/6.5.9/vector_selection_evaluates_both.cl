// 6.5.9: If the result is a vector value, this is equivalent to select(exp3, exp2, exp1).
// expect: valid
// result: 1 1
kernel void vector_selection_evaluates_both(global int *out) {
    int a = 0, b = 0;
    int2 c = (int2)(-1, 0), r = c ? (int2)(++a) : (int2)(++b);
    out[0] = a; out[1] = b;
}
