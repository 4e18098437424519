// 6.5.1: The operators work on every built-in integer type, after promotion.
// expect: valid
// result: 120000 -2 65534
kernel void ushort_arithmetic(global int *out) {
    ushort a = 60000, b = 65534;
    out[0] = a + a; out[1] = (short)b; out[2] = b % 65535;
}
