// 6.5.1: The operators add (+), subtract (-), multiply (*) and divide (/) operate on integer and floating-point scalars.
// expect: valid
// result: -3 -3 3
kernel void division_truncates_towards_zero(global int *out) {
    int a = -7, b = 2;
    out[0] = a / b; out[1] = 7 / -b; out[2] = a / -b;
}
