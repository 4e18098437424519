// 6.5.3: Post- and pre-increment and decrement operate on built-in scalar and vector types except float types.
// expect: valid
// result: 6 6
kernel void pre_increment(global int *out) {
    int a = 5;
    out[0] = ++a; out[1] = a;
}
