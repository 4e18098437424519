// 6.5.3: Post- and pre-increment and decrement operate on built-in scalar and vector types except float types.
// expect: valid
// result: 2.5 1.5
kernel void float_increment(global float *out) {
    float a = 2.5f;
    out[0] = a--; out[1] = a;
}
