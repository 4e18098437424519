// 6.5.4: For vector types the relational operators return 0 or -1.
// expect: valid
// result: 0 0 -1 -1
kernel void vector_and_scalar_relation(global int4 *out) {
    int4 a = (int4)(1, 2, 3, 4);
    out[0] = a > 2;
}
