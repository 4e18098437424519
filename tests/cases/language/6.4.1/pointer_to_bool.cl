// 6.4.1: The integer value 5 will be converted to the floating-point value 5.0.
// expect: valid
// result: 1
kernel void pointer_to_bool(global int *out) {
    bool there = out;
    out[0] = there;
}
