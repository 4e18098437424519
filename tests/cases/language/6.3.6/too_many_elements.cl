// 6.3.6: The total number of elements is equal to the number of elements in the result vector.
// expect: error "excess elements" at line 4
kernel void too_many_elements(global int *out) {
    int2 f = (int2)(1, 2, 3);
}
