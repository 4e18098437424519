// 6.4.3: convert_int converts a float scalar f to an int scalar i.
// expect: valid
// result: 0.5 -3.0
kernel void convert_to_double(global double2 *out) {
    out[0] = convert_double2((float2)(0.5f, -3.0f));
}
