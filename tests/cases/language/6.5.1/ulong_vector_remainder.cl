// 6.5.1: The operators work on every built-in integer type, after promotion.
// expect: valid
// result: 1 0
kernel void ulong_vector_remainder(global ulong2 *out) {
    ulong2 a = (ulong2)(0xffffffffffffffffUL, 10);
    out[0] = a % 2;
}
