// 6.4.6: The operands are converted to a common real type (C99 6.3.1.8).
// expect: valid
// result: 40000
kernel void shorts_are_promoted(global int *out) {
    short a = 20000, b = 20000;
    out[0] = a + b;
}
