// 6.3.7: A component may not stand twice where components are assigned to.
// expect: error "not assignable" at line 5
kernel void component_of_repeated_components_assigned(global int *out) {
    int4 v = 0;
    v.xx[0] = 1;
    out[0] = v.x;
}
