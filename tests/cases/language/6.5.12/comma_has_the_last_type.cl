// 6.5.12: The comma operator returns the type and value of the right-most expression; all are evaluated from left to right.
// expect: valid
// result: 8 1
kernel void comma_has_the_last_type(global int *out) {
    out[0] = sizeof((char)1, 2.0);
    out[1] = (2.5f, 1);
}
