// 6.3.8: The OpenCL C built-in vector data types are considered aggregate types for aliasing.
// expect: valid
// result: 0x44 0x33
// in: 0x11223344
kernel void bytes_of_an_int(global int *out, global const int *in) {
    global const uchar *bytes = (global const uchar *)in;
    out[0] = bytes[0]; out[1] = bytes[1];
}
