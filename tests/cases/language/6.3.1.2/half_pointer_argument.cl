// 6.3.1.2: The half data type can only be used to declare a pointer to a buffer that contains half values.
// expect: valid
// result: 1.0 -2.0
// in: 0x3c00 0xc000
kernel void half_pointer_argument(global float *out, global const ushort *bits) {
    global const half *p = (global const half *)bits;
    out[0] = vload_half(0, p);
    out[1] = vload_half(1, p);
}
