// 6.5.4: Comparisons of integers and floating-point numbers happen in floating point.
// expect: valid
// result: -1 0
kernel void ulong_vector_equality(global long2 *out) {
    ulong2 v = (ulong2)(1, 2);
    out[0] = v == (ulong2)(1);
}
