// 6.6: Vector operations are component-wise: v = u + f is v.x = u.x + f, …
// expect: valid
// result: 3 8 15 24
kernel void chains_of_vector_operations(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    out[0] = v * v + 2 * v;
}
