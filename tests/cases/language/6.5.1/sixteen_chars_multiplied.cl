// 6.5.1: The operators work on every built-in integer type, after promotion.
// expect: valid
// result: 0 1 4 9 16 25 36 49 64 81 100 121 -112 -87 -60 -31
kernel void sixteen_chars_multiplied(global char16 *out) {
    char16 v = (char16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    out[0] = v * v;
}
