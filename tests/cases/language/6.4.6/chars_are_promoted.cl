// 6.4.6: The operands are converted to a common real type (C99 6.3.1.8).
// expect: valid
// result: 4 200
kernel void chars_are_promoted(global int *out) {
    uchar a = 100, b = 100;
    out[0] = sizeof(a + b); out[1] = a + b;
}
