// 6.5.3: Post- and pre-increment and decrement operate on built-in scalar and vector types except float types.
// expect: valid
// result: 3 1
kernel void array_element_increment(global int *out) {
    int a[2] = {1, 2}, i = 0;
    a[++i]++;
    out[0] = a[1]; out[1] = i;
}
