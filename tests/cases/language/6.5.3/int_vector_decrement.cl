// 6.5.3: Post- and pre-increment and decrement operate on built-in scalar and vector types except float types.
// expect: valid
// result: 0 1
kernel void int_vector_decrement(global int2 *out) {
    int2 v = (int2)(1, 2);
    out[0] = --v;
}
