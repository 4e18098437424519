// 6.5.1: The operators work on every built-in integer type, after promotion.
// expect: valid
// result: 0x7fffffff 1 0x55555555
kernel void uint_division(global uint *out) {
    uint a = 0xffffffff;
    out[0] = a / 2; out[1] = a % 2; out[2] = a / 3;
}
