// 6.6: Vector operations are component-wise: v = u + f is v.x = u.x + f, …
// expect: valid
// result: 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30
kernel void sixteen_uchars_at_once(global uchar16 *out) {
    uchar16 v = (uchar16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    out[0] = v + v;
}
