// 6.6: Vector operations are component-wise: v = u + f is v.x = u.x + f, …
// expect: valid
// result: -2 -2
kernel void mixed_operations_on_halves(global int2 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    out[0] = v.lo - v.hi;
}
