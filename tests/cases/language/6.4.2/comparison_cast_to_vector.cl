// 6.4.2: When casting a bool to a vector integer data type, the components are -1 if the value is true and 0 otherwise.
// expect: valid
// result: 1 1
kernel void comparison_cast_to_vector(global int2 *out) {
    int n = 3;
    out[0] = (int2)(n > 2);
}
