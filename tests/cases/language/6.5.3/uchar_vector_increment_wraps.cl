// 6.5.3: Post- and pre-increment and decrement operate on built-in scalar and vector types except float types.
// expect: valid
// result: 0 1
kernel void uchar_vector_increment_wraps(global uchar2 *out) {
    uchar2 v = (uchar2)(255, 0);
    v++;
    out[0] = v;
}
