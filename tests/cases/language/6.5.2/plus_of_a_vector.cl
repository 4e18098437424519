// 6.5.2: The arithmetic unary operators (+ and -) operate on built-in scalar and vector types.
// expect: valid
// result: 1 -2
kernel void plus_of_a_vector(global int2 *out) {
    int2 v = (int2)(1, -2);
    out[0] = +v;
}
