// 6.3.6: All arguments have the same element type as the result vector.
// expect: error "int2" at line 5
// clang: differs because it only warns of a pointer that becomes an integer
kernel void pointer_as_an_element(global int *out) {
    int2 a = (int2)(out, 1);
}
