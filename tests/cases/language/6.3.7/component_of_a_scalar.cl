// 6.3.7: It is illegal to take the address of a vector element.
// expect: error "not a structure" at line 5
kernel void component_of_a_scalar(global int *out) {
    int a = 1;
    out[0] = a.x;
}
