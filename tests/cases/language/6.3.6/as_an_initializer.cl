// 6.3.6: A vector literal can be used either as a vector initializer or as a primary expression.
// expect: valid
// result: 3
kernel void as_an_initializer(global int *out) {
    const int2 a = (int2)(1, 2);
    out[0] = a.x + a.y;
}
