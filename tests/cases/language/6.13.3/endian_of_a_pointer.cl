// 6.13.3: endian (endiantype): host or device, for pointers in global or constant.
// expect: valid
// result: 1.0
kernel void endian_of_a_pointer(global float *out) {
    global float *p __attribute__((endian(host))) = out;
    p[0] = 1;
}
