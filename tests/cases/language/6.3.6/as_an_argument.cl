// 6.3.6: A vector literal can be used either as a vector initializer or as a primary expression.
// expect: valid
// result: 7
int sum(int2 v) { return v.x + v.y; }
kernel void as_an_argument(global int *out) {
    out[0] = sum((int2)(3, 4));
}
