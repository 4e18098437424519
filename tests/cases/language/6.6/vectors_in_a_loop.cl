// 6.6: Vector operations are component-wise: v = u + f is v.x = u.x + f, …
// expect: valid
// result: 16 81
kernel void vectors_in_a_loop(global int2 *out) {
    int2 v = (int2)(1), base = (int2)(2, 3);
    for (int i = 0; i < 4; i++) v *= base;
    out[0] = v;
}
