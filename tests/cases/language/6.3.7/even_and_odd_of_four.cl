// 6.3.7: The .even suffix refers to the even elements of a vector, .odd to the odd ones.
// expect: valid
// result: 1 3 2 4
kernel void even_and_odd_of_four(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    out[0] = (int4)(v.even, v.odd);
}
