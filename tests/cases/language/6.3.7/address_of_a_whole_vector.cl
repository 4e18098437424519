// 6.3.7: It is illegal to take the address of a vector element.
// expect: valid
// result: 8
kernel void address_of_a_whole_vector(global int *out) {
    int2 v = (int2)(1, 8), *p = &v;
    out[0] = p->y;
}
