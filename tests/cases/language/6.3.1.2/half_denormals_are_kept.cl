// 6.3.1.2: The half data type can only be used to declare a pointer to a buffer that contains half values.
// expect: valid
// result: 5.9604644775390625e-08
// in: 1
kernel void half_denormals_are_kept(global float *out, global const ushort *bits) {
    out[0] = vload_half(0, (global const half *)bits);
}
