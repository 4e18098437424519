// 6.3.7: It is illegal to take the address of a vector element.
// expect: valid
// result: 3
kernel void subscript_of_a_vector(global int *out) {
    int4 v = (int4)(1, 2, 3, 4);
    int i = 2;
    out[0] = v[i];
}
