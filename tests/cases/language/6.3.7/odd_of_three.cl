// 6.3.7: .lo and .hi of a 3-component vector operate as if it were a 4-component vector with w undefined.
// expect: valid
// result: 2
kernel void odd_of_three(global int *out) {
    int3 v = (int3)(1, 2, 3);
    out[0] = v.odd.x;
}
