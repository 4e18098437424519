// 6.3.7: The component selection syntax allows multiple components to be selected.
// expect: valid
// result: 1 2 3 4
kernel void all_components(global int4 *out) {
    int4 c;
    c.xyzw = (int4)(1, 2, 3, 4);
    out[0] = c;
}
