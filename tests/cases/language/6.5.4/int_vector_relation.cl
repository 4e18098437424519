// 6.5.4: For vector types the relational operators return 0 or -1.
// expect: valid
// result: -1 0 0 0
kernel void int_vector_relation(global int4 *out) {
    int4 a = (int4)(1, 2, 3, 4), b = (int4)(2);
    out[0] = a < b;
}
