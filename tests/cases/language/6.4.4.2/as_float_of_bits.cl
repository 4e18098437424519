// 6.4.4.2: as_float(0x3f800000) returns 1.0f.
// expect: valid
// result: 1.0
kernel void as_float_of_bits(global float *out) {
    out[0] = as_float(0x3f800000);
}
