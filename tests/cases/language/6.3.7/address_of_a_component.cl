// 6.3.7: It is illegal to take the address of a vector element.
// expect: error "address of vector element" at line 5
kernel void address_of_a_component(global int *out) {
    float8 vf;
    float *f = &vf.x;
}
