// 6.3.7: The component selection syntax also allows components to be permuted or replicated.
// expect: error "vector component access" at line 5
kernel void nine_components_by_letters(global int *out) {
    int4 a = (int4)(1);
    out[0] = a.xyzwxyzwx.x;
}
