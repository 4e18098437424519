// 6.3.7: The components of what is no l-value are none, either.
// expect: error "not assignable" at line 5
kernel void component_of_a_value_assigned(global int *out) {
    int4 v = 0;
    (v + v)[0] = 1;
    out[0] = v.x;
}
