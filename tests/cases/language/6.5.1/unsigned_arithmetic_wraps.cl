// 6.5.1: The operators add (+), subtract (-), multiply (*) and divide (/) operate on integer and floating-point scalars.
// expect: valid
// result: 4294967295 1 0
kernel void unsigned_arithmetic_wraps(global uint *out) {
    uint a = 2, b = 3;
    out[0] = a - b; out[1] = b / a; out[2] = 0x80000000u * 2u;
}
