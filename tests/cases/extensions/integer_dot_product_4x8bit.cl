// 6.15: __opencl_c_integer_dot_product_input_4x8bit: dot products of vectors of bytes, added with saturation.
// expect: valid
// options: -cl-std=CL3.0
// result: 260100 2147483647 -130560
kernel void integer_dot_product_4x8bit(global int *out) {
    out[0] = dot((uchar4)255, (uchar4)255);
    out[1] = dot_acc_sat((char4)127, (char4)127, 2147483600);
    out[2] = dot((char4)-128, (uchar4)255);
}
