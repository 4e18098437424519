// 6.4.4.2: as_float(0x3f800000) returns 1.0f.
// expect: valid
// result: 0x3f800000
kernel void as_uint_of_a_float(global uint *out) {
    float f = 1.0f;
    out[0] = as_uint(f);
}
