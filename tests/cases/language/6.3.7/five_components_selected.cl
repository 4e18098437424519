// 6.3.7: The component selection syntax also allows components to be permuted or replicated.
// expect: error "vector component access" at line 5
kernel void five_components_selected(global int *out) {
    int8 v = (int8)(1);
    int4 w = v.xyzwx.xyzw;
}
