// 6.4.3: convert_int converts a float scalar f to an int scalar i.
// expect: valid
// result: -7
kernel void convert_scalar(global int *out) {
    float f = -7.5f;
    out[0] = convert_int(f);
}
