// 6.5.3: Post- and pre-increment and decrement operate on built-in scalar and vector types except float types.
// expect: valid
// result: 2 3 4 5 1 2 3 4
kernel void int_vector_increment(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4), before = v++;
    out[0] = v; out[1] = before;
}
