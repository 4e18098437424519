// 6.3.1.2: The half data type can only be used to declare a pointer to a buffer that contains half values.
// expect: valid
// result: 1.5
// in: 0x3c00 0x3e00
float second(global const half *p) { return vload_half(0, p + 1); }
kernel void half_pointer_passed_on(global float *out, global const ushort *bits) {
    out[0] = second((global const half *)bits);
}
