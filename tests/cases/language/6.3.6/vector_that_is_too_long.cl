// 6.3.6: The total number of elements is equal to the number of elements in the result vector.
// expect: error "excess elements" at line 5
kernel void vector_that_is_too_long(global int *out) {
    int3 a = (int3)(1, 2, 3);
    int4 f = (int4)(a, a);
}
