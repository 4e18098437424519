// 6.5.2: The arithmetic unary operators (+ and -) operate on built-in scalar and vector types.
// expect: valid
// result: 5
kernel void minus_minus(global int *out) {
    int a = 5;
    out[0] = - -a;
}
