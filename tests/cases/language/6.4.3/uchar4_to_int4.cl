// 6.4.3: convert_int4 converts a uchar4 vector u to an int4 vector c.
// expect: valid
// result: 1 2 3 255
kernel void uchar4_to_int4(global int4 *out) {
    uchar4 u = (uchar4)(1, 2, 3, 255);
    out[0] = convert_int4(u);
}
