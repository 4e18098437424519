// 6.5.1: The operators add (+), subtract (-), multiply (*) and divide (/) operate on integer and floating-point scalars.
// expect: valid
// result: 7 9 1 2
kernel void precedence_of_arithmetic(global int *out) {
    out[0] = 1 + 2 * 3; out[1] = (1 + 2) * 3; out[2] = 8 - 4 - 3; out[3] = 12 / 3 / 2;
}
