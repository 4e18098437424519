// 6.3.3: The C99 derived types (arrays, structs, unions, functions, and pointers) are supported.
// expect: valid
kernel void sampler_argument(sampler_t s, read_only image2d_t picture, global float4 *out) {
    out[0] = read_imagef(picture, s, (int2)(0, 0));
}
