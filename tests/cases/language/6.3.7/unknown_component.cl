// 6.3.7: It is illegal to take the address of a vector element.
// expect: error "vector component access" at line 5
kernel void unknown_component(global int *out) {
    float4 v;
    v.q = 1;
}
