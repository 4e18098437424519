// 6.5.3: Post- and pre-increment and decrement operate on built-in scalar and vector types except float types.
// expect: valid
// result: 0 7
kernel void pointer_increment(global int *out) {
    global int *p = out;
    p++;
    *p++ = 7;
}
