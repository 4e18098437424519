// 6.3.7: It is illegal to take the address of a vector element.
// expect: error "not a pointer" at line 5
kernel void arrow_on_a_vector(global int *out) {
    float4 v;
    v->x = 1;
}
