// 6.5.5: For vector types the equality operators return 0 or -1.
// expect: valid
// result: -1 0 -1 -1
kernel void vector_inequality(global int4 *out) {
    int4 a = (int4)(1, 2, 3, 4);
    out[0] = a != (int4)(4, 2, 2, 1);
}
