// 6.5.1: The operators work on every built-in integer type, after promotion.
// expect: valid
// result: 200 -20000 -2
kernel void char_arithmetic(global int *out) {
    char a = 100, b = 100, c = -2;
    out[0] = a + b; out[1] = a * (c * 100); out[2] = a / (b / c) ;
}
