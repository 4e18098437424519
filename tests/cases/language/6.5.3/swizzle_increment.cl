// 6.5.3: Post- and pre-increment and decrement operate on built-in scalar and vector types except float types.
// expect: valid
// result: 2 2 4 4
kernel void swizzle_increment(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    v.xz++;
    out[0] = v;
}
